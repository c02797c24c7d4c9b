"""A count held against the published value, if the problem has one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cpqueens.cli.exits import COUNT_DIFF, exit_of_all
from cpqueens.problems.published import called
from cpqueens.solving.staged import OF_OPTIMA

if TYPE_CHECKING:
    from cpqueens.answers.outcome import Outcome
    from cpqueens.problems.catalog import Instance


def compared(
    instance: Instance, outcome: Outcome, orbits: int | None = None, given: Mapping[str, Any] = {}
) -> dict[str, Any] | None:
    """Return a published value, its source, and whether a count ``agrees``; None if nothing is published.

    ``orbits``, if given, is the number up to symmetry, and compared instead. Counts that are not complete are
    not compared: ``agrees`` is None. Nothing is published of what ``given`` options ask for among solutions.
    """
    if OF_OPTIMA & given.keys():
        return None
    if orbits is None:
        return held(instance, outcome.count, outcome.complete)
    return held(instance, orbits, outcome.complete, "fundamental")


def held(instance: Instance, count: int, complete: bool, what: str = "solutions") -> dict[str, Any] | None:
    """Return the same for a number and whether it is complete."""
    entry = instance.published(what)
    if entry is None:
        return None
    return {
        "value": entry.value,
        "source": entry.source,
        "agrees": count == entry.value if complete else None,
    }


def published_lines(comparison: dict[str, Any] | None) -> list[str]:
    """Return a comparison as lines of a summary."""
    words = {True: "agrees", False: "DISAGREES", None: "not compared: the count is not complete"}
    given = [] if comparison is None else [comparison]
    return [f"{called(c['source']):<9}  {c['value']:,} ({c['source']}): {words[c['agrees']]}" for c in given]


def exit_of_compared(outcome: Outcome, comparison: dict[str, Any] | None) -> int:
    """Return the exit code of a count that may differ from the published one."""
    differs = comparison is not None and comparison["agrees"] is False
    return COUNT_DIFF if differs else exit_of_all(outcome)
