#!/usr/bin/python3
"""Rights are asked when something runs: what a session prepared, bound or declared while it might read more
is judged again at its next use, and a session that may not be here any more ends. How much text a session may
keep has a limit."""
import json
import time

from harness import configuration, world
from harness.pgveil import Pgveil
from harness.runner import main
from harness.server import ServerCase
from harness.stack import StackCase
from harness.wire import RawClient, scram_verifier

CITIES = "SELECT count(city), count(id) FROM people"
RAW, MASKED = [["11", "11"]], [["4", "0"]]
PASSWORDS = {
    name: f"{name}'s pass" for name in ("analyst", "bi", "dpo", "dba", "operator", "watcher", "keeper")
}
RAW_PASSWORD = "raw role secret"
NOW_MASKED = (
    "exempt_roles: [dpo]",
    "exempt_roles: [nobody]",
    "readers: [analyst, bi]",
    "readers: [analyst, bi, dpo]",
)
NOW_NOBODY = ("exempt_roles: [dpo]", "exempt_roles: [nobody]")
BIG = """
CREATE TABLE public.big (id integer, city text);
INSERT INTO public.big SELECT g, 'city ' || g % 2000 FROM generate_series(1, 8000) g;
ANALYZE public.big;
"""


class Kept:
    """Everything that a session can keep of one query, and how each is used: → its rows, or its SQLSTATE."""

    def __init__(self, client, sql=CITIES, is_pooled=False):
        self.client, self.sql = client, sql
        self.ways = {"message": self.message, "portal": self.portal, "cursor": self.cursor}
        if not is_pooled:
            self.ways |= {
                "execute": self.execute,
                "execute in a list": self.listed,
                "execute by message": self.by_message,
                "bind": self.bound,
                "execute of a message's": self.mixed,
                "held cursor": self.held,
            }
            client.query(f"PREPARE a AS {sql}")
            client.query(f"PREPARE never AS {sql}")
            client.query(f"DECLARE held CURSOR WITH HOLD FOR {sql} UNION ALL {sql}")
            client.parse("EXECUTE a", "x")
            client.parse(sql, "m")
        client.parse(sql, "s")
        assert client.sync().errors == []

    @staticmethod
    def outcome(reply):
        return reply.sqlstate() or reply.texts()

    def asked(self, sql):
        return self.outcome(self.client.query(sql))

    def run(self, statement):
        self.client.bind((), statement)
        self.client.execute()
        return self.outcome(self.client.sync())

    def execute(self):
        return self.asked("EXECUTE a")

    def listed(self):
        return self.asked("SET application_name = 'x'; EXECUTE never")

    def by_message(self):
        return self.run("x")

    def bound(self):
        return self.run("a")

    def message(self):
        return self.run("s")

    def mixed(self):
        return self.asked("EXECUTE m")

    def held(self):
        return self.asked("FETCH held")

    def open_ones(self):
        """A portal and a cursor in a transaction."""
        self.client.query("BEGIN")
        self.client.query(f"DECLARE c CURSOR FOR {self.sql} UNION ALL {self.sql}")
        self.client.parse(f"{self.sql} UNION ALL {self.sql}", "")
        self.client.bind((), "", "p")
        self.client.execute("p", 1)
        assert self.client.sync().errors == []

    def cursor(self):
        outcome = self.asked("FETCH c")
        self.client.query("ROLLBACK")
        return outcome

    def portal(self):
        self.client.execute("p", 1)
        return self.outcome(self.client.sync())


class RightsCase(StackCase):
    policies = (world.PEOPLE,)
    built = ("people_k2",)
    has_version_schema = True

    def reload(self, path, *changes):
        """Words and what they become; put back at the end of the test."""
        before = text = path.read_text()
        for old, new in zip(changes[::2], changes[1::2]):
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        path.write_text(text)
        self.addCleanup(lambda: (path.write_text(before), self.pgveil.console("RELOAD")))
        reply = self.pgveil.console("RELOAD")
        self.assertEqual([row for row in reply.texts() if row[1] != "ok"], [], reply.errors)

    def session(self, user, sql=CITIES, is_pooled=False):
        client = self.pgveil.client(user)
        self.addCleanup(client.close)
        return Kept(client, sql, is_pooled)

    def assert_all(self, kept, expected, but=()):
        """expected: of every use; but: of those that end in something else."""
        but = dict(but)
        for name, use in kept.ways.items():
            if name not in ("portal", "cursor"):
                self.assertEqual(use(), but.get(name, expected), name)

    def assert_open_ones(self, before, changes, user, states, sql=CITIES):
        """Of a portal and of a cursor in a transaction that goes on over the change; a new session reads as
        before it."""
        for use, state in zip(("portal", "cursor"), states):
            kept = self.session(user, sql, is_pooled=True)
            kept.open_ones()
            self.reload(*changes)
            self.assertEqual(kept.ways[use](), state, use)
            kept.client.query("ROLLBACK")
            self.doCleanups()
            again = self.session(user, sql, is_pooled=True)
            self.assertEqual(again.message(), before)


