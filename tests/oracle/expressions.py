"""Makes expressions from the productions of grammar.py over the columns in scope."""
import dataclasses
import re

import families
import grammar
from families import FAMILIES

SLOT = re.compile(r"\{([^{}]+)\}")
ORDERED = [name for name in FAMILIES if name not in ("bool", "mac", "json", "bytes", "ints", "texts", "inet", "hstore")]


@dataclasses.dataclass
class Source:
    """A relation in scope: an alias and its (name, family) columns."""
    alias: str
    columns: list
    is_scan: bool = True
    table: object = None       # whose columns these are under their own names

    def every(self):
        return [f"{self.alias}.{name}" for name, _ in self.columns]


def every_column(scope):
    return ", ".join(name for source in scope for name in source.every())


class Expressions:
    """What a statement's generator inherits; it brings `random`, `tables`, `parameters` (None: none wanted),
    `alias()` and `table_source()`."""

    def literal(self, family):
        random = self.random
        if family == "small":
            return str(random.randint(1, 4))
        text = families.literal(random, family)
        if self.parameters is not None and FAMILIES[family].oid and random.random() < 0.5:
            self.parameters.append((family, text))
            return f"${len(self.parameters)}::{FAMILIES[family].cast}"
        if family == "int":
            return text if not text.startswith("-") else f"({text})"
        if family == "bool":
            return "true" if text == "t" else "false"
        escaped = text.replace("'", "''")
        if family in ("enum", "text", "citext", "hstore", "ltree") and random.random() < 0.5:
            return f"'{escaped}'"
        if family in ("date", "ts", "time", "days") and random.random() < 0.5:
            return f"{FAMILIES[family].cast} '{escaped}'"
        return f"'{escaped}'::{FAMILIES[family].cast}"

    # -- columns
    def column(self, scope, family):
        found = [
            f"{source.alias}.{name}" for source in scope for name, kind in source.columns if kind == family
        ]
        return self.random.choice(found) if found else None

    def any_column(self, scope):
        source = self.random.choice(scope)
        name, family = self.random.choice(source.columns)
        return f"{source.alias}.{name}", family

    def leaf(self, scope, family):
        found = self.column(scope, family) if self.random.random() < 0.8 else None
        if found is None:
            return self.literal(family)
        # Equal numbers of different scale must not meet in one expression.
        return f"trim_scale({found})" if family == "num" else found

    # -- productions
    def expression(self, scope, family, depth=2):
        random = self.random
        if depth <= 0 or random.random() < 0.35:
            return self.leaf(scope, family)
        common = grammar.ANY + (() if family in grammar.ARRAYS else grammar.ANY_SCALAR)
        special = grammar.EXPRESSIONS[family]
        choices = special if special and random.random() < 0.65 else common
        return self.expand(random.choice(choices), scope, depth, family)

    def condition(self, scope, depth=2):
        if depth <= 0:
            return self.expand(
                self.random.choice(("{any.} IS NULL", "{any.} IS NOT NULL", "{F.} = {=F}")), scope, 0
            )
        return self.expand(self.random.choice(grammar.CONDITIONS), scope, depth)

    def aggregate(self, scope):
        return self.expand(self.random.choice(grammar.AGGREGATES), scope, 2)

    def expand(self, production, scope, depth, family=None):
        """Fills the slots of a production."""
        if family is None:  # an array has no arrays as elements
            family = self.random.choice(
                [name for name in FAMILIES if name not in grammar.ARRAYS or "ARRAY[" not in production]
            )
        named, inner = {}, []

        def fill(match):
            slot = match[1]
            if slot[0].isdigit():
                if slot not in named:
                    named[slot] = self.expression(scope, slot[2:], depth - 1)
                return named[slot]
            return self.slot(slot.replace("F", family) if slot.lstrip("=").rstrip(".") in ("F", "inner.F") or
                             slot == "cast:F" else slot, scope, depth, inner)
        # An inner relation must be known before its columns are.
        if "{table}" in production:
            inner.extend(self.table_source())
        return (
            SLOT.sub(fill, production.replace("{{", "\0").replace("}}", "\1"))
            .replace("\0", "{")
            .replace("\1", "}")
        )

    def slot(self, slot, scope, depth, inner):
        random = self.random
        if slot in FAMILIES:
            return self.expression(scope, slot, depth - 1)
        if slot == "int4":
            return f"({self.expression(scope, 'int', depth - 1)})::integer"
        if slot.startswith("="):
            return self.literal(slot[1:])
        if slot == "any.":
            return self.any_column(scope)[0]
        if slot.startswith("inner."):
            return self.column([inner[1]], slot[6:]) or self.literal(slot[6:])
        if slot.endswith("."):
            return self.column(scope, slot[:-1]) or self.literal(slot[:-1])
        if slot.startswith("cast:"):
            return FAMILIES[slot[5:]].cast
        return {
            "cond": lambda: self.condition(scope, depth - 1),
            "compare": lambda: random.choice(("=", "<>", "<", ">=", ">", "!=")),
            "truth": lambda: random.choice(
                ("TRUE", "NOT TRUE", "UNKNOWN", "FALSE", "NOT FALSE", "NOT UNKNOWN")
            ),
            "letter": lambda: random.choice("aeNx_"),
            "a,b": lambda: "{a,b}",
            "frame": lambda: random.choice(grammar.FRAMES),
            "table": lambda: inner[0],
            "correlated": lambda: self.correlation(scope, inner[1]),
            "scalar_subquery": lambda: self.scalar_subquery(scope),
            "exists": lambda: self.exists(scope, depth),
            "membership": lambda: self.membership(scope, depth),
            "F_min": lambda: self.expression(scope, random.choice(ORDERED), 1),
            "F_max": lambda: self.expression(scope, random.choice(ORDERED), 1),
        }[slot]()

    # -- sub-queries
    def correlation(self, outer, inner):
        family = self.random.choice(("int", "text", "bool", "date"))
        mine, theirs = self.column([inner], family), self.column(outer, family)
        return f"{mine} = {theirs}" if mine and theirs else f"{inner.alias}.{inner.columns[0][0]} IS NOT NULL"

    def scalar_subquery(self, scope):
        sql, inner = self.table_source()
        name, _ = self.any_column([inner])
        what = self.random.choice((f"count({name})", "count(*)", f"count(DISTINCT {name})"))
        return f"(SELECT {what} FROM {sql} WHERE {self.correlation(scope, inner)})::integer"

    def exists(self, scope, depth):
        sql, inner = self.table_source()
        word = self.random.choice(("EXISTS", "NOT EXISTS"))
        return (f"{word} (SELECT {self.random.choice(('1', '*', ''))} FROM {sql} "
                f"WHERE {self.correlation(scope, inner)} AND {self.condition([inner], min(1, depth - 1))})")

    def membership(self, scope, depth):
        sql, inner = self.table_source()
        name, family = self.any_column([inner])
        word = self.random.choice(("IN", "NOT IN"))
        return (f"{self.expression(scope, family, 1)} {word} (SELECT {name} FROM {sql} "
                f"WHERE {self.condition([inner], min(1, depth - 1))})")
