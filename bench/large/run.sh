#!/usr/bin/env bash
# ./run bench large [--rows=N] [--methods=NAME,NAME…]: full-domain search and Mondrian over a file of many
# records. README.md says what is measured and how.
# Environment: PGVEIL_BIN (the binary; default build/release/cli/pgveil).
set -euo pipefail
ROOT=${ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
mkdir -p "$ROOT/build/bench"
ROOT=$ROOT PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/bench/large/large.py" "$@" |
  tee "$ROOT/build/bench/large.md"
