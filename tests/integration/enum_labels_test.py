#!/usr/bin/python3
"""ALTER TYPE … RENAME VALUE gives another name to values that rows keep. A mask names values by their labels,
so a policy whose quasi-identifier is an enum closes when a label that it was built with is another value's,
at once and for all that was there."""
import dataclasses

from harness.runner import main
from harness.stack import StackCase
from naive import Policy

# glad 4 times, calm 3 times, grim once, sad once: with k 2 the tree shows glad and calm.
ROWS = """
CREATE TYPE public."Mood of" AS ENUM ('glad', 'calm', 'it''s "grim", \\', 'sad');
CREATE TABLE public.moods (id integer, mood public."Mood of");
INSERT INTO public.moods SELECT n, (ARRAY['glad', 'glad', 'calm', 'it''s "grim", \\', 'glad', 'calm', 'sad', 'calm', 'glad'])[n]::public."Mood of"
  FROM generate_series(1, 9) n;
GRANT SELECT ON public.moods TO pgveil_query, pgveil_admin;
"""
GRIM = """'it''s "grim", \\'"""
SHOWN = [
    ["1", "glad"],
    ["2", "glad"],
    ["3", "calm"],
    ["4", None],
    ["5", "glad"],
    ["6", "calm"],
    ["7", None],
    ["8", "calm"],
    ["9", "glad"],
]
QUERY = "SELECT id, mood FROM moods ORDER BY id"
MOODS = Policy("moods_k2", "public.moods", 2, {"id": "insensitive", "mood": "quasi_identifier"})
CLOSED = ("42501", "40001", "26000", "0A000", "22P02", "25P02")


def renamed(*pairs):
    return "; ".join(f'ALTER TYPE public."Mood of" RENAME VALUE {old} TO {new}' for old, new in pairs)


SWAP = renamed(("'glad'", "'x'"), (GRIM, "'glad'"), ("'x'", GRIM))


class EnumLabels(StackCase):
    policies = (MOODS,)
    built = ("moods_k2",)
    open_tables = ("public.towns",)

    @classmethod
    def prepare(cls):
        cls.postgres.run(ROWS, "demo")

    def assert_closed(self, reply, what):
        self.assertEqual(reply.rows, [], what)
        self.assertIn(reply.sqlstate(), CLOSED, (what, reply.errors))
        self.assertNotIn(b"grim", reply.raw, what)

    def assert_no_row_alone(self, reply, what):
        """What was planned before the change shows the rows that it showed, by whatever name; or nothing."""
        if not reply.errors:
            self.assertEqual(
                {row[0] for row in reply.texts() if row[1] is not None},
                {"1", "2", "3", "5", "6", "8", "9"},
                what,
            )
        else:
            self.assert_closed(reply, what)

    def in_an_old_snapshot(self, reply):
        self.assert_closed(reply, "an old snapshot")

    def fresh_statements(self):
        for _ in range(3):
            with self.pgveil.client() as fresh:
                self.assert_closed(fresh.query(QUERY), "a fresh statement")
                self.assert_closed(fresh.query("COPY moods TO STDOUT"), "COPY")
                self.assert_closed(
                    fresh.query("SELECT count(*) FROM moods WHERE mood = 'glad'"), "a condition"
                )

    def old_sessions(self):
        prepared, snapshot = self.pgveil.client(), self.pgveil.client()
        self.addCleanup(prepared.close)
        self.addCleanup(snapshot.close)
        prepared.parse(QUERY, "old")
        prepared.bind((), "old")
        prepared.execute()
        self.assertEqual(prepared.sync().texts(), SHOWN)
        self.assertEqual(prepared.query("PREPARE sql_old AS " + QUERY).errors, [])
        self.assertEqual(prepared.query("EXECUTE sql_old").texts(), SHOWN)
        snapshot.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
        self.assertEqual(snapshot.query("SELECT count(*) FROM towns").errors, [])
        return prepared, snapshot

    def test_labels_that_change_places_close_the_table(self):
        prepared, snapshot = self.old_sessions()
        self.postgres.run("BEGIN; " + SWAP + "; COMMIT", "demo")
        try:
            self.in_an_old_snapshot(snapshot.query(QUERY))
            self.assert_no_row_alone(prepared.query("EXECUTE sql_old"), "a statement prepared in SQL")
            prepared.bind((), "old")
            prepared.execute()
            self.assert_no_row_alone(prepared.sync(), "a prepared statement")
            self.fresh_statements()
            self.pgveil.console("RELOAD")
            with self.pgveil.client() as fresh:
                self.assert_closed(fresh.query(QUERY), "after a look at the catalog")
            reasons = str(self.pgveil.console("SHOW POLICIES").texts())
            self.assertIn("changed since version", reasons)
        finally:
            snapshot.query("ROLLBACK")
            self.pgveil.build("moods_k2")
        grim = GRIM.strip("'").replace("''", "'")
        self.assertEqual(self.texts(QUERY), [[n, grim if mood == "glad" else mood] for n, mood in SHOWN])
        self.postgres.run("BEGIN; " + SWAP + "; COMMIT", "demo")
        self.pgveil.build("moods_k2")
        self.assertEqual(self.texts(QUERY), SHOWN)

    def test_a_label_with_another_name_closes_it_too(self):
        self.postgres.run(renamed(("'calm'", "'serene'")), "demo")
        try:
            self.fresh_statements()
        finally:
            self.pgveil.build("moods_k2")
        self.assertEqual(self.texts(QUERY), [[n, "serene" if mood == "calm" else mood] for n, mood in SHOWN])
        self.postgres.run(renamed(("'serene'", "'calm'")), "demo")
        self.pgveil.build("moods_k2")

    def test_a_further_label_changes_nothing(self):
        self.postgres.run('ALTER TYPE public."Mood of" ADD VALUE \'new\' BEFORE \'calm\'', "demo")
        self.postgres.run("INSERT INTO moods VALUES (10, 'new')", "demo")
        try:
            with self.pgveil.client() as client:
                self.assertEqual(client.query(QUERY).texts(), SHOWN + [["10", None]])
            self.pgveil.console("RELOAD")
            self.assertEqual(self.texts(QUERY), SHOWN + [["10", None]])
        finally:
            self.postgres.run("DELETE FROM moods WHERE id = 10", "demo")


class WithTheSchema(EnumLabels):
    has_version_schema = True


class InViews(EnumLabels):
    """A view keeps the values that its labels had when it was made."""
    has_version_schema = True
    options = {"mask_views": True}

    def in_an_old_snapshot(self, reply):
        self.assert_no_row_alone(reply, "an old snapshot")

    def fresh_statements(self):
        with self.pgveil.client() as fresh:
            self.assert_no_row_alone(fresh.query(QUERY), "a fresh statement")


class Stored(EnumLabels):
    """The column keeps what it was made with; its text is another one, so masks in the query are asked, which
    are closed."""
    has_version_schema = True
    policies = (dataclasses.replace(MOODS, enforcement="stored"),)

    @classmethod
    def start(cls):
        super().start()
        cls.postgres.run(
            cls.pgveil.command(
                "policy", "stored-sql", "moods_k2", "--config", str(cls.pgveil.config_path)
            ).stdout,
            "demo",
        )
        cls.pgveil.build("moods_k2")


if __name__ == "__main__":
    main()
