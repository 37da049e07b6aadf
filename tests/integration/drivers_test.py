#!/usr/bin/python3
"""Real drivers, one for each way of using the protocol: psycopg2 (simple), psycopg 3 (extended, binary,
pipeline), asyncpg (prepared, binary), and pgbench in its three modes."""
import asyncio
import csv
import datetime
import decimal
import io
import subprocess
import tempfile
import threading

import asyncpg
import psycopg
import psycopg2
import psycopg2.extras

from harness import world
from harness.runner import main
from harness.stack import StackCase

MASKED = [tuple(row) for row in world.MASKED_PEOPLE]
LARGE = 20000
CROSS_JOIN = (
    "SELECT count(*) FROM people a, people b, people c, people d, people e, people f, people g, people h"
)


class Drivers(StackCase):
    has_masked_copy = True

    def conninfo(self, user="analyst"):
        return f"host=127.0.0.1 port={self.pgveil.port} dbname=demo user={user} connect_timeout=60"

    def cancel_when_running(self, cancel):
        def work():
            self.wait_for_running_query()
            cancel()
        thread = threading.Thread(target=work)
        thread.start()
        return thread

    def masked_staff(self, columns):
        with self.direct() as direct:
            return direct.query(f"SELECT {columns} FROM staff ORDER BY id").texts()


class Psycopg2(Drivers):
    def setUp(self):
        self.connection = psycopg2.connect(self.conninfo())
        self.addCleanup(self.connection.close)

    def test_rows_and_types(self):
        with self.connection, self.connection.cursor() as cursor:
            cursor.execute("SELECT id::text, occupation, city, state FROM people")
            self.assertEqual(cursor.fetchall(), MASKED)
            cursor.execute("SELECT born, pay, is_active, seen FROM staff WHERE id = %s", (2,))
            self.assertEqual(cursor.fetchone(), (
                datetime.date(1971, 1, 1), decimal.Decimal("1002.50"), False,
                datetime.datetime(2024, 3, 2, 12, tzinfo=datetime.timezone.utc)))

    def test_parameters_are_quoted_by_the_client(self):
        with self.connection, self.connection.cursor() as cursor:
            for value in ("O'Brien", "back\\slash", "Ünïcode", "%", ""):
                cursor.execute("SELECT %s, count(*) FROM people WHERE city = %s", (value, value))
                self.assertEqual(cursor.fetchone(), (value, 0))

    def test_errors_and_transactions(self):
        with self.connection.cursor() as cursor:
            with self.assertRaises(psycopg2.errors.InsufficientPrivilege):
                cursor.execute("SELECT * FROM diary")
            with self.assertRaises(psycopg2.errors.InFailedSqlTransaction):
                cursor.execute("SELECT 1")
            self.connection.rollback()
            with self.assertRaises(psycopg2.errors.UndefinedColumn):
                cursor.execute("SELECT nothing FROM people")
            self.connection.rollback()
            cursor.execute("SELECT count(*) FROM people")
            self.assertEqual(cursor.fetchone(), (11,))

    def test_copy_out(self):
        out = io.StringIO()
        with self.connection, self.connection.cursor() as cursor:
            cursor.copy_expert(
                "COPY (SELECT occupation, city, state FROM people) TO STDOUT WITH (FORMAT csv)", out
            )
        rows = [tuple(cell or None for cell in row) for row in csv.reader(io.StringIO(out.getvalue()))]
        self.assertEqual(rows, [row[1:] for row in MASKED])

    def test_copy_of_the_table(self):
        out = io.StringIO()
        with self.connection, self.connection.cursor() as cursor:
            cursor.copy_expert("COPY people TO STDOUT", out)
        self.assertEqual([tuple(None if cell == "\\N" else cell for cell in line.split("\t"))
                          for line in out.getvalue().splitlines()], MASKED)

    def test_server_side_cursor(self):
        with self.connection, self.connection.cursor("held") as cursor:
            cursor.itersize = 7
            cursor.execute("SELECT id, job FROM staff ORDER BY id")
            self.assertEqual([[str(row[0]), row[1]] for row in cursor], self.masked_staff("id, job"))

    def test_dictionary_and_json(self):
        with self.connection, self.connection.cursor(cursor_factory=psycopg2.extras.RealDictCursor) as cursor:
            cursor.execute("SELECT to_jsonb(p) AS document FROM people p LIMIT 1")
            self.assertEqual(
                cursor.fetchone()["document"], {"id": None, "occupation": None, "city": None, "state": None}
            )

    def test_cancel(self):
        with self.connection.cursor() as cursor:
            canceller = self.cancel_when_running(self.connection.cancel)
            with self.assertRaises(psycopg2.errors.QueryCanceled):
                cursor.execute(CROSS_JOIN)
            canceller.join()
            self.connection.rollback()
            cursor.execute("SELECT count(*) FROM people")
            self.assertEqual(cursor.fetchone(), (11,))

    def test_large_result(self):
        with self.connection, self.connection.cursor() as cursor:
            cursor.execute(
                f"SELECT g, repeat('x', 100), (SELECT max(state) FROM people) FROM generate_series(1, {LARGE}) g"
            )
            rows = cursor.fetchall()
        self.assertEqual((len(rows), rows[0], rows[-1][0]), (LARGE, (1, "x" * 100, "OH"), LARGE))

    def test_settings_and_session(self):
        with self.connection, self.connection.cursor() as cursor:
            cursor.execute("SET TIME ZONE 'Asia/Tokyo'")
            cursor.execute("SELECT seen::text FROM staff WHERE id = 1")
            self.assertEqual(cursor.fetchone(), ("2024-03-01 21:00:00+09",))
            cursor.execute("SELECT current_user")
            self.assertEqual(cursor.fetchone(), ("analyst",))
        self.connection.set_session(isolation_level="REPEATABLE READ", readonly=True)
        with self.connection, self.connection.cursor() as cursor:
            cursor.execute("SHOW transaction_isolation")
            self.assertEqual(cursor.fetchone(), ("repeatable read",))


