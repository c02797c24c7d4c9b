"""Writing solutions to files as they come: CSV, JSON lines, NumPy arrays, and a sheet of boards as SVG."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from cpqueens.answers.outcome import SolutionSet
from cpqueens.errors import ModelError
from cpqueens.language.statement import Statement
from cpqueens.report.board import BoardPicture
from cpqueens.report.outputfile import OutputFile

MOST_BOARDS = 1000
"""Boards that fit on one SVG sheet."""

_NPY_MAGIC = b"\x93NUMPY\x01\x00"
_NPY_HEADER = 128


class Writer(Protocol):
    """Takes solutions in batches; ``finish`` is called once, after the last."""

    def write(self, found: SolutionSet) -> None:
        """Write a batch."""

    def finish(self) -> None:
        """Write what stands at the end, or, once the number is known, at the beginning."""


class CsvWriter:
    """A first line with the variables' names, then one solution a line."""

    def __init__(self, file: OutputFile, model: Statement) -> None:
        self.file = file
        names = io.StringIO()
        header = [model.name_of(int(v)) for v in model.decisions]
        csv.writer(names, lineterminator="\n").writerow(header)
        file.append(names.getvalue().encode())

    def write(self, found: SolutionSet) -> None:
        """Write a batch."""
        lines = [",".join(map(str, row)) for row in found.matrix.tolist()]
        self.file.append(("\n".join(lines) + "\n").encode())

    def finish(self) -> None:
        """Nothing is left to write."""


class JsonLinesWriter:
    """One object ``{name: value(s)}`` a line."""

    def __init__(self, file: OutputFile, model: Statement) -> None:
        self.file = file

    def write(self, found: SolutionSet) -> None:
        """Write a batch."""
        self.file.append("".join(json.dumps(s.as_dict()) + "\n" for s in found).encode())

    def finish(self) -> None:
        """Nothing is left to write."""


class NpyWriter:
    """An array (solutions, decision variables), int64, without ever holding it in memory.

    The format's header has a fixed length, so that the number of rows is filled in at the end.
    """

    def __init__(self, file: OutputFile, model: Statement) -> None:
        self.file = file
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


class SvgWriter:
    """One picture: a solution alone, or a sheet of boards."""

    def __init__(self, file: OutputFile, model: Statement) -> None:
        from cpqueens.report.formats import check_format

        check_format(model, "svg")
        self.file = file
        self.title = model.name
        self.pictures: list[BoardPicture] = []
        self.alone = ""

    def write(self, found: SolutionSet) -> None:
        """Keep a batch for the sheet."""
        from cpqueens.report.formats import picture_of, render

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
        from cpqueens.report.board_svg import gallery_svg

        alone = len(self.pictures) == 1 or not self.pictures
        text = self.alone if alone else gallery_svg(self.pictures, title=self.title)
        self.file.append((text or gallery_svg([], title=self.title)).encode())


WRITERS: dict[str, Callable[[OutputFile, Statement], Writer]] = {
    ".csv": CsvWriter,
    ".jsonl": JsonLinesWriter,
    ".npy": NpyWriter,
    ".svg": SvgWriter,
}
"""Writers by suffix."""


class SolutionFile:
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
        suffix = Path(path).suffix.lower()
        if suffix not in WRITERS:
            raise ModelError(f"{path}: the name must end in one of {', '.join(WRITERS)}")
        self.file = OutputFile(path, force=force)
        self.count = 0
        self.dropped = False
        try:
            self.writer = WRITERS[suffix](self.file, model)
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

    def __enter__(self) -> SolutionFile:
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
