#!/usr/bin/env bash
# ./run bench paper [--quick|--full] [--sets=adult,cup] [--k=2,5,10] [--limit=SECONDS] [--renamings=N]:
# Section VI of the paper that Flash is from. README.md says what is measured and how.
set -euo pipefail
ROOT=${ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
source "$ROOT/bench/engine/prepare.sh"
build_bench bench_paper
draw_sets fars atus ihis
mkdir -p "$ROOT/build/bench"
"$ROOT/build/release/bench/paper/bench_paper" "$@" | tee "$ROOT/build/bench/paper.md"
