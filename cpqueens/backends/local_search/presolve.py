"""What `auto` does where a first walk ended nowhere: propagate, explore a small tree, walk in what is left.

Most models are solved by less than the first walk, which costs less than looking for structure. All this is
a function of the model, the seed and the number of steps, in which decisions of the tree count too.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cpqueens.backends.base import Deliver, Request, Want
from cpqueens.backends.local_search.engine import complete, search_model
from cpqueens.backends.local_search.neighbourhoods import Neighbourhoods, kept_of
from cpqueens.backends.local_search.packing import PackingSearch
from cpqueens.backends.local_search.root import FIRST_PART, Explored, InTurns, Root, Tree, propagated, root_of
from cpqueens.backends.local_search.search import MOST_VALUES, End, Paused, Result, Run
from cpqueens.backends.local_search.specials import Task
from cpqueens.backends.local_search.strategies import get_strategy
from cpqueens.kernels.local import info as at
from cpqueens.language.rows import IntArray, Mask
from cpqueens.language.statement import Statement
from cpqueens.lowered.compiled import Compiled
from cpqueens.lowered.evaluation import evaluate, values_of_all
from cpqueens.lowered.forms import unfolded
from cpqueens.lowered.presolve.choices import smaller_model
from cpqueens.lowered.presolve.parts import parts_of
from cpqueens.lowered.presolve.reduction import Reduced
from cpqueens.lowered.structures.table import Structures
from cpqueens.system.stopping import Stopped

NODES = 10_000
"""Decisions that are made in the tree at first."""
FIRST = 1000
"""Steps after which a model is presolved."""
FIRST_MOVES = 64_000
"""Moves that these steps may look at, where values are many; fewer where each changes definitions or sums."""
FEWEST = 16
"""Such steps at least."""

NODES_IMPROVING = 1000
"""Nodes of the first look where walks have found solutions, and better ones are wanted."""
REPAIRING, EACH = 1000, 200
"""Nodes of a turn in which neighbourhoods of a solution are searched, and of one neighbourhood at most."""
RUNS_PER_NODE = 100
"""Propagators that the exact engine's searches run, instead of a node of the tree."""
STEPS_PER_NODE = 20
"""Steps of walks after a turn that found nothing, for each of its nodes."""
PLACED = 20
"""Nodes of a packing, which cost little, for each of the tree."""


