"""Every solver that CPMpy reaches, as an exact backend: one process a solver, kept between runs.

Which solvers CPMpy reaches: the libraries that they need, and the integers that they take.

Nothing is imported to know what is installed: CPMpy alone takes half a second.
"""

import atexit
import importlib.util
import shutil
import time
from collections.abc import Mapping
from typing import Any

from cpqueens.backends.base import Deliver, Ended, Feature, Order, Parameter, Request, StopReason, Want
from cpqueens.backends.cpmpy.cpmpy_constraints import supports
from cpqueens.errors import BackendFault, MissingLibrary, UnsupportedConstraint
from cpqueens.language.statement import Statement
from cpqueens.lowered.lowering import lower
from cpqueens.system.children import LOOK_EVERY, Worker, processor_seconds
from cpqueens.text.plaintext import one_line

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


_idle: dict[str, Worker] = {}
"""Processes that wait for their next model, one a solver."""


class Cpmpy:
    """Any installed solver behind CPMpy, named as in ``cpmpy:choco``, by export to CPMpy.

    Source: Guns, "Increasing modeling language convenience with a universal n-dimensional array, CPpy as
    python-embedded example", ModRef 2019; the library `cpmpy`.
    """

    name = "cpmpy"
    proves = True
    features = frozenset({Feature.ENUMERATE, Feature.OBJECTIVE})
    order = Order.ANY
    parameters: Mapping[str, Parameter] = {}
    exporter = "CPMpy's transformations"
    """What all its solvers share."""

    @property
    def strategies(self) -> tuple[str, ...]:
        """The solvers that are installed."""
        return installed()

    def family_of(self, strategy: str | None) -> str:
        """Return what a solver is not independent of."""
        solver = strategy or self._default()
        return {"ortools": "cpsat", "rc2": "cpmpy:pysat"}.get(solver, f"cpmpy:{solver}")

    def can_express(self, model: Statement) -> bool:
        """Say whether every constraint can be written (raises if not)."""
        lower(model, supports, self.name)
        return True

    def _default(self) -> str:
        found = [name for name in self.strategies if name != "ortools"]
        return (found or ["ortools"])[0]

    def run(self, model: Statement, request: Request, deliver: Deliver) -> Ended:
        """Send the model to the solver's process, and read what comes back.

        Raises
        ------
        UnsupportedConstraint
            For what the solver, or CPMpy's transformation for it, does not take; before the search.
        BackendFault
            If the process died, or the solver failed.
        """
        solver = request.strategy or self._default()
        if not is_installed(solver):
            raise MissingLibrary(f"solver 'cpmpy:{solver}': pip install {MODULES[solver][1]}")
        _refuse(solver, model, request)
        started = time.monotonic()
        how = lower(model, supports, self.name).how
        facts = {"constraints": how, "translate_time": time.monotonic() - started}
        wanted = {Want.BEST: "best", Want.ONE: "one"}.get(request.want, "all")
        question = (plain(model), wanted, request.spare > 0)
        return ask(solver, "cpqueens.backends.cpmpy.serving:serve", question, request, deliver, facts)


def plain(model: Statement) -> Statement:
    """Return a model without what a process has no use for, and what may not travel."""
    copied = model.copy()
    copied.view = copied._giver = None
    return copied


def ask(
    solver: str,
    function: str,
    question: tuple[Any, ...],
    request: Request,
    deliver: Deliver,
    facts: dict[str, Any],
) -> Ended:
    """Send a question to a solver's process, one that waits or a new one, and read what comes back.

    Raises
    ------
    UnsupportedConstraint
        For what the solver does not take.
    BackendFault
        If the process died, or the solver failed.
    """
    worker = _idle.pop(solver, None)
    if worker is not None and worker.connection.poll(0):  # nothing but its end can have come
        worker.end()
        worker = None
    worker = worker or Worker(function, (solver,))
    kind = ""
    try:
        kind, *said = _last_said(solver, worker, question, request, deliver)
    finally:
        if kind not in ("ended", "unsupported") or _idle.setdefault(solver, worker) is not worker:
            worker.end()
    if kind == "failed":
        raise BackendFault(f"cpmpy:{solver} crashed: {one_line(said[0])[:300]}", "CRASH")
    if kind == "unsupported":
        raise UnsupportedConstraint(f"cpmpy:{solver} does not take it: {one_line(said[0])[:300]}")
    if kind == "stopped":
        return Ended(False, said[0], statistics=facts)
    exhausted, objective = said
    reason = StopReason.EXHAUSTED if exhausted else StopReason.GAVE_UP
    if request.want is Want.ONE and not exhausted:
        reason = StopReason.SOLUTION_LIMIT
    return Ended(exhausted, reason, objective, objective, statistics=facts)


def _last_said(
    solver: str, worker: Worker, question: tuple[Any, ...], request: Request, deliver: Deliver
) -> tuple[Any, ...]:
    """Ask, deliver what is found, and return the last that is said; ``stopped`` and why where we ended it."""
    before = processor_seconds(worker.pid)
    if before is not None:
        request.clock.measure(lambda: (processor_seconds(worker.pid) or before) - before)
    try:
        worker.connection.send(question)
        while not request.should_stop():
            if worker.connection.poll(LOOK_EVERY):
                kind, *said = worker.connection.recv()
                if kind != "rows":
                    return kind, *said
                # Of one solution the end follows at once.
                if not deliver(said[0]) and request.want is not Want.ONE:
                    return "stopped", StopReason.SOLUTION_LIMIT
    except (EOFError, ConnectionError) as error:
        code = worker.end(1.0)
        died = f"died of signal {-code}" if code is not None and code < 0 else f"ended with {code}"
        raise BackendFault(f"cpmpy:{solver} crashed: its process {died}", "CRASH") from error
    return "stopped", request.why_stopped()


def end_idle() -> None:
    """End the processes that wait for their next model."""
    while _idle:
        _idle.popitem()[1].end()


atexit.register(end_idle)


def _refuse(solver: str, model: Statement, request: Request) -> None:
    """Raise for what is known to be too much for a solver."""
    refused = REFUSED.get(solver, ())
    if request.want is Want.BEST and NO_OBJECTIVE in refused:
        raise UnsupportedConstraint(f"cpmpy:{solver} takes no objective")
    if request.want is not Want.BEST and NO_DECISION in refused:
        raise UnsupportedConstraint(f"cpmpy:{solver} takes only models with an objective")
    if request.want in (Want.ALL, Want.COUNT) and NO_LIST in refused:
        raise UnsupportedConstraint(f"cpmpy:{solver} does not list all solutions")
    most = LARGEST.get(solver)
    if most is None or not len(model.lower):
        return
    large = max(-int(model.lower.min()), int(model.upper.max()))
    if large > most:
        raise UnsupportedConstraint(f"cpmpy:{solver} takes integers up to {most}, and one may be {large}")
