"""What a caller must give, asked for at the public doors: anything else is refused in one line."""

import os
from typing import Any

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.text.foreign import read_by
from cpqueens.text.plaintext import shown


def needed(value: Any, kind: type[Any] | tuple[type[Any], ...], what: str) -> Any:
    """Return ``value``, which must be of a type; ``what`` says what is needed, perhaps also where."""
    if not isinstance(value, kind):
        told = got(value, kind)
        raise ModelError(f"{what} is needed, got {told or f'{type(value).__name__} {shown(value)}'}")
    return value


def got(value: Any, kind: type[Any] | tuple[type[Any], ...]) -> str:
    """Return what was given and how to get a model that is needed from it; '' where that is not known.

    >>> got(7, str)
    ''

    Parameters
    ----------
    value
        What was given: a model of another library, or an object that has a model.
    kind
        What is needed.
    """
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not any(one.__name__ == "Model" for one in kinds):
        return ""
    reader = read_by(value)
    kept = isinstance(getattr(value, "__dict__", {}).get("model"), kind)
    if reader is None and not kept:
        return ""
    name = type(value).__name__
    if reader is None:
        return f"an object of the class {name}; its .model is one"
    return f"a {name} of {type(value).__module__.partition('.')[0]}; write {reader}(...).model"


def as_path(value: Any) -> str | os.PathLike[str]:
    """Return a path; a number, which the system would take for an open file, is none."""
    path: str | os.PathLike[str] = needed(value, (str, os.PathLike), "a path")
    if "\0" in str(path):
        raise ModelError(f"a path without a null byte is needed, got {shown(str(path))}")
    return path


def as_switch(value: Any, what: str) -> bool:
    """Return what must be True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ModelError(f"{what}: True or False is needed, got {shown(value)}")
    return bool(value)


def as_function(value: Any, what: str) -> Any:
    """Return a function, or None where none is given."""
    if value is not None and not callable(value):
        raise ModelError(f"{what} is needed, got {shown(value)}")
    return value
