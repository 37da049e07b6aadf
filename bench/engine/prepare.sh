# Sourced by the benchmarks of the engine: builds a target of the release preset, draws the sets that can't be
# handed on.

build_bench() {
  [[ -f $ROOT/build/release/build.ninja ]] || bash "$ROOT/scripts/build.sh" release
  cmake -S "$ROOT" -B "$ROOT/build/release" -DPGVEIL_BENCH=ON >/dev/null
  cmake --build "$ROOT/build/release" --target "$1" -j "$(nproc)" >&2
}

# draw_sets NAME…: into build/bench/drawn, unless they are there. Debian's own Python, because it has Debian's
# numpy.
draw_sets() {
  local datasets=${PGVEIL_DATASETS:-$ROOT/../shared/datasets} drawn=$ROOT/build/bench/drawn set missing=()
  for set in "$@"; do [[ -f $drawn/data/$set.csv ]] || missing+=("$set"); done
  ((${#missing[@]})) || return 0
  if [[ ! -f $datasets/make_synthetic.py ]] || ! /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    echo "skipped: ${missing[*]} can't be drawn without make_synthetic.py and numpy" >&2
    return 0
  fi
  /usr/bin/python3 "$datasets/make_synthetic.py" "$drawn.part" "${missing[@]}" >&2
  for set in "${missing[@]}"; do
    # The reference's rows are of these very bytes; another numpy could draw others.
    if [[ $(sha256sum <"$drawn.part/data/$set.csv") != \
      "$(awk -v f="$set.csv" '$2 == f {print $1}' "$datasets/make_synthetic.sha256")"* ]]; then
      echo "skipped: $set was drawn differently from the reference's" >&2
      rm "$drawn.part/data/$set.csv"
    fi
  done
  mkdir -p "$drawn"
  cp -r "$drawn.part/." "$drawn/"
  rm -r "$drawn.part"
}
