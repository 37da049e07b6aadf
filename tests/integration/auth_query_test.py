#!/usr/bin/python3
"""auth_query: clients that log in with PostgreSQL's own verifier of them, and everything that must not come
of it."""
import concurrent.futures
import os
import re
import signal
import time

from harness import configuration, world
from harness.pgveil import Pgveil
from harness.runner import main
from harness.server import ServerCase
from harness.wire import RawClient, scram_verifier

FILE = {"operator": "operator's pass", "dba": "dba's pass", "both": "the file's pass", "dpo": "dpo's pass"}
BACKEND = {
    "ann": "ann's pass",
    "bea": "bea's pass",
    "both": "the server's pass",
    "operator": "another operator",
    "dpo": "another dpo",
    "bi": "bi's pass",
    "outsider": "outsider's pass",
    "watcher": "watcher's pass",
}
AUTH_PASSWORD = "auth role secret"
ROLES = """
CREATE ROLE pgveil_auth LOGIN PASSWORD '%s';
COMMENT ON ROLE pgveil_auth IS 'pgveil: for pgveil alone';
CREATE ROLE nopassword LOGIN;
SET password_encryption = 'md5';
CREATE ROLE md5user LOGIN PASSWORD 'md5 pass';
RESET password_encryption;
""" % AUTH_PASSWORD
FUNCTION = """
CREATE SCHEMA pgveil_auth;
GRANT USAGE ON SCHEMA pgveil_auth TO pgveil_auth;
CREATE TABLE pgveil_auth.extra (name text, verifier text);
INSERT INTO pgveil_auth.extra VALUES ('twice', 'a'), ('twice', 'b'), ('plain', 'plain secret'),
  ('broken', 'SCRAM-SHA-256$4096:x$y:z'), ('liar', NULL), ('FOLDED', 'c');
CREATE FUNCTION pgveil_auth.verifier_of(role text, OUT name text, OUT verifier text) RETURNS SETOF record
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT rolname, rolpassword FROM pg_authid WHERE rolname = role AND rolcanlogin AND NOT rolsuper
    UNION ALL SELECT e.name, e.verifier FROM pgveil_auth.extra e WHERE lower(e.name) = lower(role)
    UNION ALL SELECT 'x', (1 / (CASE WHEN role = 'failing' THEN 0 ELSE 1 END))::text WHERE role = 'failing' $$;
REVOKE ALL ON FUNCTION pgveil_auth.verifier_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgveil_auth.verifier_of TO pgveil_auth;
"""
QUERY = "SELECT name, verifier FROM pgveil_auth.verifier_of($1)"
LET_IN = (
    '{user: bi}, {user: bea, as: analyst}, {user: outsider}, {user: both}, {user: operator}, {user: dpo}, {user: dba}, '
    '{user: watcher}, {user: ann, as: analyst}, {user: md5user, as: analyst}, {user: nopassword, as: analyst}, '
    '{user: twice, as: analyst}, {user: plain, as: analyst}, {user: broken, as: analyst}, {user: folded, as: analyst}, '
    '{user: liar, as: analyst}, {user: failing, as: analyst}, {user: late, as: analyst}'
)


def section(query=QUERY, let_in=LET_IN, cache="0ms", user="pgveil_auth"):
    return (
        f'auth_query: {{query: "{query}", user: {user}, password_file: auth_password, let_in: [{let_in}], '
        f'cache: {cache}}}\naudit: {{file: audit.log}}\n'
    )


