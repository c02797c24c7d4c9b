"""Pieces of Markdown that generated pages are made of."""

from collections.abc import Iterable


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table, whose cells may hold ``|``."""
    lines = [list(head), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def toctree(names: Iterable[str]) -> str:
    """Return a list of pages that only the navigation shows."""
    return "\n".join(["```{toctree}", ":hidden:", "", *names, "```"])


def fenced(kind: str, text: str) -> str:
    """Return a block of code or output."""
    return f"```{kind}\n{text.rstrip()}\n```"
