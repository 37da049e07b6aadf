#!/usr/bin/env bash
# ./run test [--long] [--server MAJOR] [SUITE…]: builds the dev preset and runs suites, as many programs in
# parallel as there are processors. Before the last line it prints what was left out and how to include it.
# The last line is the sum of the tests that passed and failed. A suite that ran nothing counts as failed.
set -euo pipefail
source "$ROOT/scripts/packages.sh"
source "$ROOT/scripts/unprivileged.sh"
source "$ROOT/scripts/spark.sh"
source "$ROOT/scripts/servers.sh"

# The longest programs are those of web and spark, which take a quarter of an hour and ten minutes. Many short
# ones come after each, so that neither runs alone at the end. The two are far apart, because a browser is
# slow beside Java machines.
SUITES=(unit architecture format web integration spark oracle majors clients)
# What is repeated with a server of the newest major: the attacks, the oracle, and statements of drivers and
# tools, the longest first. With --long, what is stored in the database and what plans could tell, too.
# ./run test --server MAJOR integration oracle runs everything.
MAJOR_TESTS=(oracle/oracle_test integration/types_test integration/leaks_test integration/drivers_test
  integration/recorded_test integration/attack_cases_test)
LONG_MAJOR_TESTS=(integration/masked_copies_test integration/stored_masks_test oracle/noninterference_test
  oracle/view_definitions_test)
passed=0
failed=0
left_out=() # a line for each suite or test that did not run: what, and why

# add NAME PASSED FAILED SECONDS
add() {
  passed=$((passed + $2))
  failed=$((failed + $3))
  say "-- $1: $2 passed, $3 failed ($4 s)"
}

leave_out() { left_out+=("$1: $2"); }

# add_program NAME STATUS LOG SECONDS: a program whose last line is 'N passed, N failed'. If it died or ran
# nothing, it counts as one failed test, unless it says what it skipped and why. Its output is in build/test/,
# and is shown if it failed.
add_program() {
  local name=$1 status=$2 log=$3 seconds=$4 line
  if ((status != 0)); then
    tail -n 200 "$log"
    say "(the whole output is in ${log#"$ROOT"/})"
  fi
  while read -r line; do leave_out "$name" "${line#skipped: }"; done < <(grep '^skipped: ' "$log" || true)
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1) || true
  local good=${line%% passed*} bad=${line##*passed, }
  good=${good:-0} bad=${bad%% failed*}
  bad=${bad:-0}
  if ((bad == 0 && (status != 0 || good == 0))) && ! { ((status == 0)) && grep -q '^skipped: ' "$log"; }; then
    bad=1
  fi
  add "$name" "$good" "$bad" "$seconds"
}