class AuthQueryCase(ServerCase):
    cache = "0ms"

    @classmethod
    def start(cls):
        world.create(cls.postgres)
        cls.postgres.run(ROLES)
        for name, password in BACKEND.items():
            quoted = password.replace("'", "''")
            cls.postgres.run(f"CREATE ROLE \"{name}\" LOGIN PASSWORD '{quoted}'")
        cls.postgres.run(FUNCTION, "demo")
        hba = cls.postgres.directory / "data" / "pg_hba.conf"
        hba.write_text("host all pgveil_auth 127.0.0.1/32 scram-sha-256\n" + hba.read_text())
        cls.postgres.rows("SELECT pg_reload_conf()")
        cls.pgveil = cls.made(section(cache=cls.cache))
        cls.pgveil.start()
        with RawClient(cls.pgveil.port, "operator", "pgveil", password=FILE["operator"]) as console:
            cls.build_errors = console.query("BUILD POLICY people_k2").errors

    @classmethod
    def made(cls, more, passwords=FILE):
        """A pgveil that is not started."""
        pgveil = cls.kept(
            Pgveil(
                cls.postgres,
                (world.PEOPLE,),
                world.OPEN_TABLES,
                authentication="scram-sha-256",
                passwords=passwords,
                more=more,
            )
        )
        configuration.write_secret(pgveil.directory / "auth_password", AUTH_PASSWORD + "\n")
        return pgveil

    def log_in(self, user, password, database="demo"):
        client = RawClient(self.pgveil.port)
        self.addCleanup(client.close)
        reply = client.log_in({"user": user, "database": database}, password)
        return client, reply

    def assert_out(self, user, password, database="demo", state="28P01"):
        _, reply = self.log_in(user, password, database)
        self.assertEqual(reply.sqlstates(), [state], user)
        return reply


