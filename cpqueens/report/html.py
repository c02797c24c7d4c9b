"""HTML fragments for notebooks and reports: no scripts, no outside files, everything escaped."""

from collections.abc import Callable
from html import escape
from typing import Any

from cpqueens.answers.outcome import Outcome, Solution
from cpqueens.report.draw import draw_svg, draw_text, values_text

_PRE = '<pre style="line-height:1.2;margin:0">{}</pre>'
_BADGE = (
    '<span style="background:{};color:#fff;border-radius:4px;padding:1px 7px;'
    'font:600 12px sans-serif">{}</span>'
)
_LONGEST = 20_000

COLOURS = {"OPTIMAL": "#2e7d4f", "FEASIBLE": "#2e7d4f", "INFEASIBLE": "#5b5f97", "UNKNOWN": "#8a6d1f"}


def solution_fragment(solution: Solution) -> str:
    """Return the solution's picture, or its names and values where there is none."""
    picture = draw_svg(solution)
    if picture is not None:
        return picture
    text = values_text(solution)
    shown = text if len(text) <= _LONGEST else text[:_LONGEST] + " ..."
    return _PRE.format(escape(shown))


def outcome_fragment(outcome: Outcome) -> str:
    """Return status, completeness, stop reason, times and the picture of the last solution."""
    badge = _BADGE.format(COLOURS[outcome.status], escape(outcome.status))
    facts = {
        "solver": outcome.solver,
        "complete": "yes" if outcome.complete else "no",
        "stopped by": str(outcome.stop_reason),
        "solutions": f"{outcome.count:,}",
        "objective": outcome.objective,
        "bound": outcome.bound,
        "total time": f"{outcome.statistics.get('total_time', 0.0):.3f} s",
    }
    rows = "".join(
        f'<tr><td style="text-align:left">{escape(name)}</td>'
        f'<td style="text-align:left">{escape(str(value))}</td></tr>'
        for name, value in facts.items()
        if value is not None
    )
    notes = "".join(f"<div>{escape(message)}</div>" for message in outcome.messages)
    picture = "" if outcome.solution is None else solution_fragment(outcome.solution)
    head = f"<div>{badge} {escape(outcome.model.name)}</div>"
    return f"<div>{head}<table><tbody>{rows}</tbody></table>{notes}{picture}</div>"


FORMS: dict[str, Callable[[Any], str | None]] = {
    "text": draw_text,
    "svg": draw_svg,
    "html": solution_fragment,
    "outcome": outcome_fragment,
}
"""What a notebook or a terminal may ask of a solution, or of an outcome."""
