"""What an evaluation returns: all about its runs, which shows itself as text, JSON, CSV and a page."""

import json
import math
import os
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from cpqueens.crosscheck.report import plain
from cpqueens.errors import ModelError
from cpqueens.lab import evaluation_text as said
from cpqueens.lab.evaluated import Evaluated
from cpqueens.lab.evaluation_text import text
from cpqueens.report.outputfile import write_whole
from cpqueens.system.requirements import need
from cpqueens.text import plaintext
from cpqueens.text.parameters import as_path
from cpqueens.text.plaintext import shown

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
    return plaintext.page(title, STYLE, f"<h1>{escape(title)}</h1>\n{''.join(_sections(e))}")


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


SCHEMA, VERSION = "cpqueens.evaluate", 2


class Evaluation(Evaluated):
    """The result of an evaluation; it can be printed and displayed.

    >>> from cpqueens import evaluate
    >>> found = evaluate("local-search:sideways", "queens", sizes=[6], runs=20)
    >>> found.exit_code(), found.performances[0].asked, len(found.runs)
    (0, 20, 20)

    Attributes
    ----------
    heuristics, problems, budget
        The solvers, the problem (`ProblemHead`), and with which limits (`RunLimits`).
    seeds
        First and last.
    machines, versions
        Where, and with which libraries.
    performances
        For each heuristic and problem, in their order (`Performance`).
    references
        What exact solvers proved of each problem (`Reference`).
    coverages, occupancies
        Which solutions are found, and where they put values, of problems without an objective (`Coverage`,
        `Occupancy`).
    anytimes, targets
        How objectives improve over time, and how long it takes to reach some of them (`Anytime`,
        `ReachedTarget`).
    comparisons
        Tests of one against another (`Comparison`).
    runs
        The table of all runs (`RunTable`).
    units
        In what runs are measured.
    seconds, interrupted
        What it took, and whether a signal ended it.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; what is infinite or unknown is None."""
        named = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "runs"}
        references = [
            {**vars(r), "solutions": None if r.solutions is None else len(r.solutions)}
            for r in self.references
        ]
        for target in (reached := plain(named["targets"])):
            del target["lengths"]  # which the runs have
        data = {**named, "references": references, "targets": reached, "runs": self.runs.to_dict()}
        return {"schema": SCHEMA, "version": VERSION, "exit_code": self.exit_code(), **_finite(plain(data))}

    def to_json(self) -> str:
        """Return that as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def to_html(self) -> str:
        """Return one self-contained page.

        Raises
        ------
        MissingLibrary
            If matplotlib is not installed.
        """
        return page(self)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a report: ``.html`` for a page, ``.json`` for all figures and runs, ``.csv`` for the runs.

        Raises
        ------
        ModelError
            For another suffix, or a file that cannot be written.
        MissingLibrary
            If matplotlib, which draws the page's pictures, is not installed.
        """
        place = Path(as_path(path))
        write_whole(place, form_of(place)(self))

    def __str__(self) -> str:
        return text(self)


FORMS = {".csv": lambda e: e.runs.to_csv(), ".html": Evaluation.to_html, ".json": Evaluation.to_json}


def form_of(path: Path) -> Any:
    """Return what makes the text of a file with this suffix.

    Raises
    ------
    ModelError
        If nothing does.
    """
    if path.suffix.lower() not in FORMS:
        raise ModelError(f"{shown(str(path), 60)}: a report is a file with suffix {', '.join(sorted(FORMS))}")
    return FORMS[path.suffix.lower()]


def _finite(value: Any) -> Any:
    """Return plain data without what JSON has no form for."""
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
