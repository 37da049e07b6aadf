#!/usr/bin/env bash
# ./run bench proxy [--quick]: pgbench against PostgreSQL directly, through PgBouncer (session mode) and
# through pgveil, on an open table and on a protected one, in interleaved rounds. README.md says what is
# measured and how.
# Environment: PGVEIL_BIN (the binary; default build/release/cli/pgveil), PGVEIL_BENCH_ROUNDS,
# PGVEIL_BENCH_SECONDS, PGVEIL_BENCH_TARGETS (default "direct pgbouncer pgveil"),
# PGVEIL_BENCH_CLIENTS (default "8 64"), PGVEIL_BENCH_POOL: session (default: a client of either proxy has a
# server connection, which the next client gets), none (pgveil makes a new server connection for each
# client) or transaction (both; PgBouncer 1.18 can't do prepared there), PGVEIL_BENCH_ENFORCEMENT (query,
# stored or copy: how the policy of the protected table masks; default query), PGVEIL_BENCH_TABLES (default
# "open protected"; large: an open table of 100 MB in wide rows, of which each statement gets all),
# PGVEIL_BENCH_TLS (1: clients use TLS; the connections behind the two proxies don't).
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=${ROOT:-$(cd "$HERE/../.." && pwd)}
source "$ROOT/scripts/unprivileged.sh"
source "$ROOT/scripts/private_postgres.sh"

SCALE=10
PEOPLE=21700
CLIENTS=${PGVEIL_BENCH_CLIENTS:-8 64}
POOL=${PGVEIL_BENCH_POOL:-session}
ENFORCEMENT=${PGVEIL_BENCH_ENFORCEMENT:-query}
TABLES=${PGVEIL_BENCH_TABLES:-open protected}
TLS=${PGVEIL_BENCH_TLS:-}
MODES=${PGVEIL_BENCH_MODES:-simple extended prepared}
IDLE_CLIENTS=1000
read -r -a TARGETS <<<"${PGVEIL_BENCH_TARGETS:-direct pgbouncer pgveil}"
ROUNDS=${PGVEIL_BENCH_ROUNDS:-5}
SECONDS_EACH=${PGVEIL_BENCH_SECONDS:-4}
PIDS=()
declare -A PID=()

ask() {
  local port=$1 user=$2 database=$3
  shift 3
  PGPASSFILE=$DIRECTORY/pgpass PGCONNECT_TIMEOUT=20 PGCLIENTENCODING=UTF8 \
    psql -X -q -w -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$port" -U "$user" -d "$database" "$@"
}

clean_up() {
  local pid
  for pid in "${PIDS[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
  for pid in "${PIDS[@]}"; do wait "$pid" 2>/dev/null || true; done
  stop_postgres
  if [[ -n ${PGVEIL_BENCH_KEEP:-} ]]; then
    say "kept: $DIRECTORY"
  else
    rm -rf "$DIRECTORY"
  fi
}

prepare() {
  choose_user
  DIRECTORY=$(own_directory bench)
  trap clean_up EXIT
  POSTGRES_PORT=$(free_port 25532)
  declare -gA PORT=([direct]=$POSTGRES_PORT [pgbouncer]=$(free_port 25832) [pgveil]=$(free_port 26032))
  SUPERUSER_PASSWORD=$(new_password) OWNER_PASSWORD=$(new_password) BENCH_PASSWORD=$(new_password)
  ADMIN_PASSWORD=$(new_password)
  (
    umask 077
    printf "127.0.0.1:$POSTGRES_PORT:*:%s:%s\n" postgres "$SUPERUSER_PASSWORD" bench_owner "$OWNER_PASSWORD" \
      bench "$BENCH_PASSWORD" >"$DIRECTORY/pgpass"
    printf '%s' "$BENCH_PASSWORD" >"$DIRECTORY/bench_password"
    printf '%s' "$ADMIN_PASSWORD" >"$DIRECTORY/admin_password"
    [[ -z $TLS ]] || openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=127.0.0.1 -days 2 \
      -keyout "$DIRECTORY/server.key" -out "$DIRECTORY/server.crt" 2>/dev/null
  )
  [[ -z $TLS ]] || give_away server.key server.crt
}