class Statements(RightsCase):
    options = {"more": "audit: {file: audit.log}\n"}

    def test_an_exempt_role_that_is_masked_from_now_on(self):
        kept = self.session("dpo")
        self.assert_all(kept, RAW)
        self.reload(self.pgveil.policy_path, *NOW_MASKED)
        self.assert_all(kept, "26000", {"message": MASKED, "held cursor": "34000"})
        self.assertEqual(kept.asked(CITIES), MASKED)
        kept.client.query("DEALLOCATE a")
        kept.client.query(f"PREPARE a AS {CITIES}")
        self.assertEqual(kept.asked("EXECUTE a"), MASKED)

    def test_an_exempt_role_that_is_nobody_from_now_on_and_is_back_later(self):
        kept = self.session("dpo")
        text = self.pgveil.policy_path.read_text()
        self.reload(self.pgveil.policy_path, *NOW_NOBODY)
        self.assert_all(kept, "42501")
        reply = kept.client.query("EXECUTE a")
        self.assertIn("people", reply.errors[0]["M"])
        self.assertNotIn("P", reply.errors[0])
        self.pgveil.policy_path.write_text(text)
        self.pgveil.console("RELOAD")
        self.assert_all(kept, RAW)

    def test_open_portals_and_cursors_of_an_exempt_role(self):
        for changes, states in ((NOW_MASKED, ("34000", "34000")), (NOW_NOBODY, ("42501", "42501"))):
            self.assert_open_ones(RAW, (self.pgveil.policy_path, *changes), "dpo", states)

    def test_a_reader_that_is_none_any_more(self):
        kept = self.session("bi")
        self.assert_all(kept, MASKED)
        self.reload(self.pgveil.policy_path, "readers: [analyst, bi]", "readers: [analyst]")
        self.assert_all(kept, "42501")
        self.doCleanups()
        self.assert_open_ones(
            MASKED,
            (self.pgveil.policy_path, "readers: [analyst, bi]", "readers: [analyst]"),
            "bi",
            ("42501", "42501"),
        )

    def test_an_open_table_that_is_closed(self):
        kept = self.session("analyst", "SELECT max(size) FROM towns")
        self.assert_all(kept, [["3000"]])
        self.reload(self.pgveil.config_path, '"public.towns", ', "")
        self.assert_all(kept, "42501")
        self.assertEqual(kept.asked("SELECT max(size) FROM towns"), "42501")

    def test_a_policy_that_is_put_over_an_open_table(self):
        sql = "SELECT max(n) FROM numbers"
        reader, other = self.session("bi", sql), self.session("analyst", sql)
        policies = self.pgveil.policy_path.parent / "numbers.yaml"
        self.addCleanup(lambda: (policies.unlink(), self.pgveil.console("RELOAD")))
        policies.write_text(
            "version: 1\npolicies:\n  - {name: numbers_k20, database: demo, table: public.numbers, k: 20, "
            "readers: [bi], columns: {n: {class: quasi_identifier}}}\n"
        )
        self.reload(self.pgveil.config_path, '"public.towns", "public.numbers"', '"public.towns"')
        self.assert_all(other, "42501")
        self.assert_all(reader, "42501")  # it is to be built first
        self.pgveil.build("numbers_k20")
        self.assert_all(other, "42501")
        self.assert_all(reader, "26000", {"message": [[None]], "held cursor": "34000"})

    def test_who_reads_as_before_goes_on(self):
        kept, towns = self.session("analyst"), self.session("analyst", "SELECT max(size) FROM towns")
        self.reload(self.pgveil.policy_path, *NOW_MASKED)
        self.assert_all(kept, MASKED)
        self.assert_all(towns, [["3000"]])

    def test_explain_and_create_table_run_nothing_that_was_kept(self):
        kept = self.session("dpo")
        for sql in ("EXPLAIN EXECUTE a", "EXPLAIN (ANALYZE) EXECUTE a", "CREATE TEMP TABLE t AS EXECUTE a"):
            self.assertEqual(kept.asked(sql), "42501", sql)
        self.reload(self.pgveil.policy_path, *NOW_NOBODY)
        for sql in ("EXPLAIN EXECUTE a", "EXPLAIN (ANALYZE) EXECUTE a", "CREATE TEMP TABLE t AS EXECUTE a"):
            self.assertEqual(kept.asked(sql), "42501", sql)

    def test_a_refused_execute_is_on_record_with_its_reason(self):
        kept = self.session("dpo")
        self.reload(self.pgveil.policy_path, *NOW_NOBODY)
        kept.execute()
        kept.cursor()
        lines = [json.loads(line) for line in (self.pgveil.directory / "audit.log").read_text().splitlines()]
        refused = [line for line in lines if line["event"] == "statement" and line["verdict"] == "refused"]
        self.assertEqual([(line["role"], line["sqlstate"], line["reason"]) for line in refused[-1:]],
                         [("dpo", "42501", "relation_not_listed")])


