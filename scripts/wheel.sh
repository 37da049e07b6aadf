#!/usr/bin/env bash
# ./run wheel: makes the wheel of the Python package in build/wheel, with the library of the release preset in
# it. It is for this machine's distribution, because the library needs the distribution's own libraries.
set -euo pipefail
source "$ROOT/scripts/say.sh"
source "$ROOT/scripts/version.sh"

[[ $# -eq 0 ]] || die "wheel takes no arguments"
bash "$ROOT/scripts/build.sh" release
rm -rf "$ROOT/build/wheel"
mkdir -p "$ROOT/build/wheel"
strip -o "$ROOT/build/wheel/libpgveil.so" "$ROOT/build/release/library/libpgveil.so"
python3 "$ROOT/scripts/make_wheel.py" "$ROOT/python/pgveil" "$ROOT/build/wheel/libpgveil.so" \
  "$ROOT/build/wheel" "$(version_of_tree)"
rm "$ROOT/build/wheel/libpgveil.so"
say "pip install $(echo "$ROOT"/build/wheel/*.whl)"
