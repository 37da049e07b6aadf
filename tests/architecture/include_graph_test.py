#!/usr/bin/env python3
"""Refuses any include edge that docs/architecture.md does not allow.

Also: each header compiles alone, each source file belongs to a target, no file is too long. Reads the tree it stands
in; needs nothing but Python, and a C++ compiler for the headers that no source file includes first. Prints what is
wrong with file and line, then 'N passed, N failed'.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["common", "policy", "rewriter", "engine", "proxy/wire", "proxy/session", "proxy/net", "proxy/admin", "db", "cli"]
EVERYTHING = set(FOLDERS)

# folder → folders, or single headers of folders, that it may include beside itself.
MAY_INCLUDE = {
    "common": set(),
    "policy": {"common"},
    "engine": {"common"},
    "rewriter": {"common", "policy"},
    "proxy/wire": {"common"},
    "proxy/session": {"common", "proxy/wire", "proxy/admin/console.hpp", "rewriter/pipeline.hpp",
                      "rewriter/search_path.hpp", "rewriter/session_settings.hpp"},
    "proxy/admin": {"common", "policy", "proxy/wire"},  # policy: SHOW TREE and its like format its values
    "proxy/net": {"common", "proxy/wire", "proxy/session", "proxy/admin"},
    "db": {"common", "policy", "rewriter", "engine"},
    "cli": EVERYTHING,
}

# header prefix → folders or files behind whose door the library stays. A library that is not listed is refused.
DOORS = {
    "boost/asio": {"proxy/net", "cli"},
    "boost/beast": {"proxy/net", "cli"},
    "boost/json": {"policy", "cli"},
    "boost/system": EVERYTHING,
    "boost/assert": {"common"},
    "fmt/": EVERYTHING,
    "pqxx": {"db"},
    "libpq-fe.h": {"db"},
    "pg_query": {"rewriter/pg"},
    "protobuf-c": {"rewriter/pg"},
    "xxhash.h": {"rewriter", "cli"},
    "yaml-cpp/": {"common/yaml.cpp"},
    "spdlog/": {"common/log.cpp"},
    "oneapi/tbb/": {"common/workers.cpp"},
    "CLI/": {"cli"},
    "openssl/": {"policy", "proxy/session", "proxy/net", "cli"},
}

# Values and functions only: no input or output, no clock, no thread, no randomness (invariant 3).
PURE_FOLDERS = ["policy", "rewriter", "engine", "proxy/wire", "proxy/session"]
IMPURE_HEADERS = {"chrono", "ctime", "time.h", "fstream", "iostream", "filesystem", "cstdio", "stdio.h", "thread",
                  "unistd.h", "fcntl.h", "condition_variable", "future"}
# Seeded generators are values; these are not.
IMPURE_NAMES = re.compile(r"\b(random_device|system_clock|steady_clock|getenv|std::rand|srand)\b")
SYSTEM_CALL_FOLDERS = {"proxy/net", "cli", "db", "common"}

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
    return header.startswith(("sys/", "netinet/", "arpa/")) or header in ("unistd.h", "fcntl.h", "signal.h", "pwd.h",
                                                                          "termios.h", "poll.h", "pthread.h", "glob.h", "spawn.h")


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


def check_verifiers():
    """What verifies a rewrite knows nothing of how it was made: neither the passes nor the printer."""
    makers = {"rewriter/resolve", "rewriter/pg/print.hpp", "rewriter/pg/writer.hpp", "rewriter/pg/build.hpp"}
    for path in (ROOT / "rewriter").glob("verify*.[ch]pp"):
        may = {"rewriter/pg/print.hpp", "rewriter/pg/build.hpp"} if path.name == "verify_mask.cpp" else set()
        for number, _, header in includes(path):
            if is_in(header, makers - may):
                yield f"{name_of(path)}:{number}: a verifier may not include {header}"


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
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", str(ROOT), "-include", header,
               "-x", "c++", os.devnull]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return header, [] if result.returncode == 0 else [f"{header} does not compile alone:\n{result.stderr[:2000]}"]


def checks():
    """(name, problems) of every check."""
    for folder in FOLDERS:
        yield f"include edges of {folder}", list(check_own_edges(folder))
        yield f"third-party doors of {folder}", list(check_doors(folder))
        yield f"sources of {folder} are built", list(check_targets(folder))
        yield f"headers of {folder} say what they are for", list(check_pragma_once(folder))
    for folder in PURE_FOLDERS:
        yield f"purity of {folder}", list(check_purity(folder))
    yield "verifiers share no code with the passes", list(check_verifiers())
    yield "file lengths", list(check_lengths())
    headers = [name_of(path) for folder in FOLDERS for path in sources(folder) if path.suffix == ".hpp"]
    yield "the tree has headers and sources", [] if len(headers) > 10 else ["the tree looks empty: wrong root?"]
    proven = headers_included_first()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for header, problems in pool.map(compile_alone, [header for header in headers if header not in proven]):
            yield f"{header} compiles alone", problems


def main():
    passed = failed = 0
    for name, problems in checks():
        if problems:
            failed += 1
            print(f"FAILED {name}")
            for problem in problems:
                print(f"  {problem}")
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
