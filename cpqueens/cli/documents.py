"""JSON documents: a schema with a version, and the same words for the same things in every verb."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click
import numpy as np

if TYPE_CHECKING:
    from cpqueens.answers.outcome import Outcome
    from cpqueens.problems.catalog import Instance

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


def echo_json(value: Any) -> None:
    """Print a document."""
    click.echo(dumps(value))


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    return str(value)
