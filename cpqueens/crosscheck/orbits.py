"""Solutions counted up to the symmetries of their problem."""

from cpqueens.answers.symmetry import LARGEST, Group, OrbitsMet
from cpqueens.crosscheck.sets import SolutionStore


def count_orbits(group: Group, store: SolutionStore) -> int | None:
    """Return the number of orbits that a set meets; None without symmetries or for too large a set."""
    if not group or store.distinct > LARGEST:
        return None
    met, seen = OrbitsMet(group), set[bytes]()
    for rows in store.rows():
        seen.update(map(bytes, met.canonical(rows)))
    return len(seen)
