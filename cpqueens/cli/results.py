"""What a verb says at its end: its JSON document, its exit code, and how a count stands to the published one.

Documents have a schema with a version, and the same words for the same things in every verb.
"""

import json
from collections.abc import Mapping
from typing import Any

import click
import numpy as np

from cpqueens.answers.outcome import Outcome
from cpqueens.problems.catalog import Instance
from cpqueens.problems.published import called
from cpqueens.solving.staged import OF_OPTIMA

VERSION = 1
"""Raised when a field changes its meaning or goes away; new fields do not raise it."""

TIMES = ("build_time", "translate_time", "compile_time", "solve_time", "check_time", "consumer_time")


def document(verb: str, instance: Instance | None = None, **fields: Any) -> dict[str, Any]:
    """Return a document of a verb, with the model that it is about."""
    head: dict[str, Any] = {"schema": f"cpqueens.{verb}", "version": VERSION}
    if instance is not None:
        head["model"] = {
            "title": instance.title,
            "problem": None if instance.problem is None else instance.problem.name,
            "parameters": dict(instance.parameters),
            "variables": len(instance.model.decisions),
            "constraints": len(instance.model.constraints),
        }
    return {**head, **fields}


def outcome_fields(outcome: Outcome) -> dict[str, Any]:
    """Return what an outcome says, without its solutions."""
    numbers = outcome.statistics
    return {
        "solver": outcome.solver,
        "status": outcome.status.value,
        "complete": outcome.complete,
        "stop_reason": outcome.stop_reason.value,
        "count": outcome.count,
        "objective": outcome.objective,
        "objectives": [] if outcome.objective is None else list(outcome.objectives),
        "bound": outcome.bound,
        "bounds": list(outcome.bounds),
        "time": {
            "total": numbers.get("total_time", 0.0),
            **{name.removesuffix("_time"): numbers.get(name, 0.0) for name in TIMES},
        },
        "statistics": {k: v for k, v in numbers.items() if k not in TIMES and k != "total_time"},
        "messages": list(outcome.messages),
    }


def dumps(value: Any) -> str:
    """Return JSON in one line; numpy's numbers are numbers, and what JSON has no form for is its text."""
    return json.dumps(value, default=_plain, allow_nan=False)


def echo_document(verb: str, instance: Instance | None = None, **fields: Any) -> None:
    """Print a document."""
    click.echo(dumps(document(verb, instance, **fields)))


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    return str(value)


DONE = 0
INFEASIBLE = 1
REFUSED = 2
LIMIT = 3
BELOW = 4
INVALID = 10
COUNT_DIFF = 12
LEDGER_CONFLICT = 18
CHECKER_DOUBT = 19
CRASHED = 30
OUT_OF_MEMORY = 32
INTERRUPTED = 130

MEANINGS: dict[int, str] = {
    DONE: "success",
    INFEASIBLE: "proved infeasible (`solve`); proved different (`compare`)",
    REFUSED: "bad input, or a damaged ledger; one line says what is wrong, where, and what is allowed",
    LIMIT: "a limit ended the run first",
    BELOW: "a success rate is below `--require`; with `--optimal`, answers of a heuristic are not optimal",
    INTERRUPTED: "interrupted; the results so far are printed",
}
"""What codes mean that are no kind of disagreement (`cpqueens.crosscheck.findings.Code` has those)."""


def exit_of_solve(outcome: Outcome) -> int:
    """Return the exit code of asking for one solution, or for the best one."""
    if outcome.stop_reason == "interrupted":
        return INTERRUPTED
    if outcome.status == "INFEASIBLE":
        return INFEASIBLE
    wants_best = outcome.model.objective is not None
    met = outcome.complete if wants_best else outcome.solution is not None
    return DONE if met else LIMIT


def exit_of_all(outcome: Outcome) -> int:
    """Return the exit code of asking for all solutions, or for their number."""
    if outcome.stop_reason == "interrupted":
        return INTERRUPTED
    return DONE if outcome.complete or outcome.stop_reason == "solution_limit" else LIMIT


def compared(
    instance: Instance, outcome: Any, orbits: int | None = None, given: Mapping[str, Any] = {}
) -> dict[str, Any] | None:
    """Return a published value, its source, and whether a count ``agrees``; None if nothing is published.

    The outcome may be that of a ledger. ``orbits``, if given, is the number up to symmetry, and compared
    instead. Counts that are not complete are
    not compared: ``agrees`` is None. Nothing is published of what ``given`` options ask for among solutions.
    """
    entry = instance.published("solutions" if orbits is None else "fundamental")
    if entry is None or OF_OPTIMA & given.keys():
        return None
    count = outcome.count if orbits is None else orbits
    agrees = count == entry.value if outcome.complete else None
    return {"value": entry.value, "source": entry.source, "agrees": agrees}


def published_lines(comparison: dict[str, Any] | None) -> list[str]:
    """Return a comparison as lines of a summary."""
    words = {True: "agrees", False: "DISAGREES", None: "not compared: the count is not complete"}
    given = [] if comparison is None else [comparison]
    return [f"{called(c['source']):<9}  {c['value']:,} ({c['source']}): {words[c['agrees']]}" for c in given]


def exit_of_compared(outcome: Outcome, comparison: dict[str, Any] | None) -> int:
    """Return the exit code of a count that may differ from the published one."""
    differs = comparison is not None and comparison["agrees"] is False
    return COUNT_DIFF if differs else exit_of_all(outcome)