class Pooled(RightsCase):
    options = {"more": "pool: {mode: transaction, size: 2}\n"}

    def test_a_role_that_is_masked_from_now_on(self):
        first, second = self.session("dpo", is_pooled=True), self.session("dpo", is_pooled=True)
        for kept in (first, second, first):
            self.assertEqual(kept.message(), RAW)
        first.client.query(
            "BEGIN"
        )  # holds a connection, so that the other gets the one that both prepared on, or a new one
        self.reload(self.pgveil.policy_path, *NOW_MASKED)
        self.assertEqual(second.message(), MASKED)
        self.assertEqual(first.message(), MASKED)
        first.client.query("COMMIT")
        self.assertEqual(first.message(), MASKED)

    def test_portals_and_cursors(self):
        for changes, states in ((NOW_MASKED, ("34000", "34000")), (NOW_NOBODY, ("42501", "42501"))):
            self.assert_open_ones(RAW, (self.pgveil.policy_path, *changes), "dpo", states)


class Sessions(ServerCase):
    """Who is in, and may not be any more after a RELOAD."""

    @classmethod
    def start(cls):
        world.create(cls.postgres)
        cls.postgres.run(
            f"CREATE ROLE dba_raw LOGIN PASSWORD '{RAW_PASSWORD}'; GRANT SELECT ON ALL TABLES IN SCHEMA public "
            "TO dba_raw",
            "demo",
        )
        hba = cls.postgres.directory / "data" / "pg_hba.conf"
        hba.write_text("host all dba_raw 127.0.0.1/32 scram-sha-256\n" + hba.read_text())
        cls.postgres.rows("SELECT pg_reload_conf()")
        more = "bypass_roles: [{role: dba, user: dba_raw, password_file: raw_password}]\naudit: {file: audit.log}\n"
        cls.pgveil = cls.kept(
            Pgveil(
                cls.postgres,
                (world.PEOPLE,),
                world.OPEN_TABLES,
                authentication="scram-sha-256",
                passwords=PASSWORDS,
                more=more,
            )
        )
        text = cls.pgveil.config_path.read_text()
        cls.pgveil.config_path.write_text(
            text.replace("users_file: users.txt", "users_file: users.txt, hba_file: access")
            .replace("admin_users: [operator]", "admin_users: [operator, keeper]"))
        (cls.pgveil.directory / "access").write_text("host all all 127.0.0.1/32 scram-sha-256\n")
        (cls.pgveil.directory / "access").chmod(0o600)
        configuration.write_secret(cls.pgveil.directory / "raw_password", RAW_PASSWORD + "\n")
        cls.pgveil.start()
        with cls.console() as console:
            assert console.query("BUILD POLICY people_k2").errors == []

    @classmethod
    def console(cls):
        return RawClient(cls.pgveil.port, "operator", "pgveil", password=PASSWORDS["operator"])

    def session(self, user, database="demo"):
        client = RawClient(self.pgveil.port, user, database, password=PASSWORDS[user])
        self.addCleanup(client.close)
        return client

    def changed(self, name, change):
        """The file with what `change` makes of its text, taken in."""
        path = self.pgveil.directory / name
        before = path.read_text()
        after = change(before)
        self.assertNotEqual(before, after)
        path.write_text(after)
        self.addCleanup(lambda: (path.write_text(before), self.reload()))
        self.reload()

    def reload(self):
        with self.console() as console:
            rows = console.query("RELOAD").texts()
        self.assertEqual([row for row in rows if row[1] != "ok"], [])

    def without(self, role):
        return lambda text: "".join(
            line for line in text.splitlines(True) if not line.startswith(f'"{role}"')
        )

    def other_password(self, role):
        return (
            lambda text: self.without(role)(text) + f'"{role}" "{scram_verifier("another")}"\n'
        )

    def assert_ended(self, client, words, state="28000"):
        """It was told why, whether or not it says anything more."""
        reply = client.collect()
        self.assertTrue(reply.is_closed)
        self.assertEqual([(error["S"], error["C"]) for error in reply.errors], [("FATAL", state)])
        self.assertIn(words, reply.errors[0]["M"])

    def assert_alive(self, client, sql="SELECT count(*) FROM people"):
        self.assertEqual(client.query(sql).errors, [])

    def test_a_user_that_is_taken_out_of_the_file(self):
        gone, stays = self.session("bi"), self.session("analyst")
        self.changed("users.txt", self.without("bi"))
        self.assert_ended(gone, "is unknown")
        self.assert_alive(stays)

    def test_it_ends_in_a_transaction_and_while_a_statement_runs(self):
        waiting, busy = self.session("bi"), self.session("bi")
        waiting.query("BEGIN")
        busy.send(
            b"Q",
            b"SELECT count(*) FROM people a, people b, people c, people d, people e, people f, people g, people h\0",
        )
        self.changed("users.txt", self.without("bi"))
        self.assert_ended(waiting, "is unknown")
        self.assert_ended(busy, "is unknown")

    def test_another_password_ends_those_that_get_more_than_masks(self):
        masked, exempt, admin = self.session("analyst"), self.session("dpo"), self.session("keeper", "pgveil")
        bypass = self.session("dba")
        self.changed("users.txt", lambda text: self.other_password("dpo")(self.other_password("keeper")(
            self.other_password("dba")(self.other_password("analyst")(text)))))
        for client in (exempt, admin, bypass):
            self.assert_ended(client, "password")
        self.assert_alive(masked)

    def test_the_access_file(self):
        gone, stays, admin = self.session("bi"), self.session("analyst"), self.session("keeper", "pgveil")
        self.changed("access", lambda text: "host all bi,keeper all reject\n" + text)
        self.assert_ended(gone, "access file")
        self.assert_ended(admin, "access file")
        self.assert_alive(stays)

    def test_an_admin_and_a_stats_user(self):
        admin, stats = self.session("keeper", "pgveil"), self.session("watcher", "pgveil")
        self.assert_alive(admin, "SHOW POLICIES")
        self.changed("pgveil.yaml", lambda text: text.replace("[operator, keeper]", "[operator]").replace(
            "stats_users: [watcher]", "stats_users: [bi]"))
        self.assert_ended(admin, "may not use the console", "42501")
        self.assert_ended(stats, "may not use the console", "42501")

    def test_an_admin_that_is_a_stats_user_from_now_on(self):
        admin = self.session("keeper", "pgveil")
        self.changed("pgveil.yaml", lambda text: text.replace("[operator, keeper]", "[operator]").replace(
            "stats_users: [watcher]", "stats_users: [watcher, keeper]"))
        self.assert_alive(admin, "SHOW CLIENTS")
        self.assertEqual(admin.query("SHOW TREE people_k2").sqlstates(), ["42501"])

    def test_a_bypass_role(self):
        bypass = self.session("dba")
        self.assertEqual(bypass.query("SELECT count(city) FROM people").texts(), [["11"]])
        self.changed(
            "pgveil.yaml",
            lambda text: text.replace("bypass_roles: [{role: dba,", "bypass_roles: [{role: dbz,"),
        )
        self.assert_ended(bypass, "bypass role")

    def test_all_others_live_through_a_reload(self):
        clients = [self.session(user) for user in ("analyst", "bi", "dpo", "dba")]
        self.changed("access", lambda text: text + "host all nobody all reject\n")
        time.sleep(1)
        for client in clients:
            self.assert_alive(client)


