#!/usr/bin/env bash
# ./run bench lattice [--quick] [--least=N] [--most=N] [--limit=SECONDS] [--threads=N]
# [--part=scale|explicit|heuristics|private|beyond]: large lattices. README.md says what is measured and how.
set -euo pipefail
ROOT=${ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
source "$ROOT/bench/engine/prepare.sh"
if [[ " $* " == *" --part=beyond "* ]]; then
  bash "$ROOT/scripts/build.sh" release >&2
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  mkdir -p "$ROOT/build/bench"
  /usr/bin/python3 "$ROOT/bench/lattice/beyond_proof.py" "$ROOT/build/release/cli/pgveil" "$folder" 20 |
    tee "$ROOT/build/bench/beyond_proof.md"
  exit
fi
build_bench bench_lattice
sets=(acs15)
[[ " $* " == *" --quick "* || " $* " == *--part=scale* || " $* " == *--part=explicit* ]] ||
  sets+=(fars atus ihis)
draw_sets "${sets[@]}"
mkdir -p "$ROOT/build/bench"
"$ROOT/build/release/bench/lattice/bench_lattice" "$@" | tee "$ROOT/build/bench/lattice.md"
