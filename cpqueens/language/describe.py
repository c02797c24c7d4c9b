"""Terms and constraints as one line of text, for messages and reports."""

from typing import Protocol

import numpy as np

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.constraints.table_rows import has_stars, written
from cpqueens.language.definitions import Definition
from cpqueens.language.expressions import LinearArray

_LONGEST = 60


class Named(Protocol):
    """What gives variables their names: a model."""

    def name_of(self, variable: int) -> str:
        """Return the name of a variable."""

    def producer(self, variable: int) -> tuple[Definition, int] | None:
        """Return the definition of a defined variable and its row there, else None."""


def describe_term(model: Named, row: tuple[list[int], list[int], int]) -> str:
    """Return one term as text, such as ``q[0] - 2*q[1] + 3``."""
    variables, coefficients, constant = row
    parts: list[str] = []
    for v, a in zip(variables, coefficients, strict=True):
        size = "" if abs(a) == 1 else f"{abs(a)}*"
        sign = ("-" if a < 0 else "") if not parts else (" - " if a < 0 else " + ")
        parts.append(f"{sign}{size}{model.name_of(v)}")
        if len(parts) == 8 and len(variables) > 8:
            parts.append(" + ...")
            break
    if constant or not parts:
        parts.append(f" {'-' if constant < 0 else '+'} {abs(constant)}" if parts else str(constant))
    return "".join(parts)


def describe_array(model: Named, array: LinearArray) -> str:
    """Return an array of terms as text, shortened in the middle of long ones."""
    rows = list(array.reshape(-1)[:5].rows()) if array.size else []
    if array.shape == ():
        return describe_term(model, rows[0])
    dots = ", ..." if array.size > 5 else ""
    return "[" + ", ".join(describe_term(model, row) for row in rows) + dots + "]"


def describe(model: Named, constraint: Constraint) -> str:
    """Return a constraint as text, such as ``q[0] - q[1] != 0`` or ``AllDifferent([q[0], ...])``."""
    if isinstance(constraint, Linear):
        return f"{describe_array(model, constraint.expression)} {constraint.relation} 0"
    parts = []
    for name in constraint.fields:
        value = getattr(constraint, name)
        if isinstance(value, LinearArray):
            parts.append(describe_array(model, value))
        else:
            rows = isinstance(value, np.ndarray) and has_stars(value)
            text = str(written(value) if rows else value).replace("\n", "")
            parts.append(f"{name}={text if len(text) <= _LONGEST else text[: _LONGEST - 3] + '...'}")
    return f"{constraint.kind}({', '.join(parts)})"


def describe_variable(model: Named, variable: int) -> str:
    """Return a defined variable as the function it stands for, such as ``abs(q[0] - q[1])``."""
    produced = model.producer(variable)
    if produced is None:
        return model.name_of(variable)
    definition, row = produced
    constraint = getattr(definition, "constraint", None)
    if constraint is not None:
        return f"truth({describe(model, constraint)})" if definition.size == 1 else f"truth #{variable}"
    one = definition.take(np.array([row]), definition.results[row : row + 1])
    arguments = [
        describe_term(model, next(a.rows())) if a.size == 1 else describe_array(model, a)
        for a in one.arguments
    ]
    return f"{definition.kind}({', '.join(arguments)})"
