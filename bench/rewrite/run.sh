#!/usr/bin/env bash
# ./run bench rewrite [--quick]: microseconds to rewrite a statement that was never seen, against parsing and
# printing it with libpg_query alone. README.md says what is measured and how.
set -euo pipefail
ROOT=${ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
pairs=2000
[[ ${1:-} != --quick ]] || pairs=200
cmake -S "$ROOT" -B "$ROOT/build/release" -DPGVEIL_BENCH=ON >/dev/null
cmake --build "$ROOT/build/release" --target bench_rewrite -j "$(nproc)" >&2
"$ROOT/build/release/bench/rewrite/bench_rewrite" "$pairs"
