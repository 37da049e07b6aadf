#!/usr/bin/python3
"""A pgveil in front of a standby: it answers under the versions that the primary has, and refuses what would
write."""
import time

from harness import world
from harness.pgveil import Pgveil
from harness.runner import main
from harness.stack import StackCase
from harness.standby import Standby, let_standbys_in

QUERY = "SELECT * FROM people"


class OnAStandby(StackCase):
    has_version_schema = True
    options = {"catalog_check_every": "1s", "mask_views": False}
    on_the_way = {"40001"}

    @classmethod
    def start(cls):
        super().start()
        let_standbys_in(cls.postgres)
        cls.standby = cls.kept(Standby(cls.postgres))
        cls.reader = cls.kept(Pgveil(cls.standby, cls.policies, cls.open_tables, **cls.options))
        cls.reader.start()

    def until(self, sqlstate, why):
        """→ the states on the way there; None: an answer."""
        seen = []
        with self.reader.client() as client:
            for _ in range(300):
                reply = client.query(QUERY)
                if reply.sqlstate() == sqlstate:
                    return seen, reply
                seen.append(reply.sqlstate())
                time.sleep(0.1)
        self.fail(f"{why}: {seen[-3:]}")

    def test_it_is_one(self):
        self.assertEqual(self.standby.rows("SELECT pg_is_in_recovery()"), [["t"]])
        with self.reader.client() as client:
            self.assertEqual(client.query("SHOW in_hot_standby").texts(), [["on"]])
            self.assertEqual(client.query("SHOW transaction_read_only").texts(), [["on"]])

    def test_answers_are_masked(self):
        _, reply = self.until(None, "no answer")
        self.assertEqual(reply.texts(), world.MASKED_PEOPLE)
        read = "FROM pgveil." if self.options["mask_views"] else "pgveil.guard("
        self.assertIn(read, "".join(self.standby.received()))

    def test_a_build_is_refused_with_the_reason(self):
        reply = self.reader.console("BUILD POLICY people_k2")
        self.assertTrue(reply.errors)
        self.assertIn("standby", reply.errors[0]["M"] + reply.errors[0].get("H", ""))
        self.until(None, "the version of before goes on")

    def test_a_build_on_the_primary_counts_here(self):
        self.until(None, "no answer")
        self.pgveil.build("people_k2")
        seen, _ = self.until(None, "no answer after a build")
        self.assertLessEqual(set(seen), self.on_the_way)

    def test_a_withdrawal_on_the_primary_counts_here(self):
        self.until(None, "no answer")
        self.postgres.run(
            "UPDATE pgveil.version SET is_current = false, closed_because = 'a test' WHERE policy = 'people_k2'",
            "demo",
        )
        self.until("42501", "withdrawn")
        self.pgveil.build("people_k2")
        self.until(None, "built again")


class MaskViewsOnAStandby(OnAStandby):
    """The views are the primary's: a standby can't make one."""
    options = {"catalog_check_every": "1s", "mask_views": True}
    on_the_way = {"40001", "42501"}  # the version may arrive a moment before its view


if __name__ == "__main__":
    main()
