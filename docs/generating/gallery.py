"""A page for each problem: picture, model, published values, command."""

import contextlib
import html
import inspect
from collections.abc import Iterable
from pathlib import Path

import cpqueens
from cpqueens.answers.solution import Solution
from cpqueens.backends.clock import by_processor
from cpqueens.problems import catalog
from cpqueens.problems.published import Published, called
from cpqueens.report.draw import render
from cpqueens.report.gallery import runnable
from generating import likes
from generating.tables import fenced, linked, orphan, table

_VIEWPOINTS = """[Gallery](index.md)

# Which solver is fastest on which viewpoint

Some problems can be stated with different variables and the same solutions (`viewpoint=`). The table
was written by `tests/benchmarks/bench_viewpoints.py`; `>` is the time of a run that was stopped by its limit,
and `no proof` stands for a heuristic, which proves nothing. For small sizes of each problem, `compare` proves
that the solutions are the same.

```{include} ../../files/viewpoints.txt
```"""


_EXACT = ("backtracking", "cpsat", "python-constraint")


GROUPS = {
    "Rosters, schedules, timetables": ("job_shop", "project_scheduling", "car_sequencing", "social_golfers"),
    "Routes, packing, assignment": (
        "travelling_salesman", "bin_packing", "graph_colouring", "number_partitioning", "knights_tour",
    ),
    "Puzzles": ("sudoku", "killer_sudoku", "nonogram", "star_battle", "queens_completion", "magic_square"),
    "Designs, sequences, squares": (
        "all_interval", "block_design", "costas_array", "golomb_ruler", "langford", "latin_square",
        "quasigroup_completion", "still_life",
    ),
}  # fmt: skip
"""Under which title problems stand; what is under none is a board."""
CASES = (
    ("a roster, from DataFrame to DataFrame", "../../modelling/roster.md"),
    ("a paint shop with setup times", "../../modelling/scheduling.md#a-paint-shop"),
    ("vehicle routing", "../../modelling/routing_and_packing.md#vehicle-routing"),
    ("cutting and packing", "../../modelling/routing_and_packing.md#cutting-and-packing"),
    ("an assignment", "../../modelling/routing_and_packing.md#an-assignment-with-preferences"),
    ("a production plan", "../../modelling/production.md#a-production-plan"),
    ("warehouses to open", "../../modelling/production.md#warehouses"),
    ("a blend", "../../modelling/production.md#a-blend"),
    ("an exam timetable", "../../modelling/production.md#an-exam-timetable"),
    ("a tournament", "../../modelling/production.md#a-tournament"),
    ("a knapsack", "../../coming_from/cpsat.md#a-knapsack"),
)  # fmt: skip
"""Models that pages of the guide develop."""


def pages(folder: Path) -> dict[str, str]:
    """Return a page for each problem, and the index with a small picture of each."""
    small = folder / "extra" / "thumbnails"
    small.mkdir(parents=True)
    problems = {name: catalog.find(name) for name in catalog.names()}
    with by_processor():
        solved = {
            name: problem.instance().model.solve(time_limit=60, random_seed=1)
            for name, problem in problems.items()
        }
    pages = {
        f"gallery/{name}.md": _problem(problem, solved[name].solution) for name, problem in problems.items()
    }
    grouped = [name for names in GROUPS.values() for name in names]
    groups = {**GROUPS, "Boards": tuple(name for name in problems if name not in grouped)}
    parts = [
        "# Gallery",
        "Models that you can run, change and compare. Developed step by step in the guide: ",
    ]
    parts[-1] += ", ".join(f"[{what}]({link})" for what, link in CASES) + "."
    for title, names in groups.items():
        cards = [_card(name, problems[name].summary, solved[name].solution, small) for name in names]
        parts += [f"## {title}", f'<div class="thumbnails">\n{"".join(cards)}</div>']
    parts += ["The choice of variables matters: [which solver is fastest on which viewpoint](viewpoints.md)."]
    pages["gallery/viewpoints.md"] = orphan(f"{_VIEWPOINTS}\n")
    return {**pages, "gallery/index.md": "\n\n".join(parts) + "\n"}


def _card(name: str, says: str, solution: Solution | None, folder: Path) -> str:
    """Return a link with a small picture, which is a file of its own."""
    drawn = ""
    with contextlib.suppress(cpqueens.ModelError):
        if solution is not None:
            (folder / f"{name}.svg").write_text(render(solution, "svg"), encoding="utf-8")
            drawn = f'<img src="../../thumbnails/{name}.svg" alt="" loading="lazy">'
    text = html.escape(says.replace("`", ""))
    return f'<a href="{name}.html">{drawn}<b>{_title(name)}</b><span>{text}</span></a>\n'


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _problem(problem: catalog.Problem, solution: Solution | None) -> str:
    instance = problem.instance()
    parts = [
        "[Gallery](index.md)",
        f"# {_title(problem.name)}",
        _source(problem),
        linked(problem.description.partition("\n>>>")[0].strip()),
    ]
    if solution is not None:
        parts += ["A solution:", _picture(solution)]
    parts.append(fenced("sh", "\n".join(commands(problem.name))))
    parts += [
        "In Python:",
        fenced(
            "python", f"{imported(problem.name)}\n\nprint({problem.name}().solve(time_limit=10).solution)"
        ),
    ]
    parts += [
        "## The model",
        fenced("python", f"{runnable(problem.function)}\n\nprint(m.solve(time_limit=10).solution)"),
    ]
    if problem.published:
        parts += [
            f"## {called(problem.published[0].source).capitalize()} values",
            _published(problem.published),
        ]
    parts += likes.section(problem.name, instance.model.objective is not None)
    return orphan("\n\n".join(parts) + "\n")


def _published(values: Iterable[Published]) -> str:
    """Return a row for each series of values; their parameters stand before them."""
    rows: dict[tuple[str, str], list[str]] = {}
    for value in values:
        given = ", ".join(_parameter(name, one) for name, one in value.parameters.items())
        told = f"**{value.value:,}**" + (f" ({given})" if given else "")
        rows.setdefault((value.what, linked(value.source)), []).append(told)
    return table(
        ("of what", "values", "source"),
        ((what, ", ".join(told), source) for (what, source), told in rows.items()),
    )


def _parameter(name: str, value: object) -> str:
    """Return what is given; what is long as code, which breaks where a line ends."""
    said = f"{name}={value}"
    return said if len(said) < 20 else f"`{said}`"


def commands(name: str) -> list[str]:
    """Return what to type; of exact solvers those that end soon, where not all do."""
    some = likes.soon(name, _EXACT)
    only = f" --solvers {','.join(some)}" if some and len(some) < len(_EXACT) else ""
    return [f"cpqueens solve {name}", f"cpqueens cross-check {name}{only}"]


def imported(name: str) -> str:
    """Return how the function that makes the model is imported."""
    return f"from cpqueens.models.{name} import {name}"


def _source(problem: catalog.Problem) -> str:
    """Return what the problem's file says first: what it is, and who stated it."""
    said = inspect.getmodule(problem.function).__doc__ or ""
    return f"*{linked(said.partition(chr(10) * 2)[0].replace(chr(10), ' ').replace('``', '`').strip())}*"


def _picture(solution: Solution) -> str:
    try:
        return f'<div class="picture paper">\n{render(solution, "svg")}\n</div>'
    except cpqueens.ModelError:
        return f"```text\n{render(solution, 'board')}\n```"
