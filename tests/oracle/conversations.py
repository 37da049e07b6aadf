"""The ways a statement is sent: as protocol messages that end in a known number of ReadyForQuery. Every way
leaves the session as it found it, whatever was answered in between."""
import struct

from families import FAMILIES

WRITERS = {
    "text": str.encode,
    "fold": str.encode,
    "int": lambda text: struct.pack("!i", int(text)),
    "bool": lambda text: b"\1" if text == "t" else b"\0",
    "float": lambda text: struct.pack("!d", float(text)),
    "uuid": lambda text: bytes.fromhex(text.replace("-", "")),
    "mac": lambda text: bytes.fromhex(text.replace(":", "")),
    "bytes": lambda text: bytes.fromhex(text[2:]),
}
SETTINGS = (
    "TimeZone = 'Asia/Tokyo'",
    "DateStyle = 'SQL, DMY'",
    "extra_float_digits = 0",
    "bytea_output = 'escape'",
    "IntervalStyle = 'iso_8601'",
    "enable_hashjoin = off",
    "enable_hashagg = off",
    "work_mem = '64kB'",
)


def message(tag, body=b""):
    return tag + struct.pack("!I", len(body) + 4) + body


def simple(sql):
    return message(b"Q", sql.encode() + b"\0")


def parse(sql, name=b"", types=()):
    return message(
        b"P", name + b"\0" + sql.encode() + b"\0" + struct.pack(f"!H{len(types)}I", len(types), *types)
    )


def bind(parameters, is_binary, name=b"", portal=b""):
    formats, values = b"", b""
    for family, text in parameters:
        write = WRITERS.get(family) if is_binary else None
        formats += struct.pack("!H", 1 if write else 0)
        data = write(text) if write else text.encode()
        values += struct.pack("!I", len(data)) + data
    count = struct.pack("!H", len(parameters))
    return message(b"B", portal + b"\0" + name + b"\0" + count + formats + count + values
                   + struct.pack("!HH", 1, 1 if is_binary else 0))


def describe(what, name=b""):
    return message(b"D", what + name + b"\0")


def execute(rows=0, portal=b""):
    return message(b"E", portal + b"\0" + struct.pack("!I", rows))


def close(what, name):
    return message(b"C", what + name + b"\0")


SYNC = message(b"S")


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def of_prepared(query):
    arguments = ", ".join(quoted(text) for _, text in query.parameters)
    declared = ", ".join(FAMILIES[family].cast for family, _ in query.parameters)
    start = f"PREPARE p{f'({declared})' if declared and query.choice < 0.5 else ''} AS {query.sql}"
    run = f"EXECUTE p{f'({arguments})' if arguments else ''}"
    return [start, run, run, "DEALLOCATE p" if query.choice < 0.5 else "DEALLOCATE ALL", "DEALLOCATE ALL"]


def of_named(query):
    types = [FAMILIES[family].oid for family, _ in query.parameters] if query.choice < 0.5 else []
    run = bind(query.parameters, query.choice < 0.3, b"s") + execute() + SYNC
    return [parse(query.sql, b"s", types) + describe(b"S", b"s") + SYNC, run, run, close(b"S", b"s") + SYNC]


def of_portal(query):
    """In two portions; the first rows are anybody's unless the query has an order."""
    first = execute(2, b"c") if query.is_ordered else b""
    start = parse(query.sql) + bind(query.parameters, False, b"", b"c") + describe(b"P", b"c")
    return [start + first + execute(0, b"c") + SYNC]


ORDERED_FETCHES = (
    "FETCH 3 FROM c; MOVE 1 IN c; FETCH ALL FROM c", "FETCH FORWARD ALL FROM c; FETCH PRIOR FROM c",
    "FETCH NEXT FROM c; FETCH LAST FROM c; FETCH ABSOLUTE 2 FROM c",
    "MOVE FORWARD 4 IN c; FETCH BACKWARD 2 FROM c; FETCH RELATIVE 1 FROM c; FETCH FIRST FROM c",
    "MOVE ALL IN c; FETCH BACKWARD ALL FROM c")


def of_cursor(query):
    way = (
        ORDERED_FETCHES[int(query.choice * len(ORDERED_FETCHES))] if query.is_ordered else "FETCH ALL FROM c"
    )
    scroll = (
        ("", "NO SCROLL", "INSENSITIVE", "BINARY")[int(query.choice * 10) % 4]
        if not query.is_ordered
        else "SCROLL"
    )
    return ["BEGIN", f"DECLARE c {scroll} CURSOR FOR {query.sql}", way, "CLOSE c", "ROLLBACK"]


def of_copy(query):
    options = ("", " (FORMAT csv, HEADER)", " WITH (DELIMITER '|', NULL '-')")[int(query.choice * 3)]
    return [f"COPY ({query.sql}) TO STDOUT{options}"]


def of_settings(query):
    setting = SETTINGS[int(query.choice * len(SETTINGS))]
    return ["BEGIN", f"SET LOCAL {setting}", query.sql, "ROLLBACK"]


PATHS = (
    "alt, public",
    "alt",
    "public",
    "'alt', 'public'",
    "DEFAULT",
    '"$user", public',
    "nowhere, alt, pg_catalog",
    "public, alt, pg_temp",
    "''",
)


def of_path(query):
    path = PATHS[int(query.choice * len(PATHS))]
    if query.choice * 100 % 2 < 1:
        return ["BEGIN", f"SET LOCAL search_path TO {path}", query.sql, "ROLLBACK", query.sql]
    return [f"SET search_path = {path}", query.sql, "RESET search_path", query.sql]


def texts(query):
    """The SQL of a conversation."""
    return {
        "prepared": of_prepared,
        "cursor": of_cursor,
        "copy": of_copy,
        "settings": of_settings,
        "path": of_path,
    }.get(query.way, lambda each: [each.sql])(query)


def segments(query):
    """The messages, one bytes object for each ReadyForQuery."""
    sql, parameters = query.sql, query.parameters
    return {
        "extended": lambda: [parse(sql) + bind(parameters, False) + describe(b"P") + execute() + SYNC],
        "binary": lambda: [parse(sql, b"", [FAMILIES[family].oid for family, _ in parameters])
                           + bind(parameters, True) + describe(b"P") + execute() + SYNC],
        "named": lambda: of_named(query), "portal": lambda: of_portal(query),
        "several": lambda: [simple(f"SELECT 1; {sql}; SELECT 'after'")]}.get(
            query.way, lambda: [simple(text) for text in texts(query)])()
