"""The report as HTML: one self-contained page, or a fragment for a notebook."""

from collections.abc import Iterable
from html import escape

from cpqueens.crosscheck.findings import Disagreement, Findings
from cpqueens.crosscheck.table import disagreement_lines, heuristic_lines, published_line, solver_rows

_STYLE = """
.cpq-check { font: 15px/1.5 system-ui, sans-serif; max-width: 70em; }
.cpq-check table { border-collapse: collapse; margin: 1em 0; }
.cpq-check th, .cpq-check td { padding: .25em .8em; border-bottom: 1px solid #ddd; text-align: right; }
.cpq-check th:first-child, .cpq-check td:first-child { text-align: left; }
.cpq-check .good { color: #17692f; } .cpq-check .bad { color: #a3161a; } .cpq-check .loss { color: #7a5b00; }
.cpq-check pre { background: #f6f6f4; padding: .8em; overflow-x: auto; }
.cpq-check .small { color: #555; font-size: 13px; }
"""


def render_html(report: Findings, whole_page: bool = True) -> str:
    """Return the report as HTML, a whole page or a fragment."""
    verdict = report.verdict
    kind = "good" if report.agree else "bad"
    body = [
        f"<style>{_STYLE}</style><div class='cpq-check'>",
        f"<h1>Cross-check of {escape(report.model)}</h1>",
        f"<p>{escape(report.scope)}; asked for: {escape(report.want)}</p>",
        f"<p class='{kind}'><strong>{escape(verdict.text)}</strong> [{escape(verdict.founded)}]</p>",
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
    return f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{title}</title>{fragment}</html>\n"


def _table(report: Findings) -> str:
    names, rows = solver_rows(report)
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    lines = ("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{''.join(lines)}</table>"


def _paragraphs(texts: Iterable[str], kind: str) -> list[str]:
    return [f"<p class='{kind}'>{escape(text)}</p>" for text in texts]


def _disagreement(d: Disagreement) -> str:
    return f"<pre class='bad'>{escape(chr(10).join(disagreement_lines(d)))}</pre>"


def _origin(report: Findings) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    return f"model {report.fingerprint or 'not written down'}; seeds {len(report.seeds)}; {versions}"
