#!/usr/bin/env bash
# ./run bench attack [FILE.csv]: what attackers learn from disclosure trees of ADULT (a drawn table where the
# data is not there), or of another file with semicolons. README.md says what is measured and how.
set -euo pipefail
ROOT=${ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
cmake -S "$ROOT" -B "$ROOT/build/release" -DPGVEIL_BENCH=ON >/dev/null
cmake --build "$ROOT/build/release" --target bench_attack -j "$(nproc)" >&2
data=${1:-$ROOT/../shared/datasets/data/adult.csv}
[[ -r $data ]] || { echo "no $data: a table is drawn instead" >&2; data=; }
"$ROOT/build/release/bench/attack/bench_attack" ${data:+"$data"}
echo
cmake --build "$ROOT/build/release" --target pgveil -j "$(nproc)" >&2
ROOT=$ROOT python3 "$ROOT/bench/attack/files.py"
