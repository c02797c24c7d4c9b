"""`cpqueens count`: the number of all solutions, held against the published value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cpqueens.cli.documents import document, echo_json, outcome_fields
from cpqueens.cli.durable import durable_given, in_store
from cpqueens.cli.options import (
    durable_options,
    json_option,
    load,
    model_arguments,
    optima_options,
    run_options,
    solver_options,
)
from cpqueens.cli.published import compared, exit_of_compared, published_lines
from cpqueens.cli.terminal import estimated, progress, say, so_far, summary

if TYPE_CHECKING:
    from cpqueens.problems.catalog import Instance


@click.command()
@model_arguments
@solver_options
@optima_options
@durable_options
@json_option
def command(model: str, parameters: tuple[str, ...], as_json: bool, store: str | None, **options: Any) -> int:
    """Count all solutions."""
    instance = load(model, parameters)
    durable = durable_given(store, options)
    given = run_options(**options)
    if store is not None:
        return in_store("count", instance, store, given, durable, as_json)
    return _at_once(instance, given, as_json)


def _at_once(instance: Instance, given: dict[str, Any], as_json: bool) -> int:
    """Count in this process."""
    from cpqueens.solving.solve import count_solutions

    seen = [""]

    def note(state: Any) -> None:
        seen[0] = so_far(state)

    with progress(instance.title, lambda: seen[0], shown=True):
        outcome = count_solutions(instance.model, on_progress=note, **given)
    comparison = compared(instance, outcome, given=given)
    if as_json:
        echo_json(document("count", instance, **outcome_fields(outcome), published=comparison))
    else:
        at_least = "" if outcome.complete else "at least "
        lines = [f"problem    {instance.title}", f"solutions  {at_least}{outcome.count:,}"]
        if not outcome.complete and outcome.statistics.get("interval"):
            lines.append(f"estimate   {estimated(outcome.statistics)}")
        say("\n".join([*lines, *summary(outcome), *published_lines(comparison)]))
    return exit_of_compared(outcome, comparison)
