#!/usr/bin/python3
"""Clients whose encoding is not UTF8: they get what a client of UTF8 gets, in their encoding; masks hold for
every byte that they may send; and encodings with several bytes for a character are refused with the way
out."""
import os
import subprocess

import psycopg
import psycopg2

from harness import world
from harness.runner import main
from harness.stack import StackCase
from harness.wire import RawClient
import naive

# PostgreSQL's names and Python's.
ENCODINGS = {
    "LATIN1": "latin-1", "LATIN2": "iso8859-2", "LATIN3": "iso8859-3", "LATIN4": "iso8859-4",
    "LATIN5": "iso8859-9", "LATIN6": "iso8859-10", "LATIN7": "iso8859-13", "LATIN8": "iso8859-14",
    "LATIN9": "iso8859-15", "LATIN10": "iso8859-16", "ISO_8859_5": "iso8859-5", "ISO_8859_6": "iso8859-6",
    "ISO_8859_7": "iso8859-7", "ISO_8859_8": "iso8859-8", "WIN1250": "cp1250", "WIN1251": "cp1251",
    "WIN1252": "cp1252", "WIN1253": "cp1253", "WIN1254": "cp1254", "WIN1255": "cp1255", "WIN1256": "cp1256",
    "WIN1257": "cp1257", "WIN1258": "cp1258", "WIN866": "cp866", "WIN874": "cp874", "KOI8R": "koi8-r",
    "KOI8U": "koi8-u",
}
REFUSED = ("SJIS", "BIG5", "GBK", "GB18030", "UHC", "JOHAB", "SHIFT_JIS_2004", "EUC_JP", "EUC_KR", "nonsense")
TOWNS = naive.Policy("places_k3", "public.places", 3,
                     {"id": "insensitive", "town": "quasi_identifier", "Straße": "quasi_identifier",
                      "note": "identifier"})


