"""Solutions counted up to the symmetries of their problem."""

from cpqueens.answers.symmetry import Group, canonical
from cpqueens.crosscheck.sets import SolutionStore

LARGEST = 2_000_000
"""Solutions up to which orbits are counted (their canonical forms are kept in memory)."""


def count_orbits(group: Group, store: SolutionStore) -> int | None:
    """Return the number of orbits that a set meets; None without symmetries or for too large a set."""
    if not group or store.distinct > LARGEST:
        return None
    seen: set[bytes] = set()
    for rows in store.rows():
        seen.update(map(bytes, canonical(rows, group)))
    return len(seen)
