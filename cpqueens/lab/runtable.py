"""The table of runs: one row for each run of a heuristic on a problem, and what kind of end it came to."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from cpqueens.answers.outcome import StopReason
from cpqueens.answers.runs import Incumbents


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


@dataclass(frozen=True, slots=True)
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
    counts: Mapping[str, int] | None = field(default=None, hash=False)

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


@dataclass(frozen=True)
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

    rows: Sequence[RunRecord] = field(default_factory=tuple)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        return self.rows[index]

    def __iter__(self) -> Iterator[RunRecord]:
        return iter(self.rows)

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
