"""The one door through which files and pipes are read: bounded in bytes and in time, devices refused.

A size that the system tells is not believed (files of ``/proc`` say 0, and a file may grow): no more than
the limit is ever read. Named pipes are opened without waiting for whoever writes to them.

JSON from outside, read strictly: bounded in depth, each key once, no number that is not finite.
"""

import json
import os
import select
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from cpqueens.errors import ModelError
from cpqueens.text.parameters import as_path
from cpqueens.text.plaintext import first_repeated, shown

MAX_TEXT = 2**28
"""Bytes of a text of solutions."""

SILENCE = 60.0
"""Seconds without a byte after which a named pipe is given up."""

STANDARD_INPUT_SILENCE = 3600.0
"""The same for standard input: behind it, a program may compute before it prints."""

_PART = 2**20
_PAUSE = 0.01  # seconds, where neither data nor a way to wait for it is there

_KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


def read_bytes(path: str | Path, most: int, *, pipes: bool = True) -> bytes:
    """Return what a file holds, or a named pipe where ``pipes`` may be read.

    Raises
    ------
    ModelError
        If it cannot be read, is neither a file nor a pipe, holds more than ``most`` bytes, or is a pipe
        that stays silent.
    """
    as_path(path)
    try:
        if not is_regular(path) and not pipes:  # before it is opened: opening a device can do something
            raise ModelError("is a pipe; a file is needed")
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags | getattr(os, "O_NOCTTY", 0))
        try:
            kind = os.fstat(descriptor)
            _refuse_kind(kind.st_mode)
            _refuse_size(kind.st_size, most)
            return _read(descriptor, most, SILENCE, waits=not stat.S_ISREG(kind.st_mode))
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        raise ModelError(f"{label(path)}: {reason_of(error)}") from None


def is_regular(path: str | Path) -> bool:
    """Say whether a path is a regular file; a pipe is none.

    Raises
    ------
    OSError, ModelError
        If there is nothing, or something that is neither.
    """
    mode = os.stat(path).st_mode  # noqa: PTH116 - Path turns the NUL in a name into "no such file"
    _refuse_kind(mode)
    return stat.S_ISREG(mode)


def read_standard_input(most: int) -> bytes:
    """Return all of standard input.

    Raises
    ------
    ModelError
        If it is closed, a folder or a device that is no terminal, holds more than ``most`` bytes, or stays
        silent.
    """
    try:
        if sys.stdin is None:
            raise ModelError("closed; a file, a pipe or a terminal is needed")
        stream = sys.stdin.buffer
        try:
            descriptor = stream.fileno()
        except (OSError, ValueError):  # not the system's: a test's or an embedding program's
            data = stream.read(most + 1)
            _refuse_size(len(data), most)
            return data
        if not os.isatty(descriptor):
            _refuse_kind(os.fstat(descriptor).st_mode)
        return _read(descriptor, most, STANDARD_INPUT_SILENCE, waits=True)
    except (OSError, ValueError) as error:
        raise ModelError(f"standard input: {reason_of(error)}") from None


def label(path: str | Path) -> str:
    """Return how a path is called in a message: as it is, or quoted where it would not be harmless."""
    text = str(path)
    return text if text.isprintable() and 0 < len(text) <= 300 else shown(text, 200)


def reason_of(error: Exception) -> str:
    """Return why something could not be read, without the path."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


def decoded(data: bytes) -> str:
    """Return bytes as text; a byte order mark of UTF-8 at the beginning does not count.

    Raises
    ------
    ModelError
        If they are not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelError(f"not a text in UTF-8: byte {error.start} is 0x{data[error.start]:02x}") from None


def _refuse_kind(mode: int) -> None:
    for is_kind, name in _KINDS:
        if is_kind(mode):
            raise ModelError(f"is {name}; a file or a pipe is needed")


def _refuse_size(size: int, most: int) -> None:
    if size > most:
        raise ModelError(f"{size} bytes or more, allowed are at most {most}")


def _read(descriptor: int, most: int, silence: float, *, waits: bool) -> bytes:
    """Return everything up to the end; ``waits`` for data that comes later."""
    parts: list[bytes] = []
    size = 0
    while True:
        part = _next_part(descriptor, silence, waits)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
        _refuse_size(size, most)


def _next_part(descriptor: int, silence: float, waits: bool) -> bytes:
    """Return the next bytes, none at the end."""
    deadline = time.monotonic() + silence
    while True:
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            raise ModelError(f"nothing came for {silence:g} seconds")
        if waits and hasattr(select, "poll"):
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            if not poll.poll(1000 * remaining):
                continue
        with suppress(BlockingIOError):
            return os.read(descriptor, _PART)
        time.sleep(_PAUSE)


MAX_DEPTH = 32

_TWICE = object()


class NotJsonError(ModelError):
    """The text is not JSON."""


def parse_json(text: str) -> Any:
    """Return what a JSON text says; everything that is doubtful is refused. The time is linear.

    Raises
    ------
    NotJsonError
        With line and column, if it is no JSON.
    ModelError
        For more than `MAX_DEPTH` levels, duplicate keys, NaN and infinities, integers of thousands of digits.
    """
    doubled = False

    def unique(pairs: list[tuple[str, Any]]) -> dict[Any, Any]:
        nonlocal doubled
        found: dict[Any, Any] = dict(pairs)
        if len(found) != len(pairs):
            doubled = True
            found[_TWICE] = first_repeated(key for key, _ in pairs)
        return found

    try:
        value = json.loads(text, object_pairs_hook=unique, parse_constant=_refuse_constant)
    except RecursionError:
        raise ModelError(f"nested more than {MAX_DEPTH} levels deep") from None
    except json.JSONDecodeError as error:
        raise NotJsonError(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except ValueError as error:
        raise ModelError(_short_number(error)) from None
    _check_depth(value)
    if doubled:
        _report_doubled(value)
    return value


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not allowed; integers only")


def _short_number(error: ValueError) -> str:
    text = str(error)
    return "an integer of thousands of digits; 64 bits are needed" if "digits" in text else text


def _report_doubled(value: Any) -> None:
    for path, part in _walk(value):
        if isinstance(part, dict) and _TWICE in part:
            raise ModelError(f"{path or 'top level'}: the key {shown(part[_TWICE], 60)} is there twice")


def _walk(value: Any) -> Iterator[tuple[str, Any]]:
    pending: list[tuple[str, Any]] = [("", value)]
    while pending:
        path, part = pending.pop()
        yield path, part
        if isinstance(part, dict):
            pending += [(f"{path}.{k:.60}".lstrip("."), v) for k, v in part.items() if isinstance(k, str)]
        elif isinstance(part, list):
            pending += [(f"{path}[{k}]", v) for k, v in enumerate(part) if isinstance(v, dict | list)]


def _check_depth(value: Any) -> None:
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH + 1):
        inner: list[Any] = []
        for part in level:
            if isinstance(part, dict | list):
                children = part.values() if isinstance(part, dict) else part
                inner += [child for child in children if type(child) is list or type(child) is dict]
        if not inner:
            return
        level = inner
    raise ModelError(f"nested more than {MAX_DEPTH} levels deep")