# start NAME COMMAND…: runs it in parallel with others, as soon as fewer are running than there are
# processors. The output goes to build/test/NAME.log, with the status and the seconds beside it.
start() {
  local name=$1 log=$ROOT/build/test/${1//\//_}.log
  shift
  while (($(jobs -pr | wc -l) >= $(nproc))); do wait -n || true; done
  rm -f "$log.status"
  {
    status=0 begun=$SECONDS
    "$@" >"$log" 2>&1 </dev/null || status=$?
    echo "$status $((SECONDS - begun))" >"$log.status"
    say "   $name: $((SECONDS - begun)) s"
  } &
  started+=("$name")
}

# Waits for everything that was started, and reports in the order of the names.
finish() {
  local name log status seconds
  wait
  while read -r name; do
    [[ -n $name ]] || continue
    log=$ROOT/build/test/${name//\//_}.log
    read -r status seconds <"$log.status" || status=1 seconds=0
    add_program "$name" "$status" "$log" "$seconds"
  done < <(printf '%s\n' "${started[@]}" | sort)
  started=()
}

# Reports of the sanitizer show the last four calls before an allocation. To record thirty, as by default,
# takes a quarter of the time of tests that allocate much. What is found is the same.
SANITIZER=malloc_context_size=4${ASAN_OPTIONS:+:$ASAN_OPTIONS}

run_unit() {
  local log=$ROOT/build/test/unit.log status=0 totals limit=900 begun=$SECONDS reason
  local environment=(env "ASAN_OPTIONS=$SANITIZER")
  [[ ${#long_option[@]} -eq 0 ]] || environment+=(PGVEIL_LONG=1) limit=7200
  "${environment[@]}" ctest --test-dir "$ROOT/build/dev" -L unit -j "$(nproc)" -V --timeout "$limit" \
    >"$log" 2>&1 </dev/null || status=$?
  if ((status != 0)); then
    grep -nE 'ERROR:|FATAL|TEST CASE:|\*\*\*|Sanitizer|runtime error' "$log" | head -n 100 || true
    say "(the whole output is in ${log#"$ROOT"/})"
  fi
  while read -r reason; do leave_out unit "$reason"; done < <(sed -n 's/^.*skipped: //p' "$log" | sort -u)
  totals=$(awk -f "$ROOT/scripts/unit_totals.awk" "$log")
  local good=${totals% *} bad=${totals#* }
  ((status == 0 && good > 0)) || ((bad > 0)) || bad=1
  add unit "$good" "$bad" "$((SECONDS - begun))"
}

# start_python_suite SUITE: runs every tests/<suite>/*_test.py, the largest files first, because they tend to
# take longest. A million statements run with the release build only: the sanitizers take six times as long,
# and cover the same code in the short run.
start_python_suite() {
  local suite=$1 file files=() binary=()
  [[ $suite != oracle || ${#long_option[@]} -eq 0 ]] ||
    binary=("PGVEIL_BIN=$TEST_ROOT/build/release/cli/pgveil")
  mapfile -t files < <(ls -S "$TEST_ROOT/tests/$suite"/*_test.py 2>/dev/null)
  for file in "${files[@]}"; do
    start "$suite/$(basename "$file" .py)" \
      "${AS_USER[@]}" "${test_environment[@]}" "${binary[@]}" "$PYTHON" "$file" "${long_option[@]}"
  done
  ((${#files[@]} > 0)) || add "$suite" 0 1 0
}

# Needs Spark and Java, which only ./run deps spark installs; without them it says so.
start_spark() {
  local all=()
  if ! has_spark; then
    leave_out spark "neither Spark nor Java is here; ./run deps spark installs both"
  elif ! "${AS_USER[@]}" "$SPARK_PYTHON" -c '' 2>/dev/null; then
    leave_out spark "the user $RUN_USER can't reach build/spark; clone to a folder that this user can read"
  else
    [[ ${#long_option[@]} -eq 0 ]] || all=(PGVEIL_LONG=1)
    start spark "${AS_USER[@]}" "${test_environment[@]}" "${all[@]}" \
      "PGVEIL_SPARK_JARS=$SPARK_HOME_DIRECTORY/hdfs" "$SPARK_PYTHON" "$TEST_ROOT/spark/tests/run.py"
  fi
}

# Runs real tools of the package registries (tests/clients), in their folders below build/clients. It needs
# the network, so only --long does.
start_clients() {
  local file name
  if [[ ${#long_option[@]} -eq 0 ]]; then
    leave_out clients "it installs tools from the package registries; ./run test --long clients runs it"
    return
  fi
  mkdir -p "$ROOT/build/clients"
  if ! "${AS_USER[@]}" test -r "$ROOT/build/clients"; then
    leave_out clients "the user $RUN_USER can't reach build/clients; clone to a folder that this user can read"
    return
  fi
  step "installing tools into build/clients"
  if ! "$PYTHON" "$ROOT/tests/clients/install.py"; then
    add clients 0 1 0
    return
  fi
  for file in "$TEST_ROOT"/tests/clients/tools/*.*; do
    name=$(basename "${file%.*}")
    start "clients/$name" "${AS_USER[@]}" "${test_environment[@]}" "PGVEIL_CLIENTS=$ROOT/build/clients" \
      "$PYTHON" "$TEST_ROOT/tests/clients/run.py" "$name"
  done
}

# Builds, installs, upgrades and purges the Debian packages in folders of Debian 12 and 13. It needs root and
# the network, and half an hour, so only --long does.
start_packages() {
  local release
  if [[ ${#long_option[@]} -eq 0 ]]; then
    leave_out packages "it makes packages with debootstrap and the network; ./run test --long packages runs it"
    return
  fi
  if [[ $EUID -ne 0 ]]; then
    leave_out packages "debootstrap, chroot and systemd-nspawn need root"
    return
  fi
  command -v systemd-nspawn >/dev/null || install_packages systemd-container
  for release in 12 13; do
    bash "$ROOT/scripts/package.sh" "$release"
  done
  start packages "$PYTHON" "$ROOT/tests/packages/packages_test.py" --long
}

# own_server MAJOR: has the tests that follow use a server of this major, whose cluster template is made.
own_server() {
  local programs
  programs=$(server_bin "$1") || die "there is no PostgreSQL $1; ./run deps servers installs it"
  "${AS_USER[@]}" test -x "$programs/postgres" ||
    die "the user $RUN_USER can't reach $programs; clone to a folder that this user can read"
  test_environment+=("PGVEIL_POSTGRES_BIN=$programs")
  make_cluster_template
}

# Sets majors_environment for tests with the newest major, or says why they are left out. What fails here ends
# the run, so it comes before the first test.
prepare_majors() {
  local usual=("${test_environment[@]}")
  if ! server_bin "$NEWEST_MAJOR" >/dev/null; then
    leave_out majors "PostgreSQL $NEWEST_MAJOR is not here; ./run deps servers installs it"
    return
  fi
  if ! "${AS_USER[@]}" test -x "$(server_bin "$NEWEST_MAJOR")/postgres"; then
    leave_out majors "the user $RUN_USER can't reach build/servers; clone to a folder that this user can read"
    return
  fi
  own_server "$NEWEST_MAJOR"
  majors_environment=("${test_environment[@]}")
  test_environment=("${usual[@]}")
}

# Repeats these tests with the newest major. The oracle draws fewer statements, because it has
# drawn all of them with the oldest one.
start_majors() {
  local name fewer names=("${MAJOR_TESTS[@]}")
  ((${#majors_environment[@]} > 0)) || return 0
  if [[ ${#long_option[@]} -gt 0 ]]; then
    names=("${LONG_MAJOR_TESTS[@]}" "${names[@]}")
  else
    leave_out majors "${#LONG_MAJOR_TESTS[@]} programs take long; ./run test --long majors runs them"
  fi
  for name in "${names[@]}"; do
    fewer=()
    [[ $name != oracle/oracle_test ]] || fewer=(PGVEIL_STATEMENTS=1000)
    start "majors/$NEWEST_MAJOR/${name#*/}" "${AS_USER[@]}" "${majors_environment[@]}" "${fewer[@]}" \
      "$PYTHON" "$TEST_ROOT/tests/$name.py"
  done
}

# The folders of all majors that are here, for tests that need a certain one.
name_servers() {
  local major programs
  for ((major = OLDEST_MAJOR; major <= NEWEST_MAJOR; ++major)); do
    programs=$(server_bin "$major") || continue
    "${AS_USER[@]}" test -x "$programs/postgres" || continue
    test_environment+=("PGVEIL_POSTGRES_BIN_$major=$programs")
  done
}

start_suite() {
  case $1 in
    architecture)
      start architecture "$PYTHON" "$ROOT/tests/architecture/include_graph_test.py"
      start architecture/doc_paths "$PYTHON" "$ROOT/tests/architecture/doc_paths_test.py"
      start architecture/page_in_builds "$PYTHON" "$ROOT/tests/architecture/page_in_builds_test.py"
      start architecture/clients_doc "$PYTHON" "$ROOT/tests/architecture/clients_doc_test.py"
      start architecture/plain_english "$PYTHON" "$ROOT/tests/architecture/plain_english_test.py"
      start architecture/site "$PYTHON" "$ROOT/tests/architecture/site_test.py"
      start architecture/benchmarks_page "$PYTHON" "$ROOT/tests/architecture/benchmarks_page_test.py"
      if command -v mkdocs >/dev/null; then
        start architecture/docs bash "$ROOT/scripts/docs.sh"
      else
        leave_out "architecture/docs" "mkdocs is not here; ./run docs installs it and builds the site"
      fi
      ;;
    format) start format bash "$ROOT/scripts/format.sh" --check ;;
    unit)
      finish
      run_unit
      ;;
    integration | oracle) start_python_suite "$1" ;;
    spark) start_spark ;;
    majors) start_majors ;;
    clients) start_clients ;;
    packages) start_packages ;;
    web)
      start web/logic bash "$ROOT/scripts/web.sh" --test
      start_python_suite web
      ;;
  esac
}

