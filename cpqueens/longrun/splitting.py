"""How a count is split: parts that are disjoint and together everything, the same on every machine.

``units`` are the row sets of counting queens by halves. ``prefixes`` are ranges of values of the first
decision variables, for every model: a part is the model with these ranges. Both are in a random order that
is always the same, so that the parts done so far are a sample of all.

What a long run is about: the model, how it is split, and the code that it began with.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from itertools import islice
from pathlib import Path

import numpy as np

import cpqueens
from cpqueens.backends.backtracking.backend import halved_board
from cpqueens.backends.backtracking.choosing import no_halves
from cpqueens.backends.backtracking.patterned import UnitCounts
from cpqueens.errors import CpqueensError, ModelError, UnsupportedRequest
from cpqueens.files.modelfile import dump_model, parse_model
from cpqueens.language.rows import IntArray
from cpqueens.model import Model
from cpqueens.solving.solve import IncompleteCount, count, enumerate_solutions
from cpqueens.solving.stages import ranges_of, within
from cpqueens.system.requirements import version_of

_PACKAGE = Path(cpqueens.__file__).parent
_NUMBERS = ("wanted", "parts")


class JobError(CpqueensError):
    """A ledger is of another job, of other code, in use, or cannot be written."""


@dataclass(frozen=True)
class LongJob:
    """Work that is split into parts; equal jobs have equal parts, on every machine.

    Attributes
    ----------
    kind
        ``count``, ``enumerate``, ``fuzz`` or ``evaluate``.
    title
        What is shown.
    model
        What the parts are made of, as a text: the model's file; of others than counts what they depend on.
    solver
        Which counts the parts, or who is examined.
    splitting
        How it is split: ``prefixes`` or ``units``, see `cpqueens.longrun.splitting`; ``models``; ``runs``.
    wanted
        How many parts were asked for.
    parts
        How many there are.
    partition
        SHA-256 of all parts.
    code
        `code_version` at the beginning.
    """

    kind: str
    title: str
    model: str
    solver: str
    splitting: str
    wanted: int
    parts: int
    partition: str
    code: str

    @classmethod
    def read(cls, text: str) -> LongJob:
        """Return the job that `text` gave the text of.

        Raises
        ------
        TypeError, ValueError
            If it is none.
        """
        job = cls(**json.loads(text))
        if not all(type(value) is (int if name in _NUMBERS else str) for name, value in vars(job).items()):
            raise TypeError("a field of another type")
        return job

    @property
    def text(self) -> str:
        """The job as JSON, for the ledger and for workers."""
        return json.dumps(asdict(self), sort_keys=True)

    @property
    def text_digest(self) -> str:
        """SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what the job is, without title and code, and without parts: those may grow."""
        kept = {k: v for k, v in asdict(self).items() if k not in ("title", "code", "parts")}
        return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


@cache
def code_version() -> str:
    """Return the version of cpqueens and a digest of its source, which all workers must have, too."""
    text = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        text.update(f"{path.relative_to(_PACKAGE).as_posix()} ".encode() + path.read_bytes())
    return f"{version_of('cpqueens') or 'unknown'}+{text.hexdigest()[:16]}"


MOST = 1_000_000
"""Parts of one job."""

_VALUES = 1000
"""Values of a variable that become parts of their own; more are grouped into as many ranges."""

Ranges = tuple[tuple[int, int], ...]
"""The first and last value of each of the first decision variables, in the model's order."""


