#!/usr/bin/python3
"""Errors and notices of statements over masked tables: severity, SQLSTATE and a text that quotes nothing. The
original is in pgveil's log, and only when the operator asked for it."""

from harness import world
from harness.runner import main
from harness.stack import StackCase

# Each of them raises one of its states over values of masked columns. Two where builds of PostgreSQL differ.
RUNTIME_ERRORS = {
    # casts
    "job::integer": ("22P02",),
    "job::bigint": ("22P02",),
    "job::real": ("22P02",),
    "job::numeric": ("22P02",),
    "job::boolean": ("22P02",),
    "job::uuid": ("22P02",),
    "job::json": ("22P02",),
    "job::jsonb": ("22P02",),
    "job::point": ("22P02",),
    "job::inet": ("22P02",),
    "job::macaddr": ("22P02",),
    "job::oid": ("22P02",),
    "job::bit(3)": ("22P02",),
    "job::int4range": ("22P02",),
    "job::integer[]": ("22P02",),
    "job::date": ("22007",),
    "job::time": ("22007",),
    "job::timestamptz": ("22007",),
    "job::interval": ("22007",),
    "job::pg_lsn": ("22P02",),
    "(job || ' ' || town)::tsquery": ("42601",),
    "job::regclass": ("42P01",),
    "job::regtype": ("42704",),
    "job::regprocedure": ("22P02", "42883"),
    "job::regrole": ("42704",),
    "job::regnamespace": ("3F000",),
    "job::public.mood": ("22P02",),
    "('<' || job)::xml": ("2200N", "0A000"),
    "('{\"a\":' || job || '}')::jsonb": ("22P02",),
    "('{' || job)::text[]": ("22P02",),
    "(job || '.' || town)::regclass": ("42P01", "3F000"),
    "('\"' || job)::regclass": ("42602",),
    "decode(job, 'hex')": ("22023",),
    # arithmetic and ranges
    "1 / (length(job) - length(job))": ("22012",),
    "length(job) % (length(job) - length(job))": ("22012",),
    "(length(job) + 2147483647)": ("22003",),
    "exp(length(job) * 10000.0)": ("22003",),
    "sqrt(-length(job))": ("2201F",),
    "ln(length(job) - length(job))": ("2201E",),
    "power(0, -length(job))": ("2201F",),
    "factorial(-length(job)::bigint)": ("22003",),
    "(length(job) * 1000000)::smallint": ("22003",),
    "chr(-length(job))": ("54000", "22023"),
    "generate_series(1, length(job), 0)": ("22023",),
    "ntile(0) OVER (ORDER BY job)": ("22014",),
    # text
    "job ~ ('(' || job)": ("2201B",),
    "regexp_replace(job, '[' || job, 'x')": ("2201B",),
    "regexp_matches(job, job || '{2,1}')": ("2201B",),
    "substring(job, 1, -length(job))": ("22011",),
    "repeat(job, 1000000000)": ("54000",),
    "convert_from(convert_to(job, 'UTF8') || '\\xff', 'UTF8')": ("22021",),
    "format(job || '%z')": ("22023",),
    "to_char(length(job), job || '9EEEE99EEEE')": ("42601",),
    "set_byte(convert_to(job, 'UTF8'), 999, 1)": ("2202E",),
    "convert_to(job, town)": ("22023",),
    "encode(convert_to(job, 'UTF8'), town)": ("22023",),
    "lpad(job, 1100000000)": ("54000",),
    # dates
    "to_date(job, 'YYYY-MM-DD')": ("22007",),
    "to_timestamp(job, 'HH24:MI')": ("22007",),
    "make_date(length(job), 13, 1)": ("22008",),
    "make_time(99, length(job), 0)": ("22008",),
    "date_trunc(job, seen)": ("22023",),
    "extract(epoch FROM date_trunc('day', seen)) + date_part(job, seen)": ("22023",),
    "seen AT TIME ZONE job": ("22023",),
    # arrays, json, xml
    "(ARRAY[[1]])[1:1][1] || array_fill(0, ARRAY[length(job)], ARRAY[1, 2])": ("2202E",),
    "array_fill(job, NULL)": ("22004",),
    "jsonb_path_query(to_jsonb(job), job::jsonpath)": ("42601",),
    "jsonb_set(to_jsonb(job), ARRAY[job], '1')": ("22023",),
    "to_jsonb(job)::integer": ("22023",),
    "json_each(to_json(job))": ("22023",),
    "json_array_length(to_json(job))": ("22023",),
    "jsonb_array_elements(to_jsonb(job))": ("22023",),
    "xpath('//' || job || '[', '<a/>'::xml)": ("0A000", "22023", "XX000", "2200N", "22000"),
    "xmlparse(CONTENT '<' || job)": ("2200N", "0A000"),
    "xmlcomment(job || '--')": ("2200S", "0A000"),
    "jsonb_object(ARRAY[job, town, job])": ("2202E",),
    # rows
    "(SELECT s.job FROM staff s)": ("21000",),
    "(job, town) = (SELECT s.job, s.town FROM staff s)": ("21000",),
    "multirange(int4range(length(job), 1)) IS NULL": ("22000",),
    "int4range(length(job), 1)": ("22000",),
    "cidr(job)": ("22P02",),
}
# Values of the table, shown ones included: no message may quote any.
VALUES = ("Nurse", "nurse", "Baker", "baker", "Pilot", "pilot", "Aber", "Bree", "Cork") + world.HIDDEN

