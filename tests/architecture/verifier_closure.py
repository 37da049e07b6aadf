"""What the verifier shares with the maker of masks: the parser and plain values, nor anything else behind a
header.

The verifier is rewriter/verify. Its closure is every header that these files include, directly or through
others, and for a header whose functions it may call also the source file of the same name, with what that
includes in turn. Each file of the closure must be listed here. Of a header that is listed for its types
alone, no function may be named in the verifier's files, and what these declare they define. """
import pathlib
import re
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')

# Values with code of their own: parser and trees, look-ups in lists and in the values that a verdict depends
# on, what a level is.
WITH_CODE = [
    "pg/arena.hpp",
    "pg/ast.hpp",
    "pg/complexity.hpp",
    "pg/equal.hpp",
    "pg/fields.hpp",
    "pg/parse.hpp",
    "pg/plain_numbers.hpp",
    "pg/tokens.hpp",
    "rewriter/lists/functions.hpp",
    "rewriter/lists/node_fields.hpp",
    "rewriter/lists/null_functions.hpp",
    "rewriter/lists/own_rows.hpp",
    "rewriter/lists/quoting_index.hpp",
    "rewriter/lists/system_catalogs.hpp",
    "rewriter/lists/function_access.hpp",
    "rewriter/lists/session_settings.hpp",
    "rewriter/lists/supported_server.hpp",
    "rewriter/catalog/catalog.hpp",
    "rewriter/snapshot/snapshot.hpp",
    "policy/level/level.hpp",
    "policy/level/level_date.hpp",
    "policy/level/level_number.hpp",
]

# Headers of which the verifier uses the types and constants only: their functions count, build, read or
# write.
TYPES_ONLY = [
    "rewriter/catalog/access.hpp",
    "rewriter/catalog/built_table.hpp",
    "rewriter/catalog/candidate.hpp",
    "rewriter/mask/mask.hpp",
    "rewriter/mask/mask_form.hpp",
    "rewriter/catalog/own_schema.hpp",
    "rewriter/catalog/search_path.hpp",
    "rewriter/mask/table_guard.hpp",
    "rewriter/snapshot/own_relation_name.hpp",
    "rewriter/statement/notice.hpp",
    "policy/spec/constraint.hpp",
    "policy/counts/counts.hpp",
    "policy/counts/counts_view.hpp",
    "policy/tree/disclosure.hpp",
    "policy/level/enum_label.hpp",
    "policy/spec/growth.hpp",
    "policy/release/lineage.hpp",
    "policy/spec/spec.hpp",
    "policy/tree/tree.hpp",
    "policy/utility/answer_error.hpp",
    "policy/utility/implied_columns.hpp",
    "policy/utility/utility.hpp",
    "policy/version/version.hpp",
]

# Files that no header names but that are compiled into a listed one.
DATA = [f"rewriter/lists/pg{major}_functions.inc" for major in (15, 16, 17, 18)]

SHARED_BY_ALL = "common/"

LITERAL_OR_COMMENT = re.compile(r"""//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""")


def verifier_files(root):
    return sorted(path.relative_to(root).as_posix() for path in (root / "rewriter/verify").glob("*.[ch]pp"))


def is_verifiers(name):
    return name.startswith("rewriter/verify/")


