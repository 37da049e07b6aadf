"""Memory that idle clients take: idle.py NAME=PORT=PID… --user U --database D [--clients N] [--tls]

Logs N clients in at each proxy, which then say nothing, and prints by how much the resident memory of the
process grew for each. One client that runs a statement before and is gone comes first, so that what is made
once is not counted. Half of the clients have sent one statement (SELECT 1), the others none. Sockets' own
memory is the kernel's and not in the figure."""
import argparse
import sys
import time

from bench_wire import allow_sockets, ask, log_in, resident_bytes


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
    allow_sockets(options.clients)
    print(f"resident memory for each of {options.clients} idle clients{' with TLS' if options.tls else ''}")
    for proxy in options.proxies:
        name, port, pid = proxy.split("=")
        print(f"| {name:<24} | {growth(int(port), int(pid), options) / 1024:7.1f} KB |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
