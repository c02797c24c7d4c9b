"""From bytes to plain values: the limits and refusals of model files that need no knowledge of models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from cpqueens.errors import ModelError

MAX_BYTES = 32 * 2**20
MAX_DEPTH = 32

_TWICE = object()


def read_bytes(path: Path) -> bytes:
    """Return a file's content, reading no more than the limit.

    Raises
    ------
    ModelError
        If it cannot be read or is larger than `MAX_BYTES`.
    """
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            content = b"" if size > MAX_BYTES else file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:  # a NUL in the path
        raise ModelError(f"{str(path)!r:.60}: {error}") from None
    if max(size, len(content)) > MAX_BYTES:
        many = max(size, len(content))
        raise ModelError(f"{path}: {many} bytes or more, allowed are at most {MAX_BYTES}")
    return content


def parse(data: bytes) -> Any:
    """Return what the JSON text says; everything that is doubtful is refused.

    Raises
    ------
    ModelError
        For too many bytes or levels, a byte order mark, NUL, bad UTF-8, numbers that are not integers,
        duplicate keys, trailing text.
    """
    if len(data) > MAX_BYTES:
        raise ModelError(f"{len(data)} bytes, allowed are at most {MAX_BYTES}")
    text = _decode(data)
    doubled: list[str] = []

    def unique(pairs: list[tuple[str, Any]]) -> dict[Any, Any]:
        found: dict[Any, Any] = dict(pairs)
        if len(found) != len(pairs):
            keys = [key for key, _ in pairs]
            found[_TWICE] = next(key for key in keys if keys.count(key) > 1)
            doubled.append(found[_TWICE])
        return found

    try:
        value = json.loads(text, object_pairs_hook=unique, parse_constant=_refuse_constant)
    except RecursionError:
        raise ModelError(f"nested more than {MAX_DEPTH} levels deep") from None
    except json.JSONDecodeError as error:
        raise ModelError(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except ValueError as error:
        raise ModelError(_short_number(error)) from None
    if doubled:
        _report_doubled(value)
    _check_depth(value)
    return value


def _decode(data: bytes) -> str:
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise ModelError("begins with a byte order mark; write plain UTF-8")
    at = data.find(b"\x00")
    if at >= 0:
        raise ModelError(f"a NUL at byte {at}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelError(f"not UTF-8: byte {error.start} is 0x{data[error.start]:02x}") from None


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not allowed; integers only")


def _short_number(error: ValueError) -> str:
    text = str(error)
    return "an integer of thousands of digits; 64 bits are needed" if "digits" in text else text


def _report_doubled(value: Any) -> None:
    for path, part in _walk(value):
        if isinstance(part, dict) and _TWICE in part:
            raise ModelError(f"{path or 'top level'}: the key {part[_TWICE]!r:.60} is there twice")


def _walk(value: Any) -> Iterator[tuple[str, Any]]:
    pending: list[tuple[str, Any]] = [("", value)]
    while pending:
        path, part = pending.pop()
        yield path, part
        if isinstance(part, dict):
            pending += [(f"{path}.{k}".lstrip("."), v) for k, v in part.items() if isinstance(k, str)]
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
