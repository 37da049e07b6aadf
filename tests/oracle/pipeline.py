"""A client that sends many conversations before it reads the first answer: a round trip for a hundred
statements."""
import socket

from harness.wire import RawClient

READ_SECONDS = 120
BYTES_AHEAD = 24 * 1024  # what a socket takes while its reader is busy answering


class Ended(Exception):
    """The connection ended in the middle of a conversation."""


class Pipeline:
    def __init__(self, port, user, database, parameters=None):
        self.client = RawClient(port, user, database, parameters)
        if self.client.login.errors:
            raise Ended(str(self.client.login.errors))
        self.socket = self.client.socket
        self.socket.settimeout(READ_SECONDS)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.buffer, self.at = bytearray(), 0

    def close(self):
        self.client.close()

    def send(self, data):
        self.socket.sendall(data)

    def answer(self, ends):
        """The messages up to the `ends`-th ReadyForQuery."""
        found = []
        while ends:
            tag, body = self.message()
            found.append((tag, body))
            ends -= tag == b"Z"
        return found

    def message(self):
        while len(self.buffer) - self.at < 5:
            self.more()
        end = self.at + 1 + int.from_bytes(self.buffer[self.at + 1:self.at + 5], "big")
        while len(self.buffer) < end:
            before = self.at
            self.more()
            end -= before - self.at
        tag, body = bytes(self.buffer[self.at:self.at + 1]), bytes(self.buffer[self.at + 5:end])
        self.at = end
        return tag, body

    def more(self):
        del self.buffer[:self.at]
        self.at = 0
        data = self.socket.recv(1 << 18)
        if not data:
            raise Ended
        self.buffer += data


def batches(items, size):
    """Lists of (item, data) whose data fit into a socket's buffer; size(item) makes the data."""
    batch, bytes_of_batch = [], 0
    for item in items:
        data = size(item)
        length = sum(map(len, data))
        if batch and bytes_of_batch + length > BYTES_AHEAD:
            yield batch
            batch, bytes_of_batch = [], 0
        batch.append((item, data))
        bytes_of_batch += length
    if batch:
        yield batch


def answers(pipelines, items, segments):
    """For each item: (item, the answer on each pipeline). segments(item) makes the messages of its
    conversation."""
    for batch in batches(items, segments):
        data = b"".join(part for _, parts in batch for part in parts)
        for pipeline in pipelines:
            pipeline.send(data)
        for item, parts in batch:
            yield item, [pipeline.answer(len(parts)) for pipeline in pipelines]
