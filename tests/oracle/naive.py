"""A second, deliberately naive implementation of the disclosure tree: row by row, nothing shared with policy/ or
rewriter/. It reads a table, masks it by the rules of the paper and writes the masked copy in the same physical order.

Rows are lists of texts (PostgreSQL's output form), NULL is None.
"""
import dataclasses
import decimal


@dataclasses.dataclass(frozen=True)
class Policy:
    """What the YAML of a policy says, by itself: columns maps a name to its class; a column not named is hidden."""
    name: str
    table: str                 # schema.table
    k: int
    columns: dict
    unit: str | None = None
    readers: tuple = ("analyst",)
    exempt: tuple = ()
    strategy: str = "greedy"


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
    """(attribute, value, the rows that have it, those that don't); by column order, then by the value's bytes."""
    for attribute in attributes:
        if attribute in released:
            continue
        for value in sorted({row[attribute] for row in rows if row[attribute] is not None}, key=str.encode):
            yield (attribute, value, [row for row in rows if row[attribute] == value],
                   [row for row in rows if row[attribute] != value])


def best_split(rows, attributes, released, k, unit):
    """The most frequent (attribute, value) with at least k on both sides; ties: column order, then the value's bytes."""
    best, most = None, 0
    for attribute, value, having, lacking in candidates(rows, attributes, released):
        size = count_units(having, unit)
        if size >= k and count_units(lacking, unit) >= k and size > most:
            best, most = (attribute, value), size
    return best


def closing_split(rows, attributes, released, k, unit, lost):
    """Where nothing qualifies any more: the value whose rows show more cells by it than the others lose, `lost` each."""
    best, most = None, 0
    for attribute, value, having, lacking in candidates(rows, attributes, released):
        gain = len(having) - lost * len(lacking)
        if count_units(having, unit) >= k and gain > most:
            best, most = (attribute, value), gain
    return best


def grow(rows, attributes, released, k, unit, strategy, lost=0):
    """A chain: a list of (attribute, value, the chain of the rows that have it), and whether what is left falls back, that
    is, is shown as the rows at the end of the chain around are."""
    arms = []

    def take(split):
        attribute, value = split
        arms.append((attribute, value, [row for row in rows if row[attribute] == value]))
        return [row for row in rows if row[attribute] != value]
    while split := best_split(rows, attributes, released, k, unit):
        rows = take(split)
    falls_back = False
    if strategy == "thorough" and lost and (split := closing_split(rows, attributes, released, k, unit, lost)):
        take(split)
        falls_back = True
    below = lost + 1 if falls_back else 1
    return [(attribute, value, grow(having, attributes, released | {attribute}, k, unit, strategy, below))
            for attribute, value, having in arms], falls_back


def disclosed(chain, row):
    """The attributes that this row's path releases in this chain; None: it falls back out of it."""
    arms, falls_back = chain
    for attribute, value, below in arms:
        if row[attribute] == value:
            found = disclosed(below, row)
            if found is not None:
                return found | {attribute}
            break
    return None if falls_back else set()


@dataclasses.dataclass
class Release:
    """One policy held against one table."""
    policy: Policy
    columns: list              # of TableColumn, in table order
    tree: tuple | None = None

    def _numbers(self, column_class):
        return [number for number, column in enumerate(self.columns)
                if self.policy.columns.get(column.name) == column_class]

    def canonical_rows(self, rows):
        attributes = self._numbers("quasi_identifier")
        return [[canonical(cell, self.columns[number].type) if number in attributes else cell
                 for number, cell in enumerate(row)] for row in rows]

    def build(self, rows):
        unit = None
        if self.policy.unit is not None:
            unit = [column.name for column in self.columns].index(self.policy.unit)
        rows = self.canonical_rows(rows)
        if count_units(rows, unit) < self.policy.k:
            raise ValueError("fewer units than k: the table can't be released")
        self.tree = grow(rows, self._numbers("quasi_identifier"), frozenset(), self.policy.k, unit,
                         self.policy.strategy)
        return self

    def mask(self, rows):
        shown = set(self._numbers("sensitive")) | set(self._numbers("insensitive"))
        masked = []
        for row in self.canonical_rows(rows):
            visible = shown | disclosed(self.tree, row)
            masked.append([cell if number in visible else None for number, cell in enumerate(row)])
        return masked


def read_columns(postgres, database, table):
    return [TableColumn(*row) for row in postgres.rows(
        f"SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
        f"WHERE attrelid = '{table}'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum", database)]


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
            f"SELECT quote_ident(conname) FROM pg_constraint WHERE conrelid = '{table}'::regclass", database):
        postgres.run(f"ALTER TABLE {table} DROP CONSTRAINT {name};", database)
    for (name,) in postgres.rows(
            f"SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attnum > 0 "
            f"AND attnotnull AND NOT attisdropped", database):
        postgres.run(f"ALTER TABLE {table} ALTER {name} DROP NOT NULL;", database)


def make_masked_copy(postgres, source, target, policy):
    """Masks the table of `policy` in database `source` into the table of the same name in `target`."""
    columns = read_columns(postgres, source, policy.table)
    rows = read_rows(postgres, source, policy.table)
    release = Release(policy, columns).build(rows)
    drop_constraints(postgres, target, policy.table)
    write_rows(postgres, target, policy.table, release.mask(rows))
    return release
