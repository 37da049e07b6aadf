#!/usr/bin/env bash
# ./run test [--long] [SUITE…]: builds the dev preset and runs suites. Each suite ends with the number of its tests
# that passed and failed; the sum is the last line. A suite that ran nothing has failed.
set -euo pipefail
source "$ROOT/scripts/packages.sh"
source "$ROOT/scripts/unprivileged.sh"
source "$ROOT/scripts/spark.sh"

SUITES=(architecture format unit integration oracle web spark)
passed=0
failed=0

add() {
  local name=$1 suite_passed=$2 suite_failed=$3
  passed=$((passed + suite_passed))
  failed=$((failed + suite_failed))
  say "-- $name: $suite_passed passed, $suite_failed failed"
}

# add_closing_line NAME STATUS LOG: a program whose last line is 'N passed, N failed'. One that died, or that ran
# nothing, counts as one failed, unless it says what it skipped and why.
add_closing_line() {
  local name=$1 status=$2 log=$3 line
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1) || true
  local good=${line%% passed*} bad=${line##*passed, }
  good=${good:-0} bad=${bad%% failed*}
  bad=${bad:-0}
  if ((bad == 0 && status == 0 && good == 0)) && grep -q '^skipped: ' "$log"; then
    grep '^skipped: ' "$log"
  elif ((bad == 0)) && ((status != 0 || good == 0)); then
    bad=1
  fi
  add "$name" "$good" "$bad"
}

# add_program NAME STATUS LOG: the output is shown only when the program failed; it is kept in build/test/.
add_program() {
  if (($2 != 0)); then
    tail -n 200 "$3"
    say "(the whole output is in ${3#"$ROOT"/})"
  fi
  add_closing_line "$@"
}

# run_program NAME COMMAND…
run_program() {
  local name=$1 log=$ROOT/build/test/${1//\//_}.log status=0
  shift
  "$@" >"$log" 2>&1 </dev/null || status=$?
  add_program "$name" "$status" "$log"
}

run_unit() {
  local log=$ROOT/build/test/unit.log status=0 totals long=()
  [[ ${#long_option[@]} -eq 0 ]] || long=(env PGVEIL_LONG=1)
  "${long[@]}" ctest --test-dir "$ROOT/build/dev" -L unit -j "$(nproc)" -V --timeout $((${#long[@]} > 0 ? 7200 : 900)) >"$log" 2>&1 </dev/null || status=$?
  if ((status != 0)); then
    grep -nE 'ERROR:|FATAL|TEST CASE:|\*\*\*|Sanitizer|runtime error' "$log" | head -n 100 || true
    say "(the whole output is in ${log#"$ROOT"/})"
  fi
  totals=$(awk -f "$ROOT/scripts/unit_totals.awk" "$log")
  local good=${totals% *} bad=${totals#* }
  ((status == 0 && good > 0)) || ((bad > 0)) || bad=1
  add unit "$good" "$bad"
}

# run_python_file SUITE FILE: leaves the output in build/test/ and beside it the status.
run_python_file() {
  local log=$ROOT/build/test/$1_$(basename "$2" .py).log status=0
  "${AS_USER[@]}" "${test_environment[@]}" "${binary[@]}" "$PYTHON" "$2" "${long_option[@]}" >"$log" 2>&1 </dev/null || status=$?
  echo "$status" >"$log.status"
  say "   ${2##*/} done"
}

# Every tests/<suite>/*_test.py, as many at a time as there are processors, reported in
# the order of their names. A million statements are for the release build: the sanitizers take six times as long, and
# see the same code in the short run.
run_python_suite() {
  local suite=$1 file log files=() binary=()
  [[ $suite != oracle || ${#long_option[@]} -eq 0 ]] || binary=("PGVEIL_BIN=$TEST_ROOT/build/release/cli/pgveil")
  for file in "$TEST_ROOT/tests/$suite"/*_test.py; do
    [[ ! -e $file ]] || files+=("$file")
  done
  for file in "${files[@]}"; do
    while (($(jobs -pr | wc -l) >= $(nproc))); do wait -n || true; done
    rm -f "$ROOT/build/test/${suite}_$(basename "$file" .py).log.status"
    run_python_file "$suite" "$file" &
  done
  wait
  for file in "${files[@]}"; do
    log=$ROOT/build/test/${suite}_$(basename "$file" .py).log
    add_program "$suite/$(basename "$file" .py)" "$(cat "$log.status" 2>/dev/null || echo 1)" "$log"
  done
  ((${#files[@]} > 0)) || add "$suite" 0 1
}

# With Spark and Java, which only ./run deps spark installs; otherwise it says so.
run_spark() {
  if ! has_spark; then
    say "skipped: pgveil-spark, without Spark or Java; ./run deps spark installs them"
  elif ! "${AS_USER[@]}" "$SPARK_PYTHON" -c '' 2>/dev/null; then
    say "skipped: pgveil-spark, the user $RUN_USER can't reach build/spark"
  else
    run_program spark "${AS_USER[@]}" "${test_environment[@]}" "PGVEIL_SPARK_JARS=$SPARK_HOME_DIRECTORY/hdfs" \
      "$SPARK_PYTHON" "$TEST_ROOT/spark/tests/run.py"
  fi
}

run_suite() {
  case $1 in
    architecture) run_program architecture "$PYTHON" "$ROOT/tests/architecture/include_graph_test.py" ;;
    format) run_program format bash "$ROOT/scripts/format.sh" --check ;;
    unit) run_unit ;;
    integration | oracle) run_python_suite "$1" ;;
    spark) run_spark ;;
    web)
      run_program web/logic bash "$ROOT/scripts/web.sh" --test
      run_python_suite web
      ;;
  esac
}

# Debian's own python3: the drivers are packaged for it, and another one may come first in PATH.
choose_python() {
  PYTHON=/usr/bin/python3
  [[ -x $PYTHON ]] || PYTHON=$(command -v python3) || die "python3 is missing; ./run deps test installs it"
}

main() {
  local suites=() argument suite
  long_option=()
  for argument in "$@"; do
    case $argument in
      --long) long_option=(--long) ;;
      architecture | format | unit | integration | oracle | web | spark) suites+=("$argument") ;;
      *) die_usage "test: unknown suite \"$argument\"; there are ${SUITES[*]}" ;;
    esac
  done
  [[ ${#suites[@]} -gt 0 ]] || suites=("${SUITES[@]}")
  need_packages build test
  choose_python
  mkdir -p "$ROOT/build/test"
  case " ${suites[*]} " in
    *" unit "* | *" integration "* | *" oracle "* | *" web "* | *" spark "*) bash "$ROOT/scripts/build.sh" dev ;;
  esac
  case "${#long_option[@]} ${suites[*]} " in
    1*" oracle "*) bash "$ROOT/scripts/build.sh" release ;;
  esac
  case " ${suites[*]} " in
    *" integration "* | *" oracle "* | *" web "* | *" spark "*) lend_tree_to_user ;;
  esac
  for suite in "${suites[@]}"; do
    step "suite $suite"
    run_suite "$suite"
  done
  say "$passed passed, $failed failed"
  ((failed == 0 && passed > 0))
}

main "$@"
