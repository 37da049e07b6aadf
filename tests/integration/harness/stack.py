"""A test case with a PostgreSQL and a pgveil of its own, up for all tests of the class."""
import time

from . import world
from .pgveil import Pgveil
from .psql import psql
from .server import ServerCase
from .wire import RawClient


class StackCase(ServerCase):
    policies = (world.PEOPLE, world.STAFF)
    built = ("people_k2", "staff_k3")
    open_tables = world.OPEN_TABLES
    has_masked_copy = False
    has_version_schema = False  # True: what setup-sql prints ran before the start
    options = {}

    @classmethod
    def start(cls):
        world.create(cls.postgres)
        cls.prepare()
        if cls.has_masked_copy:
            world.create_masked(cls.postgres)
        cls.pgveil = cls.kept(Pgveil(cls.postgres, cls.policies, cls.open_tables, **cls.options))
        if cls.has_version_schema:
            cls.postgres.run(cls.pgveil.setup_sql(), "demo")
        cls.pgveil.start()
        cls.pgveil.build(*cls.built)

    @classmethod
    def prepare(cls):
        """What a test wants in the database before pgveil starts."""

    # -- clients
    def direct(self, database="masked", user="postgres"):
        return RawClient(self.postgres.port, user, database)

    def psql(self, *commands, user="analyst", database="demo", **more):
        return psql(self.pgveil.port, database, user, *commands, **more)

    def texts(self, sql, user="analyst"):
        with self.pgveil.client(user) as client:
            reply = client.query(sql)
        self.assertEqual(reply.errors, [], sql)
        return reply.texts()

    def wait_for_running_query(self):
        """Until the backend works on a client's statement: a cancel that comes earlier is of no effect, by
        protocol. What pgveil itself sends is short, so a statement counts when it has run for half a second
        and is seen twice."""
        seen = None
        for _ in range(400):
            rows = self.postgres.rows("SELECT pid, query_start FROM pg_stat_activity WHERE "
                                      "usename = 'pgveil_query' AND state = 'active' AND "
                                      "query_start < clock_timestamp() - interval '500 ms' "
                                      "ORDER BY query_start")
            if rows and rows[0] == seen:
                return int(seen[0])
            seen = rows[0] if rows else None
            time.sleep(0.1)
        raise AssertionError("the query did not start")

    # -- assertions
    def assert_nothing_sent(self, since, what):
        """The query role's connections have sent nothing since then."""
        self.assertEqual(self.postgres.received(since), [], what)

    def assert_no_hidden_value(self, data, what=""):
        text = data if isinstance(data, str) else data.decode("utf-8", "replace")
        for token in world.HIDDEN:
            self.assertNotIn(token, text, what)

    def assert_answers_as_masked(self, statements):
        """Each answer is that of PostgreSQL over the masked copies. REQUIRES: has_masked_copy."""
        for sql in statements:
            with self.subTest(sql), self.pgveil.client() as client, self.direct() as plain:
                ours, theirs = client.query(sql), plain.query(sql)
                self.assertEqual(ours.errors, [])
                self.assertEqual((ours.texts(), ours.copied, [column.name for column in ours.columns]),
                                 (theirs.texts(), theirs.copied, [column.name for column in theirs.columns]))

    def assert_alive(self, client, sql="SELECT count(*) FROM people", expected="11"):
        reply = client.query(sql)
        self.assertEqual((reply.errors, reply.texts()), ([], [[expected]]))
