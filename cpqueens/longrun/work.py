"""What a worker does, in whatever process or machine: count some parts; and what is believed of it."""

import hashlib
import json
import math
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from cpqueens.language.rows import IntArray
from cpqueens.longrun.splitting import JobError, LongJob, Splitting, code_version, splitting_of
from cpqueens.text.plaintext import shown

PRIMES = (2_147_483_629, 2_147_483_587)
"""The two largest primes below 2^31 - 18: residues by these travel with every count."""
DIGITS = 4000
"""Of a count, at most: Python turns no more than 4,300 into a text."""


@dataclass(frozen=True)
class Counted:
    """One part's result: the count, its residues, what it took, and what else it brought.

    Attributes
    ----------
    count
        Solutions; of a fuzzed model its failures, of a run of a heuristic whether it was solved.
    rows
        The solutions, if they were asked for: they go to a file.
    content
        What is more than a count, as a text for the ledger.
    """

    part: int
    count: int
    residues: tuple[int, int]
    seconds: float
    worker: str
    rows: IntArray | None = field(default=None, compare=False)
    content: str | None = None

    @property
    def holds(self) -> bool:
        """Say whether count and residues still belong together."""
        return self.residues == residues(self.count)

    def digest(self, job: str) -> str:
        """Return a SHA-256 that belongs to this result of this part of a job, which a digest names."""
        whole = (job, self.part, self.count, self.residues, self.content)
        return hashlib.sha256(json.dumps(whole).encode()).hexdigest()


def residues(count: int) -> tuple[int, int]:
    """Return a count modulo the two primes.

    >>> residues(92)
    (92, 92)
    """
    return count % PRIMES[0], count % PRIMES[1]


def count_parts(job: str, parts: Sequence[int]) -> list[Counted]:
    """Return the results of some parts of a job, given as its text.

    Raises
    ------
    JobError
        If this process has other code than the job began with.
    """
    splitting, solver, kind = _prepared(job)
    me = this_worker()
    if kind == "enumerate":
        return [_listed(splitting, part, solver, me) for part in parts]
    splitting.prepare()  # not charged to the first part: the remaining time is reckoned from what parts take
    began = time.perf_counter()
    counts = splitting.count(parts, solver)
    each = (time.perf_counter() - began) / max(1, len(parts))
    found = zip(parts, map(int, counts), strict=True)
    return [Counted(k, n, residues(n), each, me) for k, n in found]


def _listed(splitting: Splitting, part: int, solver: str, me: str) -> Counted:
    began = time.perf_counter()
    rows = splitting.rows(part, solver)
    return Counted(part, len(rows), residues(len(rows)), time.perf_counter() - began, me, rows)


def this_worker() -> str:
    """Return the name of this process among all machines."""
    return f"{platform.node()}:{os.getpid()}"


def refuse_other_code(code: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function for who has the same code as this process.

    Raises
    ------
    JobError
        If the caller has other code.
    """
    if code != code_version():
        raise JobError(
            f"the worker on {platform.node()} has cpqueens {code_version()}, the job began with {code}"
        )
    return function(*arguments)


def job_here(text: str) -> LongJob:
    """Return a job that this process is to work at.

    Raises
    ------
    JobError
        If this process has other code than the job began with.
    """
    job = LongJob.read(text)
    found: LongJob = refuse_other_code(job.code, lambda: job)
    return found


@lru_cache(maxsize=4)
def _prepared(text: str) -> tuple[Splitting, str, str]:
    job = job_here(text)
    return splitting_of(job), job.solver, job.kind


# ---- what a worker answers is examined before it is believed ---------------------------------------------

Reader = Callable[[Counted], object]
"""Reads what a result has beside its count; a `ValueError`, `TypeError` or `LookupError` refuses it."""

_NAME = 200
_MOST = 10**DIGITS


class BadAnswer(ValueError):  # noqa: N818 - says what happened
    """A worker's answer is not one to the question."""


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < _MOST


def _are_residues(value: Any) -> bool:
    return type(value) is tuple and len(value) == 2 and all(type(one) is int for one in value)


def _are_seconds(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < math.inf


def _is_name(value: Any) -> bool:
    return type(value) is str and value.isprintable() and len(value) <= _NAME


_FIELDS: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("part", lambda value: type(value) is int, "an integer"),
    ("count", _is_count, "an integer from 0 on"),
    ("residues", _are_residues, "two integers"),
    ("seconds", _are_seconds, "a number from 0 on"),
    ("worker", _is_name, f"a name of at most {_NAME} characters"),
    ("content", lambda value: value is None or (type(value) is str and value.isascii()), "a text in ASCII"),
)


def examine(answer: Any, parts: Sequence[int], read: Reader) -> list[Counted]:
    """Return a worker's answer if it has a result for each of the parts, and nothing else.

    A result may stand twice in it: the ledger compares the two.

    Raises
    ------
    BadAnswer
        In one line: what is wrong with it.
    """
    if type(answer) is not list:
        raise BadAnswer(f"a worker answered {shown(answer, 80)}; a list of results is needed")
    asked = set(parts)
    for found in answer:
        _examine_one(found, asked, read)
    dropped = asked - {found.part for found in answer}
    if dropped:
        raise BadAnswer(f"a worker answered {len(answer)} results, and none for part {min(dropped)}")
    return answer


def _examine_one(found: Any, asked: set[int], read: Reader) -> None:
    if type(found) is not Counted:
        raise BadAnswer(f"a worker answered {shown(found, 80)}; a result is needed")
    for name, fits, needed in _FIELDS:
        value = getattr(found, name, None)
        if not fits(value):
            raise BadAnswer(f"a worker's result has {name} {shown(value, 80)}; needed is {needed}")
    if found.part not in asked:
        raise BadAnswer(f"{found.worker}: a result for part {found.part}, which was not asked for")
    if not found.holds:
        raise BadAnswer(f"{found.worker}: count {found.count} has other residues than it came with")
    try:
        read(found)
    except (ValueError, TypeError, LookupError) as error:
        raise BadAnswer(f"{found.worker}: part {found.part}: {error}") from None


def read_count(found: Counted) -> None:
    """Refuse what has more than a count."""
    if found.rows is not None or found.content is not None:
        raise ValueError("more than a count, which was asked for")
