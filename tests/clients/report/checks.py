"""Prints a line of JSON for each check of a Python tool."""

import json
import os

URL = os.environ["CLIENT_URL"]
IS_POOLED = os.environ["CLIENT_IS_POOLED"] == "1"
HOST, PORT = os.environ["PGHOST"], int(os.environ["PGPORT"])


def put(**outcome):
    print(json.dumps(outcome, default=str), flush=True)


def check(name):
    """Runs the function at once; what it returns must be the same everywhere."""

    def decorate(function):
        try:
            value = json.loads(json.dumps(function(), default=str))
        except Exception as error:  # whatever a tool throws is its outcome
            put(check=name, error=f"{type(error).__name__}: {error}"[:1500])
        else:
            put(check=name, value=value)
        return function

    return decorate


def refused(name, because):
    """The function must fail, with a text that has `because` in it."""

    def decorate(function):
        try:
            function()
        except Exception as error:
            put(check=name, refused=because in str(error), error=str(error)[:1500])
        else:
            put(check=name, refused=False)
        return function

    return decorate


def rows(result):
    return [list(row) for row in result]
