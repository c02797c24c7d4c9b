"""The report as a table for the terminal."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from cpqueens.answers.quality import Quality
from cpqueens.crosscheck.findings import Disagreement, Findings, HeuristicReport, SolverReport
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
    for heuristic in report.heuristics:
        yield Text("\n".join(heuristic_lines(heuristic)))
    if report.published is not None:
        yield Text(published_line(report))
    for lost in report.not_compared:
        yield Text(str(lost), style="yellow")
    for disagreement in report.disagreements:
        yield Text("\n".join(disagreement_lines(disagreement)), style="red")
    style = "bold green" if report.agree else "bold red"
    yield Text(report.conclusion, style=style)


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
