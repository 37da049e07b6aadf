#!/usr/bin/python3
"""Histories: between the statements of two sessions rows change, the policy is built, withdrawn and put back,
and the table is altered. Every answer is the masked copy of one version and one state of the rows that were
current together, at some time between the start of the statement (of the transaction, where that holds a
snapshot) and its end; or it is an error. And who puts the answers of all versions of a lineage together sees
no row of any of them in a class below k.

With two policies over the table, and drift checks that repair them, whoever has the answers of both sees no
class below the larger k from a check to the next row that goes or changes, and no build and no repair tells
rows apart that stayed as they were."""
import collections
import dataclasses
import os
import pathlib
import random
import re
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent),
                str(pathlib.Path(__file__).resolve().parents[1] / "integration")]
import naive  # noqa: E402
from harness import world  # noqa: E402
from harness.pgveil import Pgveil  # noqa: E402
from harness.runner import main  # noqa: E402
from harness.server import ServerCase  # noqa: E402
from harness.wire import RawClient  # noqa: E402

IS_LONG = os.environ.get("PGVEIL_LONG") == "1"
SEED = int(os.environ.get("PGVEIL_SEED", "1"))
HISTORIES, STEPS = (20, 400) if IS_LONG else (2, 90)
POLICY = naive.Policy(
    "h_policy", "public.h", 2, {"id": "insensitive", "job": "quasi_identifier", "town": "quasi_identifier"}
)
OTHER = naive.Policy(
    "other_policy", "public.other", 2, {"id": "quasi_identifier"}
)  # no policy at all is a mistake
COLUMNS = [
    naive.TableColumn("id", "integer"),
    naive.TableColumn("job", "text"),
    naive.TableColumn("town", "text"),
]
READ = "SELECT id, job, town FROM h"
JOBS, TOWNS = ("Nurse", "Baker", "Pilot"), ("Aber", "Bree", "Cork")


@dataclasses.dataclass
class State:
    """What was current from one change to the next. tree: None while the table is closed."""
    release: naive.Release | None
    rows: list

    def image(self):
        return None if self.release is None else as_multiset(self.release.mask(self.rows))


def as_multiset(rows):
    return collections.Counter(map(tuple, rows))


class Session:
    """A masked user's connection, and since which state its transaction and its cursor look at the table."""

    def __init__(self, client):
        self.client = client
        self.snapshot = None  # the number of a state; None: outside of REPEATABLE READ, or nothing read yet
        self.is_repeatable = self.in_transaction = self.is_prepared = self.is_parsed = False
        self.cursor = None

    def __repr__(self):
        kind = "repeatable" if self.is_repeatable else "transaction" if self.in_transaction else "outside"
        return f"{kind}, snapshot of state {self.snapshot}"

    def end(self, how):
        self.client.query(how)
        self.snapshot = self.cursor = None
        self.is_repeatable = self.in_transaction = False


