"""The databases of one seed, a pgveil in front of the raw one, and the comparison of many statements on
both."""
import collections
import dataclasses
import random
import time

import comparison
import conversations
import naive
import pipeline
import plans
import queries
import tables
import views
from harness.pgveil import Pgveil
from harness.wire import RawClient

STATEMENT_TIMEOUT = "20s"
VIEWS = 4
SHADOWS = 2  # so many tables have one of the same name in another schema
SCHEMAS = ("public", tables.SHADOW_SCHEMA)


def create_databases(postgres, some_tables, some_views, raw, masked):
    """Two databases with the same types, tables and views: over the raw rows, and over the masked rows."""
    postgres.create_database(raw)
    postgres.run(tables.create_script(some_tables), raw)
    postgres.create_database(masked, template=raw)
    for table in some_tables:
        naive.write_rows(postgres, raw, table.full_name(), table.rows)
        if table.policy is None:
            naive.write_rows(postgres, masked, table.full_name(), table.rows)
            continue
        if table.partitions:
            postgres.run(table.flat_sql(), masked)
        naive.make_masked_copy(postgres, raw, masked, table.policy)
    for database in (raw, masked):
        postgres.run("".join(view.create_sql() for view in some_views), database)
    # Only masked columns have indexes, so only look-ups read one: other scans stay in physical order.
    postgres.run("".join(table.indexes_sql() for table in some_tables), raw)
    for database in (raw, masked):
        postgres.run(tables.prefer_indexes(database), database)


# Worlds take turns. Tables of an oracle are too small for the cost model to choose by_row or by_bitmap by
# itself; stored: enforcement, of tables without partitions.
MASK_FORMS = ("by_column", "by_row", "stored", "by_bitmap")


def stored(table):
    """The table, with a policy whose decisions it will keep."""
    if table.policy and not table.partitions:
        table.policy = dataclasses.replace(table.policy, enforcement="stored")
    return table