class Accounts(AuthQueryCase):
    def test_a_role_of_the_server_is_let_in_as_the_masked_role_that_the_rule_names(self):
        self.assertEqual(self.build_errors, [])
        client, reply = self.log_in("ann", BACKEND["ann"])
        self.assertEqual(reply.status, "I")
        self.assertEqual(client.query("SELECT * FROM people ORDER BY state, city, occupation").texts(),
                         self.as_analyst("SELECT * FROM people ORDER BY state, city, occupation"))
        self.assertEqual(client.query("SELECT count(city) FROM people").texts(), [["4"]])
        self.assertEqual(client.query("SELECT current_user").texts(), [["analyst"]])

    def as_analyst(self, sql):
        client, _ = self.log_in("bea", BACKEND["bea"])
        return client.query(sql).texts()

    def test_a_rule_without_as_keeps_the_name(self):
        client, _ = self.log_in("bi", BACKEND["bi"])
        self.assertEqual(client.query("SELECT count(city) FROM people").texts(), [["4"]])
        client, _ = self.log_in("outsider", BACKEND["outsider"])
        self.assertEqual(client.query("SELECT count(city) FROM people").sqlstates(), ["42501"])
        self.assertEqual(client.query("SELECT count(*) FROM towns").texts(), [["4"]])

    def test_who_no_rule_names_is_nobody(self):
        self.postgres.run("CREATE ROLE unnamed LOGIN PASSWORD 'unnamed pass'")
        self.assert_out("unnamed", "unnamed pass")
        self.assertIn("role unnamed is not let in: no rule", self.pgveil.log())

    def test_wrong_and_unknown_look_alike(self):
        replies = {user: self.log_in(user, "whatever") for user in ("ann", "nobody", "both", "unnamed2")}
        for user, (client, reply) in replies.items():
            self.assertEqual(reply.sqlstates(), ["28P01"], user)
            self.assertEqual([code for code, _ in client.authentication], [10, 11], user)
            self.assertIn(b",i=4096", client.authentication[1][1])
            self.assertEqual(
                reply.errors[0]["M"].replace(user, "X"), 'password authentication failed for user "X"'
            )

    def test_every_name_is_asked_for(self):
        for user, password in (
            ("both", FILE["both"]),
            ("nobody", "x"),
            ("ann", "x"),
            ("ann", BACKEND["ann"]),
        ):
            since = self.postgres.log_position()
            self.log_in(user, password)
            self.assertEqual(len(self.asked(since)), 1, user)

    def asked(self, since):
        return re.findall(
            r"execute [^\n]*verifier_of", "".join(self.postgres.received(since, role="pgveil_auth"))
        )

    def test_the_file_comes_first(self):
        _, reply = self.log_in("both", FILE["both"])
        self.assertEqual(reply.status, "I")
        self.assert_out("both", BACKEND["both"])

    def test_the_server_makes_nobody_an_admin_exempt_or_a_bypass_role(self):
        for user in ("operator", "dpo"):
            self.assert_out(user, BACKEND[user])
        self.assert_out("watcher", BACKEND["watcher"])           # a stats user without an account in the file
        self.assertIn("role watcher is not let in: admins", self.pgveil.log())
        self.assert_out("watcher", BACKEND["watcher"], "pgveil")
        self.assert_out("ann", BACKEND["ann"], "pgveil")         # the console asks nobody
        _, reply = self.log_in("operator", FILE["operator"], "pgveil")
        self.assertEqual(reply.status, "I")

    def test_only_scram_verifiers_are_accepted(self):
        for user, password, why in (
            ("md5user", "md5 pass", "md5 hash"),
            ("plain", "plain secret", "not stored as a SCRAM verifier"),
            ("broken", "x", "malformed"),
            ("nopassword", "", "it has no password"),
            ("liar", "x", "it has no password"),
            ("twice", "a", "2 rows"),
            ("folded", "c", "another name"),
        ):
            self.assert_out(user, password)
            self.assertRegex(self.pgveil.log(), rf"role {user}: [^\n]*{why}")

    def test_a_query_that_fails_is_told_as_such_and_only_to_those_with_a_wrong_password(self):
        reply = self.assert_out("failing", "x", state="57P03")
        self.assertEqual(reply.errors[0]["M"], "this login can't be checked now")
        self.assertIn("auth_query failed", self.pgveil.log())
        time.sleep(1.1)  # until it is asked again
        _, reply = self.log_in("ann", BACKEND["ann"])
        self.assertEqual(reply.status, "I")

    def test_names_are_parameters(self):
        for user in ("x' OR true --", 'ann"', "$1", "ann\\", "a" * 64, "ü" * 31):
            self.assert_out(user, "x")

    def test_a_changed_password_and_a_dropped_role(self):
        self.postgres.run("CREATE ROLE late LOGIN PASSWORD 'one'")
        self.assertEqual(self.log_in("late", "one")[1].status, "I")
        self.postgres.run("ALTER ROLE late PASSWORD 'two'")
        self.assert_out("late", "one")
        self.assertEqual(self.log_in("late", "two")[1].status, "I")
        self.postgres.run("DROP ROLE late")
        self.assert_out("late", "two")

    def test_the_connection_may_be_lost(self):
        self.assertEqual(self.log_in("ann", BACKEND["ann"])[1].status, "I")
        self.postgres.rows(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'pgveil_auth'"
        )
        self.assertEqual(self.log_in("ann", BACKEND["ann"])[1].status, "I")

    def test_the_audit_log_has_both_names(self):
        client, _ = self.log_in("ann", BACKEND["ann"])
        client.query("SELECT 1")
        text = (self.pgveil.directory / "audit.log").read_text()
        self.assertRegex(
            text, r'"event":"login"[^\n]*"role":"ann"[^\n]*"found_by":"auth_query","reads_as":"analyst"'
        )
        self.assertRegex(text, r'"event":"statement"[^\n]*"role":"ann"')

    def test_no_secret_is_printed(self):
        for user in ("plain", "twice", "broken", "md5user", "ann"):
            self.log_in(user, "tell-tale")
        verifiers = [
            row[0]
            for row in self.postgres.rows("SELECT rolpassword FROM pg_authid WHERE rolpassword IS NOT NULL")
        ]
        texts = self.pgveil.log() + (self.pgveil.directory / "audit.log").read_text()
        for secret in (*verifiers, "plain secret", AUTH_PASSWORD, "tell-tale", "SCRAM-SHA-256$"):
            self.assertNotIn(secret, texts)

    def test_clients_never_reach_the_function(self):
        client, _ = self.log_in("ann", BACKEND["ann"])
        for sql in ("SELECT * FROM pgveil_auth.verifier_of('ann')", "SELECT pgveil_auth.verifier_of('ann')",
                    "SELECT * FROM pgveil_auth.extra", "SELECT rolpassword FROM pg_authid"):
            self.assertIn(client.query(sql).sqlstate(), ("42501", "42703"), sql)


