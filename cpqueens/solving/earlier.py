"""An earlier assignment, perhaps of another model, read as values of this model's variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.answers.check import read_values
from cpqueens.answers.outcome import Outcome, Solution
from cpqueens.errors import ModelError
from cpqueens.language.aligned import is_framed
from cpqueens.language.expressions import LinearArray
from cpqueens.language.labels import is_label, text_of_label
from cpqueens.language.rows import IntArray, as_integers
from cpqueens.language.statement import Statement
from cpqueens.text.plaintext import shown

Mask = NDArray[np.bool_]


def earlier_values(model: Statement, near: Any, over: Any = None) -> tuple[IntArray, Mask]:
    """Return values for the decision variables, and for which of them there is one to be compared with.

    ``near`` is a solution or an outcome of this model or of another one, whose variables are found by their
    names and by the labels of their axes, and else by place; or ``{variable or name: values}``, in which a
    frame or a series of pandas is aligned by labels, too; or one frame. A name that a variable cannot take
    any more is a value that it will not have.

    Raises
    ------
    ModelError
        If it is nothing of the kind, or nothing is left to compare.
    """
    wanted = compared_variables(model, over)
    known = model.decisions
    row, given = np.zeros(len(known), dtype=np.int64), np.zeros(len(known), dtype=bool)
    if isinstance(near, Outcome):
        near = near.solution or near.closest
    if is_framed(near):
        near = _by_name(model, near, over)
    if isinstance(near, Solution):
        for name, part in near._parts():
            if name in model.blocks.by_name:
                old = near.model
                labels = old.blocks.by_name[name].labels or (None,) * part.ndim
                texts = old.labels.of_array.get(name)
                values = part if texts is None else _named(part, texts)
                _take(model, model[name], values, labels, row, given)
    elif isinstance(near, Mapping):
        plain = {key: value for key, value in near.items() if not is_framed(value)}
        row, given, problems = read_values(model, plain)
        if problems:
            raise ModelError(f"near: {problems[0]}")
        for key in near.keys() - plain.keys():
            terms = model.own_terms(model[key] if isinstance(key, str) else key)
            axes = [axis.tolist() for axis in near[key].axes]
            _take(model, terms, near[key].to_numpy(), axes, row, given)
    else:
        raise ModelError(
            f"near: {{variable: values}}, a frame, a solution or an outcome is needed, got {shown(near)}"
        )
    given &= wanted
    if not given.any():
        raise ModelError("near: no variable of the model has an earlier value there")
    return row, given


def compared_variables(model: Statement, over: Any) -> Mask:
    """Return which decision variables are compared: those that are named, or all.

    Raises
    ------
    ModelError
        For anything but decision variables.
    """
    known = model.decisions
    if over is None:
        return np.ones(len(known), dtype=bool)
    parts: Iterable[Any] = [over] if isinstance(over, str | LinearArray) else over
    wanted = np.zeros(len(known), dtype=bool)
    try:
        for part in parts:
            wanted[np.searchsorted(known, plain_variables_of(model, part))] = True
    except (TypeError, AttributeError):
        raise ModelError(f"over: variables in a list are needed, got {shown(over)}") from None
    return wanted


def plain_variables_of(model: Statement, x: Any) -> IntArray:
    """Return the decision variables that terms are (or the variable of a name is), in their shape.

    Raises
    ------
    ModelError
        For expressions.
    """
    terms = model.own_terms(model[x] if isinstance(x, str) else x)
    flat = terms.reshape(-1)
    single = flat.width == 1 and bool((flat.coefficients == 1).all()) and not flat.constants.any()
    if flat.size and (not single or model.is_defined[flat.variables[:, 0]].any()):
        raise ModelError(f"{model.text_of(terms):.60}: decision variables are compared, not expressions")
    return flat.variables[:, :1].reshape(terms.shape)


def _by_name(model: Statement, frame: Any, over: Any) -> dict[Any, Any]:
    """Return what one frame has values of: the one array, or variables by their names in its index."""
    if "value" in getattr(frame, "columns", ()):
        return dict(zip(frame.index.tolist(), frame["value"].tolist(), strict=True))
    named = [over] if isinstance(over, str | LinearArray) else list(over or ())
    arrays = named or [block.name for block in model.blocks]
    if len(arrays) != 1:
        raise ModelError("near: a frame of which array? Write near={x: frame}, or over=[x]")
    return {arrays[0]: frame}


def _named(values: IntArray, texts: Mapping[int, Any]) -> NDArray[Any]:
    named = np.empty(values.shape, dtype=object)
    named.reshape(-1)[:] = [texts.get(value, value) for value in values.reshape(-1).tolist()]
    return named


def _take(
    model: Statement,
    terms: LinearArray,
    values: NDArray[Any],
    labels: Sequence[Sequence[Any] | None],
    row: IntArray,
    given: Mask,
) -> None:
    """Write values beside their variables: those at the same labels or, where there are none, places."""
    variables = plain_variables_of(model, terms)
    if variables.ndim != values.ndim:
        raise ModelError(
            f"near: {model.text_of(terms):.60} has {variables.ndim} axes, the earlier one {values.ndim}"
        )
    if not variables.size or not values.size:
        return
    axes = zip(model.labels_along(terms), labels, variables.shape, values.shape, strict=True)
    here, there = zip(*(_common(*axis) for axis in axes), strict=True) if values.ndim else ((), ())
    found = np.atleast_1d(variables[np.ix_(*here)]).reshape(-1)
    names = model.names_of(int(variables.reshape(-1)[0]))
    part = np.atleast_1d(values[np.ix_(*there)]).reshape(-1).tolist()
    if names is not None:
        numbers = {text_of_label(label): number for number, label in names.items()}
        gone = max(names) + 1
        part = [numbers.get(text_of_label(v), gone) if is_label(v) else v for v in part]
    at = np.searchsorted(model.decisions, found)
    row[at], given[at] = as_integers(part, "near", whole=True), True


def _common(
    mine: Sequence[Any] | None, others: Sequence[Any] | None, size: int, many: int
) -> tuple[list[int], list[int]]:
    """Return the places along an axis that both sides have, here and there."""
    if mine is None or others is None or list(others) == list(range(many)):
        return list(range(min(size, many))), list(range(min(size, many)))
    places = {label: k for k, label in enumerate(others)}
    pairs = [(k, places[label]) for k, label in enumerate(mine) if label in places]
    return [k for k, _ in pairs], [k for _, k in pairs]
