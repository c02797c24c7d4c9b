"""Simulated annealing with geometric cooling and reheating, tied to steps.

Source: Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", Science 220, 1983. The start
temperature is the mean worsening of sampled moves; it falls geometrically to ``lowest`` over
``cooling_steps`` steps and is then raised to a part of the start temperature again.

``schedule="rowwise"`` is another course altogether, in pairs and by assignment; see `rowwise`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cpqueens.backends.local_search.rowwise import run_rowwise
from cpqueens.backends.local_search.search import End, Search, final
from cpqueens.backends.local_search.strategies import Option
from cpqueens.kernels import search_anneal as codes

ASSIGNMENT_ONLY = False
OPTIONS: Mapping[str, Option] = {
    "cooling_steps": Option(
        int, 0, "steps from the start temperature to the lowest, 0: 200 per variable, at least 20000"
    ),
    "lowest": Option(float, 0.15, "lowest temperature, in units of violation"),
    "reheat": Option(float, 0.5, "part of the start temperature that is gone back to"),
    "conflicted": Option(float, 0.5, "probability of moving a variable in conflict rather than any"),
    "schedule": Option(
        str, "geometric", "one cooling for all, or one for each variable", ("geometric", "rowwise")
    ),
    "rule": Option(
        str, "coarse", "of the rowwise schedule: when a worse move is taken", ("coarse", "metropolis")
    ),
    "tested": Option(
        str, "row", "of the rowwise schedule: when a solution is looked for", ("row", "round", "move")
    ),
    "measure": Option(str, "surplus", "how an AllDifferent is counted", ("surplus", "pairs")),
}


def settle(options: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with what the rowwise schedule implies: every variable is free, pairs count."""
    if options["schedule"] == "rowwise":
        return {**options, "measure": given.get("measure", "pairs"), "assignment_only": True}
    return options


def run(search: Search, options: Mapping[str, Any]) -> End:
    """Anneal, reheating for ever, until solved or stopped."""
    if options["schedule"] == "rowwise":
        return run_rowwise(search, options)
    search.start()
    hot = codes.sample_changes(64, search.state)
    lowest = float(options["lowest"])
    hot = max(float(hot), 2 * lowest)
    steps = options["cooling_steps"] or max(20_000, 200 * search.problem.size)
    heat = np.zeros(codes.LENGTH)
    heat[codes.TEMPERATURE] = hot
    heat[codes.COOLING] = (lowest / hot) ** (1 / steps)
    heat[codes.LOWEST] = lowest
    heat[codes.REHEAT] = max(hot * options["reheat"], 2 * lowest)
    heat[codes.CONFLICTED] = options["conflicted"]
    return final(search.run(codes.anneal, heat))
