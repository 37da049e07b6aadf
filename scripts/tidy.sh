#!/usr/bin/env bash
# ./run tidy [FILE…]: runs clang-tidy with .clang-tidy on the given sources, or on all of ours.
set -euo pipefail
source "$ROOT/scripts/packages.sh"

need_packages build test lint
cd "$ROOT"
# Uses the commands of single files, because ./run build joins several files into one.
cmake --preset dev -B build/tidy -DPGVEIL_UNITY=OFF >/dev/null
files=("$@")
if [[ ${#files[@]} -eq 0 ]]; then
  mapfile -t files < <(find common policy engine pg rewriter review console proxy db settings jobs daemon web/http \
    web/api cli -name '*.cpp' | sort)
fi
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" clang-tidy-14 -p build/tidy --quiet
