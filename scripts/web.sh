#!/usr/bin/env bash
# Makes web/page/dist, which the build embeds, if there is an npm. Without npm pgveil is built without the
# page.
#   bash scripts/web.sh          build, if something changed
#   bash scripts/web.sh --test   types, unit tests of the page's logic, build; 'skipped: …' without npm
set -euo pipefail
source "$ROOT/scripts/say.sh"

# The packages are those in package-lock.json, checked by hash. None of their scripts run.
install_modules() {
  if [[ ! -f node_modules/.pgveil-lock ]] || ! cmp -s package-lock.json node_modules/.pgveil-lock; then
    step "installing the page's build tools"
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error 2>&1 | head -n 20 >&2 || return 1
    cp package-lock.json node_modules/.pgveil-lock
  fi
}

is_built() {
  [[ -f dist/index.html && -z $(find src public index.html vite.config.ts package-lock.json -newer \
    dist/index.html -print -quit) ]]
}

build_page() {
  if ! is_built; then
    step "building the page"
    npm run --silent build -- --logLevel warn >&2
    touch dist/index.html
  fi
}

cd "$ROOT/web/page"
status=0
if ! command -v npm >/dev/null; then
  if [[ ${1:-} != --test && -f dist/index.html ]]; then
    say "the page is the one that was built elsewhere, because there is no npm"
  else
    say "skipped: the page, because there is no npm"
  fi
  exit 0
fi
case ${1:-} in
  '') install_modules && build_page || say \
    "the page could not be built; pgveil is built without what changed in it" ;;
  --test)
    install_modules
    npm run --silent check
    build_page  # first, because a test measures what was built
    log=$(mktemp)
    npm run --silent test >"$log" 2>&1 || status=$?
    ((status == 0)) || cat "$log"
    awk '/^# pass /{passed = $3} /^# fail /{failed = $3} END {printf "%d passed, %d failed\n", passed, failed}' "$log"
    rm -f "$log"
    exit "$status"
    ;;
  *) die_usage "web: unknown argument \"$1\"" ;;
esac
