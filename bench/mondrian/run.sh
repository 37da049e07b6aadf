#!/usr/bin/env bash
# ./run bench mondrian [--quick] [--rows=N] [--rounds=N]: Mondrian on one machine. README.md says what is measured and how.
set -euo pipefail
ROOT=${ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
source "$ROOT/bench/engine/prepare.sh"
build_bench bench_mondrian
draw_sets census
mkdir -p "$ROOT/build/bench"
"$ROOT/build/release/bench/mondrian/bench_mondrian" "$@" | tee "$ROOT/build/bench/mondrian.md"
