"""What a worker does, in whatever process or machine: count some parts of a job."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from cpqueens.language.rows import IntArray
from cpqueens.longrun.job import JobError, LongJob, code_version
from cpqueens.longrun.splitting import Splitting, splitting_of

PRIMES = (2_147_483_629, 2_147_483_587)
"""The two largest primes below 2^31 - 18: residues by these travel with every count."""


@dataclass(frozen=True)
class Counted:
    """One part's result: the count, its residues, what it took, and the solutions if they were asked for."""

    part: int
    count: int
    residues: tuple[int, int]
    seconds: float
    worker: str
    rows: IntArray | None = field(default=None, compare=False)

    @property
    def holds(self) -> bool:
        """Say whether count and residues still belong together."""
        return self.residues == residues(self.count)


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
    me = f"{platform.node()}:{os.getpid()}"
    if kind == "enumerate":
        return [_listed(splitting, part, solver, me) for part in parts]
    began = time.perf_counter()
    counts = splitting.count(parts, solver)
    each = (time.perf_counter() - began) / max(1, len(parts))
    return [Counted(k, n, residues(n), each, me) for k, n in zip(parts, counts, strict=True)]


def _listed(splitting: Splitting, part: int, solver: str, me: str) -> Counted:
    began = time.perf_counter()
    rows = splitting.rows(part, solver)
    return Counted(part, len(rows), residues(len(rows)), time.perf_counter() - began, me, rows)


@lru_cache(maxsize=4)
def _prepared(text: str) -> tuple[Splitting, str, str]:
    job = LongJob(**json.loads(text))
    if job.code != code_version():
        raise JobError(
            f"the worker on {platform.node()} has cpqueens {code_version()}, the job began with {job.code}"
        )
    return splitting_of(job), job.solver, job.kind
