"""Which solvers CPMpy reaches: the libraries that they need, and the integers that they take.

Nothing is imported to know what is installed: CPMpy alone takes half a second.
"""

from __future__ import annotations

import importlib.util
import shutil

MODULES: dict[str, tuple[str, str]] = {
    "choco": ("pychoco", "pychoco"),
    "cplex": ("docplex", "docplex"),
    "cpo": ("docplex", "docplex"),
    "exact": ("exact", "exact"),
    "gcs": ("gcspy", "gcspy"),
    "gurobi": ("gurobipy", "gurobipy"),
    "hexaly": ("hexaly", "hexaly"),
    "highs": ("highspy", "highspy"),
    "ortools": ("ortools", "ortools"),
    "pindakaas": ("pindakaas", "pindakaas"),
    "pumpkin": ("pumpkin_solver", "pumpkin-solver"),
    "pysat": ("pysat", "python-sat"),
    "pysdd": ("pysdd", "PySDD"),
    "rc2": ("pysat", "python-sat"),
    "scip": ("pyscipopt", "pyscipopt"),
    "z3": ("z3", "z3-solver"),
}
"""By CPMpy's name: the module that is imported, and the library on PyPI that has it."""

LARGEST = {"choco": 21_474_836, "gcs": 2**31 - 1, "pumpkin": 2**31 - 1}
LARGEST |= dict.fromkeys(("pindakaas", "pysat", "rc2"), 2**24)
LARGEST |= dict.fromkeys(("cplex", "gurobi", "highs", "scip"), 10**6)
"""The greatest integers, by their size, of solvers that compute with 32 bits or with floating-point numbers.

Choco's own limit is lower. Pindakaas and PySAT would take more, but write clauses until memory is full. HiGHS
1.16 lost solutions of models with integers of 2^53.
"""

NO_OBJECTIVE, NO_DECISION, NO_LIST = "objectives", "models without an objective", "lists of solutions"

REFUSED: dict[str, tuple[str, ...]] = {
    "gurobi": (NO_LIST, "large models without a licence"),
    "hexaly": ("all without a licence",),
    "pindakaas": (NO_OBJECTIVE,),
    "pysat": (NO_OBJECTIVE,),
    "pysdd": (NO_OBJECTIVE, "integers and sums"),
    "rc2": (NO_DECISION,),
}
"""What solvers do not take, as runs showed; CPLEX, CP Optimizer and Glasgow's solver were not run."""

_FOR_SUMS = {"pysat": "pypblib", "rc2": "pypblib"}
"""Libraries without which a solver of clauses takes no sums."""

_PROGRAMS = {"cplex": "cplex", "cpo": "cpoptimizer"}
"""What must be there beside the library."""


def is_installed(solver: str) -> bool:
    """Say whether CPMpy and what a solver needs are there."""
    program = _PROGRAMS.get(solver)
    found = all(importlib.util.find_spec(module) for module in ("cpmpy", MODULES[solver][0]))
    return found and (program is None or shutil.which(program) is not None)


def installed() -> tuple[str, ...]:
    """Return the names of the solvers that are installed."""
    return tuple(name for name in MODULES if is_installed(name))


def refuses(solver: str) -> str:
    """Return what an installed solver does not take, and what to install for it; "" if it takes all."""
    library = _FOR_SUMS.get(solver)
    needed = library is not None and not importlib.util.find_spec(library)
    return ", ".join([*REFUSED.get(solver, ()), *([f"sums without pip install {library}"] if needed else [])])


def missing() -> dict[str, str]:
    """Return for each solver that is not installed, and that a wheel brings, what installs it."""
    return {name: f"pip install {module[1]}" for name, module in MODULES.items()
            if name not in _PROGRAMS and not is_installed(name)}  # fmt: skip
