"""psql as a client, with a time limit."""
import os
import subprocess

SECONDS = 90


def psql(port, database, user, *commands, options=(), password=None, settings=None, stdin=None,
         more=""):
    """Runs `psql -c` for each command, unaligned; → CompletedProcess. more: further words of the
    connection."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    environment |= {"PGCONNECT_TIMEOUT": "60", "PGPASSWORD": password or "", "PGOPTIONS": settings or ""}
    arguments = ["psql", "-X", "-q", "-A", "-F", "|", "-P", "null=<null>", *options, "-d",
                 f"host=127.0.0.1 port={port} user='{user}' dbname='{database}' {more}"]
    for command in commands:
        arguments += ["-c", command]
    return subprocess.run(arguments, capture_output=True, text=True, timeout=SECONDS, env=environment,
                          input=stdin, stdin=None if stdin is not None else subprocess.DEVNULL)
