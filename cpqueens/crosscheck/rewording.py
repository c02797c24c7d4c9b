"""Which connectives are clauses of relations in other words, which is no decomposition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import Connective
from cpqueens.language.definitions import Truth
from cpqueens.language.term import Term

if TYPE_CHECKING:
    from cpqueens.model import Model

_KINDS = frozenset({"And", "Implication", "Negation", "Or"})


class Rewording:
    """Says of connectives of one model whether they are clauses in other words; each definition once."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known: dict[int, bool] = {}

    def clause(self, constraint: Constraint) -> bool:
        """Say whether it is a clause, a conjunction of such or a negation, of relations and 0/1 variables.

        Every engine takes these as they are: that ``a -> b`` is ``not a or b`` is no decomposition that could
        deceive two of them.

        Parameters
        ----------
        constraint
            Any constraint of the model.
        """
        if not isinstance(constraint, Connective) or constraint.kind not in _KINDS:
            return False
        if constraint.operands is not None:
            return all(map(self._literal, constraint.operands))
        return all(map(self._variable, set(constraint.literals.variables.ravel().tolist())))

    def _literal(self, truth: Any) -> bool:
        if isinstance(truth, Term):
            return all(map(self._variable, truth.variable_list))
        return truth.kind == "Linear" or self.clause(truth)

    def _variable(self, variable: int) -> bool:
        made = self._model.producer(variable)
        if made is None:
            return True
        definition = made[0]
        if id(definition) not in self._known:
            inner = definition.constraint if isinstance(definition, Truth) else None
            self._known[id(definition)] = inner is not None and self._literal(inner)
        return self._known[id(definition)]
