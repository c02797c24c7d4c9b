"""Which backend a name means: plain ones, ``heuristic+exact``, and what ``auto`` takes for a model."""

from __future__ import annotations

from typing import cast

from cpqueens.backends import named
from cpqueens.backends.base import Backend, Want
from cpqueens.language.statement import Statement
from cpqueens.solving.handover import hand_over

LARGE_BOARD = 150
"""Variables from which ``auto`` asks local search first, where it knows the pattern."""


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


def choose(model: Statement, solver: str | Backend, want: Want) -> tuple[str, Backend, str | None]:
    """Return name, backend and strategy; ``auto`` takes the first installed one fit for what is wanted."""
    if not isinstance(solver, str) and hasattr(solver, "run"):
        return solver.name, solver, None
    if isinstance(solver, str) and solver == "auto":
        exact = ["cpsat", "backtracking", "python-constraint"]
        listing = ["backtracking", "cpsat", "python-constraint"]
        fit = exact if want in (Want.ONE, Want.BEST) else listing
        solver = next(name for name in fit if name in named.registered() and named.is_installed(name))
        if want is Want.ONE and solver == "cpsat" and _is_large_board(model):
            solver = "local-search+cpsat"
    return named_solver(cast(str, solver))


def _is_large_board(model: Statement) -> bool:
    """Say whether a model is queens, or a relative, too large for CP-SAT alone."""
    if len(model.decisions) < LARGE_BOARD:
        return False
    from cpqueens.lowered.permutations import shifted_permutation_of

    return shifted_permutation_of(model) is not None
