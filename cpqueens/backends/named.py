"""The backends by name: a dict of lazy import paths, and the entry points of other packages."""

import importlib
import importlib.util
import inspect
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, cast

from cpqueens.backends.base import Backend, Parameter
from cpqueens.errors import CpqueensError, MissingLibrary, UnknownBackend
from cpqueens.language.statement import Statement
from cpqueens.text.plaintext import did_you_mean, shown

BACKENDS: dict[str, str] = {
    "backtracking": "cpqueens.backends.backtracking.backend:Backtracking",
    "cpmpy": "cpqueens.backends.cpmpy.backend:Cpmpy",
    "cpsat": "cpqueens.backends.cpsat.backend:CpSat",
    "las-vegas": "cpqueens.backends.las_vegas:LasVegas",
    "local-search": "cpqueens.backends.local_search.backend:LocalSearch",
    "minizinc": "cpqueens.backends.minizinc.backend:MiniZinc",
    "python-constraint": "cpqueens.backends.python_constraint.backend:PythonConstraint",
}

REQUIRES: dict[str, tuple[str, str]] = {
    "cpmpy": ("cpmpy", "cpmpy"),
    "cpsat": ("ortools", "ortools"),
    "python-constraint": ("constraint", "python-constraint2"),
}
"""The module that a backend imports, and the library on PyPI that has it."""

ELSEWHERE: dict[str, str] = {
    **dict.fromkeys(("ortools", "or-tools", "ortools-cpsat", "cp-sat", "cp-sat-lp", "sat"), "cpsat"),
    **dict.fromkeys(("constraint", "python-constraint2"), "python-constraint"),
    **dict.fromkeys(("default", "any", "best", "automatic"), "auto"),
    **{name: f"minizinc:{name}" for name in ("gecode", "chuffed", "highs", "coin-bc", "scip")},
    **{name: f"cpmpy:{name}" for name in ("choco", "pumpkin", "exact", "z3", "pysat", "gcs")},
}
"""What solvers are called here that are known by these names."""

PROGRAMS: dict[str, tuple[str, str]] = {
    "minizinc": ("minizinc", "install MiniZinc from https://www.minizinc.org"),
}
"""The program that a backend starts, and what to do where there is none."""

ASKED_FOR = ("cpmpy", "minizinc")
"""Backends that stand for solvers of others, used only where they are asked for."""


def registered() -> dict[str, str]:
    """Return every backend's name and import path, those of other packages included."""
    return {**_of_other_packages(), **BACKENDS}


@cache
def _of_other_packages() -> dict[str, str]:
    from importlib.metadata import entry_points  # 30 ms that the backends of this package do without

    return {point.name: point.value for point in entry_points(group="cpqueens.backends")}


def available() -> list[str]:
    """Return the names of the backends whose libraries are installed, without those of other programs."""
    return [name for name in registered() if name not in ASKED_FOR and is_installed(name)]


def able_to(fits: Callable[[Backend], bool]) -> str:
    """Return the names of all installed backends that fit, those of other programs last, as text."""
    return ", ".join(name for name in _installed() if fits(get_backend(name))) or "none"


def _installed() -> list[str]:
    return [*available(), *filter(is_installed, ASKED_FOR)]


_found: set[str] = set()
"""Libraries that were there: looking for one takes as long as stating and checking a small model."""


def is_installed(name: str) -> bool:
    """Say whether the library, or the program, that a backend needs is there (without importing it)."""
    if name in PROGRAMS:
        return shutil.which(PROGRAMS[name][0]) is not None
    library = REQUIRES[name][0] if name in REQUIRES else ""
    if library and library not in _found and importlib.util.find_spec(library) is not None:
        _found.add(library)
    return not library or library in _found


def remedy(name: str) -> str:
    """Return what to do where the library of a backend is missing: a command, or why there is none."""
    from cpqueens.system.requirements import requirement

    if name in PROGRAMS:
        return PROGRAMS[name][1]
    return requirement(REQUIRES[name][1]).remedy


