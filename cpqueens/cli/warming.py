"""Compiling all kernels at once: runs that together call each in the forms in which models need it."""

from collections.abc import Iterator, Mapping
from typing import Any

from cpqueens.problems import catalog

RUNS: tuple[tuple[str, str, str, Mapping[str, Any]], ...] = (
    ("queens", "n=6", "backtracking:bitmask", {}),
    ("queens", "n=5", "backtracking:check", {}),
    ("queens", "n=5", "backtracking:rowmask", {}),
    ("queens", "n=5", "backtracking:table", {}),
    ("superqueens", "n=5", "backtracking:bitmask", {}),
    ("costas_array", "n=4", "backtracking:sums", {}),
    ("all_interval", "n=5", "backtracking:forward", {}),
    ("queens", "n=6", "las-vegas", {"stop_vegas": 3, "step_limit": 300}),
    ("all_interval", "n=5", "las-vegas", {"stop_vegas": 2, "step_limit": 300}),
    ("queens", "n=9", "local-search:sosic-gu-4", {}),
    ("magic_square", "n=6", "local-search:exchange", {"step_limit": 100}),
    ("all_interval", "n=8", "local-search:reversal", {}),
    ("costas_array", "n=7", "local-search:auto", {}),
    ("queens", "n=5", "local-search:annealing", {"schedule": "rowwise", "step_limit": 100}),
    ("queens", "n=5", "local-search:sosic-gu", {"hint": {"q": [0, 1, 1, 2, 2]}}),
    *(
        (problem, size, f"local-search:{strategy}", {"step_limit": 100})
        for problem, size in (("queens", "n=7"), ("all_interval", "n=7"), ("toroidal_queens", "n=5"))
        for strategy in ("tabu", "hill-climbing", "annealing", "sosic-gu")
    ),
)
"""Problem, its size, solver, options. Local search tells models by the parts that their constraints need."""

MANY: tuple[tuple[str, str, str, Mapping[str, Any]], ...] = (
    *(
        ("queens", "n=6", f"local-search:{strategy}", {"step_limit": 100})
        for strategy in ("tabu", "hill-climbing", "annealing", "sosic-gu", "sosic-gu-4")
    ),
    ("queens", "n=5", "local-search:annealing", {"schedule": "rowwise", "step_limit": 100}),
    ("queens", "n=6", "las-vegas", {"step_limit": 300}),
)
"""The same for `Model.runs`."""


def warm() -> Iterator[str]:
    """Make the runs one after the other, with machine code from the first step; name each beforehand."""
    from cpqueens.kernels import tiers
    from cpqueens.solving.solve import count_solutions

    with tiers.mode("here"):
        for problem, size, solver, options in RUNS:
            yield f"{solver} on {problem}"
            catalog.load(problem, [size]).model.solve(solver=solver, random_seed=1, **options)
        for problem, size, solver, options in MANY:
            yield f"many runs of {solver} on {problem}"
            catalog.load(problem, [size]).model.runs(solver, 2, **options)
        yield "backtracking:halves on queens"
        count_solutions(catalog.load("queens", ["n=6"]).model, "backtracking:halves")
