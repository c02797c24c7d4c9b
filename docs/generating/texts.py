"""The classical texts reproduced: a page for each source, of what ``cpqueens experiments --json`` said."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cpqueens.lab.classical_texts import SECTIONS, answered
from cpqueens.lab.experiments import Plot, notes, picture
from generating.tables import fenced, orphan, table

MEASURED = Path(__file__).parent.parent / "files" / "experiments.json"


def pages() -> dict[str, str]:
    """Return the pages, by the keys of their sections."""
    told = json.loads(MEASURED.read_text(encoding="utf-8"))
    sections = {section["key"].replace("-", "_"): section for section in told["sections"]}
    for section in sections.values():
        section.setdefault("date", told["date"])  # one that was measured again has a day of its own
    days = " and ".join(sorted({section["date"] for section in sections.values()}))
    rows = [
        (f"[{_plain(section['name'])}]({name}.md)", _plain(section["source"]))
        for name, section in sections.items()
    ]
    index = f"""# The classical texts, reproduced

These pages reproduce the claims of the texts that the classical strategies come from. Each figure is shown
next to the one measured here, with its 95 % interval, the command, the reading of the text and its known
mistakes. *The source says* has only figures that the source prints. If a text has a program, it was rewritten
and measured as well. The answers follow from the tables: two figures differ if their intervals do not
overlap; otherwise no difference is shown. Everything was measured on {days}; tables give the number of
runs. The whole took {told["seconds"]:.0f} s of processor time
({", ".join(f"{name} {version}" for name, version in told["versions"].items())}).
`cpqueens experiments` is the quick form, `make experiments` writes one page of all,
`make docs-figures` measures these pages again.

{table(("text", "source"), rows)}

[All algorithms](all.md) lists the settings that reproduce the system of each text.
"""
    return {
        "texts/index.md": index,
        **{f"texts/{name}.md": _page(section) for name, section in sections.items()},
    }


def _page(section: dict[str, Any]) -> str:
    """Return a page; its notes are said afresh of the tables."""
    rows = {one["name"]: one["rows"] for one in section["tables"]}
    said = list(notes(answered(next(one for one in SECTIONS if one.key == section["key"]), rows)))
    parts = [
        "[The classical texts](index.md)",
        f"# {_plain(section['name'])}",
        f"Source: {_plain(section['source'])}. Measured on {section['date']}.",
    ]
    for title, lines in said[:1]:
        parts += _note(title, lines)
    for one in section["tables"]:
        head, *body = [[_unbroken(_plain(cell)) for cell in row] for row in one["rows"]]
        caption, _, more = _plain(one["caption"]).partition(". ")
        parts += [f"## {caption}", *([f"{more}."] if more else []), table(head, body)]
        parts += ["The commands for these figures:", fenced("sh", "\n".join(one["commands"]))]
    for plot in section["plots"]:
        drawn = picture(Plot(**plot))
        parts += [f'<div class="picture">\n{drawn.svg}\n</div>', _plain(drawn.caption)]
    for title, lines in said[1:]:
        parts += _note(title, lines)
    return orphan("\n\n".join(parts) + "\n")


def _note(title: str, lines: Sequence[str]) -> list[str]:
    return [f"## {title}", "\n".join(f"* {_plain(line)}" for line in lines)]


def _unbroken(text: str) -> str:
    """Return a cell of which neither an interval nor a share is broken over lines."""
    return re.sub(r"(?<=\d,) (?=[-\d])| (?=%)", "\N{NO-BREAK SPACE}", text)


def _plain(text: str) -> str:
    """Return text whose signs mean nothing in Markdown, but for code between backticks."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(p if p.startswith("`") else re.sub(r"([\\*_\[\]<>#])", r"\\\1", p) for p in parts)
