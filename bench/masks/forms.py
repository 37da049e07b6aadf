"""forms.py --port=N --pairs=N: forms of a mask that pgveil does not use, and what no form with conditions on
the table's columns can go below. README.md says what the tables mean."""
import argparse
import itertools
import statistics

from intervals import interval, print_table
from measure import FIVE, NINE, Server, aggregate, counts, masked

TREES = {"people5": FIVE, "people9": NINE}
# (name, table, columns, has groups, the ratio that was asked for)
STATEMENTS = [
    ("one column", "people5", ["education"], True, 1.2),
    ("three columns", "people5", ["education", "sex", "marital_status"], True, 1.4),
    ("all columns, no groups", "people5", FIVE, False, 2.5),
    ("one column", "people9", ["occupation"], True, 2.0),
    ("three columns", "people9", ["occupation", "sex", "marital_status"], True, 2.5),
    ("all columns, no groups", "people9", NINE, False, 3.5),
]
# As in the by-row form: PostgreSQL does not pull a sub-select with a volatile function up.
FENCE = "CASE WHEN false AND pg_catalog.clock_timestamp() IS NULL THEN NULL ELSE {} END"


def statement_of(table, columns, has_groups):
    return (aggregate if has_groups else counts)(table, columns)


def bit(columns, name):
    return 1 << columns.index(name)


def make_decisions(cursor, table):
    """A table of what each combination of values shows, as bits, taken from pgveil's own answer."""
    columns = TREES[table]
    names = ", ".join(columns)
    shown = " + ".join(f"(s.{name} IS NOT NULL)::int * {bit(columns, name)}" for name in columns)
    raw = ", ".join(f"t.{name}" for name in columns)
    answer = masked(f"SELECT id, {names} FROM {table}")
    cursor.execute(f"""CREATE TEMP TABLE decisions_{table} AS
        SELECT {raw}, {shown} AS bits, count(*) AS rows
        FROM {table} AS t JOIN ({answer}) AS s USING (id) GROUP BY {raw}, bits""")
    cursor.execute(f"ANALYZE decisions_{table}")


def fewest_columns(decisions, columns, wanted):
    """How many columns of a row have to be looked at to decide the wanted bits, if always the right ones are
    looked at first: the mean over the rows. This is a bound for every form, because no form can know a row's
    decision from fewer columns."""
    left = decisions
    total = 0
    for size in range(len(columns) + 1):
        chosen = list(itertools.combinations(range(len(columns)), size))
        certain = set()
        for positions in chosen:
            seen = {}
            for values, bits, _ in decisions:
                seen.setdefault(tuple(values[i] for i in positions), set()).add(bits & wanted)
            certain.update(
                n for n, (values, _, _) in enumerate(left)
                if len(seen[tuple(values[i] for i in positions)]) == 1
            )
        total += size * sum(left[n][2] for n in certain)
        left = [each for n, each in enumerate(left) if n not in certain]
    return total / sum(rows for _, _, rows in decisions)


def decisions_of(cursor, table):
    names = ", ".join(TREES[table])
    cursor.execute(f"SELECT {names}, bits, rows FROM decisions_{table}")
    return [(row[:-2], row[-2], row[-1]) for row in cursor.fetchall()]


def make_coded(cursor):
    """people5 with a small number beside each text, and an array with the decision of each combination."""
    for name in FIVE:
        cursor.execute(f"""CREATE TEMP TABLE codes_{name} AS
            SELECT {name}, (row_number() OVER (ORDER BY {name}) - 1)::int AS code
            FROM people5 GROUP BY {name}""")
    joins = " ".join(f"JOIN codes_{name} USING ({name})" for name in FIVE)
    codes = ", ".join(f"codes_{name}.code AS code_{name}" for name in FIVE)
    cursor.execute(f"CREATE TEMP TABLE coded AS SELECT people5.*, {codes} FROM people5 {joins} ORDER BY id")
    cursor.execute("VACUUM (ANALYZE) coded")
    sizes = []
    for name in FIVE:
        cursor.execute(f"SELECT count(*) FROM codes_{name}")
        sizes.append(cursor.fetchone()[0])
    size = 1
    for each in sizes:
        size *= each
    decisions = [0] * size
    place = place_of([f"codes_{name}.code" for name in FIVE], sizes)
    cursor.execute(f"SELECT {place}, bits FROM decisions_people5 {joins}")
    for at, bits in cursor.fetchall():
        decisions[at] = bits
    return f"'{{{','.join(map(str, decisions))}}}'::int[]", place_of([f"t.code_{n}" for n in FIVE], sizes)


def place_of(codes, sizes):
    place = codes[0]
    for code, size in zip(codes[1:], sizes[1:]):
        place = f"({place}) * {size} + {code}"
    return place


