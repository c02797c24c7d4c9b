"""What a cross-check returns: its findings, which show themselves as text, HTML and plain data for JSON."""

import dataclasses
import json
from collections.abc import Iterable, Mapping
from enum import Enum
from html import escape
from typing import Any

import numpy as np

from cpqueens.crosscheck.findings import Disagreement, Evidence, Findings
from cpqueens.crosscheck.table import (
    disagreement_lines,
    heuristic_lines,
    published_line,
    render_text,
    solver_rows,
)

_STYLE = """
.cpq-check { font: 16px/1.5 system-ui, sans-serif; max-width: 70em; overflow-wrap: anywhere;
  --line: color-mix(in srgb, currentColor 20%, transparent); }
.cpq-check table { border-collapse: collapse; margin: 1em 0; }
.cpq-check th, .cpq-check td { padding: .25em .8em; border-bottom: 1px solid var(--line); text-align: right; }
.cpq-check th:first-child, .cpq-check td:first-child { text-align: left; }
.cpq-check .good { color: color-mix(in srgb, currentColor 40%, #119944); }
.cpq-check .bad { color: color-mix(in srgb, currentColor 40%, #dd2222); }
.cpq-check .loss { color: color-mix(in srgb, currentColor 40%, #b07d00); }
.cpq-check pre { background: color-mix(in srgb, currentColor 7%, transparent); padding: .8em;
  white-space: pre-wrap; }
.cpq-check .small { opacity: .75; font-size: 13px; }
@media (max-width: 40rem) {
  .cpq-check table, .cpq-check tbody, .cpq-check tr, .cpq-check td { display: block; }
  .cpq-check th, .cpq-check td:empty { display: none; }
  .cpq-check td { border: 0; padding: 0; text-align: left; }
  .cpq-check td::before { content: attr(data-head) ": "; opacity: .75; }
  .cpq-check td:first-child { font-weight: 600; } .cpq-check td:first-child::before { content: none; }
  .cpq-check tr { border-bottom: 1px solid var(--line); padding: .4rem 0; }
  .cpq-check tr:has(th) { display: none; }
}
"""
"""Colours are mixed with that of the text around, so that they are legible on light and on dark ground."""

_PAGE = """
:root { color-scheme: light dark; --ink: #1d2530; --soft: #5a6573; --line: #d7dce2; --paper: #fdfdfc;
  --bad: #a3161a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e3e7ec; --soft: #a2acb8; --line: #39424d; --paper: #14181d; --bad: #ff8f8a; }
}
body { color: var(--ink); background: var(--paper); margin: 0 auto; max-width: 76rem; padding: 1rem; }
.cpq-check h1 { font-size: 1.5rem; line-height: 1.25; } .cpq-check .bad { color: var(--bad); }
.cpq-check table { font-size: .92rem; font-variant-numeric: tabular-nums; }
.cpq-check .small { color: var(--soft); font-size: .9rem; opacity: 1; }
"""
"""What a page has and a fragment does not: type and colours of an evaluation's page."""

_HEAD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
)


def render_html(report: Findings, whole_page: bool = True) -> str:
    """Return the report as HTML, a whole page or a fragment."""
    verdict = report.verdict.text
    founded = report.conclusion.removeprefix(verdict)
    kind = "good" if report.agree else "bad"
    body = [
        f"<style>{_STYLE}</style><div class='cpq-check'>",
        f"<h1>Cross-check of {escape(report.model)}</h1>",
        f"<p>{escape(report.scope)}; asked for: {escape(report.want)}</p>",
        f"<p class='{kind}'><strong>{escape(verdict)}</strong>{escape(founded)}</p>",
        _table(report),
        *_paragraphs((line for h in report.heuristics for line in heuristic_lines(h)), ""),
        *_paragraphs([published_line(report)] if report.published is not None else [], ""),
        *map(_disagreement, report.disagreements),
        *_paragraphs(map(str, report.not_compared), "loss"),
        f"<p class='small'>{escape(_origin(report))}</p></div>",
    ]
    fragment = "\n".join(body)
    if not whole_page:
        return fragment
    title = escape(f"Cross-check of {report.model}")
    return f"{_HEAD}<title>{title}</title></head><body>{fragment}<style>{_PAGE}</style></body></html>\n"


def _table(report: Findings) -> str:
    names, rows = solver_rows(report)
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    lines = ("<tr>" + "".join(map(_cell, names, row)) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{''.join(lines)}</table>"


def _cell(head: str, text: str) -> str:
    """Return a cell, which on a narrow screen has its head before it."""
    return f'<td data-head="{escape(head)}">{escape(text)}</td>'


def _paragraphs(texts: Iterable[str], kind: str) -> list[str]:
    return [f"<p class='{kind}'>{escape(text)}</p>" for text in texts]


def _disagreement(d: Disagreement) -> str:
    return f"<pre class='bad'>{escape(chr(10).join(disagreement_lines(d)))}</pre>"


def _origin(report: Findings) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    return f"model {report.fingerprint or 'not written down'}; seeds {len(report.seeds)}; {versions}"


SCHEMA = "cpqueens.cross-check"


def to_dict(report: Findings) -> dict[str, Any]:
    """Return the report as dicts, lists, numbers and texts; ``version`` grows when fields change meaning."""
    data = plain({f.name: getattr(report, f.name) for f in dataclasses.fields(report)})
    version = data.pop("schema")
    return {
        "schema": SCHEMA,
        "version": version,
        "exit_code": report.exit_code,
        "agree": report.agree,
        **data,
    }


def to_json(report: Findings) -> str:
    """Return the report as indented JSON text."""
    return json.dumps(to_dict(report), indent=2, ensure_ascii=False)


def plain(value: Any) -> Any:
    """Return any part of a report as plain data."""
    for kind, convert in _CONVERTERS:
        if isinstance(value, kind):
            return convert(value)
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return value


_CONVERTERS: tuple[tuple[Any, Any], ...] = (
    (Evidence, int),
    (Enum, lambda e: e.value),
    (Mapping, lambda m: {str(k): plain(v) for k, v in m.items()}),
    ((list, tuple, set, frozenset), lambda items: [plain(item) for item in items]),
    (np.ndarray, lambda array: array.tolist()),
    (np.integer, int),
    (np.floating, float),
)


class Report(Findings):
    """The result of a cross-check: frozen, complete, and no more certain than its evidence.

    >>> from cpqueens import cross_check
    >>> from cpqueens.models.queens import queens
    >>> report = cross_check(queens(6), ["backtracking", "python-constraint"])
    >>> report.agree, report.exit_code, report.verdict.count, report["backtracking"].count
    (True, 0, 4, 4)

    Attributes
    ----------
    model, scope, fingerprint
        What was asked about: its name, what is compared, and a digest of the model.
    versions
        Of this package and the libraries.
    want
        ``all``, ``one``, ``best`` or ``count``.
    seeds
        Those of the heuristics.
    published
        What the literature says (`PublishedValues`), or None.
    solvers, heuristics
        What each said (`SolverReport`, `HeuristicReport`).
    disagreements, not_compared
        What does not fit together (`Disagreement`), and what was not compared (`NotCompared`).
    verdict
        The sentence at the end (`Verdict`).
    seconds
        What it took.
    interrupted
        Whether a signal ended it.
    schema
        The version of `to_dict`.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with ``schema`` as the version."""
        return to_dict(self)

    def __str__(self) -> str:
        return render_text(self)

    def _repr_html_(self) -> str:
        return render_html(self, whole_page=False)
