"""The reference pages that are made from other files: the command line from docs/pgveil.1, which pgveil prints
itself, and the API of the web page from docs/openapi.yaml."""

import html
import re

import yaml

METHODS = ("get", "put", "post", "delete", "patch")


def unescaped(text):
    """The text of one line of a manual page."""
    return re.sub(r"\\(.)", lambda found: {"e": "\\", "&": ""}.get(found[1], found[1]), text)


def command_line(docs):
    """A small part of man(7), which is all that `pgveil man-page` writes."""
    lines = ["# Command line", "", "`pgveil man-page` prints the same as a manual page: `man pgveil`.", ""]
    is_term = is_example = False
    for line in (docs / "pgveil.1").read_text(encoding="utf-8").splitlines():
        word, _, rest = line.partition(" ")
        if word in (".TH", r".\""):
            continue
        if word == ".SH":
            lines += ["", f"## {unescaped(rest).capitalize()}", ""]
        elif word == ".SS":
            lines += ["", f"### {unescaped(rest)}", ""]
        elif word == ".nf":
            is_example = True
            lines += ["", "```console"]
        elif word == ".fi":
            is_example = False
            lines += ["```", ""]
        elif word in (".TP", ".PP", ".RS", ".RE"):
            is_term = word == ".TP"
            lines.append("")
        elif is_example:
            lines.append(unescaped(line))
        else:
            text = html.escape(unescaped(rest if word in (".B", ".I", ".BI", ".BR") else line), quote=False)
            text = re.sub(r"([*_|])", r"\\\1", text)
            lines.append(f"**{text.strip()}**<br>" if is_term else text)
            is_term = False
    return "\n".join(lines) + "\n"


def cell(text):
    return " ".join(html.escape(str(text), quote=False).split()).replace("|", "\\|")


def answers(operation):
    return ", ".join(sorted(str(status) for status in operation.get("responses", {})))


def inputs(shared, operation):
    """The names of what the caller sends: parameters, and the keys of the body."""
    names = [f"`{each.get('name', each.get('$ref', '').rpartition('/')[2])}`"
             for each in [*shared, *operation.get("parameters", [])]]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = content.get("schema", {})
        reference = schema.get("$ref", "").rpartition("/")[2]
        names += [f"`{name}`" for name in schema.get("properties", {})] or ([reference] if reference else [])
    return ", ".join(names)


def api(docs):
    text = (docs / "openapi.yaml").read_text(encoding="utf-8")
    described = yaml.safe_load(text)
    lines = [
        "# API of the web page", "", described["info"]["description"].replace("\n    ", "\n"), "",
        "This page lists every address. The file [openapi.yaml](../openapi.yaml) also has the schemas.", "",
        "| address | what it does | input | status |", "|---|---|---|---|",
    ]
    for path, operations in described["paths"].items():
        for method in METHODS:
            if operation := operations.get(method):
                address = f"{method.upper()} {path}".replace("{", "&#123;").replace("}", "&#125;")
                lines.append(f"| {cell(address).replace('&amp;', '&')} | {cell(operation.get('summary', ''))} | "
                             f"{inputs(operations.get('parameters', []), operation)} | {answers(operation)} |")
    return "\n".join(lines) + "\n"
