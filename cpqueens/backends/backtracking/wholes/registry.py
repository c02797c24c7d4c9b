"""The kinds of constraints that the exact engine takes as they are."""

from collections.abc import Mapping

from cpqueens.backends.backtracking.wholes import (
    circuit,
    count,
    global_cardinality,
    inverse,
    lexicographic,
    n_value,
    regular,
    table,
    tasks,
    value_precede,
)
from cpqueens.backends.backtracking.wholes.parts import WholeKind
from cpqueens.language.constraints.base import Constraint

WHOLES: Mapping[str, WholeKind] = {
    "Among": count.AMONG,
    "Circuit": circuit.TAKEN,
    "Count": count.COUNT,
    "Cumulative": tasks.CUMULATIVE,
    "GlobalCardinality": global_cardinality.TAKEN,
    "Inverse": inverse.TAKEN,
    "LexChainLess": lexicographic.CHAIN,
    "LexChainLessEqual": lexicographic.CHAIN,
    "LexLess": lexicographic.PAIR,
    "LexLessEqual": lexicographic.PAIR,
    "NValue": n_value.TAKEN,
    "NegativeTable": table.NEGATIVE,
    "NoOverlap": tasks.NO_OVERLAP,
    "Regular": regular.TAKEN,
    "ShortTable": table.SHORT,
    "SubCircuit": circuit.TAKEN,
    "ValuePrecede": value_precede.TAKEN,
}
"""By kind of constraint."""


def takes(constraint: Constraint) -> bool:
    """Say whether the engine takes a plain constraint as it is."""
    kind = WHOLES.get(constraint.kind)
    return kind is not None and kind.when(constraint)
