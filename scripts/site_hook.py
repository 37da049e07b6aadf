"""What mkdocs.yml calls: gathers the pages before each build, and names headings as GitHub does."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import site_pages  # noqa: E402


def anchor(heading, separator):
    """As tests/architecture/doc_paths_test.py and GitHub have it, so that a link works in both places."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", separator)


def on_config(config):
    config["mdx_configs"].setdefault("toc", {})["slugify"] = anchor
    return config


def on_pre_build(config):
    site_pages.gather(pathlib.Path(config["docs_dir"]))