class ReadWrite(Drivers):
    """Drivers say READ WRITE without meaning to write, and look for a server that takes writes."""

    def test_begin_read_write_in_every_form(self):
        with self.pgveil.client() as client:
            for sql in (
                "BEGIN READ WRITE", "START TRANSACTION READ WRITE", "BEGIN ISOLATION LEVEL SERIALIZABLE, READ WRITE",
                "BEGIN READ WRITE, NOT DEFERRABLE, ISOLATION LEVEL REPEATABLE READ", "BEGIN READ ONLY READ WRITE",
            ):
                for how in ("query", "extended"):
                    reply = getattr(client, how)(sql)
                    self.assertEqual((reply.errors, reply.notices), ([], []), sql)
                    self.assertEqual(client.query("SHOW transaction_read_only").texts(), [["off"]], sql)
                    self.assertEqual(client.query("SELECT count(*) FROM people").texts(), [["11"]])
                    self.assertEqual(client.query("SELECT lo_create(0)").sqlstates(), ["42501"])
                    self.assertEqual(client.query("ROLLBACK").errors, [])
                    self.assertEqual(client.query(f"{sql}; DELETE FROM towns").sqlstates(), ["42501"])
            self.assertEqual(self.postgres.rows("SELECT count(*) FROM towns", "demo"), [["4"]])

    def test_show_says_what_postgresql_says_of_the_same_statements(self):
        shows = ("SHOW transaction_read_only", "SHOW default_transaction_read_only")
        with self.pgveil.client() as ours, self.direct() as theirs:
            for sql in (
                "BEGIN READ ONLY", "SET TRANSACTION READ WRITE", "SAVEPOINT a", "SET TRANSACTION READ ONLY",
                "ROLLBACK TO a", "COMMIT AND CHAIN", "ROLLBACK", "SET default_transaction_read_only = on",
                "BEGIN", "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE", "SAVEPOINT b", "SELECT 1/0",
                "ROLLBACK TO b", "SET LOCAL transaction_read_only = on", "COMMIT", "BEGIN READ ONLY",
                "SET default_transaction_read_only TO 1", "SELECT 1/0", "COMMIT",
                "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
                "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE", "BEGIN READ WRITE", "COMMIT",
                "RESET default_transaction_read_only", "SET default_transaction_read_only = on; BEGIN", "COMMIT",
                "RESET ALL", "BEGIN; SET TRANSACTION READ ONLY; SELECT 1/0", "ROLLBACK AND CHAIN", "ROLLBACK",
                "SET default_transaction_read_only = on; SELECT 1/0", "DISCARD ALL",
            ):
                self.assertEqual(ours.query(sql).sqlstates(), theirs.query(sql).sqlstates(), sql)
                for show in shows:
                    for how in ("query", "extended"):
                        got, expected = (getattr(each, how)(show) for each in (ours, theirs))
                        self.assertEqual(got.texts(), expected.texts(), (sql, show))
                        self.assertEqual(got.sqlstates(), expected.sqlstates(), (sql, show))
                        self.assertEqual([c.name for c in got.columns], [c.name for c in expected.columns])

    def test_a_server_that_takes_writes_is_found(self):
        for wanted in ("any", "read-write", "primary", "prefer-standby"):
            with psycopg.connect(self.conninfo() + f" target_session_attrs={wanted}") as connection:
                self.assertEqual(connection.execute("SELECT count(*) FROM people").fetchone(), (11,))
        for wanted in ("read-only", "standby"):
            with self.assertRaises(psycopg.OperationalError):
                psycopg.connect(self.conninfo() + f" target_session_attrs={wanted}")
        read_only = self.conninfo() + " options='-c default_transaction_read_only=on'"
        with psycopg.connect(read_only + " target_session_attrs=read-only") as connection:
            self.assertEqual(connection.execute("SHOW transaction_read_only").fetchone(), ("on",))

    def test_psycopg_and_asyncpg(self):
        connection = psycopg2.connect(self.conninfo())
        self.addCleanup(connection.close)
        for readonly in (False, True, False):
            connection.set_session(readonly=readonly)
            with connection, connection.cursor() as cursor:
                cursor.execute("SHOW transaction_read_only")
                self.assertEqual(cursor.fetchone(), ("on" if readonly else "off",))
        with psycopg.connect(self.conninfo()) as three:
            three.read_only = False
            self.assertEqual(three.execute("SELECT count(*) FROM people").fetchone(), (11,))

        async def work():
            one = await asyncpg.connect(host="127.0.0.1", port=self.pgveil.port, database="demo", user="analyst",
                                        ssl=False)
            try:  # asyncpg turns jit off to look an enum up, and sets it back
                moods = await one.fetch("SELECT DISTINCT mood FROM staff WHERE mood IS NOT NULL ORDER BY 1")
                async with one.transaction(readonly=False):
                    return [row[0] for row in moods], await one.fetchval("SHOW jit")
            finally:
                await one.close()
        self.assertEqual(asyncio.run(work()), (["calm", "glad"], "off"))


