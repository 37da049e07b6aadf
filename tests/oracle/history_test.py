#!/usr/bin/python3
"""Histories: between the statements of two sessions rows change, the policy is built, withdrawn and put back, and the table is
altered. Every answer is the masked copy of one version and one state of the rows that were current together, at some time
between the start of the statement (of the transaction, where that holds a snapshot) and its end; or it is an error. And who puts
the answers of all versions of a lineage together sees no row of any of them in a class below k."""
import collections
import dataclasses
import os
import pathlib
import random
import re
import sys

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
HISTORIES, STEPS = (20, 400) if IS_LONG else (2, 150)
POLICY = naive.Policy("h_policy", "public.h", 2, {"id": "insensitive", "job": "quasi_identifier", "town": "quasi_identifier"})
OTHER = naive.Policy("other_policy", "public.other", 2, {"id": "quasi_identifier"})  # no policy at all is a mistake
COLUMNS = [naive.TableColumn("id", "integer"), naive.TableColumn("job", "text"), naive.TableColumn("town", "text")]
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
        self.snapshot = None      # the number of a state; None: outside of REPEATABLE READ, or nothing read yet
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
        self.lineage = []         # of the versions that go on from each other: (release, rows when it was built)
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
        self.trace.append(f"  → state {len(self.states) - 1}: {'open' if is_open else 'closed'}, {len(self.states[-1].rows)} rows")

    def insert(self):
        self.next_id += 1
        self.sql(f"INSERT INTO h VALUES ({self.next_id}, '{self.random.choice(JOBS)}', '{self.random.choice(TOWNS)}')")

    def insert_newcomers(self):
        """Of a town that nobody was of: what a rebuild may split off."""
        self.next_id += 4
        self.sql(f"INSERT INTO h SELECT {self.next_id} - g, '{self.random.choice(JOBS)}', 'New-{self.next_id}' FROM generate_series(1, 3) g")

    def update(self):
        self.sql(f"UPDATE h SET job = '{self.random.choice(JOBS)}' WHERE id % 7 = {self.random.randrange(7)}")

    def delete(self):
        self.sql("DELETE FROM h WHERE id IN (SELECT id FROM h ORDER BY id LIMIT 1) AND (SELECT count(*) FROM h) > 8")

    def build(self):
        if self.is_swapped or self.is_withdrawn:
            return
        is_fresh = self.built is None or self.random.random() < 0.15
        builder = self.random.choice(self.proxies)
        reply = builder.console("BUILD POLICY h_policy" + (" FRESH" if is_fresh else ""))
        if not reply.errors:
            rows = self.rows()
            self.built = naive.Release(self.policy, COLUMNS).build(rows) if is_fresh else self.next_release(rows)
            self.lineage = ([] if is_fresh else self.lineage) + [(self.built, rows)]
            self.check_joint_classes()
            self.is_rewritten = False

    def next_release(self, rows):
        return self.built.rebuilt(rows)

    def check_joint_classes(self):
        """Who has the answers of all versions of a lineage sees no row that a version was built of in a class below k. What
        the versions before showed of these rows, the drift check would have undone."""
        for number, (_, rows) in enumerate(self.lineage):
            images = zip(*(release.mask(rows) for release, _ in self.lineage[number:]))
            classes = collections.Counter(tuple(tuple(cell for number, cell in enumerate(row) if number) for row in image)
                                          for image in images)
            if min(classes.values()) < self.policy.k:
                raise AssertionError("versions of one lineage tell rows apart\n  " + "\n  ".join(self.trace[-25:]))
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
            session.client.query("BEGIN ISOLATION LEVEL " + ("REPEATABLE READ" if session.is_repeatable else "READ COMMITTED"))
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
        raise AssertionError(f"no version and state current together give this answer: {got}\n  " + "\n  ".join(self.trace[-25:]))

    def change(self):
        changes = (self.insert, self.insert_newcomers, self.update, self.delete, self.build, self.withdraw, self.swap,
                   self.rewrite_table)
        return self.random.choices(changes, (8, 4, 8, 8, 8, 1, 1, 1))[0]

    def step(self):
        uses = (self.read, self.prepared, self.parsed, self.cursor, self.begin, self.end)
        if self.random.random() < 0.35:
            change = self.change()
            self.trace.append(change.__name__)
            change()
            self.changed()
            return
        use, number = self.random.choices(uses, (12, 8, 8, 10, 4, 3))[0], self.random.randrange(len(self.sessions))
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
    """The table keeps what its rows show, when its owner has added the column; a build of a tree that the table keeps splits nothing off."""
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


class HistoryTest(ServerCase):
    test_seconds = 3600 if IS_LONG else 240
    is_logging = False

    @classmethod
    def start(cls):
        cls.postgres.run(world.ROLES + "ALTER ROLE postgres SET lock_timeout = '100ms';")
        cls.postgres.create_database("histories")
        cls.postgres.run("CREATE TABLE other (id integer);\nCREATE TABLE h (id integer, job text, town text);\nINSERT INTO h SELECT g, "
                         "(ARRAY['Nurse', 'Nurse', 'Baker', 'Pilot'])[1 + g % 4], (ARRAY['Aber', 'Bree', NULL])[1 + g * 5 % 3] "
                         "FROM generate_series(1, 14) g;\nGRANT SELECT ON h TO pgveil_query, pgveil_admin;", "histories")
        cls.postgres.create_database("shared", template="histories")
        cls.pgveil = cls.kept(Pgveil(cls.postgres, (OTHER, POLICY), (), "histories")).start()
        cls.pgveil.build("h_policy")
        # Versions in the database, which decides for all proxies.
        cls.both = [cls.kept(Pgveil(cls.postgres, (OTHER, POLICY), (), "shared", catalog_check_every="1s")) for _ in range(2)]
        cls.postgres.run(cls.both[0].setup_sql(), "shared")
        cls.postgres.create_database("kept", template="histories")
        cls.storing = cls.kept(Pgveil(cls.postgres, (OTHER, StoredHistory.policy), (), "kept", catalog_check_every="1s"))
        cls.postgres.run(cls.storing.setup_sql(), "kept")
        for proxy in (*cls.both, cls.storing):
            proxy.start()
        cls.both[0].build("h_policy")
        cls.storing.build("h_policy")

    def test_each_answer_is_of_one_version_and_one_state(self):
        self.run_histories((self.pgveil, self.pgveil))

    def test_so_are_the_answers_of_two_proxies_over_one_database(self):
        """A build through one is another version for the other, which must not answer by the old one for a moment."""
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
        print(f"\nhistories, {len(set(proxies))} proxies: {HISTORIES} of {STEPS} steps, {checked} answers checked, {compared} versions compared, errors {dict(failed)}")
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
