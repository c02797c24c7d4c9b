"""Counting a sample of a ledger's parts once more, by another solver."""

from __future__ import annotations

import math
import platform
import random
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from cpqueens.errors import ModelError
from cpqueens.longrun.ledger import Ledger
from cpqueens.longrun.splitting import splitting_of
from cpqueens.longrun.work import Counted, residues
from cpqueens.solving.solve import IncompleteCount, count
from cpqueens.system.interrupts import listening

SHARE, LEAST = 0.02, 30
"""Of the parts done, and parts at least, that are counted again."""

_OTHERS = {"units": "backtracking:bitmask", "prefixes": "cpsat"}


@dataclass(frozen=True)
class Verification:
    """What counting parts again has shown.

    Attributes
    ----------
    solver
        Which counted again.
    checked
        Parts counted again.
    differing
        Those of which the counts differ.
    done
        Parts in the ledger.
    interrupted
        Whether a signal came before the whole sample was counted.
    """

    solver: str
    checked: int
    differing: tuple[int, ...]
    done: int
    interrupted: bool = False

    @property
    def sentence(self) -> str:
        """What it shows, and what not."""
        if not self.checked:
            return "Nothing was counted again, which shows nothing."
        if self.differing:
            return (
                f"{len(self.differing)} of {self.checked} parts counted again by {self.solver} have another "
                "count: the total is not to be believed."
            )
        if self.checked == self.done:
            return f"All {self.done} parts counted again by {self.solver} have the same count."
        wrong = math.ceil(100 * (1 - 0.05 ** (1 / self.checked)))
        return (
            f"{self.checked} of {self.done} parts, drawn at random, counted again by {self.solver} have the "
            f"same count: with 95 % confidence fewer than {wrong} % of all parts differ between the two. It "
            "says nothing about the others one by one, nor about what both share: model and splitting."
        )


def verify(
    store: str | Path,
    *,
    solver: str | None = None,
    share: float = SHARE,
    least: int = LEAST,
    random_seed: int | None = None,
    on_progress: Callable[[int, int], object] | None = None,
) -> Verification:
    """Count a random sample of the parts done once more; the ledger keeps what was found.

    Parameters
    ----------
    store
        The ledger.
    solver
        By default not the one that counted: ``backtracking:bitmask`` where queens were counted by halves,
        ``backtracking`` for what ``cpsat`` counted, else ``cpsat``.
    share, least
        How many parts: a share of them, and so many at least.
    random_seed
        Of the sample; by default another one each time.
    on_progress
        Called with the parts counted and all of the sample.

    Raises
    ------
    JobError
        If the ledger cannot be read or written, or its parts cannot be made anew.
    ModelError
        If the share is not in 0 to 1.
    """
    if not 0 <= share <= 1:
        raise ModelError(f"share: a number from 0 to 1 is needed, got {share}")
    path = Path(store)
    with closing(Ledger.open(path)) as ledger, listening() as interrupt:
        if ledger.job.kind not in ("count", "enumerate"):
            raise ModelError(f"{path}: holds {ledger.job.title}, which cannot be counted again")
        ledger.claim()
        splitting = splitting_of(ledger.job)
        known = {r.part: r.count for r in ledger.sound_results()}
        size = min(len(known), max(least, math.ceil(share * len(known))))
        sample = random.Random(random_seed).sample(list(known), size)
        by = solver or _other(splitting.name, ledger.job.solver)
        checked, differing = 0, set()
        for part in interrupt.until_seen(sample):
            began = time.perf_counter()
            try:
                found = sum(weight * count(model, solver=by) for model, weight in splitting.narrowed(part))
            except IncompleteCount:
                if interrupt.poll():
                    break
                raise
            spent = time.perf_counter() - began
            ledger.add(Counted(part, found, residues(found), spent, platform.node()), by)
            ledger.commit()
            checked += 1
            if found != known[part]:
                differing.add(part)
            if on_progress is not None:
                on_progress(checked, size)
        return Verification(by, checked, tuple(sorted(differing)), len(known), checked < size)


def _other(splitting: str, solver: str) -> str:
    return "backtracking" if solver.startswith("cpsat") else _OTHERS[splitting]