class Encodings(StackCase):
    policies = (world.PEOPLE, world.STAFF, TOWNS)
    built = ("people_k2", "staff_k3", "places_k3")
    open_tables = world.OPEN_TABLES + ("public.straßen",)

    @classmethod
    def prepare(cls):
        cls.postgres.run(
            """
            CREATE TABLE places (id integer PRIMARY KEY, town text, "Straße" text, note text);
            INSERT INTO places
              SELECT g, (ARRAY['Zürich', 'Łódź', 'Malmö', E'O''Näs\\\\', 'geheim-ß-' || g])[1 + g % 5],
                     (ARRAY['Rue é', '漢字', NULL])[1 + g % 3], 'hidden-é-' || g
              FROM generate_series(1, 60) g;
            CREATE TABLE "straßen" ("größe" text);
            INSERT INTO "straßen" VALUES ('ärmlich'), (NULL);
            GRANT SELECT ON places, "straßen" TO pgveil_query, pgveil_admin""",
            "demo",
        )

    def client(self, encoding, user="analyst"):
        return RawClient(self.pgveil.port, user, "demo", {"client_encoding": encoding})

    @staticmethod
    def say(client, text, codec, how="query"):
        """A statement in the client's encoding, and its rows as text."""
        raw = text.encode(codec)
        if how == "query":
            client.send(b"Q", raw + b"\0")
            return client.collect()
        client.send(b"P", b"\0" + raw + b"\0\0\0")
        client.bind()
        client.describe()
        client.execute()
        return client.sync()

    @staticmethod
    def texts(reply, codec):
        return [[None if cell is None else cell.decode(codec) for cell in row] for row in reply.rows]

    # -- what they get
    def test_the_answers_are_those_of_utf8(self):
        statements = (
            "SELECT id, town FROM places WHERE town IS NOT NULL AND town <> 'Łódź' ORDER BY id",
            "SELECT id FROM places WHERE town = 'Malmö' ORDER BY id",
            "SELECT count(*) FROM places WHERE town <> 'Zürich' AND \"Straße\" = 'Rue é'",
            "SELECT town AS \"größe\", 'é' || upper('ä'), E'\\'é', length('äöü') FROM places WHERE town = 'O''Näs\\' LIMIT 1",
            "SELECT max(note), count(note), count(town) FROM places",
            "SELECT p.\"Straße\" FROM places p WHERE \"Straße\" LIKE 'Rue _' GROUP BY 1",
            "SELECT \"größe\" FROM \"straßen\" WHERE \"größe\" = 'ärmlich' -- ünd 'so",
            "SELECT /* 'é */ job, count(*) FROM staff WHERE town <> 'ä''' GROUP BY job ORDER BY 1",
            "SELECT 1 FROM places WHERE town = 'geheim-ß-4'",
            "SELECT city FROM people WHERE city = 'Hämlet'",
        )
        with self.pgveil.client() as utf8:
            for encoding in ("LATIN1", "WIN1252", "LATIN9"):
                codec = ENCODINGS[encoding]
                with self.client(encoding) as client:
                    self.assertEqual(client.settings["client_encoding"], encoding)
                    for sql in statements:
                        if "Łódź" in sql:
                            sql = sql.replace("'Łódź'", "U&'\\0141\\00f3d\\017a'")
                        expected = utf8.query(sql)
                        self.assertEqual(expected.errors, [], sql)
                        for how in ("query", "extended"):
                            reply = self.say(client, sql, codec, how)
                            self.assertEqual(reply.errors, [], sql)
                            self.assertEqual(self.texts(reply, codec), expected.texts(), (encoding, how, sql))
                            self.assert_no_hidden_value(reply.raw, sql)
                            self.assertNotIn(b"geheim", reply.raw)

    def test_each_byte_is_the_character_that_postgresql_takes_it_for(self):
        for encoding in ENCODINGS:
            with self.client(encoding) as client, RawClient(
                self.postgres.port, "postgres", "demo", {"client_encoding": encoding}
            ) as direct:
                known, codes = [], []
                for byte in range(0x80, 0x100):
                    raw = b"SELECT ascii('" + bytes([byte]) + b"')"
                    direct.send(b"Q", raw + b"\0")
                    theirs = direct.collect()
                    if not theirs.errors:
                        known.append(byte)
                        codes.append(theirs.texts()[0][0])
                        continue
                    client.send(b"Q", raw + b"\0")
                    self.assertEqual(client.collect().sqlstates(), ["22021"], (encoding, byte))
                asked = b", ".join(b"ascii('" + bytes([byte]) + b"')" for byte in known)
                client.send(b"Q", b"SELECT " + asked + b"\0")
                self.assertEqual(client.collect().texts(), [codes], encoding)
                text = b"SELECT '" + bytes(known) + b"' = $1, $1, '" + bytes(known) + b"'"
                client.send(b"P", b"\0" + text + b"\0\0\0")
                client.bind([bytes(known)])
                client.execute()
                reply = client.sync()
                self.assertEqual((reply.errors, reply.rows), ([], [[b"t", bytes(known), bytes(known)]]), encoding)

    def test_parameters_and_copies_are_converted_by_the_server(self):
        with self.client("LATIN1") as client:
            client.send(b"P", b"\0" + b"SELECT count(*) FROM places WHERE town = $1" + b"\0\0\0")
            client.bind(["Zürich".encode("latin-1")])
            client.execute()
            count = client.sync().texts()
            self.assertNotEqual(count, [["0"]])
            client.send(b"Q", "COPY (SELECT town FROM places WHERE town = 'Zürich') TO STDOUT\0".encode("latin-1"))
            self.assertEqual(client.collect().copied, "Zürich\n".encode("latin-1") * int(count[0][0]))
            client.send(b"Q", b"COPY (SELECT town FROM places WHERE id = 5) TO STDOUT (ENCODING 'UTF8')\0")
            self.assertEqual(client.collect().errors, [])

    def test_a_character_that_the_encoding_has_not_is_postgresqls_error(self):
        with self.client("LATIN1") as client:
            for sql in (b"SELECT town FROM places ORDER BY id", b"SELECT U&'\\6f22'"):
                client.send(b"Q", sql + b"\0")
                reply = client.collect()
                self.assertEqual(reply.sqlstates(), ["22P05"])
                self.assertNotIn(b"geheim", reply.raw)
            # The masks hold the names of all towns that are shown, and are sent whole.
            client.send(b"Q", b"SELECT count(town) FROM places\0")
            self.assertEqual(client.collect().texts(), self.texts_of_utf8("SELECT count(town) FROM places"))

    def texts_of_utf8(self, sql):
        with self.pgveil.client() as client:
            return client.query(sql).texts()

    def test_the_masks_hold_in_every_encoding(self):
        expected = self.texts_of_utf8("SELECT md5(string_agg(p::text, ';' ORDER BY id)) FROM places p")
        for encoding in ENCODINGS:
            with self.client(encoding) as client:
                reply = client.query("SELECT md5(string_agg(p::text, ';' ORDER BY id)) FROM places p")
                self.assertEqual((reply.errors, reply.texts()), ([], expected), encoding)

    # -- changing it
    def test_set_reset_and_rollback(self):
        with self.pgveil.client() as client:
            def town(codec):
                reply = self.say(client, "SELECT DISTINCT town FROM places WHERE town = 'Zürich'", codec)
                return reply.errors, self.texts(reply, codec)
            expected = ([], [["Zürich"]])
            self.assertEqual(town("utf-8"), expected)
            for change, codec in (
                ("SET client_encoding = 'LATIN1'", "latin-1"),
                ("SET NAMES 'windows-1252'", "cp1252"),
                ("BEGIN; SET LOCAL client_encoding TO LATIN9", "iso8859-15"),
                ("ROLLBACK", "cp1252"),
                ("SELECT set_config('client_encoding', 'latin1', false)", "latin-1"),
                ("RESET client_encoding", "utf-8"),
                ("SET client_encoding TO win1252", "cp1252"),
                ("RESET ALL", "utf-8"),
                ("SET client_encoding TO win1252", "cp1252"),
                ("DISCARD ALL", "utf-8"),
            ):
                self.assertEqual(client.query(change).errors, [], change)
                self.assertEqual(town(codec), expected, change)
            self.assertEqual(client.query("SHOW client_encoding").texts(), [["UTF8"]])

    def test_a_pipeline_that_changes_it_is_sent_as_it_was_judged(self):
        with self.pgveil.client() as client:
            client.parse("SET client_encoding = 'LATIN1'")
            client.bind()
            client.execute()
            client.send(b"P", b"s\0" + "SELECT 'é', count(town) FROM places WHERE town <> 'Łódź'".encode() + b"\0\0\0")
            client.bind(statement="s")
            client.execute()
            reply = client.sync()
            self.assertEqual(reply.errors, [])
            count = self.texts_of_utf8("SELECT count(town) FROM places WHERE town <> 'Łódź'")[0][0]
            self.assertEqual(reply.rows[-1], ["é".encode("latin-1"), count.encode()])
            client.send(b"P", "ä".encode() + b"\0SELECT 1\0\0\0")
            self.assertEqual(client.sync().sqlstates(), ["0A000"])
            self.assert_alive(client)

    def test_errors_and_hints_come_in_the_clients_encoding(self):
        with self.client("WIN1252") as client:
            reply = self.say(client, "SELECT \"Strase\" FROM places", "cp1252")
            error = reply.errors[0]
            self.assertEqual(error["C"], "42703")
            self.assertIn("places.\"Straße\"".encode("cp1252"), reply.raw)
            self.assertEqual(self.say(client, "SELECT * FROM \"straße\"", "cp1252").sqlstates(), ["42501"])
            client.send(b"Q", b"SELECT '\x81'\0")
            self.assertEqual(client.collect().sqlstates(), ["22021"])
            self.assert_alive(client)

    def test_encodings_of_several_bytes_are_refused_with_the_way_out(self):
        for encoding in REFUSED:
            with self.client(encoding) as client:
                self.assertEqual(client.login.errors[0]["C"], "0A000", encoding)
                self.assertIn("PGCLIENTENCODING=UTF8", client.login.errors[0]["H"])
            with self.pgveil.client() as client:
                error = client.query(f"SET client_encoding = '{encoding}'").errors[0]
                self.assertEqual(error["C"], "0A000", encoding)
                self.assertIn("PGCLIENTENCODING=UTF8", error["H"])
                self.assertEqual(
                    client.query(f"SELECT set_config('client_encoding', '{encoding}', false)").sqlstates(), ["0A000"])
                self.assert_alive(client)

    # -- real clients
    def test_psql_in_a_latin1_terminal(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        done = subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-d", f"host=127.0.0.1 port={self.pgveil.port} user=analyst dbname=demo"],
            input="SELECT DISTINCT town FROM places WHERE town = 'Zürich';\n\\encoding\n\\d places\n".encode("latin-1"),
            capture_output=True, timeout=90, env=environment | {"PGCLIENTENCODING": "LATIN1"})
        self.assertEqual(done.stderr, b"")
        self.assertEqual(done.stdout.decode("latin-1").splitlines()[:2], ["Zürich", "LATIN1"])
        self.assertIn("Straße", done.stdout.decode("latin-1"))

    def test_drivers(self):
        words = f"host=127.0.0.1 port={self.pgveil.port} dbname=demo user=analyst client_encoding=LATIN1"
        sql = "SELECT DISTINCT town FROM places WHERE town = %s AND town <> 'é'"
        with psycopg2.connect(words) as connection, connection.cursor() as cursor:
            cursor.execute(sql, ("Zürich",))
            self.assertEqual(cursor.fetchall(), [("Zürich",)])
        with psycopg.connect(words) as connection:
            self.assertEqual(connection.execute(sql, ("Zürich",)).fetchall(), [("Zürich",)])
            self.assertEqual(connection.execute(sql, ("Zürich",), prepare=True).fetchall(), [("Zürich",)])
            with psycopg.ClientCursor(connection) as cursor:
                self.assertEqual(cursor.execute(sql, ("Malmö",)).fetchall(), [("Malmö",)])


