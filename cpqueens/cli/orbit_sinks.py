"""Whole orbits instead of one solution of each: printed, or as one sheet with an orbit in each row."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from cpqueens.answers.orbit_tally import orbit_members, symmetry_class
from cpqueens.answers.outcome import SolutionSet
from cpqueens.cli.sinks import PrintSink
from cpqueens.cli.terminal import say
from cpqueens.errors import ModelError

if TYPE_CHECKING:
    from cpqueens.answers.symmetry import Group
    from cpqueens.language.statement import Statement
    from cpqueens.report.board import BoardPicture

_ACROSS = 8
_GAP = 3


class OrbitPrinter(PrintSink):
    """Prints each orbit: how large it is, what leaves its first solution as it is, and all its solutions."""

    def __init__(self, form: str, group: Group) -> None:
        super().__init__(form)
        self.group = group
        self.count = 0

    def write(self, found: SolutionSet) -> None:
        """Print the orbits of a batch of fundamental solutions."""
        from cpqueens.report.formats import render

        for row in found.matrix:
            names, members = orbit_members(row, self.group)
            self.count += 1
            kept = ", ".join(symmetry_class(row, self.group))
            say(
                f"{'' if self.count == 1 else chr(10)}orbit {self.count}, size {len(members)}, kept by {kept}"
            )
            solutions = SolutionSet(found.model, found.known, members)
            blocks = [
                f"{name}\n{render(s, self.form, self.style)}".split("\n")
                for name, s in zip(names, solutions, strict=True)
            ]
            say("\n".join(self._beside(blocks)))
        sys.stdout.flush()

    def _beside(self, blocks: list[list[str]]) -> list[str]:
        """Return blocks of lines side by side, as many as fit the terminal."""
        from cpqueens.cli.terminal import WIDTH

        wide = max(len(line) for block in blocks for line in block) + _GAP
        across = 1 if self.style.colour else max(1, (self.style.width or WIDTH) // wide)
        lines: list[str] = []
        for start in range(0, len(blocks), across):
            part = blocks[start : start + across]
            for k in range(max(map(len, part))):
                cells = [block[k] if k < len(block) else "" for block in part]
                lines.append("".join(cell.ljust(wide) for cell in cells).rstrip())
        return lines


class OrbitSheet:
    """Collects boards, one orbit a row, and writes them as one picture when the ``with`` block ends."""

    def __init__(self, path: str, model: Statement, group: Group, force: bool) -> None:
        from cpqueens.report.formats import check_format
        from cpqueens.report.outputfile import OutputFile

        if not path.lower().endswith(".svg"):
            raise ModelError(f"--orbits: a sheet is a file.svg, got {path}")
        check_format(model, "svg")
        self.group = group
        self.title = model.name
        self.pictures: list[BoardPicture | None] = []
        self.captions: list[str] = []
        self.rows = 0
        self.file = OutputFile(path, force=force)

    def write(self, found: SolutionSet) -> None:
        """Keep the orbits of a batch of fundamental solutions."""
        from cpqueens.files.solution_writers import MOST_BOARDS
        from cpqueens.report.formats import picture_of

        for row in found.matrix:
            names, members = orbit_members(row, self.group)
            self.rows += 1
            drawn = [picture_of(s) for s in SolutionSet(found.model, found.known, members)]
            empty = -len(drawn) % _ACROSS
            self.pictures += [*drawn, *[None] * empty]
            self.captions += [f"orbit {self.rows}, size {len(drawn)}", *names[1:], *[""] * empty]
            if None in drawn or len(self.pictures) > MOST_BOARDS:
                most = f"at most {MOST_BOARDS}" if None not in drawn else "nothing else"
                raise ModelError(f"{self.file.path}: a sheet holds boards, {most}; use --limit, or no --out")

    def __enter__(self) -> OrbitSheet:
        return self

    def __exit__(self, kind: type[BaseException] | None, *details: object) -> None:
        from cpqueens.report.board_svg import gallery_svg

        if kind is not None and not issubclass(kind, KeyboardInterrupt):
            self.file.discard()
            return
        sheet = gallery_svg(self.pictures, across=_ACROSS, title=self.title, captions=self.captions)
        try:
            self.file.append(sheet.encode())
        except BaseException:
            self.file.discard()
            raise
        self.file.commit()
