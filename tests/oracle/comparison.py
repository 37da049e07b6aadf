"""Runs one query on two connections and says whether the answers are the same."""
import collections
import dataclasses
import decimal

REFUSED = "42501"
BROKEN_PATTERN = "2201B"
NUMERIC_OID = 1700
RECORD_OID = 2249
FIRST_USER_OID = 16384


@dataclasses.dataclass
class Outcome:
    shapes: list
    rows: list
    sqlstate: str | None
    tags: list
    copied: bytes
    error: dict | None


def run(client, query):
    if query.is_extended:
        reply = client.extended(query.sql, query.parameters, result_format=query.result_format)
    else:
        reply = client.query(query.sql)
    if reply.is_closed:
        raise AssertionError(f"the connection was closed by {query.sql}: {reply.errors}")
    return Outcome([column.shape() for column in reply.columns], reply.rows, reply.sqlstate(), reply.tags,
                   reply.copied, reply.errors[0] if reply.errors else None)


def in_order(outcome, query):
    """Rows with equal numbers written alike: 1.0 and 1 tie in ORDER BY."""
    numeric = {number for number, shape in enumerate(outcome.shapes) if shape[1] == NUMERIC_OID}
    if not numeric or query.result_format == 1:
        return None if numeric else outcome.rows
    return [[decimal.Decimal(cell.decode()) if number in numeric and cell is not None else cell
             for number, cell in enumerate(row)] for row in outcome.rows]


def as_multiset(rows):
    return collections.Counter(tuple(row) for row in rows)


def same_shapes(got, expected):
    """Equal row descriptions. One deviation is known and documented: a whole row of a masked table, `SELECT t FROM t`,
    is a record through pgveil, because the masking sub-select has no row type of its own."""
    def same(mine, theirs):
        is_whole_row = mine[1] == RECORD_OID and theirs[1] >= FIRST_USER_OID and mine[0] == theirs[0]
        return mine == theirs or is_whole_row
    return len(got) == len(expected) and all(map(same, got, expected))


def difference(query, through_proxy, on_masked):
    """What differs, in words; None: nothing. A refusal by the proxy is no difference, the caller counts it."""
    if is_unraised(through_proxy, on_masked) or both_invalid(through_proxy, on_masked):
        return None
    if through_proxy.sqlstate != on_masked.sqlstate:
        return f"SQLSTATE {through_proxy.sqlstate} {through_proxy.error} instead of {on_masked.sqlstate} {on_masked.error}"
    if through_proxy.sqlstate is not None:
        return None
    if not same_shapes(through_proxy.shapes, on_masked.shapes):
        return f"columns {through_proxy.shapes} instead of {on_masked.shapes}"
    if through_proxy.tags != on_masked.tags:
        return f"tag {through_proxy.tags} instead of {on_masked.tags}"
    if through_proxy.copied != on_masked.copied:
        return f"copied {through_proxy.copied} instead of {on_masked.copied}"
    got, expected = as_multiset(through_proxy.rows), as_multiset(on_masked.rows)
    if got != expected:
        return f"rows {list((got - expected).items())[:5]} instead of {list((expected - got).items())[:5]}"
    if query.is_ordered and in_order(through_proxy, query) != in_order(on_masked, query):
        return "the rows come in another order"
    return None


def is_unraised(through_proxy, on_masked):
    """A broken regular expression that only PostgreSQL finds: a column that is hidden in every row is a constant NULL
    in the mask, so a strict operator on it is never planned, and the pattern beside it never looked at."""
    return through_proxy.sqlstate is None and on_masked.sqlstate == BROKEN_PATTERN


def both_invalid(through_proxy, on_masked):
    """Both say before any row that the statement is wrong (class 42), and name another of its faults first."""
    states = (through_proxy.sqlstate or "", on_masked.sqlstate or "")
    return all(state.startswith("42") and state != REFUSED for state in states)


def is_refusal(outcome):
    return outcome.sqlstate == REFUSED
