"""The classical texts reproduced: a page for each source, of what ``cpqueens experiments --json`` said."""

import json
import re
from pathlib import Path
from typing import Any

from generating.tables import fenced, table, toctree

MEASURED = Path(__file__).parent.parent / "files" / "experiments.json"
COMMAND = "command"  # the column whose cells stand below the table: they are longer than a page is wide


def pages() -> dict[str, str]:
    """Return the pages, by the names of their sections, whatever these are."""
    told = json.loads(MEASURED.read_text(encoding="utf-8"))
    sections = {_name(section["name"]): section for section in told["sections"]}
    rows = [(f"[{section['name']}]({name}.md)", section["source"]) for name, section in sections.items()]
    index = f"""# The classical texts, reproduced

What the sources of the classical strategies claim, each figure beside ours with its 95 % interval, by which
command it is measured, how the text is read, and its known mistakes. On {told["date"]}, with
{told["runs"]:,} runs of each experiment, dear ones less often; {told["seconds"]:.0f} s of processor time in
all ({", ".join(f"{name} {version}" for name, version in told["versions"].items())}). `cpqueens experiments`
is the quick form, `make experiments` writes all as one page, `make docs-figures` measures these pages anew.

{table(("text", "source"), rows)}

{toctree(sections)}
"""
    return {
        "texts/index.md": index,
        **{f"texts/{name}.md": _page(section) for name, section in sections.items()},
    }


def _name(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")


def _page(section: dict[str, Any]) -> str:
    parts = [f"# {section['name']}", f"Source: {_plain(section['source'])}."]
    for one in section["tables"]:
        parts += [f"## {_plain(one['caption'])}", *_figures(one["rows"])]
    for note in section["notes"]:
        parts += [f"## {note['title']}", "\n".join(f"* {_plain(line)}" for line in note["lines"])]
    return "\n\n".join(parts) + "\n"


def _figures(rows: list[list[str]]) -> list[str]:
    """Return a table, and the commands that make its figures, each once."""
    head, *body = rows
    if COMMAND not in head:
        return [table(map(_plain, head), ([_plain(cell) for cell in row] for row in body))]
    at = head.index(COMMAND)
    without = [[_plain(cell) for place, cell in enumerate(row) if place != at] for row in rows]
    commands = dict.fromkeys(row[at] for row in body)
    return [table(without[0], without[1:]), "By these commands:", fenced("sh", "\n".join(commands))]


def _plain(text: str) -> str:
    """Return text whose signs mean nothing in Markdown."""
    return re.sub(r"([\\`*_\[\]<>#])", r"\\\1", text)
