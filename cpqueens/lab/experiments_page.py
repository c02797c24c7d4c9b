"""The reproduced texts as lines for a terminal, as one self-contained HTML page and as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import date
from html import escape
from typing import Any

from cpqueens.crosscheck.environment import versions
from cpqueens.lab.evaluation_page import STYLE, table
from cpqueens.lab.evaluation_text import laid_out
from cpqueens.lab.experiments import Reproduced, Section
from cpqueens.text.plaintext import wrapped


def notes(section: Section) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what is said of a source beside its figures, by title."""
    for title, listed in (
        ("Its claims, answered", section.answers),
        ("How it is read", section.readings),
        ("Known mistakes", section.mistakes),
    ):
        if listed:
            yield title, listed


def text(found: Reproduced, width: int) -> str:
    """Return a section as lines of at most ``width`` characters, if words and commands are not longer."""
    section = found.section
    lines = [*wrapped(section.name, width), *wrapped(f"source: {section.source}", width)]
    for one in found.tables:
        lines += ["", *wrapped(one.caption, width), *laid_out(one.rows, width)]
        lines += [f"  $ {command}" for command in one.commands]
    for title, listed in notes(section):
        lines += ["", f"{title}:", *(line for note in listed for line in wrapped(f"- {note}", width))]
    return "\n".join([*lines, f"({found.seconds:.1f} s of processor time)"])


def data(sections: Sequence[Reproduced], runs: int) -> dict[str, Any]:
    """Return what the page says as plain values, and when and where: a table's first row is its head."""
    when = {"date": date.today().isoformat(), "versions": dict(versions())}
    return {**when, "runs": runs, "seconds": sum(found.seconds for found in sections), "sections": [
        {
            "key": found.section.key,
            "name": found.section.name,
            "source": found.section.source,
            "tables": [asdict(one) for one in found.tables],
            "plots": [asdict(one) for one in found.plots],
            "notes": [{"title": title, "lines": list(lines)} for title, lines in notes(found.section)],
            "seconds": found.seconds,
        }
        for found in sections
    ]}  # fmt: skip


def page(sections: Sequence[Reproduced], runs: int) -> str:
    """Return the page.

    Raises
    ------
    MissingLibrary
        If matplotlib is not installed.
    """
    title = "The classical texts, reproduced"
    seconds = sum(found.seconds for found in sections)
    about = (
        f"Measured on {date.today().isoformat()}, {runs:,} runs of each experiment, fewer of expensive ones; "
        f"{seconds:.0f} s of processor time. Intervals hold the truth in 95 of 100 cases."
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}{_COMMANDS}</style></head>\n"
        f'<body><h1>{title}</h1><p class="soft">{about}</p>{"".join(_parts(sections))}</body></html>\n'
    )


_COMMANDS = "pre { white-space: pre-wrap; font-size: .85rem; margin: .4rem 0 1rem; color: var(--soft); }"


def _parts(sections: Sequence[Reproduced]) -> Iterator[str]:
    from cpqueens.lab.source_plots import picture

    for found in sections:
        section = found.section
        yield f'<h2>{escape(section.name)}</h2><p class="soft">Source: {escape(section.source)}</p>'
        for one in found.tables:
            head, *rows = one.rows
            yield table(head, rows, one.caption)
            yield f"<pre>{escape(chr(10).join(one.commands))}</pre>"
        for drawn in map(picture, found.plots):
            yield f"<figure><div>{drawn.svg}</div><figcaption>{escape(drawn.caption)}</figcaption></figure>\n"
        for title, listed in notes(section):
            items = "".join(f"<li>{escape(note)}</li>" for note in listed)
            yield f"<p>{title}</p><ul>{items}</ul>"
        yield f'<p class="soft">{found.seconds:.1f} s</p>'