load_tables() {
  step "loading pgbench at scale $SCALE and $PEOPLE people"
  ask "$POSTGRES_PORT" postgres postgres -v owner_password="$OWNER_PASSWORD" -v password="$BENCH_PASSWORD" \
    -v admin_password="$ADMIN_PASSWORD" \
    >/dev/null <<'SQL'
ALTER SYSTEM SET max_connections = 600;
CREATE ROLE bench_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE bench LOGIN PASSWORD :'password';
CREATE ROLE bench_admin LOGIN PASSWORD :'admin_password';
COMMENT ON ROLE bench IS 'pgveil: for pgveil alone';
COMMENT ON ROLE bench_admin IS 'pgveil: for pgveil alone';
CREATE DATABASE bench OWNER bench_owner;
SQL
  [[ -z $TLS ]] || ask "$POSTGRES_PORT" postgres postgres -c "ALTER SYSTEM SET ssl = on" \
    -c "ALTER SYSTEM SET ssl_cert_file = '$DIRECTORY/server.crt'" \
    -c "ALTER SYSTEM SET ssl_key_file = '$DIRECTORY/server.key'"
  "${AS_USER[@]}" env -C / "$(postgres_bin)/pg_ctl" -D "$DIRECTORY/data" -l "$DIRECTORY/postgres.log" -w \
    restart >/dev/null
  PGPASSFILE=$DIRECTORY/pgpass pgbench -i -q -s "$SCALE" -h 127.0.0.1 -p "$POSTGRES_PORT" -U bench_owner \
    bench >/dev/null \
    2>&1 || die "pgbench -i failed"
  ask "$POSTGRES_PORT" bench_owner bench -v rows="$PEOPLE" -f "$HERE/people467.sql" >/dev/null
  ask "$POSTGRES_PORT" bench_owner bench >/dev/null <<'SQL'
GRANT SELECT ON pgbench_accounts, pgbench_branches, pgbench_tellers, people467 TO bench;
REVOKE TEMPORARY ON DATABASE bench FROM PUBLIC;
SQL
  ! has_table large || ask "$POSTGRES_PORT" bench_owner bench >/dev/null <<'SQL'
CREATE TABLE large (id integer, text text);
ALTER TABLE large ALTER text SET STORAGE PLAIN;
INSERT INTO large SELECT g, repeat(md5(g::text), 30) FROM generate_series(1, 100000) g;
GRANT SELECT ON large TO bench;
SQL
}

# start NAME PORT COMMAND…: in the background as RUN_USER, until it listens.
start() {
  local name=$1 port=$2 tries
  shift 2
  "${AS_USER[@]}" env -C "$DIRECTORY" HOME="$DIRECTORY" "$@" >"$DIRECTORY/$name.log" 2>&1 </dev/null &
  local pid=$!
  PIDS+=("$pid")
  PID[$name]=$pid
  for ((tries = 0; tries < 300; tries++)); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  die "$name did not start: $(tail -n 3 "$DIRECTORY/$name.log")"
}

# Server connections that the clients of a proxy can have.
connections() { [[ $POOL == transaction ]] && echo 20 || echo 300; }

