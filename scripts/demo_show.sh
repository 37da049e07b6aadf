# Sourced by the demo. Prints its output. Each query runs twice: in PostgreSQL as the owner of the tables, and
# in pgveil as an analyst.

raw() { ask "$POSTGRES_PORT" demo_owner demo "$@"; }
analyst() { ask "$PROXY_PORT" analyst demo "$@"; }
operator() { ask "$PROXY_PORT" operator pgveil "$@"; }

# side_by_side LEFT RIGHT: two files, line by line.
side_by_side() {
  local width left right
  width=$(awk '{ if (length($0) > longest) longest = length($0) } END { print longest }' "$1")
  while IFS= read -r left <&3 || [[ -n $left ]]; do
    IFS= read -r right <&4 || right=
    printf '  %-*s   |   %s\n' "$width" "$left" "$right" | sed 's/[[:space:]]*$//'
  done 3<"$1" 4<"$2"
}

# show_query FILE: the text, then both answers.
show_query() {
  local answers=$DIRECTORY/answers
  mkdir -p "$answers"
  { echo "-- the owner, on PostgreSQL"; raw -f "$1"; } | sed '/^$/d' >"$answers/raw"
  { echo "-- an analyst, through pgveil"; analyst -f "$1"; } | sed '/^$/d' >"$answers/analyst"
  sed -e '1s/^/demo=> /' -e '2,$s/^/       /' "$1"
  side_by_side "$answers/raw" "$answers/analyst"
  say ""
}

show_demo() {
  local query
  say ""
  for query in "$ROOT"/demo/queries/*.sql; do
    show_query "$query"
  done
  grep '^policy ' "$DIRECTORY/policy_build.log"
}

# A link of the page that signs in as the operator, once; nothing if this build has no page.
sign_in_link() { operator -At -c 'SIGN IN LINK' 2>/dev/null | cut -d'|' -f1; }

show_page() {
  local link
  link=$(sign_in_link) || link=
  if [[ -z $link ]]; then
    say_if_without_page
    return
  fi
  say "The page is at ${link%#*}. This link signs in as the operator, once and within ten minutes:"
  say "  $link"
  say "For another link, give the command SIGN IN LINK as the operator."
}

show_connection() {
  say ""
  say "pgveil is up. Connect as an analyst (password: $ANALYST_PASSWORD), or as its operator:"
  say "  psql -h 127.0.0.1 -p $PROXY_PORT -U analyst demo"
  say "  PGPASSFILE=build/demo/pgpass psql -h 127.0.0.1 -p $PROXY_PORT -U operator pgveil"
  show_page
  say "End it with ./run demo --stop"
}
