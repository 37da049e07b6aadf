#!/usr/bin/python3
"""policies.py clinic|flat|tpch [--database=NAME] [--k=N]: prints the policies for the databases of generate.py.

clinic and tpch are the tables of one entity, which its pseudonyms join. flat is one source, evaluated once:
it needs a database of its own, because together they would be two releases of the same persons."""
import argparse
import dataclasses

PERIODS = {
    "month": "to_char({0}, 'YYYY-MM')",
    "quarter": "to_char({0}, 'YYYY') || '-Q' || to_char({0}, 'Q')",
    "year": "to_char({0}, 'YYYY')",
}


def of_date(prefix=""):
    """→ the class of a date with three levels."""
    levels = ", ".join(f"{{period: {period}, column: {prefix}{period}}}" for period in PERIODS)
    return f"{{class: quasi_identifier, generalize: [{levels}]}}"


def levels_of_date(name, prefix=""):
    return {prefix + period: expression.format(name) for period, expression in PERIODS.items()}


def bin_of(name, width):
    low = f"{name} / {width} * {width}"
    return f"'[' || {low} || ',' || {low} + {width} || ')'"


@dataclasses.dataclass(frozen=True)
class Published:
    """What readers find under `name`. columns: as the policy says them; levels: the columns that are empty in
    the raw table, and what belongs there. key: the column that tells persons; raw_id: one that no two rows of
    the raw table share, if there is one."""
    name: str
    columns: dict
    levels: dict
    key: str
    source: str = ""
    table: str = ""
    raw_id: str = ""
    is_entity: bool = False
    more: str = ""

    @property
    def raw(self):
        """The raw rows, for FROM."""
        return f"({self.source})" if self.source else f"public.{self.table or self.name}"

    @property
    def quasi(self):
        """All columns that show something by which persons are recognized."""
        return [name for name, kind in self.columns.items() if "quasi_identifier" in kind] + list(self.levels)

    def truth(self):
        """The raw rows with the levels filled in, as a query."""
        levels = "".join(f", {expression} AS {name}" for name, expression in self.levels.items())
        return f"SELECT {', '.join('r.' + name for name in self.columns)}{levels} FROM {self.raw} AS r"


