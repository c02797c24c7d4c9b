"""Which labels the axes of an expression have: those of the variables that its elements are made of."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from cpqueens.language.domains import Labels
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray

if TYPE_CHECKING:
    from cpqueens.language.named_values import NamedValues


def axis_labels(model: NamedValues, terms: LinearArray) -> list[tuple[Labels, IntArray] | None]:
    """Return labels for each axis of terms of the model, and which of them; None for an axis that has none.

    An axis has the labels of an axis of variables if each place along it has one of them: so have slices,
    transposed arrays, sums along other axes, functions and Booleans. In running totals each place has those
    of the place before and one more, which is its own.
    """
    found: list[tuple[Labels, IntArray] | None] = [None] * terms.ndim
    if not terms.size or not terms.ndim or not any(block.labels for block in model.blocks):
        return found
    whole = model.blocks.from_variable(int(terms.variables[0, 0])) if terms.width == 1 else None
    if (
        whole is not None
        and whole.shape == terms.shape
        and np.array_equal(terms.variables[:, 0], np.arange(whole.first, whole.first + whole.size))
    ):
        each = whole.labels or found
        return [None if labels is None else (labels, np.arange(len(labels))) for labels in each]
    places = np.array(list(_reached(model, terms)), dtype=np.int64).reshape(-1, 2).T
    each_labelled = list(_labelled(model, *places))
    for rule in (_along, _running_along):
        for labels, at, labelled in each_labelled:
            where = np.unravel_index(at, terms.shape)
            for axis, size in enumerate(terms.shape):
                along = rule(where[axis], labelled, size) if found[axis] is None else None
                if along is not None:
                    found[axis] = labels, along
                    break
    return found


def _reached(model: NamedValues, terms: LinearArray) -> Iterator[tuple[int, int]]:
    """Yield the flat place of each element beside each decision variable that it is made of."""
    for place, (variables, _, _) in enumerate(terms.rows()):
        pending, seen = list(variables), set(variables)
        while pending:
            variable = pending.pop()
            produced = model.producer(variable)
            if produced is None:
                yield place, variable
                continue
            definition, row = produced
            one = (
                definition.take(np.array([row]), np.array([variable])) if definition.size > 1 else definition
            )
            inner = {v for argument in one.arguments for v in argument.scope().tolist()} - seen
            seen |= inner
            pending += inner


def _labelled(
    model: NamedValues, places: IntArray, variables: IntArray
) -> Iterator[tuple[Labels, IntArray, IntArray]]:
    """Yield for each labelled axis of variables the places that reach these, and where along that axis."""
    for block in model.blocks:
        inside = (variables >= block.first) & (variables < block.first + math.prod(block.shape))
        if block.labels and inside.any():
            index = np.unravel_index(variables[inside] - block.first, block.shape)
            for axis, labels in enumerate(block.labels):
                if labels is not None:
                    yield labels, places[inside], index[axis]


def _along(where: IntArray, labelled: IntArray, size: int) -> IntArray | None:
    """Return the place of a label for each place along an axis; None unless each has its own."""
    found = np.full(size, -1, dtype=np.int64)
    found[where] = labelled
    fits = (found[where] == labelled).all() and found.min() >= 0 and len(np.unique(found)) == size
    return found if fits else None


def _running_along(where: IntArray, labelled: IntArray, size: int) -> IntArray | None:
    """Return the label that each place has beside those of the one before; None unless there is one each."""
    has = np.zeros((size + 1, int(labelled.max()) + 1), dtype=np.bool_)  # the last one is empty
    has[where, labelled] = True
    many = has.sum(axis=1)
    order = np.argsort(many)
    rises = (many[order] == np.arange(size + 1)).all() and not (has[order[:-1]] & ~has[order[1:]]).any()
    if not rises:
        return None
    found = np.empty(size, dtype=np.int64)
    found[order[1:]] = (has[order[1:]] & ~has[order[:-1]]).argmax(axis=1)
    return found
