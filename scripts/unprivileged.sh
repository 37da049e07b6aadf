# Sourced by the verbs. Decides which user runs the servers and the tests. PostgreSQL refuses to run as root,
# and nothing that reads hostile input should. So root hands its work over to an unprivileged account: the one
# that Debian's package made.
source "$ROOT/scripts/say.sh"

# choose_user: sets AS_USER, the words to put before a command, and RUN_USER.
choose_user() {
  AS_USER=()
  RUN_USER=$(id -un)
  [[ $EUID -eq 0 ]] || return 0
  RUN_USER=${PGVEIL_RUN_AS:-postgres}
  id "$RUN_USER" >/dev/null 2>&1 || die "there is no user \"$RUN_USER\" to run as instead of root; set PGVEIL_RUN_AS"
  AS_USER=(setpriv "--reuid=$RUN_USER" "--regid=$(id -g "$RUN_USER")" --clear-groups)
}

# own_directory NAME: prints a new temporary directory that belongs to RUN_USER.
own_directory() {
  local directory
  directory=$(mktemp -d "${TMPDIR:-/tmp}/pgveil-$1.XXXXXX")
  [[ $EUID -ne 0 ]] || chown "$RUN_USER:" "$directory"
  echo "$directory"
}

# lend_tree_to_user: sets TEST_ROOT, where RUN_USER finds the tests, and test_environment, with which they are
# started. If this user cannot reach the tree (a clone below /root), it gets a copy of what the tests need.
# REQUIRES: scripts/packages.sh was sourced, for SERVER.
lend_tree_to_user() {
  choose_user
  local program programs home
  home=$(own_directory test)
  TEST_HOME=$home
  # shellcheck disable=SC2064 # the value of now is meant
  trap "rm -rf '$home'" EXIT
  TEST_ROOT=$ROOT
  if ! "${AS_USER[@]}" test -r "$ROOT/tests/integration" -a -x "$ROOT/build/dev/cli/pgveil"; then
    TEST_ROOT=$home/tree/pgveil
    mkdir -p "$TEST_ROOT"
    cp -R "$ROOT/tests" "$ROOT/config" "$ROOT/demo" "$ROOT/docs" "$ROOT/spark" "$TEST_ROOT"
    install -D -m 644 "$ROOT/common/finding.cpp" "$TEST_ROOT/common/finding.cpp" # check_test reads its codes
    for program in build/{dev,release}/cli/pgveil build/dev/tests/oracle/node_kinds; do
      [[ ! -x $ROOT/$program ]] || install -D "$ROOT/$program" "$TEST_ROOT/$program"
    done
    for program in web/page/node_modules/{playwright-core,axe-core}; do
      [[ ! -d $ROOT/$program ]] || { mkdir -p "$TEST_ROOT/web/page/node_modules" &&
        cp -R "$ROOT/$program" "$TEST_ROOT/$program"; }
    done
    if [[ -d $ROOT/../shared/leaks ]]; then
      mkdir "$home/tree/shared"
      cp -R "$ROOT/../shared/leaks" "$home/tree/shared/leaks"
    fi
    chown -R "$RUN_USER:" "$home/tree"
    chmod -R u+w "$home/tree"
  fi
  # shellcheck disable=SC2034 # read by test.sh
  test_environment=(env -C "$TEST_ROOT" "HOME=$home" "PGVEIL_BIN=$TEST_ROOT/build/dev/cli/pgveil" \
    PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8)
  # /usr/bin/psql of Debian is a wrapper in Perl, which takes longer to start than psql itself.
  programs=/usr/lib/postgresql/$SERVER/bin
  [[ ! -x $programs/psql ]] || test_environment+=("PATH=$programs:$PATH")
}