class History:
    policy = POLICY

    def __init__(self, postgres, proxies, seed):
        self.postgres, self.proxies, self.random = postgres, proxies, random.Random(seed)
        database = proxies[0].database
        self.states = []
        self.built = None         # the release of the version that would be served if the table fits
        self.lineage = []  # of the versions that go on from each other: (release, rows when it was built)
        self.is_swapped = self.is_withdrawn = self.is_rewritten = False
        self.next_id = 100
        self.owner = RawClient(postgres.port, "postgres", database)
        self.sessions = [Session(proxy.client("analyst", database)) for proxy in proxies]
        self.checked, self.compared, self.failed = 0, 0, collections.Counter()
        self.stored = self.repaired = 0
        self.trace = []

    def close(self):
        self.owner.close()
        for session in self.sessions:
            session.client.close()

    # -- the world
    def sql(self, text):
        reply = self.owner.query(text)
        if reply.errors:
            raise AssertionError(f"{reply.errors} in {text}")
        return reply.texts()

    def rows(self):
        names = "id, town, job" if self.is_swapped else "id, job, town"
        return self.sql(f"SELECT {names} FROM h")

    def changed(self):
        is_open = self.built is not None and not (self.is_swapped or self.is_withdrawn or self.is_rewritten)
        self.states.append(State(self.built if is_open else None, self.rows()))
        self.trace.append(
            f"  → state {len(self.states) - 1}: {'open' if is_open else 'closed'}, {len(self.states[-1].rows)} rows"
        )

    def insert(self):
        self.next_id += 1
        self.sql(
            f"INSERT INTO h VALUES ({self.next_id}, '{self.random.choice(JOBS)}', '{self.random.choice(TOWNS)}')"
        )

    def insert_newcomers(self):
        """Of a town that nobody was of: what a rebuild may split off."""
        self.next_id += 4
        self.sql(
            f"INSERT INTO h SELECT {self.next_id} - g, '{self.random.choice(JOBS)}', 'New-{self.next_id}' FROM generate_series(1, 3) g"
        )

    def update(self):
        self.sql(f"UPDATE h SET job = '{self.random.choice(JOBS)}' WHERE id % 7 = {self.random.randrange(7)}")

    def delete(self):
        self.sql(
            "DELETE FROM h WHERE id IN (SELECT id FROM h ORDER BY id LIMIT 1) AND (SELECT count(*) FROM h) > 8"
        )

    def build(self):
        if self.is_swapped or self.is_withdrawn:
            return
        is_fresh = self.built is None or self.random.random() < 0.15
        builder = self.random.choice(self.proxies)
        reply = builder.console("BUILD POLICY h_policy" + (" FRESH" if is_fresh else ""))
        if not reply.errors:
            rows = self.rows()
            self.built = (
                naive.Release(self.policy, COLUMNS).build(rows) if is_fresh else self.next_release(rows)
            )
            self.lineage = ([] if is_fresh else self.lineage) + [(self.built, rows)]
            self.check_joint_classes()
            self.is_rewritten = False

    def next_release(self, rows):
        return self.built.rebuilt(rows)

    def check_joint_classes(self):
        """Who has the answers of all versions of a lineage sees no row that a version was built of in a class
        below k. What the versions before showed of these rows, the drift check would have undone."""
        for number, (_, rows) in enumerate(self.lineage):
            images = zip(*(release.mask(rows) for release, _ in self.lineage[number:]))
            classes = collections.Counter(
                tuple(tuple(cell for number, cell in enumerate(row) if number) for row in image)
                for image in images
            )
            if min(classes.values()) < self.policy.k:
                raise AssertionError(
                    "versions of one lineage tell rows apart\n  " + "\n  ".join(self.trace[-25:])
                )
            self.compared += 1

    def withdraw(self):
        self.is_withdrawn = not self.is_withdrawn
        for proxy in dict.fromkeys(self.random.sample(self.proxies, len(self.proxies))):
            proxy.write_policies((OTHER,) if self.is_withdrawn else (OTHER, self.policy))
            reply = proxy.console("RELOAD")
            if reply.errors or any("error" in row for row in reply.texts()):
                raise AssertionError(f"RELOAD: {reply.errors} {reply.texts()}")

    def swap(self):
        self.sql("BEGIN; ALTER TABLE h RENAME job TO x; ALTER TABLE h RENAME town TO job; "
                 "ALTER TABLE h RENAME x TO town; COMMIT")
        self.is_swapped = not self.is_swapped

    def rewrite_table(self):
        self.sql("VACUUM FULL h")
        self.is_rewritten = True

    # -- the sessions
    def begin(self, session):
        if not session.in_transaction:
            session.is_repeatable = self.random.random() < 0.7
            session.client.query(
                "BEGIN ISOLATION LEVEL " + ("REPEATABLE READ" if session.is_repeatable else "READ COMMITTED")
            )
            session.in_transaction = True

    def end(self, session):
        if session.in_transaction:
            session.end(self.random.choice(("COMMIT", "ROLLBACK")))

    def since(self, session):
        """The first state that a statement of this session may look at."""
        now = len(self.states) - 1
        if not session.is_repeatable:
            return now
        if session.snapshot is None:
            session.snapshot = now
        return session.snapshot

    def read(self, session):
        self.check(session, session.client.query(READ), self.since(session))

    def prepared(self, session):
        if not session.is_prepared:
            reply = session.client.query(f"PREPARE p AS {READ}")
            session.is_prepared = not reply.errors
            self.since(session)
            self.after_error(session, reply)
            return
        since = self.since(session)
        self.check(session, session.client.query("EXECUTE p"), since)

    def parsed(self, session):
        """A statement of the protocol, which outlives versions."""
        client = session.client
        since = self.since(session)
        if not session.is_parsed:
            client.parse(READ, "s")
            reply = client.sync()
            session.is_parsed = not reply.errors
            self.after_error(session, reply)
            return
        client.bind((), "s")
        client.describe()
        client.execute()
        self.check(session, client.sync(), since)

    def cursor(self, session):
        if not session.in_transaction:
            return
        if session.cursor is None:
            since = self.since(session)
            reply = session.client.query(f"DECLARE c CURSOR FOR {READ}")
            session.cursor = None if reply.errors else since
            self.after_error(session, reply)
            return
        since, session.cursor = session.cursor, None
        reply = session.client.query("FETCH ALL FROM c")
        self.check(session, reply, since, is_of_snapshot=True)
        if not reply.errors:
            session.client.query("CLOSE c")

    def after_error(self, session, reply):
        if reply.errors:
            self.failed[reply.sqlstate()] += 1
            if session.in_transaction:
                session.end("ROLLBACK")
            if reply.sqlstate() == "26000":  # the name stays taken until its client gives it up
                session.client.query("DEALLOCATE ALL")
                session.is_prepared = session.is_parsed = False

    def check(self, session, reply, since, is_of_snapshot=False):
        if reply.errors:
            self.after_error(session, reply)
            return
        self.checked += 1
        got = as_multiset(reply.texts())
        window = self.states[since:]
        if session.is_repeatable or is_of_snapshot:
            window = [state for state in window if state.rows == self.states[since].rows]
        if any(state.image() == got for state in window):
            return
        raise AssertionError(
            f"no version and state current together give this answer: {got}\n  "
            + "\n  ".join(self.trace[-25:])
        )

    def change(self):
        changes = (
            self.insert,
            self.insert_newcomers,
            self.update,
            self.delete,
            self.build,
            self.withdraw,
            self.swap,
            self.rewrite_table,
        )
        return self.random.choices(changes, (8, 4, 8, 8, 8, 1, 1, 1))[0]

    def step(self):
        uses = (self.read, self.prepared, self.parsed, self.cursor, self.begin, self.end)
        if self.random.random() < 0.35:
            change = self.change()
            self.trace.append(change.__name__)
            change()
            self.changed()
            return
        use, number = self.random.choices(uses, (12, 8, 8, 10, 4, 3))[0], self.random.randrange(
            len(self.sessions)
        )
        self.trace.append(f"session {number}: {use.__name__} ({self.sessions[number]})")
        use(self.sessions[number])

    def heal(self):
        """Out of closed states, so that most of a history has something to answer."""
        if self.is_swapped:
            self.swap()
        if self.is_withdrawn:
            self.withdraw()
        self.build()
        self.changed()


