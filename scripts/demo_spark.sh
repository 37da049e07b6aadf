#!/usr/bin/env bash
# ./run demo spark [--check]: a Spark master and two workers on this machine, and a table that pgveil-spark
# publishes on them.
set -euo pipefail
source "$ROOT/scripts/packages.sh"
source "$ROOT/scripts/spark.sh"

[[ $# -eq 0 || ($# -eq 1 && $1 == --check) ]] || die_usage "demo spark takes --check only"
need_packages build spark
install_spark
bash "$ROOT/scripts/build.sh" release
PYTHONPATH=$ROOT/spark PYTHONDONTWRITEBYTECODE=1 PGVEIL_BIN=$ROOT/build/release/cli/pgveil \
  exec "$SPARK_PYTHON" "$ROOT/spark/tools/demo.py" "$@"