class Psycopg3(Drivers):
    def setUp(self):
        self.connection = psycopg.connect(self.conninfo())
        self.addCleanup(self.connection.close)

    def test_the_origin_of_columns_is_the_table_behind_the_mask(self):
        (people,), (towns,) = (
            self.postgres.rows(f"SELECT '{name}'::regclass::oid", "demo")[0] for name in ("people", "towns"))
        expected = [(int(people), number) for number in (1, 2, 3, 4)]
        expected += [(0, 0), (int(towns), 2), (0, 0), (int(people), 4)]
        sql = "SELECT p.*, upper(p.city), size, count(*) OVER (), p.state AS s FROM people p CROSS JOIN towns t"
        for prepare in (False, True):
            with self.connection.cursor() as cursor:
                result = cursor.execute(sql, prepare=prepare).pgresult
                found = [(result.ftable(i), result.ftablecol(i)) for i in range(result.nfields)]
                self.assertEqual(found, expected)

    def test_parameters_on_the_server(self):
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM staff WHERE job = %s AND id < %s", ("Nurse", 30))
            expected = [row for row in self.masked_staff("id, job") if row[1] == "Nurse" and int(row[0]) < 30]
            self.assertEqual(cursor.fetchone(), (len(expected),))

    def test_prepared_after_several_runs(self):
        with self.connection.cursor() as cursor:
            for number in range(12):
                cursor.execute(
                    "SELECT count(*) FROM people WHERE state = %s", ("OH" if number % 2 else "DC",)
                )
                self.assertEqual(cursor.fetchone(), (6 if number % 2 else 0,))
            cursor.execute("SELECT occupation FROM people WHERE state = %s LIMIT 1", ("OH",), prepare=True)
            self.assertEqual(cursor.fetchone(), (None,))

    def test_binary_cursor(self):
        with self.connection.cursor(binary=True) as cursor:
            cursor.execute("SELECT id, job, born, is_active, pay FROM staff ORDER BY id")
            rows = cursor.fetchall()
        self.assertEqual([[str(row[0]), row[1]] for row in rows], self.masked_staff("id, job"))
        self.assertEqual(rows[1][2:], (datetime.date(1971, 1, 1), False, decimal.Decimal("1002.50")))

    def test_server_side_cursor(self):
        with self.connection.transaction(), self.connection.cursor("held") as cursor:
            cursor.execute("SELECT id, town FROM staff ORDER BY id")
            rows = cursor.fetchmany(10) + cursor.fetchmany(100)
        self.assertEqual([[str(row[0]), row[1]] for row in rows], self.masked_staff("id, town"))

    def test_transactions_and_savepoints(self):
        with self.connection.transaction():
            with self.assertRaises(psycopg.errors.InsufficientPrivilege), self.connection.transaction():
                self.connection.execute("SELECT * FROM diary")
            with self.assertRaises(psycopg.errors.DivisionByZero), self.connection.transaction():
                self.connection.execute("SELECT 1 / (id - 3) FROM staff")
            self.assertEqual(self.connection.execute("SELECT count(*) FROM people").fetchone(), (11,))

    def test_pipeline(self):
        with self.connection.pipeline():
            cursors = [
                self.connection.execute("SELECT count(*) + %s FROM people", (number,)) for number in range(5)
            ]
            self.assertEqual(
                [cursor.fetchone() for cursor in cursors], [(11 + number,) for number in range(5)]
            )

    def test_a_refusal_in_a_pipeline_aborts_what_follows(self):
        self.connection.autocommit = True
        with self.assertRaises(psycopg.errors.InsufficientPrivilege), self.connection.pipeline():
            self.connection.execute("SELECT 1")
            self.connection.execute("SELECT * FROM diary")
            self.connection.execute("SELECT 2")
        self.assertEqual(self.connection.execute("SELECT count(*) FROM people").fetchone(), (11,))

    def test_copy_out(self):
        with self.connection.cursor() as cursor, cursor.copy(
                "COPY (SELECT occupation, city, state FROM people) TO STDOUT") as copy:
            self.assertEqual(list(copy.rows()), [row[1:] for row in MASKED])

    def test_copy_in_is_refused(self):
        with self.assertRaises(psycopg.errors.InsufficientPrivilege), self.connection.cursor() as cursor:
            with cursor.copy("COPY towns FROM STDIN") as copy:
                copy.write_row(("Eton", 1))

    def test_row_description(self):
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT name, grade, mood FROM staff LIMIT 0")
            self.assertEqual(
                [(c.name, c.type_code, c.internal_size, c.precision, c.scale) for c in cursor.description][
                    :2
                ],
                [("name", 1043, None, None, None), ("grade", 1700, None, 6, 2)],
            )

    def test_cancel(self):
        canceller = self.cancel_when_running(self.connection.cancel)
        with self.assertRaises(psycopg.errors.QueryCanceled):
            self.connection.execute(CROSS_JOIN)
        canceller.join()
        self.connection.rollback()
        self.assertEqual(self.connection.execute("SELECT count(*) FROM people").fetchone(), (11,))

    def test_the_type_of_an_enum_is_found(self):
        from psycopg.types.enum import EnumInfo
        info = EnumInfo.fetch(self.connection, "mood")
        self.assertEqual(list(info.labels), ["calm", "glad", "grim"])


