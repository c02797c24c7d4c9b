"""What a cross-check returns: its findings, which show themselves as text, HTML and plain data for JSON.

For the terminal they are a table.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from cpqueens.answers.quality import Quality
from cpqueens.crosscheck.findings import Disagreement, Findings, HeuristicReport, SolverReport
from cpqueens.report import html
from cpqueens.text import plaintext
from cpqueens.text.plaintext import counted, wrapped

if TYPE_CHECKING:
    from rich.console import RenderableType

_ALWAYS = frozenset({"solver", "verdict", "build/s", "solve/s", "evidence"})
_SETS_ONLY = frozenset({"distinct", "set"})  # of the improving solutions of an optimisation they say nothing
_DISPENSABLE = ("set", "build/s", "solve/s", "distinct", "bound", "evidence")  # on narrow terminals, in turn
_LEFT = frozenset({"solver", "verdict", "set", "evidence"})


def render_text(report: Findings, width: int = 110) -> str:
    """Return the report as plain text."""
    from rich.console import Console

    stream = io.StringIO()
    # not even in a notebook, where Rich would show the text and return none
    console = Console(file=stream, width=width, color_system=None, highlight=False, force_jupyter=False)
    print_report(report, console)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def print_report(report: Findings, console: Any, prose: int | None = None) -> None:
    """Print the report to a rich console; prose is broken at so many characters."""
    from rich.text import Text

    for part in _parts(report, console.width):
        shown = part
        if isinstance(part, Text) and prose is not None:
            lines = [broken for line in part.plain.split("\n") for broken in wrapped(line, prose)]
            shown = Text("\n".join(lines), style=part.style)
        console.print(shown, soft_wrap=isinstance(part, Text))  # commands and paths stay in one piece


def _parts(report: Findings, width: int) -> Iterator[RenderableType]:
    from rich.text import Text

    yield Text(f"cross-check of {report.scope}; asked for: {report.want}")
    table, left_out = _solver_table(report, width)
    yield table
    if left_out:
        yield Text(f"the terminal is too narrow for: {', '.join(left_out)}")
    for text, kind in _said(report):
        yield Text(text, style={"loss": "yellow", "bad": "red"}.get(kind, ""))
    style = "bold green" if report.agree else "bold red"
    yield Text(report.conclusion, style=style)


def _said(report: Findings) -> Iterator[tuple[str, str]]:
    """Yield what is said beside the table, and whether it is a ``loss`` or ``bad``."""
    for heuristic in report.heuristics:
        yield "\n".join(heuristic_lines(heuristic)), ""
    if report.published is not None:
        yield published_line(report), ""
    for lost in report.not_compared:
        yield str(lost), "loss"
    for disagreement in report.disagreements:
        yield "\n".join(disagreement_lines(disagreement)), "bad"


def _solver_table(report: Findings, width: int) -> tuple[Any, list[str]]:
    """Return the table with the columns that fit, and the names of the others."""
    from rich import box
    from rich.table import Table

    accused = {name for d in report.disagreements for name in d.accused.split(" or ")}
    names, rows = solver_rows(report)
    least = {}
    for k, name in enumerate(names):
        widest = max((len(row[k]) for row in rows), default=0)
        least[name] = max(len(name), min(widest, {"solver": 18, "evidence": 9}.get(name, widest)))
    left_out: list[str] = []
    for name in filter(names.__contains__, _DISPENSABLE):
        if sum(least[n] + 1 for n in names if n not in left_out) >= width:
            left_out.append(name)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    kept = [k for k, name in enumerate(names) if name not in left_out]
    for k in kept:
        name = names[k]
        table.add_column(name, justify="left" if name in _LEFT else "right", min_width=least[name])
    for solver, row in zip(report.solvers, rows, strict=True):
        table.add_row(*(row[k] for k in kept), style="red" if solver.name in accused else None)
    return table, left_out


def solver_rows(report: Findings) -> tuple[list[str], list[list[str]]]:
    """Return the names of the columns that say something, and the cells of each solver."""
    cells = [{name: cell(solver) for name, cell in _COLUMNS.items()} for solver in report.solvers]
    hidden = _SETS_ONLY if report.want == "best" else frozenset()
    shown = [n for n in _COLUMNS if n in _ALWAYS or (n not in hidden and any(row[n] for row in cells))]
    return shown, [[row[n] for n in shown] for row in cells]


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _seconds(value: float) -> str:
    return f"{value:.3f}" if value < 10 else f"{value:.1f}"


_COLUMNS: dict[str, Callable[[SolverReport], str]] = {
    "solver": lambda s: s.name,
    "verdict": lambda s: s.verdict,
    "distinct": lambda s: _number(s.distinct),
    "duplicates": lambda s: str(s.duplicates or ""),
    "invalid": lambda s: str(s.invalid or ""),
    "set": lambda s: (s.digest or "")[:8],
    "objective": lambda s: _number(s.objective),
    "gap": lambda s: s.quality.gaps if s.quality else "",
    "bound": lambda s: _number(s.bound),
    "build/s": lambda s: _seconds(s.build_time + s.translate_time),
    "solve/s": lambda s: _seconds(s.solve_time),
    "evidence": lambda s: f"{int(s.evidence)} {s.evidence.short}" if s.says_anything else "",
}


def published_line(report: Findings) -> str:
    """Return one line about the published values."""
    published = report.published
    assert published is not None
    values = [
        ("count", published.count),
        ("optimum", published.optimum),
        ("up to symmetry", published.up_to_symmetry),
    ]
    shown = ", ".join(f"{name} {value}" for name, value in values if value is not None)
    return f"{published.called}: {shown}" + (f" ({published.source})" if published.source else "")


def heuristic_lines(h: HeuristicReport) -> list[str]:
    """Return a line about a heuristic's runs, and the first of each kind of rejection."""
    wanted = "an optimal" if h.of_optima else "a valid"
    parts = [
        f"{h.name}: {h.successes} of {h.runs} runs gave {wanted} solution "
        f"({100 * h.rate:.1f} %, 95 % interval {100 * h.low:.1f} to {100 * h.high:.1f} %)",
        counted(h.distinct, "distinct solution")
        + (f" of {h.of_all} that exist" if h.of_all is not None else ""),
    ]
    if h.orbits is not None:
        parts.append(
            counted(h.orbits, "orbit") + (f" of {h.orbits_of_all}" if h.orbits_of_all is not None else "")
        )
    if h.quality is not None:
        parts += _quality_parts(h, h.quality)
    if h.lost:
        parts.append(h.lost)
    if h.rejections:
        parts.append("rejected: " + ", ".join(f"{k} {n}" for k, n in h.rejections.items()))
    return ["; ".join(parts), *(f"  {example}" for example in h.examples)]


