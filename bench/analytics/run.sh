#!/usr/bin/env bash
# ./run bench analytics [--quick] [--scale=N] [--rows=N] [--pairs=N] [--timeout=N] [--only=SET]: TPC-H, and
# statements of web analytics, through pgveil with each way of masking, and on the raw tables. SET is tpch or
# hits. README.md says what is measured and how.
# Environment: PGVEIL_BIN (the binary; default build/release/cli/pgveil), PGVEIL_BENCH_KEEP.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=${ROOT:-$(cd "$HERE/../.." && pwd)}
source "$ROOT/bench/bench_database.sh"
source "$ROOT/bench/bench_tpc.sh"

SCALE=1 ROWS=1000000 PAIRS=3 TIMEOUT=120
SETS=(tpch hits)

load_hits() {
  step "drawing $ROWS page views"
  as_superuser -d bench -v rows="$ROWS" -f "$HERE/hits.sql"
  cp "$HERE/hits_queries.sql" "$DIRECTORY/"
}

has_set() { [[ " ${SETS[*]} " == *" $1 "* ]]; }

# The statements may be read by everybody, and the tables of the named schemas by the query role.
hand_over() {
  local schema
  for schema in "$@"; do
    as_superuser -d bench -c "GRANT USAGE ON SCHEMA $schema TO bench" \
      -c "GRANT SELECT ON ALL TABLES IN SCHEMA $schema TO bench"
  done
  as_superuser -d bench -c 'REVOKE TEMPORARY ON DATABASE bench FROM PUBLIC' -c 'VACUUM (ANALYZE)'
  [[ ! -d $DIRECTORY/tpc ]] || chmod -R a+rX "$DIRECTORY/tpc"
}

# The same tables in turn with each way of masking. stored comes last, because it adds a column to the tables.
measure_all() {
  local how set policies=() protected=() schemas=() open=()
  ! has_set tpch || { policies+=(tpch.yaml) protected+=(customer orders) schemas+=(tpch)
    open=(tpch.{lineitem,nation,part,partsupp,region,supplier}); }
  ! has_set hits || { policies+=(hits.yaml) protected+=(hits) schemas+=(web); }
  hand_over "${schemas[@]}"
  for how in query copy stored; do
    enforce "$how" "${policies[@]/#/$HERE/}"
    [[ -f $DIRECTORY/pgveil.yaml ]] || configure_schemas
    build_all
    [[ $how != stored ]] || store_decisions "${protected[@]}"
    serve
    for set in "${SETS[@]}"; do
      step "$set, enforcement: $how"
      measure --port="$PORT" --pgveil="$VEIL_PORT" --set="$set" --enforcement="$how" \
        --pairs="$PAIRS" --timeout="$TIMEOUT"
    done
    stop_serving
  done
}

# Uses the variables of measure_all.
configure_schemas() {
  local listed
  configure "${policies[@]}"
  listed=$(printf ', %s' "${schemas[@]}")
  sed -i "s/^  databases:/  schemas: [${listed:2}]\n&/" "$DIRECTORY/pgveil.yaml"
  listed=$(printf ', %s' "${open[@]}")
  [[ ${#open[@]} -eq 0 ]] || echo "open_tables: [${listed:2}]" >>"$DIRECTORY/pgveil.yaml"
}

main() {
  local argument
  for argument in "$@"; do
    case $argument in
      --quick) SCALE=0.1 ROWS=200000 TIMEOUT=20 ;;
      --scale=*) SCALE=${argument#*=} ;;
      --rows=*) ROWS=${argument#*=} ;;
      --pairs=*) PAIRS=${argument#*=} ;;
      --timeout=*) TIMEOUT=${argument#*=} ;;
      --only=tpch | --only=hits) SETS=("${argument#*=}") ;;
      *) die_usage "bench analytics: unknown argument \"$argument\"" ;;
    esac
  done
  [[ $SCALE =~ ^[0-9]{1,3}(\.[0-9]{1,3})?$ ]] ||
    die_usage "bench analytics: --scale is a number such as 0.1 or 1"
  [[ $ROWS =~ ^[1-9][0-9]{3,8}$ ]] || die_usage "bench analytics: --rows is a number from 1000 to 999999999"
  [[ $PAIRS =~ ^[1-9][0-9]?$ && $TIMEOUT =~ ^[1-9][0-9]{0,3}$ ]] ||
    die_usage "bench analytics: --pairs is a number from 1 to 99, and --timeout from 1 to 9999"
  mkdir -p "$ROOT/build/bench"
  start_server analytics
  if has_set tpch && ! install_tpc; then
    step "TPC-H is left out: ${TPC[*]} can't be installed"
    SETS=(hits)
  fi
  ! has_set tpch || load_tpc "$SCALE" tpch
  ! has_set hits || load_hits
  measure_all
  cp "$DIRECTORY/analytics.tsv" "$ROOT/build/bench/"
  {
    say "TPC-H at scale factor $SCALE, and $ROWS page views; $PAIRS pairs, and at most $TIMEOUT s for each" \
      "statement."
    say
    run_script report.py analytics.tsv
  } | tee "$ROOT/build/bench/analytics.md"
}

main "$@"
