"""What a reader can compute who has one masked `SELECT quasi-identifiers, count(*) … GROUP BY`, the domains
of the columns, and knows how trees are made (docs/disclosure-tree.md). Nothing is shared with policy/ or
rewriter/.

Rows are tuples of texts, None is NULL. A chain is (arms, falls_back); an arm is (attribute, value, the chain
of its `yes` side). """
import collections
import dataclasses
import heapq


@dataclasses.dataclass(frozen=True)
class Attribute:
    """One column that a reader sees. level: what makes its value of the exact one of `source`; None: it is
    exact."""
    name: str
    source: int                # position among the attributes; its own where it is exact
    step: int = 0              # 0: exact; 1, 2, …: from fine to coarse
    level: object = None


@dataclasses.dataclass(frozen=True)
class Rules:
    """What is publicly known of a policy: the columns in the catalog's order, k, and how the tree is made."""
    attributes: tuple
    k: int
    strategy: str

    def released_by(self, attribute):
        """The attribute and the coarser levels of its column."""
        own = self.attributes[attribute]
        return [position for position, other in enumerate(self.attributes)
                if position == attribute or other.source == own.source and other.step > own.step]

    def order(self, attribute, value, count):
        """Of several candidates the one with the smallest such key is taken."""
        return self.attributes[attribute].step, -count, attribute, value.encode()


def with_levels(rules, exact):
    """A whole row: exact values by position, levels computed of them."""
    return tuple(exact[attribute.source] if attribute.level is None
                 else None if exact[attribute.source] is None else attribute.level(exact[attribute.source])
                 for attribute in rules.attributes)


class Grower:
    """The tree of a table, by the written rules; each row is a unit."""

    def __init__(self, rules, table):
        self.rules = rules
        self.table = [(row, count) for row, count in collections.Counter(table).items()]

    def run(self):
        return self._chain(range(len(self.table)), frozenset(range(len(self.rules.attributes))), 0)

    def _chain(self, entries, hidden, lost):
        """lost: cells that a row shows less which falls back from here; 0 on the root's chain."""
        entries, k = list(entries), self.rules.k
        having, counts = collections.defaultdict(list), collections.Counter()
        for entry in entries:
            row, count = self.table[entry]
            for attribute in hidden:
                if row[attribute] is not None:
                    having[attribute, row[attribute]].append(entry)
                    counts[attribute, row[attribute]] += count
        left, total = set(entries), sum(self.table[entry][1] for entry in entries)
        taken = []

        def take(pair):
            nonlocal total
            gone = [entry for entry in having[pair] if entry in left]
            left.difference_update(gone)
            for entry in gone:
                row, count = self.table[entry]
                total -= count
                for attribute in hidden:
                    if row[attribute] is not None:
                        counts[attribute, row[attribute]] -= count
            taken.append((*pair, gone))
        heap = [
            (self.rules.order(*pair, count), pair)
            for pair, count in counts.items()
            if k <= count <= total - k
        ]
        heapq.heapify(heap)
        while heap:
            key, pair = heapq.heappop(heap)
            if not k <= counts[pair] <= total - k:
                continue
            if (now := self.rules.order(*pair, counts[pair])) != key:
                heapq.heappush(heap, (now, pair))
                continue
            take(pair)
        falls_back = False
        if self.rules.strategy == "thorough" and lost:
            gains = [
                (self.rules.order(*pair, count - lost * (total - count)), pair)
                for pair, count in counts.items()
                if count >= k and count > lost * (total - count)
            ]
            if gains:
                take(min(gains)[1])
                falls_back = True
        below = lost + 1 if falls_back else 1
        return [(attribute, value, self._chain(gone, hidden - set(self.rules.released_by(attribute)), below))
                for attribute, value, gone in taken], falls_back


def walk(chain, row):
    """→ (the path to the end of the row's own way: the chains and how many arms of each it passed, the path
    to its cohort)"""
    path = []
    while True:
        arms, _ = chain
        passed = next(
            (number for number, (attribute, value, _) in enumerate(arms) if row[attribute] == value),
            len(arms),
        )
        path.append((chain, passed))
        if passed == len(arms):
            break
        chain = arms[passed][2]
    cohort = list(path)
    while cohort[-1][0][1]:
        cohort.pop()
    return path, cohort


def shown(rules, cohort, row):
    """What a row shows whose cohort has this path: the columns of the arms that lead from one chain to the
    next."""
    visible = set()
    for (chain, passed), _ in zip(cohort, cohort[1:]):
        visible.update(rules.released_by(chain[0][passed][0]))
    return tuple(value if attribute in visible else None for attribute, value in enumerate(row))


