"""Files of solutions, whatever they are written in, as one matrix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cpqueens.errors import ModelError
from cpqueens.files.notations import read_notation
from cpqueens.files.reading import Found, assembled, target_of
from cpqueens.files.solution_json import is_json, read_json, read_json_lines
from cpqueens.files.solution_table import from_array, load_array, read_csv
from cpqueens.text.bounded import MAX_TEXT, decoded, label, read_bytes
from cpqueens.text.jsontext import NotJsonError

if TYPE_CHECKING:
    from cpqueens.model import Model


def read_solutions(
    source: str | Path, model: Model, *, base: int | None = None, by_column: bool = False
) -> Found:
    """Read a file of solutions; its suffix says what it is, anything else is text in some notation.

    Parameters
    ----------
    base
        Whether columns count from 0 or from 1, where the text does not say.
    by_column
        The values are the row in each column, not the column in each row.

    Raises
    ------
    ModelError
        If the file cannot be read, is too large, or holds no solution.
    """
    path = Path(source)
    if path.suffix.lower() == ".npy":
        return from_array(load_array(path), model, base, by_column)
    data = read_bytes(path, MAX_TEXT)
    read = READERS.get(path.suffix.lower(), read_text)
    try:
        return read(decoded(data), model, base, by_column)
    except ModelError as error:
        raise ModelError(f"{label(path)}: {error}") from None


def read_text(text: str, model: Model, base: int | None = None, by_column: bool = False) -> Found:
    """Read solutions in any notation, JSON included."""
    stripped = text.strip()
    if not stripped:
        raise ModelError("no solution: the text is empty")
    if stripped[0] in "[{":
        try:
            return read_json(stripped, model, base, by_column)
        except NotJsonError:
            if stripped[0] == "{":
                return read_json_lines(stripped, model, base, by_column)
    target = target_of(model)
    return assembled(read_notation(text, target), "line", target, model, base, by_column)


Reader = Callable[[str, "Model", int | None, bool], Found]


def read_json_or_lines(text: str, model: Model, base: int | None = None, by_column: bool = False) -> Found:
    """Read a document, or one solution a line, as `cpqueens enumerate --format json` prints them."""
    try:
        return read_json(text, model, base, by_column)
    except NotJsonError:
        first = text.lstrip().partition("\n")[0]
        if not is_json(first):
            raise
        return read_json_lines(text, model, base, by_column)


READERS: dict[str, Reader] = {".json": read_json_or_lines, ".jsonl": read_json_lines, ".csv": read_csv}
"""Readers of text by suffix."""
