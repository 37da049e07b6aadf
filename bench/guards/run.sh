#!/usr/bin/env bash
# ./run bench guards [--quick]: statements with and without the conditions by which PostgreSQL tells that a
# table is the one that was meant, in PostgreSQL itself. README.md says what is measured and how.
# Environment: PGVEIL_BIN (the binary; default build/release/cli/pgveil), PGVEIL_BENCH_KEEP.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=${ROOT:-$(cd "$HERE/../.." && pwd)}
source "$ROOT/bench/bench_database.sh"

ROUNDS=40

# With the schema pgveil functions of it are asked while PostgreSQL plans; without it each execution asks.
with_schema() {
  step "building the policy"
  as_run_user ./pgveil policy build --all --config pgveil.yaml >"$DIRECTORY/build.log" 2>&1 ||
    die "pgveil policy build: $(tail -n 3 "$DIRECTORY/build.log")"
}

main() {
  local argument
  for argument in "$@"; do
    case $argument in
      --quick) ROUNDS=8 ;;
      *) die_usage "bench guards: unknown argument \"$argument\"" ;;
    esac
  done
  mkdir -p "$ROOT/build/bench"
  start_server guards
  as_superuser -d bench -f "$HERE/people.sql" >/dev/null
  cp "$HERE/people.yaml" "$DIRECTORY/"
  configure people.yaml
  echo 'open_tables: [public.cities, public.log]' >>"$DIRECTORY/pgveil.yaml"
  with_schema
  measure --port="$PORT" --rounds="$ROUNDS" | tee "$ROOT/build/bench/guards.md"
}

main "$@"
