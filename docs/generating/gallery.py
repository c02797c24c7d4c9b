"""A page for each problem: picture, model, published values, command."""

import inspect
from collections.abc import Iterable

import cpqueens
from cpqueens.answers.outcome import Solution
from cpqueens.problems import catalog
from cpqueens.problems.published import Published
from cpqueens.report.formats import render
from cpqueens.report.gallery import statement_of
from generating import likes
from generating.tables import fenced, linked, table, toctree

_VIEWPOINTS = """## Which solver likes which viewpoint

Some problems can be stated in other variables with the same solutions (`viewpoint=`). The table is what
`tests/benchmarks/bench_viewpoints.py` wrote; `>` is how long a run had taken when its limit ended it,
and `no proof` a heuristic that ended without one. `compare` proves for small sizes of each that the
solutions are the same.

```{include} ../../files/viewpoints.txt
```"""


_EXACT = ("backtracking", "cpsat", "python-constraint")


def pages() -> dict[str, str]:
    """Return a page for each problem."""
    pages = {f"gallery/{name}.md": _problem(catalog.find(name)) for name in catalog.names()}
    rows = [(f"[{_title(name)}]({name}.md)", catalog.find(name).summary) for name in catalog.names()]
    parts = ["# Gallery", table(("problem", "what is asked"), rows), _VIEWPOINTS, toctree(catalog.names())]
    index = "\n\n".join(parts) + "\n"
    return {**pages, "gallery/index.md": index}


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _problem(problem: catalog.Problem) -> str:
    instance = problem.instance()
    solution = instance.model.solve(time_limit=60, random_seed=1).solution
    parts = [
        f"# {_title(problem.name)}",
        _source(problem),
        linked(problem.description.partition("\n>>>")[0].strip()),
    ]
    if solution is not None:
        parts += ["A solution:", _picture(solution)]
    parts.append(fenced("sh", "\n".join(commands(problem.name))))
    parts += ["In Python:", fenced("python", f"{imported(problem.name)}\n\nprint({problem.name}().solve())")]
    parts += ["## The model", fenced("python", statement_of(problem.function))]
    if problem.published:
        parts += ["## Published values", _published(problem.published)]
    parts += likes.section(problem.name, instance.model.objective is not None)
    return "\n\n".join(parts) + "\n"


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