class PooledEncodings(StackCase):
    options = {"more": "pool: {mode: transaction, size: 1, wait_timeout: 30s}\n"}
    policies = (world.PEOPLE,)
    built = ("people_k2",)

    def test_the_encoding_stays_with_its_client(self):
        def answer(client, codec):
            client.send(b"Q", "SELECT 'é', count(*) FROM people WHERE city <> 'ü'".encode(codec) + b"\0")
            reply = client.collect()
            return reply.errors, [cell.decode(codec) for cell in reply.rows[0]] if reply.rows else None
        with self.pgveil.client() as utf8, self.pgveil.client() as changed, RawClient(
            self.pgveil.port, "analyst", "demo", {"client_encoding": "WIN1252"}
        ) as windows:
            self.assertEqual(changed.query("SET client_encoding = 'LATIN1'").errors, [])
            expected = answer(utf8, "utf-8")
            self.assertEqual(expected[0], [])
            for _ in range(3):
                for client, codec in ((changed, "latin-1"), (utf8, "utf-8"), (windows, "cp1252")):
                    self.assertEqual(answer(client, codec), expected, codec)
            changed.send(b"P", b"s\0SELECT 'caf\xe9'\0\0\0")
            self.assertEqual(changed.sync().errors, [])
            self.assertEqual(answer(utf8, "utf-8"), expected)
            changed.bind(statement="s")
            changed.execute()
            self.assertEqual(changed.sync().rows, [[b"caf\xe9"]])


if __name__ == "__main__":
    main()
