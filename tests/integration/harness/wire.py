"""A PostgreSQL client on a bare socket: it can send anything, byte by byte, and each of its reads has a time
limit."""
import base64
import dataclasses
import hashlib
import hmac
import os
import socket
import ssl
import struct

READ_SECONDS = 60
PROTOCOL_3_0, PROTOCOL_3_2 = 3 << 16, 3 << 16 | 2
CANCEL_REQUEST, SSL_REQUEST = 80877102, 80877103
SASL_REQUEST, SASL_CONTINUE, SASL_FINAL = 10, 11, 12


class Closed(Exception):
    """The peer closed the connection."""


@dataclasses.dataclass
class Column:
    name: str
    table_oid: int
    attribute: int
    type_oid: int
    type_size: int
    typmod: int
    format: int

    def shape(self):
        return (self.name, self.type_oid, self.type_size, self.typmod)


@dataclasses.dataclass
class Reply:
    """Everything up to one ReadyForQuery, or up to the end of the connection."""
    columns: list = dataclasses.field(default_factory=list)   # of the last RowDescription
    descriptions: list = dataclasses.field(default_factory=list)
    rows: list = dataclasses.field(default_factory=list)      # of all results, cells as bytes or None
    tags: list = dataclasses.field(default_factory=list)
    errors: list = dataclasses.field(default_factory=list)
    notices: list = dataclasses.field(default_factory=list)
    messages: str = ""                                        # the type bytes, in order
    copied: bytes = b""
    negotiated: tuple | None = None                           # version, and options that are not known
    status: str = ""
    raw: bytearray = dataclasses.field(default_factory=bytearray)
    is_closed: bool = False

    def texts(self):
        return [
            [None if cell is None else cell.decode("utf-8", "replace") for cell in row] for row in self.rows
        ]

    def sqlstates(self):
        return [error.get("C") for error in self.errors]

    def sqlstate(self):
        return self.errors[0].get("C") if self.errors else None


def fields_of(body):
    return {chr(part[0]): part[1:].decode("utf-8", "replace") for part in body.split(b"\0") if part}


def columns_of(body):
    (count,) = struct.unpack_from("!H", body)
    at, columns = 2, []
    for _ in range(count):
        end = body.index(b"\0", at)
        name = body[at:end].decode("utf-8", "replace")
        columns.append(Column(name, *struct.unpack_from("!IhIhih", body, end + 1)))
        at = end + 19
    return columns


def cells_of(body):
    (count,) = struct.unpack_from("!H", body)
    at, cells = 2, []
    for _ in range(count):
        (length,) = struct.unpack_from("!i", body, at)
        at += 4
        if length < 0:
            cells.append(None)
        else:
            cells.append(body[at:at + length])
            at += length
    return cells


def startup_packet(parameters, version=PROTOCOL_3_0):
    body = struct.pack("!I", version)
    for name, value in parameters.items():
        body += name.encode() + b"\0" + value.encode() + b"\0"
    return struct.pack("!I", len(body) + 5) + body + b"\0"


def cancel_packet(pid, secret):
    return struct.pack("!III", 12 + len(secret), CANCEL_REQUEST, pid) + secret


def scram_verifier(password, iterations=4096):
    """What PostgreSQL keeps for a password."""
    salt = os.urandom(16)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, iterations)
    stored_key = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server_key = hmac.digest(salted, b"Server Key", "sha256")
    text = [base64.b64encode(part).decode() for part in (salt, stored_key, server_key)]
    return f"SCRAM-SHA-256${iterations}:{text[0]}${text[1]}:{text[2]}"


class ScramExchange:
    """The client's side of SCRAM-SHA-256 without channel binding (RFC 5802, RFC 7677)."""

    def __init__(self, password):
        self.password = password.encode()
        self.bare = "n=,r=" + base64.b64encode(os.urandom(18)).decode()

    def first(self):
        return "n,," + self.bare

    def final(self, server_first):
        part = dict(item.split("=", 1) for item in server_first.split(","))
        salted = hashlib.pbkdf2_hmac("sha256", self.password, base64.b64decode(part["s"]), int(part["i"]))
        client_key = hmac.digest(salted, b"Client Key", "sha256")
        bare = "c=biws,r=" + part["r"]
        message = ",".join([self.bare, server_first, bare]).encode()
        signature = hmac.digest(hashlib.sha256(client_key).digest(), message, "sha256")
        proof = bytes(x ^ y for x, y in zip(client_key, signature))
        self.server_signature = hmac.digest(hmac.digest(salted, b"Server Key", "sha256"), message, "sha256")
        return bare + ",p=" + base64.b64encode(proof).decode()

    def check(self, server_final):
        if base64.b64decode(server_final.removeprefix("v=")) != self.server_signature:
            raise AssertionError("the server did not prove that it knows the verifier")