def resident_mb(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) // 1024 for line in file if line.startswith("VmRSS"))


class BytesCase(StackCase):
    """A short limit, and a mask of some length."""
    policies = (
        world.PEOPLE,
        world.naive.Policy(
            "big_k2", "public.big", 2, {"id": "identifier", "city": "quasi_identifier"}, readers=("analyst",)
        ),
    )
    built = ("people_k2", "big_k2")
    has_version_schema = True
    options = {"limits": "session_statement_bytes: 1048576"}
    tries = 400

    @classmethod
    def prepare(cls):
        cls.postgres.run(BIG + "GRANT SELECT ON public.big TO pgveil_query, pgveil_admin", "demo")

    def fill(self, keep):
        """Until the limit answers → how many there were."""
        for number in range(self.tries):
            reply = keep(number)
            if reply.errors:
                self.assertEqual(reply.sqlstates(), ["54000"], reply.errors)
                self.assertIn("session_statement_bytes", reply.errors[0]["H"])
                return number
        self.fail("no limit")

    def parsed(self, client, number, sql="SELECT city FROM big"):
        client.parse(sql, f"s{number}")
        return client.sync()


class Bytes(BytesCase):
    def test_each_way_to_keep_text_has_the_limit_and_the_session_goes_on(self):
        ways = {
            "PREPARE": (
                lambda client, n: client.query(f"PREPARE s{n} AS SELECT city FROM big"),
                "DEALLOCATE ALL",
            ),
            "Parse": (self.parsed, "DEALLOCATE ALL"),
            "DECLARE": (
                lambda client, n: client.query(
                    f"DECLARE s{n} CURSOR WITH HOLD FOR SELECT city FROM big LIMIT 1"
                ),
                "CLOSE ALL",
            ),
        }
        counts = {}
        for name, (keep, free) in ways.items():
            with self.pgveil.client() as client:
                counts[name] = self.fill(lambda number, keep=keep, client=client: keep(client, number))
                self.assert_alive(client)
                self.assertEqual(client.query("SELECT count(city) FROM big").errors, [])
                self.assertEqual(client.query(free).errors, [])
                self.assertEqual(
                    self.fill(lambda number, keep=keep, client=client: keep(client, number)), counts[name]
                )
        self.assertGreater(min(counts.values()), 1)
        self.assertLessEqual(max(counts.values()) - min(counts.values()), 2, counts)

    def test_open_portals_count(self):
        with self.pgveil.client() as client:
            self.assertEqual(self.parsed(client, 0).errors, [])
            client.query("BEGIN")

            def bound(number):
                client.bind((), "s0", f"p{number}")
                return client.sync()
            self.assertGreater(self.fill(bound), 1)
            client.query("ROLLBACK")
            self.assert_alive(client)

    def test_ten_thousand_statements_do_not_fill_the_server(self):
        with self.pgveil.client() as client, self.pgveil.client() as other:
            pid = int(client.query("SELECT pg_backend_pid()").texts()[0][0])
            refused = 0
            for begin in range(0, 10_000, 100):
                for number in range(begin, begin + 100):
                    client.parse("SELECT city FROM big", f"s{number}")
                    client.send(b"S")
                refused += sum(len(client.collect().errors) for _ in range(100))
            self.assertGreater(refused, 9_900)
            self.assertLess(resident_mb(pid), 100)
            self.assert_alive(client)
            self.assert_alive(other)


