"""Clients of the benchmarks that speak PostgreSQL's protocol themselves: of these, a process can hold
thousands. They log in without a password."""

import resource
import socket
import ssl
import struct

SSL_REQUEST = struct.pack("!II", 8, 80877103)


def allow_sockets(count):
    """Raises this process's limit of open files, as far as the hard limit permits it."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < count + 200:
        raise SystemExit(
            f"{count} clients need {count + 200} open files, and the hard limit (ulimit -Hn) is {hard}"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (count + 200, hard))


def received(connection, size):
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            raise ConnectionError("closed")
        data += part
    return data


def until_ready(connection):
    while True:
        kind, length = struct.unpack("!cI", received(connection, 5))
        body = received(connection, length - 4)
        if kind == b"E":
            raise ConnectionError(body.replace(b"\0", b" ").decode())
        if kind == b"Z":
            return


def log_in(port, user, database, is_tls=False):
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    if is_tls:
        connection.sendall(SSL_REQUEST)
        if received(connection, 1) != b"S":
            raise ConnectionError("no TLS")
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = context.wrap_socket(connection)
    settings = b"".join(text.encode() + b"\0" for text in ("user", user, "database", database))
    packet = struct.pack("!I", 196608) + settings + b"\0"
    connection.sendall(struct.pack("!I", len(packet) + 4) + packet)
    until_ready(connection)
    return connection


def query(sql):
    """The message that sends a statement of the simple protocol."""
    text = sql.encode() + b"\0"
    return b"Q" + struct.pack("!I", len(text) + 4) + text


def ask(connection, sql):
    connection.sendall(query(sql))
    until_ready(connection)


def resident_bytes(pid):
    with open(f"/proc/{pid}/statm", encoding="utf-8") as numbers:
        return int(numbers.read().split()[1]) * resource.getpagesize()