@dataclasses.dataclass
class Tally:
    """What came of some statements."""
    statements: int = 0
    answered: int = 0
    failed: int = 0            # of the answered: with the error that PostgreSQL has too
    timed_out: int = 0
    unraised: int = 0
    by_plan: int = 0  # errors that only another plan over the same masked data raises, or does not: plans.py
    seconds: float = 0.0
    refusals: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    differences: list = dataclasses.field(default_factory=list)
    doubtful: list = dataclasses.field(
        default_factory=list
    )  # pgveil's answer of each difference in an error, else None
    seen: list = dataclasses.field(default_factory=list)  # the SQL that was answered without an error

    def add(self, other):
        for name in ("statements", "answered", "failed", "timed_out", "unraised", "by_plan", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.refusals += other.refusals
        self.differences += other.differences
        self.seen += other.seen

    def take(self, query, mine, theirs):
        self.statements += 1
        if words := comparison.refusal(mine, theirs):
            self.refusals[words] += 1
            return
        self.answered += 1
        states = comparison.states(mine)
        self.failed += bool(states)
        self.timed_out += comparison.TIMED_OUT in states
        self.unraised += not states and bool(comparison.states(theirs))
        if not states:
            self.seen += conversations.texts(query)
        if words := comparison.difference(query, mine, theirs):
            self.differences.append((query, words))
            self.doubtful.append(mine if isinstance(words, comparison.ErrorDifference) else None)

    def settle(self, fenced_answers):
        """fenced_answers: of the fenced copy, one for each difference, None for those that no plan can
        decide."""
        kept = []
        for (query, words), mine, fenced in zip(self.differences, self.doubtful, fenced_answers):
            if fenced is not None and plans.is_decided_by_plan(query, words, mine, fenced):
                self.by_plan += 1
            else:
                kept.append((query, words))
        self.differences, self.doubtful = kept, []


class World:
    def __init__(self, postgres, seed, table_count=6):
        self.postgres, self.seed = postgres, seed
        self.tables = tables.random_tables(random.Random(seed), table_count)
        self.raw, self.masked, self.fenced = f"raw_{seed}", f"masked_{seed}", set()
        shadows = [tables.shadow(random.Random(seed), table) for table in self.tables[:SHADOWS]]
        self.views = views.random_views(random.Random(f"views/{seed}"), self.tables, VIEWS)
        create_databases(postgres, self.tables + shadows, self.views, self.raw, self.masked)
        form = MASK_FORMS[seed % len(MASK_FORMS)]
        if form == "stored":
            form = "cheapest"
            self.tables = [stored(table) for table in self.tables]
            postgres.run(f"GRANT CREATE ON DATABASE {self.raw} TO pgveil_admin;", self.raw)
        self.protected = [table for table in self.tables if table.policy]
        self.pgveil = Pgveil(
            postgres,
            [table.policy for table in self.protected],
            [table.full_name() for table in self.tables + shadows + self.views if not table.policy],
            self.raw,
            schemas=SCHEMAS,
            mask_form=form,
            estimates="all_tables",
        )

    def start(self):
        self.pgveil.start()
        self.pgveil.build(*(table.policy.name for table in self.protected))
        self.store(*(table.policy.name for table in self.protected if table.policy.enforcement == "stored"))
        return self

    def store(self, *policies):
        """As the owner of the tables would: each gets the column of its policy, and is built again."""
        for policy in policies:
            lines = self.pgveil.console(f"SHOW STORED {policy}").texts()
            self.postgres.run("\n".join(line for line, in lines), self.raw)
            self.pgveil.build(policy)
        reply = self.pgveil.console("SHOW POLICIES")
        at = [column.name for column in reply.columns].index("enforcement")
        kept = {row[0]: row[at] for row in reply.texts()}
        missing = {policy: kept[policy] for policy in policies if kept[policy] != "stored"}
        if missing:
            raise AssertionError(f"world {self.seed}: {missing}")

    def stop(self):
        self.pgveil.stop()

    def drop(self):
        for database in (self.raw, self.masked, *self.fenced):
            self.postgres.run(f"DROP DATABASE {database} WITH (FORCE);")

    def queries(self, count, more=0):
        generator = queries.Generator(random.Random(f"{self.seed}/{more}"), self.tables + self.views,
                                      [table.name for table in self.tables[:SHADOWS]])
        yield from generator.rare_queries()
        for _ in range(count):
            yield generator.query()

    def pipelines(self, copy=None, user="analyst", **parameters):
        limits = {"statement_timeout": STATEMENT_TIMEOUT, **parameters}
        path = {"search_path": ", ".join(SCHEMAS)}
        return (pipeline.Pipeline(self.pgveil.port, user, self.raw, limits),
                pipeline.Pipeline(self.postgres.port, "postgres", copy or self.masked, {**limits, **path}))

    def rewritten(self, sql):
        """What pgveil sends for it; None: it is refused, or not one statement."""
        quoted = sql.replace("'", "''")
        reply = self.pgveil.console(f"EXPLAIN POLICY FOR ROLE analyst FULL '{quoted}'")
        names = [column.name for column in reply.columns]
        texts = [dict(zip(names, row)) for row in reply.texts()]
        return texts[0]["text"] if len(texts) == 1 and not reply.errors else None

    def clients(self):
        return self.pgveil.client("analyst"), RawClient(self.postgres.port, "postgres", self.masked)

    def compare(self, some_queries, copy=None):
        """copy: a database other than `masked`."""
        tally, start = Tally(), time.monotonic()
        both = self.pipelines(copy)
        try:
            for query, (mine, theirs) in pipeline.answers(both, some_queries, conversations.segments):
                tally.take(query, mine, theirs)
        except (pipeline.Ended, OSError) as error:
            raise AssertionError(
                f"world {self.seed}: a connection ended after {tally.statements} statements: "
                f"{error!r}\n{self.pgveil.log()[-3000:]}"
            ) from error
        finally:
            for each in both:
                each.close()
        self.excuse_look_ups(tally)
        tally.settle(self.fenced_answers(tally, copy or self.masked))
        tally.seconds = time.monotonic() - start
        return tally

    def excuse_look_ups(self, tally):
        """A look-up reads fewer rows, so what another row would raise may not be raised; never the reverse.
        Counted with what a hidden column does not raise, which may be few."""
        kept = []
        for difference, mine in zip(tally.differences, tally.doubtful):
            text = (
                self.rewritten(difference[0].sql)
                if mine is not None and not comparison.states(mine)
                else None
            )
            if text is None or "ORDER BY t.ctid" not in text:
                kept.append((difference, mine))
        tally.unraised += len(tally.differences) - len(kept)
        tally.differences, tally.doubtful = [each for each, _ in kept], [mine for _, mine in kept]

    def fenced_answers(self, tally, copy):
        doubtful = [query for (query, _), mine in zip(tally.differences, tally.doubtful) if mine is not None]
        if not doubtful:
            return [None] * len(tally.differences)
        both = self.pipelines(self.fence(copy))
        try:
            answers = iter(
                [fenced for _, (_, fenced) in pipeline.answers(both, doubtful, conversations.segments)]
            )
        finally:
            for each in both:
                each.close()
        return [None if mine is None else next(answers) for mine in tally.doubtful]

    def fence(self, copy):
        """The fenced copy of a masked one: made when the first statement needs it."""
        fenced = f"fenced_{copy}"
        if fenced not in self.fenced:
            plans.create_fenced(self.postgres, self.tables, self.views, copy, fenced)
            self.fenced.add(fenced)
        return fenced

    def show(self, query):
        """What another developer needs to see the same."""
        used = [table for table in self.tables + self.views if table.name in query.sql.lower()]
        schema = "".join(f"\n    {table.create_sql().strip()} {table.policy}" for table in used)
        return f"world {self.seed} ({query.way}, ordered: {query.is_ordered}):\n  {query.sql}\n  {query.parameters}{schema}"
