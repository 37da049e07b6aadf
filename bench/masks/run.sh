#!/usr/bin/env bash
# ./run bench masks [--quick] [--copies=N]: the raw statement against the masked one, in PostgreSQL itself. README.md says
# what is measured and how.
# Environment: PGVEIL_BIN (the binary; default build/release/cli/pgveil), PGVEIL_DATASETS, PGVEIL_BENCH_KEEP.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=${ROOT:-$(cd "$HERE/../.." && pwd)}
source "$ROOT/scripts/unprivileged.sh"
source "$ROOT/scripts/private_postgres.sh"

COPIES=34
PAIRS=20

as_superuser() {
  PGPASSFILE=$DIRECTORY/pgpass PGCLIENTENCODING=UTF8 psql -X -q -w -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$PORT" -U postgres "$@"
}

clean_up() {
  stop_postgres
  if [[ -n ${PGVEIL_BENCH_KEEP:-} ]]; then say "kept: $DIRECTORY"; else rm -rf "$DIRECTORY"; fi
}

start_server() {
  choose_user
  DIRECTORY=$(own_directory masks)
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

# One person a line, ADULT's columns: the public extract where it is, else drawn.
load_tables() {
  local adult=${PGVEIL_DATASETS:-$ROOT/../shared/datasets}/data/adult.csv
  as_superuser -d bench -f "$HERE/people.sql"
  if [[ -f $adult ]]; then
    step "loading ADULT × $COPIES"
    as_superuser -d bench -c "COPY people FROM STDIN (FORMAT csv, HEADER, DELIMITER ';')" <"$adult"
  else
    step "there is no $adult: drawing 30,162 people, × $COPIES"
    as_superuser -d bench -f "$HERE/draw.sql"
  fi
  as_superuser -d bench -v copies="$COPIES" -f "$HERE/copies.sql"
}

build_policies() {
  local binary=${PGVEIL_BIN:-$ROOT/build/release/cli/pgveil}
  [[ -x $binary ]] || die "there is no $binary; ./run build makes it"
  cp "$binary" "$DIRECTORY/pgveil" # RUN_USER may not reach the tree
  # Copies of a person count k times for nothing: k is multiplied, too, so the tree is the one of the people.
  sed "s/K_COPIES/$((20 * COPIES))/" "$HERE/people5.yaml" >"$DIRECTORY/people5.yaml"
  sed "s/K_COPIES/$((5 * COPIES))/" "$HERE/people9.yaml" >"$DIRECTORY/people9.yaml"
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
policies: [people5.yaml, people9.yaml]
state_dir: state
log: {level: warning}
YAML
  [[ $EUID -ne 0 ]] || chown -R "$RUN_USER:" "$DIRECTORY"/{bench_password,superuser_password,pgveil,*.yaml,state}
  step "building the policies"
  as_run_user ./pgveil policy build --all --config pgveil.yaml >"$DIRECTORY/build.log" 2>&1 ||
    die "pgveil policy build: $(tail -n 3 "$DIRECTORY/build.log")"
}

as_run_user() { "${AS_USER[@]}" env -C "$DIRECTORY" HOME="$DIRECTORY" PGPASSFILE="$DIRECTORY/pgpass_run" "$@"; }

main() {
  local argument options=()
  for argument in "$@"; do
    case $argument in
      --quick) PAIRS=5 ;;
      --copies=*) COPIES=${argument#--copies=} ;;
      --only=*) options+=("$argument") ;;
      *) die_usage "bench masks: unknown argument \"$argument\"" ;;
    esac
  done
  [[ $COPIES =~ ^[1-9][0-9]{0,3}$ ]] || die_usage "bench masks: --copies is a number from 1 to 9999"
  mkdir -p "$ROOT/build/bench"
  start_server
  load_tables
  build_policies
  cp "$HERE/measure.py" "$DIRECTORY/"
  install -m 600 "$DIRECTORY/pgpass" "$DIRECTORY/pgpass_run"
  [[ $EUID -ne 0 ]] || chown "$RUN_USER:" "$DIRECTORY/measure.py" "$DIRECTORY/pgpass_run"
  as_run_user PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 measure.py --port="$PORT" --pairs="$PAIRS" "${options[@]}" |
    tee "$ROOT/build/bench/masks.md"
}

main "$@"