class Prefixes:
    """Ranges of values of the first decision variables: parts of any model."""

    name = "prefixes"

    def __init__(self, model: Model, wanted: int) -> None:
        self.model = model
        variables = model.decisions.tolist()
        parts: list[Ranges] = [()]
        for variable in variables:
            if len(parts) >= wanted:
                break
            # of the last variable not more than are needed
            most = min(_VALUES, max(2, -(-wanted // len(parts))))
            ends = int(model.lower[variable]), int(model.upper[variable])
            ranges = ranges_of(model, variable, *ends, most)
            if len(parts) * len(ranges) > MOST:
                break
            parts = [(*part, bounds) for part in parts for bounds in ranges]
        order = list(range(len(parts)))
        random.Random(0).shuffle(order)
        self.parts, self._ranks = [parts[k] for k in order], order

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.parts)

    def describe(self, part: int) -> str:
        """Return the ranges of a part, as a text that no other part has."""
        return json.dumps(self.parts[part])

    def prepare(self) -> None:
        """Make what all counts need, so that no part is charged with it: nothing here."""

    def count(self, parts: Sequence[int], solver: str) -> list[int]:
        """Return how many solutions each of these parts has."""
        return [count(self._within(part), solver=solver) for part in parts]

    def rows(self, part: int, solver: str) -> IntArray:
        """Return the solutions of a part, (solutions, decision variables), in lexicographic order."""
        outcome = enumerate_solutions(self._within(part), solver=solver)
        if not outcome.complete:
            raise IncompleteCount(outcome)
        matrix = outcome.solutions.matrix
        return matrix[np.lexsort(matrix.T[::-1])]

    def contains(self, part: int, rows: IntArray) -> bool:
        """Say whether solutions, (solutions, decision variables), are within a part, in order, each once."""
        variables = self.model.decisions
        if rows.ndim != 2 or rows.shape[1] != len(variables):
            return False
        bounds = np.array([self.model.lower[variables], self.model.upper[variables]]).T
        ranges = self.parts[part]
        bounds[: len(ranges)] = np.array(ranges).reshape(-1, 2)
        within = (rows >= bounds[:, 0]) & (rows <= bounds[:, 1])
        return bool(within.all()) and _ascends(rows)

    def rank(self, part: int) -> int:
        """Return a part's place in the lexicographic order of all parts."""
        return self._ranks[part]

    def narrowed(self, part: int) -> Iterator[tuple[Model, int]]:
        """Yield models with weights, whose solutions, times these, are those of a part: here one."""
        yield self._within(part), 1

    def _within(self, part: int) -> Model:
        bounds = zip(self.model.decisions.tolist(), self.parts[part], strict=False)
        return within(self.model, [(variable, low, high) for variable, (low, high) in bounds])


def _ascends(rows: IntArray) -> bool:
    """Say whether each row is lexicographically behind the one before."""
    differs = rows[1:] != rows[:-1]
    first = differs.argmax(axis=1)[:, None] if rows.shape[1] else np.zeros((len(differs), 1), dtype=np.int64)
    before, behind = (np.take_along_axis(half, first, 1) for half in (rows[:-1], rows[1:]))
    return bool((before < behind).all())


class UnitParts:
    """Row sets of a square board, up to flip and complement; several to a part where there are many.

    A row in the ledger costs more than the smallest of them.
    """

    name = "units"

    def __init__(self, model: Model, n: int, wanted: int) -> None:
        self.model, self.n = model, n
        self.units = UnitCounts(n)
        self.each = max(1, len(self.units) // wanted)

    def _units(self, part: int) -> range:
        return range(part * self.each, min((part + 1) * self.each, len(self.units)))

    def __len__(self) -> int:
        """Return how many parts there are."""
        return -(-len(self.units) // self.each)

    def describe(self, part: int) -> str:
        """Return of each unit the rows in the west and in the east, and the size of the class."""
        return json.dumps([self.units.describe(unit) for unit in self._units(part)])

    def prepare(self) -> None:
        """Make the tables of half boards: seconds for the largest boards."""
        self.units.prepare()

    def count(self, parts: Sequence[int], solver: str) -> list[int]:
        """Return how many solutions each of these parts stands for."""
        counts = iter(self.units.count([unit for part in parts for unit in self._units(part)]))
        return [sum(islice(counts, len(self._units(part)))) for part in parts]

    def rows(self, part: int, solver: str) -> IntArray:
        """Refuse: half boards are counted, not listed."""
        raise UnsupportedRequest("backtracking:halves counts and does not list")

    def contains(self, part: int, rows: IntArray) -> bool:
        """Say no: half boards are counted, not listed."""
        return False

    def rank(self, part: int) -> int:
        """Return the part: units have no order."""
        return part

    def narrowed(self, part: int) -> Iterator[tuple[Model, int]]:
        """Yield boards with the queens of some rows in their west, and how many such boards are alike."""
        for unit in self._units(part):
            west, east, weight = self.units.describe(unit)
            narrower = self.model.copy()
            (block,) = narrower.blocks
            q = narrower[block.name]
            for row in range(self.n):
                if west >> row & 1:
                    narrower.add(q[row] < self.n // 2)
                elif east >> row & 1:
                    narrower.add(q[row] >= (self.n + 1) // 2)
                else:
                    narrower.add(q[row] == self.n // 2)
            yield narrower, weight


Splitting = Prefixes | UnitParts
"""The parts of one model."""


def split(model: Model, solver: str, wanted: int, kind: str = "count") -> Splitting:
    """Return the parts of a model: units where its queens are to be counted by halves, else prefixes."""
    if not len(model.decisions):
        raise ModelError("a model without variables has one solution or none: there is nothing to split")
    n = _by_halves(model, solver) if kind == "count" else None
    return Prefixes(model, wanted) if n is None else UnitParts(model, n, wanted)


def _by_halves(model: Model, solver: str) -> int | None:
    """Return the size of the board if our own engine would count the model by halves."""
    if solver not in ("auto", "backtracking", "backtracking:halves"):
        return None
    n = halved_board(model, asked=solver.endswith(":halves"))
    if n is None and solver.endswith(":halves"):
        raise no_halves()
    return n if n is not None and len(model.blocks) == 1 else None


def partition_digest(splitting: Splitting) -> str:
    """Return the SHA-256 of all parts in their order."""
    text = hashlib.sha256(splitting.name.encode())
    for part in range(len(splitting)):
        text.update(splitting.describe(part).encode() + b"\n")
    return text.hexdigest()


def job_of(kind: str, title: str, model: Model, solver: str, wanted: int) -> tuple[LongJob, Splitting]:
    """Return the job of counting or listing the solutions of a model, and its parts."""
    splitting = split(model, solver, wanted, kind)
    job = LongJob(
        kind, title, dump_model(model), solver, splitting.name, wanted,
        len(splitting), partition_digest(splitting), code_version(),
    )  # fmt: skip
    return job, splitting


def splitting_of(job: LongJob) -> Splitting:
    """Return the parts of a job, made anew from its model.

    Raises
    ------
    JobError
        If they are not those that the job began with.
    """
    splitting = split(parse_model(job.model, "the job's model"), job.solver, job.wanted, job.kind)
    if len(splitting) != job.parts or partition_digest(splitting) != job.partition:
        raise JobError("the parts made here are not those of the ledger: another version of cpqueens?")
    return splitting
