"""HTML fragments for notebooks and reports: no scripts, no outside files, everything escaped."""

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from cpqueens.answers.check import Check
from cpqueens.answers.outcome import Outcome
from cpqueens.answers.quality import objectives_text
from cpqueens.answers.solution import Solution, SolutionSet
from cpqueens.language.listing import listing
from cpqueens.language.statement import Statement
from cpqueens.report.draw import draw_svg, draw_text, has_svg, misfit, values_text
from cpqueens.report.replay import trace_page
from cpqueens.text import plaintext

_LONGEST = 20_000

COLOURS = {
    "OPTIMAL": plaintext.GOOD,
    "FEASIBLE": plaintext.GOOD,
    "INFEASIBLE": plaintext.NEUTRAL,
    "UNKNOWN": plaintext.OPEN,
}


def solution_fragment(solution: Solution) -> str:
    """Return the solution's picture, or its names and values, with the reason if its view does not fit."""
    picture = draw_svg(solution)
    if picture is not None:
        return picture
    text = draw_text(solution) if misfit(solution.model) else values_text(solution)
    return plaintext.preformatted(text if len(text) <= _LONGEST else text[:_LONGEST] + " ...")


def outcome_fragment(outcome: Outcome) -> str:
    """Return status, completeness, stop reason, times and the picture of the last solution."""
    facts = {
        "solver": outcome.solver,
        "ended": outcome.ending,
        "solutions": f"{outcome.count:,}",
        "objective": None if outcome.objective is None else objectives_text(outcome),
        "bound": outcome.bound,
        "workers": outcome.statistics.get("workers"),
        "total time": f"{outcome.statistics.get('total_time', 0.0):.3f} s",
    }
    return plaintext.fragment(
        plaintext.heading(outcome.model.name, plaintext.badge(outcome.status, COLOURS[outcome.status])),
        plaintext.table((name, str(value)) for name, value in facts.items() if value is not None),
        *map(plaintext.line, outcome.messages),
        "" if outcome.solution is None else solution_fragment(outcome.solution),
        "" if outcome.profile is None else outcome.profile._repr_html_(),
    )


def check_picture(check: Check) -> str | None:
    """Return what was checked as a picture with its conflicts marked, if it has one."""
    if check.model is None or check.row is None:
        return None
    known = check.model.decisions[: len(check.row)]  # more variables may have come since
    return draw_svg(SolutionSet(check.model, known, check.row.reshape(1, -1))[0])


SHEET, LARGE_SHEET = 12, 3
"""Solutions that a sheet shows; fewer of boards that are large."""
_LARGE = 400  # squares


def sheet_fragment(solutions: SolutionSet) -> str:
    """Return the first solutions side by side, and how many there are in all."""
    model = solutions.model
    most = SHEET if len(model.decisions) <= _LARGE and has_svg(model) else LARGE_SHEET
    shown = [solution_fragment(solution) for solution in solutions[:most]]
    cells = "".join(f'<div style="width:150px">{part}</div>' for part in shown)
    cells = cells.replace("<svg ", '<svg style="width:100%;height:auto" ')
    said = f"{len(solutions):,} in all" + (f", the first {most}:" if len(solutions) > most else "")
    return plaintext.fragment(
        plaintext.heading(model.name),
        plaintext.line(said),
        f'<div style="display:flex;flex-wrap:wrap;gap:12px">{cells}</div>',
    )


def model_fragment(model: Statement) -> str:
    """Return the model's variables with their domains, its constraints with their places, its objective."""
    found = listing(model)
    return plaintext.fragment(
        plaintext.heading(found.title),
        *(
            f"{plaintext.line(caption)}{plaintext.table(entries, code=True)}"
            for caption, entries in found.sections
        ),
    )


FORMS: dict[str, Callable[[Any], str | None]] = {
    "text": draw_text,
    "svg": draw_svg,
    "html": solution_fragment,
    "outcome": outcome_fragment,
    "sheet": sheet_fragment,
    "check": check_picture,
    "replay": trace_page,
}
"""What a notebook or a terminal may ask of a solution, or of an outcome."""


# ---- whole pages ----------------------------------------------------------------------------------------


def page(title: str, body: str, style: str = "") -> str:
    """Return a whole page; what is added to its style and the body are HTML already."""
    return plaintext.page("page.html", title=escape(title), style=style, body=body)


def paragraphs(texts: Iterable[str], kind: str) -> str:
    """Return texts as paragraphs of a class."""
    return "".join(f'<p class="{kind}">{escape(text)}</p>\n' for text in texts)


def data_table(head: list[str], rows: list[list[str]], caption: str = "") -> str:
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


def figure(svg: str, caption: str) -> str:
    """Return a picture with its caption."""
    return f"<figure><div>{svg}</div><figcaption>{escape(caption)}</figcaption></figure>\n"