class StoredHistory(History):
    """The table keeps what its rows show, when its owner has added the column; a build of a tree that the
    table keeps splits nothing off."""
    policy = dataclasses.replace(POLICY, enforcement="stored")

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.column = None  # of the current version; there or not

    def is_kept(self):
        columns = "SELECT attname FROM pg_attribute WHERE attrelid = 'h'::regclass AND NOT attisdropped"
        return [self.column] in self.sql(columns)

    def next_release(self, rows):
        self.repaired += self.was_kept
        return self.built.rebuilt(rows, only_repaired=self.was_kept)

    def build(self):
        self.was_kept = self.is_kept()
        super().build()
        sql = self.stored_sql()
        if sql and (found := re.search(r'ADD COLUMN "(pgveil shown (?:[^"]|"")*)"', sql)):
            self.column = found[1].replace('""', '"')

    def stored_sql(self):
        reply = self.proxies[0].console("SHOW STORED h_policy")
        return None if reply.errors else "\n".join(row[0] for row in reply.texts())

    def store(self):
        sql = self.stored_sql()
        if sql and "ALTER TABLE" in sql:
            self.sql(sql)
            self.is_rewritten = self.is_rewritten or "ADD COLUMN" in sql
            self.stored += 1

    def change(self):
        return self.store if self.random.random() < 0.2 else super().change()


