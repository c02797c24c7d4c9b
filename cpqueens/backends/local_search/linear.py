"""Optimising linear models: tight moves and exchanges, by the kernel `cpqueens.kernels.local.linear`."""

from collections.abc import Iterator

import numpy as np

from cpqueens.backends.local_search.search import End, Run, Search
from cpqueens.backends.local_search.slices import COUNTED, KernelRun, OwnWalk
from cpqueens.backends.local_search.walking import Walk, walk_anew
from cpqueens.kernels.local import info as at, linear as codes
from cpqueens.kernels.local.arena import build_arena
from cpqueens.kernels.local.plain import EQUAL
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import offsets
from cpqueens.lowered.structures.linear import LinearForm

WAY = 5_000
WAY_PER_VARIABLE = 10
"""Steps of the first turn of each way, in all."""
TURN, WALK_COST = 50_000, 20
"""Steps of the first turn where the general engine has turns, too; so many cost as much as one of its."""


class LinearWalk(OwnWalk[Run]):
    """The kernel's arena for a search, which lives as long as the search."""

    told = codes.FOUND, codes.TOLD
    counted = (*COUNTED, at.RESETS)

    def __init__(self, form: LinearForm) -> None:
        super().__init__()
        self.form, self.limit, self.turn = form, at.NEVER, TURN
        row, variable, coefficient = form.row, form.variable, form.coefficient
        n, rows = len(form.lower), len(form.kind)
        order = np.lexsort((row, variable))
        zeros, none = np.zeros(n, dtype=np.int64), np.full(rows, -1)
        kinds = form.kind
        self.arena = build_arena([
            offsets(np.bincount(variable, minlength=n)),
            np.stack([row[order], coefficient[order]], axis=1).reshape(-1),
            offsets(np.bincount(row, minlength=rows)),
            np.stack([variable, coefficient], axis=1).reshape(-1),
            kinds, 0 * kinds, 0 * kinds + 1, 0 * kinds, none,
            form.lower, form.upper, zeros, zeros, np.zeros(2 * n), np.zeros(codes.LENGTH),
        ])  # fmt: skip
        self.info = self.part(codes.INFO)
        self.info[codes.TURN] = WAY + WAY_PER_VARIABLE * n
        self.random = np.zeros(4, dtype=np.int64)
        self.kernel = lambda most: codes.linear_search(most, self.arena, self.random)

    def present(self) -> IntArray:
        """Return the present assignment."""
        return self.form.back(self.part(codes.X))

    def best(self) -> IntArray:
        """Return the best one."""
        return self.form.back(self.part(codes.BEST))

    def begin(self, x: IntArray, limit: int) -> None:
        """Go on from an assignment of the model, to an objective of at most ``limit``."""
        self.limit, columns = limit, self.form.into(x)
        activity, excess = self._activity(columns, limit)
        violated = np.flatnonzero(excess)
        self.part(codes.X)[:] = columns
        self.part(codes.ACTIVITY)[:] = activity
        self.part(codes.MEMBERS)[: len(violated)] = violated
        self.part(codes.POSITION)[:] = -1
        self.part(codes.POSITION)[violated] = np.arange(len(violated))
        self.info[codes.VIOLATED] = len(violated)
        if not len(violated[violated > 0]):
            self.part(codes.BEST)[:] = columns
            self.info[[codes.FOUND, codes.TOLD]] += 1

    def _activity(self, columns: IntArray, limit: int) -> tuple[IntArray, IntArray]:
        """Return what each row adds up to, and by how much that is too much."""
        form = self.form
        activity = form.constant.copy()
        np.add.at(activity, form.row, form.coefficient * columns[form.variable])
        activity[0] -= limit
        return activity, np.where(form.kind == EQUAL, np.abs(activity), np.maximum(activity, 0))

    def violation(self, x: IntArray, limit: int) -> int:
        """Return by how much an assignment violates the rows."""
        return int(self._activity(self.form.into(x), limit)[1].sum())

    def objective(self, x: IntArray) -> int:
        """Return what the first row adds up to."""
        return int(self._activity(self.form.into(x), 0)[0][0])

    def tell(self, host: Run) -> bool:
        """Do so, and note the limit that follows."""
        before = self.info[codes.TOLD]
        solved = super().tell(host)
        if self.info[codes.TOLD] != before:
            self.limit = host.value_of(host.x) - 1
        return solved


def run(search: Run, form: LinearForm, others: Iterator[Walk]) -> End:
    """Search until there is a better solution, or until the search must end.

    In a search of the general engine, which has arrays where a form is not the model's own, ``others`` are
    walked in turns, which grow as those of this kernel do: the form may suit it less than its variables.
    """
    alone = isinstance(search, KernelRun)
    linear: LinearWalk | None = search.carried.get("linear")
    if linear is None:
        search.extra["special"] = "linear" if alone else "one-hot"
        search.start()
        if search.solved():
            return "solved"
        kernel = search.kernel if isinstance(search, KernelRun) else None
        linear = kernel if isinstance(kernel, LinearWalk) else LinearWalk(form)
        search.carried["linear"] = linear
        linear.random[:] = search.random
    if search.objective_limit != linear.limit:  # at first, and where another search has found a better one
        linear.begin(search.x, search.objective_limit)
    while True:
        ended = linear.walk(search, at.NEVER if alone else search.steps + linear.turn)
        if ended is not None:
            if ended != "solved" and not linear.has_found:
                search.go_to(linear.present())
            return ended
        linear.turn, steps = 3 * linear.turn // 2, linear.turn // WALK_COST
        assert isinstance(search, Search), "turns end where the general engine has others"
        ended = walk_anew(search, next(others), steps)
        if ended is not None:
            return ended
