# Sourced by the verbs. Sets up Spark for pgveil-spark in build/spark: a Python environment with exactly the
# files that spark/requirements.txt names, and the files for tests with HDFS.
SPARK_HOME_DIRECTORY=$ROOT/build/spark
SPARK_PYTHON=$SPARK_HOME_DIRECTORY/venv/bin/python
MINICLUSTER=hadoop-client-minicluster-3.4.1.jar
MINICLUSTER_SHA256=5b90be54a39d856f237a4530e25f62aea4b67c180c73b5cfb1aff35c502b2d29

has_spark() { [[ -f $SPARK_HOME_DIRECTORY/ready && -x $SPARK_PYTHON ]] && command -v java >/dev/null; }

# Installs only what the file names, checked by hash. The source archive is built into a wheel without asking
# any index.
install_spark() {
  local want
  want=$(sha256sum <"$ROOT/spark/requirements.txt")
  [[ $(cat "$SPARK_HOME_DIRECTORY/ready" 2>/dev/null) != "$want" ]] || return 0
  step "installing Spark into build/spark (its archive has 434 MB)"
  mkdir -p "$SPARK_HOME_DIRECTORY"
  rm -rf "$SPARK_HOME_DIRECTORY/venv" "$SPARK_HOME_DIRECTORY/ready"
  /usr/bin/python3 -m venv "$SPARK_HOME_DIRECTORY/venv" ||
    die "python3 -m venv failed; is python3-venv there?"
  local pip=("$SPARK_PYTHON" -m pip --disable-pip-version-check install -q --no-deps --require-hashes) first
  first=$SPARK_HOME_DIRECTORY/first.txt
  grep -A1 -E '^(setuptools|wheel)==' "$ROOT/spark/requirements.txt" | grep -v '^--$' >"$first"
  "${pip[@]}" -r "$first" >&2 && "${pip[@]}" --no-build-isolation -r "$ROOT/spark/requirements.txt" >&2 ||
    die "pip could not install spark/requirements.txt; its message is above"
  echo "$want" >"$SPARK_HOME_DIRECTORY/ready"
}

# A name node and data nodes in one process. Without it, the test on hdfs:// is skipped.
install_minicluster() {
  local jars=$SPARK_HOME_DIRECTORY/hdfs ivy
  [[ ! -f $jars/$MINICLUSTER ]] || return 0
  step "fetching HDFS's mini-cluster for the tests"
  mkdir -p "$jars"
  ivy=$(ls "$SPARK_HOME_DIRECTORY"/venv/lib/python3*/site-packages/pyspark/jars/ivy-*.jar)
  java -jar "$ivy" -cache "$SPARK_HOME_DIRECTORY/ivy" -notransitive -confs default -warn \
    -dependency org.apache.hadoop hadoop-client-minicluster 3.4.1 -retrieve \
      "$jars/[artifact]-[revision].[ext].part" >"$jars/ivy.log" 2>&1 || true
  if [[ $(sha256sum <"$jars/$MINICLUSTER.part" 2>/dev/null) == "$MINICLUSTER_SHA256 "* ]]; then
    mv "$jars/$MINICLUSTER.part" "$jars/$MINICLUSTER"
  else
    rm -f "$jars/$MINICLUSTER.part"
    step "the mini-cluster can't be had; the test on hdfs:// will be skipped"
  fi
}
