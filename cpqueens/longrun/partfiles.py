"""Solutions of a long enumeration: one file a part, written whole or not at all, and made one in the end."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np

from cpqueens.answers.solution import SolutionSet
from cpqueens.errors import ModelError
from cpqueens.files.modelfile import parse_model
from cpqueens.files.solutionfile import SolutionWriter
from cpqueens.language.rows import IntArray
from cpqueens.longrun.ledger import Ledger
from cpqueens.longrun.splitting import JobError, Splitting, splitting_of
from cpqueens.longrun.work import Counted
from cpqueens.report.outputfile import OutputFile
from cpqueens.text.bounded import label
from cpqueens.text.foreign import explaining_keywords

_BATCH = 1 << 16  # rows


@dataclass(frozen=True)
class PartFiles:
    """The files beside a ledger."""

    folder: Path
    ledger: Ledger
    splitting: Splitting

    @classmethod
    def of(cls, ledger: Ledger, splitting: Splitting) -> PartFiles:
        """Return the files of a ledger; their folder is made."""
        folder = folder_of(ledger.path)
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise JobError(f"{label(folder)}: {error.strerror}") from None
        return cls(folder, ledger, splitting)

    def read(self, found: Counted) -> None:
        """Refuse solutions that are not those of a part, or not as many as were counted."""
        rows = found.rows
        if found.content is not None or type(rows) is not np.ndarray or rows.dtype.kind not in "iu":
            raise ValueError("no list of solutions, which was asked for")
        if len(rows) != found.count or not self.splitting.contains(found.part, rows):
            raise ValueError(
                f"{len(rows)} rows that are not {found.count} solutions within the part, in order"
            )

    def keep(self, found: Counted) -> None:
        """Write a part's solutions and note them in the ledger, which is committed later than the file."""
        assert found.rows is not None
        name = self._name(found.part)
        content = encoded(found.rows)
        try:
            with OutputFile(self.folder / name, force=True) as file:
                file.append(content)
        except ModelError as error:
            raise JobError(str(error)) from None
        self.ledger.add_file(found.part, name, hashlib.sha256(content).hexdigest())

    def damaged(self) -> list[int]:
        """Return the parts done whose file is lost or was changed."""
        files = self.ledger.files()
        return [r.part for r in self.ledger.sound_results() if files.get(r.part) != self._there(r.part)]

    def _name(self, part: int) -> str:
        return f"part-{self.splitting.rank(part):07}.npy"

    def _there(self, part: int) -> tuple[str, str]:
        """Return the name of a part's file and the SHA-256 of what is there, empty if there is none."""
        name = self._name(part)
        try:
            return name, hashlib.sha256((self.folder / name).read_bytes()).hexdigest()
        except OSError:
            return name, ""

    def batches(self) -> Iterator[IntArray]:
        """Yield all solutions in order.

        Raises
        ------
        JobError
            If a file is lost or was changed.
        """
        files = self.ledger.files()
        for found in sorted(self.ledger.sound_results(), key=lambda r: self.splitting.rank(r.part)):
            rows = self._rows(self.folder / self._name(found.part), files.get(found.part, ("", ""))[1])
            for first in range(0, len(rows), _BATCH):
                yield rows[first : first + _BATCH]

    def _rows(self, path: Path, digest: str) -> IntArray:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise JobError(f"{label(path)}: {error.strerror}; the same command lists it again") from None
        if hashlib.sha256(content).hexdigest() != digest:
            raise JobError(f"{label(path)}: damaged; the same command lists it again")
        rows: IntArray = np.load(BytesIO(content), allow_pickle=False).astype(np.int64)
        return rows


def folder_of(store: Path) -> Path:
    """Return where the files beside a ledger lie."""
    return store.with_name(f"{store.name}.solutions")


def encoded(rows: IntArray) -> bytes:
    """Return rows as the content of an ``.npy`` file, in the smallest type that holds them."""
    low, high = (int(rows.min()), int(rows.max())) if rows.size else (0, 0)
    kinds = (np.int8, np.int16, np.int32, np.int64)
    fitting = next(k for k in kinds if np.iinfo(k).min <= low and high <= np.iinfo(k).max)
    buffer = BytesIO()
    np.save(buffer, np.ascontiguousarray(rows.astype(np.dtype(fitting).newbyteorder("<"))))
    return buffer.getvalue()


@explaining_keywords
def merge(store: str | Path, out: str | Path, force: bool = False) -> int:
    """Write the solutions of a ledger's files, in order, into one file; return how many.

    Parameters
    ----------
    store
        The ledger of an enumeration that has come to its end.
    out
        A file ``.npy``, ``.jsonl`` or ``.csv``.
    force
        Whether an existing file is replaced.

    Raises
    ------
    JobError
        If the ledger is not one of an enumeration, not complete, or a file is lost or damaged.
    """
    path = Path(store)
    with closing(Ledger.open(path)) as ledger:
        if ledger.job.kind != "enumerate":
            raise JobError(f"{label(path)}: counts, and has no solutions")
        totals = ledger.totals()
        if not totals.complete:
            raise JobError(
                f"{label(path)}: {totals.done} of {totals.parts} parts are done; go on with it first"
            )
        files = PartFiles(folder_of(path), ledger, splitting_of(ledger.job))
        model = parse_model(ledger.job.model)
        with SolutionWriter(str(out), model, force=force) as writer:
            for rows in files.batches():
                writer.write(SolutionSet(model, model.decisions, rows))
    return totals.count
