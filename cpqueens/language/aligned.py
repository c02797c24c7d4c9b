"""Series and frames of pandas beside what has labels, too: the same label stands for the same thing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cpqueens.errors import ModelError
from cpqueens.language.unknown import Unknown
from cpqueens.text.plaintext import shown

_BY_PLACE = "write .to_numpy() to take it by place"


def is_framed(value: Any) -> bool:
    """Say whether a value is a series or a frame."""
    return not isinstance(value, Unknown) and hasattr(value, "iloc")  # a term says at length what it has not


def in_order(value: Any, labels: Sequence[Sequence[Any] | None], beside: str = "what is beside it") -> Any:
    """Return a series or a frame as an array in the order of labels along its axes; all else as it is.

    Axes go together from the last one on, as NumPy broadcasts them. Labels 0, 1, 2, ... are what pandas has
    where nobody gave any: they go by place, unless both sides have the same.

    Raises
    ------
    ModelError
        Where both sides have labels, and not the same.
    """
    if not is_framed(value) or not any(axis is not None for axis in labels):
        return value
    array = value.to_numpy()
    for axis in range(-min(len(value.axes), len(labels)), 0):
        wanted = labels[axis]
        order = None if wanted is None else _places(value.axes[axis].tolist(), list(wanted), beside)
        array = array if order is None else array.take(order, axis)
    return array


def _places(given: list[Any], wanted: list[Any], beside: str) -> list[int] | None:
    """Return where the wanted labels stand among the given ones; None for what goes by place."""
    places, own = {label: k for k, label in enumerate(given)}, set(wanted)
    if len(places) == len(given) and places.keys() == own:
        return [places[label] for label in wanted]
    if len(given) == 1 < len(wanted):  # one for all, unless it is one of theirs: what a filter left
        if given[0] not in own or given == [0]:
            return None
    elif _is_counting(given) or _is_counting(wanted):
        return None
    if len(places) < len(given):
        twice = next(label for k, label in enumerate(given) if places[label] != k)
        raise ModelError(f"labels of pandas: {shown(twice)} is there twice; {_BY_PLACE}")
    extra = next((label for label in given if label not in own), None)
    if extra is not None:
        what = f"has the label {shown(extra)}, which {beside} has not ({shown(wanted, 60)})"
    else:
        what = f"has no label {shown(next(one for one in wanted if one not in places))}, which {beside} has"
    raise ModelError(f"a series or frame {what}; {_BY_PLACE}")


def _is_counting(labels: list[Any]) -> bool:
    return labels == list(range(len(labels))) and not any(isinstance(label, bool) for label in labels)
