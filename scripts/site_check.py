#!/usr/bin/python3
"""check.py FOLDER: reads the built site as a browser would. Each link leads to a file and its anchor to a
heading; nothing is loaded from another host; each page can be reached from the navigation."""

import html.parser
import pathlib
import sys
import urllib.parse

LOADS = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
ALIASES = ("canonical", "next", "prev", "search")  # kinds of <link> that load nothing


class Reader(html.parser.HTMLParser):
    """The ids, the links and the loaded files of one page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads, self.in_navigation = {""}, [], [], []
        self._navigations = 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.ids |= {named[key] for key in ("id", "name") if named.get(key)}
        self._navigations += tag == "nav"
        if tag == "a" and named.get("href"):
            self.links.append(named["href"])
            # A page's own contents are a navigation as well.
            if self._navigations and not named["href"].startswith("#"):
                self.in_navigation.append(named["href"])
        if named.get(LOADS.get(tag)) and named.get("rel") not in ALIASES:
            self.loads.append(named[LOADS[tag]])

    def handle_endtag(self, tag):
        self._navigations -= tag == "nav"


def is_elsewhere(address):
    parts = urllib.parse.urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in ("", "data")


def target(page, address):
    """→ the file and the anchor that an address on this page leads to."""
    parts = urllib.parse.urlsplit(address)
    path = urllib.parse.unquote(parts.path)
    file = (page.parent / path).resolve() if path else page
    return (file / "index.html" if file.is_dir() else file), urllib.parse.unquote(parts.fragment)


def of_page(page, read, pages):
    """What is wrong with the links and the loaded files of one page."""
    for each in filter(is_elsewhere, read.loads):
        yield f"loads {each} from another host"
    for address in (each for each in [*read.links, *read.loads] if not is_elsewhere(each)):
        file, anchor = target(page, address)
        if not file.exists():
            yield f"{address} leads to no file"
        elif file in pages and not anchor.startswith("__") and anchor not in pages[file].ids:
            yield f"{address} leads to no heading"


def problems(folder):
    """→ of each page, by its name, what is wrong with it."""
    pages = {path: Reader(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))
             if path.name != "404.html"}
    reached = {target(page, each)[0] for page, read in pages.items()
               for each in read.in_navigation if not is_elsewhere(each)}
    found = {}
    for page, read in pages.items():
        name = page.relative_to(folder)
        found[str(name)] = list(of_page(page, read, pages))
        if page not in reached and name.parts[0] != "repository":
            found[str(name)].append("the navigation in mkdocs.yml leaves it out")
    return found


def main():
    found = problems(pathlib.Path(sys.argv[1]).resolve())
    for page, lines in found.items():
        print(*(f"{page}: {line}" for line in lines), sep="\n", end="\n" if lines else "")
    failed = sum(bool(lines) for lines in found.values())
    print(f"{len(found) - failed} passed, {failed} failed")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
