"""A second, deliberately naive implementation of the disclosure tree: row by row, nothing shared with policy/
or rewriter/. It reads a table, masks it by the rules of the paper and writes the masked copy in the same
physical order.

Rows are lists of texts (PostgreSQL's output form), NULL is None.
"""
import collections
import dataclasses
import datetime
import decimal
import math


@dataclasses.dataclass(frozen=True)
class Level:
    """A column that shows a coarser value of `source`; of one source, finer levels have smaller steps.
    `method` and `arguments` are what the YAML says: width and origin, bounds, period, prefix; groups as
    (label, values)."""
    source: str
    step: int
    method: str
    arguments: tuple
    show: str = "label"


def plain_number(number):
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def shown_interval(level, low, high):
    if level.show == "start":
        return None if low is None or abs(low) > 2_000_000_000 else plain_number(low)
    return (
        ("(" if low is None else "[" + plain_number(low))
        + ","
        + ("" if high is None else plain_number(high))
        + ")"
    )


def number_level(level, text):
    number = decimal.Decimal(text)
    if level.method == "width":
        if not number.is_finite() or abs(number) > 10 ** 14:
            return None
        width, origin = map(decimal.Decimal, level.arguments)
        low = origin + width * math.floor((number - origin) / width)
        return shown_interval(level, low, low + width) if low >= -(10**14) and low + width <= 10**14 else None
    bounds = [decimal.Decimal(bound) for bound in level.arguments]
    below = [bound for bound in bounds if number.is_nan() or bound <= number]
    above = [bound for bound in bounds if not number.is_nan() and bound > number]
    return shown_interval(level, below[-1] if below else None, above[0] if above else None)


