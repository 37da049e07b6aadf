# Sourced by the demo. Compares its answers with the expected ones. Each check is one test.

CHECKS_PASSED=0
CHECKS_FAILED=0

# check NAME EXPECTED ACTUAL
check() {
  if [[ $2 == "$3" ]]; then
    CHECKS_PASSED=$((CHECKS_PASSED + 1))
    say "ok      $1"
  else
    CHECKS_FAILED=$((CHECKS_FAILED + 1))
    say "FAILED  $1"
    say "  expected: $2"
    say "  got:      $3"
  fi
}

# value_of COMMAND…: the output of the command, or its error.
value_of() { "$@" 2>&1 || true; }

sqlstate_of() { value_of "$1" -v VERBOSITY=sqlstate -c "$2" | tr -d ' ' | sed 's/^psql:.*ERROR/ERROR/'; }

GROUPS_SQL='SELECT count(*) AS people FROM residents GROUP BY occupation, city, state, birth_year, sex'

check_worked_example() {
  local query
  for query in 1_everything 2_groups; do
    check "the analyst's answer to $query is the paper's" "$(cat "$ROOT/demo/expected/$query.txt")" \
      "$(value_of analyst -At -f "$ROOT/demo/queries/$query.sql")"
  done
  check "a hidden value matches no row" 0 \
    "$(value_of analyst -At -c "SELECT count(*) FROM people WHERE city = 'Columbus'")"
  check "the owner finds that row" 1 "$(value_of raw -At -c \
    "SELECT count(*) FROM people WHERE city = 'Columbus'")"
}

check_residents() {
  local smallest
  check "the owner sees groups of one" 1 "$(value_of raw -At -c "SELECT min(people) FROM ($GROUPS_SQL) AS g")"
  smallest=$(value_of analyst -At -c "SELECT min(people) FROM ($GROUPS_SQL) AS g")
  check "the analyst's groups have at least 10 people" yes \
    "$([[ $smallest =~ ^[0-9]+$ ]] && ((smallest >= 10)) && echo yes)"
  check "the analyst's groups add up to everybody" "$ROWS" \
    "$(value_of analyst -At -c "SELECT sum(people) FROM ($GROUPS_SQL) AS g")"
  check "the analyst sees no identifier" 0 \
    "$(value_of analyst -At -c 'SELECT count(resident_no) FROM residents')"
  check "an insensitive column adds up" "$(value_of raw -At -c 'SELECT sum(visits) FROM residents')" \
    "$(value_of analyst -At -c 'SELECT sum(visits) FROM residents')"
  check "column names and types are the owner's" "$(value_of raw -At -c "$TYPES_SQL")" \
    "$(value_of analyst -At -c "$TYPES_SQL")"
}

TYPES_SQL='SELECT pg_typeof(resident_no), pg_typeof(city), pg_typeof(birth_year) FROM residents LIMIT 1'

# The file that the job published. Its classes are counted by other means.
check_published() {
  local file=$DIRECTORY/pgveil/exports/residents.csv sizes dropped
  check "the job's optimum is proven" 1 "$(grep -c '(optimum)$' "$DIRECTORY/anonymize.log")"
  check "the published file has no identifier" 'state,birth_year,sex,city,diagnosis,visits' \
    "$(head -n 1 "$file" | tr -d '\r')"
  # Before the sensitive columns, only the interval of birth_year has a comma of its own, and it is quoted.
  sizes=$(tail -n +2 "$file" | sed -E 's/,[^,]*,[^,]*$//' | sort | uniq -c |
    awk 'NR == 1 || $1 < least { least = $1 } { rows += $1 }
    END { print (least >= 10 ? "yes" : "no"), rows }')
  check "its classes have at least 10 people" yes "${sizes% *}"
  dropped=$(sed -nE 's/^  suppressed .*[; ]([0-9]+) were dropped$/\1/p' "$DIRECTORY/anonymize.log")
  check "none was left out but suppressed ones" "$ROWS" "$((${sizes#* } + ${dropped:-0}))"
}

check_refusals() {
  check "an unlisted table is refused" ERROR:42501 "$(sqlstate_of analyst 'SELECT * FROM salaries')"
  check "so is a table that does not exist" ERROR:42501 "$(sqlstate_of analyst 'SELECT * FROM no_such_table')"
  check "so is a write" ERROR:42501 "$(sqlstate_of analyst 'DELETE FROM people')"
  check "the tree is not for analysts" no "$(analyst_reads_tree)"
  check "a wrong password does not let in" no "$(wrong_password_lets_in)"
}

analyst_reads_tree() {
  ask "$PROXY_PORT" analyst pgveil -At -c 'SHOW TREE people_k2' >/dev/null 2>&1 && echo yes || echo no
}

wrong_password_lets_in() {
  PGPASSWORD=wrong psql -X -w -At -h 127.0.0.1 -p "$PROXY_PORT" -U analyst -d demo -c 'SELECT 1' >/dev/null \
    2>&1 &&
    echo yes || echo no
}

# status_of_link TOKEN: signs in as the page does, and prints the status of the answer. There may be no curl.
status_of_link() {
  local body="{\"link\":\"$1\"}" host=127.0.0.1:$PAGE_PORT protocol status rest
  exec 3<>"/dev/tcp/127.0.0.1/$PAGE_PORT"
  {
    printf '%s\r\n' 'POST /api/v1/session/link HTTP/1.1' "Host: $host" "Origin: http://$host" \
      'Content-Type: application/json' "Content-Length: ${#body}" 'Connection: close' ''
    printf '%s' "$body"
  } >&3
  read -r -t 20 protocol status rest <&3 || true
  exec 3>&-
  echo "$status"
}

check_page() {
  local link token
  if [[ ! -f $ROOT/web/page/dist/index.html ]]; then
    check "a build without the page makes no link" ERROR:55000 "$(sqlstate_of operator 'SIGN IN LINK')"
    return
  fi
  link=$(sign_in_link)
  token=${link#*#sign-in=}
  check "the sign-in link leads to the page" "http://127.0.0.1:$PAGE_PORT/" "${link%#*}"
  check "a wrong link does not sign in" 401 "$(status_of_link "${token}0")"
  check "the link signs in" 200 "$(status_of_link "$token")"
  check "it does not sign in twice" 401 "$(status_of_link "$token")"
  check "the token is in no log" 0 "$(cat "$DIRECTORY"/*.log | grep -c "$token")"
}

check_demo() {
  say ""
  check "the analyst is told what the mask shows" 1 \
    "$(value_of analyst -At -c 'SELECT count(*) FROM people' | grep -c 'NOTICE:  public.people is masked')"
  # value_of has the messages of psql, too.
  local SESSION_OPTIONS='-c pgveil.notices=off'
  check_worked_example
  check_residents
  check_published
  check_refusals
  check_page
  check "the console lists both policies" $'people_k2\nresidents_k10' \
    "$(value_of operator -At -c 'SHOW POLICIES' | cut -d'|' -f1 | sort)"
  say "$CHECKS_PASSED passed, $CHECKS_FAILED failed"
  ((CHECKS_FAILED == 0))
}
