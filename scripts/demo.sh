#!/usr/bin/env bash
# ./run demo [--check|--stop]: a private PostgreSQL with two tables, their policies, pgveil in front, and
# three queries as the owner and an analyst see them. Everything keeps running; --check compares the answers
# and stops everything.
set -euo pipefail
source "$ROOT/scripts/packages.sh"
source "$ROOT/scripts/unprivileged.sh"
source "$ROOT/scripts/private_postgres.sh"
source "$ROOT/scripts/demo_show.sh"
source "$ROOT/scripts/demo_check.sh"

STATE=$ROOT/build/demo # what --stop needs to know: directory, pgveil.pid; and pgpass, the passwords of this run
ROWS=${PGVEIL_DEMO_ROWS:-1000000}
PRESET=${PGVEIL_DEMO_PRESET:-release} # .ci/run shows the build that it has just tested

# ask PORT USER DATABASE [PSQL-OPTION…]: psql without start-up files and without settings of the caller's.
# SESSION_OPTIONS: settings that the session starts with.
ask() {
  local port=$1 user=$2 database=$3
  shift 3
  env -u PGSERVICE -u PGDATABASE -u PGUSER -u PGPASSWORD PGPASSFILE="$STATE/pgpass" \
    PGOPTIONS="${SESSION_OPTIONS:-}" PGCONNECT_TIMEOUT=20 \
    PGCLIENTENCODING=UTF8 psql -X -q -w -v ON_ERROR_STOP=1 -P pager=off -P footer=off -P null=NULL \
    -h 127.0.0.1 -p "$port" -U "$user" -d "$database" "$@"
}

stop_pgveil() {
  local pid tries
  pid=$(cat "$STATE/pgveil.pid" 2>/dev/null) || return 0
  # Only a process that is still ours: its command line names the directory of this run.
  if tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF "$DIRECTORY/"; then
    kill -TERM "$pid" 2>/dev/null || true
    for ((tries = 0; tries < 100; tries++)); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL "$pid" 2>/dev/null || true
  fi
}

