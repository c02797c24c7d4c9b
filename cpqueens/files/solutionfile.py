"""Files of solutions: one table says how each format is read, as one matrix, and written."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cpqueens.answers.solution import SolutionSet
from cpqueens.errors import IntegerError, ModelError
from cpqueens.files.notations import read_notation
from cpqueens.files.reading import Found, Reading, Target, assembled, named_assignments, target_of
from cpqueens.files.solution_table import from_array, load_array, read_csv
from cpqueens.language.rows import as_integers
from cpqueens.language.statement import Statement
from cpqueens.model import Model
from cpqueens.report.board import BoardPicture
from cpqueens.report.board_svg import gallery_svg
from cpqueens.report.draw import check_format, picture_of, render
from cpqueens.report.outputfile import OutputFile
from cpqueens.text.bounded import MAX_TEXT, NotJsonError, decoded, label, parse_json, read_bytes
from cpqueens.text.parameters import as_path, needed
from cpqueens.text.plaintext import counted

# ---- solutions written as they come: as CSV, JSON lines, NumPy arrays, and a sheet of boards as SVG ----

MOST_BOARDS = 1000
"""Boards that fit on one SVG sheet."""

_NPY_MAGIC = b"\x93NUMPY\x01\x00"
_NPY_HEADER = 128


class FormatWriter:
    """Takes solutions in batches; ``finish`` is called once, after the last."""

    def __init__(self, file: OutputFile, model: Statement) -> None:
        self.file = file

    def write(self, found: SolutionSet) -> None:
        """Write a batch."""
        raise NotImplementedError

    def finish(self) -> None:
        """Write what stands at the end, or, once the number is known, at the beginning."""


class CsvWriter(FormatWriter):
    """A first line with the variables' names, then one solution a line."""

    def __init__(self, file: OutputFile, model: Statement) -> None:
        super().__init__(file, model)
        names = io.StringIO()
        header = [model.name_of(int(v)) for v in model.decisions]
        csv.writer(names, lineterminator="\n").writerow(header)
        file.append(names.getvalue().encode())
        self.texts = model.value_texts()

    def write(self, found: SolutionSet) -> None:
        """Write a batch."""
        if not self.texts:
            lines = [",".join(map(str, row)) for row in found.matrix.tolist()]
            self.file.append(("\n".join(lines) + "\n").encode())
            return
        named = io.StringIO()
        rows = found.matrix.tolist()
        written = ([texts.get(v, v) for texts, v in zip(self.texts, row, strict=True)] for row in rows)
        csv.writer(named, lineterminator="\n").writerows(written)
        self.file.append(named.getvalue().encode())


class JsonLinesWriter(FormatWriter):
    """One object ``{name: value(s)}`` a line."""

    def write(self, found: SolutionSet) -> None:
        """Write a batch."""
        self.file.append("".join(json.dumps(s.as_dict()) + "\n" for s in found).encode())


class NpyWriter(FormatWriter):
    """An array (solutions, decision variables), int64, without ever holding it in memory.

    The format's header has a fixed length, so that the number of rows is filled in at the end.
    """

    def __init__(self, file: OutputFile, model: Statement) -> None:
        super().__init__(file, model)
        self.width = len(model.decisions)
        self.rows = 0
        file.append(self._header())

    def _header(self) -> bytes:
        text = f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({self.rows}, {self.width}), }}"
        length = _NPY_HEADER - len(_NPY_MAGIC) - 2
        return _NPY_MAGIC + length.to_bytes(2, "little") + text.ljust(length - 1).encode() + b"\n"

    def write(self, found: SolutionSet) -> None:
        """Write a batch."""
        self.file.append(found.matrix.astype("<i8", copy=False).tobytes())
        self.rows += len(found)

    def finish(self) -> None:
        """Fill in the number of rows."""
        self.file.rewrite(self._header())


