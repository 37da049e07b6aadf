#!/usr/bin/env bash
# ./run format [--check]: clang-format decides the layout of C++, and scripts/line_length.py checks the length
# of every line. clang-format 14 is the version in Debian 12; other versions produce another layout. Where it
# is missing, --check only checks the length of lines, and says so.
set -euo pipefail
source "$ROOT/scripts/packages.sh"

formatter() {
  local candidate
  for candidate in clang-format-14 clang-format; do
    command -v "$candidate" >/dev/null && "$candidate" --version | grep -q 'version 14\.' &&
      { echo "$candidate"; return; }
  done
  return 1
}

cd "$ROOT"
tool=$(formatter) || tool=
mapfile -d '' -t files < <(find common policy attack engine pg rewriter review draft console proxy db settings jobs library daemon \
  web/http web/api cli tests bench \
  \( -name '*.cpp' -o -name '*.hpp' \) -print0 2>/dev/null | sort -z)
case ${1:-} in
  '')
    [[ -n $tool ]] || die "clang-format 14 is missing; ./run deps lint installs it on Debian 12"
    "$tool" -i "${files[@]}"
    ;;
  --check)
    status=0
    complaints=
    if [[ -n $tool ]]; then
      complaints=$(printf '%s\0' "${files[@]}" |
        xargs -0 -n 32 -P "$(nproc)" "$tool" --dry-run -Werror 2>&1) || status=$?
    else
      say "skipped: the layout of C++, which clang-format 14 decides; of the distributions, Debian 12 has it"
      files=()
    fi
    wrong=$(sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: error: .*/\1/p' <<<"$complaints" | sort -u)
    failed=0
    for file in $wrong; do
      say "not laid out by clang-format: $file"
      failed=$((failed + 1))
    done
    # A formatter that died, or whose output is not understood, must not count as a good layout.
    [[ $failed -gt 0 || ($status -eq 0 && -z $complaints) ]] ||
      die "clang-format ended with status $status and named no file: $complaints"
    lines=$(python3 "$ROOT/scripts/line_length.py") || true
    sed '$d' <<<"$lines" # the lines that are too long; the last one counts files
    read -r good _ bad _ <<<"${lines##*$'\n'}"
    say "$((${#files[@]} - failed + good)) passed, $((failed + bad)) failed"
    [[ $failed -eq 0 && $bad -eq 0 && $((${#files[@]} + good)) -gt 0 ]]
    ;;
  *) die_usage "format: unknown argument \"$1\"" ;;
esac
