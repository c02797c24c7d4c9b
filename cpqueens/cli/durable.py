"""Verbs with a ledger: counting and listing that go on after any end."""

import shlex
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from typing import Any

from cpqueens.cli import results
from cpqueens.cli.runs import exit_of
from cpqueens.cli.terminal import Standing, clock, progress, say, so_far
from cpqueens.errors import ModelError
from cpqueens.longrun.cluster import connected
from cpqueens.longrun.coordinator import DurableCount, durable_count, durable_enumerate
from cpqueens.problems.catalog import Instance

_DURABLE = ("cluster", "parts", "changed_code")
_TAKEN = {"solver", "num_workers", "time_limit"}


def durable_given(store: str | None, options: dict[str, Any]) -> dict[str, Any]:
    """Take out of a verb's options those that only a ledger has, and return them with the ledger."""
    durable = {name: options.pop(name) for name in _DURABLE if name in options}
    extra = [name for name, value in durable.items() if value is not None]
    if store is None and extra:
        raise ModelError(f"--{extra[0].replace('_', '-')}: only with --store RUN.DB")
    return {"store": store, **durable}


@contextmanager
def stored(durable: Mapping[str, Any], processes: int | None) -> Iterator[dict[str, Any]]:
    """Give the options for work in processes, with a cluster's executor in place of its address."""
    given = {**durable, "changed_code": bool(durable["changed_code"])}
    address = given.pop("cluster")
    with ExitStack() as until_done:
        if address is not None:
            given["executor"], threads = until_done.enter_context(announced(address))
            processes = processes or threads
        if processes is not None:
            given["processes"] = processes
        yield given


@contextmanager
def announced(address: str) -> Iterator[tuple[Executor, int]]:
    """Give a cluster's executor and its threads, and say where it shows what it does."""
    with connected(address) as (executor, threads, dashboard):
        say(f"cluster    {threads} threads, dashboard {dashboard}", err=True)
        yield executor, threads


def in_store(
    verb: str,
    instance: Instance,
    store: str,
    given: Mapping[str, Any],
    durable: Mapping[str, Any],
    as_json: bool,
) -> int:
    """Count or enumerate with a ledger, and say what came of it; return the exit code."""
    refused = sorted(given.keys() - _TAKEN)
    if refused:
        raise ModelError(f"--store: {refused[0]} is not taken; with it are solver, workers and time-limit")
    solver = "backtracking" if given["solver"] == "auto" else given["solver"]
    limit = given.get("time_limit")
    standing = Standing(instance.title, solver, "parts", limit)

    def note(state: Mapping[str, Any]) -> None:
        standing.done, standing.of, standing.said = state["done"], state["total"], so_far(state)
        standing.remaining = state.get("remaining")

    with stored(durable, given.get("num_workers")) as options, progress(standing):
        found = (durable_count if verb == "count" else durable_enumerate)(
            instance.model, workers=options.pop("processes", None), solver=solver, time_limit=limit,
            title=instance.title, on_progress=note, **options,
        )  # fmt: skip
    return _told(verb, instance, store, found, as_json)


def _told(verb: str, instance: Instance, store: str, found: DurableCount, as_json: bool) -> int:
    totals = found.totals
    comparison = results.compared(instance, found)
    if as_json:
        fields = {"complete": found.complete, "stop_reason": found.stop_reason, "published": comparison}
        results.echo_document(verb, instance, **vars(totals), **fields)
    else:
        at_least = "" if found.complete else "at least "
        stopped = "" if found.stop_reason == "exhausted" else f", stopped by {found.stop_reason}"
        lines = [
            f"problem    {instance.title}",
            f"solutions  {at_least}{found.count:,}",
            f"parts      {totals.done:,} of {totals.parts:,} done{stopped}",
            f"work       {clock(totals.seconds)}",
            *results.published_lines(comparison),
        ]
        if not totals.is_sound or totals.poison:
            lines.append(f"trouble    cpqueens runs show {shlex.quote(store)}")
        if totals.is_sound and not found.complete:
            lines.append("resume     by the same command")
        say("\n".join(lines))
    if comparison is not None and comparison["agrees"] is False:
        return results.COUNT_DIFF
    code = exit_of(totals)
    return results.INTERRUPTED if found.stop_reason == "interrupted" and code != results.DONE else code
