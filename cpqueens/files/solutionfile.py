"""Files of solutions: one table says how each format is read, as one matrix, and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cpqueens.answers.outcome import SolutionSet
from cpqueens.errors import ModelError
from cpqueens.files.notations import read_notation
from cpqueens.files.reading import Found, assembled, target_of
from cpqueens.files.solution_json import is_json, read_json, read_json_lines
from cpqueens.files.solution_table import from_array, load_array, read_csv
from cpqueens.files.solution_writers import CsvWriter, FormatWriter, JsonLinesWriter, NpyWriter, SvgWriter
from cpqueens.language.statement import Statement
from cpqueens.model import Model
from cpqueens.report.outputfile import OutputFile
from cpqueens.text.bounded import MAX_TEXT, decoded, label, read_bytes
from cpqueens.text.jsontext import NotJsonError
from cpqueens.text.parameters import as_path, needed


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


def _read_array(path: Path, model: Model, base: int | None, by_column: bool) -> Found:
    return from_array(load_array(path), model, base, by_column)


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
    ".npy": Format(_read_array, NpyWriter),
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
        try:
            self.writer.finish()
        except BaseException:
            self.file.discard()
            raise
        self.file.commit()
