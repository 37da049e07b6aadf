#!/usr/bin/env bash
# ./run bench answers [--quick]: how many of the queries that analysts and their tools send are answered
# through pgveil, and how many of these with exactly the rows of a masked copy. README.md says what is
# measured, and how.
# Environment: PGVEIL_BIN (the binary; default build/release/cli/pgveil), PGVEIL_BENCH_KEEP.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=${ROOT:-$(cd "$HERE/../.." && pwd)}
source "$ROOT/bench/bench_database.sh"
source "$ROOT/bench/bench_tpc.sh"

main() {
  local scale=0.05 rows=200000 argument
  for argument in "$@"; do
    case $argument in
      --quick) scale=0.01 rows=20000 ;;
      *) die_usage "bench answers: unknown argument \"$argument\"" ;;
    esac
  done
  mkdir -p "$ROOT/build/bench"
  start_server answers
  if install_tpc; then
    load_tpc "$scale" tpch tpcds
  else
    step "TPC-H and TPC-DS are left out: ${TPC[*]} can't be installed"
  fi
  step "loading the tables of the other sets"
  as_superuser -d bench -v rows="$rows" -f "$HERE/films.sql" -f "$HERE/shop.sql"
  as_superuser -d postgres -c "CREATE DATABASE masked TEMPLATE bench"
  cp "$HERE"/*.yaml "$HERE"/*_queries.sql "$DIRECTORY/"
  configure answers.yaml
  [[ $EUID -ne 0 ]] || chown -R "$RUN_USER:" "$DIRECTORY"/{*.yaml,*_queries.sql}
  measure --port="$PORT" | tee "$ROOT/build/bench/answers.md"
}

main "$@"
