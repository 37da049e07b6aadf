#!/usr/bin/python3
"""Masks that decide by bitmaps: the same answers as other forms, and statements that read one row by its key get
them by themselves."""
from harness import world
from harness.runner import main
from harness.stack import StackCase
from naive import Policy
from stored_masks_test import STATEMENTS

# A quasi-identifier of each type that can have bitmaps, with a key that readers see.
KINDS = """
CREATE TABLE public.kinds (
  id bigint, part text, flag boolean, padded char(6), born date, half float4, precise float8, small int2, whole int4,
  large int8, price numeric, words text, short varchar(9), local timestamp, moment timestamptz, key uuid,
  PRIMARY KEY (part, id));
INSERT INTO public.kinds
SELECT g, 'p' || g % 2, v = 1, CASE v WHEN 0 THEN 'a' WHEN 1 THEN 'a"b' WHEN 2 THEN 'it''s' END,
       date '2000-02-29' + v * 400, CASE v WHEN 0 THEN '-0' WHEN 1 THEN 'NaN' ELSE '0.1' END::float4,
       CASE v WHEN 0 THEN 'Infinity' WHEN 1 THEN '0' ELSE '1e-300' END::float8, v - 1, v * 70000, v * 5000000000,
       CASE v WHEN 0 THEN 1.0 WHEN 1 THEN 1.00 ELSE -2.50 END, CASE v WHEN 0 THEN '' WHEN 1 THEN 'NULL' ELSE E'{a,\\\\"}' END,
       CASE v WHEN 0 THEN ' x' WHEN 1 THEN 'é' ELSE 'y,' END, timestamp '2020-01-01 12:00' + v * interval '1 day',
       timestamptz '2020-01-01 12:00+03' + v * interval '1 day', md5(v::text)::uuid
  FROM (SELECT g, NULLIF(g * g % 7 % 4, 3) AS v FROM generate_series(1, 90) g) numbers;
UPDATE public.kinds SET words = 'only-' || id, short = NULL WHERE id % 9 = 0;
"""
CLASSES = {name: "quasi_identifier" for name in (
    "flag padded born half precise small whole large price words short local moment key").split()}
KINDS_POLICY = Policy("kinds_k3", "public.kinds", 3,
                            {"id": "insensitive", "part": "insensitive", **CLASSES}, readers=("analyst",))


class Forms(StackCase):
    """All statements, with bitmaps wherever there can be some."""

    policies = (world.PEOPLE, world.STAFF)
    has_masked_copy = True
    options = {"mask_form": "by_bitmap"}

    def test_answers_are_those_of_the_masked_table(self):
        since = self.postgres.log_position()
        self.assert_answers_as_masked(STATEMENTS)
        received = "".join(self.postgres.received(since))
        # Columns of an enum are compared by =: a superuser can change what array_position calls equal.
        self.assertIn("t.mood OPERATOR(pg_catalog.=)", received)
        self.assertNotIn("mood[], t.mood", received)
        self.assertIn("varbit[]", received)


class Keys(StackCase):
    """Rows by their key. masks.form is its default."""

    policies = (KINDS_POLICY,)
    built = ("kinds_k3",)

    @classmethod
    def prepare(cls):
        cls.postgres.run(KINDS + "GRANT SELECT ON public.kinds TO pgveil_query, pgveil_admin;", "demo")

    def rows_by_key(self, client):
        client.query("PREPARE by_key(text, bigint) AS SELECT * FROM kinds WHERE id = $2 AND part = $1")
        for number in range(1, 91):
            yield client.query(f"EXECUTE by_key('p{number % 2}', {number})").texts()[0]

    def test_rows_by_key_are_those_of_the_whole_table(self):
        since = self.postgres.log_position()
        with self.pgveil.client() as client:
            by_key = list(self.rows_by_key(client))
        self.assertIn("varbit[]", "".join(self.postgres.received(since)))
        since = self.postgres.log_position()
        whole = self.texts("SELECT * FROM kinds ORDER BY id")
        self.assertNotIn("varbit[]", "".join(self.postgres.received(since)))
        self.assertEqual(by_key, whole)
        hidden = [sum(row[i] is None for row in whole) for i in range(2, 16)]
        # NULLs of the table and hidden cells
        self.assertTrue(all(0 < count < 90 for count in hidden), hidden)
        self.assertNotIn("only-", str(by_key))

    def test_a_row_is_found_by_the_index(self):
        since = self.postgres.log_position()
        self.texts("SELECT words, price FROM kinds WHERE part = 'p1' AND id = 7")
        sent = [text for text in self.postgres.received(since) if "varbit[]" in text]
        with self.direct("demo") as superuser:
            superuser.query("SET enable_seqscan = off")
            plan = superuser.query(f"EXPLAIN (COSTS OFF) {sent[0][sent[0].index('SELECT'):]}")
        self.assertEqual(plan.errors, [])
        self.assertIn("Index Scan using kinds_pkey", str(plan.texts()))

    def test_drift_and_a_build_are_noticed_by_kept_plans(self):
        with self.pgveil.client() as client:
            client.query("PREPARE one AS SELECT words, short FROM kinds WHERE part = 'p1' AND id = 7")
            before = client.query("EXECUTE one").texts()
            self.postgres.run("UPDATE kinds SET words = 'only-new', short = 'only-new'  WHERE id = 7", "demo")
            self.assertEqual(client.query("EXECUTE one").texts(), [[None, None]])
            self.pgveil.console("BUILD POLICY kinds_k3 FRESH")
            stopped = client.query("EXECUTE one")
            self.assertTrue(stopped.errors or stopped.texts() == [[None, None]])
            self.postgres.run("UPDATE kinds k SET words = o.words, short = o.short FROM kinds o "
                              "WHERE k.id = 7 AND o.id = 14", "demo")
            self.pgveil.console("BUILD POLICY kinds_k3 FRESH")
        self.assertEqual(len(before), 1)


if __name__ == "__main__":
    main()
