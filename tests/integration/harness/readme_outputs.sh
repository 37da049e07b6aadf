# Writes what README.md shows, as the demo shows it: demo.out and refused.out. For a PostgreSQL on port $1 and
# a pgveil on port $2.
set -euo pipefail
POSTGRES_PORT=$1
PROXY_PORT=$2
DIRECTORY=$PWD
REFUSED="SELECT city, (SELECT max(salary) FROM salaries) FROM people;"

ask() {
  PGOPTIONS="-c client_min_messages=error" psql -X -q -P null=NULL -P footer=off -h 127.0.0.1 -p "$1" -U "$2" \
    -d "$3" "${@:4}"
}
say() { echo "$@"; }

source "$ROOT/scripts/demo_show.sh"
show_query "$ROOT/demo/queries/1_everything.sql" >demo.out
{
  echo "demo=> $REFUSED"
  if analyst -c "$REFUSED" 2>&1; then
    echo "the statement was not refused: $REFUSED" >&2
    exit 1
  fi
} >refused.out