def answer_of(rules, chain, table):
    """What the one GROUP BY answers: visible tuple → rows."""
    answer = collections.Counter()
    for row, count in collections.Counter(table).items():
        answer[shown(rules, walk(chain, row)[1], row)] += count
    return answer


def rebuild_greedy(rules, answer):
    """The paper's tree from nothing but the answer. A split's `yes` side shows its value in every row; any
    other candidate had no more rows, of which fewer are visible. So the visible value with most rows is the
    one that was split on, exact ones first."""
    def chain(classes, released):
        arms, classes = [], dict(classes)
        counts = collections.Counter()
        for row, count in classes.items():
            for attribute, value in enumerate(row):
                if value is not None and attribute not in released:
                    counts[attribute, value] += count
        while len(classes) > 1:
            attribute, value = min((pair for pair, count in counts.items() if count),
                                   key=lambda pair: rules.order(*pair, counts[pair]))
            yes = {row: count for row, count in classes.items() if row[attribute] == value}
            for row, count in yes.items():
                del classes[row]
                for other, text in enumerate(row):
                    if text is not None and other not in released:
                        counts[other, text] -= count
            arms.append((attribute, value, chain(yes, released | set(rules.released_by(attribute)))))
        return arms, False
    return chain(answer, frozenset())


@dataclasses.dataclass
class Part:
    """A chain as the reader sees it. allowed: per exact column the values that rows can have which come to
    its end; None among them where the column has NULL."""
    arms: list
    allowed: dict
    falls_back: bool
    cells_lost: int            # by a row that falls back from here
    rows: int = 0              # of the cohorts in it
    most_out: int = 0          # rows that may fall back out of it, at most


class Attack:
    """chain: the splits, which the reader has rebuilt or is given. domains: per exact column the values it
    has, None for NULL."""

    def __init__(self, rules, domains, answer, chain):
        self.rules, self.domains, self.answer = rules, domains, answer
        self.coming = collections.defaultdict(list)  # what a class shows → the chains whose ends come to it
        whole = {source: frozenset(values) for source, values in domains.items()}
        self._visit(chain, whole, (None,) * len(rules.attributes), None, 0)

    def _value(self, attribute, exact):
        level = self.rules.attributes[attribute].level
        return exact if level is None or exact is None else level(exact)

    def _split(self, allowed, attribute, value):
        """→ what the `yes` side and the `no` side allow"""
        source = self.rules.attributes[attribute].source
        having = frozenset(exact for exact in allowed[source] if self._value(attribute, exact) == value)
        return {**allowed, source: having}, {**allowed, source: allowed[source] - having}

    def _visit(self, chain, allowed, shows, home, lost):
        arms, falls_back = chain
        here = home if falls_back else shows
        part = Part([], allowed, falls_back, lost)
        for attribute, value, below in arms:
            yes, part.allowed = self._split(part.allowed, attribute, value)
            shown_below = list(shows)
            some = next(iter(yes[self.rules.attributes[attribute].source]), None)
            for other in self.rules.released_by(attribute):
                shown_below[other] = value if other == attribute else self._value(other, some)
            inner = self._visit(below, yes, tuple(shown_below), here, lost + 1 if falls_back else 1)
            part.arms.append(inner)
            part.rows += inner.rows
        if not falls_back:
            part.rows += self.answer[here]
        part.most_out = self._most_out(part)
        self.coming[here].append(part)
        return part

    def _most_out(self, part):
        """Fewer than k are left where a chain was closed, and the value that closed it showed more cells than
        they lost (rule 6)."""
        if not part.falls_back:
            return 0
        inner = sum(below.most_out for below in part.arms)
        if not part.arms:                  # a value that was given up
            return inner + self.rules.k - 1
        closing = part.arms[-1]
        return inner + max(
            0, min(self.rules.k - 1, -(-(closing.rows + closing.most_out) // part.cells_lost) - 1)
        )

    def certain(self):
        """(what a class shows, attribute) → the value that its rows have there, if they have any."""
        found = {}
        for shows, parts in self.coming.items():
            count = self.answer[shows]
            if not count:
                continue
            reckoned = [part for part in parts if not part.falls_back or self._may_come(part, count)]
            for attribute, value in enumerate(shows):
                if value is not None:
                    continue
                source = self.rules.attributes[attribute].source
                values = {
                    self._value(attribute, exact) for part in reckoned for exact in part.allowed[source]
                } - {None}
                if len(values) == 1:
                    found[shows, attribute] = values.pop()
        return found

    def _may_come(self, part, count):
        """May a row have fallen back from this end to a class of so many rows, k of which came their own
        way?"""
        own = part.most_out - sum(below.most_out for below in part.arms)
        return count > self.rules.k and own > 0 and all(part.allowed.values())
