"""Many clients that stay connected and ask at a slow steady rate, and the memory of the proxy meanwhile:
soak.py --port=N --policies=N --k=N --clients=N --minutes=N --rate=N. README.md says what is measured.

The times of the statements are fixed in advance, so a slow answer does not slow down the questions. A
statement's latency counts from its own time, and includes the wait of a client that was late."""

import argparse
import os
import selectors
import statistics
import struct
import time
from array import array

from bench_clients import connected, listen_port
from bench_wire import allow_sockets, log_in, query, resident_bytes
from intervals import print_table
from measure import COLUMNS, built, configure, serving

WARM_UP = 1 / 6  # of the time
SAMPLES = 60  # of memory, or one a minute if that is more
IDS = 200  # rows of each table that are asked for
RARE = 25  # of so many statements, one reads other columns: plans that are kept are then dropped for it
# What "flat" means. Shorter runs are not judged: a buffer that is filled once would count for too much.
FLAT_PERCENT_PER_HOUR = 1.0
LEAST_MINUTES_JUDGED = 30


class Client:
    """A connection, and what it waits for: the time of its statement, and the rows it has to get."""

    def __init__(self, connection):
        self.connection, self.unread, self.since, self.expected, self.rows = connection, b"", None, None, []
        self.error = None

    def send(self, since, statement, expected):
        self.since, self.expected, self.rows, self.error = since, expected, [], None
        self.connection.sendall(query(statement))

    def read(self):
        """→ whether the answer is complete."""
        part = self.connection.recv(65536)
        if not part:
            raise ConnectionError("the proxy closed the connection")
        self.unread += part
        while len(self.unread) >= 5:
            kind, length = struct.unpack_from("!cI", self.unread)
            if len(self.unread) < 1 + length:
                return False
            body, self.unread = self.unread[5 : 1 + length], self.unread[1 + length :]
            if kind == b"D":
                self.rows.append(cells(body))
            elif kind == b"E":
                self.error = body.replace(b"\0", b" ").decode()
            elif kind == b"Z":
                return True
        return False


def cells(body):
    """Of a DataRow: texts, and None for NULL."""
    count, at, found = struct.unpack_from("!H", body)[0], 2, []
    for _ in range(count):
        length = struct.unpack_from("!i", body, at)[0]
        at += 4
        found.append(None if length < 0 else body[at : at + length].decode())
        at += max(length, 0)
    return tuple(found)


def statements(owner, policies):
    """→ (statement, its row) for some rows of each table. A cell of the row is the raw one or NULL, which is
    checked here; during the run it has to stay the same."""
    reader = connected(listen_port(), "bench", "bench").cursor()
    listed = ", ".join(f"{column}::text" for column in COLUMNS)
    drawn, hidden = [], 0
    for table in range(1, policies + 1):
        rows = []
        for cursor in (reader, owner):
            cursor.execute(f"SELECT {listed} FROM people{table} WHERE id <= {IDS} ORDER BY id")
            rows.append(cursor.fetchall())
        for at, (shown, raw) in enumerate(zip(*rows, strict=True), 1):
            if any(cell not in (None, true) for cell, true in zip(shown, raw, strict=True)):
                raise SystemExit(f"people{table}, id {at}: {shown} is shown of {raw}")
            hidden += shown.count(None)
            width = len(COLUMNS) if at % RARE else 1 + at // RARE % (len(COLUMNS) - 1)
            drawn.append(
                (f"SELECT {', '.join(COLUMNS[:width])} FROM people{table} WHERE id = {at}", shown[:width])
            )
    if not hidden:
        raise SystemExit("no cell is hidden; these policies mask nothing")
    # Neighbors in time ask different tables.
    return [drawn[table * IDS + at] for at in range(IDS) for table in range(policies)]


class Soak:
    def __init__(self, pid, owner, clients, drawn, rate):
        self.pid, self.owner, self.clients, self.drawn, self.rate = pid, owner, clients, drawn, rate
        self.latencies, self.errors, self.samples = array("d"), [], []
        self.selector = selectors.DefaultSelector()
        for client in clients:
            self.selector.register(client.connection, selectors.EVENT_READ, client)

    def sample(self, begin):
        """(minutes, MB of the proxy, MB of its connections to PostgreSQL that no other process shares)"""
        self.owner.execute("SELECT pid FROM pg_stat_activity WHERE usename = 'bench'")
        servers = sum(private_kb(pid) for pid, in self.owner.fetchall()) / 1024
        self.samples.append(((time.perf_counter() - begin) / 60, resident_bytes(self.pid) / 2**20, servers))

    def answered(self, client):
        if client.error or client.rows != [client.expected]:
            self.errors.append(client.error or f"{client.rows} instead of {client.expected}")
        self.latencies.append(time.perf_counter() - client.since)
        client.since = None

    def wait(self, until):
        while True:
            for key, _ in self.selector.select(max(until - time.perf_counter(), 0)):
                self.attempt(key.data, lambda client: client.read() and self.answered(client))
            if time.perf_counter() >= until:
                return

    def attempt(self, client, step):
        """A client whose connection fails is an error, and the others go on without it."""
        try:
            step(client)
        except OSError as error:
            self.errors.append(f"a client was disconnected: {error}")
            self.selector.unregister(client.connection)
            self.clients.remove(client)

    def run(self, seconds):
        begin = time.perf_counter()
        step = min(60, seconds / SAMPLES)
        next_sample, number = begin, 0
        while self.clients:
            due = begin + number / self.rate
            if due >= begin + seconds:
                break
            self.wait(due)
            if due >= next_sample:
                self.sample(begin)
                next_sample += step
            client = self.clients[number % len(self.clients)]
            number += 1
            if client.since is None:
                statement, expected = self.drawn[number % len(self.drawn)]
                self.attempt(client, lambda it: it.send(due, statement, expected))
            else:
                self.errors.append(f"no answer within {len(self.clients) / self.rate:.0f} s")
        self.wait(time.perf_counter() + 5)
        self.errors += ["no answer at the end" for client in self.clients if client.since is not None]
        self.sample(begin)