def _quality_parts(h: HeuristicReport, found: Quality) -> Iterator[str]:
    """Yield how many runs are optimal, the best objective, and all gaps."""
    if found.optimal is not None:
        yield f"{found.optimal} of {h.runs} runs are optimal"
    reached = "" if h.at_best is None else f", reached by {h.at_best} of {h.runs} runs"
    yield f"best {found.best}{reached}"
    if found.proved is None:
        yield "no optimum and no bound is proved"
    else:
        what = "the optimum" if found.is_optimum else "the bound"
        yield f"gap to {what} {found.proved}: {found.gaps}" + (
            ", median (best to worst)" * ("(" in found.gaps)
        )


def disagreement_lines(d: Disagreement) -> list[str]:
    """Return a disagreement with its first witnesses and how to replay it."""
    lines = [f"{d.code} (exit {d.code.exit_code}) accused: {d.accused}", f"  {d.message}"]
    for witness in d.witnesses[:3]:
        by = f"  from {', '.join(witness.delivered_by)}" if witness.delivered_by else ""
        values = ", ".join(f"{k}={v}" for k, v in witness.values.items())
        lines.append(f"  witness {values[:200]}{by}")
        lines += [f"    {note}" for note in witness.notes[:3]]
    if d.total > 3 and len(d.witnesses) >= 3:
        lines.append(f"  ... {d.total} in all")
    lines += [f"  {key}: {value}" for key, value in d.details.items()]
    if d.bundle:
        lines.append(f"  bundle: {d.bundle}")
    if d.replay:
        lines.append(f"  replay: {d.replay}")
    return lines


_INK = {"": "currentColor", "loss": "#b07d00", "bad": "#dd2222"}
_PARAGRAPH = '<pre style="white-space:pre-wrap;color:color-mix(in srgb, currentColor 40%, {})">{}</pre>'
"""What is lost or wrong is seen on any ground, in notebooks too, which have no style sheet of ours."""


def render_html(report: Findings, whole_page: bool = True) -> str:
    """Return the report as HTML, a whole page or a fragment."""
    verdict, title = report.verdict.text, f"Cross-check of {report.model}"
    colour = plaintext.GOOD if report.agree else plaintext.BAD
    fragment = plaintext.fragment(
        f"<h1>{escape(title)}</h1>",
        plaintext.line(f"{report.scope}; asked for: {report.want}"),
        plaintext.heading(report.conclusion.removeprefix(verdict), plaintext.badge(verdict, colour)),
        html.data_table(*solver_rows(report)),
        *(_PARAGRAPH.format(_INK[kind], escape(text)) for text, kind in _said(report)),
        html.paragraphs([_origin(report)], "soft"),
    )
    return html.page(title, fragment) if whole_page else fragment


def _origin(report: Findings) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    return f"model {report.fingerprint or 'not written down'}; seeds {len(report.seeds)}; {versions}"


SCHEMA = "cpqueens.cross-check"


def to_dict(report: Findings) -> dict[str, Any]:
    """Return the report as dicts, lists, numbers and texts; ``version`` grows when fields change meaning."""
    data = plain(report)
    head = {"schema": SCHEMA, "version": data.pop("schema")}
    return {**head, "exit_code": report.exit_code, "agree": report.agree, **data}


def to_json(report: Findings) -> str:
    """Return the report as indented JSON text."""
    return msgspec.json.format(msgspec.json.encode(to_dict(report))).decode()


def plain(value: Any) -> Any:
    """Return any part of a report as plain data."""
    return msgspec.to_builtins(value, str_keys=True, enc_hook=as_builtin)


def as_builtin(value: Any) -> Any:
    """Return what msgspec has no form for as something that it has."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return dict(value) if isinstance(value, Mapping) else str(value)


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
