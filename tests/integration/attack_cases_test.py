#!/usr/bin/python3
"""Our own attack cases (attack_cases.txt): what must be masked is, what must be refused is before PostgreSQL
hears of it, what must work does, and no reply holds a hidden value."""
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


def cases():
    """→ (kind, messages) of each line."""
    found = []
    for line in CASES.read_text().splitlines():
        if line and not line.startswith("#"):
            kind, _, text = line.partition(": ")
            found.append((kind, text.split(" ;; ")))
    return found


class AttackCases(StackCase):
    has_masked_copy = True

    def answer(self, port, user, database, messages):
        client = pipeline.Pipeline(port, user, database)
        try:
            for message in messages:
                client.send(conversations.simple(message))
            return client.answer(len(messages))
        finally:
            client.close()

    def judge(self, kind, messages):
        since = self.postgres.log_position()
        mine = self.answer(self.pgveil.port, "analyst", "demo", messages)
        received = [
            entry for entry in self.postgres.received(since) if re.search(r"LOG:  (statement|execute)", entry)
        ]
        own = " ".join(messages)
        for token in world.HIDDEN:
            self.assertTrue(
                token in own or not any(token.encode() in body for _, body in mine), f"LEAK of {token}: {own}"
            )
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

    def test_a_raw_answer_would_be_seen(self):
        """The judge can fail: the raw table's answer is another."""
        raw = self.answer(self.postgres.port, "postgres", "demo", ["SELECT name FROM staff"])
        masked = self.answer(self.postgres.port, "postgres", "masked", ["SELECT name FROM staff"])
        self.assertIsNotNone(comparison.difference(Query("", [], False), raw, masked))


if __name__ == "__main__":
    main()