K_OF_PAIR = {"fine": 2, "coarse": 3}
# The trees of both begin with the towns, so cohorts of one are parts of the other's, and most builds may
# stand together.
PAIR = (
    naive.Policy(
        "fine",
        "public.pair",
        2,
        {"id": "insensitive", "job": "quasi_identifier", "town": "quasi_identifier"},
        strategy="greedy",
    ),
    naive.Policy(
        "coarse", "public.pair", 3, {"id": "insensitive", "town": "quasi_identifier"}, readers=("bob",)
    ),
)
READ_PAIR = "SELECT id, job, town FROM pair"
PAIR_JOBS = (*JOBS, "Clerk", "Cook")


class JointlyTold(AssertionError):
    """Answers that tell people apart."""


def tell_apart(images, ks):
    """images, ks: per policy the cells by id, of one state of the rows, and its k. Rows that all policies
    show alike are as many as the largest k, or a whole cohort of one policy, which shows no more than that
    alone, and as many as its k."""
    cohorts = [collections.Counter(image.values()) for image in images]
    classes = collections.Counter(tuple(image[person] for image in images) for person in images[0])
    for shown, size in classes.items():
        least = min([max(ks)] + [k for k, cohort, cells in zip(ks, cohorts, shown) if cohort[cells] == size])
        if size < least:
            raise JointlyTold(f"all together show {size} of at least {least} as {shown}")


def split_up(before, after):
    """Of one policy, rows by id and cells by id at two times: what stayed as it was, and was shown alike,
    still is."""
    shown = {}
    for person, row in after[0].items():
        if before[0].get(person) != row:
            continue
        was, now = before[1][person], after[1][person]
        if shown.setdefault(was, now) != now:
            raise JointlyTold(f"rows that were shown as {was} are {shown[was]} and {now} now")


