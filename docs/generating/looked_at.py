"""What is looked at once the site is built: links, requests to elsewhere, places of the machine, weight."""

import re
import urllib.parse
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from generating import places

LINKED = re.compile(r"""<(\w+)\b[^>]*?\s(?:xlink:)?(href|src|data|poster)=(["'])(.*?)\3""", re.S)
"""What leads elsewhere: element, attribute and address."""
FETCHED = {"src", "data", "poster"}
"""Attributes whose address a browser asks for by itself; of ``href`` those of ``link`` are, too."""
NAMES = re.compile(r"""\s(?:id|name)=(["'])(.*?)\1""")
NO_LINKS = re.compile(r"<script\b(?![^>]*\ssrc=).*?</script>|<!--.*?-->", re.S)
"""What scripts and comments hold."""
STYLED = re.compile(r"""(?:url\(\s*|@import\s+)["']?(https?:|//)""")


def connect(app: Any) -> None:
    """Have a site looked at when it is there; a fault is a warning, which ``-W`` makes an error."""
    app.connect("build-finished", _look)


def _look(app: Any, exception: Exception | None) -> None:
    if exception is not None or app.builder.name != "html":
        return
    from sphinx.util import logging  # tests look at pages without it

    logger = logging.getLogger(__name__)
    site = Path(app.outdir)
    pages = sorted(site.rglob("*.html"))
    links = 0
    for page in pages:
        for fault in faults(page, site):
            logger.warning("%s: %s", page.relative_to(site), fault)
        links += len(LINKED.findall(_text(page)))
    for style in site.rglob("*.css"):
        if STYLED.search(style.read_text(encoding="utf-8")):
            logger.warning("%s: asks for something from elsewhere", style.relative_to(site))
    heaviest = max(pages, key=lambda page: page.stat().st_size)
    print(
        f"{len(pages)} pages, {links:,} links; the heaviest page is {heaviest.relative_to(site)} "
        f"with {heaviest.stat().st_size / 1e6:.2f} MB"
    )


def faults(page: Path, site: Path) -> Iterator[str]:
    """Yield what is wrong with a page: dead links, what is fetched from elsewhere, where it was built."""
    for place in dict.fromkeys(places.shown(page.read_text(encoding="utf-8"))):
        yield f"shows a place of the machine that built it: {place}"
    if STYLED.search(_text(page)):
        yield "a style asks for something from elsewhere"
    for element, attribute, _, address in LINKED.findall(_text(page)):
        parts = urllib.parse.urlsplit(address.replace("&amp;", "&"))
        fetched = attribute in FETCHED or (element == "link" and attribute == "href")
        if parts.scheme in ("http", "https") or parts.netloc:
            if fetched:
                yield f"asks for {address}"
            continue
        if parts.scheme in ("data", "mailto", "javascript"):
            continue
        target = (page.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else page
        if not target.is_relative_to(site.resolve()) or not target.is_file():
            yield f"a link leads nowhere: {address}"
        elif target.suffix == ".html" and urllib.parse.unquote(parts.fragment) not in {"", *_names(target)}:
            yield f"a link leads to no place of its page: {address}"


@cache
def _text(page: Path) -> str:
    return NO_LINKS.sub("", page.read_text(encoding="utf-8"))


@cache
def _names(page: Path) -> frozenset[str]:
    return frozenset(name for _, name in NAMES.findall(_text(page)))
