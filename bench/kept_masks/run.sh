#!/usr/bin/env bash
# ./run bench kept_masks [--quick] [--policies=N]: what a BUILD of a small table costs beside four large
# policies, and whether many policies keep a check_every of one second. README.md says what is measured and
# how.
# Environment: PGVEIL_BIN (the binary; default build/release/cli/pgveil), PGVEIL_DATASETS, PGVEIL_BENCH_KEEP.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=${ROOT:-$(cd "$HERE/../.." && pwd)}
source "$ROOT/bench/bench_database.sh"

LARGE=4
POLICIES=43
ROUNDS=9

load_tables() {
  local adult=${PGVEIL_DATASETS:-$ROOT/../shared/datasets}/data/adult.csv
  as_superuser -d bench -f "$ROOT/bench/masks/people.sql"
  if [[ -f $adult ]]; then
    step "loading ADULT × $LARGE"
    as_superuser -d bench -c "COPY people FROM STDIN (FORMAT csv, HEADER, DELIMITER ';')" <"$adult"
  else
    step "there is no $adult: drawing 30,162 people, × $LARGE"
    as_superuser -d bench -f "$ROOT/bench/masks/draw.sql"
  fi
  as_superuser -d bench -v large="$LARGE" -v policies="$POLICIES" -f "$HERE/tables.sql"
}

# policy NAME K STRATEGY COLUMN…
policy() {
  local name=$1 k=$2 strategy=$3
  shift 3
  printf '  - name: %s\n    database: bench\n    table: public.%s\n    k: %s\n    strategy: %s\n' "$name" \
    "$name" "$k" "$strategy"
  printf '    readers: [bench]\n    drift: {check_every: 1s}\n    columns: {id: {class: identifier}'
  printf ', %s: {class: quasi_identifier}' "$@"
  printf '}\n'
}

write_policies() {
  local i nine=(sex age race marital_status education native_country workclass occupation salary_class)
  {
    printf 'version: 1\npolicies:\n'
    for ((i = 1; i <= LARGE; ++i)); do
      policy "large$i" 5 "$([[ $((i % 2)) == 0 ]] && echo thorough || echo greedy)" "${nine[@]}"
    done
  } >"$DIRECTORY/large.yaml"
  { printf 'version: 1\npolicies:\n'; policy small 5 greedy a b; } >"$DIRECTORY/small.yaml"
  {
    printf 'version: 1\npolicies:\n'
    for ((i = 1; i <= POLICIES; ++i)); do policy "many$i" 5 greedy a b; done
  } >"$DIRECTORY/many.yaml"
}

main() {
  local argument
  for argument in "$@"; do
    case $argument in
      --quick) LARGE=2 POLICIES=10 ROUNDS=3 ;;
      --policies=*) POLICIES=${argument#--policies=} ;;
      *) die_usage "bench kept_masks: unknown argument \"$argument\"" ;;
    esac
  done
  [[ $POLICIES =~ ^[1-9][0-9]{0,2}$ ]] || die_usage "bench kept_masks: --policies is a number from 1 to 999"
  mkdir -p "$ROOT/build/bench"
  start_server kept_masks
  load_tables
  write_policies
  configure small.yaml
  [[ $EUID -ne 0 ]] || chown "$RUN_USER:" "$DIRECTORY"/*.yaml
  measure --port="$PORT" --rounds="$ROUNDS" --policies="$POLICIES" | tee "$ROOT/build/bench/kept_masks.md"
}

main "$@"
