"""Answers as frames of pandas, which is imported when the first is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.answers.lookup import terms_of
from cpqueens.errors import ModelError
from cpqueens.language.axes import axis_labels
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.system.requirements import need
from cpqueens.text.plaintext import shown

if TYPE_CHECKING:
    import pandas as pd


Read = Callable[[Any], Any]
"""Returns the value(s) of terms, or of the variable of this name."""


def frame_of_solution(
    model: Statement, known: IntArray, read: Read, expressions: tuple[Any, ...], long: bool
) -> pd.DataFrame:
    """Return what `Solution.to_frame` does; ``read`` says what values are in the solution."""
    pandas = _pandas()
    if not expressions:
        names = [model.name_of(v) for v in known.tolist()]
        return pandas.DataFrame({"value": [read(name) for name in names]}, index=names)
    columns = _columns(model, expressions)
    first, *others = columns.values()
    if first.ndim > 1 and not others and not long:
        *outer, inner = _indices(model, first)
        values = np.asarray(read(first)).reshape(-1, first.shape[-1])
        return pandas.DataFrame(values, index=_product(outer), columns=inner, copy=True)
    unlike = next((t for t in others if t.shape != first.shape), None)
    if unlike is not None:
        raise ModelError(f"to_frame: columns of one shape are needed, got {first.shape} and {unlike.shape}")
    table = {name: np.asarray(read(terms)).reshape(-1) for name, terms in columns.items()}
    index = _product(_indices(model, first)) if first.ndim else None
    return pandas.DataFrame(table, index=index, copy=True)


def frame_of_set(model: Statement, known: IntArray, many: int, read: Read, expression: Any) -> pd.DataFrame:
    """Return what `SolutionSet.to_frame` does; ``read`` says what values are in so many solutions."""
    pandas = _pandas()
    index = pandas.RangeIndex(many, name="solution")
    if expression is None:
        return pandas.DataFrame(
            {name: read(name) for name in map(model.name_of, known.tolist())}, index=index
        )
    ((name, terms),) = _columns(model, (expression,)).items()
    labels = _product(_indices(model, terms)) if terms.ndim else [name]
    return pandas.DataFrame(read(terms).reshape(many, terms.size), index=index, columns=labels, copy=True)


def _pandas() -> Any:
    need("pandas", "pandas")
    import pandas

    return pandas


def _columns(model: Statement, expressions: tuple[Any, ...]) -> dict[Any, LinearArray]:
    """Return terms by their columns: named by a dict, else as the variables, or "value"."""
    columns: dict[Any, LinearArray] = {}
    for given in expressions:
        named = given if isinstance(given, Mapping) else {None: given}
        for name, expression in named.items():
            terms = terms_of(model, expression, "to_frame: terms or the name of a variable are needed")
            label = name or _name(model, terms) or "value"
            if label in columns:
                raise ModelError(
                    f"to_frame: two columns {shown(label)}; name them, as in to_frame({{name: x}})"
                )
            columns[label] = terms
    return columns


def _name(model: Statement, terms: LinearArray) -> str:
    """Return the name of the array that all these variables are in, "" for any other terms."""
    if not terms.size or terms.width != 1 or (terms.coefficients != 1).any() or terms.constants.any():
        return "" if terms.shape else model.text_of(terms)
    if model.is_defined[terms.variables].any():
        return "" if terms.shape else model.text_of(terms)
    first, last = (model.blocks.block_of(int(v)) for v in (terms.variables.min(), terms.variables.max()))
    return first.name if first is last else ""


def _indices(model: Statement, terms: LinearArray) -> list[Any]:
    """Return an index of pandas for each axis: of labels, or of positions."""
    import pandas

    found = zip(axis_labels(model, terms), terms.shape, strict=True)
    return [
        pandas.RangeIndex(size) if axis is None else pandas.Index(axis[0])[axis[1]] for axis, size in found
    ]


def _product(indices: list[Any]) -> Any:
    import pandas

    return indices[0] if len(indices) == 1 else pandas.MultiIndex.from_product(indices)
