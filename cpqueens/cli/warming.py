"""Compiling all kernels at once: runs that together call each in the forms in which models need it.

``python -m cpqueens.cli.warming`` compiles each in one form, without those that differ in the model's parts
alone: what the tests need.
"""

from collections.abc import Callable, Iterator, Mapping
from multiprocessing.connection import wait
from typing import Any

from cpqueens.errors import CpqueensError
from cpqueens.kernels.exact import apart
from cpqueens.kernels.jit import tiers
from cpqueens.language.constraints.cumulative import NoOverlap2D
from cpqueens.model import Model
from cpqueens.problems import catalog
from cpqueens.solving.solve import count_solutions
from cpqueens.system.children import Worker

_PATIENCE = 10.0  # seconds for an end after all is done

Run = tuple[str, str, str, Mapping[str, Any]]
"""Problem, its size, solver, options."""

RUNS: tuple[Run, ...] = (
    ("queens", "n=6", "backtracking:bitmask", {}),
    ("queens", "n=5", "backtracking:check", {}),
    ("queens", "n=5", "backtracking:rowmask", {}),
    ("queens", "n=5", "backtracking:table", {}),
    ("superqueens", "n=5", "backtracking:bitmask", {}),
    ("costas_array", "n=4", "backtracking:sums", {}),
    ("all_interval", "n=5", "backtracking:forward", {}),
    ("all_interval", "n=7", "backtracking:learning", {}),
    ("queens", "n=6", "las-vegas", {"stop_vegas": 3, "step_limit": 300}),
    ("all_interval", "n=5", "las-vegas", {"stop_vegas": 2, "step_limit": 300}),
    ("queens", "n=9", "local-search:sosic-gu-4", {}),
    ("magic_square", "n=6", "local-search:exchange", {"step_limit": 100}),
    ("all_interval", "n=8", "local-search:reversal", {}),
    ("costas_array", "n=7", "local-search:auto", {}),
    ("peaceable_queens", "n=3", "local-search:auto", {"step_limit": 600}),
    ("job_shop", "instance=guide", "local-search:auto", {"step_limit": 100}),
    ("squares", "", "local-search:auto", {"step_limit": 400}),
    ("travelling_salesman", "cities=9", "local-search:auto", {"step_limit": 100}),
    ("graph_colouring", "size=5", "local-search:auto", {"step_limit": 100}),
    ("car_sequencing", "viewpoint=classes", "local-search:auto", {"step_limit": 100}),
    ("queens", "n=5", "local-search:annealing", {"schedule": "rowwise", "step_limit": 100}),
    ("queens", "n=5", "local-search:sosic-gu", {"hint": {"q": [0, 1, 1, 2, 2]}}),
    *(
        ("queens", "n=7", f"local-search:{strategy}", {"step_limit": 100})
        for strategy in ("tabu", "hill-climbing", "annealing", "sosic-gu")
    ),
    ("all_interval", "n=7", "local-search:tabu", {"step_limit": 100}),
    ("toroidal_queens", "n=5", "local-search:tabu", {"step_limit": 100}),
)
"""Each kernel; `tabu` for every part that constraints may need, by which local search tells models."""

FURTHER: tuple[Run, ...] = tuple(
    (problem, size, f"local-search:{strategy}", {"step_limit": 100})
    for problem, size in (("all_interval", "n=7"), ("toroidal_queens", "n=5"))
    for strategy in ("hill-climbing", "annealing", "sosic-gu")
)
"""The other walks for the parts beyond the first."""

MANY: tuple[Run, ...] = (
    *(
        ("queens", "n=6", f"local-search:{strategy}", {"step_limit": 100})
        for strategy in ("tabu", "annealing", "sosic-gu-4")
    ),
    *(
        (problem, "n=5", f"local-search:{strategy}", {"step_limit": 100, **options})
        for problem in ("queens", "latin_square")  # with kernels for lines, and without
        for strategy, options in (
            ("hill-climbing", {}),
            ("sosic-gu", {}),
            ("annealing", {"schedule": "rowwise"}),
        )
    ),
    ("queens", "n=6", "las-vegas", {"step_limit": 300}),
)
"""The same for `Model.runs`."""

