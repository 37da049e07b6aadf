#!/usr/bin/python3
"""Could true totals of single columns be released beside the masked table? docs/totals.md says why not. The
two halves of its argument are tried here on all tables of a few rows: totals of one state single nobody out,
and totals of two states tell what one new row hides."""
import collections
import itertools
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "integration")]
import reconstruct  # noqa: E402
from harness.runner import Case, main  # noqa: E402

PLAIN = tuple(reconstruct.Attribute(name, number) for number, name in enumerate(("town", "job", "sex")))
DOMAINS = (("Bonn", "Ulm", "Hof"), ("cook", "mason"))


def tables(domains, size):
    return itertools.combinations_with_replacement(list(itertools.product(*domains)), size)


def classes_of(rules, chain, table):
    """What a class shows → its rows as they are."""
    classes = collections.defaultdict(list)
    for row in table:
        classes[reconstruct.shown(rules, reconstruct.walk(chain, row)[1], row)].append(row)
    return classes


def released_totals(table, classes, column, k):
    """The totals that the rule of the question lets through: each is at least k, and what it leaves over
    beside the visible rows is 0 or at least k."""
    totals = collections.Counter(row[column] for row in table)
    visible = collections.Counter(shows[column] for shows, rows in classes.items() for _ in rows)
    return frozenset((value, count) for value, count in totals.items()
                     if count >= k and (count == visible[value] or count - visible[value] >= k))


def answer_of(classes):
    return frozenset((shows, len(rows)) for shows, rows in classes.items())


class OneState(Case):
    def certain_cells(self, rules, domains, size, with_totals):
        """→ (in the class that shows nothing, in other classes): hidden cells on which all tables agree that
        answer alike."""
        alike = collections.defaultdict(list)
        for table in tables(domains, size):
            classes = classes_of(rules, reconstruct.Grower(rules, table).run(), table)
            totals = tuple(released_totals(table, classes, column, rules.k)
                           for column in range(len(domains))) if with_totals else ()
            alike[answer_of(classes), totals].append(classes)
        blank = other = 0
        for group in alike.values():
            values = collections.defaultdict(set)
            for classes in group:
                for shows, rows in classes.items():
                    for column, value in enumerate(shows):
                        if value is None:
                            values[shows, column].update(row[column] for row in rows)
            for (shows, _), possible in values.items():
                if len(possible) == 1:
                    blank += all(value is None for value in shows)
                    other += any(value is not None for value in shows)
        return blank, other

    def test_totals_make_cells_certain_only_in_the_class_that_shows_nothing(self):
        for size, k in ((6, 2), (7, 3)):
            with self.subTest(size=size, k=k):
                rules = reconstruct.Rules(PLAIN[:2], k, "thorough")
                before, elsewhere_before = self.certain_cells(rules, DOMAINS, size, False)
                after, elsewhere_after = self.certain_cells(rules, DOMAINS, size, True)
                self.assertEqual((elsewhere_before, elsewhere_after), (0, 0))
                self.assertGreater(after, before)


class TwoStates(Case):
    """One row comes between two builds. The tree stays, as in a lineage."""

    def newcomers(self, rules, domains, size, with_totals):
        """What a reader sees of both states → the rows that may have come."""
        possible = collections.defaultdict(set)
        for table in tables(domains, size):
            chain = reconstruct.Grower(rules, table).run()
            before = classes_of(rules, chain, table)
            for row in itertools.product(*domains):
                later = table + (row,)
                after = classes_of(rules, chain, later)
                seen = [answer_of(before), answer_of(after)]
                if with_totals:
                    seen += [released_totals(state, classes, column, rules.k)
                             for state, classes in ((table, before), (later, after))
                             for column in range(len(domains))]
                possible[tuple(seen)].add(row)
        return possible

    def test_totals_tell_all_that_a_single_new_row_hides(self):
        rules = reconstruct.Rules(PLAIN[:2], 2, "thorough")

        without = self.newcomers(rules, DOMAINS, 6, False)
        hidden = {seen: rows for seen, rows in without.items() if not self.is_shown(seen)}
        self.assertGreater(len(hidden), 0)
        self.assertTrue(all(len(rows) > 1 for rows in hidden.values()))
        told = [seen for seen, rows in self.newcomers(rules, DOMAINS, 6, True).items()
                if len(rows) == 1 and not self.is_shown(seen)]
        self.assertGreater(len(told), 100)

    @staticmethod
    def is_shown(seen):
        """The new row's class shows all of its columns."""
        before, after = dict(seen[0]), dict(seen[1])
        (shows,) = [shows for shows, count in after.items() if count != before.get(shows, 0)]
        return None not in shows


if __name__ == "__main__":
    main()
