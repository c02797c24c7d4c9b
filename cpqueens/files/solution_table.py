"""Solutions as tables: CSV with or without names, and NumPy arrays."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from cpqueens.errors import ModelError
from cpqueens.files.reading import EACH_ROW_ONCE, Found, choose_base, shifted, target_of
from cpqueens.language.labels import Names, text_of_label
from cpqueens.language.rows import IntArray
from cpqueens.model import Model
from cpqueens.text.bounded import MAX_TEXT, is_regular, label, read_bytes, reason_of
from cpqueens.text.plaintext import did_you_mean, first_repeated, integer_of, shown

MAX_VALUES = 2**28
"""The most values that a ``.npy`` file may have: each takes 8 bytes, several times over."""


def read_csv(text: str, model: Model, base: int | None = None, by_column: bool = False) -> Found:
    """Read one solution a line; a first line of names says which variables the columns are."""
    rows = _rows(text)
    if not rows:
        raise ModelError("no solution in the file")
    header = None if _NUMBER.fullmatch(rows[0][0]) else [name.strip() for name in rows.pop(0)]
    if header is None:
        return from_array(_cells(rows, None, first=1), model, base, by_column)
    if model.labels:
        for variable, column in zip(model.decisions.tolist(), _columns(header, model), strict=True):
            _number_names(rows, column, model.names_of(variable), header[column])
    matrix = _cells(rows, len(header), first=2, header=header)
    order = _columns(header, model)
    return Found(matrix[:, order], "line", np.arange(2, len(matrix) + 2))


def _number_names(rows: list[list[str]], column: int, names: Names | None, title: str) -> None:
    """Replace names in a column by their numbers."""
    numbers = {text_of_label(label): str(number) for number, label in (names or {}).items()}
    for line, row in enumerate(rows if numbers else (), 2):
        if column >= len(row):
            continue
        cell = row[column].strip()
        if cell not in numbers and integer_of(cell) is None:
            near = did_you_mean(cell, numbers)
            raise ModelError(f"line {line}, column {title}: {shown(cell)} is none of the values{near}")
        row[column] = numbers.get(cell, cell)


_NUMBER = re.compile(r"\s*[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)\s*", re.ASCII)
"""A number, also one that is no integer: a line that begins with it has no names."""


def _rows(text: str) -> list[list[str]]:
    """Return the cells of the lines that have any; lines end as on any system."""
    reader = csv.reader(io.StringIO(text, newline=None))
    try:
        return [row for row in reader if row]
    except csv.Error as error:
        raise ModelError(f"line {reader.line_num}: not CSV: {error}") from None


def _cells(rows: list[list[str]], width: int | None, first: int, header: list[str] | None = None) -> IntArray:
    wide = len(rows[0]) if width is None and rows else width or 0
    for number, row in enumerate(rows, first):
        if len(row) != wide:
            raise ModelError(f"line {number}: {len(row)} values, {wide} are needed")
    matrix = np.empty((len(rows), wide), dtype=np.int64)
    for number, row in enumerate(rows):
        for k, cell in enumerate(row):
            place = f"line {number + first}, column {header[k] if header else k + 1}"
            try:
                value = integer_of(cell.strip())
            except ModelError as error:
                raise ModelError(f"{place}: {error}") from None
            if value is None:
                raise ModelError(
                    f"{place}: integers only, got {shown(cell) if cell.strip() else 'an empty cell'}"
                )
            matrix[number, k] = value
    return matrix


def _columns(header: list[str], model: Model) -> list[int]:
    """Return for each decision variable the column that has its name."""
    repeated = first_repeated(header)
    if repeated is not None:
        raise ModelError(f"column {shown(repeated)} is there twice")
    place = {name: k for k, name in enumerate(header)}
    names = [model.name_of(int(v)) for v in model.decisions]
    missing = [name for name in names if name not in place]
    if missing or len(header) != len(names):
        what = f"{missing[0]} is missing" if missing else f"{len(header)} columns for {len(names)} variables"
        raise ModelError(f"first line: {what}; the names of the variables are needed, as in {names[0]!r}")
    return [place[name] for name in names]


def load_array(path: Path) -> np.ndarray[Any, Any]:
    """Map a ``.npy`` file of integers into memory, or read a pipe of one; pickled objects are refused.

    Raises
    ------
    ModelError
        If it cannot be read, is no array of integers, or has more than `MAX_VALUES` values.
    """
    try:
        array = _opened(path)
        if array.dtype.kind not in "iu":
            raise ModelError(f"integers only, got an array of {shown(array.dtype)}")
        if array.size > MAX_VALUES:
            raise ModelError(f"{array.size} values, allowed are at most {MAX_VALUES}")
    except (OSError, ModelError) as error:
        raise ModelError(f"{label(path)}: {reason_of(error)}") from None
    return array


def _opened(path: Path) -> np.ndarray[Any, Any]:
    regular = is_regular(path)
    try:
        if regular:
            return npy.open_memmap(path, mode="r")
        data = io.BytesIO(read_bytes(path, MAX_TEXT))
        found: np.ndarray[Any, Any] = npy.read_array(data, allow_pickle=False)
        return found
    except (ModelError, OSError):
        raise
    except Exception:  # a header is a Python literal: whatever NumPy says of a wrong one
        raise ModelError("not a NumPy array of integers") from None


def from_array(array: np.ndarray[Any, Any], model: Model, base: int | None, by_column: bool) -> Found:
    """Read an array of solutions: (solutions, variables), one solution, or boards of 0 and 1."""
    decisions = len(model.decisions)
    matrix = np.asarray(array)
    if matrix.ndim == 1 and matrix.size == decisions:
        matrix = matrix.reshape(1, -1)
    if matrix.ndim == 3 and matrix.shape[1] * matrix.shape[2] == decisions:
        matrix = matrix.reshape(len(matrix), decisions)
    if matrix.ndim != 2 or matrix.shape[1] != decisions:
        raise ModelError(f"an array (solutions, {decisions}) is needed, got shape {tuple(array.shape)}")
    if matrix.dtype.kind == "u" and int(matrix.max(initial=0)) >= 2**63:
        raise ModelError("a value does not fit 64 bits")
    start, note = 0, ""
    try:
        target = target_of(model)
    except ModelError:
        target = None
    if target is not None and target.size == decisions:
        start, note = choose_base(target, matrix.reshape(-1), base)
    matrix = shifted(matrix.astype(np.int64, copy=False), start)
    found = Found(matrix, "row", np.arange(len(matrix)), notes=(note,) if note else (), counts_from=start)
    return _all_turned(found) if by_column else found


def _all_turned(found: Found) -> Found:
    wanted = np.arange(found.matrix.shape[1])
    once = (np.sort(found.matrix, axis=1) == wanted).all(axis=1)
    rejected = tuple((found.place(int(k)), EACH_ROW_ONCE) for k in np.flatnonzero(~once))
    turned = np.argsort(found.matrix[once], axis=1)
    return replace(found, matrix=turned, numbers=found.numbers[once], rejected=rejected)