class PairHistory:
    """Two policies over one table: changes, builds and withdrawals, and after each of them the drift
    checks."""

    def __init__(self, postgres, proxy, seed):
        self.proxy, self.random = proxy, random.Random(seed)
        self.owner = RawClient(postgres.port, "postgres", proxy.database)
        self.readers = {"fine": proxy.client("analyst"), "coarse": proxy.client("bob")}
        self.last = {
            name: None for name in K_OF_PAIR
        }  # rows and cells by id, since a build began the lineage
        self.built = {name: {} for name in K_OF_PAIR}   # the rows when its version was built
        self.versions = {name: None for name in K_OF_PAIR}
        self.next_id = 10_000
        self.is_swapped, self.away = False, None
        self.counts = collections.Counter()
        self.trace = []

    def close(self):
        for client in (self.owner, *self.readers.values()):
            client.close()

    # -- the world
    def sql(self, text):
        reply = self.owner.query(text)
        if reply.errors:
            raise AssertionError(f"{reply.errors} in {text}")
        return reply.texts()

    def insert(self):
        for _ in range(self.random.randint(1, 3)):
            self.next_id += 1
            towns = ("Aber", *TOWNS, f"New-{self.next_id}")
            job, town = ("NULL" if self.random.random() < 0.1 else f"'{self.random.choice(values)}'"
                         for values in (PAIR_JOBS, towns))
            self.sql(f"INSERT INTO pair VALUES ({self.next_id}, {job}, {town})")

    def insert_newcomers(self):
        self.next_id += 6
        self.sql(f"INSERT INTO pair SELECT {self.next_id} - g, 'Baker', 'New-{self.next_id}' "
                 "FROM generate_series(1, 5) g")

    def update(self):
        column, values = self.random.choice((("job", PAIR_JOBS), ("town", TOWNS)))
        self.sql(f"UPDATE pair SET {column} = '{self.random.choice(values)}' "
                 f"WHERE id % 13 = {self.random.randrange(13)}")

    def delete(self):
        """Most of a kind go, so that what they were shown by falls below k."""
        self.sql(
            f"DELETE FROM pair WHERE job = '{self.random.choice(PAIR_JOBS)}' "
            f"AND town = '{self.random.choice(TOWNS)}' AND id % 7 <> 0 AND (SELECT count(*) FROM pair) > 45"
        )

    def delete_a_town(self):
        self.sql(f"DELETE FROM pair WHERE town LIKE 'New%' AND id % 6 <> {self.random.randrange(6)}")

    def refill(self):
        self.next_id += 50
        towns = "ARRAY['Aber', 'Aber', 'Aber', 'Aber', 'Aber', 'Bree', 'Bree', 'Bree', 'Cork', NULL]"
        jobs = ", ".join(f"'{job}'" for job in PAIR_JOBS)
        self.sql(
            f"INSERT INTO pair SELECT {self.next_id} - g, (ARRAY[{jobs}])[1 + g % 5], ({towns})[1 + g / 5] "
            "FROM generate_series(0, 49) g"
        )

    def build(self):
        self.build_policy(self.random.choice(list(K_OF_PAIR)), self.random.random() < 0.25)

    def build_policy(self, name, is_fresh):
        reply = self.proxy.console(f"BUILD POLICY {name}" + (" FRESH" if is_fresh else ""))
        self.counts["refused" if reply.errors else "built"] += 1
        self.trace.append(f"  {name}{', fresh' if is_fresh else ''}: {reply.errors[:1] or 'built'}")
        if not reply.errors:
            # Values that no version has seen may be split off: what came since the version before may be told
            # apart.
            before, self.built[name] = self.built[name], self.rows()
            if self.last[name] and not is_fresh:
                rows, cells = self.last[name]
                kept = {person: row for person, row in rows.items() if before.get(person) == row}
                self.last[name] = (kept, {person: cells[person] for person in kept})
            else:
                self.last[name] = None
        self.versions = dict(self.current())

    def withdraw(self):
        self.away = None if self.away else self.random.choice(list(K_OF_PAIR))
        write_pair(self.proxy, [policy for policy in PAIR if policy.name != self.away])
        self.proxy.console("RELOAD")
        self.versions = dict(self.current())

    def swap(self):
        self.sql("BEGIN; ALTER TABLE pair RENAME job TO x; ALTER TABLE pair RENAME town TO job; "
                 "ALTER TABLE pair RENAME x TO town; COMMIT")
        self.is_swapped = not self.is_swapped

    def rewrite_table(self):
        self.sql("VACUUM FULL pair")

    # -- what is current, and what is seen of it
    def current(self):
        """(policy, version) of those that are open."""
        found = [self.proxy.console(f"CHECK POLICY {name}") for name in K_OF_PAIR]
        return [(name, reply.texts()[0][1]) for name, reply in zip(K_OF_PAIR, found) if not reply.errors]

    def settle(self):
        """Until the drift check has nothing to do with either policy."""
        deadline = time.monotonic() + 60
        while True:
            found = [self.proxy.console(f"CHECK POLICY {name}") for name in K_OF_PAIR]
            said = [reply.errors or reply.texts()[0][-1] for reply in found]
            if all(
                reply.errors or what == "ok" or "table changed" in what for reply, what in zip(found, said)
            ):
                break
            if time.monotonic() > deadline:
                raise AssertionError(f"drift checks do not end: {said}\n  " + "\n  ".join(self.trace[-25:]))
            time.sleep(0.1)
        for name, number in self.current():
            if self.versions.get(name) not in (None, number):
                self.counts["repaired"] += 1
        self.versions = dict(self.current())

    def rows(self):
        names = "id, town, job" if self.is_swapped else "id, job, town"
        return {person: tuple(row) for person, *row in self.sql(f"SELECT {names} FROM pair")}

    def observe(self):
        """→ the open policies' rows by id and cells by id."""
        rows = self.rows()
        seen = {}
        for name, client in self.readers.items():
            reply = client.query(READ_PAIR)
            if not reply.errors:
                seen[name] = (rows, {person: tuple(cells) for person, *cells in reply.texts()})
                if set(seen[name][1]) != set(rows):
                    raise AssertionError("not the table's rows")
        return seen

    def look(self, is_settled):
        seen = self.observe()
        for name, now in seen.items():
            if self.last[name]:
                split_up(self.last[name], now)
                self.counts["compared"] += 1
            self.last[name] = now
        if is_settled and seen:
            tell_apart([cells for _, cells in seen.values()], [K_OF_PAIR[name] for name in seen])
            self.counts["joint" if len(seen) == 2 else "single"] += 1

    def begin(self):
        """Both are built; then a town that both show has one person left."""
        self.refill()
        self.refill()
        for name in K_OF_PAIR:
            self.build_policy(name, True)
        self.look(is_settled=True)
        self.sql(
            "DELETE FROM pair WHERE town = 'Cork' AND id <> (SELECT min(id) FROM pair WHERE town = 'Cork')"
        )
        self.settle()
        self.look(is_settled=True)

    def round(self):
        changes = (
            self.insert,
            self.insert_newcomers,
            self.update,
            self.delete,
            self.delete_a_town,
            self.refill,
            self.build,
            self.withdraw,
            self.swap,
            self.rewrite_table,
        )
        weights = (4, 3, 6, 5, 3, 2, 8, 1, 1, 1)
        for change in self.random.choices(changes, weights, k=self.random.randint(1, 3)):
            self.trace.append(change.__name__)
            change()
            self.look(is_settled=False)
        if self.is_swapped:
            self.swap()
        self.settle()
        self.look(is_settled=True)
        self.trace.append("settled; rows come")
        self.insert()
        self.look(is_settled=True)


