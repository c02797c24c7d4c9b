"""An exception of a user's own function as one line, with the place in the user's file."""

from __future__ import annotations

import inspect
import traceback
from pathlib import Path
from typing import Any

from cpqueens.text.plaintext import one_line, text_of


def file_of(function: Any) -> str | None:
    """Return the file in which a function, or the class of a callable object, is written; None if unknown."""
    for source in (function, type(function)):
        try:
            return inspect.getsourcefile(inspect.unwrap(source))
        except TypeError:
            continue
    return None


def raised_text(error: BaseException, file: str | Path | None = None) -> str:
    """Return a foreign exception as one line, with the place in ``file`` if it was raised below it.

    >>> try:
    ...     1 // 0
    ... except ZeroDivisionError as error:
    ...     raised_text(error).partition(" (line")[0]
    'ZeroDivisionError: integer division or modulo by zero'

    Parameters
    ----------
    error
        What was raised.
    file
        The user's file: its own line says more than that of the library which it called.
    """
    if isinstance(error, SyntaxError):
        where = Path(error.filename).name if error.filename else ""
        elsewhere = f" of {where}" if file is not None and where and where != Path(file).name else ""
        return f"{type(error).__name__}: {error.msg} (line {error.lineno}{elsewhere})"
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if file is not None and Path(f.filename).name == Path(file).name]
    place = (own or frames)[-1:]
    lines = "".join(f" (line {f.lineno} of {Path(f.filename).name})" for f in place)
    return f"{type(error).__name__}: {one_line(text_of(error))}{lines}"
