"""Values that give a leak away, and how to find them in bytes."""
import base64
import collections
import re

import twins

# families.rare's, of the types that no expression computes another value of.
RARE = r"rare\d{3,}|[0-9a-f]{8}-1111-4222-8333-5{12}|0a:00:00:00:\d\d:\d\d"


def forms(token):
    """As it is, in any case, backwards, and as hexadecimal and base64 text."""
    data = token.encode()
    return {
        data.lower(),
        data[::-1].lower(),
        data.hex().encode()[:-2],
        base64.b64encode(data).rstrip(b"=").lower()[:-1],
    }


def found(data, tokens):
    """Those of the tokens that occur in some form."""
    lowered = data.lower()
    return [token for token in tokens if any(form in lowered for form in forms(token))]


def lines_with(data, tokens):
    return [line.decode("utf-8", "replace")[:300] for line in data.split(b"\n") if found(line, tokens)]


def of_tables(tables):
    """→ (texts that only hidden cells hold, texts that the masks show), of what a generator never writes by
    itself."""
    shown, hidden = collections.Counter(), set()
    for table in tables:
        for row, image in zip(table.rows, twins.release_of(table).mask(table.rows)):
            shown.update(cell for cell in image if cell is not None)
            hidden.update(cell for cell, seen in zip(row, image) if seen is None and cell is not None)
    rare = [
        cell
        for cell in sorted(hidden)
        if re.fullmatch(RARE, cell) and not any(cell in other for other in shown)
    ]
    common = [cell for cell, times in shown.most_common(400) if re.fullmatch(r"[A-Z][a-z]{3,}", cell)][:5]
    return rare, common
