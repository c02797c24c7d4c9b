"""JSON from outside, read strictly: bounded in depth, each key once, no number that is not finite."""

import json
from collections.abc import Iterator
from typing import Any, NoReturn

from cpqueens.errors import ModelError
from cpqueens.text.plaintext import first_repeated, shown

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
