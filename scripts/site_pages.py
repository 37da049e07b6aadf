"""Gathers the pages of the site in one folder: those of docs/, the files elsewhere in the repository that they
link to, and the reference pages that are made from other files. Comments in the source are left out."""

import pathlib
import posixpath
import re
import shutil

import site_reference

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
ELSEWHERE = "repository"  # the folder of the site for files outside docs/
LINK = re.compile(r"(\]\(\s*<?)([^()\s<>]+)(>?(?:\s+\"[^\"]*\")?\s*\))")
OTHER_SITE = re.compile(r"^([a-z][a-z0-9+.-]*:|#)", re.IGNORECASE)
COMMENT = re.compile(r"^<!--.*?-->\n?", re.DOTALL | re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1\s*?$", re.DOTALL | re.MULTILINE)
PSQL = re.compile(r"^[a-z_]+=[>#] ", re.MULTILINE)
MADE = {"reference/command-line.md": site_reference.command_line, "reference/api.md": site_reference.api}


def site_path(name):
    """Where the file of this name in the repository is on the site. What is not a page is shown as text."""
    if name.startswith("docs/"):
        return name[len("docs/"):]
    return f"{ELSEWHERE}/{name}" if name.endswith((".md", ".png", ".svg")) else f"{ELSEWHERE}/{name}.txt"


def coloured(block):
    """A block in which somebody uses psql, named so that its statements get colours as well."""
    is_psql = block.startswith("```console\n") and PSQL.search(block)
    return block.replace("```console", "```postgres-console", 1) if is_psql else block


def outside_fences(text, change):
    """The text, with `change` done to what is not in a fenced block."""
    parts, end = [], 0
    for block in FENCE.finditer(text):
        parts += [change(text[end:block.start()]), coloured(block.group(0))]
        end = block.end()
    return "".join([*parts, change(text[end:])])


def linked_page(name, text):
    """→ the text with links for the site, and the names of the files outside docs/ that it links to."""
    others = set()

    def relink(match):
        target, mark, anchor = match.group(2).partition("#")
        if OTHER_SITE.match(match.group(2)):
            return match.group(0)
        file = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
        if not file.startswith("docs/") and (ROOT / file).is_file():
            others.add(file)
        base = posixpath.dirname(site_path(name))
        return match.group(1) + posixpath.relpath(site_path(file), base) + mark + anchor + match.group(3)

    def change(part):
        return LINK.sub(relink, COMMENT.sub("", part))

    return outside_fences(text, change), others


def contents():
    """(path on the site, text or the file to copy) of everything."""
    todo = [path.relative_to(ROOT).as_posix() for path in sorted(DOCS.rglob("*")) if path.is_file()]
    seen = set(todo)
    while todo:
        name = todo.pop()
        if not name.endswith(".md"):
            yield site_path(name), ROOT / name
            continue
        text, others = linked_page(name, (ROOT / name).read_text(encoding="utf-8"))
        todo += sorted(others - seen)
        seen |= others
        yield site_path(name), text
    for name, make in MADE.items():
        yield name, make(DOCS)


def put(path, content):
    """Writes only what differs, so that a server that watches the folder does not build for ever."""
    new = content.read_bytes() if isinstance(content, pathlib.Path) else content.encode()
    if not path.exists() or path.read_bytes() != new:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(new)


def gather(folder):
    wanted = set()
    for name, content in contents():
        wanted.add(folder / name)
        put(folder / name, content)
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file() and path not in wanted:
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            shutil.rmtree(path)
