"""The table of drivers that the tests on a cluster publish, its job, and the files of both."""
import csv
import glob

COUNTRIES = ["Italy", "France", "Spain", "Canada", "USA", "Mexico"]
JOB = """version: 1
name: drivers
input: {{file: drivers.csv{null}}}
attributes:
  id: {{class: insensitive}}
  name: {{class: identifier}}
  age: {{class: quasi_identifier, {age}}}
  country: {{class: quasi_identifier, hierarchy: {{tree: {{Europe: [Italy, France, Spain], America: [Canada, USA, Mexico]}}}}}}
  speed: {{class: sensitive, {models}}}
k: {k}
{algorithm}
seed: 5
output: {{file: out}}
"""


def job_text(k=5, l=2, age="numeric: true", mondrian="cuts: strict", null="", entropy="", algorithm=None,
             models=None):
    if algorithm is None:
        algorithm = f"algorithm: mondrian\nmondrian: {{{mondrian}}}"
    if models is None:
        models = f"l_diversity: {{distinct: {l}{entropy}}}"
    return JOB.format(k=k, age=age, algorithm=algorithm, null=null, models=models)


def drivers(count=3000):
    return [
        {
            "id": str(i),
            "name": f"n{i}",
            "age": str(18 + i * 37 % 61),
            "country": COUNTRIES[i * 7 % 11 % 6],
            "speed": str(100 + i * 13 % 9),
        }
        for i in range(count)
    ]


def write_csv(path, rows, columns=None):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns or list(rows[0]), extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_csv(folder):
    rows = []
    for name in sorted(glob.glob(f"{folder}/part-*.csv")):
        with open(name, newline="", encoding="utf-8") as file:
            rows += list(csv.DictReader(file))
    return rows