def write_pair(proxy, policies):
    proxy.write_policies(policies)
    text = proxy.policy_path.read_text()
    often = re.sub(r"^    k: \d+$", r"\g<0>\n    drift: {check_every: 1s}", text, flags=re.M)
    proxy.policy_path.write_text(often)


class HistoryTest(ServerCase):
    test_seconds = 3600 if IS_LONG else 600
    is_logging = False

    @classmethod
    def start(cls):
        # Longer than drift checks hold a table, and not for ever: a reader of the history may hold it, too.
        cls.postgres.run(world.ROLES + "ALTER ROLE postgres SET lock_timeout = '1s';")
        cls.postgres.create_database("histories")
        cls.postgres.run(
            "CREATE TABLE other (id integer);\nCREATE TABLE h (id integer, job text, town text);\nINSERT INTO h SELECT g, "
            "(ARRAY['Nurse', 'Nurse', 'Baker', 'Pilot'])[1 + g % 4], (ARRAY['Aber', 'Bree', NULL])[1 + g * 5 % 3] "
            "FROM generate_series(1, 14) g;\nGRANT SELECT ON h TO pgveil_query, pgveil_admin;",
            "histories",
        )
        cls.postgres.create_database("shared", template="histories")
        cls.pgveil = cls.kept(Pgveil(cls.postgres, (OTHER, POLICY), (), "histories")).start()
        cls.pgveil.build("h_policy")
        # Versions in the database, which decides for all proxies.
        cls.both = [
            cls.kept(Pgveil(cls.postgres, (OTHER, POLICY), (), "shared", catalog_check_every="1s"))
            for _ in range(2)
        ]
        cls.postgres.run(cls.both[0].setup_sql(), "shared")
        cls.postgres.create_database("kept", template="histories")
        cls.storing = cls.kept(
            Pgveil(cls.postgres, (OTHER, StoredHistory.policy), (), "kept", catalog_check_every="1s")
        )
        cls.postgres.run(cls.storing.setup_sql(), "kept")
        for proxy in (*cls.both, cls.storing):
            proxy.start()
        cls.both[0].build("h_policy")
        cls.storing.build("h_policy")
        cls.postgres.create_database("pairs")
        cls.postgres.run("CREATE TABLE pair (id integer, job text, town text);\n"
                         "GRANT SELECT ON pair TO pgveil_query, pgveil_admin;", "pairs")
        cls.pair = cls.kept(Pgveil(cls.postgres, PAIR, (), "pairs", catalog_check_every="1s"))
        cls.postgres.run(cls.pair.setup_sql(), "pairs")
        write_pair(cls.pair, PAIR)
        cls.pair.start()

    def test_each_answer_is_of_one_version_and_one_state(self):
        self.run_histories((self.pgveil, self.pgveil))

    def test_so_are_the_answers_of_two_proxies_over_one_database(self):
        """A build through one is another version for the other, which must not answer by the old one for a
        moment."""
        self.run_histories(self.both)

    def test_so_are_those_of_a_table_that_keeps_its_decisions(self):
        stored, repaired = self.run_histories((self.storing, self.storing), StoredHistory)
        self.assertGreater(stored, HISTORIES * STEPS / 50)
        self.assertGreater(repaired, HISTORIES)

    def run_histories(self, proxies, kind=History):
        checked = compared = 0
        failed = collections.Counter()
        histories = []
        for number in range(HISTORIES):
            history = kind(self.postgres, proxies, SEED * 1000 + number)
            histories.append(history)
            try:
                history.heal()
                for step in range(STEPS):
                    if step % 15 == 14:
                        for session in history.sessions:
                            history.end(session)
                        history.heal()
                    self.one_step(history)
                for session in history.sessions:
                    history.end(session)
                history.heal()
            finally:
                history.close()
            checked += history.checked
            compared += history.compared
            failed += history.failed
        print(
            f"\nhistories, {len(set(proxies))} proxies: {HISTORIES} of {STEPS} steps, {checked} answers checked, {compared} versions compared, errors {dict(failed)}"
        )
        # Where another proxy has built, the first look is told to try again (40001).
        self.assertGreater(checked, HISTORIES * STEPS / (8 if len(set(proxies)) == 1 else 16))
        self.assertGreater(compared, HISTORIES * STEPS / 8)
        return sum(history.stored for history in histories), sum(history.repaired for history in histories)

    def test_an_answer_of_another_time_is_seen(self):
        """The checker can fail."""
        history = History(self.postgres, (self.pgveil, self.pgveil), SEED)
        try:
            history.heal()
            session = history.sessions[0]
            before = session.client.query(READ)
            history.check(session, before, len(history.states) - 1)
            history.insert()
            history.changed()
            with self.assertRaises(AssertionError):
                history.check(session, before, len(history.states) - 1)
        finally:
            history.close()

    def test_nor_do_two_policies_and_their_repairs_tell_rows_apart(self):
        counts = collections.Counter()
        for number in range(HISTORIES // 2):
            self.postgres.run("TRUNCATE pair", "pairs")
            write_pair(self.pair, PAIR)
            self.pair.console("RELOAD")
            history = PairHistory(self.postgres, self.pair, SEED * 1000 + number)
            try:
                history.begin()
                for _ in range(STEPS // 10):
                    history.round()
            except JointlyTold as told:
                trace = "\n  ".join(history.trace[-40:])
                raise AssertionError(f"seed {SEED * 1000 + number}: {told}\n  {trace}") from told
            finally:
                history.close()
            counts += history.counts
        print(f"\npairs of policies: {HISTORIES // 2} of {STEPS // 10} rounds, {dict(counts)}")
        rounds = HISTORIES // 2 * (STEPS // 10)
        for kind, least in (
            ("joint", rounds // 3),
            ("compared", rounds),
            ("repaired", HISTORIES),
            ("built", HISTORIES),
        ):
            self.assertGreaterEqual(counts[kind], least, kind)

    def test_answers_that_tell_rows_apart_are_seen(self):
        """The checkers of two policies can fail."""
        rows = {str(n): (str(n % 2), str(n % 3)) for n in range(12)}
        fine = {person: (row[0], None) for person, row in rows.items()}
        coarse = {person: (None, row[1]) for person, row in rows.items()}
        tell_apart([fine], [6])
        tell_apart([fine, coarse], [2, 2])
        whole = {person: cells if int(person) % 2 else (None, None) for person, cells in coarse.items()}
        tell_apart(
            [fine, {**whole, **{person: ("x", "x") for person in ("1", "3", "5", "7", "9", "11")}}], [6, 9]
        )
        for images, ks in (
            ([fine], [7]),
            ([fine, coarse], [2, 3]),
            ([fine, coarse], [3, 2]),
            ([fine, whole], [6, 3]),
            ([fine, {**coarse, "0": (None, None)}], [2, 2]),
        ):
            with self.assertRaises(JointlyTold):
                tell_apart(images, ks)
        hidden = {person: (None, None) for person in rows}
        split_up((rows, fine), (rows, fine))
        split_up((rows, fine), (rows, hidden))
        another = ({**rows, "0": ("9", "9")}, {**hidden, "0": ("9", None)})  # as somebody else by now
        split_up((rows, hidden), another)
        for before, after in ((hidden, fine), (fine, {**fine, "0": (None, None)})):
            with self.assertRaises(JointlyTold):
                split_up((rows, before), (rows, after))

    def one_step(self, history):
        try:
            history.step()
        except AssertionError as error:
            # The owner waits for a reader's lock: no step of this history.
            if "55P03" not in str(error):
                raise
            history.owner.query("ROLLBACK")


if __name__ == "__main__":
    main()
