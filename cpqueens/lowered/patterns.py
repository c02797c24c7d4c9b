"""What a compiled model turns out to be, for searches that are made for it: the one place to ask.

Patterns are found in the arrays, never by a problem's name, each when an engine first asks for it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from cpqueens.lowered.boards import find_shifted, find_sums
from cpqueens.lowered.compiled import PLAIN_KINDS, Compiled, Takes, compile_model
from cpqueens.lowered.permutations import find_lines, find_path, find_shifted_permutation
from cpqueens.lowered.schedules import TaskNetwork, find_schedule

if TYPE_CHECKING:
    from cpqueens.kernels.boards.pattern import Pattern
    from cpqueens.kernels.boards.sum_pattern import SumPattern
    from cpqueens.language.statement import Statement
    from cpqueens.lowered.permutations import LinesPermutation, PathPermutation, ShiftedPermutation


class Patterns:
    """A compiled model and its patterns, each None where the model is not exactly that."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled

    @cached_property
    def widest(self) -> int:
        """How many values lie between the bounds of a decision variable, at most."""
        n = self.compiled.decision_count
        return int((self.compiled.upper[:n] - self.compiled.lower[:n]).max(initial=0)) + 1

    @cached_property
    def shifted(self) -> Pattern | None:
        """AllDifferents over shifted variables of few values: queens, toroidal queens, Latin squares."""
        return find_shifted(self.compiled)

    @cached_property
    def sums(self) -> SumPattern | None:
        """AllDifferents over sums of variables of few values: Costas arrays."""
        return find_sums(self.compiled)

    @cached_property
    def shifted_permutation(self) -> ShiftedPermutation | None:
        """One permutation under AllDifferents over shifted variables: queens of any size."""
        return find_shifted_permutation(self.compiled)

    @cached_property
    def path(self) -> PathPermutation | None:
        """One permutation along a path of differences: all-interval series."""
        return find_path(self.compiled)

    @cached_property
    def lines(self) -> LinesPermutation | None:
        """One permutation under sums of lines: magic squares."""
        return find_lines(self.compiled)

    @cached_property
    def schedule(self) -> TaskNetwork | None:
        """Starts under lags, machines and resources, as early as possible: shops and projects."""
        return find_schedule(self.compiled)


def patterns_of(
    model: Statement,
    kinds: frozenset[str] = PLAIN_KINDS,
    *,
    takes: Takes | None = None,
    objective: bool = True,
    computed: bool = False,
    backend: str = "backend",
) -> Patterns:
    """Compile a model and return it with its patterns: the same for all engines until it changes.

    For the parameters and errors see `compile_model`.
    """
    objective = objective and model.objective is not None
    return model.kept(
        ("patterns", kinds, takes, objective, computed),
        lambda: Patterns(
            compile_model(model, kinds, takes=takes, objective=objective, computed=computed, backend=backend)
        ),
    )
