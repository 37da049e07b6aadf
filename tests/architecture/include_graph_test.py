#!/usr/bin/env python3
"""Refuses any include edge that docs/architecture.md does not allow.

Also: each header compiles alone, each source file belongs to a target, no file is too long. Reads the tree it
stands in; needs nothing but Python, and a C++ compiler for the headers that no source file includes first.
Prints what is wrong with file and line, then 'N passed, N failed'. """
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import tally
import verifier_closure

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = [
    "common",
    "policy",
    "attack",
    "engine",
    "pg",
    "rewriter",
    "review",
    "draft",
    "console",
    "proxy/wire",
    "proxy/session",
    "proxy/net",
    "db",
    "settings",
    "jobs",
    "library",
    "daemon",
    "web/http",
    "web/api",
    "cli",
]
EVERYTHING = set(FOLDERS)

# folder → folders, or single headers of folders, that it may include beside itself. The order is that of
# FOLDERS: a folder includes only those that stand before it.
MAY_INCLUDE = {
    "common": set(),
    "policy": {"common"},
    "attack": {"common", "policy"},
    "engine": {"common"},
    "pg": {"common"},
    "rewriter": {"common", "policy", "pg"},
    "review": {"common", "policy", "rewriter"},
    "draft": {"common", "policy", "engine", "rewriter"},
    "console": {"common", "policy"},  # policy: SHOW TREE and its like format its values
    "proxy/wire": {"common"},
    "proxy/session": {
        "common",
        "proxy/wire",
        "console/console.hpp",
        "rewriter/pipeline/pipeline.hpp",
        "rewriter/catalog/search_path.hpp",
        "rewriter/lists/session_settings.hpp",
    },
    "proxy/net": {"common", "proxy/wire", "proxy/session", "console"},
    "db": {"common", "policy", "rewriter", "review", "engine"},
    "settings": {"common", "policy", "rewriter", "db", "proxy/session", "proxy/net"},
    "jobs": {"common", "policy", "engine", "db", "settings"},
    "library": {"common", "engine", "jobs"},
    "daemon": {
        "common",
        "policy",
        "attack",
        "engine",
        "pg",
        "rewriter",
        "review",
        "draft",
        "console",
        "proxy/session",
        "proxy/net",
        "db",
        "settings",
        "jobs",
    },
    "web/http": {"common", "console", "proxy/net"},
    "web/api": {
        "common",
        "policy",
        "engine",
        "rewriter",
        "draft",
        "console",
        "proxy/session",
        "proxy/net",
        "db",
        "settings",
        "jobs",
        "daemon",
        "web/http",
    },
    "cli": EVERYTHING,
}

# header prefix → folders or files behind whose door the library stays. A library that is not listed is
# refused.
DOORS = {
    "boost/asio": {"proxy/net", "web/http"},
    "boost/beast": {"web/http"},
    "boost/json": {"common", "policy", "attack", "jobs", "daemon/policies", "web/api"},
    "boost/system": EVERYTHING,
    "boost/assert": {"common"},
    "fmt/": EVERYTHING,
    "libpq-fe.h": {"db/server"},
    "pg_query": {"pg"},
    "protobuf-c": {"pg"},
    "xxhash.h": {"daemon/statements"},
    "yaml-cpp/": {"common/yaml.cpp"},
    "spdlog/": {"common/log.cpp"},
    "zlib.h": {"common/files"},
    "zstd.h": {"common/files"},
    "oneapi/tbb/": {"common/workers.cpp"},
    "z3++.h": {"attack/solver_z3.cpp"},
    "arrow/": {"jobs/columnar"},
    "parquet/": {"jobs/columnar"},
    "CLI/": {"cli"},
    "openssl/": {
        "common/sha256.cpp",
        "proxy/session",
        "proxy/net",
        "jobs/check",
        "jobs/input/random_secret.cpp",
        "web/http",
        "web/api",
        "cli/password_prompt.cpp",
    },
}

# Values and functions only: no input or output, no clock, no thread, no randomness (invariant 3).
PURE_FOLDERS = ["policy", "engine", "pg", "rewriter", "draft", "proxy/wire", "proxy/session"]
IMPURE_HEADERS = {
    "chrono",
    "ctime",
    "time.h",
    "fstream",
    "iostream",
    "filesystem",
    "cstdio",
    "stdio.h",
    "thread",
    "unistd.h",
    "fcntl.h",
    "condition_variable",
    "future",
}
# Seeded generators are values; these are not.
IMPURE_NAMES = re.compile(r"\b(random_device|system_clock|steady_clock|getenv|std::rand|srand)\b")
SYSTEM_CALL_FOLDERS = {
    "common",
    "proxy/net",
    "db",
    "settings",
    "jobs",
    "daemon",
    "web/http",
    "web/api",
    "cli",
}

