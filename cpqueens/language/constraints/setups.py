"""Times between two tasks, given for each pair of tasks, of types or of labels."""

from typing import Any

import numpy as np

from cpqueens.errors import IntegerError, ModelError
from cpqueens.language.conversion import as_linear, listed
from cpqueens.language.expressions import LinearArray, Operand, Registry
from cpqueens.language.labels import in_order


def by_labels(setup: Any, types: Any, start: Any) -> tuple[Any, Any]:
    """Return the times of a frame in the order of the tasks, or of its rows, and the rows of named types."""
    if types is None:
        labels = start.registry.labels_along(start)[-1:] if isinstance(start, Operand) else []
        return listed(in_order(setup, 2 * labels, "the tasks")), None
    rows = setup.index.tolist()
    times = listed(in_order(setup, [rows, rows], "its index"))
    if isinstance(types, Operand):
        return times, types
    places = {label: k for k, label in enumerate(rows)}
    return times, [places.get(one, one) for one in np.asarray(listed(types)).reshape(-1).tolist()]


def rows_of_types(registry: Registry, types: Any, many: int) -> LinearArray:
    """Return the row of ``setup`` for each task."""
    try:
        return as_linear(registry, listed(types), "types").reshape(-1)
    except IntegerError as error:
        raise IntegerError(
            f"NoOverlap: {error}; for each task its row of setup, 0 to {many - 1}, or, of a frame, the label"
        ) from None


def by_type(setup: LinearArray, types: LinearArray) -> LinearArray:
    """Return the time between each two tasks, by their types."""
    if setup.ndim != 2 or setup.shape[0] != setup.shape[1]:
        raise ModelError(f"NoOverlap: setup: a row and a column for each type, got shape {setup.shape}")
    if not types.coefficients.any():
        numbers = types.constants
        wrong = numbers[(numbers < 0) | (numbers >= len(setup))]
        if wrong.size:
            raise ModelError(f"NoOverlap: types: from 0 to {len(setup) - 1}, got {wrong[0]}")
        return setup[np.ix_(numbers, numbers)]
    return setup[types[:, None], types[None, :]]
