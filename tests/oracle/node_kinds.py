"""Which kinds of parse tree nodes some statements have; the program node_kinds of the dev build counts
them."""
import collections
import subprocess

from harness.runner import REPOSITORY

CHUNK = 2000


def program():
    return REPOSITORY / "build" / "dev" / "tests" / "oracle" / "node_kinds"


def count(statements):
    """→ {"AExpr": 12, "AExpr.lexpr": 11, "AExpr.kind=1": 9, …}"""
    found = collections.Counter()
    for start in range(0, len(statements), CHUNK):
        text = "\0".join(statements[start:start + CHUNK])
        done = subprocess.run([program()], input=text.encode(), capture_output=True, timeout=600, check=True)
        for line in done.stdout.decode().splitlines():
            what, _, number = line.rpartition(" ")
            found[what] += int(number)
    return found


def listed():
    """What the verifier may let through."""
    return set(subprocess.run([program(), "--listed"], capture_output=True, text=True, timeout=60, check=True)
               .stdout.split())
