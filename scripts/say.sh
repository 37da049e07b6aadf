# Sourced by the verbs. Defines how they print. An error is one line on standard error: what is wrong, and
# what to do.

say() { printf '%s\n' "$*"; }
step() { printf '== %s\n' "$*" >&2; }
die() {
  printf 'run: %s\n' "$*" >&2
  exit 1
}
die_usage() {
  printf 'run: %s; see ./run help\n' "$*" >&2
  exit 2
}