class UnqualifiedQuery(AuthQueryCase):
    """PgBouncer before 1.25.1 looked names of its auth_query up in the search_path of the client's start-up
    packet (CVE-2025-12819): whoever may make a function could answer with a verifier of their own."""

    @classmethod
    def start(cls):
        super().start()
        cls.pgveil.stop()
        forged = scram_verifier("forged")
        cls.postgres.run(
            "CREATE SCHEMA evil; GRANT USAGE ON SCHEMA evil TO PUBLIC; "
            "CREATE FUNCTION evil.verifier_of(text, OUT name text, OUT verifier text) LANGUAGE sql AS "
            f"$$ SELECT $1, '{forged}' $$; "
            "CREATE FUNCTION evil.lower(text) RETURNS text LANGUAGE sql AS $$ SELECT 'ann' $$",
            "demo",
        )
        query = "SELECT name, verifier FROM pgveil_auth.verifier_of(lower($1))"
        cls.pgveil = cls.made(section(query=query))
        cls.pgveil.start()

    def attempt(self, port, password, **parameters):
        client = RawClient(port)
        self.addCleanup(client.close)
        return client.log_in({"user": "ann", "database": "demo", **parameters}, password)

    def test_the_path_of_a_client_is_not_the_querys(self):
        paths = ({"search_path": "evil"}, {"search_path": "evil, pg_catalog, public"},
                 {"options": "-c search_path=evil"}, {"options": "--search-path=evil,pg_catalog"})
        since = self.postgres.log_position()
        for parameters in paths:
            self.assertEqual(self.attempt(self.pgveil.port, "forged", **parameters).sqlstates(), ["28P01"])
            self.assertEqual(self.attempt(self.pgveil.port, BACKEND["ann"], **parameters).status, "I")
        asked = "".join(self.postgres.received(since, role="pgveil_auth"))
        self.assertIn("verifier_of", asked)
        self.assertNotIn("evil", asked)

    def test_a_query_that_names_no_schema_finds_nothing(self):
        """Its session looks only in pg_catalog, so pgveil does not even start with it."""
        bare = self.made(section(query="SELECT name, verifier FROM verifier_of($1)"))
        with self.assertRaises(RuntimeError) as raised:
            bare.start()
        bare._process = None  # it ended by itself
        self.assertIn("auth_query failed: SQLSTATE 42883", str(raised.exception))


class Memory(AuthQueryCase):
    cache = "5m"

    def test_what_it_said_is_believed_until_reload(self):
        self.assertEqual(self.log_in("ann", BACKEND["ann"])[1].status, "I")
        self.postgres.run("ALTER ROLE ann PASSWORD 'new'")
        since = self.postgres.log_position()
        self.assertEqual(self.log_in("ann", BACKEND["ann"])[1].status, "I")
        self.assert_out("nobody", "x")
        self.assert_out("nobody", "x")
        asked = "".join(self.postgres.received(since, role="pgveil_auth"))
        self.assertNotIn("'ann'", asked)
        self.assertEqual(len(re.findall(r"execute [^\n]*verifier_of", asked)), 1)
        with RawClient(self.pgveil.port, "operator", "pgveil", password=FILE["operator"]) as console:
            self.assertEqual(console.query("RELOAD").errors, [])
        self.assert_out("ann", BACKEND["ann"])
        self.assertEqual(self.log_in("ann", "new")[1].status, "I")

    def test_a_session_never_becomes_exempt_by_reload(self):
        client, _ = self.log_in("bi", BACKEND["bi"])
        self.assertEqual(client.query("SELECT count(city) FROM people").texts(), [["4"]])
        text = self.pgveil.policy_path.read_text()
        exempt = text.replace("readers: [analyst, bi]", "readers: [analyst]").replace(
            "exempt_roles: [dpo]", "exempt_roles: [dpo, bi]"
        )
        self.assertNotEqual(text, exempt)
        self.pgveil.policy_path.write_text(exempt)
        try:
            with RawClient(self.pgveil.port, "operator", "pgveil", password=FILE["operator"]) as console:
                self.assertEqual(console.query("RELOAD").errors, [])
                reply = client.collect()
                self.assertEqual((reply.sqlstates(), reply.is_closed), (["28000"], True))
                self.assert_out("bi", BACKEND["bi"])
        finally:
            self.pgveil.policy_path.write_text(text)
            with RawClient(self.pgveil.port, "operator", "pgveil", password=FILE["operator"]) as console:
                self.assertEqual(console.query("RELOAD").errors, [])