start_pgbouncer() {
  local bouncer
  bouncer=$(PATH=$PATH:/usr/sbin command -v pgbouncer) ||
    die "pgbouncer is missing; ./run deps bench installs it"
  echo '"bench" ""' >"$DIRECTORY/userlist.txt"
  cat >"$DIRECTORY/pgbouncer.ini" <<INI
[databases]
bench = host=127.0.0.1 port=$POSTGRES_PORT dbname=bench user=bench password=$BENCH_PASSWORD
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${PORT[pgbouncer]}
unix_socket_dir =
auth_type = trust
auth_file = $DIRECTORY/userlist.txt
pool_mode = $([[ $POOL == transaction ]] && echo transaction || echo session)
default_pool_size = $(connections)
max_client_conn = 5000
log_connections = 0
log_disconnections = 0
INI
  [[ -z $TLS ]] || cat >>"$DIRECTORY/pgbouncer.ini" <<INI
client_tls_sslmode = require
server_tls_sslmode = disable
client_tls_cert_file = $DIRECTORY/server.crt
client_tls_key_file = $DIRECTORY/server.key
INI
  give_away userlist.txt pgbouncer.ini
  start pgbouncer "${PORT[pgbouncer]}" "$bouncer" -q "$DIRECTORY/pgbouncer.ini"
}

start_pgveil() {
  local binary=${PGVEIL_BIN:-$ROOT/build/release/cli/pgveil} config=$DIRECTORY/pgveil.yaml
  [[ -x $binary ]] || die "there is no $binary; ./run build makes it"
  cp "$binary" "$DIRECTORY/pgveil" # RUN_USER may not reach the tree
  sed "s/^    k: 20$/&\n    enforcement: $ENFORCEMENT/" "$HERE/people467.yaml" >"$DIRECTORY/people467.yaml"
  mkdir -p "$DIRECTORY/state"
  chmod 700 "$DIRECTORY/state"
  cat >"$config" <<YAML
listen: {host: 127.0.0.1, port: ${PORT[pgveil]}}
backend:
  host: 127.0.0.1
  port: $POSTGRES_PORT
  databases: [bench]
  query_role: {user: bench, password_file: bench_password}
  admin_role: {user: bench_admin, password_file: admin_password}
auth: {method: trust}
admin: {admin_users: [bench]}
policies: [people467.yaml]
open_tables: [public.pgbench_accounts, public.pgbench_branches, public.pgbench_tellers$(! has_table large || echo ", public.large")]
state_dir: state
limits: {max_clients: 5000}
pool: {mode: $POOL, size: $(connections)}
log: {level: warning}
$([[ -z $TLS ]] || echo "tls: {clients: {mode: require, cert_file: server.crt, key_file: server.key}}")
YAML
  give_away bench_password admin_password pgveil people467.yaml state pgveil.yaml
  "${AS_USER[@]}" env -C "$DIRECTORY" HOME="$DIRECTORY" ./pgveil setup-sql --config "$config" \
    >"$DIRECTORY/setup.sql" 2>"$DIRECTORY/setup.log" || die "pgveil setup-sql: $(tail -n 3 "$DIRECTORY/setup.log")"
  ask "$POSTGRES_PORT" postgres bench -f "$DIRECTORY/setup.sql" >/dev/null
  "${AS_USER[@]}" env -C "$DIRECTORY" HOME="$DIRECTORY" ./pgveil policy build --all --config "$config" \
    >"$DIRECTORY/policy_build.log" 2>&1 ||
      die "pgveil policy build: $(tail -n 3 "$DIRECTORY/policy_build.log")"
  start pgveil "${PORT[pgveil]}" ./pgveil serve --config "$config"
  say "disclosure tree of people467: $(ask "${PORT[pgveil]}" bench pgveil -At -c 'SHOW COHORTS people467' |
    wc -l) cohorts"
}

give_away() {
  [[ $EUID -ne 0 ]] || (cd "$DIRECTORY" && chown -R "$RUN_USER:" "$@")
}

