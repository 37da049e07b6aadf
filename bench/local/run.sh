#!/usr/bin/env bash
# ./run bench local [--quick] [--rounds=N]: what each way to publish loses at the same k, on ADULT and CUP
# (the penalty of a cell, discernibility, the error of a thousand random counts, the accuracy of a model).
# README.md says what is measured and how.
set -euo pipefail
ROOT=${ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
source "$ROOT/scripts/say.sh"
# Debian's own Python, because it has Debian's numpy.
/usr/bin/python3 -c 'import numpy' 2>/dev/null || die "bench local needs numpy: apt-get install python3-numpy"
mkdir -p "$ROOT/build/bench"
ROOT=$ROOT PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$ROOT/bench/local/local.py" "$@" |
  tee "$ROOT/build/bench/local.md"
