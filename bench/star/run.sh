#!/usr/bin/env bash
# ./run bench star [--quick] [--persons=N] [--customers=N] [--pairs=N] [--builds=N] [--only=PART]: questions
# over star schemas through pgveil and on the raw tables, and what a BUILD costs. PART is questions, build or
# rebuild. The questions and the databases are those of tests/clinic. README.md says what is measured and how.
# Environment: PGVEIL_BIN (the binary; default build/release/cli/pgveil), PGVEIL_BENCH_KEEP.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=${ROOT:-$(cd "$HERE/../.." && pwd)}
source "$ROOT/bench/bench_database.sh"

PERSONS=100000
CUSTOMERS=15000

# create DATABASE KIND COUNT: a database of tests/clinic/generate.py, with the rights of the query role.
create() {
  step "drawing the database $1"
  as_superuser -d postgres -c "CREATE DATABASE $1" -c "REVOKE TEMPORARY, CREATE ON DATABASE $1 FROM PUBLIC"
  /usr/bin/python3 "$ROOT/tests/clinic/generate.py" "$2" --persons "$3" | as_superuser -d "$1"
  as_superuser -d "$1" -c 'REVOKE CREATE ON SCHEMA public FROM PUBLIC' \
    -c 'GRANT SELECT ON ALL TABLES IN SCHEMA public TO bench' -c 'VACUUM (ANALYZE)'
}

# pgveil.yaml for the three databases.
configure_all() {
  local kind
  for kind in clinic flat tpch; do
    /usr/bin/python3 "$ROOT/tests/clinic/policies.py" "$kind" --reader=bench >"$DIRECTORY/$kind.yaml"
  done
  configure clinic.yaml flat.yaml tpch.yaml
  sed -i 's/databases: \[bench\]/databases: [clinic, flat, tpch]/' "$DIRECTORY/pgveil.yaml"
  # The raw tables are in these databases, too, and all clients are this bench.
  cat >>"$DIRECTORY/pgveil.yaml" <<YAML
open_tables:
  [clinic:public.places, flat:public.places, tpch:public.region, tpch:public.nation, tpch:public.part,
   tpch:public.supplier]
YAML
  sed -i 's/^  databases:/  accept_excess: ["select:public.*"]\n&/' "$DIRECTORY/pgveil.yaml"
}

main() {
  local argument options=() file
  for argument in "$@"; do
    case $argument in
      --quick) PERSONS=10000 CUSTOMERS=3000 options+=(--pairs=3 --builds=2) ;;
      --persons=*) PERSONS=${argument#*=} ;;
      --customers=*) CUSTOMERS=${argument#*=} ;;
      --pairs=* | --builds=* | --only=*) options+=("$argument") ;;
      *) die_usage "bench star: unknown argument \"$argument\"" ;;
    esac
  done
  [[ $PERSONS =~ ^[1-9][0-9]{2,6}$ && $CUSTOMERS =~ ^[1-9][0-9]{2,6}$ ]] ||
    die_usage "bench star: --persons and --customers are numbers from 100 to 9999999"
  mkdir -p "$ROOT/build/bench"
  start_server star
  create clinic clinic "$PERSONS"
  create flat clinic "$PERSONS"
  create tpch tpch "$CUSTOMERS"
  configure_all
  build_all
  serve
  for file in ask.py policies.py questions; do cp -R "$ROOT/tests/clinic/$file" "$DIRECTORY/"; done
  chmod -R a+rX "$DIRECTORY"/{ask.py,policies.py,questions}
  measure --port="$PORT" --pgveil="$VEIL_PORT" "${options[@]}" | tee "$ROOT/build/bench/star.md"
}

main "$@"
