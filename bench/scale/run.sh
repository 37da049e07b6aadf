#!/usr/bin/env bash
# ./run bench scale [--quick] [--policies=N,N…] [--rows=N] [--k=N]: start, RELOAD and memory of the proxy with
# many policies. README.md says what is measured and how.
# Environment: PGVEIL_BIN (the binary; default build/release/cli/pgveil), PGVEIL_BENCH_KEEP.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=${ROOT:-$(cd "$HERE/../.." && pwd)}
source "$ROOT/bench/bench_database.sh"

POLICIES=20,200
ROWS=100000
K=5

main() {
  local argument
  for argument in "$@"; do
    case $argument in
      --quick) POLICIES=2,20 ;;
      --policies=*) POLICIES=${argument#--policies=} ;;
      --rows=*) ROWS=${argument#--rows=} ;;
      --k=*) K=${argument#--k=} ;;
      *) die_usage "bench scale: unknown argument \"$argument\"" ;;
    esac
  done
  [[ $POLICIES =~ ^[1-9][0-9]{0,3}(,[1-9][0-9]{0,3})*$ ]] ||
    die_usage "bench scale: --policies is a list of numbers from 1 to 9999"
  [[ $ROWS =~ ^[1-9][0-9]{2,8}$ ]] || die_usage "bench scale: --rows is a number from 100 to 999999999"
  [[ $K =~ ^[1-9][0-9]{0,5}$ ]] || die_usage "bench scale: --k is a number from 1 to 999999"
  mkdir -p "$ROOT/build/bench"
  start_server scale
  step "drawing the tables, with $ROWS rows each"
  local most
  most=$(tr , '\n' <<<"$POLICIES" | sort -n | tail -1)
  as_superuser -d bench -v rows="$ROWS" -v policies="$most" -f "$HERE/tables.sql"
  configure people.yaml
  measure --port="$PORT" --policies="$POLICIES" --k="$K" | tee "$ROOT/build/bench/scale.md"
}

main "$@"