NUMBER = len((*RUNS, *FURTHER, *MANY, *apart.NAMES)) + 1
"""Of all that `compile_all` names."""

GROUPS: tuple[Callable[[str, str], bool], ...] = (
    lambda problem, solver: problem not in ("", "toroidal_queens") and not _on_values(problem, solver),
    lambda problem, solver: not problem,
    lambda problem, solver: _on_values(problem, solver),
    lambda problem, solver: problem == "toroidal_queens" and _is_walk(solver),
    lambda problem, solver: problem == "toroidal_queens" and not _is_walk(solver),
)
"""Runs that share most of what their kernels call, and so are made by one process; then propagators."""


def _on_values(problem: str, solver: str) -> bool:
    return problem in ("queens", "latin_square") and solver.startswith("local-search")


def _is_walk(solver: str) -> bool:
    return solver in ("local-search:tabu", "local-search:hill-climbing")


def model_of(problem: str, size: str) -> Model:
    """Return a problem of the catalogue; or ``squares``, which are packed: those of Moron's rectangle."""
    if problem != "squares":
        return catalog.load(problem, [size]).model
    sizes, m = (18, 15, 14, 10, 9, 8, 7, 4, 1), Model(problem)
    x, y = (m.intvar(0, [side - size for size in sizes], shape=len(sizes)) for side in (33, 32))
    m.add(NoOverlap2D(x, sizes, y, sizes))
    return m


def warm(group: int, whole: bool) -> Iterator[str]:
    """Make the runs of a group one after the other, with machine code from the first step; name each.

    If not ``whole``, without those of `FURTHER`.
    """
    belongs = GROUPS[group]
    with tiers.mode("here"):
        for problem, size, solver, options in (*RUNS, *FURTHER) if whole else RUNS:
            if belongs(problem, solver):
                yield f"{solver} on {problem}"
                model_of(problem, size).solve(solver=solver, random_seed=1, **options)
        for problem, size, solver, options in MANY:
            if belongs(problem, solver):
                yield f"many runs of {solver} on {problem}"
                model_of(problem, size).runs(solver, 2, **options)
        for name in apart.NAMES if belongs("", "") else ():
            yield f"propagation of {name}"
            apart.compile_apart(name)
        if belongs("queens", "backtracking:halves"):
            yield "backtracking:halves on queens"
            count_solutions(catalog.load("queens", ["n=6"]).model, "backtracking:halves")


def compile_all(processes: int, whole: bool = True) -> Iterator[str]:
    """Make all runs, in so many processes; name each as it begins. If not ``whole``, see `warm`.

    Raises
    ------
    CpqueensError
        If a process does not come to its end.
    """
    waiting = list(range(len(GROUPS)))
    workers: dict[Any, Worker] = {}
    try:
        while waiting or workers:
            while waiting and len(workers) < processes:
                worker = Worker("cpqueens.cli.warming:work", (waiting.pop(0), whole))
                workers[worker.connection] = worker
            connection: Any
            for connection in wait(list(workers)):
                try:
                    said = connection.recv()
                except (EOFError, OSError):
                    raise CpqueensError("a process that compiles kernels has died") from None
                if said:
                    yield said
                else:
                    workers.pop(connection).end(_PATIENCE)
    finally:
        for worker in workers.values():
            worker.end()


def work(connection: Any, group: int, whole: bool) -> None:
    """Make the runs of a group, in a process of its own: name each, and at the end say nothing."""
    for name in warm(group, whole):
        connection.send(name)
    connection.send("")


if __name__ == "__main__":
    for run in compile_all(2, whole=False):
        print(run, flush=True)