REFUSED = (
    "SELECT nextval('s')",
    "SELECT setval('s', 1)",
    "SELECT currval('s')",
    "SELECT lastval()",
    "SELECT last_value FROM s",
    "SELECT pg_advisory_lock(1)",
    "SELECT pg_try_advisory_lock(1)",
    "SELECT pg_advisory_xact_lock_shared(1, 2)",
    "SELECT pg_sleep(1)",
    "SELECT pg_sleep_for('1s')",
    "SELECT pg_sleep_until(now())",
    "SELECT pg_cancel_backend(1)",
    "SELECT pg_terminate_backend(1)",
    "SELECT * FROM pg_stat_get_activity(NULL)",
    "SELECT pg_export_snapshot()",
    "SELECT pg_logical_emit_message(false, 'a', 'b')",
    "SELECT pg_reload_conf()",
    "SELECT pg_log_backend_memory_contexts(1)",
)


class Errors(StackCase):
    def check(self, error, states, sql):
        self.assertIn(error["C"], states, (sql, error))
        self.assertEqual(set(error) - set("SVCMH"), set(), (sql, error))
        for value in VALUES:
            self.assertNotIn(value, repr(error), sql)
        return error["M"]

    def test_errors_over_masked_columns_quote_nothing(self):
        texts, raised = {}, 0
        with self.pgveil.client() as client:
            for expression, states in RUNTIME_ERRORS.items():
                for sql in (
                    f"SELECT {expression} FROM staff WHERE job IS NOT NULL AND town IS NOT NULL",
                    f"SELECT id FROM staff WHERE job IS NOT NULL AND town IS NOT NULL ORDER BY ({expression})::text",
                ):
                    for ask in (client.query, client.extended):
                        reply = ask(sql)
                        self.assertTrue(reply.errors, sql)
                        error = reply.errors[0]
                        texts.setdefault(error["C"], set()).add(self.check(error, states, sql))
                        raised += 1
            self.assert_alive(client)
        self.assertGreater(raised, 150)
        for state, found in texts.items():
            self.assertEqual(len(found), 1, (state, found))  # one text per state: it can't depend on a value

    def test_notices_over_masked_columns_quote_nothing(self):
        with self.pgveil.client() as client:
            reply = client.query(
                "SELECT to_tsquery('english', 'the ' || lower(left(job, 0))) FROM staff WHERE job IS NOT NULL"
            )
            self.assertTrue(reply.notices, reply)
            for notice in reply.notices:
                self.check(notice, ("00000",), "to_tsquery")

    def test_side_channels_are_refused(self):
        since = self.postgres.log_position()
        with self.pgveil.client() as client:
            for sql in REFUSED:
                for ask in (client.query, client.extended):
                    self.assertEqual(ask(sql).sqlstates(), ["42501"], sql)
        self.assert_nothing_sent(since, "side channels")

    def test_the_log_has_no_detail(self):
        with self.pgveil.client() as client:
            client.query("SELECT job::integer FROM staff WHERE job = 'Nurse'")
        self.assertNotIn("Nurse", self.pgveil.log())


class PrivateLog(StackCase):
    policies = (world.STAFF,)
    built = ("staff_k3",)

    def test_the_original_is_in_the_log_when_it_was_asked_for(self):
        self.pgveil.config_path.write_text(
            self.pgveil.config_path.read_text().replace("log: {", "log: {log_private: true, ")
        )
        self.assertIn("log_private", self.pgveil.config_path.read_text())
        self.pgveil.restart()
        with self.pgveil.client() as client:
            error = client.query("SELECT job::integer FROM staff WHERE job = 'Nurse'").errors[0]
        self.assertNotIn("Nurse", repr(error))
        detail = 'invalid input syntax for type integer: \\"Nurse\\"'
        # The line may be written after the answer.
        self.until(lambda: detail in self.pgveil.log().replace('"Nurse"', '\\"Nurse\\"'),
                   "the original is not in the log")


if __name__ == "__main__":
    main()
