"""What is a model of another library, where an imported one came from, and how values go back there."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from cpqueens.answers.outcome import Outcome, Solution
from cpqueens.errors import ModelError, NoSolution
from cpqueens.model import Model
from cpqueens.text.foreign import no_attribute, read_by
from cpqueens.text.parameters import needed


@dataclass(frozen=True, eq=False)
class Imported:
    """An imported model.

    >>> from constraint import Problem
    >>> from cpqueens import from_python_constraint
    >>> theirs = Problem()
    >>> theirs.addVariables("ab", [1, 2])
    >>> theirs.addConstraint(lambda a, b: a < b, "ab")
    >>> ours = from_python_constraint(theirs)
    >>> ours.values(ours.model.solve())
    {'a': 1, 'b': 2}

    Attributes
    ----------
    model
        The model here; everything can be done with it.
    names
        For each variable there, by its name, the term here.
    write
        Gives the variables there their values, and returns what that library's evaluation refuses.
    """

    model: Model
    names: Mapping[str, Any]
    write: Callable[[Mapping[str, int]], list[str]] = field(repr=False)

    def __post_init__(self) -> None:
        self.model._giver = self.write_back  # so that an answer of the model can say `write_back()`

    if not TYPE_CHECKING:  # to a type checker a class with this has every attribute

        def __getattr__(self, name: str) -> NoReturn:
            if not name.startswith("_") and hasattr(Model, name):
                text = f"'Imported' object has no attribute {name!r}; write .model.{name}"
                raise AttributeError(text, name=name, obj=self)
            raise no_attribute(self, name)

    def values(self, answer: Outcome | Solution) -> dict[str, int]:
        """Return the values of a solution by the names of the imported variables.

        Raises
        ------
        NoSolution
            If there is none.
        """
        needed(answer, (Outcome, Solution), "an answer")
        solution = answer.solution if isinstance(answer, Outcome) else answer
        if solution is None:
            raise NoSolution("the outcome has no solution to give back")
        return {name: int(solution[term]) for name, term in self.names.items()}

    def write_back(self, answer: Outcome | Solution) -> dict[str, int]:
        """Write the values of a solution into the imported variables; return these by name.

        Raises
        ------
        NoSolution
            If there is none.
        ModelError
            If that library's own evaluation does not accept them.
        """
        values = self.values(answer)
        wrong = self.write(values)
        if wrong:
            raise ModelError(f"the other library does not accept the values: {wrong[0]}")
        return values


# ---- what is a model, here or in another library, told without importing any of these -----------------

_HOMES = {
    "from_cpmpy": "cpqueens.exchange.cpmpy",
    "from_cpsat": "cpqueens.exchange.cpsat",
    "from_python_constraint": "cpqueens.exchange.python_constraint",
}
"""Where the functions are that `cpqueens.text.foreign.read_by` names."""


def is_model(value: Any) -> bool:
    """Say whether something is a model of ours or of a library that we read."""
    return isinstance(value, Model) or read_by(value) is not None


def as_model(value: Any) -> Model:
    """Return such a model as one of ours.

    Raises
    ------
    ModelError
        If it has something that cannot be expressed here.
    """
    if isinstance(value, Model):
        return value
    name = read_by(value)
    assert name is not None, "a model is needed, see is_model"
    model: Model = getattr(importlib.import_module(_HOMES[name]), name)(value).model
    return model