class Asyncpg(Drivers):
    def run_async(self, work):
        async def connected():
            connection = await asyncpg.connect(
                host="127.0.0.1",
                port=self.pgveil.port,
                user="analyst",
                database="demo",
                ssl=False,
                timeout=60,
                command_timeout=120,
            )
            try:
                return await work(connection)
            finally:
                await connection.close(timeout=60)
        return asyncio.run(connected())

    def test_prepared_statements_in_binary(self):
        async def work(connection):
            statement = await connection.prepare(
                "SELECT id, job, born, is_active FROM staff WHERE id > $1 ORDER BY id"
            )
            return [await statement.fetch(50), await statement.fetch(0)]
        few, many = self.run_async(work)
        self.assertEqual([[str(row["id"]), row["job"]] for row in many], self.masked_staff("id, job"))
        self.assertEqual(len(few), 10)

    def test_enum_and_numeric_columns(self):
        async def work(connection):
            return await connection.fetch("SELECT id, mood, pay FROM staff ORDER BY id")
        rows = self.run_async(work)
        self.assertEqual([[str(row["id"]), row["mood"]] for row in rows], self.masked_staff("id, mood"))

    def test_transactions_savepoints_and_errors(self):
        async def work(connection):
            async with connection.transaction():
                with self.assertRaises(asyncpg.InsufficientPrivilegeError):
                    async with connection.transaction():
                        await connection.fetch("SELECT * FROM diary")
                with self.assertRaises(asyncpg.UndefinedColumnError):
                    async with connection.transaction():
                        await connection.fetch("SELECT nothing FROM people")
                return await connection.fetchval("SELECT count(*) FROM people WHERE state = $1", "OH")
        self.assertEqual(self.run_async(work), 6)

    def test_cursor_with_row_limits(self):
        async def work(connection):
            async with connection.transaction():
                return [[str(row["id"]), row["town"]] async for row in
                        connection.cursor("SELECT id, town FROM staff ORDER BY id", prefetch=9)]
        self.assertEqual(self.run_async(work), self.masked_staff("id, town"))

    def test_copy_out(self):
        async def work(connection):
            out = io.BytesIO()
            await connection.copy_from_query("SELECT state FROM people", output=out, format="csv")
            return out.getvalue().decode().split("\n")[:-1]
        self.assertEqual(self.run_async(work), [row[3] or "" for row in MASKED])

    def test_arrays_and_nulls(self):
        async def work(connection):
            return [
                await connection.fetchval(
                    "SELECT count(*) FROM staff WHERE job = ANY ($1)", ["Nurse", "only-7"]
                ),
                await connection.fetchval(
                    "SELECT array_agg(state ORDER BY state) FROM people WHERE state = 'OH'"
                ),
                await connection.fetchval("SELECT $1::text IS NULL", None),
            ]
        nurses = [row for row in self.masked_staff("job") if row[0] == "Nurse"]
        self.assertEqual(self.run_async(work), [len(nurses), ["OH"] * 6, True])

    def test_cancel_by_time_out(self):
        async def work(connection):
            with self.assertRaises(asyncio.TimeoutError):
                await connection.fetchval(CROSS_JOIN, timeout=2)
            return await connection.fetchval("SELECT count(*) FROM people")
        self.assertEqual(self.run_async(work), 11)

    def test_pool_reset(self):
        async def work():
            async with asyncpg.create_pool(
                host="127.0.0.1",
                port=self.pgveil.port,
                user="analyst",
                database="demo",
                ssl=False,
                min_size=1,
                max_size=2,
            ) as pool:
                return [await pool.fetchval("SELECT count(*) FROM people") for _ in range(3)]
        self.assertEqual(asyncio.run(work()), [11, 11, 11])


class Pgbench(Drivers):
    def test_each_protocol_mode(self):
        script = ("\\set n random(1, 60)\nSELECT id, job, town FROM staff WHERE id = :n;\n"
                  "BEGIN;\nSELECT count(*) FROM people;\nEND;\n")
        for mode in ("simple", "extended", "prepared"):
            with self.subTest(mode), tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
                file.write(script)
                file.flush()
                done = subprocess.run(
                    [
                        "pgbench",
                        "-n",
                        "-M",
                        mode,
                        "-c",
                        "4",
                        "-j",
                        "2",
                        "-t",
                        "25",
                        "-f",
                        file.name,
                        "-h",
                        "127.0.0.1",
                        "-p",
                        str(self.pgveil.port),
                        "-U",
                        "analyst",
                        "demo",
                    ],
                    capture_output=True,
                    text=True,
                    timeout=120,
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("number of transactions actually processed: 100/100", done.stdout)
                self.assertNotIn("number of failed transactions: 1", done.stdout)


if __name__ == "__main__":
    main()