@cache
def get_backend(name: str) -> Backend:
    """Return the backend called ``name``.

    Raises
    ------
    UnknownBackend
        If there is none of this name.
    MissingLibrary
        If its library is not installed; the message has the command that installs it, or why there is none.
    """
    paths = BACKENDS if name in BACKENDS else registered()
    if name not in paths:
        plain = name.lower().replace("_", "-").replace(" ", "-")
        here = ELSEWHERE.get(plain) or next((own for own in ("auto", *paths) if own == plain), "")
        advice = f"; did you mean {here!r}?" if here else did_you_mean(name, ["auto", *paths])
        raise UnknownBackend(f"no solver {shown(name)}{advice}")
    if not is_installed(name):
        needed = {**REQUIRES, **PROGRAMS}[name][0]
        raise MissingLibrary(f"solver {name!r} needs {needed}, which is not installed: {remedy(name)}")
    module, _, attribute = paths[name].partition(":")
    return cast(Backend, getattr(importlib.import_module(module), attribute)())


def labelled(solver: Any, options: Mapping[str, Any]) -> str:
    """Return the name of a solver with its parameters, as reports say it."""
    name = solver if isinstance(solver, str) else getattr(solver, "name", "solver")
    listed = ",".join(f"{k}={v}" for k, v in options.items())
    return f"{name}({listed})" if listed else name


@cache
def split_name(solver: str) -> tuple[str, str | None]:
    """Return backend and strategy of ``backend:strategy``.

    Raises
    ------
    UnknownBackend
        If the backend or its strategy does not exist.
    """
    name, colon, strategy = solver.partition(":")
    backend = get_backend(name)
    if colon and not strategy:
        raise UnknownBackend(f"solver {shown(solver)}: the strategy is missing behind the colon")
    if strategy and strategy not in backend.strategies:
        if not backend.strategies:
            raise UnknownBackend(f"solver {name!r} has no strategies, got {shown(solver)}")
        raise UnknownBackend(
            f"no strategy {shown(strategy)} in {shown(name)}{did_you_mean(strategy, backend.strategies)}"
        )
    return name, strategy or None


def families(backend: Backend, strategy: str | None, contributors: Sequence[str] = ()) -> frozenset[str]:
    """Return what a backend's claims are not independent of: who contributed to them, or it itself.

    Heuristics do not count beside solvers that prove: their solutions are checked, and they claim no more.
    """
    if not contributors:
        return frozenset({_family(backend, strategy)})
    made = [(get_backend(name), how) for name, how in map(split_name, contributors)]
    proving = [(one, how) for one, how in made if one.proves] or [(backend, strategy)]
    return frozenset(_family(*one) for one in proving)


def _family(backend: Backend, strategy: str | None) -> str:
    of = getattr(backend, "family_of", None)
    return str(getattr(backend, "family", backend.name) if of is None else of(strategy))


def parameters_of(backend: Backend, strategy: str | None) -> dict[str, Parameter]:
    """Return by name all that a backend with a strategy (None for its default one) can be told."""
    further = getattr(backend, "strategy_parameters", None)
    return {**backend.parameters, **({} if further is None else further(strategy))}


def backends_with(parameter: str) -> list[str]:
    """Return the names of the installed backends that have a parameter of this name with every strategy.

    >>> backends_with("trace")
    ['backtracking', 'las-vegas', 'local-search']
    """
    return [name for name in available() if parameter in get_backend(name).parameters]


def about(backend: Backend, strategy: str | None) -> tuple[str, str]:
    """Return what a strategy (None for a backend that has none) does, in a line, and its source.

    >>> about(get_backend("local-search"), "tabu")[1]
    'Glover, "Tabu search, part I", ORSA Journal on Computing 1, 1989.'
    """
    tell = getattr(backend, "about", None)
    told = tell(strategy) if tell is not None and strategy else type(backend).__doc__
    paragraphs = [" ".join(part.split()) for part in inspect.cleandoc(told or "").split("\n\n")]
    sources = [part.partition("Source: ")[2] for part in paragraphs if part.startswith("Source: ")]
    return paragraphs[0], sources[0] if sources else ""


def able_backends(model: Statement, exclude: str) -> str:
    """Say which installed backends can express the model, for the end of a refusal."""
    able = []
    for name in _installed():
        probe = getattr(get_backend(name), "can_express", None)
        try:
            if name != exclude and (probe is None or probe(model)):
                able.append(name)
        except CpqueensError:
            continue
    return f"backends that can: {', '.join(able) or 'none'}"
