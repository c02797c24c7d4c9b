"""Simulated annealing with geometric cooling and reheating, tied to steps.

The start temperature is the mean worsening of sampled moves; it falls geometrically to ``lowest`` over
``cooling_steps`` steps and is then raised to a part of the start temperature again.

``schedule="rowwise"`` is another course altogether, in pairs and by assignment; see `rowwise`.

Source: Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", Science 220, 1983; by rows: Xu
Jianliang's exercise in the survey "Several algorithms for n-Queens", whose text has no limit and accepts in
steps of a hundredth.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cpqueens.backends.base import Parameter
from cpqueens.backends.local_search.rowwise import rowwise_many, run_rowwise
from cpqueens.backends.local_search.search import End, Search, final
from cpqueens.backends.local_search.strategies import Call
from cpqueens.kernels.local import anneal as codes
from cpqueens.kernels.local.runs import anneal_runs

PARAMETERS: Mapping[str, Parameter] = {
    "cooling_steps": Parameter(
        int, 0, "steps from the start temperature to the lowest, 0: 200 per variable, at least 20000"
    ),
    "lowest": Parameter(float, 0.15, "lowest temperature, in units of violation"),
    "reheat": Parameter(float, 0.5, "share of the start temperature to reheat to"),
    "conflicted": Parameter(float, 0.5, "probability of moving a variable in conflict rather than any"),
    "schedule": Parameter(
        str, "geometric", "one cooling for all, or one for each variable", ("geometric", "rowwise")
    ),
    "rule": Parameter(
        str, "coarse", "of the rowwise schedule: when a worse move is taken", ("coarse", "metropolis")
    ),
    "tested": Parameter(
        str, "row", "of the rowwise schedule: when it tests for a solution", ("row", "round", "move")
    ),
    "measure": Parameter(
        str, "auto", "how an AllDifferent is counted; auto: surplus, by the rowwise schedule pairs",
        ("auto", "surplus", "pairs"),
    ),
}  # fmt: skip


def settle(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options with what the schedule implies: rowwise, every variable is free and pairs count."""
    rowwise = options["schedule"] == "rowwise"
    measure = options["measure"]
    if measure == "auto":
        measure = "pairs" if rowwise else "surplus"
    return {**options, "measure": measure, "assignment_only": rowwise}


def run(search: Search, options: Mapping[str, Any]) -> End:
    """Anneal, reheating for ever, until solved or stopped."""
    if options["schedule"] == "rowwise":
        return run_rowwise(search, options)
    search.start()
    heat = course(search.size, options)
    codes.heat_up(search.fixed, heat)
    if search.observer is not None:
        search.observer.heated(lambda: float(heat[codes.TEMPERATURE]))
    return final(search.run(codes.anneal, heat))


def many(search: Search, options: Mapping[str, Any], runs: int) -> Call:
    """Do the same for many runs."""
    if options["schedule"] == "rowwise":
        return rowwise_many(search, options, runs)
    return Call(anneal_runs, (course(search.size, options),))


def course(size: int, options: Mapping[str, Any]) -> Any:
    """Return what the kernel takes, without the temperatures that it finds by sampling."""
    heat = np.zeros(codes.LENGTH)
    heat[codes.LOWEST] = options["lowest"]
    heat[codes.STEPS] = options["cooling_steps"] or max(20_000, 200 * size)
    heat[codes.REHEATED] = options["reheat"]
    heat[codes.CONFLICTED] = options["conflicted"]
    return heat
