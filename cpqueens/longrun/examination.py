"""What a worker answers is examined before it is believed: all that was asked for, of the right types."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from cpqueens.longrun.work import DIGITS, Counted
from cpqueens.text.plaintext import shown

Reader = Callable[[Counted], object]
"""Reads what a result has beside its count; a `ValueError`, `TypeError` or `LookupError` refuses it."""

_NAME = 200
_MOST = 10**DIGITS


class BadAnswer(ValueError):  # noqa: N818 - says what happened
    """A worker's answer is not one to the question."""


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < _MOST


def _are_residues(value: Any) -> bool:
    return type(value) is tuple and len(value) == 2 and all(type(one) is int for one in value)


def _are_seconds(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < math.inf


def _is_name(value: Any) -> bool:
    return type(value) is str and value.isprintable() and len(value) <= _NAME


_FIELDS: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("part", lambda value: type(value) is int, "an integer"),
    ("count", _is_count, "an integer from 0 on"),
    ("residues", _are_residues, "two integers"),
    ("seconds", _are_seconds, "a number from 0 on"),
    ("worker", _is_name, f"a name of at most {_NAME} characters"),
    ("content", lambda value: value is None or (type(value) is str and value.isascii()), "a text in ASCII"),
)


def examine(answer: Any, parts: Sequence[int], read: Reader) -> list[Counted]:
    """Return a worker's answer if it has a result for each of the parts, and nothing else.

    A result may stand twice in it: the ledger compares the two.

    Raises
    ------
    BadAnswer
        In one line: what is wrong with it.
    """
    if type(answer) is not list:
        raise BadAnswer(f"a worker answered {shown(answer, 80)}; a list of results is needed")
    asked = set(parts)
    for found in answer:
        _examine_one(found, asked, read)
    dropped = asked - {found.part for found in answer}
    if dropped:
        raise BadAnswer(f"a worker answered {len(answer)} results, and none for part {min(dropped)}")
    return answer


def _examine_one(found: Any, asked: set[int], read: Reader) -> None:
    if type(found) is not Counted:
        raise BadAnswer(f"a worker answered {shown(found, 80)}; a result is needed")
    for name, fits, needed in _FIELDS:
        value = getattr(found, name, None)
        if not fits(value):
            raise BadAnswer(f"a worker's result has {name} {shown(value, 80)}; needed is {needed}")
    if found.part not in asked:
        raise BadAnswer(f"{found.worker}: a result for part {found.part}, which was not asked for")
    if not found.holds:
        raise BadAnswer(f"{found.worker}: count {found.count} has other residues than it came with")
    try:
        read(found)
    except (ValueError, TypeError, LookupError) as error:
        raise BadAnswer(f"{found.worker}: part {found.part}: {error}") from None


def read_count(found: Counted) -> None:
    """Refuse what has more than a count."""
    if found.rows is not None or found.content is not None:
        raise ValueError("more than a count, which was asked for")
