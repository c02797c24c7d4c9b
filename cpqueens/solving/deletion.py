"""Irreducible infeasible subsets by deletion: what stays infeasible without a part does not need it.

Parts are left out in growing chunks first, then singly (Chinneck and Dravnieks, ORSA J. Computing 3, 1991).
"""

from collections.abc import Callable

from cpqueens.system.interrupts import Interrupt


def reduced(
    subset: list[int], infeasible: Callable[[list[int]], bool | None], interrupt: Interrupt
) -> tuple[list[int], bool]:
    """Return an irreducible subset and whether every run decided; after a signal the one so far.

    ``infeasible`` says of positions whether they are infeasible together; None if undecided.
    """
    decided, at, chunk = True, 0, max(1, len(subset) // 4)
    while at < len(subset):
        if interrupt.seen:
            return subset, False
        trial = subset[:at] + subset[at + chunk :]
        answer = infeasible(trial)
        if answer is True:
            subset = trial
            continue
        if chunk > 1:
            chunk = max(1, chunk // 2)
            continue
        decided = decided and answer is not None
        at += 1
        chunk = max(1, (len(subset) - at) // 4) if at < len(subset) else 1
    return subset, decided
