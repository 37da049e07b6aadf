# Sourced by the verbs. Defines how they print. An error is one line on standard error: what is wrong, and
# what to do.

say() { printf '%s\n' "$*"; }
step() { printf '== %s\n' "$*" >&2; }
say_if_without_page() {
  [[ -f $ROOT/web/page/dist/index.html ]] || say "this build has no page: it could not be made, see above." \
    "It needs npm (apt-get install npm, then ./run build again)"
}
die() {
  printf 'run: %s\n' "$*" >&2
  exit 1
}
die_usage() {
  printf 'run: %s; see ./run help\n' "$*" >&2
  exit 2
}
