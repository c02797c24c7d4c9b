"""`cpqueens solve`: one solution, or the best one."""

import dataclasses
import sys
from contextlib import ExitStack
from typing import Any

import click

from cpqueens.answers.outcome import Outcome
from cpqueens.answers.solution import Solution
from cpqueens.cli import options as shared
from cpqueens.cli.results import echo_document, exit_of_solve, outcome_fields
from cpqueens.cli.terminal import Standing, progress, say, style_of, summary, watched
from cpqueens.errors import ModelError
from cpqueens.files.solutionfile import SolutionWriter
from cpqueens.problems.catalog import Instance
from cpqueens.problems.published import called
from cpqueens.report.draw import check_format, draw_text, render
from cpqueens.report.replay import LARGEST, boards_text, rows_text, shows_boards
from cpqueens.solving.explain import NotInfeasible
from cpqueens.solving.request import recording_solver
from cpqueens.solving.solve import solve


@click.command()
@shared.model_arguments
@shared.solver_options
@shared.proof_option
@shared.output_options
@click.option("--explain", is_flag=True, help="if infeasible, print constraints that contradict each other")
@click.option("--profile", is_flag=True, help="print how much time each constraint took and what it removed")
@click.option("--trace", is_flag=True, help="print the search step by step")
@click.option("--trace-boards", is_flag=True, help="print the search as boards")
@shared.json_option
def command(
    model: str,
    parameters: tuple[str, ...],
    form: str,
    out: str | None,
    force: bool,
    explain: bool,
    profile: bool,
    trace: bool,
    trace_boards: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Find one solution, or the best one."""
    instance = shared.load(model, parameters)
    given = shared.run_options(**options) | ({"trace": TRACED} if trace or trace_boards else {})
    _check_trace(instance, given, trace_boards)
    given |= {"profile": True} if profile else {}
    if out is None and not as_json:
        check_format(instance.model, form)
    with ExitStack() as stack:
        file = stack.enter_context(SolutionWriter(out, instance.model, force=force)) if out else None
        standing = Standing(instance.title, given["solver"], time_limit=given.get("time_limit"))
        with progress(standing, keeping=True):
            outcome = solve(instance.model, **given, **watched(standing, instance.model))
        if file is not None and len(outcome.solutions):
            file.write(outcome.solutions)
        elif file is not None:
            file.drop()
    if "trace" in given and not as_json:
        _print_trace(outcome, trace_boards)
    if not as_json:
        _print(instance, outcome, form, out, explain)  # before the explanation, which may take long
        if outcome.profile is not None:
            say(str(outcome.profile))
    reasons = _explanation(instance, outcome, given) if explain else None
    if as_json:
        said = {} if reasons is None else {"explanation": reasons[0]}
        written = out if len(outcome.solutions) else None
        echo_document("solve", instance, **_fields(instance, outcome, written), **said)
    elif reasons is not None:
        say(reasons[1])
    return exit_of_solve(outcome)


TRACED = 10_000
"""Events that are printed; longer searches are thinned."""


def _check_trace(instance: Instance, given: dict[str, Any], boards: bool) -> None:
    """Refuse what could not be printed, before it is searched for."""
    if boards and not shows_boards(instance.model):
        raise ModelError(
            f"--trace-boards: {instance.title} has no board of at most {LARGEST} rows; use --trace"
        )
    if "trace" not in given:
        return
    given["solver"] = recording_solver(given["solver"])


def _print_trace(outcome: Outcome, boards: bool) -> None:
    """Print what the search did."""
    if outcome.trace is None:
        say(f"{outcome.solver} recorded nothing", err=True)
        return
    lines = (
        boards_text(outcome.trace, outcome.model, style_of(sys.stdout))
        if boards
        else rows_text(outcome.trace)
    )
    say("\n".join(lines))


def _explanation(
    instance: Instance, outcome: Outcome, given: dict[str, Any]
) -> tuple[dict[str, Any], str] | None:
    """Return why there is no solution, as data and as text; None if there may be one."""
    if outcome.status != "INFEASIBLE":
        return None
    limits = {k: v for k, v in given.items() if k == "time_limit"}
    try:
        solver = given["solver"] if "proof" in given else outcome.solver
        found = instance.model.explain_infeasible(solver, **limits)
    except NotInfeasible as error:  # a limit, or a signal; what was proved before stands
        return {"error": str(error)}, f"not explained: {error}"
    return found.to_dict(), str(found)


def _fields(instance: Instance, outcome: Outcome, out: str | None) -> dict[str, Any]:
    solution = outcome.solution
    named = None if solution is None else solution.as_dict()
    closest = None if outcome.closest is None else outcome.closest.as_dict()
    violated = [dataclasses.asdict(violation) for violation in outcome.violated]
    fields: dict[str, Any] = {
        "solution": named,
        "closest": closest,
        "file": out,
        "published": _published(instance),
    }
    fields |= {} if outcome.profile is None else {"profile": outcome.profile.to_dict()}
    fields |= {"penalty": outcome.penalty, "violated": violated} if instance.model.soft else {}
    return outcome_fields(outcome) | fields


def _published(instance: Instance) -> dict[str, Any] | None:
    entry = instance.published("optimum")
    return None if entry is None else {"what": entry.what, "value": entry.value, "source": entry.source}


def _print(instance: Instance, outcome: Outcome, form: str, out: str | None, explain: bool) -> None:
    """Print the solution; what is said about it goes where it does not disturb a program that reads."""
    if outcome.solution is not None and out is None:
        say(render(outcome.solution, form, style_of(sys.stdout)))
    written = "written   " if len(outcome.solutions) else "no file    nothing to write to"
    lines = [f"{written} {out}"] if out else []
    lines = [f"problem    {instance.title}", *summary(outcome), *lines]
    entry = instance.published("optimum")
    if entry is not None and outcome.objective is not None:
        lines.append(f"{called(entry.source):<9}  {entry.value} ({entry.source})")
    if outcome.status == "INFEASIBLE" and not explain:
        lines.append("why        --explain names constraints that contradict each other")
    lines += [] if outcome.closest is None else _closest(outcome.closest)
    say("\n".join(lines), err=form != "board")


_FEW = 5
"""Violated constraints of a closest state that are told one by one."""
_INDENT = 11
"""Columns before what is told of an outcome."""


def _closest(state: Solution) -> list[str]:
    """Return the best assignment of a failed search as it is drawn, and some of what it violates."""
    check = state.check()
    found = [*check.problems, *map(str, check.violations)]
    more = [f"... and {len(found) - _FEW:,} more"] if len(found) > _FEW else []
    style = style_of(sys.stdout)
    if style.width is not None:
        style = dataclasses.replace(style, width=max(1, style.width - _INDENT))
    drawn = draw_text(state, style).split("\n")
    said = [f"{len(check.violations):,} violated", *drawn, *found[:_FEW], *more]
    return [f"{'closest' if k == 0 else '':<{_INDENT}}{line}" for k, line in enumerate(said)]
