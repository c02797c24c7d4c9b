"""The reproduced texts as lines for a terminal and as one self-contained HTML page."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from html import escape

from cpqueens.lab.evaluation_page import STYLE, table
from cpqueens.lab.evaluation_text import laid_out
from cpqueens.lab.experiments import Reproduced


def _wrapped(words: str, width: int) -> str:
    return textwrap.fill(words, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def text(found: Reproduced, width: int) -> str:
    """Return a section as lines of at most ``width`` characters, if words are not longer."""
    section = found.section
    lines = [section.name, _wrapped(f"source: {section.source}", width)]
    for caption, cells in found.tables:
        lines += ["", _wrapped(caption, width), *laid_out(cells, width)]
    lines += (
        ["", *(_wrapped(f"- {mistake}", width) for mistake in section.mistakes)] if section.mistakes else []
    )
    return "\n".join([*lines, f"({found.seconds:.1f} s of processor time)"])


def page(sections: Sequence[Reproduced], runs: int) -> str:
    """Return the page."""
    title = "The classical texts, reproduced"
    seconds = sum(found.seconds for found in sections)
    about = (
        f"{runs:,} runs of each experiment, dear ones less often; {seconds:.0f} s of processor time. "
        f"Intervals hold the truth in 95 of 100 cases."
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}</style></head>\n"
        f'<body><h1>{title}</h1><p class="soft">{about}</p>{"".join(_parts(sections))}</body></html>\n'
    )


def _parts(sections: Sequence[Reproduced]) -> Iterator[str]:
    for found in sections:
        section = found.section
        yield f'<h2>{escape(section.name)}</h2><p class="soft">Source: {escape(section.source)}</p>'
        for caption, (head, *rows) in found.tables:
            yield table(head, rows, caption)
        if section.mistakes:
            listed = "".join(f"<li>{escape(mistake)}</li>" for mistake in section.mistakes)
            yield f"<p>Known mistakes</p><ul>{listed}</ul>"
        yield f'<p class="soft">{found.seconds:.1f} s</p>'
