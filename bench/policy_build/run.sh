#!/usr/bin/env bash
# ./run bench policy_build [--quick] [--rows=N] [--pairs=N]: pgveil policy build against the one GROUP BY that
# it needs. README.md says what is measured and how.
# Environment: PGVEIL_BIN (the binary; default build/release/cli/pgveil), PGVEIL_BENCH_KEEP.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=${ROOT:-$(cd "$HERE/../.." && pwd)}
source "$ROOT/bench/bench_database.sh"

ROWS=10000000
PAIRS=20

main() {
  local argument
  for argument in "$@"; do
    case $argument in
      --quick) ROWS=1000000 PAIRS=5 ;;
      --rows=*) ROWS=${argument#--rows=} ;;
      --pairs=*) PAIRS=${argument#--pairs=} ;;
      *) die_usage "bench policy_build: unknown argument \"$argument\"" ;;
    esac
  done
  [[ $ROWS =~ ^[1-9][0-9]{2,8}$ ]] || die_usage "bench policy_build: --rows is a number from 100 to 999999999"
  [[ $PAIRS =~ ^[1-9][0-9]{0,2}$ ]] || die_usage "bench policy_build: --pairs is a number from 1 to 999"
  mkdir -p "$ROOT/build/bench"
  start_server policy_build
  step "drawing $ROWS people"
  as_superuser -d bench -v rows="$ROWS" -f "$HERE/people.sql"
  cp "$HERE/people.yaml" "$DIRECTORY/"
  configure people.yaml
  measure --port="$PORT" --pairs="$PAIRS" | tee "$ROOT/build/bench/policy_build.md"
}

main "$@"
