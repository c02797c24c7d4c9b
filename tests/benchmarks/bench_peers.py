"""NuCS, Gecode and CP-SAT beside us on classical problems, those where we are behind included.

Run as ``python tests/benchmarks/bench_peers.py [--only TEXT]``; ``race.py`` says how it is measured,
``stated.py`` how each states its problem, ``peers.py`` how NuCS and Gecode are installed. Warm, one thread
each. Ours goes through the public interface with the solver that the row names, and is checked.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from peers import NUCS, gecode_all, gecode_first, gecode_least, nucs_all, nucs_first, nucs_least
from race import Absent, Work, arguments, race, show
from stated import PROBLEMS, Stated

from cpqueens import Model, Outcome

SOLVERS = {"all": ("backtracking",), "first": ("backtracking", "cpsat"), "least": ("backtracking", "cpsat")}
TITLES = {"all": "all {}", "first": "a first solution: {}", "least": "the least, proved: {}"}


def ours_all(model: Model, solver: str, patience: float) -> object:
    """All solutions, every value read."""
    outcome = model.enumerate(solver=solver, num_workers=1, time_limit=patience)
    return len(outcome.solutions.matrix.tolist()) if outcome.complete else None


def ours_first(model: Model, solver: str, patience: float) -> object:
    """A first solution, read; False if it is proved that there is none."""
    outcome = model.solve(solver=solver, num_workers=1, time_limit=patience)
    if outcome.solution is None:
        return False if outcome.complete else None
    return bool(outcome.solution.as_dict())


def ours_least(model: Model, solver: str, patience: float) -> object:
    """The least value of the objective, proved, and its solution read."""
    outcome: Outcome = model.solve(solver=solver, num_workers=1, time_limit=patience)
    if not outcome.complete or outcome.solution is None:
        return None
    outcome.solution.as_dict()
    return outcome.objective


OURS: dict[str, Callable[[Model, str, float], object]] = {
    "all": ours_all,
    "first": ours_first,
    "least": ours_least,
}


def ours(stated: Stated, solver: str, patience: float) -> Work:
    """Build the model, solve it and read what was found."""
    solve = OURS[stated.wanted]
    return lambda turn: solve(stated.ours(), solver, patience)


def with_nucs(stated: Stated) -> Work | Absent:
    """The same by NuCS."""
    if stated.wanted == "least":
        assert stated.objective is not None
        return nucs_least(stated.nucs, stated.objective, stated.search)
    return (nucs_all if stated.wanted == "all" else nucs_first)(stated.nucs, stated.search)


def with_gecode(stated: Stated, folder: Path, patience: float) -> Work | Absent:
    """The same by Gecode."""
    if stated.wanted == "least":
        return gecode_least(stated.minizinc, stated.data, folder, patience, "length")
    works = gecode_all if stated.wanted == "all" else gecode_first
    return works(stated.minizinc, stated.data, folder, patience)


def main() -> None:
    """Print the tables."""
    parser = arguments(__doc__, rounds=5)
    parser.add_argument("--only", default="", metavar="TEXT", help="problems whose name has this text")
    options = parser.parse_args()
    for label, stated in PROBLEMS.items():
        if options.only not in label:
            continue
        with tempfile.TemporaryDirectory() as name:
            works = {
                f"cpqueens, {solver}, checked": ours(stated, solver, options.patience)
                for solver in SOLVERS[stated.wanted]
            }
            works |= {NUCS: with_nucs(stated)}
            if stated.minizinc:
                works |= {"Gecode, flattened before": with_gecode(stated, Path(name), options.patience)}
            show(TITLES[stated.wanted].format(label), race(works, options.rounds))


if __name__ == "__main__":
    main()
