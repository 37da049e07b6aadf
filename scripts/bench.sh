#!/usr/bin/env bash
# ./run bench NAME… [--OPTION…]: runs bench/NAME/run.sh against the release build. The options are passed to
# the benchmark. Without a name: lists the benchmarks, with the questions that are their headings in
# bench/README.md.
set -euo pipefail
source "$ROOT/scripts/packages.sh"

names=() options=()
for argument in "$@"; do
  if [[ $argument == --* ]]; then options+=("$argument"); else names+=("$argument"); fi
done
if [[ ${#names[@]} -eq 0 ]]; then
  say "usage: ./run bench NAME… [--OPTION…]; most know --quick. bench/README.md has the other options."
  sed -n 's/^## \([a-z_]*\): \(.*\)/\1\t\2/p' "$ROOT/bench/README.md" |
    awk -F'\t' '{printf "  %-14s%s\n", $1, $2}'
  exit
fi
for name in "${names[@]}"; do
  [[ $name =~ ^[a-z_]+$ && -f $ROOT/bench/$name/run.sh ]] || die_usage "there is no benchmark named \"$name\""
done
need_packages build bench
bash "$ROOT/scripts/build.sh" release
export PGVEIL_BIN=$ROOT/build/release/cli/pgveil
for name in "${names[@]}"; do
  bash "$ROOT/bench/$name/run.sh" "${options[@]}"
done
