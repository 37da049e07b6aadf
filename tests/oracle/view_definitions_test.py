#!/usr/bin/python3
"""Any SELECT as a listed view. PostgreSQL prints the definition its own way (pg_get_viewdef), and pgveil
reads that text: what comes of it must be what the same view shows over the masked copy. PGVEIL_SEED picks
others."""
import collections
import os
import pathlib
import random
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent),
                str(pathlib.Path(__file__).resolve().parents[1] / "integration")]
import comparison  # noqa: E402
import conversations  # noqa: E402
import pipeline  # noqa: E402
import queries  # noqa: E402
import tables  # noqa: E402
import worlds  # noqa: E402
from harness import world  # noqa: E402
from harness.pgveil import Pgveil  # noqa: E402
from harness.runner import main  # noqa: E402
from harness.server import ServerCase  # noqa: E402
from harness.wire import RawClient  # noqa: E402
from queries import Query  # noqa: E402

IS_LONG = os.environ.get("PGVEIL_LONG") == "1"
SEED = int(os.environ.get("PGVEIL_SEED", "1"))
VIEWS = int(os.environ.get("PGVEIL_STATEMENTS", "3000" if IS_LONG else "300"))
ANSWERED_SHARE = 0.9


class Definitions(queries.Generator):
    """SELECTs that a view can have."""

    def definition(self):
        self.aliases, self.parameters = 0, None
        return self.random.choices(
            (
                self.plain,
                self.grouped,
                self.windowed,
                self.set_operation,
                self.distinct_on,
                self.with_query,
                self.whole_row,
                self.recursive,
            ),
            (30, 22, 12, 10, 5, 10, 5, 3),
        )[0]()[0]


class ViewDefinitions(ServerCase):
    test_seconds = 3600 if IS_LONG else 600
    is_logging = False

    @classmethod
    def start(cls):
        cls.postgres.run(world.ROLES)
        cls.tables = tables.random_tables(random.Random(f"definitions/{SEED}"), 5)
        worlds.create_databases(cls.postgres, cls.tables, [], "raw", "masked")
        cls.views = cls.create_views()
        policies = [table.policy for table in cls.tables if table.policy]
        opened = ["public.open1", *(f"public.{name}" for name in cls.views)]
        cls.pgveil = cls.kept(Pgveil(cls.postgres, policies, opened, "raw"))
        cls.pgveil.start().build(*(policy.name for policy in policies))

    @classmethod
    def create_views(cls):
        """→ name to the SQL that the view was made of. What can't be a view (a column without a type) is left
        out."""
        generator, made = Definitions(random.Random(f"definitions/{SEED}"), cls.tables), {}
        with RawClient(cls.postgres.port, "postgres", "masked") as masked, \
                RawClient(cls.postgres.port, "postgres", "raw") as raw:
            for number in range(VIEWS):
                sql = generator.definition()
                width = len(masked.query(f"PREPARE probe AS {sql}; EXECUTE probe").columns)
                masked.query("DEALLOCATE probe")
                names = ", ".join(f"c{column}" for column in range(width))
                create = (
                    f"CREATE VIEW view{number} ({names}) AS {sql}"
                    if width
                    else f"CREATE VIEW view{number} AS {sql}"
                )
                if masked.query(create).errors or raw.query(create).errors:
                    continue
                made[f"view{number}"] = sql
        return made

    def test_every_view_shows_what_it_shows_over_the_masked_copy(self):
        self.assertGreater(len(self.views), VIEWS * 0.8)
        questions = [Query(form.format(name), [], False) for name in self.views
                     for form in ("TABLE {0}", "SELECT count(*) FROM {0}", "SELECT {0}::text FROM {0}")]
        limits = {"statement_timeout": worlds.STATEMENT_TIMEOUT}
        both = (pipeline.Pipeline(self.pgveil.port, "analyst", "raw", limits),
                pipeline.Pipeline(self.postgres.port, "postgres", "masked", limits))
        refused, differences, failed = collections.Counter(), [], 0
        try:
            for query, (mine, theirs) in pipeline.answers(both, questions, conversations.segments):
                failed += bool(comparison.states(theirs))
                if words := comparison.refusal(mine, theirs):
                    refused[words.split(": ", 1)[-1]] += 1
                elif words := comparison.difference(query, mine, theirs):
                    differences.append((query.sql, words))
        finally:
            for each in both:
                each.close()
        print(
            f"\nview definitions: {len(self.views)} views, {len(questions)} statements, {failed} with an error, "
            f"{sum(refused.values())} refused, {len(differences)} differences"
        )
        for words, times in refused.most_common(10):
            print(f"  refused {times} times: {words}")
        for sql, words in differences[:5]:
            name = next(name for name in self.views if name in sql.replace("::", " ").split())
            print(f"\nDIFFERENCE {sql}\n  {self.views[name]}\n  → {words}")
        self.assertEqual(differences, [])
        self.assertLessEqual(sum(refused.values()), (1 - ANSWERED_SHARE) * len(questions))


if __name__ == "__main__":
    main()
