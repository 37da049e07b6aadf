#!/usr/bin/env bash
# ./run bench mondrian [--quick] [--rows=N] [--rounds=N]: Mondrian on one machine; with --spark [--rounds=N]
# [--sets=…] [--parts=…] [--samples=…] [--jvm=…] [--rows=N] on a Spark cluster of two workers instead, and
# there with --public=FOLDER [--rows=N,…] [--rounds=N] [--penalties=yes|no] [--most=N] beside the public
# implementation.
# README.md says what is measured and how.
set -euo pipefail
ROOT=${ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
source "$ROOT/bench/engine/prepare.sh"
mkdir -p "$ROOT/build/bench"
case " $* " in
  *" --spark "*)
    source "$ROOT/scripts/say.sh"
    source "$ROOT/scripts/spark.sh"
    has_spark || die "there is no Spark; ./run deps spark installs it"
    export PYTHONDONTWRITEBYTECODE=1
    if [[ " $* " == *" --public="* ]]; then
      "${PGVEIL_SPARK_PYTHON:-$SPARK_PYTHON}" "$ROOT/bench/mondrian/spark_public.py" "$@" |
        tee "$ROOT/build/bench/mondrian_public.md"
      exit
    fi
    draw_sets census
    "$SPARK_PYTHON" "$ROOT/bench/mondrian/spark.py" "$@" | tee "$ROOT/build/bench/mondrian_spark.md"
    ;;
  *)
    build_bench bench_mondrian
    draw_sets census
    "$ROOT/build/release/bench/mondrian/bench_mondrian" "$@" | tee "$ROOT/build/bench/mondrian.md"
    ;;
esac
