#!/usr/bin/env bash
# ./run bench tree [--quick]: what disclosure trees of both strategies disclose of ADULT (a drawn table where
# the data is not there), and how long they take to build. README.md says what is measured and how.
set -euo pipefail
ROOT=${ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
rounds=15
[[ ${1:-} != --quick ]] || rounds=3
cmake -S "$ROOT" -B "$ROOT/build/release" -DPGVEIL_BENCH=ON >/dev/null
cmake --build "$ROOT/build/release" --target bench_tree -j "$(nproc)" >&2
data=$ROOT/../shared/datasets/data/adult.csv
[[ -r $data ]] || { echo "no $data: a table is drawn instead" >&2; data=; }
"$ROOT/build/release/bench/tree/bench_tree" "$rounds" ${data:+"$data"}