class RawClient:
    def __init__(self, port, user=None, database=None, parameters=None, password=None, host="127.0.0.1"):
        """With a user it logs in at once; without one only the socket is open."""
        self.socket = socket.create_connection((host, port), timeout=READ_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = bytearray()
        self.settings, self.key, self.secret = {}, None, b""
        self.authentication = []
        self.login = None
        if user is not None:
            self.login = self.log_in({"user": user, "database": database, **(parameters or {})}, password)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            self.send(b"X")
        except OSError:
            pass
        self.socket.close()

    def secure(self, context, host="127.0.0.1"):
        """SSLRequest, its answer, and the handshake; raises ssl.SSLError when that fails."""
        self.send_bytes(struct.pack("!II", 8, SSL_REQUEST))
        answer = self.read_bytes(1)
        if answer != b"S":
            raise ssl.SSLError(f"answered {answer!r}")
        self.socket = context.wrap_socket(self.socket, server_hostname=host)
        return self

    def secure_directly(self, context, host="127.0.0.1"):
        """A handshake without a request; raises ssl.SSLError when that fails."""
        self.socket = context.wrap_socket(self.socket, server_hostname=host)
        return self

    # -- out
    def send_bytes(self, data):
        self.socket.sendall(data)

    def send(self, tag, body=b""):
        self.socket.sendall(tag + struct.pack("!I", len(body) + 4) + body)

    def parse(self, sql, statement="", types=()):
        body = statement.encode() + b"\0" + (sql if isinstance(sql, bytes) else sql.encode()) + b"\0"
        self.send(b"P", body + struct.pack(f"!H{len(types)}I", len(types), *types))

    def bind(self, parameters=(), statement="", portal="", result_format=0, parameter_format=0):
        body = portal.encode() + b"\0" + statement.encode() + b"\0"
        body += struct.pack("!HH", 1, parameter_format) + struct.pack("!H", len(parameters))
        for value in parameters:
            data = value.encode() if isinstance(value, str) else value
            body += struct.pack("!i", -1) if data is None else struct.pack("!i", len(data)) + data
        self.send(b"B", body + struct.pack("!HH", 1, result_format))

    def describe(self, what=b"P", name=""):
        self.send(b"D", what + name.encode() + b"\0")

    def execute(self, portal="", max_rows=0):
        self.send(b"E", portal.encode() + b"\0" + struct.pack("!i", max_rows))

    def close_object(self, what, name):
        self.send(b"C", what + name.encode() + b"\0")

    def sync(self):
        self.send(b"S")
        return self.collect()

    # -- in
    def read_bytes(self, count):
        while len(self.buffer) < count:
            try:
                data = self.socket.recv(1 << 16)
            except (ConnectionResetError, ssl.SSLError) as error:
                raise Closed from error
            if not data:
                raise Closed
            self.buffer += data
        taken = bytes(self.buffer[:count])
        del self.buffer[:count]
        return taken

    def read_message(self):
        head = self.read_bytes(5)
        (length,) = struct.unpack("!I", head[1:])
        return head[:1], self.read_bytes(length - 4)

    def collect(self, until=b"Z"):
        """Reads up to the first message of these types, or to the end of the connection."""
        reply = Reply()
        while True:
            try:
                tag, body = self.read_message()
            except Closed:
                reply.is_closed = True
                return reply
            reply.messages += tag.decode()
            reply.raw += tag
            reply.raw += body
            self._take(reply, tag, body)
            if tag in [bytes([byte]) for byte in until]:
                return reply

    def _take(self, reply, tag, body):
        if tag == b"T":
            reply.columns = columns_of(body)
            reply.descriptions.append(reply.columns)
        elif tag == b"D":
            reply.rows.append(cells_of(body))
        elif tag == b"C":
            reply.tags.append(body[:-1].decode())
        elif tag == b"E":
            reply.errors.append(fields_of(body))
        elif tag == b"N":
            reply.notices.append(fields_of(body))
        elif tag == b"d":
            reply.copied += body
        elif tag == b"Z":
            reply.status = body.decode()
        elif tag == b"S":
            name, value = body.split(b"\0")[:2]
            self.settings[name.decode()] = value.decode()
        elif tag == b"K":
            # As numbers where the secret is one, which it is at protocol 3.0.
            self.key = struct.unpack("!II", body) if len(body) == 8 else None
            self.pid, self.secret = struct.unpack("!I", body[:4])[0], body[4:]
        elif tag == b"v":
            names = body[8:].split(b"\0")[:-1]
            reply.negotiated = (struct.unpack("!I", body[:4])[0], [name.decode() for name in names])

    # -- conversations
    def log_in(self, parameters, password=None, version=PROTOCOL_3_0):
        given = {name: value for name, value in parameters.items() if value is not None}
        self.send_bytes(startup_packet(given, version))
        return self.finish_login(password)

    def finish_login(self, password=None):
        """Answers SCRAM-SHA-256 when there is a password; ends at ReadyForQuery, an error or an unanswered
        request."""
        reply, scram = Reply(), None
        while not reply.messages.endswith(("Z", "E")):
            tag, body = self.read_message()
            reply.messages += tag.decode()
            reply.raw += tag
            reply.raw += body
            self._take(reply, tag, body)
            if tag != b"R":
                continue
            (code,) = struct.unpack_from("!I", body)
            self.authentication.append((code, body[4:]))
            if code == SASL_REQUEST:
                if password is None:
                    return reply
                scram = ScramExchange(password)
                first = scram.first().encode()
                self.send(b"p", b"SCRAM-SHA-256\0" + struct.pack("!I", len(first)) + first)
            elif code == SASL_CONTINUE:
                self.send(b"p", scram.final(body[4:].decode()).encode())
            elif code == SASL_FINAL:
                scram.check(body[4:].decode())
        return reply

    def query(self, sql):
        self.send(b"Q", (sql if isinstance(sql, bytes) else sql.encode()) + b"\0")
        return self.collect()

    def extended(self, sql, parameters=(), types=(), result_format=0, max_rows=0):
        self.parse(sql, types=types)
        self.bind(parameters, result_format=result_format)
        self.describe()
        self.execute(max_rows=max_rows)
        return self.sync()
