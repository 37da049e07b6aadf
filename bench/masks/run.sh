#!/usr/bin/env bash
# ./run bench masks [--quick] [--copies=N] [--stored | --forms]: the raw statement against the masked one, in
# PostgreSQL itself. README.md says what is measured and how.
# Environment: PGVEIL_BIN (the binary; default build/release/cli/pgveil), PGVEIL_DATASETS, PGVEIL_BENCH_KEEP.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=${ROOT:-$(cd "$HERE/../.." && pwd)}
source "$ROOT/bench/bench_database.sh"

COPIES=34
PAIRS=20
ENFORCEMENT=query

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
  # Copies of a person count k times for nothing: k is multiplied, too, so the tree is the one of the people.
  sed "s/K_COPIES/$((20 * COPIES))/" "$HERE/people5.yaml" >"$DIRECTORY/people5.yaml"
  sed "s/K_COPIES/$((5 * COPIES))/" "$HERE/people9.yaml" >"$DIRECTORY/people9.yaml"
  enforce "$ENFORCEMENT" "$DIRECTORY"/people?.yaml
  configure people5.yaml people9.yaml
  build_all
  # The raw statement then reads the table with the column, too.
  [[ $ENFORCEMENT == query ]] || store_decisions people5 people9
}

main() {
  local argument options=() script=measure.py result=masks
  for argument in "$@"; do
    case $argument in
      --quick) PAIRS=5 ;;
      --stored) ENFORCEMENT=stored ;;
      --forms) script=forms.py result=masks_forms ;;
      --copies=*) COPIES=${argument#--copies=} ;;
      --only=*) options+=("$argument") ;;
      *) die_usage "bench masks: unknown argument \"$argument\"" ;;
    esac
  done
  [[ $COPIES =~ ^[1-9][0-9]{0,3}$ ]] || die_usage "bench masks: --copies is a number from 1 to 9999"
  mkdir -p "$ROOT/build/bench"
  start_server masks
  load_tables
  build_policies
  run_script "$script" --port="$PORT" --pairs="$PAIRS" "${options[@]}" |
    tee "$ROOT/build/bench/$result.md"
}

main "$@"