MAX_LINES = 600
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def sources(folder):
    """The C++ files of a folder; subfolders that are folders of their own are not descended into."""
    top = ROOT / folder
    others = [ROOT / other for other in FOLDERS if other != folder and other.startswith(folder + "/")]
    for path in sorted(top.rglob("*")):
        if path.suffix in (".cpp", ".hpp") and not any(other in path.parents for other in others):
            yield path


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def is_in(name, places):
    return any(name == place or name.startswith(place.rstrip("/") + "/") for place in places)


def is_ours(header):
    return is_in(header, EVERYTHING) or header.startswith(("tests/", "bench/"))


def is_system_header(header):
    return header.startswith(("sys/", "netinet/", "arpa/")) or header in (
        "unistd.h",
        "fcntl.h",
        "signal.h",
        "pwd.h",
        "termios.h",
        "poll.h",
        "pthread.h",
        "glob.h",
        "spawn.h",
    )


def is_standard(header):
    return "/" not in header and not header.endswith(".h")


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def check_own_edges(folder):
    """A folder includes only folders below it, and spells our headers from the root, in quotes."""
    allowed = MAY_INCLUDE[folder] | {folder}
    for path in sources(folder):
        for number, quote, header in includes(path):
            where = f"{name_of(path)}:{number}"
            if is_ours(header) and not is_in(header, allowed):
                yield f"{where}: {folder} may not include {header}"
            if is_ours(header) and quote == "<":
                yield f"{where}: our header {header} in angle brackets"
            if quote == '"' and not is_ours(header):
                yield f"{where}: {header} is not spelled from the root of the repository"


def room_edges(edges):
    """The edges between rooms at every depth: a/b/c.cpp that includes x/y.hpp is an edge a/b → x, and one a →
    x."""
    for depth in range(1, 4):
        found = {}
        for path, header in edges:
            rooms = ["/".join(name.split("/")[:-1][:depth]) for name in (path, header)]
            if rooms[0] != rooms[1]:
                found.setdefault((rooms[0], rooms[1]), f"{path} includes {header}")
        yield depth, found


def circles(edges):
    """The edges between rooms from whose end a way leads back to their start: each is part of a circle."""
    below = {}
    for start, end in edges:
        below.setdefault(start, set()).add(end)
    for (start, end), why in sorted(edges.items()):
        seen, todo = {end}, [end]
        while todo:
            for room in below.get(todo.pop(), set()) - seen:
                seen.add(room)
                todo.append(room)
        if start in seen:
            yield f"{start} and {end} include each other, directly or through others: {why}"


def check_circles():
    """Rooms form floors at every depth: no folder includes, through others, a folder that includes it."""
    edges = [(name_of(path), header) for folder in FOLDERS for path in sources(folder)
             for _, _, header in includes(path) if is_ours(header)]
    for _, found in room_edges(edges):
        yield from circles(found)


CIRCLE_TRIALS = {
    "rooms in order": ([("a/x.cpp", "b/y.hpp"), ("b/y.cpp", "c/z.hpp"), ("a/x.cpp", "c/z.hpp")], 0),
    "two rooms that include each other": ([("a/x.cpp", "b/y.hpp"), ("b/y.cpp", "a/x.hpp")], 2),
    "a circle of three": ([("a/x.cpp", "b/y.hpp"), ("b/y.cpp", "c/z.hpp"), ("c/z.cpp", "a/x.hpp")], 3),
    "a circle of inner rooms": ([("a/i/x.cpp", "a/j/y.hpp"), ("a/j/y.cpp", "a/i/x.hpp")], 2),
    "a room and its inner room": ([("a/x.cpp", "a/i/y.hpp"), ("a/i/y.cpp", "a/x.hpp")], 2),
}


def try_circles(edges, expected):
    found = [problem for _, rooms in room_edges(edges) for problem in circles(rooms)]
    return [] if len(set(found)) == expected else [f"expected {expected} edges of a circle, found {found}"]


