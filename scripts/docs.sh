#!/usr/bin/env bash
# ./run docs [--serve]: builds the documentation as a site in build/site. A link that leads nowhere, a page
# that the navigation leaves out, or a file of another host fails it. --serve: shows the site on
# 127.0.0.1:8000 and builds it again when a page changes.
set -euo pipefail
source "$ROOT/scripts/packages.sh"

SITE=$ROOT/build/site

[[ $# -le 1 && ${1:---serve} == --serve ]] || die_usage "docs: unknown argument \"$*\""
need_packages docs
mkdir -p "$ROOT/build/site-pages"
cd "$ROOT"
export PYTHONDONTWRITEBYTECODE=1
if [[ ${1:-} == --serve ]]; then
  exec mkdocs serve --strict
fi
mkdocs --quiet build --strict
say "the site is in ${SITE#"$ROOT"/}; look at it with ./run docs --serve. Pages whose links are right:"
/usr/bin/python3 "$ROOT/scripts/site_check.py" "$SITE"
