#!/usr/bin/env bash
# ./run tidy [FILE…]: clang-tidy with .clang-tidy over the given sources, or over all of ours.
set -euo pipefail
source "$ROOT/scripts/packages.sh"

need_packages build test lint
cd "$ROOT"
[[ -f build/dev/compile_commands.json ]] || die "clang-tidy needs the commands of a build; ./run build dev makes them"
files=("$@")
if [[ ${#files[@]} -eq 0 ]]; then
  mapfile -t files < <(find common policy rewriter proxy db cli -name '*.cpp' | sort)
fi
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" clang-tidy-14 -p build/dev --quiet
