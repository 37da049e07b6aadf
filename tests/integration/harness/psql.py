"""psql as a client, with a time limit."""
import os
import subprocess

SECONDS = 30


def psql(port, database, user, *commands, options=(), password=None, settings=None, stdin=None):
    """Runs `psql -c` for each command, unaligned; → CompletedProcess."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    environment |= {"PGCONNECT_TIMEOUT": "10", "PGPASSWORD": password or "", "PGOPTIONS": settings or ""}
    arguments = ["psql", "-X", "-q", "-A", "-F", "|", "-P", "null=<null>", *options, "-h", "127.0.0.1",
                 "-p", str(port), "-U", user, "-d", database]
    for command in commands:
        arguments += ["-c", command]
    return subprocess.run(arguments, capture_output=True, text=True, timeout=SECONDS, env=environment,
                          input=stdin, stdin=None if stdin is not None else subprocess.DEVNULL)
