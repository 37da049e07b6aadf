"""What a release loses, by four measures."""

import numpy

MOST_COLUMNS = 3  # of a count
LEAST_SHARE = 0.001  # of the records, that a count is about
MANY_VALUES = 64


def certainty_penalty(release):
    """The mean loss of a cell: 0 nothing, 1 everything (GCP). Records that are not published lose all."""
    rows, columns = len(release.records), len(release.columns)
    lost = sum(cells.losses[cells.cell_of].sum() for cells in release.columns) + release.lost * columns
    return lost / ((rows + release.lost) * columns)


def classes(release):
    """(the cells of each class by column, how many records it has)."""
    table = numpy.stack([cells.cell_of for cells in release.columns], axis=1)
    return numpy.unique(table, axis=0, return_counts=True)


def discernibility(release):
    """The number of records that look like a record, summed over the records. A record that is suppressed
    looks like all of them."""
    rows = len(release.records) + release.lost
    found, sizes = classes(release)
    hidden = numpy.ones(len(found), dtype=bool)
    for column, cells in enumerate(release.columns):
        hidden &= cells.losses[found[:, column]] >= 1
    return int((sizes[~hidden] ** 2).sum() + (sizes[hidden].sum() + release.lost) * rows)


def draw_counts(columns, number, draws):
    """Counts with conditions on two or three columns: an interval of numbers, or of categories in the order
    of the hierarchy if there are many; of few categories, each with a probability of a half. Each is true of
    a thousandth of the records at least. → [([(column, condition by code)], how many records)]."""
    rows, found = len(columns[0].codes), []
    while len(found) < number:
        chosen = draws.choice(len(columns), size=draws.integers(2, MOST_COLUMNS + 1), replace=False)
        conditions, fits = [], numpy.ones(rows, dtype=bool)
        for at in sorted(chosen.tolist()):
            column = columns[at]
            values = len(column.values)
            if column.is_number or values > MANY_VALUES:
                low, high = sorted(draws.integers(0, values, size=2).tolist())
                condition = numpy.zeros(values, dtype=bool)
                condition[low : high + 1] = True
            else:
                condition = draws.random(values) < 0.5
            conditions.append((at, condition))
            fits &= condition[column.codes]
        if fits.sum() >= LEAST_SHARE * rows:
            found.append((conditions, int(fits.sum())))
    return found


def count_error(release, counts):
    """The mean of |answer − truth| ÷ truth. Each record counts with the share of the values of its cells for
    which the conditions hold, as if the values of a cell were equally likely and columns independent."""
    found, sizes = classes(release)
    errors = []
    for conditions, truth in counts:
        weights = sizes.astype(float)
        for at, condition in conditions:
            cells = release.columns[at]
            holds = numpy.add.reduceat(condition[cells.members].astype(float), cells.starts[:-1])
            weights *= (holds / numpy.diff(cells.starts))[found[:, at]]
        errors.append(abs(weights.sum() - truth) / truth)
    return float(numpy.mean(errors))


def accuracy(release, columns, is_first, folds=5):
    """Naive Bayes with Laplace's correction: four fifths of the release train it, the raw records of the last
    fifth test it. A cell counts for each of its values with an equal share."""
    right = 0
    fold_of = numpy.arange(len(is_first)) % folds
    for fold in range(folds):
        is_training = fold_of[release.records] != fold
        first = is_first[release.records]
        tested = numpy.flatnonzero(fold_of == fold)
        scores = numpy.zeros((len(tested), 2))
        for kind in (0, 1):
            chosen = is_training & (first == bool(kind))
            scores[:, kind] = numpy.log((chosen.sum() + 1) / (is_training.sum() + 2))
            for column, cells in zip(columns, release.columns, strict=True):
                per_cell = numpy.bincount(cells.cell_of[chosen], minlength=len(cells.starts) - 1)
                sizes = numpy.diff(cells.starts)
                weights = numpy.bincount(
                    cells.members, numpy.repeat(per_cell / sizes, sizes), minlength=len(column.values)
                )
                likely = (weights + 1) / (weights.sum() + len(column.values))
                scores[:, kind] += numpy.log(likely[column.codes[tested]])
        right += int(((scores[:, 1] > scores[:, 0]) == is_first[tested]).sum())
    return right / len(is_first)
