"""The propagation kernels against slow twins, and the same search compiled and as plain Python."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from seeds import seeds, sweep

from cpqueens import Model
from cpqueens.backends.backtracking.memory import build_memory
from cpqueens.backends.backtracking.orders import tree_search
from cpqueens.crosscheck import oracle
from cpqueens.fuzzing.generate import random_model
from cpqueens.kernels.exact import domains as d
from cpqueens.kernels.exact.branching import PHASE, RETREAT, TreeSearch
from cpqueens.kernels.exact.forward import begin, conclude
from cpqueens.kernels.jit import tiers
from cpqueens.lowered.forms import BOARD, compile_model

ROOT = Path(__file__).parents[3]


def store(low: int, high: int, variables: int, listed: bool = True) -> d.Memory:
    """Return a store of a few variables without constraints."""
    m = Model()
    m.intvar(low, high if listed else high + 10**9, shape=variables, name="x")
    memory, _ = build_memory(compile_model(m), check_only=False)
    return memory


def apply(m: d.Memory, code: int, v: int, a: int, b: int) -> Any:
    """Change a domain by one of the operations of `domains`, in plain form."""
    if code == 0:
        return d.tighten(m, v, a, b)
    if code == 1:
        return d.remove(m, v, a)
    m.stack[d.LEVEL] += 1
    return 1


def undo(m: d.Memory, trail: int, cells: int) -> None:
    """Put back what changed since the trail had these lengths."""
    d.restore(m, trail, cells)


def values(m: d.Memory, v: int) -> set[int]:
    """Return a variable's values, read off the arrays."""
    x = m.x[v : v + d.X_WIDTH]
    everything = range(x[d.LOW], x[d.HIGH] + 1)
    return {w for w in everything if x[d.FIRST] < 0 or m.cells[x[d.FIRST] + w - x[d.BASE]]}


@seeds(range(40))
def test_domains_are_sets_with_an_undo(seed: int) -> None:
    source = random.Random(seed)
    low, high = -source.randint(0, 9), source.randint(0, 9)
    memory = store(low, high, 3)
    twin = [set(range(low, high + 1)) for _ in range(3)]
    levels: list[tuple[int, int, list[set[int]]]] = []
    for _ in range(60):
        k, code = source.randrange(3), source.choice((0, 1, 1, 1, 2, 3))
        v, a, b = k * d.X_WIDTH, source.randint(low - 1, high + 1), source.randint(low - 1, high + 1)
        if code == 2:
            levels.append(
                (int(memory.stack[d.TRAIL_TOP]), int(memory.stack[d.CELLS_TOP]), [set(s) for s in twin])
            )
            apply(memory, 2, 0, 0, 0)
        elif code == 3 and levels:
            trail, cells, twin = levels.pop()
            undo(memory, trail, cells)
        elif code < 2:
            left = {w for w in twin[k] if (a <= w <= b if code == 0 else w != a)}
            possible = apply(memory, code, v, a, b)
            assert possible == bool(left)
            if left:
                twin[k] = left
            elif levels:  # a failure leaves the domain to be restored
                trail, cells, twin = levels.pop()
                undo(memory, trail, cells)
            else:
                return
        assert [values(memory, i * d.X_WIDTH) for i in range(3)] == twin
        assert [d.size(memory, i * d.X_WIDTH) for i in range(3)] == [len(s) for s in twin]


def holds(m: d.Memory, v: int, value: int) -> Any:
    """Say whether a value is in the domain."""
    return d.contains(m, v, value)


@seeds(range(40))
def test_sparse_domains_are_sets_between_their_ends(seed: int) -> None:
    source = random.Random(seed)
    domain = sorted(
        source.choice((1, -1)) * 2 ** source.randint(20, 60) + k for k in range(source.randint(2, 9))
    )
    model = Model()
    model.intvar(domain=domain, name="x")
    memory, _ = build_memory(compile_model(model), check_only=False)
    left = domain
    for _ in range(30):
        a, b = sorted(source.choice(domain) + source.randint(-1, 1) for _ in range(2))
        kept = [w for w in left if a <= w <= b]
        if source.random() < 0.5:  # only the ends can be removed
            kept = [w for w in left if w != a or left[0] < w < left[-1]]
            possible = apply(memory, 1, 0, a, 0)
        else:
            possible = apply(memory, 0, 0, a, b)
        assert possible == bool(kept)
        if not kept:
            return
        left = kept
        assert memory.x[d.LOW] == left[0]
        assert memory.x[d.HIGH] == left[-1]
        assert d.size(memory, 0) == len(left)
        for w in domain:
            assert [bool(holds(memory, 0, w + k)) for k in (-1, 0, 1)] == [w + k in left for k in (-1, 0, 1)]


def at_root(m: d.Memory, q: TreeSearch) -> Any:
    """Propagate the root to its fixpoint; say whether it may have a solution."""
    conclude(m, q, begin(m, q), 2**62)
    return q.state[PHASE] != RETREAT


@seeds(range(500, 700))
def test_propagation_never_removes_a_solution(seed: int) -> None:
    """One fixpoint at the root: every solution survives, and a failure means that there is none."""
    model = random_model(seed)
    compiled = compile_model(model, BOARD)
    memory, _ = build_memory(compiled, check_only=False)
    with tiers.mode("plain"):  # nobody has written the addresses of what is compiled apart into this memory
        possible = at_root(memory, tree_search(compiled.decision_count))
    solutions = oracle.solve(model).solutions
    assert possible or not len(solutions)
    if possible:
        for k in range(compiled.decision_count):
            assert set(solutions[:, k].tolist()) <= values(memory, k * d.X_WIDTH)


PROGRAM = """
import json, sys
sys.path.insert(0, {root!r})
from cpqueens.fuzzing.generate import random_model
from cpqueens.kernels.jit.tiers import MODE
from cpqueens.models.queens import queens
said = []
for model in [queens(5), *(random_model(seed) for seed in range({models}))]:
    for solver in ("check", "forward", "auto"):
        outcome = model.enumerate(solver="backtracking:" + solver)
        facts = [outcome.statistics[k] for k in ("nodes", "failures", "strategy")]
        said.append([outcome.solutions.matrix.tolist(), *facts])
for strategy in ("bitmask", "rowmask", "table"):
    said.append(queens(6).enumerate(solver="backtracking:" + strategy).statistics["nodes"])
shuffled = queens(7).enumerate(solver="backtracking:forward", value_order="random", random_seed=5)
said.append(shuffled.solutions.matrix.tolist())
vegas = queens(6).solve(solver="las-vegas", stop_vegas=3, attempts=20, random_seed=2)
said.append([vegas.solution.values.tolist(), vegas.statistics["nodes"]])
print(json.dumps([MODE, said]))
"""


def test_compiled_and_plain_python_do_the_same() -> None:
    answers = []
    for disabled in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM.format(root=str(ROOT), models=len(sweep(8, 25)))],
            env=os.environ | {"NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        )
        answers.append(json.loads(done.stdout))
    assert [mode for mode, _ in answers] == ["compiled", "plain"]
    assert answers[0][1] == answers[1][1]
