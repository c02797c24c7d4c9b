"""Complaints about a place in a model file, such as ``constraints[3].args[1]``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import msgspec

from cpqueens.errors import ModelError
from cpqueens.text.plaintext import one_line

P = ParamSpec("P")
R = TypeVar("R")


class Misplaced(ModelError):  # noqa: N818 - named for what it says, as the other errors are
    """Something is wrong at ``path``; the path grows as the error passes the parts that enclose it."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.path = path
        self.message = message

    def inside(self, outer: str) -> Misplaced:
        """Return the same complaint as seen from outside."""
        joint = "." if outer and self.path and not self.path.startswith("[") else ""
        return Misplaced(f"{outer}{joint}{self.path}", self.message)


def at(path: str, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Return what ``work`` returns; what it complains about is placed at ``path``."""
    try:
        return work(*args, **kwargs)
    except Misplaced as error:
        raise error.inside(path) from None
    except ModelError as error:
        raise Misplaced(path, str(error)) from None


def converted(value: Any, kind: type[R]) -> R:
    """Return ``value`` as msgspec checks it against a type, nothing being coerced.

    Raises
    ------
    Misplaced
        With the place within ``value``.
    """
    try:
        return msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$")
        raise Misplaced(place.rstrip("`").lstrip("."), one_line(message)) from None
