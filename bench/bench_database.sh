# Sourced by benchmarks that need a PostgreSQL of their own and policies over its tables. REQUIRES: ROOT and
# HERE (the benchmark's folder) are set.
# Environment: PGVEIL_BIN (the binary; default build/release/cli/pgveil), PGVEIL_BENCH_KEEP (keep the
# directory).
source "$ROOT/scripts/unprivileged.sh"
source "$ROOT/scripts/private_postgres.sh"

SERVING=

as_superuser() {
  PGPASSFILE=$DIRECTORY/pgpass PGCLIENTENCODING=UTF8 psql -X -q -w -v ON_ERROR_STOP=1 -h 127.0.0.1 -p \
    "$PORT" -U postgres "$@"
}

clean_up() {
  stop_serving
  stop_postgres
  if [[ -n ${PGVEIL_BENCH_KEEP:-} ]]; then say "kept: $DIRECTORY"; else rm -rf "$DIRECTORY"; fi
}

# start_server NAME: a private PostgreSQL with the database bench and the role bench, in DIRECTORY, on PORT,
# until the script ends.
start_server() {
  choose_user
  DIRECTORY=$(own_directory "$1")
  trap clean_up EXIT
  PORT=$(free_port 25432)
  local superuser bench
  superuser=$(new_password) bench=$(new_password)
  (
    umask 077
    printf "127.0.0.1:$PORT:*:%s:%s\n" postgres "$superuser" bench "$bench" >"$DIRECTORY/pgpass"
    printf '%s' "$bench" >"$DIRECTORY/bench_password"
    printf '%s' "$superuser" >"$DIRECTORY/superuser_password"
  )
  start_postgres "$PORT" "$superuser"
  as_superuser -d postgres -v password="$bench" >/dev/null <<'SQL'
CREATE ROLE bench LOGIN PASSWORD :'password';
CREATE DATABASE bench;
SQL
}

as_run_user() { "${AS_USER[@]}" env -C "$DIRECTORY" HOME="$DIRECTORY" PGPASSFILE="$DIRECTORY/pgpass_run" \
  "$@"; }

# configure POLICY_FILE…: pgveil.yaml in DIRECTORY, where the files are, and the binary beside it: RUN_USER
# may not reach the tree.
configure() {
  local binary=${PGVEIL_BIN:-$ROOT/build/release/cli/pgveil} files
  [[ -x $binary ]] || die "there is no $binary; ./run build makes it"
  cp "$binary" "$DIRECTORY/pgveil"
  files=$(printf ', %s' "$@")
  mkdir -m 700 "$DIRECTORY/state"
  cat >"$DIRECTORY/pgveil.yaml" <<YAML
listen: {host: 127.0.0.1, port: $(free_port 26032)}
backend:
  host: 127.0.0.1
  port: $PORT
  databases: [bench]
  query_role: {user: bench, password_file: bench_password}
  admin_role: {user: postgres, password_file: superuser_password}
auth: {method: trust}
admin: {admin_users: [bench]}
policies: [${files:2}]
state_dir: state
log: {level: warning}
YAML
  [[ $EUID -ne 0 ]] || chown -R "$RUN_USER:" \
    "$DIRECTORY"/{bench_password,superuser_password,pgveil,*.yaml,state}
}

# enforce HOW POLICY_FILE…: a copy of the file in DIRECTORY, in which each policy has enforcement: HOW.
enforce() {
  local how=$1 file text
  shift
  for file in "$@"; do
    text=$(sed "/^    enforcement:/d; s/^    readers:/    enforcement: $how\n&/" "$file")
    echo "$text" >"$DIRECTORY/${file##*/}"
  done
}

build_all() {
  step "building the policies"
  as_run_user ./pgveil policy build --all --config pgveil.yaml >"$DIRECTORY/build.log" 2>&1 ||
    die "pgveil policy build: $(tail -n 3 "$DIRECTORY/build.log")"
}

# store_decisions POLICY…: what enforcement: stored needs. As the owner of the tables.
store_decisions() {
  local policy
  for policy in "$@"; do
    step "storing the decisions of $policy"
    as_run_user ./pgveil policy stored-sql "$policy" --config pgveil.yaml >"$DIRECTORY/$policy.sql"
    as_superuser -d bench -f "$DIRECTORY/$policy.sql"
  done
  as_superuser -d bench -c 'VACUUM (ANALYZE)'
  build_all
}

# serve: pgveil on VEIL_PORT, until stop_serving or the end of the script.
serve() {
  local tries
  VEIL_PORT=$(grep -o 'port: [0-9]*' "$DIRECTORY/pgveil.yaml" | head -n 1 | cut -d' ' -f2)
  "${AS_USER[@]}" env -C "$DIRECTORY" HOME="$DIRECTORY" ./pgveil serve --config pgveil.yaml \
    >"$DIRECTORY/pgveil.log" 2>&1 </dev/null &
  SERVING=$!
  for ((tries = 0; tries < 300; tries++)); do
    (exec 3<>"/dev/tcp/127.0.0.1/$VEIL_PORT") 2>/dev/null && return
    kill -0 "$SERVING" 2>/dev/null || break
    sleep 0.1
  done
  die "pgveil did not start: $(tail -n 3 "$DIRECTORY/pgveil.log")"
}

stop_serving() {
  [[ -z $SERVING ]] || { kill -TERM "$SERVING" 2>/dev/null && wait "$SERVING"; } || true
  SERVING=
}

# run_script FILE ARGUMENTS…: a script of the benchmark's folder, in DIRECTORY, beside the others.
run_script() {
  cp "$HERE"/*.py "$ROOT"/bench/*.py "$DIRECTORY/"
  install -m 600 "$DIRECTORY/pgpass" "$DIRECTORY/pgpass_run"
  [[ $EUID -ne 0 ]] || chown "$RUN_USER:" "$DIRECTORY"/{*.py,pgpass_run}
  as_run_user PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$@"
}

# measure ARGUMENTS…: the benchmark's measure.py.
measure() { run_script measure.py "$@"; }