# Ends what an earlier run left running, if anything.
stop_demo() {
  DIRECTORY=$(cat "$STATE/directory" 2>/dev/null) || return 0
  stop_pgveil
  stop_postgres
  [[ ${DIRECTORY##*/} != pgveil-demo.* ]] || rm -rf "$DIRECTORY"
  rm -rf "$STATE"
}

prepare() {
  mkdir -p "$STATE"
  DIRECTORY=$(own_directory demo)
  echo "$DIRECTORY" >"$STATE/directory"
  POSTGRES_PORT=$(free_port 25432)
  PROXY_PORT=$(free_port "${PGVEIL_DEMO_PORT:-6432}")
  PAGE_PORT=$(free_port "${PGVEIL_DEMO_PAGE_PORT:-6480}")
  SUPERUSER_PASSWORD=$(new_password) OWNER_PASSWORD=$(new_password) QUERY_PASSWORD=$(new_password)
  ADMIN_PASSWORD=$(new_password) OPERATOR_PASSWORD=$(new_password) ANALYST_PASSWORD=analyst
  (
    umask 077
    cat >"$STATE/pgpass" <<PASS
127.0.0.1:$POSTGRES_PORT:*:postgres:$SUPERUSER_PASSWORD
127.0.0.1:$POSTGRES_PORT:*:demo_owner:$OWNER_PASSWORD
127.0.0.1:$PROXY_PORT:*:analyst:$ANALYST_PASSWORD
127.0.0.1:$PROXY_PORT:*:operator:$OPERATOR_PASSWORD
PASS
  )
}

load_tables() {
  step "loading the worked example and a table of $ROWS people"
  ask "$POSTGRES_PORT" postgres postgres -v owner_password="$OWNER_PASSWORD" -v \
    query_password="$QUERY_PASSWORD" \
    -v admin_password="$ADMIN_PASSWORD" -f "$ROOT/demo/roles.sql"
  ask "$POSTGRES_PORT" demo_owner demo -f "$ROOT/demo/example_table.sql"
  ask "$POSTGRES_PORT" demo_owner demo -v rows="$ROWS" -f "$ROOT/demo/residents_table.sql"
}

# Everything pgveil reads and writes, in one directory that RUN_USER owns.
configure_pgveil() {
  local home=$DIRECTORY/pgveil
  mkdir -p "$home/policies" "$home/jobs" "$home/state" "$home/exports"
  cp "$ROOT/build/$PRESET/cli/pgveil" "$home/pgveil"
  cp "$ROOT"/demo/policies/*.yaml "$home/policies/"
  cp "$ROOT"/config/jobs/*.yaml "$home/jobs/"
  (
    umask 077
    printf '%s' "$QUERY_PASSWORD" >"$home/query_password"
    printf '%s' "$ADMIN_PASSWORD" >"$home/admin_password"
  )
  sed -e "s|@PROXY_PORT@|$PROXY_PORT|g; s|@POSTGRES_PORT@|$POSTGRES_PORT|g" \
    -e "s|@PAGE_PORT@|$PAGE_PORT|g" "$ROOT/demo/pgveil.yaml.in" \
    >"$home/pgveil.yaml"
  chmod 700 "$home/state" "$home/exports"
  [[ $EUID -ne 0 ]] || chown -R "$RUN_USER:" "$home"
  pgveil user add analyst --file users.txt <<<"$ANALYST_PASSWORD" >"$DIRECTORY/users.log"
  pgveil user add operator --file users.txt <<<"$OPERATOR_PASSWORD" >>"$DIRECTORY/users.log"
}

# The rights of pgveil's two roles, and the schema that decides which version of a policy is current.
grant_rights() {
  pgveil setup-sql --config "$DIRECTORY/pgveil/pgveil.yaml" >"$DIRECTORY/setup.sql" ||
    die "pgveil setup-sql failed"
  ask "$POSTGRES_PORT" postgres demo -f "$DIRECTORY/setup.sql"
}

pgveil() { "${AS_USER[@]}" env -C "$DIRECTORY/pgveil" HOME="$DIRECTORY" "$DIRECTORY/pgveil/pgveil" "$@"; }

start_pgveil() {
  local tries config=$DIRECTORY/pgveil/pgveil.yaml
  pgveil check --config "$config" >"$DIRECTORY/check.log" 2>&1 ||
    die "pgveil check: $(tail -n 5 "$DIRECTORY/check.log")"
  step "building the policies"
  pgveil policy build --all --config "$config" >"$DIRECTORY/policy_build.log" 2>&1 ||
    die "pgveil policy build: $(tail -n 5 "$DIRECTORY/policy_build.log")"
  step "publishing a k-anonymous copy of the people as a file"
  pgveil anonymize jobs/residents.yaml --config "$config" >"$DIRECTORY/anonymize.log" 2>&1 ||
    die "pgveil anonymize: $(tail -n 5 "$DIRECTORY/anonymize.log")"
  step "starting pgveil"
  setsid "${AS_USER[@]}" env -C "$DIRECTORY/pgveil" HOME="$DIRECTORY" "$DIRECTORY/pgveil/pgveil" serve \
    --config "$config" \
    >"$DIRECTORY/pgveil.log" 2>&1 </dev/null &
  echo $! >"$STATE/pgveil.pid"
  disown
  for ((tries = 0; tries < 300; tries++)); do
    (exec 3<>"/dev/tcp/127.0.0.1/$PROXY_PORT") 2>/dev/null && return
    kill -0 "$(cat "$STATE/pgveil.pid")" 2>/dev/null || break
    sleep 0.1
  done
  die "pgveil did not start: $(tail -n 5 "$DIRECTORY/pgveil.log")"
}

start_demo() {
  need_packages build demo
  bash "$ROOT/scripts/build.sh" "$PRESET"
  choose_user
  stop_demo
  # A run that fails half-way must leave nothing running.
  trap 'status=$?; ((status == 0)) || stop_demo; exit $status' EXIT
  prepare
  step "starting a private PostgreSQL on port $POSTGRES_PORT"
  start_postgres "$POSTGRES_PORT" "$SUPERUSER_PASSWORD"
  load_tables
  configure_pgveil
  grant_rights
  start_pgveil
}

main() {
  case ${1:-} in
    spark) exec bash "$ROOT/scripts/demo_spark.sh" "${@:2}" ;;
    '')
      start_demo
      show_demo
      show_connection
      ;;
    --check)
      start_demo
      show_demo
      local status=0
      check_demo || status=1
      stop_demo
      exit "$status"
      ;;
    --stop)
      choose_user
      stop_demo
      say "the demo is down"
      ;;
    *) die_usage "demo: unknown argument \"$1\"" ;;
  esac
}

main "$@"