class SvgWriter(FormatWriter):
    """One picture: a solution alone, or a sheet of boards."""

    def __init__(self, file: OutputFile, model: Statement) -> None:
        check_format(model, "svg")
        super().__init__(file, model)
        self.title = model.name
        self.pictures: list[BoardPicture] = []
        self.alone = ""

    def write(self, found: SolutionSet) -> None:
        """Keep a batch for the sheet."""
        for solution in found:
            picture = picture_of(solution)
            if picture is None or not self.pictures:
                self._only_one(found.model)
                self.alone = render(solution, "svg")
            if picture is not None:
                self.pictures.append(picture)
            if len(self.pictures) > MOST_BOARDS:
                raise ModelError(
                    f"{self.file.path}: a sheet holds {MOST_BOARDS} boards at most; use --limit or .csv"
                )

    def _only_one(self, model: Statement) -> None:
        if self.alone:
            raise ModelError(
                f"{self.file.path}: only boards go on one sheet, {model.name} has none; --limit 1"
            )

    def finish(self) -> None:
        """Draw."""
        alone = len(self.pictures) == 1 or not self.pictures
        text = self.alone if alone else gallery_svg(self.pictures, title=self.title)
        self.file.append((text or gallery_svg([], title=self.title)).encode())


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
    path = Path(as_path(source))
    read = FORMATS.get(path.suffix.lower(), Format()).read or _of_text(read_text)
    return read(path, model, base, by_column)


def read_text(text: str, model: Model, base: int | None = None, by_column: bool = False) -> Found:
    """Read solutions in any notation, JSON included."""
    stripped = needed(text, str, "the text of solutions").strip()
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


def read_json_or_lines(text: str, model: Model, base: int | None = None, by_column: bool = False) -> Found:
    """Read a document, or one solution a line, as `cpqueens enumerate --format json` prints them."""
    try:
        return read_json(text, model, base, by_column)
    except NotJsonError:
        first = text.lstrip().partition("\n")[0]
        if not is_json(first):
            raise
        return read_json_lines(text, model, base, by_column)


def _of_text(read: Callable[[str, Model, int | None, bool], Found]) -> Reader:
    """Return a reader of files for a reader of their text."""

    def read_file(path: Path, model: Model, base: int | None, by_column: bool) -> Found:
        data = read_bytes(path, MAX_TEXT)
        try:
            return read(decoded(data), model, base, by_column)
        except ModelError as error:
            raise ModelError(f"{label(path)}: {error}") from None

    return read_file


Reader = Callable[[Path, "Model", int | None, bool], Found]


@dataclass(frozen=True)
class Format:
    """How files of a format are read and written; None where they are not."""

    read: Reader | None = None
    write: Callable[[OutputFile, Statement], FormatWriter] | None = None


FORMATS: dict[str, Format] = {
    ".csv": Format(_of_text(read_csv), CsvWriter),
    ".json": Format(_of_text(read_json_or_lines)),
    ".jsonl": Format(_of_text(read_json_lines), JsonLinesWriter),
    ".npy": Format(lambda path, *more: from_array(load_array(path), *more), NpyWriter),
    ".svg": Format(write=SvgWriter),
    ".txt": Format(_of_text(read_text)),
}
"""Formats by suffix; what has none of these is read as text."""


class SolutionWriter:
    """Solutions on their way into a file whose suffix says the format; use it in ``with``.

    The file appears when the block ends, also with what was found before an interruption, and not at all
    if an error leaves it, or if `drop` says so. What was written before an error of writing, such as a full
    disk, is kept under a name of its own, and the error says so.

    Raises
    ------
    ModelError
        At once for an unknown suffix, an existing file (unless ``force``), or a folder that cannot be
        written.
    """

    def __init__(self, path: str | Path, model: Statement, *, force: bool = False) -> None:
        writers = {suffix: kept.write for suffix, kept in FORMATS.items() if kept.write is not None}
        suffix = Path(path).suffix.lower()
        if suffix not in writers:
            raise ModelError(f"{path}: the name must end in one of {', '.join(writers)}")
        self.file = OutputFile(path, force=force)
        self.count = 0
        self.dropped = False
        try:
            self.writer = writers[suffix](self.file, model)
        except BaseException:
            self.file.discard()
            raise

    def write(self, found: SolutionSet) -> None:
        """Write a batch."""
        try:
            self.writer.write(found)
        except ModelError as error:
            raise self._with_part(error) from None
        self.count += len(found)

    def drop(self) -> None:
        """Leave no file: there is nothing to put into it."""
        self.dropped = True

    def _with_part(self, error: ModelError) -> ModelError:
        """Return the error with where the solutions are that were written before it."""
        if not self.count:
            return error
        try:
            self.writer.finish()
        except (ModelError, OSError):
            return error  # the format needs its end
        kept = self.file.keep_part()
        return error if kept is None else ModelError(f"{error}; the first {self.count:,} are in {kept}")

    def __enter__(self) -> SolutionWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *details: object) -> None:
        if self.dropped or (kind is not None and not issubclass(kind, KeyboardInterrupt)):
            self.file.discard()
            return
        with self.file:
            self.writer.finish()
