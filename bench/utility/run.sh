#!/usr/bin/env bash
# ./run bench utility [--quick]: what readers get at the same k from trees, from the full-domain optimum and
# from Mondrian. README.md says what is measured and how.
set -euo pipefail
ROOT=${ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
source "$ROOT/bench/engine/prepare.sh"
build_bench bench_utility
mkdir -p "$ROOT/build/bench"
python3 "$ROOT/bench/utility/make_clinic.py" >"$ROOT/build/bench/clinic.csv"
"$ROOT/build/release/bench/utility/bench_utility" "$ROOT/build/bench/clinic.csv" "$@" |
  tee "$ROOT/build/bench/utility.md"
