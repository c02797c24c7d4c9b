"""Some solutions with the values of their defined variables, each evaluated when it is first asked for."""

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.definedness import Defined, defined_terms, evaluate, why_undefined
from cpqueens.language.definitions import Definition
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement


class Completed:
    """Rows of values of all variables of a model, completed as far as they were asked for.

    Parameters
    ----------
    known
        The decision variables that have values, ascending; others were added since.
    decisions
        Their values, (rows, len(known)).
    """

    def __init__(self, model: Statement, known: IntArray, decisions: IntArray) -> None:
        self._model, self._known = model, known
        count = model.variable_count
        self._evaluated = np.zeros(count, dtype=bool)  # or known
        self._late = np.zeros(count, dtype=bool)  # decision variables without a value, and what reaches them
        self._evaluated[known] = True
        self._defined: Defined | None = None  # (rows, variables), from the first partial function on
        if len(known) == count:
            self._values = decisions
        else:
            self._values = np.zeros((len(decisions), count), dtype=np.int64)
            self._values[:, known] = decisions

    def evaluate(self, terms: LinearArray, rows: slice) -> IntArray:
        """Return the values of the model's terms in some of the rows, (rows, size).

        Raises
        ------
        ModelError
            If one reaches a decision variable without a value, or leaves the range.
        """
        terms.bounds()  # what leaves the range could wrap around
        reached = terms.scope()
        self._complete(reached)
        late = reached[self._late[reached]]
        if late.size:
            name = self._model.label_of(self._cause(int(late[0])))
            raise ModelError(f"{name} was added after this run; solve again")
        return terms.evaluate(self._values[rows])

    def undefined(self, terms: LinearArray, rows: slice) -> Defined | None:
        """Return in which of the rows some of the terms have no value, (rows,); None for in none.

        For terms that were evaluated.
        """
        if self._defined is None or not self._model.partial_terms(terms).any():
            return None
        without: Defined = np.logical_not(defined_terms(terms, self._defined[rows]).all(axis=1))
        return without if without.any() else None

    def why_undefined(self, terms: LinearArray, row: int) -> str:
        """Return which function that the terms reach has no value in a row, and why."""
        assert self._defined is not None
        return why_undefined(self._model, [terms], self._values[row], self._defined[row])

    def _complete(self, variables: IntArray) -> None:
        """Evaluate the definitions that these variables reach and that were not evaluated before."""
        if self._model.variable_count > len(self._evaluated):
            self._grow()
        waiting: dict[int, Definition] = {}  # by its first result: in the order of their creation
        pending = [variables]
        while pending:
            scope = pending.pop()
            for v in scope[~self._evaluated[scope]].tolist():
                self._evaluated[v] = True
                produced = self._model.producer(v)
                if produced is None:
                    self._late[v] = True
                    continue
                definition = produced[0]
                self._evaluated[definition.results] = True
                waiting[int(definition.results[0])] = definition
                pending += [argument.scope() for argument in definition.arguments]
        for first in sorted(waiting):
            self._evaluate(waiting[first])

    def _evaluate(self, definition: Definition) -> None:
        results = definition.results
        if self._defined is None and self._model.may_be_undefined[results].any():
            self._defined = np.ones(self._values.shape, dtype=bool)
        if self._defined is None:
            self._values[:, results] = definition.evaluate(self._values)
        else:
            values, defined = evaluate(definition, self._values, self._defined)
            self._values[:, results], self._defined[:, results] = values, defined
        for k, argument in enumerate(definition.arguments):
            late = (self._late[argument.variables] & (argument.coefficients != 0)).any(axis=1)
            if late.any():
                self._late[results] |= ~definition.whole(k, ~late[None, :])[0]

    def _grow(self) -> None:
        """Make room for variables that the model got since; in steps, for loops that define one at a time."""
        old, count = len(self._evaluated), max(self._model.variable_count, 2 * len(self._evaluated))
        values = np.zeros((len(self._values), count), dtype=np.int64)
        values[:, :old] = self._values[:, :old]
        self._values = values
        if self._defined is not None:
            defined = np.ones(values.shape, dtype=bool)
            defined[:, :old] = self._defined[:, :old]
            self._defined = defined
        self._evaluated = np.append(self._evaluated, np.zeros(count - old, dtype=bool))
        self._late = np.append(self._late, np.zeros(count - old, dtype=bool))

    def _cause(self, variable: int) -> int:
        """Return a decision variable without a value that ``variable`` reaches."""
        produced = self._model.producer(variable)
        while produced is not None:
            definition, _ = produced
            scopes = np.concatenate([argument.scope() for argument in definition.arguments])
            variable = int(scopes[self._late[scopes]][0])
            produced = self._model.producer(variable)
        return variable
