"""The network of a search that learns clauses: clauses are no propagators, each change has a reason."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from cpqueens.backends.backtracking.clauses import StatedClauses
from cpqueens.backends.backtracking.decomposed import DECOMPOSED, ExplainedParts, add_number, add_table
from cpqueens.backends.backtracking.memory import LISTED_DEFINED, memory_of
from cpqueens.backends.backtracking.network import Builder
from cpqueens.backends.backtracking.rows import Proved, Row
from cpqueens.backends.backtracking.wholes.implied import is_empty_board
from cpqueens.backends.backtracking.wholes.parts import Propagator
from cpqueens.backends.known import LearnedClauses
from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.kernels.exact.learning import literals as lit
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Compiled, DefinitionBlock
from cpqueens.lowered.forms import Origins

DROPPED = ("all_different_values", "distances", "fractional_bound", "tour_bound")
"""Propagators of what others say, which are explained by all that their arguments have lost."""

SHORT = 4
"""Arguments up to which that is not much."""

LARGEST = 1 << 18
"""Variables and listed values, together, of the largest model with which it is begun."""


@dataclass(frozen=True)
class Explained:
    """What a search that learns starts from.

    Attributes
    ----------
    objective
        The objective's propagator, -1 for none.
    decided
        Variables that may be decided: the model's, and all others that have two values.
    """

    memory: at.Memory
    objective: int
    clauses: LearnedClauses
    decided: list[int]


class ExplainedBuilder(Builder, ExplainedParts):
    """Collects clauses apart, if that is asked for; a sum in an AllDifferent is a variable of its own."""

    def __init__(
        self, compiled: Compiled, apart: bool, sources: Origins | None, without: Collection[str]
    ) -> None:
        super().__init__(compiled, not is_empty_board(compiled), True, sources, without)
        self.clausal, self.collected = apart, StatedClauses()
        self.truths_of_values: dict[tuple[int, tuple[int, ...]], int] = {}

    def propagator(self, own: Propagator) -> None:
        """Add a propagator that is compiled apart, unless clauses and rows, or others, say the same."""
        if own.name in DROPPED and len(own.variables) > SHORT:
            return
        if own.name == "among" and add_number(self, own.variables[:-1], list(own.numbers), own.variables[-1]):
            return
        super().propagator(own)

    def table(self, terms: list[Row], rows: IntArray) -> None:
        """Add a table."""
        if not terms or not add_table(self, [self.variable(row) for row in terms], rows):
            super().table(terms, rows)

    def whole(self, constraint: Constraint) -> None:
        """Add a constraint that is taken as it is: as clauses and rows, if there are not too many."""
        decompose = DECOMPOSED.get(constraint.kind)
        if decompose is None or not decompose(constraint, self):
            super().whole(constraint)

    def distinct(self, terms: IntArray, low: int, high: int) -> None:
        """Add an AllDifferent; where it has as many terms as values, some term has each of them."""
        super().distinct(terms, low, high)
        if len(terms) == high - low + 1 and set(terms[:, 1].tolist()) <= {-1, 1}:
            for w in range(low, high + 1):
                self.collected.add([(v, lit.IS, (w - c) * a) for v, a, c in terms.tolist()])

    def add(
        self,
        kind: int,
        variables: Sequence[int],
        coefficients: Sequence[int],
        constant: int = 0,
        result: int = -1,
    ) -> None:
        """Add a propagator, or clauses."""
        literals = [_literal(v, sign > 0) for v, sign in zip(variables, coefficients, strict=True)]
        if self.clausal and kind == kinds.CLAUSE:
            self.collected.add(literals)
        elif self.clausal and kind == kinds.TRUTH_OR:
            self.collected.add([*literals, _literal(result, False)])
            for v, sign in zip(variables, coefficients, strict=True):
                self.collected.add([_literal(v, sign < 0), _literal(result, True)])
        else:
            super().add(kind, variables, coefficients, constant, result)

    def functions(self, block: DefinitionBlock, flat: IntArray, ends: IntArray | None = None) -> None:
        """Add functions; all of a product of truths that is a truth is said by clauses."""
        rows = np.column_stack([flat.reshape(-1, block.each), block.results]).tolist()
        is_truth = all(self.lower[v] >= 0 and self.upper[v] <= 1 for row in rows for v in row)
        if block.kind == "product" and is_truth and self.clausal:
            for x, y, result in rows:
                self.add(kinds.CLAUSE, (x, result), (1, -1))
                self.add(kinds.CLAUSE, (y, result), (1, -1))
                self.add(kinds.CLAUSE, (x, y, result), (-1, -1, 1))
        else:
            super().functions(block, flat, ends)

    def all_different(self, terms: list[Row]) -> None:
        """Add an AllDifferent."""
        super().all_different(
            [row if len(row[0]) == 1 else ((self.variable(row),), (1,), 0) for row in terms]
        )


def _literal(v: int, positive: bool) -> tuple[int, int, int]:
    """Return the literal that a 0/1 variable is 1, or 0."""
    return v, lit.AT_LEAST if positive else lit.AT_MOST, int(positive)


def explained(
    compiled: Compiled,
    apart: bool = True,
    proved: Proved = (),
    sources: Origins | None = None,
    without: Collection[str] = (),
) -> Explained | str:
    """Return what a search that learns starts from, or why it cannot; with all clauses ``apart``, or none.

    ``proved`` are rows that hold in every solution (see `Relaxation`). With
    ``sources``, where all comes from, it has the counters of a profile.
    """
    spans = compiled.upper - compiled.lower + 1
    if len(spans) + spans[spans <= LISTED_DEFINED].sum() > LARGEST:
        return "too many values"
    builder = ExplainedBuilder(compiled, apart, sources, without)
    builder.build(proved)
    low, high = np.array(builder.lower), np.array(builder.upper)
    memory, objective = memory_of(builder, False, True)
    if memory.x.size // at.X_WIDTH + memory.stack[at.MARKS] > LARGEST:
        return "too many values"
    decided = [*range(compiled.decision_count), *builder.decided]
    decided += np.flatnonzero((low == 0) & (high == 1)).tolist()
    return Explained(memory, objective, builder.collected.of_model(), list(dict.fromkeys(decided)))
