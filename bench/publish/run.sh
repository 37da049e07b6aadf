#!/usr/bin/env bash
# ./run bench publish [--mb=N] [--rounds=N]: publishing a large file, in turns with a plain copy of its
# records by Python's csv module. README.md says what is measured and how.
set -euo pipefail
ROOT=${ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
mkdir -p "$ROOT/build/bench"
ROOT=$ROOT PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/bench/publish/publish.py" "$@" |
  tee "$ROOT/build/bench/publish.md"
