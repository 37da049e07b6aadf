#!/usr/bin/env bash
# ./run wheel: makes the wheel of the Python package in build/wheel, with the library of the release preset
# and the libraries that it needs. If these can't be copied into it, the wheel is for this machine's
# distribution only.
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
own=$(echo "$ROOT"/build/wheel/*.whl)
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
if bash "$ROOT/scripts/portable_wheel.sh" "$own" "$made"; then
  rm "$own"
  mv "$made"/*.whl "$ROOT/build/wheel"
else
  step "so the wheel is for this distribution only; it uses the distribution's own libraries"
fi
say "pip install $(echo "$ROOT"/build/wheel/*.whl)"
