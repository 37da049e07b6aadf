"""Makes a statement that shows a difference shorter, by leaving out what stands in brackets and between
clauses, as long as the difference stays."""
import dataclasses
import re

import comparison
import conversations
import pipeline

TRIES = 300
CLAUSES = re.compile(
    r" (WHERE|GROUP BY|HAVING|ORDER BY|LIMIT|OFFSET|UNION|EXCEPT|INTERSECT|LEFT JOIN|JOIN|AND|OR|WINDOW) "
)


def brackets(sql):
    """(start, end) of each pair of round brackets, long ones first. Those in constants do no harm: their
    texts fail."""
    open_at, found = [], []
    for at, byte in enumerate(sql):
        if byte == "(":
            open_at.append(at)
        elif byte == ")" and open_at:
            found.append((open_at.pop(), at + 1))
    return sorted(found, key=lambda pair: pair[0] - pair[1])


def shorter(sql):
    for start, end in brackets(sql):
        for instead in ("NULL", sql[start + 1:end - 1], ""):
            yield sql[:start] + instead + sql[end:]
    starts = [match.start() for match in CLAUSES.finditer(sql)]
    for number, start in enumerate(starts):
        yield sql[:start]
        for end in starts[number + 1:number + 3]:
            yield sql[:start] + sql[end:]
    for match in re.finditer(r", [^,()]+", sql):
        yield sql[:match.start()] + sql[match.end():]


def differs(world, query):
    both = world.pipelines()
    try:
        for _, (mine, theirs) in pipeline.answers(both, [query], conversations.segments):
            is_valid = not any(state.startswith("42") for state in comparison.states(theirs))
            return (is_valid and comparison.refusal(mine, theirs) is None
                    and comparison.difference(query, mine, theirs) is not None)
    except (pipeline.Ended, OSError):
        return False
    finally:
        for each in both:
            each.close()


def shrink(world, query):
    tries, best, is_better = 0, query, True
    while is_better and tries < TRIES:
        is_better = False
        for sql in shorter(best.sql):
            candidate = dataclasses.replace(best, sql=sql)
            tries += 1
            if len(sql) < len(best.sql) and differs(world, candidate):
                best, is_better = candidate, True
                break
            if tries >= TRIES:
                break
    return best
