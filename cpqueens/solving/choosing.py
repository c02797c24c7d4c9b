"""Which backend a name means: plain ones, ``heuristic+exact``, and what ``auto`` takes for a model."""

from typing import cast

from cpqueens.backends import named
from cpqueens.backends.base import Backend, Want
from cpqueens.errors import UnsupportedRequest
from cpqueens.language.statement import Statement
from cpqueens.lowered.structures.table import Structures
from cpqueens.solving.handover import hand_over
from cpqueens.solving.race import Race

LARGE_BOARD = 21
"""Variables from which ``auto`` asks local search first for queens."""

LONG_SERIES = 12
"""The same for all-interval series, of which shorter ones are solved at once by anything."""

MANY_BOXES = 15
"""Rectangles from which local search is asked first if they must leave nothing empty."""

MOST_CELLS = 5_000
"""Variables up to which all-interval series and magic squares are looked for: it takes their arrays."""

_PERMUTATION = "a large permutation"


def named_solver(solver: str) -> tuple[str, Backend, str | None]:
    """Return name, backend and strategy of ``backend``, ``backend:strategy`` or ``heuristic+exact``.

    Raises
    ------
    UnknownBackend
        If there is none of this name, or it lacks the strategy.
    MissingLibrary
        If its library is not installed.
    """
    if isinstance(solver, str) and "+" in solver:
        both = hand_over(solver)
        return both.name, both, None
    name, strategy = named.split_name(solver)
    return name, named.get_backend(name), strategy


def recording_solver(solver: str) -> str:
    """Return the name of the solver that records where ``solver`` is asked to: of ``auto`` an own one.

    Raises
    ------
    UnsupportedRequest
        If it records nothing.
    UnknownBackend
        If there is none of this name, or it lacks the strategy.
    """
    if solver == "auto":
        return "backtracking"  # which records on every model
    name, backend, strategy = named_solver(solver)
    both = "+" in solver  # of which neither hands its trace on
    if both or "trace" not in named.parameters_of(backend, strategy):
        able = ", ".join(named.backends_with("trace"))
        raise UnsupportedRequest(f"{name} records no trace; only this package's own engines do: {able}")
    return solver


def choose(model: Statement, solver: str | Backend, want: Want) -> tuple[str, Backend, str | None]:
    """Return name, backend and strategy; ``auto`` takes the installed ones fit for what is wanted."""
    if not isinstance(solver, str) and hasattr(solver, "run"):
        return solver.name, solver, None
    if not isinstance(solver, str) or solver != "auto":
        return named_solver(cast(str, solver))
    exact = ("cpsat", "backtracking", "python-constraint")
    listing = ("backtracking", "cpsat", "python-constraint")
    fit = exact if want in (Want.ONE, Want.BEST) else listing
    first = next(name for name in fit if named.is_installed(name))
    if not named.is_installed("cpsat"):
        return named_solver(first)
    reason = _suits_local_search(model) if want is Want.ONE else None
    if reason is not None:
        both = hand_over("local-search+cpsat")
        both.reason = f"{reason}, for which local search has a kernel"
        return both.name, both, None
    return "auto", Race(named.get_backend(first)), None


def _suits_local_search(model: Statement) -> str | None:
    """Say what a model is for which local search has a kernel, and that is too large for the others."""
    size, structures = len(model.decisions), Structures(model)
    if size >= LARGE_BOARD and structures.find_stated("shifted_permutation") is not None:
        return _PERMUTATION
    if LONG_SERIES <= size <= MOST_CELLS and (structures.find("path") or structures.find("lines")):
        return _PERMUTATION
    boxes = structures.find("packing") if structures.states("NoOverlap2D") else None
    fill = boxes is not None and len(boxes.rows) >= MANY_BOXES and boxes.spare == 0
    return "many rectangles that fill all there is" if fill else None