def fenced(table, columns, shown, decision):
    """The by-row form with another decision."""
    cells = ", ".join(
        f"CASE WHEN (t.bits & {bit(columns, name)}) = {bit(columns, name)} THEN t.{name} END AS {name}"
        for name in shown
    )
    return f"(SELECT {cells} FROM (SELECT *, {FENCE.format(decision)} AS bits FROM {table} AS t) AS t) AS t"


def by_column(condition, relation="people5 AS t"):
    return aggregate(f"(SELECT CASE WHEN {condition} THEN t.education END AS education FROM {relation}) AS t",
                     ["education"])


def forms(cursor):
    """name → statement. All but the first ones answer as the mask does."""
    asked = bit(FIVE, "education")
    array, place = make_coded(cursor)
    key = " || '|' || ".join(f"t.{name}" for name in FIVE)
    cursor.execute(f"SELECT jsonb_object_agg({key}, bits)::text FROM decisions_people5 AS t")
    # One literal, which PostgreSQL reads once for each plan.
    json = "'" + cursor.fetchone()[0].replace("'", "''") + "'::jsonb"
    joined = f"people5 AS t LEFT JOIN decisions_people5 AS d USING ({', '.join(FIVE)})"
    return {
        "the mask": masked(aggregate("people5", ["education"])),
        "a table of decisions, joined by hash": by_column(f"(d.bits & {asked}) = {asked}", joined),
        "a map of decisions in jsonb": by_column(f"((({json}) -> ({key}))::int & {asked}) = {asked}"),
        "columns of codes and an array of decisions": by_column(
            f"(({array})[1 + {place}] & {asked}) = {asked}", "coded AS t"),
    }


def interleaved(server, statements, pairs):
    """statements: name → text. Milliseconds of each run, by name; every round begins with another one."""
    names = list(statements)
    for name in names:
        server.execute(statements[name])
    times = {name: [] for name in names}
    for number in range(pairs):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            times[name].append(server.execute(statements[name])[0])
    return times


def ratio(times, name):
    middle, low, high = interval([a / b for a, b in zip(times[name], times["raw"])])
    return f"{middle:.2f} ({low:.2f}–{high:.2f})"


def compare_forms(server, pairs):
    cursor = server.cursor
    cursor.execute("SET enable_mergejoin = off")
    made = forms(cursor)
    answers = {}
    for name, text in made.items():
        cursor.execute(text)
        answers[name] = sorted(cursor.fetchall(), key=str)
        if answers[name] != answers["the mask"]:
            raise SystemExit(f"bench masks: the form \"{name}\" gives another answer than the mask")
    times = interleaved(server, {"raw": aggregate("people5", ["education"])} | made, pairs)
    cursor.execute("RESET enable_mergejoin")
    rows = [["form", "ms", "ratio to raw (95 %)"]]
    for name in times:
        rows.append([name, f"{statistics.median(times[name]):.0f}", ratio(times, name)])
    print_table(rows)


def compare_limits(server, pairs):
    cursor = server.cursor
    cursor.execute("SELECT count(*) FROM people5")
    count = cursor.fetchone()[0]
    decisions = {table: decisions_of(cursor, table) for table in TREES}
    rows = [["statement", "cohorts of", "raw, ns per row", "mask", "fence, no test", "one comparison, ns",
             "fewest columns", "no form below", "asked"]]
    for name, table, columns, has_groups, asked in STATEMENTS:
        tree = TREES[table]
        every = 2 ** len(tree) - 1
        raw = statement_of(table, columns, has_groups)
        shown = [f"CASE WHEN t.race = 'White' THEN t.{each} END AS {each}" for each in columns]
        one_test = statement_of(f"(SELECT {', '.join(shown)} FROM {table} AS t) AS t", columns, has_groups)
        times = interleaved(server, {
            "raw": raw,
            "mask": masked(raw),
            "fence": statement_of(fenced(table, tree, columns, every), columns, has_groups),
            "one test": one_test,
        }, pairs)
        middle = {each: statistics.median(times[each]) for each in times}
        comparison = max(middle["one test"] - middle["raw"], 0) / len(columns)
        together = sum(bit(tree, each) for each in columns)
        by_row = fewest_columns(decisions[table], tree, together)
        alone = sum(fewest_columns(decisions[table], tree, bit(tree, each)) for each in columns)
        least = min(middle["fence"] + by_row * comparison, middle["raw"] + alone * comparison)
        nanoseconds = 1e6 / count
        rows.append([name, table, f"{middle['raw'] * nanoseconds:.0f}", ratio(times, "mask"),
                     ratio(times, "fence"), f"{comparison * nanoseconds:.0f}", f"{by_row:.1f}",
                     f"{least / middle['raw']:.2f}", f"{asked}"])
    print_table(rows)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, required=True)
    arguments.add_argument("--pairs", type=int, required=True)
    options = arguments.parse_args()
    server = Server(options.port)
    server.parallel(0)
    server.cursor.execute("SET work_mem = '256MB'")
    for table in TREES:
        make_decisions(server.cursor, table)
    compare_forms(server, options.pairs)
    print()
    compare_limits(server, options.pairs)


main()
