"""Published values of a problem, each with its source; never computed by a solver of ours."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

What = Literal["solutions", "fundamental", "optimum"]
"""Number of solutions, number of solutions up to symmetry, value of the objective at the optimum."""


@dataclass(frozen=True)
class Published:
    """One published value: of what, where it stands, and for which parameters.

    Where nobody has published one, ``source`` says "brute force: ..." and of what: plain loops, which a test
    repeats. Parameters that are not named have their defaults.
    """

    what: What
    value: int
    source: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


def called(source: str) -> str:
    """Return what values of a source are called: published, or known by loops of our own."""
    return "known" if source.startswith("brute force: ") else "published"


def series(
    what: What, source: str, values: Mapping[int, int], parameter: str = "n", **others: Any
) -> tuple[Published, ...]:
    """Return one `Published` for each entry of a table ``{value of the parameter: published value}``.

    >>> series("solutions", "OEIS A000170", {4: 2, 8: 92})[1]
    Published(what='solutions', value=92, source='OEIS A000170', parameters={'n': 8})
    """
    return tuple(Published(what, value, source, {parameter: n, **others}) for n, value in values.items())


def from_index(first: int, *values: int) -> dict[int, int]:
    """Return the table ``{first: values[0], first + 1: values[1], ...}``, as sequences are published."""
    return dict(enumerate(values, first))