# The clusters of tests are in memory, if there is room for many of them. A test has some hundred files made
# and deleted, which takes a fifth of its time on a disk.
keep_clusters_in_memory() {
  local room memory
  [[ -z ${PGVEIL_CLUSTERS:-} && -d /dev/shm && -w /dev/shm ]] || return 0
  room=$(df --output=avail -k /dev/shm | tail -n 1)
  memory=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
  ((room >= 6 << 20 && memory >= 10 << 20)) || return 0
  PGVEIL_CLUSTERS=$(TMPDIR=/dev/shm own_directory clusters)
  templates+=("$PGVEIL_CLUSTERS")
  test_environment+=("PGVEIL_CLUSTERS=$PGVEIL_CLUSTERS")
}

# Runs initdb once for all tests: each private server copies the result
# (tests/integration/harness/postgres.py).
make_cluster_template() {
  local template
  template=$(TMPDIR=${PGVEIL_CLUSTERS:-${TMPDIR:-/tmp}} own_directory cluster)
  templates+=("$template")
  # shellcheck disable=SC2064 # the values of now are meant
  trap "rm -rf '$TEST_HOME' ${templates[*]@Q}" EXIT
  "${AS_USER[@]}" "${test_environment[@]}" "$PYTHON" \
    "$TEST_ROOT/tests/integration/harness/cluster_template.py" \
    "$template/data" || die "initdb failed; its message is above"
  test_environment+=("PGVEIL_CLUSTER_TEMPLATE=$template/data")
}

