#!/usr/bin/python3
"""With the schema pgveil in the database, PostgreSQL itself asks in each statement's own snapshot which
version is current: whoever built or withdrew it, and whatever the proxy knew."""
import time

from harness import world
from harness.configuration import ACCEPT_EXCESS
from harness.pgveil import Pgveil
from harness.runner import main
from harness.stack import StackCase

QUERY = "SELECT count(*) FROM people"
WITHDRAW = (
    "UPDATE pgveil.version SET is_current = false, closed_because = 'a test' WHERE policy = 'people_k2'"
)
GUARD_SOURCE = "SELECT prosrc FROM pg_proc WHERE pronamespace = 'pgveil'::regnamespace"


class VersionGuard(StackCase):
    policies = (world.PEOPLE,)
    built = ("people_k2",)
    has_version_schema = True

    @classmethod
    def start(cls):
        super().start()
        # Another pgveil over the same database, with a state directory of its own.
        # Words that accept rights on the schema don't make it any more trusted.
        cls.other = cls.kept(
            Pgveil(
                cls.postgres,
                cls.policies,
                cls.open_tables,
                catalog_check_every="1s",
                accept_excess=(*ACCEPT_EXCESS, "own", "write:pgveil.*", "create:pgveil"),
            )
        ).start()

    def setUp(self):
        self.pgveil.build("people_k2")
        self.wait_for(self.other, None)

    def number(self):
        return int(
            self.postgres.rows("SELECT number FROM pgveil.version WHERE policy = 'people_k2'", "demo")[0][0]
        )

    def until_answered(self):
        """→ the states of the refusals before the answer; each is one that tells to try again."""
        states = []
        with self.pgveil.client() as client:
            for _ in range(3000):
                reply = client.query(QUERY)
                if not reply.errors:
                    self.assertEqual(reply.texts(), [["11"]])
                    return states
                states.append(reply.sqlstate())
                self.assertIn(states[-1], ("40001",), reply.errors)
                time.sleep(0.02)
        self.fail("no answer")

    @staticmethod
    def settled(ask):
        """→ the reply. A statement waits 10 s for another version to be served, and ends in 40001 on a
        machine that takes longer. Then it is asked again; 40001 that comes earlier is the reply."""
        while True:
            begin = time.monotonic()
            reply = ask()
            if reply.sqlstate() != "40001" or time.monotonic() - begin < 9:
                return reply

    def wait_for(self, pgveil, state):
        """Until a fresh statement ends in this SQLSTATE; None: is answered."""
        found = []
        for _ in range(600):
            with pgveil.client() as client:
                found = client.query(QUERY).sqlstates()
            if found == ([] if state is None else [state]):
                return
            time.sleep(0.1)
        self.fail(f"{state} expected, {found} found")

    def test_masks_carry_the_guard(self):
        since = self.postgres.log_position()
        self.assertEqual(self.texts("SELECT * FROM people"), world.MASKED_PEOPLE)
        self.assertIn(f"pgveil.guard('people_k2'::pg_catalog.text, '{self.number()}'::pg_catalog.int8)",
                      "".join(self.postgres.received(since)))
        self.assertFalse(list((self.pgveil.directory / "state").rglob("*.json")))

    def test_a_build_by_another_process_holds_at_once(self):
        before = self.number()
        self.other.build("people_k2")
        self.assertEqual(self.number(), before + 1)
        # This proxy looks every hour only; what the backend says makes it look at once, and the statement
        # that met it is sent again.
        with self.pgveil.client() as client:
            reply = self.settled(lambda: client.query(QUERY))
        self.assertEqual((reply.errors, reply.texts()), ([], [["11"]]))
        done = self.pgveil.command("policy", "build", "people_k2", "--config", str(self.pgveil.config_path))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.number(), before + 2)

    def test_an_old_snapshot_does_not_meet_a_new_version(self):
        with self.pgveil.client() as old:
            old.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
            self.assertEqual(old.query("SELECT count(*) FROM towns").texts(), [["4"]])
            self.pgveil.build("people_k2")
            reply = old.query(QUERY)
            self.assertEqual((reply.sqlstate(), reply.rows), ("40001", []))
            self.assertIn("built again", reply.errors[0]["M"])
            old.query("ROLLBACK")
            self.assertEqual(old.query(QUERY).texts(), [["11"]])

    def test_an_old_snapshot_keeps_its_own_version(self):
        with self.pgveil.client() as old:
            old.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
            self.assertEqual(old.query(QUERY).texts(), [["11"]])
            self.other.build("people_k2")
            self.assertEqual(old.query(QUERY).texts(), [["11"]])
            old.query("COMMIT")

    def test_a_prepared_statement(self):
        with self.pgveil.client() as client:
            client.parse(QUERY, "s")
            self.assertEqual(client.sync().errors, [])

            def execute():
                client.bind((), "s")
                client.execute()
                return client.sync()

            for _ in range(3):
                self.other.build("people_k2")
                reply = self.settled(execute)
                self.assertEqual((reply.errors, reply.texts()), ([], [["11"]]))

    def test_a_statement_is_sent_again(self):
        count = "SELECT city, count(*) FROM people GROUP BY 1 ORDER BY 1"
        with self.pgveil.client() as client:
            expected = client.query(count).texts()
            for ask in (
                lambda: client.query(count),
                lambda: self.one_batch(client, count),
                lambda: client.query(f"COPY ({count}) TO STDOUT"),
            ):
                self.other.build("people_k2")
                reply = self.settled(ask)
                self.assertEqual(reply.errors, [])
                self.assertIn(reply.texts(), (expected, []))  # of COPY: no rows
            self.assertIn("is sent again", self.pgveil.log())

    @staticmethod
    def one_batch(client, sql):
        client.parse(sql)
        client.bind(())
        client.describe()
        client.execute()
        return client.sync()

    def test_what_is_told_as_before(self):
        """In a transaction block, and for what stands for something that was made before."""
        with self.pgveil.client() as client:
            client.query("BEGIN")
            self.assertEqual(client.query("SELECT count(*) FROM towns").texts(), [["4"]])
            self.other.build("people_k2")
            self.assertIn(client.query(QUERY).sqlstate(), ("40001", "25P02"))
            client.query("ROLLBACK")
            self.until_answered()
            client.query(f"PREPARE a AS {QUERY}")
            self.other.build("people_k2")
            self.assertIn(client.query("EXECUTE a").sqlstate(), ("40001", "26000"))
            self.until_answered()
            self.other.build("people_k2")
            self.assertIn(client.query(f"SELECT 1; {QUERY}").sqlstate(), ("40001", None))
            self.until_answered()

    def test_a_withdrawal_by_another_process(self):
        with self.pgveil.client() as client, self.pgveil.client() as cursor:
            cursor.query("BEGIN")
            cursor.query("DECLARE c CURSOR FOR SELECT * FROM people")
            self.assertEqual(len(cursor.query("FETCH 2 FROM c").rows), 2)
            self.postgres.run(WITHDRAW, "demo")
            reply = self.settled(lambda: client.query(QUERY))
            self.assertEqual((reply.sqlstate(), reply.rows), ("42501", []))
            # What the client met made this proxy look: the cursor closes too.
            for _ in range(3000):
                reply = cursor.query("FETCH 1 FROM c")
                if reply.errors:
                    break
                time.sleep(0.02)
            self.assertEqual(reply.sqlstate(), "42501")
            cursor.query("ROLLBACK")
            self.assertIn("a test", str(self.pgveil.console("SHOW POLICIES").texts()))

    def test_a_document_is_read_again_only_when_it_has_changed(self):
        """The number is not enough: a dump that is restored can change the document alone."""
        put = "UPDATE pgveil.version SET document = {} WHERE policy = 'people_k2'"
        stored = "SELECT document FROM pgveil.version WHERE policy = 'people_k2'"
        document = self.postgres.rows(stored, "demo")
        self.assertEqual(self.pgveil.console("RELOAD").errors, [])
        self.assertEqual(self.texts(QUERY), [["11"]])
        for changed in ("replace(document, 'people_k2', 'others_k2')", "left(document, 100)", "''"):
            self.postgres.run(put.format(changed), "demo")
            self.pgveil.console("RELOAD")
            with self.pgveil.client() as client:
                self.assertEqual(client.query(QUERY).sqlstate(), "42501", changed)
            text = document[0][0].replace("'", "''")
            self.postgres.run(put.format(f"'{text}'"), "demo")
            self.assertEqual(self.pgveil.console("RELOAD").errors, [])
            self.assertEqual(self.texts(QUERY), [["11"]])

    def test_clients_reach_nothing_of_it(self):
        number = self.number()
        with self.pgveil.client() as client:
            for sql in (
                f"SELECT pgveil.guard('people_k2', {number})",
                "SELECT * FROM pgveil.version",
                f"SELECT guard('people_k2', {number})",
                "TABLE pgveil.version",
                "COPY pgveil.version TO STDOUT",
                "TABLE pgveil.current_version",
                "SELECT pgveil.shape(1, 1, '{}', '{}')",
                "SELECT (p).guard FROM people p",
                "UPDATE pgveil.version SET number = 1",
            ):
                reply = client.query(sql)
                self.assertIn(reply.sqlstate(), ("42501", "42703"), sql)
                self.assertEqual(reply.rows, [], sql)
        with self.direct("demo", "postgres") as direct:
            direct.query("SET ROLE pgveil_query")
            self.assertEqual(direct.query("SELECT * FROM pgveil.version").sqlstate(), "42501")
            self.assertEqual(direct.query("SELECT pgveil.guard('people_k2', 0)").sqlstate(), "PV001")
            self.assertEqual(direct.query("SELECT pgveil.guard('nothing', 1)").sqlstate(), "PV002")
            self.assertEqual(direct.query(f"SELECT pgveil.guard('people_k2', {number})").texts(), [["t"]])
            self.assertEqual(
                direct.query("SELECT * FROM pgveil.current_version WHERE policy = 'people_k2'").texts(),
                [["people_k2", str(number)]],
            )

    def test_a_tampered_guard_is_not_used(self):
        changes = (
            (
                "CREATE OR REPLACE FUNCTION pgveil.guard(policy text, number bigint) RETURNS boolean LANGUAGE plpgsql STABLE "
                "SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS 'BEGIN RETURN true; END'",
                "",
            ),
            ("ALTER FUNCTION pgveil.guard(text, bigint) VOLATILE", ""),
            ("ALTER FUNCTION pgveil.guard(text, bigint) SECURITY INVOKER", ""),
            ("ALTER FUNCTION pgveil.guard(text, bigint) RESET search_path", ""),
            (
                "ALTER FUNCTION pgveil.guard(text, bigint) OWNER TO pgveil_query",
                "ALTER FUNCTION pgveil.guard(text, bigint) OWNER TO postgres",
            ),
            (
                "GRANT UPDATE (number) ON pgveil.version TO pgveil_query",
                "REVOKE UPDATE (number) ON pgveil.version FROM pgveil_query",
            ),
            ("GRANT CREATE ON SCHEMA pgveil TO pgveil_query", ""),
            (
                "CREATE OR REPLACE FUNCTION pgveil.shape(relation oid, filenode oid, names text[], numbers smallint[]) RETURNS boolean "
                "LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN RETURN true; END'",
                "",
            ),
            (
                "ALTER FUNCTION pgveil.shape(oid, oid, text[], smallint[]) STABLE",
                "ALTER FUNCTION pgveil.shape(oid, oid, text[], smallint[]) IMMUTABLE",
            ),
            (
                "ALTER FUNCTION pgveil.shape(oid, oid, text[], smallint[]) OWNER TO pgveil_query",
                "ALTER FUNCTION pgveil.shape(oid, oid, text[], smallint[]) OWNER TO postgres",
            ),
            (
                "CREATE FUNCTION pgveil.shape(a int) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
                "DROP FUNCTION pgveil.shape(int)",
            ),
            (
                "CREATE OR REPLACE FUNCTION pgveil.is_open(relation oid, names text[], partitions bigint) RETURNS boolean "
                "LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN RETURN true; END'",
                "",
            ),
            (
                "ALTER FUNCTION pgveil.has_type(anyelement, oid, oid) STABLE",
                "ALTER FUNCTION pgveil.has_type(anyelement, oid, oid) IMMUTABLE",
            ),
            (
                "CREATE FUNCTION pgveil.has_type(a int) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
                "DROP FUNCTION pgveil.has_type(int)",
            ),
            (
                "ALTER FUNCTION pgveil.is_open(oid, text[], bigint) OWNER TO pgveil_query",
                "ALTER FUNCTION pgveil.is_open(oid, text[], bigint) OWNER TO postgres",
            ),
            (
                "CREATE OR REPLACE FUNCTION pgveil.is_mask(view text) RETURNS boolean LANGUAGE plpgsql STABLE "
                "SECURITY DEFINER PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS 'BEGIN RETURN true; END'",
                "",
            ),
            ("ALTER FUNCTION pgveil.is_mask(text) IMMUTABLE", "ALTER FUNCTION pgveil.is_mask(text) STABLE"),
            (
                "ALTER FUNCTION pgveil.is_mask(text) SECURITY INVOKER",
                "ALTER FUNCTION pgveil.is_mask(text) SECURITY DEFINER",
            ),
            ("ALTER FUNCTION pgveil.is_mask(text) RESET search_path", ""),
            (
                "CREATE FUNCTION pgveil.is_mask(view varchar) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
                "DROP FUNCTION pgveil.is_mask(varchar)",
            ),
            ("GRANT DELETE ON pgveil.built_table TO pgveil_query", ""),
            (
                "DROP VIEW pgveil.current_version; CREATE VIEW pgveil.current_version AS SELECT policy, 1::bigint AS number "
                "FROM pgveil.version",
                "DROP VIEW pgveil.current_version",
            ),
            (
                "ALTER VIEW pgveil.current_version OWNER TO pgveil_query",
                "ALTER VIEW pgveil.current_version OWNER TO postgres",
            ),
            ("GRANT UPDATE ON pgveil.current_version TO pgveil_query", ""),
            ("REVOKE SELECT ON pgveil.current_version FROM pgveil_query", ""),
            (
                "CREATE FUNCTION pgveil.guard(policy varchar, number int) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
                "DROP FUNCTION pgveil.guard(varchar, int)",
            ),
        )
        # Idempotent statements that put the schema back; a change of ownership is undone by its own.
        setup = self.pgveil.setup_sql()
        for change, undo in changes:
            with self.subTest(change):
                self.postgres.run(change, "demo")
                try:
                    done = self.pgveil.command("serve", "--config", str(self.other.config_path))
                    self.assertEqual(done.returncode, 1)
                    self.assertIn("can't be trusted", done.stderr)
                    done = self.pgveil.command("check", "--config", str(self.other.config_path))
                    self.assertEqual(done.returncode, 1)
                finally:
                    self.postgres.run(undo + ";" + setup + (
                        "ALTER FUNCTION pgveil.guard(text, bigint) STABLE SECURITY DEFINER;"), "demo")
        self.assertEqual(self.until_answered(), [])

    def test_a_schema_of_an_older_release_says_what_to_run(self):
        """setup-sql adds what is missing and keeps the versions."""
        number = self.number()
        self.postgres.run(
            "DROP FUNCTION pgveil.has_type(anyelement, oid, oid); DROP FUNCTION pgveil.is_open(oid, text[], bigint); "
            "DROP FUNCTION pgveil.is_mask(text); DROP TABLE pgveil.built_table",
            "demo",
        )
        done = self.pgveil.command("serve", "--config", str(self.other.config_path))
        self.assertEqual(done.returncode, 1)
        self.assertIn("of an older pgveil: it has no function has_type, is_mask, is_open", done.stderr)
        self.assertIn("run what pgveil setup-sql prints", done.stderr)
        self.postgres.run(self.pgveil.setup_sql(), "demo")
        self.assertEqual(self.number(), number)
        self.assertEqual(
            self.postgres.rows(
                "SELECT schema_name, table_name, policy, table_oid = 'people'::regclass FROM pgveil.built_table",
                "demo",
            ),
            [["public", "people", "people_k2", "t"]],
        )
        self.assertEqual(self.pgveil.console("RELOAD").errors, [])
        self.assertEqual(self.until_answered(), [])

    def test_a_guard_that_is_tampered_with_closes_a_running_proxy(self):
        self.postgres.run(
            "ALTER FUNCTION pgveil.guard(text, bigint) RENAME TO mine; "
            "CREATE FUNCTION pgveil.guard(policy text, number bigint) RETURNS boolean LANGUAGE sql "
            "AS 'SELECT true'",
            "demo",
        )
        try:
            reply = self.pgveil.console("BUILD POLICY people_k2")
            self.assertIn("can't be trusted", reply.errors[0]["M"])
            self.assertIn("be trusted", str(self.pgveil.console("RELOAD").texts()))
            self.wait_for(self.other, "57P03")
        finally:
            self.postgres.run("DROP FUNCTION pgveil.guard(text, bigint); "
                              "ALTER FUNCTION pgveil.mine(text, bigint) RENAME TO guard", "demo")
            self.pgveil.console("RELOAD")
            self.pgveil.build("people_k2")
        self.assertEqual(self.until_answered(), [])
        self.wait_for(self.other, None)

    def test_a_schema_that_is_gone_is_not_replaced_by_files(self):
        # Under another name it would be a view that query_role may read for no reason.
        self.postgres.run(
            "REVOKE SELECT ON pgveil.current_version FROM pgveil_query; ALTER SCHEMA pgveil RENAME TO elsewhere",
            "demo",
        )
        try:
            with self.pgveil.client() as client:
                self.assertNotEqual(client.query(QUERY).errors, [])
            reply = self.pgveil.console("RELOAD")
            self.assertIn("has disappeared", str(reply.texts()))
            with self.pgveil.client() as client:
                self.assertNotEqual(client.query(QUERY).errors, [])
        finally:
            self.postgres.run(
                "ALTER SCHEMA elsewhere RENAME TO pgveil; GRANT SELECT ON pgveil.current_version TO pgveil_query",
                "demo",
            )
        self.assertEqual(self.until_answered(), [])


class FromFiles(StackCase):
    """A database that gets the schema later: what the files hold is taken over, under its number."""
    policies = (world.PEOPLE,)
    built = ("people_k2",)

    def test_versions_of_files_are_taken_in(self):
        self.pgveil.build("people_k2")
        done = self.pgveil.command("check", "--config", str(self.pgveil.config_path))
        self.assertIn("no schema pgveil", done.stdout)
        self.assertIn("no schema pgveil", self.pgveil.log())
        self.postgres.run(self.pgveil.setup_sql(), "demo")
        self.assertEqual(self.pgveil.console("RELOAD").errors, [])
        self.assertEqual(
            self.postgres.rows("SELECT number, is_current FROM pgveil.version", "demo"), [["2", "t"]]
        )
        self.assertEqual(self.texts(QUERY), [["11"]])
        self.assertEqual([path.name for path in (self.pgveil.directory / "state").rglob("*.json*")],
                         ["people_k2.json.imported"])
        self.pgveil.build("people_k2")
        self.assertEqual(self.postgres.rows("SELECT number FROM pgveil.version", "demo"), [["3"]])
        shown = self.pgveil.command("policy", "show", "people_k2", "--config", str(self.pgveil.config_path))
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))


if __name__ == "__main__":
    main()
