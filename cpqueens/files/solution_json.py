"""Solutions as JSON: named assignments, lists of values, boards as lists of rows, and our own output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cpqueens.errors import IntegerError, ModelError
from cpqueens.files.notations import read_notation
from cpqueens.files.reading import Found, Reading, Target, assembled, named_assignments, target_of
from cpqueens.language.rows import as_integers
from cpqueens.model import Model
from cpqueens.text.jsontext import parse_json
from cpqueens.text.plaintext import counted


def is_json(text: str) -> bool:
    """Say whether a text is one JSON document."""
    try:
        parse_json(text)
    except ModelError:
        return False
    return True


def read_json(text: str, model: Model, base: int | None = None, by_column: bool = False) -> Found:
    """Read one assignment, a list of them, lists of values, boards as lists of rows, or our own output."""
    return _from_items(_items(parse_json(text), model), "solution", model, base, by_column)


def _items(value: Any, model: Model) -> list[tuple[int, Any]]:
    """Return the solutions in a JSON value, numbered from 1."""
    own = isinstance(value, Mapping) and "schema" in value
    if isinstance(value, Mapping) and (own or set(value) == {"solutions"}):
        value = value.get("solutions", value.get("solution"))
    if isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        return list(enumerate(value, 1))
    if isinstance(value, list) and _is_many(value, model):
        return list(enumerate(value, 1))
    return [(1, value)]


def _is_many(value: list[Any], model: Model) -> bool:
    """Say whether a list is one of solutions, not one solution."""
    if not value:
        return True
    target = target_of(model)
    inner = value[0]
    if isinstance(inner, str):
        widths = {len(row) for row in value if isinstance(row, str)}
        one = len(value) == target.size and widths in ({target.columns}, {1})
        return not (one and target.is_board)
    depth = _depth(value)
    if depth == 2 and target.is_board and _is_matrix(value, target):
        return False
    return depth > len(target.shape)


def _depth(value: Any) -> int:
    return 1 + _depth(value[0]) if isinstance(value, list) and value else int(isinstance(value, list))


def _is_matrix(value: list[Any], target: Target) -> bool:
    n = target.size
    rows = [row for row in value if isinstance(row, list) and len(row) == n]
    return n > 1 and len(rows) == len(value) == n and all(cell in (0, 1) for row in rows for cell in row)


def read_json_lines(text: str, model: Model, base: int | None = None, by_column: bool = False) -> Found:
    """Read one solution a line, each as JSON."""
    items = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                items.append((number, parse_json(line)))
            except ModelError as error:
                reason = str(error).replace(" at line 1, column", " at column")
                raise ModelError(f"line {number}: {reason}") from None
    return _from_items(items, "line", model, base, by_column)


def _from_items(
    items: list[tuple[int, Any]], word: str, model: Model, base: int | None, by_column: bool
) -> Found:
    """Return named assignments as they are, and values without names as readings."""
    if not items:
        raise ModelError("no solution in the file")
    if all(isinstance(item, Mapping) for _, item in items):
        return named_assignments(items, word, model)
    target = target_of(model)
    readings = [replace(_reading(item, target), line=number) for number, item in items]
    return assembled(readings, word, target, model, base, by_column)


def _reading(item: Any, target: Target) -> Reading:
    if isinstance(item, list) and target.is_board and _is_matrix(item, target):
        item = ["".join(".Q"[cell] for cell in row) for row in item]
    if isinstance(item, list) and item and all(isinstance(row, str) for row in item):
        item = (" " if {len(row) for row in item} == {1} else "\n").join(item)
    if isinstance(item, str):
        found = read_notation(item, target)
        if len(found) != 1:
            raise ModelError(f"{len(found)} solutions where one is needed")
        return found[0]
    try:
        values = as_integers(item, target.variable).reshape(-1)
    except IntegerError as error:
        return Reading(1, None, problem=str(error))
    if values.size != target.size:
        text = f"{target.variable}: takes {counted(target.size, 'value')}, got {values.size}"
        return Reading(1, None, problem=text)
    return Reading(1, values, based=target.counts_from)