class Outage(AuthQueryCase):
    def test_while_postgresql_is_down(self):
        self.assertEqual(self.log_in("ann", BACKEND["ann"])[1].status, "I")
        self.postgres.kill()
        try:
            messages = {
                self.assert_out(user, "x", state="57P03").errors[0]["M"] for user in ("ann", "nobody", "both")
            }
            self.assertEqual(messages, {"this login can't be checked now"})
            self.assert_out("ann", BACKEND["ann"], state="57P03")
            self.assert_out("both", FILE["both"], state="08006")     # let in, but there is no server
            _, reply = self.log_in("operator", FILE["operator"], "pgveil")
            self.assertEqual(reply.status, "I")
            self.assert_out("operator", "x", "pgveil")
        finally:
            self.postgres.start()
        time.sleep(1.1)
        self.assertEqual(self.log_in("ann", BACKEND["ann"])[1].status, "I")


class Hanging(AuthQueryCase):
    def test_a_server_that_says_nothing_holds_nobody_up_for_long(self):
        self.assertEqual(self.log_in("ann", BACKEND["ann"])[1].status, "I")
        ((pid,),) = self.postgres.rows("SELECT pid FROM pg_stat_activity WHERE usename = 'pgveil_auth'")
        os.kill(int(pid), signal.SIGSTOP)
        try:
            with concurrent.futures.ThreadPoolExecutor(3) as pool:
                logins = [pool.submit(self.log_in, user, password) for user, password in
                          (("ann", BACKEND["ann"]), ("both", FILE["both"]), ("nobody", "x"))]
                replies = [login.result()[1] for login in logins]
        finally:
            os.kill(int(pid), signal.SIGCONT)
        self.assertIn("the server has said nothing", self.pgveil.log())
        self.assertIn(["57P03"], [reply.sqlstates() for reply in replies])
        self.assertEqual(replies[1].status, "I")
        time.sleep(1.1)  # until it is asked again
        self.assertEqual(self.log_in("ann", BACKEND["ann"])[1].status, "I")