def date_level(level, text):
    if "infinity" in text or text.endswith("BC") or len(text.split(" ")[0]) != 10:
        return None
    day = datetime.date.fromisoformat(text[:10])
    if not 1000 <= day.year <= 9998 or (level.arguments[0] == "decade" and day.year >= 9990):
        return None
    first, label = {
        "day": lambda: (day, day.isoformat()),
        "week": lambda: (day - datetime.timedelta(day.weekday()), "{}-W{:02}".format(*day.isocalendar()[:2])),
        "month": lambda: (day.replace(day=1), day.strftime("%Y-%m")),
        "quarter": lambda: (
            day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1),
            f"{day.year}-Q{(day.month + 2) // 3}",
        ),
        "year": lambda: (day.replace(month=1, day=1), str(day.year)),
        "decade": lambda: (datetime.date(day.year // 10 * 10, 1, 1), f"{day.year // 10}0s"),
    }[level.arguments[0]]()
    if first.year < 1000:
        return None
    return label if level.show == "label" else first.isoformat()


def level_value(level, text):
    """What a level makes of a canonical text; None: nothing."""
    if text is None:
        return None
    if level.method == "groups":
        return next((label for label, values in level.arguments if text in values), None)
    if level.method == "prefix":
        return text[:int(level.arguments[0])] + "*"
    return date_level(level, text) if level.method == "period" else number_level(level, text)


@dataclasses.dataclass(frozen=True)
class Policy:
    """What the YAML of a policy says, by itself: columns maps a name to its class; a column not named is
    hidden."""
    name: str
    table: str                 # schema.table
    k: int
    columns: dict
    unit: str | None = None
    readers: tuple = ("analyst",)
    exempt: tuple = ()
    strategy: str | None = None  # None: the policy does not say, and has the default
    levels: dict = dataclasses.field(
        default_factory=dict
    )  # name of the column that shows it -> Level; a quasi_identifier
    enforcement: str = "query"
    constraints: tuple = ()    # of Constraint
    priority: tuple = ()       # of columns
    weights: dict = dataclasses.field(default_factory=dict)  # column -> how much its values count; 1

    def grown_by(self):
        """The strategy named, or the default: thorough, but greedy where the tree heeds sensitive values."""
        return self.strategy or (
            "greedy" if any(each.is_refined for each in self.constraints) else "thorough"
        )


@dataclasses.dataclass(frozen=True)
class Constraint:
    """On a sensitive column. numbers: distinct (l,), entropy (l,), recursive (c, l), closeness (t,)."""
    column: str
    model: str
    numbers: tuple
    is_refined: bool = False
    is_ordered: bool = False
    hides: bool = False

    def yaml(self):
        """What stands behind the column's class in a policy."""
        mode = ", mode: refine" if self.is_refined else ", mode: hide" if self.hides else ""
        if self.model == "closeness":
            distance = ", distance: ordered" if self.is_ordered else ""
            return f"t_closeness: {{t: {self.numbers[0]}{distance}{mode}}}"
        numbers = (
            f"{{c: {self.numbers[0]}, l: {self.numbers[1]}}}"
            if self.model == "recursive"
            else self.numbers[0]
        )
        return f"l_diversity: {{{self.model}: {numbers}{mode}}}"


def frequencies(rows, column, unit):
    """Value → how many units have it. NULL is no value, and a row without a unit is nobody's."""
    having = collections.defaultdict(list)
    for row in rows:
        if row[column] is not None:
            having[row[column]].append(row)
    counted = {value: count_units(those, unit) for value, those in having.items()}
    return {value: count for value, count in counted.items() if count}


def keeps(constraint, rows, all_rows, column, unit, order=float):
    """Do these rows keep the constraint? order: of the values, for an ordered distance."""
    counts = frequencies(rows, column, unit)
    total = sum(counts.values())
    if not total:
        return False
    if constraint.model == "distinct":
        return len(counts) >= constraint.numbers[0]
    if constraint.model == "entropy":
        entropy = -sum(count / total * math.log(count / total) for count in counts.values())
        return entropy >= math.log(constraint.numbers[0]) - 1e-8
    if constraint.model == "recursive":
        c, least = constraint.numbers
        descending = sorted(counts.values(), reverse=True)
        return descending[0] < c * sum(descending[least - 1:])
    table = frequencies(all_rows, column, unit)
    everybody = sum(table.values())
    differences = {value: counts.get(value, 0) / total - count / everybody for value, count in table.items()}
    if not constraint.is_ordered:
        return sum(map(abs, differences.values())) / 2 <= constraint.numbers[0] + 1e-8
    carried, work = 0.0, 0.0
    for value in sorted(differences, key=order):
        carried += differences[value]
        work += abs(carried)
    return work / max(1, len(table) - 1) <= constraint.numbers[0] + 1e-8


@dataclasses.dataclass(frozen=True)
class TableColumn:
    name: str
    type: str                  # format_type's text


def canonical(text, type_text):
    """The one rendering that stands for all equal values of a type."""
    if text is None:
        return None
    if type_text == "numeric":
        number = decimal.Decimal(text)
        if not number.is_finite():
            return text
        plain = format(number, "f")
        return plain.rstrip("0").rstrip(".") if "." in plain else plain
    if type_text in ("real", "double precision"):
        return "0" if text == "-0" else text
    if type_text.startswith("character("):
        return text.rstrip(" ")
    return text


def count_units(rows, unit):
    """How many rows, or how many distinct known units, there are."""
    if unit is None:
        return len(rows)
    return len({row[unit] for row in rows if row[unit] is not None})


def candidates(rows, attributes, released):
    """(attribute, value, the rows that have it, those that don't); by column order, then by the value's
    bytes."""
    for attribute in attributes:
        if attribute in released:
            continue
        for value in sorted({row[attribute] for row in rows if row[attribute] is not None}, key=str.encode):
            yield (attribute, value, [row for row in rows if row[attribute] == value],
                   [row for row in rows if row[attribute] != value])


def best_split(rows, attributes, released, k, unit, allows=lambda *split: True):
    """The most frequent (attribute, value) with at least k on both sides, each unit counted by the column's
    weight; ties: column order, then the value's bytes. Columns of an earlier tier come first, of each exact
    values before levels, these from fine to coarse."""
    for step in attributes.steps():
        best, most = None, 0
        for attribute, value, having, lacking in candidates(rows, attributes.of(step), released):
            size = count_units(having, unit)
            merit = size * attributes.weight(attribute)
            if (
                size >= k
                and count_units(lacking, unit) >= k
                and merit > most
                and allows(attribute, value, having, lacking)
            ):
                best, most = (attribute, value), merit
        if best:
            return best
    return None


def closing_split(rows, attributes, released, k, unit, lost):
    """Where nothing qualifies any more: the value whose rows show more cells by it than the others lose,
    `lost` each (tier -> weight). Only the first tier counts in which something is won or lost."""
    for step in attributes.steps():
        best, most = None, 0
        for attribute, value, having, lacking in candidates(rows, attributes.of(step), released):
            net = {attributes.tier(attribute): attributes.weight(attribute) * len(having)}
            for tier, weight in lost.items():
                net[tier] = net.get(tier, 0) - weight * len(lacking)
            gain = next((net[tier] for tier in sorted(net) if net[tier]), 0)
            if count_units(having, unit) >= k and gain > most:
                best, most = (attribute, value), gain
        if best:
            return best
    return None


def grow(rows, attributes, released, k, unit, strategy, lost=None, allows=lambda *split: True):
    """A chain: a list of (attribute, value, the chain of the rows that have it), whether what is left falls
    back, that is, is shown as the rows at the end of the chain around are, and whether it was longer once.
    allows: what else both sides of a split must keep."""
    arms = []

    def take(split):
        attribute, value = split
        arms.append((attribute, value, [row for row in rows if row[attribute] == value]))
        return [row for row in rows if row[attribute] != value]
    while split := best_split(rows, attributes, released, k, unit, allows):
        rows = take(split)
    falls_back = False
    if (
        strategy == "thorough"
        and lost
        and (split := closing_split(rows, attributes, released, k, unit, lost))
    ):
        take(split)
        falls_back = True
    return (
        [
            (
                attribute,
                value,
                grow(
                    having,
                    attributes,
                    released | attributes.with_coarser(attribute),
                    k,
                    unit,
                    strategy,
                    attributes.lost_with(attribute, lost if falls_back else {}),
                    allows,
                ),
            )
            for attribute, value, having in arms
        ],
        falls_back,
        False,
    )


def regrow(chain, rows, attributes, released, k, unit, strategy, seen):
    """The chain of a version before, on the rows of today. A value that too few have is given up: its rows
    fall back to the end of the chain, which goes on. Where too few are left the rest is given up for good. At
    the end, values are split off that nobody had before. seen: attribute → the values that somebody had;
    None: nothing is split off."""
    arms, falls_back, is_closed = chain
    given_up = ([], True, True)

    def below(attribute, having, old):
        rest = (having, attributes, released | attributes.with_coarser(attribute), k, unit, strategy)
        return regrow(old, *rest, seen) if old else grow(*rest, attributes.lost_with(attribute, {}))
    walked, kept = [], 0
    left = [rows]
    for attribute, value, old in arms:
        having = [row for row in left[-1] if row[attribute] == value]
        lacking = [row for row in left[-1] if row[attribute] != value]
        if not falls_back and count_units(lacking, unit) < k:
            break
        releases = count_units(having, unit) >= k and not (not old[0] and old[1])
        walked.append((attribute, value, below(attribute, having, old) if releases else given_up))
        left.append(lacking)
        if releases:
            kept = len(walked)
    arms_kept, rows = walked[:kept], left[kept]
    is_closed = is_closed or kept < len(arms)
    while not (is_closed or falls_back or seen is None):
        split = best_split(rows, attributes, released, k, unit, lambda a, v, *sides: v not in seen[a])
        if split is None:
            break
        attribute, value = split
        arms_kept.append(
            (attribute, value, below(attribute, [row for row in rows if row[attribute] == value], None))
        )
        rows = [row for row in rows if row[attribute] != value]
    return arms_kept, falls_back, is_closed


def disclosed(chain, row, attributes):
    """The attributes that this row's path releases in this chain; None: it falls back out of it."""
    arms, falls_back, _ = chain
    for attribute, value, below in arms:
        if row[attribute] == value:
            found = disclosed(below, row, attributes)
            if found is not None:
                return found | attributes.with_coarser(attribute)
            break
    return None if falls_back else set()


@dataclasses.dataclass
class Attributes:
    """The quasi-identifiers by number: what each is a function of, and how coarse: 0 is exact, or the only
    form there is. And what the owner said of the exact columns: the order of some, or their weights."""
    sources: dict
    coarseness: dict
    priority: tuple = ()
    weights: dict = dataclasses.field(default_factory=dict)

    def tier(self, attribute):
        source = self.sources[attribute]
        return self.priority.index(source) if source in self.priority else len(self.priority)

    def weight(self, attribute):
        return self.weights.get(self.sources[attribute], 1)

    def rank(self, attribute):
        return self.tier(attribute), self.coarseness[attribute]

    def steps(self):
        return sorted({self.rank(attribute) for attribute in self.sources})

    def of(self, step):
        return [attribute for attribute in sorted(self.sources) if self.rank(attribute) == step]

    def lost_with(self, attribute, lost):
        """What a row loses that falls back from below a split on the attribute: tier -> weight."""
        tier = self.tier(attribute)
        return {**lost, tier: lost.get(tier, 0) + self.weight(attribute)}

    def with_coarser(self, attribute):
        """What follows from an attribute's value: that, and the coarser levels of the same column."""
        return {attribute} | {
            other
            for other in self.sources
            if self.sources[other] == self.sources[attribute]
            and self.coarseness[other] > self.coarseness[attribute]
        }


@dataclasses.dataclass
class Release:
    """One policy held against one table."""
    policy: Policy
    columns: list              # of TableColumn, in table order
    tree: tuple | None = None
    seen: dict | None = None   # attribute → the values that any version of the lineage has seen

    def _numbers(self, column_class):
        return [number for number, column in enumerate(self.columns)
                if self.policy.columns.get(column.name) == column_class]

    def canonical_rows(self, rows):
        attributes = self._numbers("quasi_identifier")
        rows = [[canonical(cell, self.columns[number].type) if number in attributes else cell
                 for number, cell in enumerate(row)] for row in rows]
        names = [column.name for column in self.columns]
        levels = [
            (names.index(name), names.index(level.source), level)
            for name, level in self.policy.levels.items()
        ]
        for row in rows:
            for number, value in [
                (number, level_value(level, row[source])) for number, source, level in levels
            ]:
                row[number] = value
        return rows

    def attributes(self):
        names = [column.name for column in self.columns]
        sources, coarseness = {}, {}
        for number in self._numbers("quasi_identifier"):
            level = self.policy.levels.get(names[number])
            sources[number] = names.index(level.source) if level else number
            coarseness[number] = level.step if level and level.source != names[number] else 0
        return Attributes(
            sources,
            coarseness,
            tuple(names.index(name) for name in self.policy.priority),
            {names.index(name): weight for name, weight in self.policy.weights.items()},
        )

    def _unit(self):
        if self.policy.unit is None:
            return None
        return [column.name for column in self.columns].index(self.policy.unit)

    def _allows(self, all_rows):
        """Both sides of a split keep every constraint of mode refine."""
        refined = [constraint for constraint in self.policy.constraints if constraint.is_refined]
        return lambda attribute, value, *sides: all(self.keeps(constraint, side, all_rows)
                                                    for constraint in refined for side in sides)

    def keeps(self, constraint, rows, all_rows):
        number = [column.name for column in self.columns].index(constraint.column)
        return keeps(constraint, rows, all_rows, number, self._unit())

    def _remember(self, rows):
        before = self.seen or {}
        self.seen = {number: before.get(number, set()) | {row[number] for row in rows}
                     for number in self._numbers("quasi_identifier")}

    def _checked(self, rows):
        rows = self.canonical_rows(rows)
        if count_units(rows, self._unit()) < self.policy.k:
            raise ValueError("fewer units than k: the table can't be released")
        return rows

    def build(self, rows):
        rows = self._checked(rows)
        self.tree = grow(rows, self.attributes(), frozenset(), self.policy.k, self._unit(),
                         self.policy.grown_by(), allows=self._allows(rows))
        self._remember(rows)
        return self

    def rebuilt(self, rows, only_repaired=False):
        """→ the release of the version that goes on from this one."""
        after = Release(self.policy, self.columns, None, self.seen)
        rows = after._checked(rows)
        after.tree = regrow(self.tree, rows, after.attributes(), frozenset(), self.policy.k, after._unit(),
                            self.policy.grown_by(), None if only_repaired else self.seen)
        after._remember(rows)
        return after

    def mask(self, rows):
        shown = set(self._numbers("sensitive")) | set(self._numbers("insensitive"))
        attributes, masked = self.attributes(), []
        for row in self.canonical_rows(rows):
            visible = shown | disclosed(self.tree, row, attributes)
            masked.append([cell if number in visible else None for number, cell in enumerate(row)])
        return masked


def read_columns(postgres, database, table):
    return [
        TableColumn(*row)
        for row in postgres.rows(
            f"SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
            f"WHERE attrelid = '{table}'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
            database,
        )
    ]


def read_rows(postgres, database, table):
    """All rows in physical order, a partitioned table's partition by partition."""
    return postgres.rows(f"SELECT * FROM {table} ORDER BY tableoid, ctid", database)


def quoted_for_copy(cell):
    if cell is None:
        return "\\N"
    return cell.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def copy_script(table, rows):
    body = "".join("\t".join(map(quoted_for_copy, row)) + "\n" for row in rows)
    return f"COPY {table} FROM STDIN;\n{body}\\.\nANALYZE {table};\n"


def write_rows(postgres, database, table, rows):
    postgres.run(f"TRUNCATE {table};\n" + copy_script(table, rows), database)


def drop_constraints(postgres, database, table):
    """A hidden key is NULL in the copy."""
    for (name,) in postgres.rows(
            f"SELECT quote_ident(conname) FROM pg_constraint WHERE conrelid = '{table}'::regclass AND contype <> 'n'",
            database):
        postgres.run(f"ALTER TABLE {table} DROP CONSTRAINT {name};", database)
    for (name,) in postgres.rows(
        f"SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attnum > 0 "
        f"AND attnotnull AND NOT attisdropped",
        database,
    ):
        postgres.run(f"ALTER TABLE {table} ALTER {name} DROP NOT NULL;", database)


def make_masked_copy(postgres, source, target, policy):
    """Masks the table of `policy` in database `source` into the table of the same name in `target`."""
    columns = read_columns(postgres, source, policy.table)
    rows = read_rows(postgres, source, policy.table)
    release = Release(policy, columns).build(rows)
    drop_constraints(postgres, target, policy.table)
    write_rows(postgres, target, policy.table, release.mask(rows))
    return release
