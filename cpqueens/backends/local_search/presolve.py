"""What `auto` does where a first walk ended nowhere: propagate, explore a small tree, walk in what is left.

Most models are solved by less than the first walk, which costs less than looking for structure. All this is
a function of the model, the seed and the number of steps, in which decisions of the tree count too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cpqueens.backends.base import Deliver, Request
from cpqueens.backends.local_search.engine import Task, Waiting, search_model
from cpqueens.backends.local_search.reducing import Reduced, reduced
from cpqueens.backends.local_search.root import NODES, Root, explored, propagated
from cpqueens.backends.local_search.search import End, Result, Search
from cpqueens.kernels import search_info as at
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.system.interrupts import Stopped, stopping_if_long

ADDED = ("steps", "evaluations", "moves", "restarts", "resets")
"""Counts of two searches that are one run."""


@dataclass
class Presolve:
    """The looks that a search takes aside; see `Search.aside`."""

    model: Statement
    request: Request
    after: int
    facts: dict[str, Any] = field(default_factory=dict)
    smaller: Reduced | None = None
    _exhausted: bool = False
    _explored: bool = False

    def look(self, search: Search) -> End | None:
        """Explore, and then leave the search if there is a smaller model; None to go on with it."""
        if search.limits.should_stop():
            return "stopped"
        try:
            with stopping_if_long(search.limits.should_stop, self.model.variable_count):
                root = self.model.kept("root of local-search", lambda: propagated(self.model, self.request))
        except Stopped:
            return "stopped"
        if root is None or not root.possible:
            search.aside = None
            return None if root is None else self._given_up(search, "propagation leaves no value")
        if not self._explored:
            self._explore(search, root)
            if search.solved():
                return None
        search.aside = None
        if self._exhausted:
            return self._given_up(search, f"a tree of {self.facts['nodes']:,} nodes was exhausted")
        self.smaller = self.model.kept(
            "smaller model of local-search", lambda: reduced(search.compiled, root.domains())
        )
        return None if self.smaller is None else "set_aside"

    def _given_up(self, search: Search, why: str) -> End:
        search.extra |= {"presolve": self.facts, "gave_up": why}
        return "gave_up"

    def _explore(self, search: Search, root: Root) -> None:
        """Go through a part of the tree; go on from the solution if it has one."""
        self._explored = True
        if not root.is_small_enough:
            return
        most = NODES if search.limits.steps is None else min(NODES, search.limits.steps - search.steps)
        limit = None if search.compiled.objective is None else search.objective_limit
        found = explored(root, self.request, most, limit)
        self.facts["nodes"], self._exhausted = found.nodes, found.exhausted
        search.extra["presolve"] = self.facts
        search.info[at.STEPS] += found.nodes
        if found.solution is not None:
            search.go_to(found.solution)

    def go_on(self, first: Result, task: Task, deliver: Deliver) -> Result:
        """Search the smaller model from where the first search was left."""
        smaller = self.smaller
        assert smaller is not None, "a search is left for a smaller model only"
        self.facts |= smaller.facts
        steps = task.limits.steps
        limits = replace(task.limits, steps=None if steps is None else max(0, steps - first.steps))
        waiting = self.model.kept("smaller searches of local-search", dict[Any, Any])
        incumbent = None if first.cost > 0 else first.x[smaller.kept]
        second = _searched(
            smaller, replace(task, limits=limits, hint=_hint(task, smaller)), deliver, waiting, incumbent
        )
        return _joined(self.model, smaller, first, second, self.facts)


def _hint(task: Task, smaller: Reduced) -> tuple[IntArray, IntArray] | None:
    """Return the part of a hint that is still searched."""
    return None if task.hint is None else (task.hint[0][smaller.kept], task.hint[1][smaller.kept])


def _searched(
    smaller: Reduced, task: Task, deliver: Deliver, waiting: Waiting, incumbent: IntArray | None
) -> Result:
    options: Mapping[str, Any] = {**task.options, "presolve": False}

    def restored(batch: IntArray) -> bool:
        return deliver(np.stack([smaller.restored(x) for x in batch]))

    return search_model(
        smaller.compiled, replace(task, options=options), restored, None, waiting, incumbent=incumbent
    )


def _joined(
    model: Statement, smaller: Reduced, first: Result, second: Result, facts: Mapping[str, Any]
) -> Result:
    """Return the second result as one of the larger model, with the work of the first."""
    for name in (*ADDED, "improvements"):
        if name in first.statistics:
            second.statistics[name] = second.statistics.get(name, 0) + first.statistics[name]
    second.statistics["presolve"] = dict(facts)
    second.steps += first.steps
    if second.cost > 0 and first.cost == 0:  # nothing better was found
        second.x, second.cost, second.objective = first.x, 0, first.objective
        return second
    x = smaller.restored(second.x)
    decisions = model.decisions
    second.x = x if second.cost == 0 else np.clip(x, model.lower[decisions], model.upper[decisions])
    return second
