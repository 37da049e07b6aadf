"""A way to PostgreSQL that can be made bad: between pgveil and the server, on a port of its own."""
import selectors
import socket
import struct
import threading


class Forwarder:
    """mode: pass; stall: nothing is carried any more, both ends stay open; reset: every connection is broken
    by RST, new ones too; mute: new connections are taken and never answered, old ones go on."""

    def __init__(self, port):
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self._listener.getsockname()[1]
        self.mode = "pass"
        self._ended = False
        self._pairs, self._muted = {}, []
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self):
        self._ended = True
        self._thread.join(timeout=30)
        for each in [self._listener, *self._pairs, *self._muted]:
            each.close()

    @property
    def connections(self):
        return len(self._pairs) // 2

    def _run(self):
        while not self._ended:
            for key, _ in self._selector.select(timeout=0.05):
                if key.fileobj is self._listener:
                    self._accept()
                elif self.mode != "stall":
                    self._carry(key.fileobj)
            if self.mode == "reset":
                for each in list(self._pairs):
                    self._break(each)

    def _accept(self):
        client, _ = self._listener.accept()
        if self.mode == "mute":
            self._muted.append(client)
        elif self.mode == "reset":
            self._reset(client)
        else:
            server = socket.create_connection(("127.0.0.1", self._target))
            self._pairs[client], self._pairs[server] = server, client
            for each in (client, server):
                self._selector.register(each, selectors.EVENT_READ)

    def _carry(self, source):
        if source not in self._pairs:
            return
        try:
            data = source.recv(1 << 16)
            if data:
                self._pairs[source].sendall(data)
        except OSError:
            data = b""
        if not data:
            self._drop(source)

    @staticmethod
    def _reset(each):
        each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        each.close()

    def _break(self, each):
        if each in self._pairs:
            self._selector.unregister(each)
            self._pairs.pop(each)
            self._reset(each)

    def _drop(self, source):
        for each in (source, self._pairs.get(source)):
            if each in self._pairs:
                self._selector.unregister(each)
                self._pairs.pop(each)
                each.close()
