"""`cpqueens enumerate`: all solutions, printed or written as they come."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from cpqueens.answers.outcome import Outcome, StopReason
from cpqueens.cli import options as shared
from cpqueens.cli.documents import document, echo_json, outcome_fields
from cpqueens.cli.durable import durable_given, in_store
from cpqueens.cli.exits import DONE
from cpqueens.cli.guard import JSON_WANTED
from cpqueens.cli.published import compared, exit_of_compared, published_lines
from cpqueens.cli.sinks import Funnel, JsonSink, PrintSink, Sink
from cpqueens.cli.terminal import say
from cpqueens.errors import CpqueensError, ModelError
from cpqueens.solving.request import positive_integer

if TYPE_CHECKING:
    from cpqueens.answers.outcome import SolutionSet
    from cpqueens.answers.symmetry import Group
    from cpqueens.problems.catalog import Instance
    from cpqueens.system.interrupts import Interrupt


@click.command()
@shared.model_arguments
@shared.solver_options
@shared.proof_option
@click.option("--limit", type=int, metavar="K", help="stop after K solutions")
@shared.optima_options
@click.option("--best", type=int, metavar="K", help="only the K best solutions, the best first")
@click.option("--up-to-symmetry", is_flag=True, help="one solution of each orbit")
@click.option("--orbits", is_flag=True, help="each orbit whole: as text, or a row each on a sheet.svg")
@shared.output_options
@shared.durable_options
@shared.json_option
def command(
    model: str,
    parameters: tuple[str, ...],
    limit: int | None,
    up_to_symmetry: bool,
    orbits: bool,
    form: str,
    out: str | None,
    force: bool,
    as_json: bool,
    store: str | None,
    **options: Any,
) -> int:
    """Find all solutions."""
    instance = shared.load(model, parameters)
    shared.check_place(out or None, "--out")
    up_to_symmetry = up_to_symmetry or orbits
    if orbits and as_json:
        raise ModelError("--orbits: --json is not taken; solutions with --up-to-symmetry are one of each")
    durable = durable_given(store, options)
    given = shared.run_options(**options)
    if store is not None:
        if limit is not None or up_to_symmetry or "proof" in given:
            refused = (
                "--limit" if limit is not None else "--proof" if "proof" in given else "--up-to-symmetry"
            )
            raise ModelError(f"--store: {refused} is not taken")
        return _in_store(instance, store, given, durable, as_json, out, force)
    group = shared.declared_symmetries(instance) if up_to_symmetry else ()
    if positive_integer(limit, "--limit") is not None and not group:
        given["solution_limit"] = limit
    head = document("enumerate", instance, up_to_symmetry=up_to_symmetry, file=out)
    with ExitStack() as stack:
        if orbits:
            sink = _orbit_sink(stack, instance, group, form, out, force)
        else:
            sink = _sink(stack, instance, head if as_json else None, form, out, force)
        funnel = Funnel(sink, group, limit)
        outcome = _run(instance, funnel, given, out is not None)
    classes = funnel.count if group else None
    comparison = compared(instance, outcome, classes, given)
    if as_json:
        _print_json(sink, head, {**outcome_fields(outcome), "orbits": classes, "published": comparison})
    else:
        _print(outcome, funnel, instance.title, form, out, published_lines(comparison))
    return exit_of_compared(outcome, comparison)


def _in_store(
    instance: Instance,
    store: str,
    given: dict[str, Any],
    durable: dict[str, Any],
    as_json: bool,
    out: str | None,
    force: bool,
) -> int:
    """List into files beside a ledger; make one of them where that was asked for."""
    code = in_store("enumerate", instance, store, given, durable, as_json)
    if out and code == DONE:
        from cpqueens.longrun.partfiles import merge

        merge(store, out, force)
        say(f"written    {out}", err=as_json)
    return code


def _sink(
    stack: ExitStack, instance: Instance, head: dict[str, Any] | None, form: str, out: str | None, force: bool
) -> Sink:
    """Return where the solutions go; a file is opened, or refused, before the search starts."""
    from cpqueens.files.solutionfile import SolutionWriter
    from cpqueens.report.formats import check_format

    if out:
        return stack.enter_context(SolutionWriter(out, instance.model, force=force))
    if head is not None:
        return JsonSink(head)
    if form == "svg":
        raise ModelError("--format svg: name the file for the boards with --out x.svg")
    check_format(instance.model, form)
    return PrintSink(form)


def _orbit_sink(
    stack: ExitStack, instance: Instance, group: Group, form: str, out: str | None, force: bool
) -> Sink:
    """Return what shows whole orbits."""
    from cpqueens.cli.orbit_sinks import OrbitPrinter, OrbitSheet
    from cpqueens.report.formats import check_format

    if out:
        return stack.enter_context(OrbitSheet(out, instance.model, group, force))
    if form == "svg":
        raise ModelError("--format svg: name the file for the boards with --out x.svg")
    check_format(instance.model, form)
    return OrbitPrinter(form, group)


def _run(instance: Instance, funnel: Funnel, given: dict[str, Any], shown: bool) -> Outcome:
    from cpqueens.backends.base import Want
    from cpqueens.cli.standing import Standing
    from cpqueens.cli.terminal import progress
    from cpqueens.solving.solve import run, trusted

    options = dict(given)
    solver = options.pop("solver")
    standing = Standing(instance.title, solver, "solutions", options.get("time_limit"))

    def take(interrupt: Interrupt, found: SolutionSet) -> int | None:
        taken = funnel.take(interrupt, found)
        standing.done = funnel.count
        return taken

    try:
        with progress(standing, shown, keeping=True):
            options["on_progress"] = standing.hear
            outcome = trusted(run(instance.model, solver, Want.ALL, take, list, options))
    except CpqueensError as error:
        if isinstance(funnel.sink, JsonSink) and funnel.sink.open:
            funnel.sink.finish({"error": str(error), "exit_code": error.exit_code})
            click.get_current_context().meta[JSON_WANTED] = False  # the document is complete
        raise
    return outcome if funnel.reason is None else replace(outcome, stop_reason=funnel.reason)


def _print_json(sink: Sink, head: dict[str, Any], fields: dict[str, Any]) -> None:
    if isinstance(sink, JsonSink):
        sink.finish(fields)
    else:
        echo_json({**head, **fields})


def _print(outcome: Outcome, funnel: Funnel, title: str, form: str, out: str | None, said: list[str]) -> None:
    from cpqueens.cli.terminal import summary

    many = f"{funnel.count:,} up to symmetry" if funnel.group else f"{outcome.count:,}"
    if funnel.group and outcome.complete:
        many += f", {outcome.count:,} in all"
    lines = [f"problem    {title}", f"solutions  {many}", *summary(outcome), *said]
    if out:
        part = (
            ""
            if outcome.complete or outcome.stop_reason is StopReason.SOLUTION_LIMIT
            else " (what was found)"
        )
        lines.append(f"written    {out}{part}")
    sys.stdout.flush()
    say("\n".join(lines), err=form != "board" and out is None)