class Shipped(ServerCase):
    """What setup-sql makes for the default query, in a database that has nothing yet."""

    @classmethod
    def start(cls):
        world.create(cls.postgres)
        cls.postgres.run(
            "CREATE ROLE ann LOGIN PASSWORD 'ann secret'; CREATE ROLE gone LOGIN PASSWORD 'gone secret' VALID UNTIL '2020-01-01'; "
            "CREATE ROLE boss SUPERUSER LOGIN PASSWORD 'boss secret'; "
            "CREATE ROLE guest LOGIN PASSWORD 'guest secret' VALID UNTIL '2999-01-01'"
        )
        section_text = "auth_query: {user: pgveil_auth, password_file: auth_password, let_in: [{user: '*', as: analyst}], cache: 0ms}\n"
        cls.pgveil = cls.kept(
            Pgveil(
                cls.postgres,
                (world.PEOPLE,),
                world.OPEN_TABLES,
                authentication="scram-sha-256",
                passwords=FILE,
                more=section_text,
            )
        )
        configuration.write_secret(cls.pgveil.directory / "auth_password", AUTH_PASSWORD + "\n")

    def test_it_is_enough_and_no_more(self):
        script = self.pgveil.setup_sql()
        for _ in range(2):  # twice changes nothing
            self.postgres.run(script, "demo")
        self.postgres.run(f"ALTER ROLE pgveil_auth PASSWORD '{AUTH_PASSWORD}'")
        self.pgveil.start()
        for user, password, state in (
            ("ann", "ann secret", None),
            ("ann", "wrong", "28P01"),
            ("gone", "gone secret", "28P01"),
            ("guest", "guest secret", None),
            ("boss", "boss secret", "28P01"),
        ):
            with RawClient(self.pgveil.port) as client:
                reply = client.log_in({"user": user, "database": "demo"}, password)
                self.assertEqual(reply.sqlstate(), state, user)
        # PgBouncer before 1.24.1 let expired passwords in (CVE-2025-2291).
        self.postgres.run("ALTER ROLE guest VALID UNTIL '2020-01-01'")
        with RawClient(self.pgveil.port) as client:
            reply = client.log_in({"user": "guest", "database": "demo"}, "guest secret")
            self.assertEqual(reply.sqlstates(), ["28P01"])
        rows = self.postgres.rows(
            "SELECT r.rolname, has_function_privilege(r.rolname, 'pgveil_auth.verifier_of(text)', 'EXECUTE') FROM pg_roles r "
            "WHERE r.rolname IN ('pgveil_auth', 'pgveil_query', 'pgveil_admin', 'ann') ORDER BY 1",
            "demo",
        )
        self.assertEqual(
            rows, [["ann", "f"], ["pgveil_admin", "f"], ["pgveil_auth", "t"], ["pgveil_query", "f"]]
        )

    def test_a_schema_of_somebody_elses_is_refused(self):
        self.postgres.run("CREATE ROLE mallory; CREATE DATABASE other; ")
        self.postgres.run("CREATE SCHEMA pgveil_auth AUTHORIZATION mallory", "other")
        script = self.pgveil.setup_sql()
        at = script.index("-- 7. auth_query")
        with self.assertRaisesRegex(RuntimeError, "is not a superuser's"):
            self.postgres.run(script[at:script.index("COMMIT;")], "other")
        self.assertEqual(
            self.postgres.rows("SELECT count(*) FROM pg_proc WHERE proname = 'verifier_of'", "other"), [["0"]]
        )


class Start(AuthQueryCase):
    def assert_refused(self, more, words, passwords=FILE):
        pgveil = self.made(more, passwords)
        done = pgveil.command("serve", "--config", str(pgveil.config_path))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(words, done.stderr)
        self.assertNotIn(AUTH_PASSWORD, done.stderr)

    def test_what_keeps_pgveil_from_starting(self):
        self.assert_refused(section(query="SELECT 1"), "does not use $1")
        self.assert_refused(section(query="SELECT $1::text"), "gives 1 columns")
        self.assert_refused(section(query="SELECT $1::text, nothing"), "auth_query failed")
        self.assert_refused(
            section(query="SELECT rolname, rolpassword FROM pg_authid WHERE rolname = $1"),
            "auth_query failed",
        )
        self.assert_refused(section(query="SELECT '', $1::text"), "row for the empty name")
        self.assert_refused(section(user="nosuch"), "as nosuch failed")
        self.assert_refused(section(user="pgveil_query"), "runs SQL of clients")
        self.assert_refused(section(let_in=""), "nobody is let in")
        self.assert_refused(section(let_in="{user: '*', as: dpo}"), "exempt from policy people_k2")
        self.assert_refused(
            section(let_in="{user: '*', as: operator}"), "an admin, a stats user or a bypass role"
        )
        self.assert_refused(section(let_in="{user: '*'}, {user: ann}"), "no user reaches this rule")
        self.assert_refused(section(let_in="{as: analyst}"), "a rule without user")
        self.assert_refused(section(cache="6m"), "5m")

    def test_without_a_users_file(self):
        pgveil = self.made(section(let_in="{user: '*', as: analyst}"), passwords=None)
        pgveil.start()
        with RawClient(pgveil.port, "outsider", "demo", password=BACKEND["outsider"]) as client:
            self.assertEqual(client.query("SELECT current_user").texts(), [["analyst"]])


if __name__ == "__main__":
    main()
