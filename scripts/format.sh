#!/usr/bin/env bash
# ./run format [--check]: clang-format decides layout. Version 14 is Debian 12's; others lay out differently.
set -euo pipefail
source "$ROOT/scripts/packages.sh"

formatter() {
  local candidate
  for candidate in clang-format-14 clang-format; do
    command -v "$candidate" >/dev/null && "$candidate" --version | grep -q 'version 14\.' && { echo "$candidate"; return; }
  done
  die "clang-format 14 is missing; ./run deps lint installs it"
}

cd "$ROOT"
tool=$(formatter)
mapfile -d '' -t files < <(find common policy rewriter engine proxy db cli tests bench \
  \( -name '*.cpp' -o -name '*.hpp' \) -print0 2>/dev/null | sort -z)
case ${1:-} in
  '') "$tool" -i "${files[@]}" ;;
  --check)
    failed=0
    for file in "${files[@]}"; do
      "$tool" --dry-run -Werror "$file" 2>/dev/null || { say "not laid out by clang-format: $file"; failed=$((failed + 1)); }
    done
    say "$((${#files[@]} - failed)) passed, $failed failed"
    [[ $failed -eq 0 && ${#files[@]} -gt 0 ]]
    ;;
  *) die_usage "format: unknown argument \"$1\"" ;;
esac