def check_doors(folder):
    """A third-party header is included only behind its door."""
    for path in sources(folder):
        for number, quote, header in includes(path):
            if quote == '"' or is_standard(header):
                continue
            where = f"{name_of(path)}:{number}"
            if is_system_header(header):
                if folder not in SYSTEM_CALL_FOLDERS:
                    yield f"{where}: {folder} makes no system calls, but includes {header}"
                continue
            door = next((places for prefix, places in DOORS.items() if header.startswith(prefix)), None)
            if door is None:
                yield f"{where}: {header} is of a library that tests/architecture does not know"
            elif not is_in(name_of(path), door):
                yield f"{where}: {header} belongs to {', '.join(sorted(door))}"


def check_purity(folder):
    """Folders of values and functions do no input or output and read no clock."""
    for path in sources(folder):
        for number, _, header in includes(path):
            if header in IMPURE_HEADERS:
                yield f"{name_of(path)}:{number}: {folder} is pure, but includes <{header}>"
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if match := IMPURE_NAMES.search(line.split("//")[0]):
                yield f"{name_of(path)}:{number}: {folder} is pure, but names {match[0]}"


def check_targets(folder):
    """Each source file is named in its folder's CMakeLists.txt, or nothing compiles it."""
    listing = ROOT / folder / "CMakeLists.txt"
    text = listing.read_text() if listing.exists() else ""
    for path in sources(folder):
        relative = path.relative_to(ROOT / folder).as_posix()
        if path.suffix == ".cpp" and not re.search(rf"(?<![\w/]){re.escape(relative)}(?![\w.])", text):
            yield f"{name_of(path)}: not in {folder}/CMakeLists.txt"


def check_lengths():
    """No file past MAX_LINES; tests, lists and generated tables may be longer."""
    paths = [path for folder in FOLDERS for path in sources(folder)]
    paths += [ROOT / "run", *sorted((ROOT / "scripts").glob("*"))]
    for path in paths:
        if "/lists/" in name_of(path):
            continue
        lines = len(path.read_text().splitlines())
        if lines > MAX_LINES:
            yield f"{name_of(path)}: {lines} lines; look for the second idea in it (limit {MAX_LINES})"


def check_pragma_once(folder):
    for path in sources(folder):
        if path.suffix == ".hpp" and not path.read_text().startswith("#pragma once\n//"):
            yield f"{name_of(path)}: a header starts with #pragma once and a comment that says what it is for"


def headers_included_first():
    """Headers proven by the build: a source file that includes one first would not compile otherwise."""
    proven = set()
    for folder in FOLDERS:
        for path in sources(folder):
            if path.suffix == ".cpp":
                first = next(includes(path), None)
                if first:
                    proven.add(first[2])
    return proven


def compile_alone(header):
    compiler = os.environ.get("CXX") or shutil.which("c++")
    command = [
        compiler,
        "-std=c++20",
        "-fsyntax-only",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-I",
        str(ROOT),
        "-include",
        header,
        "-x",
        "c++",
        os.devnull,
    ]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return header, (
        [] if result.returncode == 0 else [f"{header} does not compile alone:\n{result.stderr[:2000]}"]
    )


def checks():
    """(name, problems) of every check."""
    for folder in FOLDERS:
        yield f"include edges of {folder}", list(check_own_edges(folder))
        yield f"third-party doors of {folder}", list(check_doors(folder))
        yield f"sources of {folder} are built", list(check_targets(folder))
        yield f"headers of {folder} say what they are for", list(check_pragma_once(folder))
    yield "rooms form floors", list(check_circles())
    for what, (edges, expected) in CIRCLE_TRIALS.items():
        yield f"circles of rooms are seen: {what}", try_circles(edges, expected)
    for folder in PURE_FOLDERS:
        yield f"purity of {folder}", list(check_purity(folder))
    yield "the verifier shares the parser and plain values, and nothing else", list(
        verifier_closure.problems(ROOT)
    )
    for what, problems in verifier_closure.trials():
        yield f"what the verifier shares is seen: {what}", problems
    yield "file lengths", list(check_lengths())
    headers = [name_of(path) for folder in FOLDERS for path in sources(folder) if path.suffix == ".hpp"]
    yield "the tree has headers and sources", (
        [] if len(headers) > 10 else ["the tree looks empty: wrong root?"]
    )
    proven = headers_included_first()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for header, problems in pool.map(
            compile_alone, [header for header in headers if header not in proven]
        ):
            yield f"{header} compiles alone", problems


if __name__ == "__main__":
    sys.exit(tally.report(checks()))
