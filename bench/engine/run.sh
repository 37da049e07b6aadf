#!/usr/bin/env bash
# ./run bench engine [--quick]: the lattice engine on the reference's configurations, against its recorded times.
# README.md says what is measured and how.
set -euo pipefail
ROOT=${ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
rounds=5
[[ ${1:-} != --quick ]] || rounds=1
cmake -S "$ROOT" -B "$ROOT/build/release" -DPGVEIL_BENCH=ON >/dev/null
cmake --build "$ROOT/build/release" --target bench_engine -j "$(nproc)" >&2
"$ROOT/build/release/bench/engine/bench_engine" "$rounds"
