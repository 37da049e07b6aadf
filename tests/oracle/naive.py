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


def best_split(rows, attributes, released, k, unit):
    """The most frequent (attribute, value) with at least k on both sides; ties: column order, then the value's bytes."""
    best = None
    for attribute in attributes:
        if attribute in released:
            continue
        for value in sorted({row[attribute] for row in rows if row[attribute] is not None}):
            having = [row for row in rows if row[attribute] == value]
            lacking = [row for row in rows if row[attribute] != value]
            size = count_units(having, unit)
            if size < k or count_units(lacking, unit) < k:
                continue
            rank = (-size, attribute, value.encode())
            if best is None or rank < best[0]:
                best = (rank, attribute, value)
    return None if best is None else best[1:]


def grow(rows, attributes, released, k, unit):
    """A tree as nested tuples: (attribute, value, yes, no), or None for a leaf."""
    split = best_split(rows, attributes, released, k, unit)
    if split is None:
        return None
    attribute, value = split
    having = [row for row in rows if row[attribute] == value]
    lacking = [row for row in rows if row[attribute] != value]
    return (attribute, value, grow(having, attributes, released | {attribute}, k, unit),
            grow(lacking, attributes, released, k, unit))


def disclosed(tree, row):
    """The attributes that this row's path releases."""
    found = set()
    while tree is not None:
        attribute, value, yes, no = tree
        if row[attribute] == value:
            found.add(attribute)
            tree = yes
        else:
            tree = no
    return found


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
        self.tree = grow(rows, self._numbers("quasi_identifier"), frozenset(), self.policy.k, unit)
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
