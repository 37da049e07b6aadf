#!/usr/bin/env bash
# ./run bench plans [--quick] [--queries=N] [--seed=N] [--stored] [--tpcds[=SCALE]]: statements through pgveil
# and on a copy that holds the masked rows, with statistics. README.md says what is measured and how.
# Environment: PGVEIL_BIN (the binary; default build/release/cli/pgveil), PGVEIL_BENCH_KEEP.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=${ROOT:-$(cd "$HERE/../.." && pwd)}
source "$ROOT/bench/bench_database.sh"

SCALE=
ENFORCEMENT=query
OPTIONS=()

# The generator of TPC-DS is an extension of DuckDB.
load_tpcds() {
  local venv=$ROOT/build/bench/tpcds-venv data=$ROOT/build/bench/tpcds-$SCALE table
  if [[ ! -e $data/schema.sql ]]; then
    step "drawing TPC-DS at scale factor $SCALE"
    /usr/bin/python3 -m venv "$venv"
    "$venv/bin/python" -m pip --disable-pip-version-check install -q -r "$HERE/requirements.txt" >&2
    "$venv/bin/python" "$HERE/tpcds.py" "$SCALE" "$data"
  fi
  step "loading TPC-DS"
  as_superuser -d bench -f "$data/schema.sql" >/dev/null
  for table in "$data"/*.csv; do
    as_superuser -d bench -c "COPY $(basename "$table" .csv) FROM STDIN (FORMAT csv, DELIMITER '|')" <"$table"
  done
  as_superuser -d bench -f "$HERE/tpcds_keys.sql" >/dev/null
  mkdir "$DIRECTORY/queries"
  cp "$data"/q*.sql "$DIRECTORY/queries/"
  chmod -R a+rX "$DIRECTORY/queries"
}

# Tables with the keys of those that have a policy.
create_copies() {
  local table
  as_superuser -d bench -c 'CREATE SCHEMA copy'
  for table in "$@"; do
    as_superuser -d bench -c "CREATE TABLE copy.$table (LIKE public.$table INCLUDING INDEXES);
      ALTER TABLE copy.$table $(columns_may_be_null "$table")"
  done
}

# With what pgveil shows of each row.
fill_copies() {
  local table
  step "copying what pgveil shows"
  for table in "$@"; do
    psql -X -q -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$VEIL_PORT" -U bench -d bench -c \
      "COPY (SELECT * FROM $table) TO STDOUT" |
      as_superuser -d bench -c "COPY copy.$table FROM STDIN"
  done
  as_superuser -d bench -c 'VACUUM (ANALYZE)'
}

columns_may_be_null() {
  as_superuser -d bench -At -c "SELECT string_agg(format('ALTER %I DROP NOT NULL', attname), ', ')
    FROM pg_attribute WHERE attrelid = 'public.$1'::regclass AND attnum > 0
      AND attnum <> ALL (SELECT unnest(indkey) FROM pg_index WHERE indrelid = attrelid AND indisprimary)"
}

main() {
  local argument policies=joins.yaml protected=(people visits orders) open='public.cities, public.days'
  for argument in "$@"; do
    case $argument in
      --quick) OPTIONS+=(--queries=200) ;;
      --queries=* | --seed=* | --timeout=*) OPTIONS+=("$argument") ;;
      --stored) ENFORCEMENT=stored ;;
      --tpcds) SCALE=1 ;;
      --tpcds=*) SCALE=${argument#*=} ;;
      *) die_usage "bench plans: unknown argument \"$argument\"" ;;
    esac
  done
  mkdir -p "$ROOT/build/bench"
  start_server plans
  if [[ -n $SCALE ]]; then
    load_tpcds
    policies=tpcds.yaml protected=(customer customer_address)
    open=$(as_superuser -d bench -At -c "SELECT string_agg('public.' || relname, ', ') FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
        AND relname NOT IN ('customer', 'customer_address')")
    OPTIONS+=(--files=queries --timeout=100 --executions=0)
  else
    as_superuser -d bench -f "$HERE/tables.sql" >/dev/null
  fi
  create_copies "${protected[@]}"
  [[ -n $SCALE ]] || as_superuser -d bench -f "$HERE/joins_indexes.sql"
  enforce "$ENFORCEMENT" "$HERE/$policies"
  configure "$policies"
  echo "open_tables: [$open]" >>"$DIRECTORY/pgveil.yaml"
  build_all
  [[ $ENFORCEMENT == query ]] || store_decisions "${protected[@]}"
  serve
  fill_copies "${protected[@]}"
  local result=$ROOT/build/bench/plans${SCALE:+_tpcds}
  measure --port="$PORT" --pgveil="$VEIL_PORT" "${OPTIONS[@]}" | tee "$result.md"
  cp "$DIRECTORY/plans.tsv" "$result.tsv"
}

main "$@"
