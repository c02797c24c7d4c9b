"""Runs in a ledger: a batch is there for good once it is written, and a later call goes on from it."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from cpqueens.answers.outcome import StopReason
from cpqueens.answers.runs import Incumbents
from cpqueens.errors import ModelError
from cpqueens.longrun.ledger import Ledger
from cpqueens.longrun.splitting import LongJob, code_version
from cpqueens.longrun.work import Counted, residues
from cpqueens.text.bounded import label
from cpqueens.text.parameters import as_path
from cpqueens.text.plaintext import shown

# ---- the table of runs: a row for each run of a heuristic on a problem -----------------------------------


class Ending(StrEnum):
    """How the end of a run counts in the statistics of run lengths."""

    SOLVED = "solved"
    """With a checked solution."""
    LIMIT = "limit"
    """Censored: it would have gone on."""
    STUCK = "stuck"
    """By its own rule, for ever."""
    REJECTED = "rejected"
    """Its answer, or its death; like one that is stuck it solves nothing."""
    INTERRUPTED = "interrupted"
    """Censored, and no trial of the success rate."""


LIMITS = frozenset({StopReason.TIME_LIMIT, StopReason.STEP_LIMIT, StopReason.GAVE_UP, "late"})
"""Reasons for which a run ended that had not ended by itself; "gave_up" is a solver's default limit."""


@dataclasses.dataclass(frozen=True, slots=True)
class RunRecord:
    """One run; a figure that was not counted is None.

    Attributes
    ----------
    heuristic, problem, seed
        The solver, on which instance, by its title, such as ``queens(n=8)``, and with which seed.
    status, stop_reason
        As in an `Outcome`; of a rejected run ``stop_reason`` is the rejection's name.
    message
        The rejection in words.
    steps, evaluations, restarts
        As the solver counts them.
    processor_seconds, wall_seconds
        Where one call made many runs: its time, shared out by their steps.
    objective
        Of the checked solution.
    incumbents
        Seconds and objective of each better solution on the way to it; None without an objective.
    solution
        Values of the decision variables, checked; None without one.
    machine
        Where it was made.
    counts
        What else the solver counts, by its names: attempts, anneals, nodes, moves.
    """

    heuristic: str
    problem: str
    seed: int
    status: str
    stop_reason: str
    message: str = ""
    steps: int | None = None
    evaluations: int | None = None
    restarts: int | None = None
    processor_seconds: float | None = None
    wall_seconds: float = 0.0
    objective: int | None = None
    solution: tuple[int, ...] | None = None
    machine: str = ""
    incumbents: Incumbents | None = None
    counts: Mapping[str, int] | None = dataclasses.field(default=None, hash=False)

    def measure(self, name: str) -> float | None:
        """Return the cost of the run in a measure: a column of numbers, or one of the ``counts``."""
        value = getattr(self, name) if name in _NUMBERS else (self.counts or {}).get(name)
        return None if value is None else float(value)

    @property
    def ending(self) -> Ending:
        """The kind of its end."""
        if self.stop_reason == StopReason.INTERRUPTED and (
            self.solution is None or self.incumbents is not None
        ):
            return Ending.INTERRUPTED  # with an objective it would have gone on from what it had
        if self.solution is not None:
            return Ending.SOLVED
        if self.stop_reason in LIMITS:
            return Ending.LIMIT
        return Ending.STUCK if self.stop_reason in _OWN_ENDS else Ending.REJECTED

    @property
    def key(self) -> tuple[str, str, int]:
        """A key that is unique to the row."""
        return self.heuristic, self.problem, self.seed


_OWN_ENDS = frozenset({*StopReason, "no answer"})

COLUMNS = tuple(f.name for f in dataclasses.fields(RunRecord))
_NUMBERS = ("steps", "evaluations", "restarts", "processor_seconds", "wall_seconds")


@dataclasses.dataclass(frozen=True)
class RunTable(Sequence[RunRecord]):
    """Runs in the order of heuristics, problems and seeds.

    >>> runs = RunTable([RunRecord("guess", "queens(n=4)", 0, "UNKNOWN", "invalid", "two queens attack")])
    >>> len(runs), runs[0].ending.value
    (1, 'rejected')

    Attributes
    ----------
    rows
        Of the runs (`RunRecord`).
    """

    rows: Sequence[RunRecord] = dataclasses.field(default_factory=tuple)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        return self.rows[index]

    def __repr__(self) -> str:
        return f"<{len(self)} runs, {sum(r.solution is not None for r in self)} solved>"

    def groups(self) -> dict[tuple[str, str], RunTable]:
        """Return the runs by heuristic and problem."""
        found: dict[tuple[str, str], list[RunRecord]] = {}
        for row in self:
            found.setdefault((row.heuristic, row.problem), []).append(row)
        return {key: RunTable(rows) for key, rows in found.items()}

    def column(self, name: str) -> list[Any]:
        """Return one figure of all runs."""
        return [getattr(row, name) for row in self]

    def to_dict(self) -> Mapping[str, list[Any]]:
        """Return the columns by name, with each run's kind of end."""
        return {**{name: self.column(name) for name in COLUMNS}, "ending": [str(r.ending) for r in self]}

    def to_csv(self) -> str:
        """Return the rows as CSV with a header; solutions, incumbents and counts are JSON."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow((*COLUMNS, "ending"))
        writer.writerows((*cells(row), str(row.ending)) for row in self)
        return stream.getvalue()


def cells(row: RunRecord) -> tuple[Any, ...]:
    """Return a run as what CSV holds."""
    plain = {name: getattr(row, name) for name in COLUMNS}
    for name in ("solution", "incumbents", "counts"):
        if plain[name] is not None:
            plain[name] = json.dumps(plain[name], separators=(",", ":"))
    return tuple(plain.values())


_EVERY = 0.2
"""Seconds between writes: as much as a kill may cost."""
_MOST = 2**63 - 1
_written = msgspec.json.Encoder().encode


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
        except msgspec.MsgspecError:
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
    """Return a run as JSON."""
    return _written(row).decode()


run_of = msgspec.json.Decoder(RunRecord).decode
"""Returns the run that `text_of` made the text of."""
