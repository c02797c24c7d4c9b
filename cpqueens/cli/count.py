"""`cpqueens count`: the number of all solutions, held against the published value."""

from typing import Any

import click

from cpqueens.answers.outcome import Outcome
from cpqueens.answers.solution import SolutionSet
from cpqueens.answers.symmetry import OrbitTally, orbits_text
from cpqueens.backends.base import Want
from cpqueens.cli import options as shared, results
from cpqueens.cli.durable import durable_given, in_store
from cpqueens.cli.terminal import Standing, estimated, progress, say, so_far, summary
from cpqueens.errors import ModelError
from cpqueens.problems.catalog import Instance
from cpqueens.solving.solve import count_solutions, run, trusted
from cpqueens.solving.staged import OF_OPTIMA
from cpqueens.system.interrupts import Interrupt

_PART = 1024
"""Solutions counted between two looks for Ctrl-C."""


@click.command()
@shared.model_arguments
@shared.solver_options
@shared.proof_option
@shared.optima_options
@click.option("--up-to-symmetry", is_flag=True, help="also print the number of orbits and their sizes")
@shared.durable_options
@shared.json_option
def command(
    model: str,
    parameters: tuple[str, ...],
    as_json: bool,
    store: str | None,
    up_to_symmetry: bool,
    **options: Any,
) -> int:
    """Count all solutions."""
    instance = shared.load(model, parameters)
    durable = durable_given(store, options)
    given = shared.run_options(**options)
    if store is not None and up_to_symmetry:
        raise ModelError("--store: --up-to-symmetry is not taken")
    if store is not None and "proof" in given:
        raise ModelError("--store: --proof is not taken")
    if store is not None:
        return in_store("count", instance, store, given, durable, as_json)
    if up_to_symmetry:
        return _orbits(instance, given, as_json)
    return _at_once(instance, given, as_json)


def _orbits(instance: Instance, given: dict[str, Any], as_json: bool) -> int:
    """Count solutions as they come, and orbits by their least members."""
    tally = OrbitTally(shared.declared_symmetries(instance))
    with progress(Standing(instance.title, given["solver"], "orbits", given.get("time_limit"))) as standing:
        outcome = _enumerated(instance, tally, given, standing)
    comparison = results.compared(instance, outcome, tally.orbits, given)
    whole = outcome.complete and not OF_OPTIMA & given.keys()
    agrees = tally.total == outcome.count if whole else None
    if as_json:
        sizes = {str(size): many for size, many in sorted(tally.sizes.items())}
        found = {"orbits": tally.orbits, "orbit_sizes": sizes, "sum_agrees": agrees}
        fields = results.outcome_fields(outcome)
        results.echo_document("count", instance, **fields, **found, published=comparison)
    else:
        many = f"{tally.orbits:,} up to symmetry, {outcome.count:,} in all"
        lines = [f"problem    {instance.title}", f"solutions  {'' if whole else 'at least '}{many}"]
        lines += [f"orbits     {orbits_text(tally.sizes)}", f"their sum  {tally.total:,}: {_SAID[agrees]}"]
        say("\n".join([*lines, *summary(outcome), *results.published_lines(comparison)]))
    return results.COUNT_DIFF if agrees is False else results.exit_of_compared(outcome, comparison)


_SAID = {True: "agrees", False: "DISAGREES", None: "not compared: not all solutions have come"}


def _enumerated(instance: Instance, tally: OrbitTally, given: dict[str, Any], standing: Standing) -> Outcome:
    def take(interrupt: Interrupt, found: SolutionSet) -> int | None:
        for start in range(0, len(found), _PART):
            if interrupt.seen:
                return start
            tally.take(found.matrix[start : start + _PART])
            standing.done = tally.orbits
        return None

    options = dict(given)
    return trusted(run(instance.model, options.pop("solver"), Want.ALL, take, options))


def _at_once(instance: Instance, given: dict[str, Any], as_json: bool) -> int:
    """Count in this process."""
    standing = Standing(instance.title, given["solver"], time_limit=given.get("time_limit"))

    def note(state: Any) -> None:
        standing.hear(state)
        if "count" in state:
            standing.said = so_far(state)

    with progress(standing, keeping=True):
        outcome = count_solutions(instance.model, on_progress=note, **given)
    comparison = results.compared(instance, outcome, given=given)
    if as_json:
        results.echo_document("count", instance, **results.outcome_fields(outcome), published=comparison)
    else:
        at_least = "" if outcome.complete else "at least "
        lines = [f"problem    {instance.title}", f"solutions  {at_least}{outcome.count:,}"]
        if not outcome.complete and outcome.statistics.get("interval"):
            lines.append(f"estimate   {estimated(outcome.statistics)}")
        say("\n".join([*lines, *summary(outcome), *results.published_lines(comparison)]))
    return results.exit_of_compared(outcome, comparison)
