#!/usr/bin/env bash
# ./run bench scale [--quick] [--policies=N,N…] [--rows=N] [--k=N]: start, RELOAD and memory of the proxy with
# many policies.
# ./run bench scale --clients=N [--minutes=N] [--rate=N] [--policies=N] [--rows=N] [--k=N]: memory of the
# proxy while N clients stay connected and together send RATE statements a second.
# README.md says what is measured and how.
# Environment: PGVEIL_BIN (the binary; default build/release/cli/pgveil), PGVEIL_BENCH_KEEP.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=${ROOT:-$(cd "$HERE/../.." && pwd)}
source "$ROOT/bench/bench_database.sh"

K=5
POLICIES= ROWS= CLIENTS= MINUTES= RATE=

main() {
  local argument
  for argument in "$@"; do
    case $argument in
      --quick) POLICIES=2,20 ;;
      --policies=*) POLICIES=${argument#--policies=} ;;
      --rows=*) ROWS=${argument#--rows=} ;;
      --k=*) K=${argument#--k=} ;;
      --clients=*) CLIENTS=${argument#*=} ;;
      --minutes=*) MINUTES=${argument#*=} ;;
      --rate=*) RATE=${argument#*=} ;;
      *) die_usage "bench scale: unknown argument \"$argument\"" ;;
    esac
  done
  if [[ -n $CLIENTS ]]; then
    check_soak
  else
    [[ -z $MINUTES$RATE ]] || die_usage "bench scale: --minutes and --rate need --clients"
    : "${POLICIES:=20,200}" "${ROWS:=100000}"
  fi
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
  if [[ -n $CLIENTS ]]; then soak; else
    measure --port="$PORT" --policies="$POLICIES" --k="$K" | tee "$ROOT/build/bench/scale.md"
  fi
}

check_soak() {
  : "${POLICIES:=50}" "${ROWS:=2000}" "${MINUTES:=60}" "${RATE:=200}"
  [[ $CLIENTS =~ ^[1-9][0-9]{0,4}$ ]] || die_usage "bench scale: --clients is a number from 1 to 99999"
  [[ $MINUTES =~ ^[1-9][0-9]{0,3}$ ]] || die_usage "bench scale: --minutes is a number from 1 to 9999"
  [[ $RATE =~ ^[1-9][0-9]{0,4}$ ]] || die_usage "bench scale: --rate is a number from 1 to 99999"
  [[ $POLICIES != *,* ]] || die_usage "bench scale: with --clients, --policies is one number"
}

# The clients share four connections to PostgreSQL.
soak() {
  cat >>"$DIRECTORY/pgveil.yaml" <<YAML
pool: {mode: transaction, size: 4}
limits: {max_clients: 100000}
YAML
  step "$CLIENTS clients and $RATE statements a second, for $MINUTES minutes"
  run_script soak.py --port="$PORT" --policies="$POLICIES" --k="$K" --clients="$CLIENTS" \
    --minutes="$MINUTES" \
    --rate="$RATE" | tee "$ROOT/build/bench/soak.md"
  cp "$DIRECTORY/soak.tsv" "$ROOT/build/bench/"
}

main "$@"