class PooledBytes(BytesCase):
    options = {**BytesCase.options, "more": "pool: {mode: transaction, size: 1}\n"}

    def test_the_limit_of_a_session(self):
        with self.pgveil.client() as client:
            count = self.fill(lambda number: self.parsed(client, number))
            self.assertGreater(count, 1)
            self.assert_alive(client)
            client.query("DEALLOCATE ALL")
            self.assertEqual(self.fill(lambda number: self.parsed(client, number)), count)

    def test_a_connection_keeps_no_more_of_all_its_clients(self):
        clients = [self.pgveil.client() for _ in range(6)]
        for client in clients:
            self.addCleanup(client.close)
        pid = int(clients[0].query("SELECT pg_backend_pid()").texts()[0][0])
        made = 0
        for number, client in enumerate(clients):
            made += self.fill(
                lambda each, n=number, c=client: self.parsed(c, each, f"SELECT city, {n}, {each} FROM big")
            )
        reply = self.pgveil.console("SHOW SERVERS")
        names = [column.name for column in reply.columns]
        rows = [dict(zip(names, row)) for row in reply.texts()]
        kept = [int(row["prepared_statements"]) for row in rows if row["remote_pid"] == str(pid)]
        self.assertEqual(len(kept), 1)
        self.assertLessEqual(kept[0], made // 6 + 1)
        for client in clients:
            client.bind((), "s0")
            client.execute()
            self.assertEqual(client.sync().errors, [])


if __name__ == "__main__":
    main()
