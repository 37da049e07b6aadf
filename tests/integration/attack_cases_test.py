#!/usr/bin/python3
"""Our own attack cases (attack_cases.txt): what must be masked is, what must be refused is before PostgreSQL
hears of it, what must work does, and no reply holds a hidden value. The same on listed views of the tables."""
import collections
import pathlib
import re

from harness import world
from harness.runner import main
from harness.stack import StackCase
import comparison
import conversations
import pipeline
from queries import Query

CASES = pathlib.Path(__file__).with_name("attack_cases.txt")
KINDS = ("masked", "ordered", "refused", "allowed")
# Two steps of views: what they show must be what the masked copy shows through the same views.
VIEWS = "".join(
    f"CREATE VIEW inner_{table} AS SELECT * FROM {table}; CREATE VIEW shown_{table} AS SELECT * FROM inner_{table};"
    f"GRANT SELECT ON inner_{table}, shown_{table} TO pgveil_query;"
    for table in ("people", "staff")
)
OPEN_VIEWS = tuple(
    f"public.{step}_{table}" for step in ("inner", "shown") for table in ("people", "staff")
)


def cases():
    """→ (kind, messages) of each line."""
    found = []
    for line in CASES.read_text().splitlines():
        if line and not line.startswith("#"):
            kind, _, text = line.partition(": ")
            found.append((kind, text.split(" ;; ")))
    return found


def through_views(messages):
    """The messages with the views in the tables' places."""
    return [re.sub(r'(?<![\w"&])(people|staff)\b', r"shown_\1", message) for message in messages]


class AttackCases(StackCase):
    has_masked_copy = True
    open_tables = (*world.OPEN_TABLES, *OPEN_VIEWS)

    @classmethod
    def prepare(cls):
        cls.postgres.run(VIEWS, "demo")

    def answer(self, port, user, database, messages):
        client = pipeline.Pipeline(port, user, database)
        try:
            for message in messages:
                client.send(conversations.simple(message))
            return client.answer(len(messages))
        finally:
            client.close()

    def assert_nothing_leaks(self, mine, messages):
        own = " ".join(messages)
        for token in world.HIDDEN:
            self.assertTrue(
                token in own or not any(token.encode() in body for _, body in mine), f"LEAK of {token}: {own}"
            )

    def judge(self, kind, messages):
        since = self.postgres.log_position()
        mine = self.answer(self.pgveil.port, "analyst", "demo", messages)
        received = [
            entry for entry in self.postgres.received(since) if re.search(r"LOG:  (statement|execute)", entry)
        ]
        own = " ".join(messages)
        self.assert_nothing_leaks(mine, messages)
        if kind == "refused":
            self.assertNotEqual(comparison.states(mine), [], own)
            self.assertEqual(received, [], own)
            return
        theirs = self.answer(
            self.postgres.port, "postgres", "demo" if kind == "allowed" else "masked", messages
        )
        self.assertIsNone(comparison.refusal(mine, theirs), own)
        if kind == "allowed":
            self.assertEqual(comparison.states(mine), comparison.states(theirs), own)
        else:
            self.assertIsNone(comparison.difference(Query(own, [], kind == "ordered"), mine, theirs), own)

    def test_every_case(self):
        right = collections.Counter()
        for kind, messages in cases():
            self.assertIn(kind, KINDS)
            with self.subTest(" ;; ".join(messages)):
                self.judge(kind, messages)
                right[kind] += 1
        print(f"\nown attack cases right: {dict(right)}")

    def test_every_case_through_listed_views(self):
        same, refused = 0, 0
        for kind, messages in cases():
            shown = through_views(messages)
            if kind not in ("masked", "ordered") or shown == messages:
                continue
            with self.subTest(" ;; ".join(shown)):
                mine = self.answer(self.pgveil.port, "analyst", "demo", shown)
                self.assert_nothing_leaks(mine, shown)
                if comparison.states(mine) == ["42501"]:
                    refused += 1
                    continue
                theirs = self.answer(self.postgres.port, "postgres", "masked", shown)
                own = " ".join(shown)
                self.assertIsNone(comparison.difference(Query(own, [], kind == "ordered"), mine, theirs), own)
                same += 1
        print(f"\nown attack cases through views: {same} as the masked copy, {refused} refused")
        self.assertGreater(same, 30)

    def test_a_raw_answer_would_be_seen(self):
        """The judge can fail: the raw table's answer is another."""
        raw = self.answer(self.postgres.port, "postgres", "demo", ["SELECT name FROM staff"])
        masked = self.answer(self.postgres.port, "postgres", "masked", ["SELECT name FROM staff"])
        self.assertIsNotNone(comparison.difference(Query("", [], False), raw, masked))


if __name__ == "__main__":
    main()
