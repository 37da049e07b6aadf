#!/usr/bin/env bash
# ./run bench all [--quick] [--only=NAME,NAME…]: measures what docs/benchmarks.md shows, and writes this page
# and its picture. A benchmark that cannot run does not stop the others; the page says why. Sections of
# benchmarks that are not run keep their figures. bench/README.md says which benchmarks these are.
# Environment: that of the benchmarks.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=${ROOT:-$(cd "$HERE/../.." && pwd)}
source "$ROOT/scripts/say.sh"

NAMES=(proxy masks analytics engine local soak)
QUICK=
RESULTS=$ROOT/build/bench

# measure_one NAME: its tables in build/bench/NAME.md, and in NAME.run how they came about.
measure_one() {
  local name=$1 status=0 started load commit command=() since=$SECONDS
  case $name in
    soak) command=(scale --clients=10000 --minutes=60 --policies=50) ;;
    proxy | local) command=("$name") ;; # their own --quick has too few figures to compare
    *) command=("$name" ${QUICK:+--quick}) ;;
  esac
  step "bench ${command[*]}"
  rm -f "$RESULTS/$name.md"
  started=$(date -u '+%-d %B %Y, %H:%M UTC')
  load=$(cut -d' ' -f1 /proc/loadavg)
  commit=$(git -C "$ROOT" log -1 --format=%h 2>/dev/null || echo unknown)
  bash "$ROOT/bench/${command[0]}/run.sh" "${command[@]:1}" >"$RESULTS/$name.log" 2>&1 || status=$?
  [[ $status -eq 0 && -s $RESULTS/$name.md ]] || step "bench $name failed: $(tail -n 1 "$RESULTS/$name.log")"
  cat >"$RESULTS/$name.run" <<RUN
command=./run bench ${command[*]}
started=$started
commit=$commit
load=$load
seconds=$((SECONDS - since))
status=$status
RUN
}

# The page shows both ends of the protocol's modes.
choose_proxy_runs() {
  export PGVEIL_BENCH_MODES=${PGVEIL_BENCH_MODES:-simple prepared}
  [[ -n $QUICK ]] || return 0
  export PGVEIL_BENCH_ROUNDS=${PGVEIL_BENCH_ROUNDS:-5} PGVEIL_BENCH_SECONDS=${PGVEIL_BENCH_SECONDS:-2}
}

main() {
  local argument only= name chosen=()
  for argument in "$@"; do
    case $argument in
      --quick) QUICK=1 ;;
      --only=*) only=${argument#*=} ;;
      *) die_usage "bench all: unknown argument \"$argument\"" ;;
    esac
  done
  # The soak takes an hour, so a quick run leaves its figures as they are.
  [[ -n $only ]] || only=$(IFS=,; echo "${NAMES[*]:0:$((${#NAMES[@]} - ${#QUICK}))}")
  for name in ${only//,/ }; do
    [[ " ${NAMES[*]} " == *" $name "* ]] || die_usage "bench all: the page has no section \"$name\""
    chosen+=("$name")
  done
  mkdir -p "$RESULTS"
  choose_proxy_runs
  for name in "${chosen[@]}"; do measure_one "$name"; done
  python3 "$HERE/page.py" "$ROOT" "${chosen[@]}"
  say "docs/benchmarks.md and its pictures (docs/pictures/benchmarks.svg, losses.svg) were written"
}

main "$@"