def private_kb(pid):
    """What a connection of PostgreSQL takes, without what it shares with others. A connection that was closed
    since takes nothing."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as lines:
            return sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))
    except (FileNotFoundError, ProcessLookupError):
        return 0


def slope(points):
    """The median of the slopes of all pairs (Sen 1968), which a few outliers do not change."""
    return statistics.median(
        (y - v) / (x - u) for at, (u, v) in enumerate(points) for x, y in points[at + 1 :]
    )


def verdict(percent_per_hour, minutes):
    if minutes < LEAST_MINUTES_JUDGED:
        return (
            f"not judged, because {minutes:.1f} minutes after the warm-up are fewer than"
            f" {LEAST_MINUTES_JUDGED}"
        )
    return "flat" if abs(percent_per_hour) <= FLAT_PERCENT_PER_HOUR else "not flat"


def report(soak, options, logged_in_mb, before_mb, processor_percent):
    warm = options.minutes * WARM_UP
    head = [
        "memory after the warm-up",
        "first, MB",
        "last, MB",
        "least, MB",
        "most, MB",
        "slope, MB an hour",
        "verdict",
    ]
    rows = []
    kept = [sample for sample in soak.samples if sample[0] >= warm]
    for words, which in (("pgveil", 1), ("pgveil's connections in PostgreSQL", 2)):
        points = [(sample[0] / 60, sample[which]) for sample in kept]
        values = [value for _, value in points]
        grows = slope(points)
        said = verdict(100 * grows / statistics.median(values), options.minutes - warm)
        rows.append(
            [
                words,
                *(f"{v:.1f}" for v in (values[0], values[-1], min(values), max(values))),
                f"{grows:+.2f}",
                said,
            ]
        )
    print_table([head, *rows])
    if not soak.latencies:
        raise SystemExit(f"no statement was answered: {soak.errors[:1]}")
    latencies = sorted(soak.latencies)
    percentile = lambda share: 1000 * latencies[min(int(share * len(latencies)), len(latencies) - 1)]
    print(
        f"\nThe run had {options.clients:,} clients and {options.policies} policies and took"
        f" {options.minutes:g} minutes, of which the first {warm:.1f} were the warm-up. pgveil took"
        f" {before_mb:.1f} MB at the start and {logged_in_mb:.1f} MB with all clients logged in"
        f" ({1024 * (logged_in_mb - before_mb) / options.clients:.1f} KB for each).\n"
    )
    print(
        f"{len(latencies):,} statements were answered ({options.rate:g} a second), each with one masked row"
        f" that was checked, and there were {len(soak.errors)} errors. The median latency was"
        f" {percentile(0.5):.2f} ms, and the 99th percentile {percentile(0.99):.2f} ms. pgveil took"
        f" {processor_percent:.1f} % of a core.\n"
    )
    print(
        f'"Flat" means that the slope (Sen 1968) is at most {FLAT_PERCENT_PER_HOUR:g} % of the median an'
        f" hour. There were {len(kept)} samples."
    )
    for error in soak.errors[:3]:
        print(f"\n    {error}")


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as numbers:
        fields = numbers.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(owner, options, pid):
    drawn = statements(owner, options.policies)
    before_mb = resident_bytes(pid) / 2**20
    clients = [Client(log_in(listen_port(), "bench", "bench")) for _ in range(options.clients)]
    logged_in_mb = resident_bytes(pid) / 2**20
    soak = Soak(pid, owner, clients, drawn, options.rate)
    begin, used = time.perf_counter(), processor_seconds(pid)
    soak.run(options.minutes * 60)
    percent = 100 * (processor_seconds(pid) - used) / (time.perf_counter() - begin)
    with open("soak.tsv", "w", encoding="utf-8") as out:
        out.write("minutes\tpgveil_mb\tservers_mb\n")
        out.writelines(
            f"{minutes:.2f}\t{ours:.2f}\t{servers:.2f}\n" for minutes, ours, servers in soak.samples
        )
    report(soak, options, logged_in_mb, before_mb, percent)
    for client in clients:
        client.connection.close()


def main():
    arguments = argparse.ArgumentParser()
    for name in ("port", "policies", "k", "clients"):
        arguments.add_argument(f"--{name}", type=int, required=True)
    for name in ("minutes", "rate"):
        arguments.add_argument(f"--{name}", type=float, required=True)
    options = arguments.parse_args()
    allow_sockets(options.clients)
    owner = connected(options.port, "postgres", "bench").cursor()
    configure(options.policies, options.k, id_class="insensitive")
    for table in range(1, options.policies + 1):
        owner.execute(f"ALTER TABLE people{table} ADD PRIMARY KEY (id)")
        owner.execute(f"GRANT SELECT ON people{table} TO bench")
    built()
    with serving() as process:
        measured(owner, options, process.pid)


if __name__ == "__main__":
    main()
