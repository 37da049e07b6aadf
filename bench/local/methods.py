"""The data sets that are published, and the ways to publish them, as jobs of `pgveil anonymize`."""

import pathlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Set:
    """predicted: the column of the model. question: what it tells about a record, in words. is_first: from
    the column's values, whether each record is of the first class."""

    name: str
    columns: tuple
    numbers: tuple
    predicted: str
    question: str
    is_first: callable


def above_median(values):
    middle = sorted(map(float, values))[len(values) // 2]
    return [float(value) > middle for value in values]


SETS = (
    Set(
        "adult",
        ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation",
         "salary-class"),
        ("age",),
        "salary-class",
        "the salary class",
        lambda values: [value == ">50K" for value in values],
    ),
    Set(
        "cup",
        ("ZIP", "AGE", "GENDER", "INCOME", "STATE", "RAMNTALL", "NGIFTALL", "MINRAMNT"),
        ("AGE", "INCOME", "RAMNTALL", "NGIFTALL", "MINRAMNT"),
        "RAMNTALL",
        "whether RAMNTALL is above its median",
        above_median,
    ),
)  # fmt: skip

FREE_SUPPRESSION = "suppression: 99%\ngs: 0\n"
# Name → (lines of the job, whether numbers are cut as numbers).
METHODS = {
    "full domain, nothing suppressed": ("algorithm: best_first\n", False),
    "full domain, 5 % suppressed": ("algorithm: best_first\nsuppression: 5%\n", False),
    "local recoding, 1 % a step": (FREE_SUPPRESSION + "local_recoding: {least: 1%}\n", False),
    "local recoding, 0.3 % a step": (FREE_SUPPRESSION + "local_recoding: {least: 0.3%}\n", False),
    "Mondrian that resists attacks": ("algorithm: mondrian\nresist: [downcoding]\n", True),
    "Mondrian": ("algorithm: mondrian\n", True),
    "Mondrian, sets": ("algorithm: mondrian\nmondrian: {ranges: sets}\n", True),
    "least loss, ancestors": ("algorithm: least_loss\nleast_loss: {ranges: tight}\n", True),
    "least loss": ("algorithm: least_loss\n", True),
}


def job(datasets, data, columns, method, k, folder):
    """The text of a job that publishes `columns` of a set as quasi-identifiers, and everything else as it is.
    The input has a column `record` with the number of each record."""
    lines, cuts_numbers = METHODS[method]
    text = f"version: 1\nname: local\ninput: {{file: {folder}/{data.name}.csv, separator: ';'}}\n"
    text += "attributes:\n  record: {class: insensitive}\n"
    for column in data.columns:
        if column not in columns:
            text += f"  {column}: {{class: insensitive}}\n"
        elif cuts_numbers and column in data.numbers:
            text += f"  {column}: {{class: quasi_identifier, numeric: true}}\n"
        else:
            rows = f"{{file: '{hierarchy(datasets, data, column)}', separator: ';'}}"
            text += f"  {column}: {{class: quasi_identifier, hierarchy: {rows}}}\n"
    text += f"k: {k}\n{lines}limits: {{threads: 2}}\nseed: 1\n"
    return text + f"output: {{file: {folder}/published.csv, separator: ';', replace: true}}\n"


def hierarchy(datasets, data, column):
    return pathlib.Path(datasets) / "hierarchies" / f"{data.name}_hierarchy_{column}.csv"
