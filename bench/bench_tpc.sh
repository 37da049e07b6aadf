# Sourced after bench_database.sh by benchmarks that use TPC-H or TPC-DS: DuckDB's extensions of these names
# make the tables and the queries at the time of the run.

# The packages that bring the generators and the queries of TPC-H and TPC-DS.
TPC=(duckdb==1.5.5 duckdb-extensions==1.5.5 duckdb-extension-tpch==1.5.5 duckdb-extension-tpcds==1.5.5)
TPC_HOME=$ROOT/build/bench/tpc

# install_tpc: fails if they can't be had.
install_tpc() {
  [[ $(cat "$TPC_HOME/ready" 2>/dev/null) != "${TPC[*]}" ]] || return 0
  step "installing ${TPC[*]} into build/bench/tpc"
  rm -rf "$TPC_HOME"
  /usr/bin/python3 -m venv "$TPC_HOME" &&
    "$TPC_HOME/bin/pip" install -q --no-input "${TPC[@]}" >&2 || return 1
  echo "${TPC[*]}" >"$TPC_HOME/ready"
}

# load_tpc SCALE SET…: the tables of tpch or tpcds, or of both, each set in its schema, and their queries in
# $DIRECTORY/tpc.
load_tpc() {
  local scale=$1
  shift
  step "generating $* at scale factor $scale"
  mkdir "$DIRECTORY/tpc"
  "$TPC_HOME/bin/python" "$ROOT/bench/generate_tpc.py" "$scale" "$DIRECTORY/tpc" "$@"
  as_superuser -d bench -f "$DIRECTORY/tpc/tables.sql"
}
