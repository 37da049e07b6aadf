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
            if self._navigations:
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


def problems(folder):
    pages = {path: Reader(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))
             if path.name != "404.html"}
    reached = set()
    for page, read in pages.items():
        where = page.relative_to(folder)
        yield from (f"{where}: loads {each} from another host" for each in read.loads if is_elsewhere(each))
        for address in (each for each in [*read.links, *read.loads] if not is_elsewhere(each)):
            file, anchor = target(page, address)
            if not file.exists():
                yield f"{where}: {address} leads to no file"
            elif file in pages and not anchor.startswith("__") and anchor not in pages[file].ids:
                yield f"{where}: {address} leads to no heading"
        reached |= {target(page, each)[0] for each in read.in_navigation if not is_elsewhere(each)}
    for page in pages:
        if page not in reached and page.relative_to(folder).parts[0] != "repository":
            yield f"{page.relative_to(folder)}: the navigation in mkdocs.yml leaves it out"
    if len(pages) < 20:
        yield f"only {len(pages)} pages were built"


def main():
    found = list(problems(pathlib.Path(sys.argv[1]).resolve()))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(found)} problems in the site" if found else "every link of the site leads somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
