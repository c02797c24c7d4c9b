"""Pieces of Markdown that generated pages are made of."""

import re
from collections.abc import Iterable


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table, whose cells may hold ``|``."""
    lines = [list(head), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def fenced(kind: str, text: str) -> str:
    """Return a block of code or output."""
    return f"```{kind}\n{text.rstrip()}\n```"


def folded(title: str, text: str) -> str:
    """Return what opens at a click; a browser's search within the page opens it, too."""
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"


def orphan(text: str) -> str:
    """Return a page that no list of the navigation names; it says itself how to go back."""
    return f"---\norphan: true\n---\n{text}"


def linked_entry(name: str, file: str) -> str:
    """Return a name as code that leads to its page."""
    return f"[`{name}`]({file}.md)"


PLACES = (
    (re.compile(r"(?<![\w\[/])((?:OEIS )?(A\d{6}))\b"), "https://oeis.org/{}"),
    (re.compile(r"(?<![\w\[/])((?:CSPLib )?(prob\d{3}))\b"), "https://www.csplib.org/Problems/{}/"),
    (re.compile(r"(?<![\w\[/])(arXiv[: ](\d{4}\.\d{4,5}))\b"), "https://arxiv.org/abs/{}"),
    (re.compile(r"(?<![\w\[/])(doi:? ?(10\.\d{4,9}/[^\s,;)\]]+[^\s,;.)\]]))"), "https://doi.org/{}"),
)
"""How a source is named that has a page of its own, and where that is."""


def linked(text: str) -> str:
    """Return a text in which names of sequences, problems and papers lead to their pages.

    >>> linked("OEIS A000170, and CSPLib prob054")
    '[OEIS A000170](https://oeis.org/A000170), and [CSPLib prob054](https://www.csplib.org/Problems/prob054/)'
    """
    for names, address in PLACES:
        text = names.sub(lambda found, address=address: f"[{found[1]}]({address.format(found[2])})", text)
    return text
