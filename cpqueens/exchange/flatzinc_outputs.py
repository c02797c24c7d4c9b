"""What is written out of a solution, as annotations of FlatZinc say."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from cpqueens.errors import ModelError
from cpqueens.exchange import flatzinc_text as text


@dataclass(frozen=True)
class Output:
    """One output item of a solution: a variable, or an array with its index sets.

    Attributes
    ----------
    name, is_bool
        Of what, and whether its values are Booleans.
    items
        A term or an integer for each entry, in C order; one for a variable.
    indices
        The index sets of an array; None for a variable.
    """

    name: str
    items: tuple[Any, ...]
    indices: tuple[range, ...] | None
    is_bool: bool


def is_output(found: text.Declared) -> bool:
    """Say whether a variable or an array is written out."""
    wanted = "output_var" if found.size is None else "output_array"
    return found.is_variable and any(name_of(a) == wanted for a in found.annotations)


def name_of(annotation: text.Name | text.Annotation) -> str:
    """Return the name of an annotation."""
    return annotation.name if isinstance(annotation, text.Annotation) else str(annotation)


def index_sets(array: text.Declared) -> tuple[range, ...]:
    """Return the index sets of an array that is written out.

    Raises
    ------
    ModelError
        If they are none, or do not fit its size.
    """
    call = next(a for a in array.annotations if name_of(a) == "output_array")
    sets = call.arguments[0] if isinstance(call, text.Annotation) and call.arguments else None
    if not isinstance(sets, list) or not sets or not all(isinstance(s, range) for s in sets):
        raise ModelError(f"{array.name}: output_array needs a list of index sets")
    if math.prod(max(0, s.stop - s.start) for s in sets) != len(array.value):
        raise ModelError(
            f"{array.name}: the index sets of output_array do not fit {len(array.value)} entries"
        )
    return tuple(sets)


def shape_of(array: text.Declared) -> tuple[int, ...] | None:
    """Return the shape of an array that is written out, None of one that is empty or a single variable."""
    if not any(name_of(a) == "output_array" for a in array.annotations):
        return None
    return tuple(s.stop - s.start for s in index_sets(array)) if array.value else None
