"""Small tables and texts as HTML for notebooks: no scripts, no outside files, and everything escaped.

Text has the page's own colours, so that it is legible on light and on dark ones.
"""

from collections.abc import Iterable, Sequence
from html import escape

_CELL = "text-align:left;vertical-align:top;padding:1px 12px 1px 0"
_CODE = f"{_CELL};font-family:ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere"
_BADGE = (
    '<span style="background:{};color:#fff;border-radius:4px;padding:1px 7px;'
    'font:600 12px sans-serif">{}</span>'
)

GOOD, BAD, NEUTRAL, OPEN = "#2e7d4f", "#b3261e", "#5b5f97", "#8a6d1f"
"""Backgrounds of badges, on which white is legible."""


def badge(word: str, colour: str) -> str:
    """Return a word on a coloured ground."""
    return _BADGE.format(colour, escape(word))


def line(text: str) -> str:
    """Return a line of text."""
    return f"<div>{escape(text)}</div>"


def heading(text: str, mark: str = "") -> str:
    """Return a title, perhaps behind a badge."""
    return f"<div>{mark}{' ' if mark else ''}<strong>{escape(text)}</strong></div>"


def preformatted(text: str) -> str:
    """Return lines of text as they are."""
    return f'<pre style="line-height:1.2;margin:0">{escape(text)}</pre>'


def table(rows: Iterable[Sequence[str]], *, code: bool = False) -> str:
    """Return rows of cells, as code in fixed width; "" if there are none."""
    style = _CODE if code else _CELL
    lines = [
        "<tr>" + "".join(f'<td style="{style}">{escape(cell)}</td>' for cell in row) + "</tr>" for row in rows
    ]
    return f'<table style="margin:4px 0"><tbody>{"".join(lines)}</tbody></table>' if lines else ""


def fragment(*parts: str) -> str:
    """Return parts as one piece of HTML."""
    return f"<div>{''.join(parts)}</div>"
