"""An evaluation as one self-contained HTML page: no scripts, nothing from elsewhere, light and dark."""

from collections.abc import Iterable, Iterator
from html import escape

from cpqueens.lab import evaluation_text as said
from cpqueens.lab.evaluated import Evaluated
from cpqueens.system.requirements import need

STYLE = """
:root { color-scheme: light dark; --ink: #1d2530; --soft: #5a6573; --line: #d7dce2; --paper: #fdfdfc;
  --bad: #a3161a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e3e7ec; --soft: #a2acb8; --line: #39424d; --paper: #14181d; --bad: #ff8f8a; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto;
  max-width: 76rem; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
p { margin: .3rem 0; } .soft { color: var(--soft); font-size: .9rem; } .bad { color: var(--bad); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .3rem; }
th, td { padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line); text-align: right;
  vertical-align: top; white-space: nowrap; overflow-wrap: normal; }
.long { text-align: left; } td.long { white-space: normal; min-width: 11rem; }
th:first-child, td:first-child { text-align: left; }
.pictures { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 32rem), 1fr)); }
figure { margin: 1rem 0; min-width: 0; }
figure svg { width: 100%; height: auto; max-width: 38rem; display: block; }
figcaption { color: var(--soft); font-size: .9rem; max-width: 38rem; }
@media (max-width: 40rem) {
  table, tbody, tr, td, caption { display: block; } th, td:empty { display: none; }
  td, td.long { border: 0; padding: 0; text-align: left; white-space: normal; overflow-wrap: anywhere; }
  td::before { content: attr(data-head) ": "; color: var(--soft); }
  td:first-child { font-weight: 600; } td:first-child::before { content: none; }
  tr { border-bottom: 1px solid var(--line); padding: .4rem 0; } tr:has(th) { display: none; }
}
"""


def page(e: Evaluated) -> str:
    """Return the page.

    Raises
    ------
    MissingLibrary
        If matplotlib is not installed.
    """
    need("matplotlib", "matplotlib")
    title = f"Evaluation of {', '.join(e.heuristics)} on {', '.join(head.title for head in e.problems)}"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body><h1>{escape(title)}</h1>\n{''.join(_sections(e))}</body></html>\n"
    )


def _sections(e: Evaluated) -> Iterator[str]:
    """Yield header, claims, proofs, figures, pictures and what is missing."""
    from cpqueens.lab.evaluation_plots import pictures

    yield _lines(said.header(e), "soft")
    yield "<h2>Is it right?</h2>" + _lines(said.validity(e), "bad" if e.wrong else "")
    yield _lines(said.verdicts(e), "bad" if any(c.outside for c in e.coverages) else "")
    for caption, (head, *rows) in said.tables(e):
        yield f"<h2>{escape(caption)}</h2>{table(head, rows)}"
    yield '<h2>Pictures</h2><div class="pictures">'
    for picture in pictures(e):
        yield f"<figure><div>{picture.svg}</div><figcaption>{escape(picture.caption)}</figcaption></figure>\n"
    yield "</div>"
    missing = said.missing(e)
    if missing:
        yield "<h2>What is missing</h2>" + _lines(missing, "")


def _lines(texts: Iterable[str], kind: str) -> str:
    return "".join(f'<p class="{kind}">{escape(text)}</p>\n' for text in texts)


def table(head: list[str], rows: list[list[str]], caption: str = "") -> str:
    """Return a table; on a narrow screen rows are blocks, each value with its head before it."""
    long = [any(len(row[k]) > _WIDE for row in rows) for k in range(len(head))]
    names = "".join(
        f'<th scope="col"{_LONG if wide else ""}>{escape(name)}</th>'
        for name, wide in zip(head, long, strict=True)
    )
    said = f"<caption>{escape(caption)}</caption>" if caption else ""
    lines = ("<tr>" + "".join(map(_cell, head, row, long)) + "</tr>" for row in rows)
    return f'<div class="wide"><table>{said}<tr>{names}</tr>{"".join(lines)}</table></div>\n'


def _cell(head: str, text: str, long: bool) -> str:
    return f'<td{_LONG if long else ""} data-head="{escape(head)}">{escape(text)}</td>'


_WIDE = 30  # characters of a cell that is not broken
_LONG = ' class="long"'
