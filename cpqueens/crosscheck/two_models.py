"""What comparing two models has shown: a verdict, witnesses, and who proved what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from cpqueens.crosscheck.orbit_comparison import OrbitComparison

Best = int | tuple[int, ...]
"""A best value; of several objectives all of them."""

_LISTED = 12  # values and constraints of a text


class ModelRelation(StrEnum):
    """The relation of two sets of solutions, as far as it is known."""

    EQUAL = "EQUAL"
    """The same solutions."""
    A_IN_B = "A_IN_B"
    """Every solution of the first is one of the second, which has more."""
    B_IN_A = "B_IN_A"
    """The other way round."""
    OVERLAP = "OVERLAP"
    """Some in common, and each has others."""
    DISJOINT = "DISJOINT"
    """None in common."""
    DIFFERENT = "DIFFERENT"
    """They differ; how is not decided."""
    NO_DIFFERENCE_FOUND = "NO_DIFFERENCE_FOUND"
    """Nothing is proved."""


_WORDS = {
    ModelRelation.EQUAL: "both accept the same assignments",
    ModelRelation.A_IN_B: "every assignment that a accepts b accepts too, and b accepts more",
    ModelRelation.B_IN_A: "every assignment that b accepts a accepts too, and a accepts more",
    ModelRelation.OVERLAP: "each accepts what the other does not, and some assignments are accepted by both",
    ModelRelation.DISJOINT: "no assignment is accepted by both",
    ModelRelation.DIFFERENT: "they differ; how was not decided in the time given",
    ModelRelation.NO_DIFFERENCE_FOUND: "no difference was found in the time given, which proves nothing",
}


def values_text(values: Mapping[str, int]) -> str:
    """Return the first of some values as text."""
    parts = [f"{name} = {value}" for name, value in list(values.items())[:_LISTED]]
    more = "" if len(values) <= _LISTED else f" and {len(values) - _LISTED} more"
    return ", ".join(parts) + more


@dataclass(frozen=True)
class Difference:
    """An assignment to the shared variables that one model accepts and the other does not.

    Attributes
    ----------
    values
        By name.
    accepted, refused
        ``"a"`` or ``"b"``.
    reasons
        The constraints that refuse it, with names and lines; or who proved that no values of the refusing
        model's own variables go with it.
    """

    values: Mapping[str, int]
    accepted: str
    refused: str
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"{self.accepted} accepts and {self.refused} does not: {values_text(self.values)}"]
        lines += [f"    {self.refused}: {reason}" for reason in self.reasons[:_LISTED]]
        return "\n".join(lines)


@dataclass(frozen=True)
class ModelComparison:
    """How two models compare.

    >>> from cpqueens import Model, compare
    >>> a, b = Model("a"), Model("b")
    >>> x, y = a.intvar(1, 3, name="x"), b.intvar(1, 4, name="x")
    >>> found = compare(a, b)
    >>> found.verdict.value, found.exit_code, found.differences[0].values
    ('A_IN_B', 1, {'x': 4})

    Attributes
    ----------
    verdict
        See `ModelRelation`.
    shared
        The names of the variables compared; all others are projected away.
    differences
        One witness a direction, as far as there are any.
    proofs
        For each question that was settled by proof, the solvers that proved it.
    optima
        The proved best values of both objectives, None where there is no objective or no proof.
    seconds
        What it took.
    orbits
        How they compare up to symmetries, where these were given.
    optimal
        How the sets of optimal solutions compare; None unless both have objectives and their best values are
        proved, or proved to be the same.
    objectives
        Whether each has an objective.
    common
        An assignment that both accept, where that was looked for: each accepts what the other does not.
    """

    verdict: ModelRelation
    shared: tuple[str, ...]
    differences: tuple[Difference, ...]
    proofs: Mapping[str, tuple[str, ...]]
    optima: tuple[Best | None, Best | None] = (None, None)
    seconds: float = 0.0
    orbits: OrbitComparison | None = None
    optimal: ModelComparison | None = None
    objectives: tuple[bool, bool] = (False, False)
    common: Mapping[str, int] | None = None

    @property
    def equal(self) -> bool:
        """Whether the sets of solutions are proved equal.

        Where both have objectives, the best values and the sets of optimal solutions, too.
        """
        if self.verdict is not ModelRelation.EQUAL or not all(self.objectives):
            return self.verdict is ModelRelation.EQUAL
        return self.optima[0] == self.optima[1] and self.optimal is not None and self.optimal.equal

    @property
    def different(self) -> bool:
        """Whether a difference is proved."""
        if self.differences or (None not in self.optima and self.optima[0] != self.optima[1]):
            return True
        return self.optimal is not None and self.optimal.different

    @property
    def exit_code(self) -> int:
        """0 equal, 1 proved different, 3 undecided."""
        return 0 if self.equal else 1 if self.different else 3

    def __str__(self) -> str:
        lines = [f"{self.verdict}: {_WORDS[self.verdict]}", f"compared over {len(self.shared)} variables"]
        lines += [str(difference) for difference in self.differences]
        lines += [] if self.common is None else [f"both accept: {values_text(self.common)}"]
        lines += [f"proved: {question} ({', '.join(by)})" for question, by in self.proofs.items()]
        lines += self._about_objectives()
        if self.orbits is not None:
            lines.append(str(self.orbits))
        return "\n".join(lines)

    def _about_objectives(self) -> list[str]:
        if not all(self.objectives):
            one = [name for name, has in zip("ab", self.objectives, strict=True) if has]
            return [f"only {one[0]} has an objective, which is compared with nothing"] if one else []
        known = ["not proved" if value is None else str(value) for value in self.optima]
        lines = [f"best value: {known[0]} of a, {known[1]} of b"]
        if self.optimal is None:
            return [*lines, "optimal solutions: not compared, because the best values were not proved"]
        lines.append(f"optimal solutions: {self.optimal.verdict}: {_WORDS[self.optimal.verdict]}")
        lines += [f"    {line}" for d in self.optimal.differences for line in str(d).splitlines()]
        return lines + [f"    proved: {what} ({', '.join(by)})" for what, by in self.optimal.proofs.items()]