def own_includes(root, name):
    """The files of the tree that this one includes, with line numbers."""
    for number, line in enumerate((root / name).read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match and (root / match.group(1)).exists():
            yield number, match.group(1)


def functions(text):
    """Names of the functions outside of classes: (those that are only declared, those that are defined)."""
    code = LITERAL_OR_COMMENT.sub("", text)
    declared, defined, depth, statement = set(), set(), 0, ""
    for char in code:
        if char == "{":
            # Namespaces do not hide what is in them.
            depth += 0 if re.search(r"\bnamespace\b[^;{}]*$", statement) else 1
            if depth == 1:
                defined |= named_in(statement)
            statement = ""
        elif char == "}":
            depth = max(0, depth - 1)
            statement = ""
        elif char == ";":
            if depth == 0:
                declared |= named_in(statement)
            statement = ""
        else:
            statement += char
    return declared, defined


def declared_functions(text):
    declared, defined = functions(text)
    return declared | defined


def named_in(statement):
    """{"f"} for `[[nodiscard]] Result<int> f(int a)`; nothing for types, variables and what has a body in a
    class."""
    statement = re.sub(r"^\s*#.*$", "", statement, flags=re.MULTILINE)
    statement = re.sub(r"\[\[\w+\]\]|\boperator\b.*", "", statement, flags=re.DOTALL).strip()
    if re.match(r"(?:template\s*<[^>]*>\s*)?(?:struct|class|enum|union|using|static_assert)\b", statement):
        return set()
    match = re.match(r"[^=(]*?\b(\w+)\s*\(", statement)
    return {match.group(1)} if match and " " in statement[:match.start(1)] else set()


def closure(root):
    """(name of each file of the closure) → (the file and the line that brought it in)."""
    came_from = {name: None for name in verifier_files(root)}
    todo = list(came_from)
    while todo:
        name = todo.pop()
        for number, header in own_includes(root, name):
            implementation = header.removesuffix(".hpp") + ".cpp"
            has_code = header in WITH_CODE and (root / implementation).exists()
            for found in [header, implementation] if has_code else [header]:
                if found not in came_from:
                    came_from[found] = f"{name}:{number}"
                    todo.append(found)
    return came_from


def way_to(name, came_from):
    """How a file came into the closure: "rewriter/verify/verify.cpp:9 → rewriter/snapshot/snapshot.hpp"."""
    steps = [name]
    while came_from[name.rsplit(":", 1)[0]] is not None:
        name = came_from[name.rsplit(":", 1)[0]]
        steps.insert(0, name)
    return " → ".join(steps)


def problems(root):
    with_code = set(WITH_CODE) | {name.removesuffix(".hpp") + ".cpp" for name in WITH_CODE}
    listed = with_code | set(TYPES_ONLY) | set(DATA)
    came_from = closure(root)
    for name in sorted(came_from):
        if not is_verifiers(name) and name not in listed and not name.startswith(SHARED_BY_ALL):
            yield f"{way_to(name, came_from)}: the verifier may not reach {name}"
    own = {name: functions((root / name).read_text()) for name in verifier_files(root)}
    defined = set().union(*(names for _, names in own.values()))
    for name, (declared, _) in own.items():
        for function in sorted(declared - defined):
            yield f"{name}: the verifier declares {function}(), but somebody else defines it"
    for header in TYPES_ONLY:
        if header not in came_from:
            continue
        for function in sorted(declared_functions((root / header).read_text())):
            for name in verifier_files(root):
                for number, line in enumerate((root / name).read_text().splitlines(), 1):
                    # A method of a value only shares the name.
                    if re.search(rf"(?<![\w.>]){function}\(", line.split("//")[0]):
                        yield (f"{name}:{number}: the verifier may use the types of {header}, "
                               f"but calls {function}()")


FINE = {
    "rewriter/verify/verify.hpp": '#include "rewriter/snapshot/snapshot.hpp"\nbool verify(const Snapshot& snapshot);\n',
    "rewriter/verify/verify.cpp": (
        '#include "rewriter/verify/verify.hpp"\n'
        "bool verify(const Snapshot& snapshot) { return snapshot.tree.nodes; }\n"
    ),
    "rewriter/snapshot/snapshot.hpp": '#include "policy/tree/tree.hpp"\nstruct Snapshot { Tree tree; };\n',
    "rewriter/snapshot/snapshot.cpp": '#include "rewriter/snapshot/snapshot.hpp"\n',
    "policy/tree/tree.hpp": (
        "namespace policy {\nstruct Tree {\n  int nodes;\n  int size() const;\n};\n"
        "// Builds one.\n[[nodiscard]] Tree build_tree(int counts);\n}\n"
    ),
    "policy/tree/tree.cpp": '#include "policy/tree/tree.hpp"\n#include "policy/builder/peeler.hpp"\n',
    "policy/builder/peeler.hpp": "int peel();\n",
    "rewriter/mask/masks.hpp": "int compile_mask();\n",
}
MASKS = '#include "rewriter/mask/masks.hpp"\n'

# What someone may do to the tree above: lines that are added to files → what must be found; empty: nothing
# may.
TRIALS = {
    "a tree in order": ({}, ""),
    "the maker's header in a verifier": (
        {"rewriter/verify/verify.cpp": MASKS},
        "may not reach rewriter/mask/masks.hpp",
    ),
    "the maker's header through a value's": (
        {"rewriter/snapshot/snapshot.hpp": MASKS},
        "rewriter/verify/verify.hpp:1 → rewriter/snapshot/snapshot.hpp:3 → rewriter/mask/masks.hpp: the verifier may not reach",
    ),
    "the maker's header through a value's source file": (
        {"rewriter/snapshot/snapshot.cpp": MASKS},
        "may not reach rewriter/mask/masks.hpp",
    ),
    "the maker's header through a verifier's own": (
        {"rewriter/verify/verify_names.hpp": MASKS},
        "may not reach rewriter/mask/masks.hpp",
    ),
    "a value that nobody has listed": (
        {"rewriter/verify/verify.cpp": '#include "rewriter/extra.hpp"\n', "rewriter/extra.hpp": ""},
        "may not reach rewriter/extra.hpp",
    ),
    "a function of a header that is there for its types": (
        {"rewriter/verify/verify.cpp": "int x = policy::build_tree(1).nodes;\n"},
        "calls build_tree()",
    ),
    "a function of the maker's without its header": (
        {"rewriter/verify/verify.cpp": "int compile_mask();\nint x = compile_mask();\n"},
        "declares compile_mask(), but somebody else defines it",
    ),
    "a method of the same name, and a comment": (
        {"rewriter/verify/verify.cpp": "int x = value.build_tree(1);  // build_tree(1)\n"},
        "",
    ),
}


def trials():
    """(what was tried, problems): each trial on a small tree of its own."""
    for what, (added, expected) in TRIALS.items():
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in {**FINE, **added}:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(FINE.get(name, "") + added.get(name, ""))
            found = list(problems(root))
        is_right = any(expected in problem for problem in found) if expected else not found
        yield what, [] if is_right else [f"expected {expected or 'nothing'}, found {found or 'nothing'}"]
