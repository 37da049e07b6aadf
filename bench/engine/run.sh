#!/usr/bin/env bash
# ./run bench engine [--quick]: the lattice engine on the reference's configurations, against its recorded
#   times.
# ./run bench engine --threads [ALGORITHM]: what two threads bring, in interleaved pairs.
# ./run bench engine --antichains: four ways to keep an antichain.
# README.md says what is measured and how.
set -euo pipefail
ROOT=${ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
source "$ROOT/bench/engine/prepare.sh"
rounds=5
[[ ${1:-} != --quick ]] || rounds=1
draw_sets fars atus ihis acs15
mkdir -p "$ROOT/build/bench"
if [[ ${1:-} == --threads ]]; then
  build_bench bench_threads
  "$ROOT/build/release/bench/engine/bench_threads" 5 2 "${2:-best_first}" | tee "$ROOT/build/bench/threads.md"
  exit
fi
if [[ ${1:-} == --antichains ]]; then
  build_bench bench_antichains
  "$ROOT/build/release/bench/engine/bench_antichains" | tee "$ROOT/build/bench/antichains.md"
  exit
fi
build_bench bench_engine
"$ROOT/build/release/bench/engine/bench_engine" "$rounds" | tee "$ROOT/build/bench/engine.md"
