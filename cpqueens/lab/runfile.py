"""Runs in a ledger: a batch is there for good once it is written, and a later call goes on from it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cpqueens.errors import ModelError
from cpqueens.lab.runtable import COLUMNS, RunRecord
from cpqueens.longrun.job import LongJob, code_version
from cpqueens.longrun.ledger import Ledger
from cpqueens.longrun.work import Counted, residues
from cpqueens.text.bounded import label
from cpqueens.text.parameters import as_path
from cpqueens.text.plaintext import shown

_EVERY = 0.2
"""Seconds between writes: as much as a kill may cost."""
_MOST = 2**63 - 1
_written = json.JSONEncoder(separators=(",", ":")).encode  # made once: that takes longer than a run's text


class RunFile:
    """The runs of one evaluation, in a ledger that survives a kill at any moment.

    A run is a part: that of a heuristic on a problem with a seed has a number of its own. The job grows with
    the runs that are asked for.

    Parameters
    ----------
    path
        The ledger.
    identity
        What the runs depend on, beside their seeds, by name; each value is plain JSON. ``heuristics`` and
        ``problems`` are mappings by the names that runs have.

    Raises
    ------
    CpqueensError
        If the file cannot be written, is no ledger, is in use, or holds runs of another identity.
    """

    def __init__(self, path: str | os.PathLike[str], identity: Mapping[str, Any]) -> None:
        self.path = Path(as_path(path))
        pairs = [(h, p) for h in sorted(identity["heuristics"]) for p in sorted(identity["problems"])]
        self._pairs = {pair: k for k, pair in enumerate(pairs)}
        self._ledger = self._opened(identity)
        try:
            self._compare(self._ledger.job, json.loads(json.dumps(identity)))
            self._session = self._ledger.begin_session(1, code_version())
        except BaseException:
            self._ledger.close()
            raise
        self._written = time.monotonic()

    def _opened(self, identity: Mapping[str, Any]) -> Ledger:
        names, problems = (", ".join(sorted(identity[what])) for what in ("heuristics", "problems"))
        text, title = json.dumps(identity, sort_keys=True), f"{names} on {problems}"
        job = LongJob("evaluate", title, text, names, "runs", 0, 0, "", code_version())
        return Ledger.take(self.path, job)

    def _compare(self, job: LongJob, asked: Mapping[str, Any]) -> None:
        name = label(str(self.path))
        if job.kind != "evaluate":
            raise ModelError(f"{name}: holds another job, {job.title!r}; choose another file")
        there = json.loads(job.model)
        for what in (*asked, *there):
            old, new = there.get(what), asked.get(what)
            if old != new:
                raise ModelError(
                    f"{name}: holds runs of {what} {shown(old, 80)}, asked for is {shown(new, 80)}; "
                    f"choose another file"
                )

    def read(self) -> dict[tuple[str, str, int], RunRecord]:
        """Return all runs that are there, by their keys.

        Raises
        ------
        CpqueensError
            If the file is damaged.
        """
        try:
            rows = [run_of(content) for _, content in self._ledger.contents()]
        except (ValueError, TypeError, LookupError):
            raise ModelError(f"{label(str(self.path))}: a run in it cannot be read; it is damaged") from None
        return {row.key: row for row in rows}

    def expect(self, runs: int) -> None:
        """Say how many runs there are to be in the end."""
        self._ledger.extend(max(runs, self._ledger.job.parts))

    def add(self, rows: Iterable[RunRecord]) -> None:
        """Take in runs; a few times a second what has come is written, and stays.

        Raises
        ------
        JobError
            If the disk is full, say.
        """
        for row in rows:
            solved = int(row.solution is not None)
            left = (self._part(row), solved, residues(solved), row.wall_seconds, row.machine)
            self._ledger.add(Counted(*left, content=text_of(row)), row.heuristic)
        if time.monotonic() - self._written > _EVERY:
            self._ledger.commit()
            self._written = time.monotonic()

    def _part(self, row: RunRecord) -> int:
        part = row.seed * len(self._pairs) + self._pairs[row.heuristic, row.problem]
        if part > _MOST:
            raise ModelError(f"seed: too large for a record, got {row.seed}")
        return part

    def close(self) -> None:
        """Write the rest and leave the file to others."""
        try:
            self._ledger.end_session(self._session)
        finally:
            self._ledger.close()


def text_of(row: RunRecord) -> str:
    """Return a run as JSON: what is known of it, by name."""
    known = {name: value for name in COLUMNS if (value := getattr(row, name)) is not None}
    return _written(known)


def run_of(text: str) -> RunRecord:
    """Return the run that `text_of` made the text of.

    Raises
    ------
    ValueError, TypeError
        If it is none.
    """
    known = json.loads(text)
    if "solution" in known:
        known["solution"] = tuple(map(int, known["solution"]))
    if "incumbents" in known:
        known["incumbents"] = tuple((float(at), int(value)) for at, value in known["incumbents"])
    return RunRecord(**known)
