# Sourced by the demo. Runs a private PostgreSQL in its own directory, on its own port, on loopback only.
# REQUIRES: ROOT is set; choose_user was called; DIRECTORY belongs to RUN_USER.
[[ -n ${SERVER:-} ]] || source "$ROOT/scripts/packages.sh"

postgres_bin() {
  local candidate
  for candidate in "${PGVEIL_POSTGRES_BIN:-}" "/usr/lib/postgresql/$SERVER/bin"; do
    [[ -n $candidate && -x $candidate/initdb ]] && { echo "$candidate"; return; }
  done
  die "PostgreSQL $SERVER is missing; ./run deps demo installs it"
}

# free_port FIRST: the first port from FIRST on that nobody listens on, on loopback. FIRST must be below
# 32768: outgoing connections, which leave ports unusable for a minute, take theirs from there on.
free_port() {
  local port
  for ((port = $1; port < $1 + 200; port++)); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
  die "no free port from $1 on"
}

new_password() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

# start_postgres PORT PASSWORD: every login needs a password; PASSWORD is the superuser's.
start_postgres() {
  local port=$1 bin
  bin=$(postgres_bin)
  (umask 077 && printf '%s' "$2" >"$DIRECTORY/superuser")
  [[ $EUID -ne 0 ]] || chown "$RUN_USER:" "$DIRECTORY/superuser"
  "${AS_USER[@]}" env -C / "$bin/initdb" -D "$DIRECTORY/data" -U postgres -A scram-sha-256 \
    --pwfile="$DIRECTORY/superuser" -E UTF8 --locale=C --no-sync --no-instructions >"$DIRECTORY/initdb.log" \
      2>&1 ||
    die "initdb failed: $(tail -n 1 "$DIRECTORY/initdb.log")"
  cat >>"$DIRECTORY/data/postgresql.conf" <<CONF
port = $port
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
synchronous_commit = off
full_page_writes = off
max_wal_size = 4GB
shared_buffers = 256MB
work_mem = 64MB
max_connections = 100
CONF
  "${AS_USER[@]}" env -C / "$bin/pg_ctl" -D "$DIRECTORY/data" -l "$DIRECTORY/postgres.log" -w -t 60 start \
    >/dev/null ||
    die "the private PostgreSQL did not start: $(tail -n 1 "$DIRECTORY/postgres.log")"
}

# stop_postgres: stops at once, because the data is thrown away anyway.
stop_postgres() {
  [[ -f $DIRECTORY/data/postmaster.pid ]] || return 0
  "${AS_USER[@]}" env -C / "$(postgres_bin)/pg_ctl" -D "$DIRECTORY/data" -m immediate -w stop >/dev/null \
    2>&1 || true
}
