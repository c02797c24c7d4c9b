"""Writing a model and translating it for CP-SAT, against OR-Tools written well and CPMpy, in one run.

Run as ``python tests/benchmarks/bench_writing.py [--rounds N] [--only WORDS]``; ``race.py`` says how it is
measured, ``writing.py`` and ``writing_loops.py`` have the models. Ours goes through `Model` and
`Model.to_cpsat`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

from ortools.sat.python import cp_model
from race import Absent, Work, arguments, race, show
from writing import JOBS, Writer
from writing_loops import LOOPS

import cpqueens

NO_CPMPY = Absent("make bench installs it (pip install --group benchmark)")


def done(build: Callable[[], object]) -> Work:
    """Return the work of building something; nothing is compared."""

    def work(turn: int) -> bool:
        return build() is not None

    return work


def cpmpy_translated(write: Writer) -> Work | Absent:
    """Return CPMpy's work, translation included."""
    if importlib.util.find_spec("cpmpy") is None:
        return NO_CPMPY
    import cpmpy

    return done(lambda: cpmpy.SolverLookup.get("ortools", write(cpmpy)))


def main() -> None:
    """Print the tables."""
    parser = arguments(__doc__, rounds=5)
    parser.add_argument("--only", default="", help="jobs with these words in their names")
    given = parser.parse_args()
    for name, job in {**JOBS, **LOOPS}.items():
        if given.only not in name:
            continue
        works = {
            "cpqueens, to_cpsat": done(lambda job=job: job.ours(cpqueens).to_cpsat()),  # type: ignore[misc]
            "raw OR-Tools": done(lambda job=job: job.ortools(cp_model)),  # type: ignore[misc]
            "CPMpy, to OR-Tools": cpmpy_translated(job.cpmpy),
        }
        show(name, race(works, given.rounds), f"aim: at most {job.allowed} times OR-Tools, 0.6 times CPMpy")


if __name__ == "__main__":
    main()
