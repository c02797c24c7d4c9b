"""Solutions as tables: CSV with or without names, and NumPy arrays."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.reading import EACH_ROW_ONCE, Found, choose_base, target_of
from cpqueens.rows import IntArray

if TYPE_CHECKING:
    from cpqueens.model import Model


def read_csv(text: str, model: Model, base: int | None = None, by_column: bool = False) -> Found:
    """Read one solution a line; a first line of names says which variables the columns are."""
    rows = [row for row in csv.reader(io.StringIO(text)) if row]
    if not rows:
        raise ModelError("no solution in the file")
    header = None if _is_number(rows[0][0]) else [name.strip() for name in rows.pop(0)]
    matrix = _cells(rows, len(header) if header else None, first=1 if header is None else 2)
    if header is None:
        return from_array(matrix, model, base, by_column)
    order = _columns(header, model)
    return Found(matrix[:, order], "line", np.arange(2, len(matrix) + 2))


def _is_number(text: str) -> bool:
    return text.strip().lstrip("+-").isdecimal()


def _cells(rows: list[list[str]], width: int | None, first: int) -> IntArray:
    wide = len(rows[0]) if width is None and rows else width or 0
    for number, row in enumerate(rows, first):
        if len(row) != wide:
            raise ModelError(f"line {number}: {len(row)} values, {wide} are needed")
        bad = next((cell for cell in row if not _is_number(cell)), None)
        if bad is not None:
            raise ModelError(f"line {number}: integers only, got {bad!r:.40}")
    try:
        return np.array(rows, dtype=object).reshape(len(rows), wide).astype(np.int64)
    except OverflowError:
        raise ModelError("a value does not fit 64 bits") from None


def _columns(header: list[str], model: Model) -> list[int]:
    """Return for each decision variable the column that has its name."""
    if len(set(header)) != len(header):
        repeated = next(name for name in header if header.count(name) > 1)
        raise ModelError(f"column {repeated!r:.40} is there twice")
    place = {name: k for k, name in enumerate(header)}
    names = [model.name_of(int(v)) for v in model.decisions]
    missing = [name for name in names if name not in place]
    if missing or len(header) != len(names):
        what = f"{missing[0]} is missing" if missing else f"{len(header)} columns for {len(names)} variables"
        raise ModelError(f"first line: {what}; the names of the variables are needed, as in {names[0]!r}")
    return [place[name] for name in names]


def load_array(path: Path) -> np.ndarray[Any, Any]:
    """Map a ``.npy`` file of integers into memory; pickled objects are refused."""
    try:
        array: np.ndarray[Any, Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or 'cannot be read'}") from None
    except (ValueError, EOFError):
        raise ModelError(f"{path}: not a NumPy array of integers") from None
    if array.dtype.kind not in "iu":
        raise ModelError(f"{path}: integers only, got an array of {array.dtype}")
    return array


def from_array(array: np.ndarray[Any, Any], model: Model, base: int | None, by_column: bool) -> Found:
    """Read an array of solutions: (solutions, variables), one solution, or boards of 0 and 1."""
    decisions = len(model.decisions)
    matrix = np.asarray(array)
    if matrix.ndim == 1 and matrix.size == decisions:
        matrix = matrix.reshape(1, -1)
    if matrix.ndim == 3 and matrix.shape[1] * matrix.shape[2] == decisions:
        matrix = matrix.reshape(len(matrix), -1)
    if matrix.ndim != 2 or matrix.shape[1] != decisions:
        raise ModelError(f"an array (solutions, {decisions}) is needed, got shape {tuple(array.shape)}")
    start, note = 0, ""
    try:
        target = target_of(model)
    except ModelError:
        target = None
    if target is not None and target.size == decisions:
        start, note = choose_base(target, matrix.reshape(-1), base)
    matrix = matrix.astype(np.int64, copy=False) - start
    found = Found(matrix, "row", np.arange(len(matrix)), notes=(note,) if note else ())
    return _all_turned(found) if by_column else found


def _all_turned(found: Found) -> Found:
    wanted = np.arange(found.matrix.shape[1])
    once = (np.sort(found.matrix, axis=1) == wanted).all(axis=1)
    rejected = tuple((found.place(int(k)), EACH_ROW_ONCE) for k in np.flatnonzero(~once))
    turned = np.argsort(found.matrix[once], axis=1)
    return replace(found, matrix=turned, numbers=found.numbers[once], rejected=rejected)
