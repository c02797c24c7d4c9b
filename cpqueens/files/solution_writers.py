"""Solutions written as they come: as CSV, JSON lines, NumPy arrays, and a sheet of boards as SVG."""

import csv
import io
import json

from cpqueens.answers.outcome import SolutionSet
from cpqueens.errors import ModelError
from cpqueens.language.labels import texts_of
from cpqueens.language.statement import Statement
from cpqueens.report.board import BoardPicture
from cpqueens.report.outputfile import OutputFile

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
        self.names = [model.names_of(int(v)) or {} for v in model.decisions] if model.labels else []

    def write(self, found: SolutionSet) -> None:
        """Write a batch."""
        if not self.names:
            lines = [",".join(map(str, row)) for row in found.matrix.tolist()]
            self.file.append(("\n".join(lines) + "\n").encode())
            return
        named = io.StringIO()
        rows = found.matrix.tolist()
        written = ([texts_of(n, v) for n, v in zip(self.names, row, strict=True)] for row in rows)
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
        from cpqueens.report.formats import check_format

        check_format(model, "svg")
        super().__init__(file, model)
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
