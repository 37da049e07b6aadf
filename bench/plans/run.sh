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
SERVING=
OPTIONS=()

stop_all() {
  [[ -z $SERVING ]] || { kill -TERM "$SERVING" 2>/dev/null && wait "$SERVING"; } || true
  clean_up
}

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

build_all() {
  step "building the policies"
  as_run_user ./pgveil policy build --all --config pgveil.yaml >"$DIRECTORY/build.log" 2>&1 ||
    die "pgveil policy build: $(tail -n 3 "$DIRECTORY/build.log")"
}

# As the owner of the tables.
store_decisions() {
  local policy
  for policy in "$@"; do
    step "storing the decisions of $policy"
    as_run_user ./pgveil policy stored-sql "$policy" --config pgveil.yaml >"$DIRECTORY/$policy.sql"
    as_superuser -d bench -f "$DIRECTORY/$policy.sql"
  done
  as_superuser -d bench -c 'VACUUM (ANALYZE)'
  build_all
}

serve() {
  local tries
  VEIL_PORT=$(grep -o 'port: [0-9]*' "$DIRECTORY/pgveil.yaml" | head -n 1 | cut -d' ' -f2)
  "${AS_USER[@]}" env -C "$DIRECTORY" HOME="$DIRECTORY" ./pgveil serve --config pgveil.yaml \
    >"$DIRECTORY/pgveil.log" 2>&1 </dev/null &
  SERVING=$!
  for ((tries = 0; tries < 300; tries++)); do
    (exec 3<>"/dev/tcp/127.0.0.1/$VEIL_PORT") 2>/dev/null && return
    kill -0 "$SERVING" 2>/dev/null || break
    sleep 0.1
  done
  die "pgveil did not start: $(tail -n 3 "$DIRECTORY/pgveil.log")"
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
  sed "s/^    readers:/    enforcement: $ENFORCEMENT\n    readers:/" "$HERE/$policies" >"$DIRECTORY/$policies"
  configure "$policies"
  echo "open_tables: [$open]" >>"$DIRECTORY/pgveil.yaml"
  build_all
  [[ $ENFORCEMENT == query ]] || store_decisions "${protected[@]}"
  trap stop_all EXIT
  serve
  fill_copies "${protected[@]}"
  install -m 644 "$HERE/joins.py" "$DIRECTORY/"
  local result=$ROOT/build/bench/plans${SCALE:+_tpcds}
  measure --port="$PORT" --pgveil="$VEIL_PORT" "${OPTIONS[@]}" | tee "$result.md"
  cp "$DIRECTORY/plans.tsv" "$result.tsv"
}

main "$@"
