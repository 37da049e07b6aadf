"""Says whether two answers to one conversation are the same. An answer is a list of (tag, body) messages."""
import collections
import dataclasses
import decimal
import struct

from harness.wire import cells_of, columns_of, fields_of

REFUSED = "42501"
# A broken regular expression, and a text without one collation: a column that is hidden in every row is a
# constant NULL in the mask, so a strict operator on it is never planned, and what is wrong beside it never
# looked at.
UNRAISED = ("2201B", "42P22")
TIMED_OUT = "57014"
NUMERIC_OID = 1700
RECORD_OID = 2249
FIRST_USER_OID = 16384
UNCOMPARED = (b"S", b"N")  # settings and notices; a refusal's hint is one


class ErrorDifference(str):
    """One side answers and the other raises an error, or they raise different ones."""


@dataclasses.dataclass
class Result:
    """What one statement of a conversation gave."""
    shape: list = dataclasses.field(default_factory=list)
    formats: list = dataclasses.field(default_factory=list)
    rows: list = dataclasses.field(default_factory=list)
    copied: list = dataclasses.field(default_factory=list)
    end: str = ""              # the command tag, or the SQLSTATE
    message: str = ""


def same_bytes(mine, theirs):
    """The quick way: equal but for the numbers of tables and the words of errors."""
    return plain(mine) == plain(theirs)


def plain(messages):
    return [(tag, without_tables(body) if tag == b"T" else fields_of(body).get("C") if tag == b"E" else body)
            for tag, body in messages if tag not in UNCOMPARED]


def without_tables(body):
    return [(c.name, c.type_oid, c.type_size, c.typmod, c.format) for c in columns_of(body)]


def results(messages):
    found, current = [], Result()
    for tag, body in messages:
        if tag == b"T":
            columns = columns_of(body)
            current.shape, current.formats = [c.shape() for c in columns], [c.format for c in columns]
        elif tag == b"D":
            current.rows.append(cells_of(body))
        elif tag == b"d":
            current.copied.append(body)
        elif tag == b"C":
            current.end = body[:-1].decode()
            found.append(current)
            current = Result(current.shape, current.formats)
        elif tag == b"E":
            fields = fields_of(body)
            current.end, current.message = fields.get("C", ""), fields.get("M", "")
            found.append(current)
            current = Result()
    return found


def is_error(result):
    return result.message != ""


def states(messages):
    return [fields_of(body).get("C") for tag, body in messages if tag == b"E"]


def refusal(mine, theirs):
    """The words of a refusal by the proxy, or None."""
    if REFUSED not in states(mine) or REFUSED in states(theirs):
        return None
    return next(
        fields_of(body).get("M") for tag, body in mine if tag == b"E" and fields_of(body).get("C") == REFUSED
    )


def difference(query, mine, theirs, unraised=UNRAISED):
    """What differs, in words; None: nothing. A refusal by the proxy is no difference, the caller counts it.
    unraised: the errors of PostgreSQL that pgveil may fail to raise."""
    if same_bytes(mine, theirs):
        return None
    got, expected = results(mine), results(theirs)
    for one, other in zip(got, expected):
        if is_error(one) or is_error(other):
            # A message of several statements is judged whole, so its invalid one is found before any is run.
            later = next((each for each in expected if is_error(each)), other)
            return difference_of_errors(one, later, unraised)
        if words := difference_of_results(query, one, other):
            return words
    if len(got) != len(expected):
        return f"{len(got)} results instead of {len(expected)}"
    return None


def difference_of_errors(one, other, unraised):
    if one.end == other.end or both_invalid(one, other) or TIMED_OUT in (one.end, other.end):
        return None
    if not is_error(one) and other.end in unraised:
        return None
    return ErrorDifference(f"{one.end} {one.message} instead of {other.end} {other.message}")


def difference_of_results(query, one, other):
    if not same_shapes(one.shape, other.shape):
        return f"columns {one.shape} instead of {other.shape}"
    if one.end != other.end:
        return f"tag {one.end} instead of {other.end}"
    copied = (one.copied, other.copied) if query.is_ordered else (sorted(one.copied), sorted(other.copied))
    if copied[0] != copied[1]:
        return f"copied {first_differences(*copied)}"
    got, expected = as_multiset(one.rows), as_multiset(other.rows)
    if got != expected:
        return f"rows {list((got - expected).items())[:5]} instead of {list((expected - got).items())[:5]}"
    if query.is_ordered and in_order(one) != in_order(other):
        return f"the rows come in another order: {first_differences(one.rows, other.rows)}"
    return None


def first_differences(some, others):
    return [pair for pair in zip(some, others) if pair[0] != pair[1]][:3] or (len(some), len(others))


def in_order(result):
    """Rows with equal numbers written alike: 1.0 and 1 tie in ORDER BY."""
    numeric = {number for number, shape in enumerate(result.shape) if shape[1] == NUMERIC_OID}
    return [
        [
            canonical_number(cell, result.formats[number]) if number in numeric and cell is not None else cell
            for number, cell in enumerate(row)
        ]
        for row in result.rows
    ]


def canonical_number(cell, binary):
    """PostgreSQL's binary form says the display scale at its end of the head."""
    if binary:
        count, weight, sign, _ = struct.unpack_from("!HhHH", cell)
        return (count, weight, sign, cell[8:])
    return decimal.Decimal(cell.decode())


def as_multiset(rows):
    return collections.Counter(tuple(row) for row in rows)


def same_shapes(got, expected):
    """Equal row descriptions but for two deviations. A whole row of a masked table, `SELECT t FROM t`, is a
    record through pgveil, because the masking sub-select has no row type of its own. And coalesce(a,
    f(hidden)) has the type modifier of `a` where f(NULL) is folded away."""
    def same(mine, theirs):
        is_whole_row = mine[1] == RECORD_OID and theirs[1] >= FIRST_USER_OID and mine[0] == theirs[0]
        return mine == theirs or is_whole_row or (mine[:3] == theirs[:3] and theirs[3] == -1)
    return len(got) == len(expected) and all(map(same, got, expected))


def both_invalid(one, other):
    """Both say before any row that the statement is wrong (class 42), and name another of its faults
    first."""
    return all(is_error(each) and each.end.startswith("42") and each.end != REFUSED for each in (one, other))
