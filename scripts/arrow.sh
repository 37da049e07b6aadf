# Sourced by the verbs. Sets up Apache Arrow in build/arrow: the libraries and headers of pyarrow's wheel,
# which cmake/dependencies.cmake finds there.
ARROW_DIRECTORY=$ROOT/build/arrow
ARROW_REQUIREMENTS=$ROOT/scripts/arrow-requirements.txt

# Installs only what the file names, checked by hash. No Python of this machine has to fit to the wheel,
# because only its libraries are used; those of other processors than x86-64 have no pinned wheel.
install_arrow() {
  local want
  want=$(sha256sum <"$ARROW_REQUIREMENTS")
  [[ $(cat "$ARROW_DIRECTORY/ready" 2>/dev/null) != "$want" ]] || return 0
  [[ $(uname -m) == x86_64 ]] || die "Apache Arrow is pinned for x86-64 only;" \
    "elsewhere install libarrow-dev and libparquet-dev of Apache's own packages"
  step "installing Apache Arrow into build/arrow (its archive has about 50 MB)"
  rm -rf "$ARROW_DIRECTORY"
  mkdir -p "$ARROW_DIRECTORY"
  /usr/bin/python3 -m venv "$ARROW_DIRECTORY/venv" || die "python3 -m venv failed; is python3-venv there?"
  "$ARROW_DIRECTORY/venv/bin/python" -m pip --disable-pip-version-check install -q --no-deps --require-hashes \
    --only-binary :all: --python-version 3.11 --implementation cp --platform manylinux_2_28_x86_64 \
    --target "$ARROW_DIRECTORY/wheel" -r "$ARROW_REQUIREMENTS" >&2 ||
    die "pip could not install scripts/arrow-requirements.txt; its message is above"
  echo "$want" >"$ARROW_DIRECTORY/ready"
}
