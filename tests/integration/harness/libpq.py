"""A libpq of any version, in a process of its own: two of them do not live together in one. Run as a script it
connects, asks, and prints what it saw as JSON."""
import ctypes
import json
import os
import pathlib
import subprocess
import sys

SECONDS = 60
LIBPQ_18 = 180000
SYSTEM = "libpq.so.5"


def newer():
    """The libpq of a newer server whose folder of programs the environment names; None if there is none."""
    for name in ("PGVEIL_POSTGRES_BIN_18", "PGVEIL_POSTGRES_BIN"):
        folder = os.environ.get(name)
        library = pathlib.Path(folder).parent / "lib" / SYSTEM if folder else None
        if library and library.exists() and version(library) >= LIBPQ_18:
            return library
    return None


def version(library):
    return run(library, "version")["version"]


def run(library, verb, *arguments):
    """→ what main() below found."""
    done = subprocess.run([sys.executable, __file__, str(library), verb, *arguments], capture_output=True,
                          text=True, timeout=SECONDS)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


class Connection:
    def __init__(self, library, words):
        self.pq = ctypes.CDLL(library)
        for name in ("PQerrorMessage", "PQparameterStatus", "PQgetvalue", "PQresultErrorField",
                     "PQsslAttribute", "PQcancelErrorMessage"):
            if hasattr(self.pq, name):
                getattr(self.pq, name).restype = ctypes.c_char_p
        for name in ("PQconnectdb", "PQexec", "PQgetResult", "PQgetCancel", "PQcancelCreate"):
            if hasattr(self.pq, name):
                getattr(self.pq, name).restype = ctypes.c_void_p
        self.connection = ctypes.c_void_p(self.pq.PQconnectdb(words.encode()))

    def error(self):
        return self.pq.PQerrorMessage(self.connection).decode()

    def is_open(self):
        return self.pq.PQstatus(self.connection) == 0

    def protocol(self):
        """30000 or 30002; before libpq 18 only the major version is known."""
        if hasattr(self.pq, "PQfullProtocolVersion"):
            return self.pq.PQfullProtocolVersion(self.connection)
        return self.pq.PQprotocolVersion(self.connection) * 10000

    def ask(self, sql):
        """The cells of the answer, or its SQLSTATE."""
        return self.read(ctypes.c_void_p(self.pq.PQexec(self.connection, sql.encode())))

    def read(self, result):
        state = self.pq.PQresultErrorField(result, ord("C"))
        if state is not None:
            return state.decode()
        return [[self.pq.PQgetvalue(result, row, column).decode()
                 for column in range(self.pq.PQnfields(result))] for row in range(self.pq.PQntuples(result))]

    def cancel(self):
        """True: the request was taken. From 17 on it goes the way that the connection went."""
        if hasattr(self.pq, "PQcancelCreate"):
            request = ctypes.c_void_p(self.pq.PQcancelCreate(self.connection))
            return self.pq.PQcancelBlocking(request) == 1
        text = ctypes.create_string_buffer(256)
        return self.pq.PQcancel(ctypes.c_void_p(self.pq.PQgetCancel(self.connection)), text, 256) == 1

    def setting(self, name):
        value = self.pq.PQparameterStatus(self.connection, name.encode())
        return None if value is None else value.decode()


def main(library, verb, words="", sql="", long=""):
    if verb == "version":
        return {"version": ctypes.CDLL(library).PQlibVersion()}
    connection = Connection(library, words)
    if not connection.is_open():
        return {"error": connection.error()}
    seen = {
        "protocol": connection.protocol(),
        "is_encrypted": connection.pq.PQsslInUse(connection.connection) == 1,
        "alpn": (connection.pq.PQsslAttribute(connection.connection, b"alpn") or b"").decode(),
        "search_path": connection.setting("search_path"),
        "answer": connection.ask(sql),
    }
    if long:
        connection.pq.PQsendQuery(connection.connection, long.encode())
        sys.stdin.readline()  # until it is known to run
        seen["is_cancelled"] = connection.cancel()
        seen["cancelled"] = connection.read(ctypes.c_void_p(connection.pq.PQgetResult(connection.connection)))
    return seen


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
