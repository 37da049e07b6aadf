#!/usr/bin/env bash
# ./run build [PRESET]: configures once and builds what changed.
set -euo pipefail
source "$ROOT/scripts/packages.sh"

main() {
  local preset=${1:-release} launcher=()
  [[ $# -le 1 ]] || die_usage "build takes one preset"
  case $preset in
    release) need_packages build ;;
    dev | tsan | coverage) need_packages build test ;;
    fuzz) need_packages build test fuzz ;;
    *) die_usage "build: unknown preset \"$preset\"; there are release, dev, tsan, fuzz, coverage" ;;
  esac
  want_page_tools
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  cd "$ROOT"
  bash "$ROOT/scripts/web.sh"
  if [[ ! -f build/$preset/build.ninja ]]; then
    step "configuring build/$preset"
    cmake --preset "$preset" "${launcher[@]}" >&2
  fi
  step "building build/$preset"
  cmake --build --preset "$preset" -j "$(jobs_by_memory)" >&2
  say_if_without_page
}

main "$@"