CLINIC = (
    Published(
        "persons",
        {
            "id": "{class: key, domain: person}",
            "sex": "{class: quasi_identifier}",
            "city": "{class: quasi_identifier}",
            "birth_year": "{class: quasi_identifier, generalize: [{width: 10, column: birth_decade}, "
                          "{width: 20, column: birth_20}]}",
            "occupation": "{class: quasi_identifier}",
            "insurer": "{class: sensitive}",
        },
        {"birth_decade": bin_of("r.birth_year", 10), "birth_20": bin_of("r.birth_year", 20)},
        "id", is_entity=True),
    Published(
        "visits",
        {
            "id": "{class: identifier}",
            "person_id": "{class: key, domain: person}",
            "day": of_date(),
            "place_id": "{class: quasi_identifier}",
            "fee": "{class: sensitive}",
        },
        levels_of_date("r.day"), "person_id", raw_id="id", more="    max_rows_per_person: 100\n"),
    Published(
        "stays",
        {
            "id": "{class: identifier}",
            "person_id": "{class: key, domain: person}",
            "admitted": of_date(),
            "discharged": "{class: identifier}",
            "ward": "{class: sensitive}",
            "nights": "{class: sensitive}",
        },
        levels_of_date("r.admitted"), "person_id", raw_id="id"),
    Published(
        "visit_diagnoses",
        {
            "id": "{class: identifier}",
            "person_id": "{class: key, domain: person}",
            "day": of_date(),
            "icd": "{class: sensitive}",
            "is_main": "{class: insensitive}",
        },
        levels_of_date("r.day"), "person_id", raw_id="id",
        source="SELECT d.id, v.person_id, v.day, d.icd, d.is_main, v.month, v.quarter, v.year "
               "FROM public.diagnoses d JOIN public.visits v ON v.id = d.visit_id"),
    Published(
        "prescriptions",
        {
            "id": "{class: identifier}",
            "person_id": "{class: key, domain: person}",
            "day": of_date(),
            "drug": "{class: sensitive}",
            "amount": "{class: insensitive}",
        },
        levels_of_date("r.day"), "person_id", raw_id="id"),
)
FLAT = (
    Published(
        "visit_facts",
        {
            "person_id": "{class: identifier}",
            "sex": "{class: quasi_identifier}",
            "city": "{class: quasi_identifier}",
            "birth_year": "{class: quasi_identifier, generalize: [{width: 10, column: birth_decade}, "
                          "{width: 20, column: birth_20}]}",
            "day": "{class: quasi_identifier, generalize: [{period: month, column: month}, "
                   "{period: quarter, column: quarter}]}",
            "region": "{class: quasi_identifier}",
            "kind": "{class: sensitive}",
            "fee": "{class: sensitive}",
        },
        {"birth_decade": bin_of("r.birth_year", 10), "birth_20": bin_of("r.birth_year", 20),
         **{name: PERIODS[name].format("r.day") for name in ("month", "quarter")}},
        "person_id",
        source="SELECT v.person_id, p.sex, p.city, p.birth_year, p.birth_decade, p.birth_20, v.day, v.month, "
               "v.quarter, pl.region, pl.kind, v.fee FROM public.visits v "
               "JOIN public.persons p ON p.id = v.person_id JOIN public.places pl ON pl.id = v.place_id"),
)
TPCH = (
    Published(
        "customer",
        {
            "c_custkey": "{class: key, domain: customer}",
            "c_name": "{class: identifier}",
            "c_nationkey": "{class: quasi_identifier}",
            "c_mktsegment": "{class: quasi_identifier}",
            "c_acctbal": "{class: sensitive}",
        },
        {}, "c_custkey", is_entity=True),
    Published(
        "orders",
        {
            "o_orderkey": "{class: identifier}",
            "o_custkey": "{class: key, domain: customer}",
            "o_orderdate": of_date("o_"),
            "o_orderstatus": "{class: insensitive}",
            "o_totalprice": "{class: sensitive}",
            "o_orderpriority": "{class: insensitive}",
        },
        levels_of_date("r.o_orderdate", "o_"), "o_custkey", raw_id="o_orderkey"),
    Published(
        "line_facts",
        {
            "o_custkey": "{class: key, domain: customer}",
            "l_shipdate": of_date("l_"),
            **{name: "{class: insensitive}" for name in ("l_partkey", "l_suppkey", "l_quantity", "l_discount", "l_tax",
                                                         "l_returnflag", "l_linestatus", "l_shipmode")},
            "l_extendedprice": "{class: sensitive}",
        },
        levels_of_date("r.l_shipdate", "l_"), "o_custkey",
        source="SELECT o.o_custkey, l.l_partkey, l.l_suppkey, l.l_quantity, l.l_extendedprice, l.l_discount, l.l_tax, "
               "l.l_returnflag, l.l_linestatus, l.l_shipdate, l.l_shipmode, NULL::text AS l_month, "
               "NULL::text AS l_quarter, NULL::text AS l_year "
               "FROM public.lineitem l JOIN public.orders o ON o.o_orderkey = l.l_orderkey"),
)
ALL = {"clinic": CLINIC, "flat": FLAT, "tpch": TPCH}
OPEN_TABLES = {
    "clinic": ("public.places",),
    "flat": ("public.places",),
    "tpch": ("public.region", "public.nation", "public.part", "public.supplier"),
}


def with_row_ids(tables):
    """The same, but the numbers of rows are shown, so that a test can find the persons behind rows without
    keys. Nobody should publish them."""
    return tuple(
        dataclasses.replace(table, columns={**table.columns, table.raw_id: "{class: insensitive}"})
        if table.raw_id else table for table in tables)


def yaml(tables, database, k=5, readers=("analyst",)):
    """→ a policy file, with what all of its policies need."""
    return "version: 1\npolicies:\n" + "".join(one(table, database, k, readers) for table in tables)


def one(table, database, k, readers):
    lines = [f"  - name: {table.name}", f"    database: {database}"]
    if table.source:
        lines += ["    source: |", f"      {table.source}"]
    else:
        lines.append(f"    table: public.{table.table or table.name}")
    lines += [f"    k: {k}", f"    readers: [{', '.join(readers)}]", "    enforcement: copy"]
    if table.is_entity:
        lines.append(f"    entity: {table.columns[table.key].split('domain: ')[1][:-1]}")
    elif "class: key" not in table.columns[table.key]:
        lines.append(f"    unit: {table.key}")
    columns = "".join(f"      {name}: {kind}\n" for name, kind in table.columns.items())
    return "\n".join(lines) + "\n" + table.more + "    columns:\n" + columns


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("what", choices=sorted(ALL))
    arguments.add_argument("--database", default="")
    arguments.add_argument("--k", type=int, default=5)
    arguments.add_argument("--reader", default="analyst")
    options = arguments.parse_args()
    print(yaml(ALL[options.what], options.database or options.what, options.k, (options.reader,)), end="")


if __name__ == "__main__":
    main()