# Uses Debian's own python3, because the drivers are packaged for it and another one may come first in PATH.
choose_python() {
  PYTHON=/usr/bin/python3
  [[ -x $PYTHON ]] || PYTHON=$(command -v python3) || die "python3 is missing; ./run deps test installs it"
}

main() {
  local suites=() suite server=
  long_option=() templates=() majors_environment=()
  while (($# > 0)); do
    case $1 in
      --long) long_option=(--long) ;;
      --server)
        [[ $# -gt 1 ]] || die_usage "test: --server needs a major, for example 17"
        shift
        server_release "$1" >/dev/null
        server=$1
        ;;
      architecture | format | unit | integration | oracle | majors | web | spark | clients | packages) suites+=("$1") ;;
      *) die_usage "test: unknown suite \"$1\"; there are ${SUITES[*]}" ;;
    esac
    shift
  done
  [[ ${#suites[@]} -gt 0 ]] || suites=("${SUITES[@]}")
  need_packages build test
  choose_python
  mkdir -p "$ROOT/build/test"
  case " ${suites[*]} " in
    *" unit "* | *" integration "* | *" oracle "* | *" majors "* | *" web "* | *" spark "* | *" clients "*)
      bash "$ROOT/scripts/build.sh" dev
      ;;
  esac
  case "${#long_option[@]} ${suites[*]} " in
    1*" oracle "*) bash "$ROOT/scripts/build.sh" release ;;
  esac
  case " ${suites[*]} " in
    *" integration "* | *" oracle "* | *" majors "* | *" web "* | *" spark "* | *" clients "*)
      lend_tree_to_user
      # The process that serves looks for leaks (harness/pgveil.py), and so do the unit tests.
      test_environment+=("ASAN_OPTIONS=$SANITIZER:detect_leaks=0")
      name_servers
      keep_clusters_in_memory
      if [[ -n $server ]]; then
        install_server "$server" || die "PostgreSQL $server can't be installed; is there a network?"
        own_server "$server"
      else
        make_cluster_template
      fi
      ;;
  esac
  started=()
  case " ${suites[*]} " in
    *" majors "*) prepare_majors ;;
  esac
  for suite in "${suites[@]}"; do
    step "suite $suite"
    start_suite "$suite"
  done
  finish
  if ((${#left_out[@]} > 0)); then
    say "left out:"
    printf '   %s\n' "${left_out[@]}"
  fi
  say "$passed passed, $failed failed"
  ((failed == 0 && passed > 0))
}

main "$@"
