#!/usr/bin/env bash
# ./run bench NAME… [--OPTION…]: runs bench/NAME/run.sh against the release build. The options are passed to
# the benchmark.
set -euo pipefail
source "$ROOT/scripts/packages.sh"

names=() options=()
for argument in "$@"; do
  if [[ $argument == --* ]]; then options+=("$argument"); else names+=("$argument"); fi
done
[[ ${#names[@]} -ge 1 ]] ||
  die_usage "bench needs a name: $(cd "$ROOT/bench" && ls -d -- */ 2>/dev/null | tr -d / | tr '\n' ' ')"
for name in "${names[@]}"; do
  [[ $name =~ ^[a-z_]+$ && -f $ROOT/bench/$name/run.sh ]] || die_usage "there is no benchmark named \"$name\""
done
need_packages build bench
bash "$ROOT/scripts/build.sh" release
export PGVEIL_BIN=$ROOT/build/release/cli/pgveil
for name in "${names[@]}"; do
  bash "$ROOT/bench/$name/run.sh" "${options[@]}"
done