def first_steps(compiled: Compiled) -> int:
    """Return after how many steps a model is presolved: that costs as much as some thousand moves."""
    n = max(1, compiled.decision_count)
    spans = compiled.upper[: compiled.decision_count] - compiled.lower[: compiled.decision_count]
    widest = min(MOST_VALUES, 1 + int(spans.max(initial=0)))
    terms = compiled.different.lengths
    cost = 1 + (compiled.variable_count - compiled.decision_count + int(terms[terms > 1].sum())) // n
    return max(FEWEST, min(FIRST, FIRST_MOVES // widest) // cost)


@dataclass
class Presolve:
    """The looks that a search takes aside; see `Aside`.

    The first explores a small tree and leaves the search if there is a smaller model. While no solution is
    known, the exact engine's searches (`InTurns`) and walks take turns, each turn twice as long as the one
    before: some models are easy for the one, others for the other. Rectangles are packed, too, where there
    are some. Where a solution is known and better ones are wanted, most of it is fixed and the rest searched
    (`Neighbourhoods`).
    """

    structures: Structures
    request: Request
    after: int
    kept: IntArray | None = None
    without: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=lambda: {"nodes": 0})
    smaller: Reduced | None = None
    parts: list[WalkedPart] | None = None
    _tree: Tree | None = None
    _packing: PackingSearch | None = None
    _nodes: int = NODES
    _next: int = 0
    _leaving: bool = False
    _exhausted: bool = False
    _explored: bool = False
    _neighbourhoods: Neighbourhoods | None = None
    _searches: InTurns | None = None

    @classmethod
    def of(cls, structures: Structures, request: Request, task: Task) -> Presolve | None:
        """Return what `auto` does beside walking, if it is to."""
        compiled = structures.compiled()
        if task.strategy != "auto" or not compiled.decision_count:
            return None
        options, relax = complete(get_strategy("auto"), task.options), task.common["relax"]
        if not options["presolve"]:
            return None
        kept = kept_of(structures.model, relax) if relax else None
        return cls(structures, request, first_steps(compiled), kept, tuple(options["without"]))

    @property
    def model(self) -> Statement:
        """The model that is searched."""
        return self.structures.model

    def look(self, search: Run) -> End | None:
        """Explore, and then leave the search if there is a smaller model; None to go on with it."""
        if search.limits.should_stop():
            return "stopped"
        search.extra["presolve"] = self.facts
        if self._exhausted:
            search.extra["gave_up"] = f"a tree was exhausted after {self.facts['nodes']:,} nodes"
            return "gave_up"
        if self._leaving:
            return self._leave(search)
        if self._tree is None:
            ended = self._begin(search)
            if ended is not None or self._tree is None:
                search.aside = None
                return ended
            self._leaving = True
        return self._explore(search, self._tree)

    def _begin(self, search: Run) -> End | None:
        """Propagate; leave no tree if the model is too large."""
        try:
            root = self.model.kept("root of local-search", lambda: propagated(self.structures, self.request))
        except Stopped:
            return "stopped"
        if root is not None and not root.possible:
            search.extra["gave_up"] = "propagation leaves no value"
            return "gave_up"
        self._tree = None if root is None else Tree(root, self.request)
        boxes = self.structures.find("packing")
        self._packing = None if boxes is None else PackingSearch(boxes, self.request.seed)
        return None

    def _explore(self, search: Run, tree: Tree) -> End | None:
        """Go through a part of the tree; go on from the solution if it has one."""
        left = at.NEVER if search.limits.steps is None else search.limits.steps - search.steps
        if self._packed(search, left):
            return None
        left = at.NEVER if search.limits.steps is None else search.limits.steps - search.steps
        optimising = search.compiled.objective is not None
        if self._explored and search.incumbent is not None and not self._leaving:
            return self._repair(search, tree, search.incumbent, left)
        self._explored = True
        if search.improvements and self.smaller is None:
            self._nodes = NODES_IMPROVING  # walking works
        found, wanted = Explored(None, 0, False), search.incumbent is None
        if tree.root.is_small_enough and not (wanted and self._searches is not None):
            limit = search.objective_limit if optimising else None
            found = tree.explore(min(FIRST_PART if wanted else self._nodes, left), limit)
        if found.solution is None and not found.exhausted and wanted:
            found = self._take_turns(tree.root, found, left)
        self.facts["nodes"] += found.nodes
        search.info[at.STEPS] += found.nodes
        self._nodes *= 2
        if found.solution is not None:
            search.go_to(found.solution if self.smaller is None else self.smaller.projected(found.solution))
        self._exhausted = found.exhausted
        if found.exhausted:  # said at the next look, after a solution is delivered
            return None
        walks = optimising and found.solution is None
        self._after(search, STEPS_PER_NODE * REPAIRING if walks else self._nodes)
        return None

    def _take_turns(self, root: Root, before: Explored, left: int) -> Explored:
        """Go on with the exact engine's searches, where the tree had nothing."""
        if before.nodes >= left:
            return before
        if self._searches is None:
            self._searches = InTurns(root, self.request)
        found = self._searches.go_on(RUNS_PER_NODE * self._nodes)
        return replace(found, nodes=min(before.nodes + found.nodes, left))

    def _repair(self, search: Run, tree: Tree, incumbent: IntArray, left: int) -> End | None:
        """Search neighbourhoods of the last solution for a better one, for some nodes."""
        around = self._neighbourhoods
        if around is None:
            around = self._neighbourhoods = Neighbourhoods(tree.root.compiled, self.request.seed, self.kept)
        x = incumbent if self.smaller is None else self.smaller.restored(incumbent)
        spent, most, better = 0, min(REPAIRING, left), None
        while spent < most and better is None and not search.limits.should_stop():
            found = tree.repair(x, around.choose(), min(EACH, most - spent), search.objective_limit)
            spent, better = spent + max(1, found.nodes), found.solution
            if better is None:
                around.learn(found.exhausted)
        self.facts["nodes"] += spent
        self.facts["neighbourhoods"] = around.chosen
        search.info[at.STEPS] += spent
        if better is not None:
            search.go_to(better if self.smaller is None else self.smaller.projected(better))
        self._after(search, spent if better is not None else STEPS_PER_NODE * spent)
        return None

    def _packed(self, search: Run, left: int) -> bool:
        """Go on from a packing if one is found; say whether that is all there is to do now."""
        packing = self._packing
        if packing is None or packing.over or left <= 0:
            return False
        before = packing.nodes
        corner = packing.explore(min(PLACED * self._nodes, left), search.limits.should_stop)
        search.info[at.STEPS] += packing.nodes - before
        self.facts["placed"] = packing.nodes
        if corner is None:
            return False
        x = search.x if self.smaller is None else self.smaller.restored(search.x)
        x = packing.boxes.restored(corner, x)
        search.go_to(x if self.smaller is None else self.smaller.projected(x))
        self._after(search, self._nodes)
        return True

    def _after(self, search: Run, steps: int) -> None:
        """Go on for so many steps until the next look, for ever if there are none; but first leave."""
        self._next = steps
        if not self._leaving:
            dear = FIRST // first_steps(search.compiled)  # a step looks at so many moves, or updates so much
            self.after = search.steps + (max(1, steps // dear) if steps else at.NEVER)

    def _leave(self, search: Run) -> End | None:
        """Leave the search if there is a smaller model, or several independent ones."""
        assert self._tree is not None, "a search is left after the first look"
        self._leaving = False
        self._after(search, self._next)
        c, root = search.compiled, self._tree.root
        if self._packing is None and search.observer is None and "parts" not in self.without:
            try:
                self.parts = self.model.kept(
                    ("parts of local-search", self.without),
                    lambda: parts_within(c, root, self.request.of_part(), self.without),
                )
            except Stopped:
                return "stopped"
        if self.parts is None:
            self.smaller = self.model.kept(
                ("smaller model of local-search", self.without),
                lambda: smaller_model(c, root.domains(), self.without),
            )
        return None if self.smaller is None and self.parts is None else "set_aside"

    def go_on(self, first: Result, task: Task, deliver: Deliver) -> Result:
        """Search the smaller model, or the parts, from where the first search was left."""
        if self.parts is not None:
            return PartByPart(self, self.parts, first, task, deliver).run()
        smaller = self.smaller
        assert smaller is not None, "a search is left for a smaller model only"
        self.facts |= smaller.facts
        self.after = max(0, self.after - first.steps)
        steps = task.limits.steps
        limits = replace(task.limits, steps=None if steps is None else max(0, steps - first.steps))
        incumbent = None if first.cost > 0 else smaller.projected(first.x)
        kept, given = "smaller searches of local-search", replace(task, limits=limits)
        second = search_smaller(
            self.model, smaller, given, deliver, kept, first.steps, aside=self, incumbent=incumbent
        )
        second.statistics["presolve"] = self.facts
        second.add_work(first)
        if second.cost > 0 and first.cost == 0:  # nothing better was found
            second.x, second.cost, second.objective = first.x, 0, first.objective
        return second


@dataclass(frozen=True)
class WalkedPart:
    """An independent part of a model: what is walked on, and what the exact engine searches.

    Attributes
    ----------
    mine
        Flags of its decision variables; those that propagation has fixed are with the first.
    """

    smaller: Reduced
    root: Root
    mine: Mask


def parts_within(
    compiled: Compiled, root: Root, request: Request, without: tuple[str, ...] = ()
) -> list[WalkedPart] | None:
    """Return the independent parts of a model within what propagation has left; None if it is one.

    An objective is a sum of what the parts add, or there is none.

    Raises
    ------
    Stopped
        If the request's time is over.
    """
    found = parts_of(root.compiled, *root.ends())
    several = len(found.searched) > 1 and len(compiled.objective or ()) < 2
    walked = found.models_of(compiled) if several else None
    if walked is None:
        return None
    label, domains, parts = found.label(compiled.decision_count), root.domains(), list[WalkedPart]()
    closed = [(low, low) for low in found.compiled.lower.tolist()]
    for k, (exact, model) in enumerate(zip(found.models, walked, strict=True)):
        left = [domain if label[v] in (-1, k) else closed[v] for v, domain in enumerate(domains)]
        smaller = smaller_model(model, left, without)
        if smaller is None:  # its numbers would be too large
            return None
        parts.append(WalkedPart(smaller, root_of(exact, request), label.clip(min=0) == k))
    return parts


FIRST_TURN = 100
"""Steps in a part's first turn, for each of its variables; each turn has twice as many as the one before."""


class PartByPart:
    """Walks on the parts of a model: first on each until it has a solution, then on all in turns."""

    def __init__(
        self, whole: Presolve, parts: list[WalkedPart], first: Result, task: Task, deliver: Deliver
    ) -> None:
        self._whole, self._parts, self._task, self._deliver = whole, parts, task, deliver
        own = whole.request.of_part()
        self._asides = [
            Presolve(
                whole.structures, own, 0, whole.kept, whole.without, whole.facts, part.smaller,
                _tree=Tree(part.root, own),
            )
            for part in parts
        ]  # fmt: skip
        self._x, self._is_solved, self._each = first.x.copy(), first.cost == 0, [first]

    def run(self) -> Result:
        """Walk until a limit is reached, or nothing better is wanted."""
        if not self._is_solved:
            for k in range(len(self._parts)):
                last = self._walk(k, None)
                if last.cost > 0:
                    return self._ended(last.reason, last.cost)
            self._is_solved = True
            if not self._deliver(self._x[None].copy()) or self._whole.request.want is not Want.BEST:
                return self._ended("solved")
        turn, going = FIRST_TURN, list(range(len(self._parts)))
        while going:
            for k in list(going):
                many = max(1, self._parts[k].smaller.compiled.decision_count)
                reason = self._walk(k, turn * many if len(going) > 1 else None).reason
                if reason in ("solved", "stopped") or self._left == 0:
                    return self._ended(reason)
                if reason != "step_limit":
                    going.remove(k)
            turn *= 2
        return self._ended("gave_up")

    @property
    def _left(self) -> int | None:
        """How many steps are left, None without a limit."""
        limit = self._task.limits.steps
        return None if limit is None else max(0, limit - sum(result.steps for result in self._each))

    def _walk(self, number: int, steps: int | None) -> Result:
        """Walk on a part, from its solution if there is one to better ones, for so many steps at most."""
        part, aside, known = self._parts[number], self._asides[number], [self._left, steps]

        def take(batch: IntArray) -> bool:
            self._x[part.mine] = part.smaller.restored(batch[-1])[part.mine]
            return self._is_solved and self._deliver(self._x[None].copy())

        limits = replace(self._task.limits, steps=min((k for k in known if k is not None), default=None))
        task = replace(self._task, limits=limits, hint=None, seed=self._task.seed + len(self._each))
        incumbent = part.smaller.projected(self._x) if self._is_solved else None
        result = search_model(part.smaller.compiled, task, take, aside=aside, incumbent=incumbent)
        aside.after = max(0, aside.after - result.steps)
        if result.cost > 0 and incumbent is None:
            take(result.x[None])
        self._each.append(result)
        return result

    def _ended(self, reason: Paused, cost: int = 0) -> Result:
        """Return what is known of the whole, with all work."""
        whole, last = self._whole, self._each[-1]
        gone = Counter[str]()  # what is fixed is so in the whole, too, or as it is another part's
        for part in self._parts:
            gone.update({name: many for name, many in part.smaller.facts.items() if name != "fixed"})
        last.statistics["presolve"] = whole.facts | {"parts": len(self._parts)} | gone
        for other in self._each[:-1]:
            last.add_work(other)
        last.x, last.cost, last.reason = self._x, cost, reason
        if whole.request.want is Want.BEST and not cost:
            c = unfolded(whole.structures.compiled())
            assert c.objective is not None, "what is made best is there"
            last.objective = int(evaluate(c.objective, values_of_all(c, self._x)).max())
        return last


def search_smaller(
    model: Statement, smaller: Reduced, task: Task, deliver: Deliver, kept: str, before: int = 0, **more: Any
) -> Result:
    """Search a smaller model instead; what is delivered, and the result, are assignments of the larger one.

    Parameters
    ----------
    kept
        What searches that wait for another run are kept as.
    before
        Steps that the run has made.
    more
        As for `search_model`.
    """

    def restored(batch: IntArray) -> bool:
        return deliver(np.stack([smaller.restored(x) for x in batch]))

    if task.recorder is not None:
        task.recorder.translate(lambda x: _within(model, smaller.restored(x)), before)
    given = replace(task, hint=None if task.hint is None else smaller.projected_hint(task.hint))
    waiting = model.kept(kept, dict[Any, Any])
    result = search_model(smaller.compiled, given, restored, None, waiting, **more)
    x = smaller.restored(result.x)
    result.x = x if result.cost == 0 else _within(model, x)
    return result


def _within(model: Statement, x: IntArray) -> IntArray:
    """Return an assignment with every value between the bounds of its variable."""
    clipped: IntArray = np.clip(x, model.lower[model.decisions], model.upper[model.decisions])
    return clipped