# measure TARGET TABLE MODE CLIENTS SECONDS: prints "tps,latency_ms,p99_ms", or fails with pgbench's last
# words. The 99th percentile is that of a tenth of the transactions, or of all on the table large.
measure() {
  local target=$1 table=$2 mode=$3 clients=$4 seconds=$5 sampled=0.1 output p99
  [[ $table != large ]] || sampled=1 # there are few of them
  rm -f "$DIRECTORY"/latency.*
  output=$(PGPASSFILE=$DIRECTORY/pgpass pgbench -n -h 127.0.0.1 -p "${PORT[$target]}" -U bench -f \
    "$HERE/$table.sql" -s "$SCALE" \
    -D rows="$PEOPLE" -M "$mode" -c "$clients" -j 1 -T "$seconds" \
    -l --log-prefix="$DIRECTORY/latency" --sampling-rate="$sampled" bench 2>&1) ||
    die "pgbench ($target, $table, $mode, $clients clients): $(tail -n 2 <<<"$output" | tr '\n' ' ')"
  [[ $output == *"tps = "* ]] || die "pgbench ($target, $table, $mode, $clients clients) got nothing done in $seconds s"
  p99=$(cat "$DIRECTORY"/latency.* | awk '{print $3}' | sort -n |
    awk '{times[NR] = $1} END{print times[int(NR * 0.99) + (NR < 100)] / 1000}')
  awk -v p99="$p99" '/^tps = /{tps = $3} /^latency average = /{latency = $4}
    END{print tps "," latency "," p99}' <<<"$output"
}

# Within a round each target has its turn under each condition, and the order is another one in every round:
# what drifts on the machine drifts for all.
run_rounds() {
  local round turn mode clients table target result count=${#TARGETS[@]}
  echo "round,table,mode,clients,target,tps,latency_ms,p99_ms" >"$CSV"
  for ((round = 1; round <= ROUNDS; round++)); do
    step "round $round of $ROUNDS"
    for table in $TABLES; do
      for mode in $MODES; do
        for clients in $CLIENTS; do
          for ((turn = 0; turn < count; turn++)); do
            target=${TARGETS[$(((turn + round) % count))]}
            [[ "$POOL $target $mode" != "transaction pgbouncer prepared" ]] || continue
            result=$(measure "$target" "$table" "$mode" "$clients" "$SECONDS_EACH") || exit 1
            echo "$round,$table,$mode,$clients,$target,$result" >>"$CSV"
          done
        done
      done
    done
  done
}

# Of clients that share connections: a connection of its own for each would be PostgreSQL's memory.
measure_idle() {
  [[ $POOL == transaction ]] || return 0
  local name proxies=()
  for name in pgbouncer pgveil; do
    ! has_target "$name" || proxies+=("$name=${PORT[$name]}=${PID[$name]}")
  done
  [[ ${#proxies[@]} -eq 0 ]] ||
    PYTHONPATH=$ROOT/bench python3 "$HERE/idle.py" "${proxies[@]}" --user bench --database bench \
    --clients "$IDLE_CLIENTS" ${TLS:+--tls}
}

has_target() { [[ " ${TARGETS[*]} " == *" $1 "* ]]; }
has_table() { [[ " $TABLES " == *" $1 "* ]]; }

main() {
  case ${1:-} in
    '') ;;
    --quick) ROUNDS=2 SECONDS_EACH=1 ;;
    *) die_usage "bench proxy: unknown argument \"$1\"" ;;
  esac
  local table
  mkdir -p "$ROOT/build/bench"
  CSV=$ROOT/build/bench/proxy.csv
  prepare
  start_postgres "$POSTGRES_PORT" "$SUPERUSER_PASSWORD"
  load_tables
  export PGSSLMODE=disable
  [[ -z $TLS ]] || PGSSLMODE=require
  ! has_target pgbouncer || start_pgbouncer
  ! has_target pgveil || start_pgveil
  for table in $TABLES; do
    measure "${TARGETS[0]}" "$table" simple 8 1 >/dev/null # warms the caches
  done
  measure_idle # of processes that have served nobody else: memory that busy clients left would be used again
  run_rounds
  python3 "$HERE/summary.py" "$CSV" | tee "$ROOT/build/bench/proxy.md"
}

main "$@"
