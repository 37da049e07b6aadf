#!/usr/bin/python3
"""How PostgreSQL stores a value tells of the row around it: whether it compresses the value depends on how long
the hidden values of the row are. So no answer says how a value is stored."""
from harness.runner import main
from harness.stack import StackCase
from naive import Policy

COLUMNS = {"id": "insensitive", "title": "quasi_identifier", "city": "quasi_identifier", "note": "identifier"}
LONG = 8  # the row with a long note


class StoredSize(StackCase):
    policies = (
        Policy("docs_k3", "public.docs", 3, COLUMNS, readers=("analyst",)),
        Policy("copied_k3", "public.copied", 3, COLUMNS, readers=("analyst",), enforcement="copy"),
    )
    built = ("docs_k3", "copied_k3")
    has_version_schema = True

    @classmethod
    def prepare(cls):
        cls.postgres.run(f"""
CREATE TABLE docs (id int PRIMARY KEY, title text, city text, note text);
INSERT INTO docs SELECT g, repeat('A long title ', 60), 'c' || g % 2,
  CASE WHEN g = {LONG} THEN (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 60) i) ELSE 'short' END
  FROM generate_series(1, 12) g;
CREATE TABLE copied (LIKE docs INCLUDING ALL);
INSERT INTO copied TABLE docs;
GRANT SELECT ON docs, copied TO pgveil_query, pgveil_admin;
""", "demo")

    def test_the_row_is_stored_differently(self):
        """Otherwise the other tests could not fail."""
        stored = self.postgres.rows("SELECT id FROM docs WHERE pg_column_compression(title) IS NOT NULL", "demo")
        self.assertEqual(stored, [[str(LONG)]])

    def test_no_answer_tells_it(self):
        for table in ("docs", "copied"):
            for stored in ("pg_column_size(title)", "pg_column_compression(title)", "pg_column_size(d)",
                           "pg_catalog.pg_column_size(d.*)", "pg_column_size((SELECT title))"):
                with self.subTest(table=table, stored=stored):
                    rows = self.texts(f"SELECT DISTINCT {stored} FROM {table} d")
                    self.assertEqual(rows, [[None]])
                    one = self.texts(f"SELECT {stored} FROM {table} d WHERE id = {LONG}")
                    self.assertEqual(one, [[None]])

    def test_no_condition_tells_it(self):
        sql = "SELECT count(*) FROM docs WHERE pg_column_size(title) > 100"
        self.assertEqual(self.texts(sql), [["0"]])


if __name__ == "__main__":
    main()
