# Sourced by benchmarks that need PostgreSQL and policies and no proxy in between. REQUIRES: ROOT and HERE
# (the benchmark's folder) are set.
# Environment: PGVEIL_BIN (the binary; default build/release/cli/pgveil), PGVEIL_BENCH_KEEP (keep the
# directory).
source "$ROOT/scripts/unprivileged.sh"
source "$ROOT/scripts/private_postgres.sh"

as_superuser() {
  PGPASSFILE=$DIRECTORY/pgpass PGCLIENTENCODING=UTF8 psql -X -q -w -v ON_ERROR_STOP=1 -h 127.0.0.1 -p \
    "$PORT" -U postgres "$@"
}

clean_up() {
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

# run_script FILE ARGUMENTS…: a script of the benchmark's folder, in DIRECTORY, beside the others.
run_script() {
  cp "$HERE"/*.py "$ROOT"/bench/*.py "$DIRECTORY/"
  install -m 600 "$DIRECTORY/pgpass" "$DIRECTORY/pgpass_run"
  [[ $EUID -ne 0 ]] || chown "$RUN_USER:" "$DIRECTORY"/{*.py,pgpass_run}
  as_run_user PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$@"
}

# measure ARGUMENTS…: the benchmark's measure.py.
measure() { run_script measure.py "$@"; }
