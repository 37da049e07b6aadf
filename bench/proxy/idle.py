"""Memory that idle clients take: idle.py NAME=PORT=PID… --user U --database D [--clients N] [--tls]

Logs N clients in at each proxy, which then say nothing, and prints by how much the resident memory of the
process grew for each. One client that runs a statement before and is gone comes first, so that what is made
once is not counted. Half of the clients have sent one statement (SELECT 1), the others none. Sockets' own
memory is the kernel's and not in the figure."""
import argparse
import resource
import socket
import ssl
import struct
import sys
import time

SSL_REQUEST = struct.pack("!II", 8, 80877103)


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


def log_in(port, user, database, is_tls):
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


def ask(connection, sql):
    text = sql.encode() + b"\0"
    connection.sendall(b"Q" + struct.pack("!I", len(text) + 4) + text)
    until_ready(connection)


def resident_bytes(pid):
    with open(f"/proc/{pid}/statm") as numbers:
        return int(numbers.read().split()[1]) * resource.getpagesize()


def growth(port, pid, options):
    for _ in range(20):
        first = log_in(port, options.user, options.database, options.tls)
        ask(first, "SELECT 1")
        first.close()
    time.sleep(1)
    before = resident_bytes(pid)
    clients = []
    for number in range(options.clients):
        clients.append(log_in(port, options.user, options.database, options.tls))
        if number % 2:
            ask(clients[-1], "SELECT 1")
    time.sleep(2)
    grown = resident_bytes(pid) - before
    for client in clients:
        client.close()
    return grown / options.clients


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("proxies", nargs="+")
    parser.add_argument("--user", required=True)
    parser.add_argument("--database", required=True)
    parser.add_argument("--clients", type=int, default=1000)
    parser.add_argument("--tls", action="store_true")
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, options.clients + 200), hard))
    print(f"resident memory for each of {options.clients} idle clients{' with TLS' if options.tls else ''}")
    for proxy in options.proxies:
        name, port, pid = proxy.split("=")
        print(f"| {name:<24} | {growth(int(port), int(pid), options) / 1024:7.1f} KB |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
