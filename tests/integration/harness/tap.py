"""A relay in front of pgveil that keeps every byte. With PGVEIL_TAP=FOLDER in the environment each pgveil of
a test gets one: per connection FOLDER/N.USER.asked and .answered, and FOLDER/N.log for each pgveil's log."""
import itertools
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import threading

FOLDER = os.environ.get("PGVEIL_TAP")
NUMBERS = itertools.count()
CHUNK = 1 << 16


def number():
    return f"{os.getpid()}-{next(NUMBERS):05}"


class Tap:
    """Accepts on a port of its own and passes everything on to another. A process of its own, because a
    driver may hold this one's interpreter while it waits for an answer."""

    def __init__(self, port, target):
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(port), str(target)], stdout=subprocess.PIPE
        )
        if self.process.stdout.readline() != b"ready\n":
            raise RuntimeError("the tap did not start")

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=30)
        self.process.stdout.close()


def serve(port, target):
    connections = []
    listener = socket.create_server(("127.0.0.1", port), backlog=100)
    signal.signal(signal.SIGTERM, lambda *_: end(connections))
    print("ready", flush=True)
    while True:
        client, _ = listener.accept()
        try:
            server = socket.create_connection(("127.0.0.1", target))
        except OSError:
            client.close()
            continue
        connections.append(Connection(client, server))
        threading.Thread(target=connections[-1].run, daemon=True).start()


def end(connections):
    for each in connections:
        each.keep()
    os._exit(0)


class Connection:
    def __init__(self, client, server):
        self.client, self.server = client, server
        for each in (client, server):
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.asked, self.answered = bytearray(), bytearray()

    def run(self):
        back = threading.Thread(target=self.pump, args=(self.server, self.client, self.answered), daemon=True)
        back.start()
        self.pump(self.client, self.server, self.asked)
        back.join()
        for each in (self.client, self.server):
            each.close()

    def keep(self):
        name = pathlib.Path(FOLDER) / f"{number()}.{self.user()}"
        name.with_name(name.name + ".asked").write_bytes(bytes(self.asked))
        name.with_name(name.name + ".answered").write_bytes(bytes(self.answered))

    @staticmethod
    def pump(source, sink, kept):
        try:
            while data := source.recv(CHUNK):
                kept += data
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            # The one side's end is the other's.
            for each in (source, sink):
                try:
                    each.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def user(self):
        """Of the start-up packet; an SSL request may come before it."""
        data = bytes(self.asked)
        while len(data) >= 8 and struct.unpack("!I", data[4:8])[0] in (80877103, 80877104):
            data = data[8:]
        parts = data[8:8 + 2000].split(b"\0")
        found = [value for name, value in zip(parts[::2], parts[1::2]) if name == b"user"]
        return "".join(c for c in found[0].decode("utf-8", "replace") if c.isalnum()) if found else "nobody"


def keep_log(text):
    if FOLDER:
        (pathlib.Path(FOLDER) / f"{number()}.log").write_text(text)


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]))
