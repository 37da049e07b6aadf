"""Errors that PostgreSQL's planner decides: of a condition that always fails (`'a' ~ '('`) beside one that
leaves no row it may look at either first. Where pgveil and the masked copy differ in an error, the statement
runs once more over a fenced copy: the same masked rows behind a condition that is true and that is asked
once, before the scan, as a mask's guards are; a view with a security barrier is one that no condition passes.
Columns that are never shown are the constant NULL there, as in a mask, so PostgreSQL computes with them
before it looks at a row (`'{1}'::int[] - NULL` of intarray fails). That is another plan which PostgreSQL may
choose for the same data: it finds no contradiction (`WHERE false`) beside such a condition, and goes on to
look at the others. Only an error can be decided so: other rows are a difference, whatever the fenced copy
says."""
import comparison

SCHEMA = "fence"


def create_fenced(postgres, some_tables, some_views, masked, fenced):
    """Nobody may be connected to `masked`."""
    postgres.create_database(fenced, template=masked)
    postgres.run(
        "".join(f"DROP VIEW {view.full_name()};\n" for view in reversed(some_views))
        + f"CREATE SCHEMA {SCHEMA};\n"
        + "".join(fence(table) for table in some_tables if table.policy)
        + "".join(fenced_view(view) for view in some_views),
        fenced,
    )


def fence(table):
    columns = ", ".join(
        f"NULL::{column.sql_type} AS {column.name}" if is_hidden(table, column) else column.name
        for column in table.columns)
    return (f"ALTER TABLE {table.full_name()} SET SCHEMA {SCHEMA};\n"
            f"CREATE VIEW {table.full_name()} AS SELECT {columns} FROM {SCHEMA}.{table.name} WHERE (SELECT true);\n")


def is_hidden(table, column):
    return table.policy.columns.get(column.name, "identifier") == "identifier"


def fenced_view(view):
    names = ", ".join(column.name for column in view.columns)
    barrier = " OFFSET 0" if "security_barrier" in view.options else ""
    return f"CREATE VIEW {view.full_name()} AS SELECT * FROM ({view.query}) AS fenced ({names}){barrier};\n"


def is_decided_by_plan(query, words, mine, fenced):
    """words: how pgveil's answer differs from the masked copy's. mine, fenced: pgveil's and the fenced copy's
    answers, which must be the same without any of the deviations that comparison.py knows. An error of class
    42 is the statement's and not the plan's."""
    if not isinstance(words, comparison.ErrorDifference):
        return False
    states = comparison.states(mine)
    return (states == comparison.states(fenced)
            and not any(state.startswith("42") for state in states)
            and comparison.difference(query, mine, fenced, unraised=()) is None)
