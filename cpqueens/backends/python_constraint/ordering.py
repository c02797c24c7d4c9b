"""The library's backtracking with another order of variables: the smallest domain first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import constraint as library


class _OneOfMany(list[Any]):
    """The constraints of a variable; as the library counts them, all variables have equally many."""

    def __len__(self) -> int:
        return 1


class SmallestDomainFirst(library.BacktrackingSolver):  # type: ignore[misc]
    """The library's search, which asks for the most constraints first and then for the smallest domain.

    Here it is the other way round (Brelaz 1979). On a board of stars the squares at the edges touch fewer
    others: the library leaves them to the end, and with them what every row and column lacks.
    """

    def getSolutionIter(  # noqa: N802 - the library's name
        self, domains: dict[int, Any], constraints: Sequence[Any], vconstraints: dict[int, list[Any]]
    ) -> Iterator[dict[int, int]]:
        """Yield the solutions."""
        order = sorted(domains, key=lambda variable: -len(vconstraints[variable]))
        hidden = {variable: _OneOfMany(mine) for variable, mine in vconstraints.items()}
        found: Iterator[dict[int, int]] = super().getSolutionIter(
            {variable: domains[variable] for variable in order}, constraints, hidden
        )
        return found
