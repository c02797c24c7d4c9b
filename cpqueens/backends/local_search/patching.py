"""First tours where directions matter: the cheapest successors, whose cycles are patched together.

Source: Jonker and Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment
problems", Computing 38, 1987; Karp, "A patching algorithm for the nonsymmetric traveling-salesman problem",
SIAM Journal on Computing 8, 1979 (two cycles exchange the successors that cost least, the largest one first).
"""

from __future__ import annotations

import numpy as np

from cpqueens.language.rows import IntArray

FAR = 1 << 62


def patched_tour(costs: IntArray) -> IntArray:
    """Return the nodes of a tour, from node 0, whose arcs are those of the cheapest cycles, nearly."""
    successor = patched(costs, assigned(costs))
    tour = [0]
    while len(tour) < len(costs):
        tour.append(int(successor[tour[-1]]))
    return np.array(tour, dtype=np.int64)


def assigned(costs: IntArray) -> IntArray:
    """Return the columns (n,), one for each row and all different, that cost least in all."""
    n = len(costs)
    column, row = np.full(n, -1), np.full(n, -1)
    price = costs.min(axis=0).astype(np.int64)
    for j, i in enumerate(costs.argmin(axis=0).tolist()):
        if column[i] < 0:
            column[i], row[j] = j, i
    for free in np.flatnonzero(column < 0).tolist():
        _augment(costs, price, column, row, free)
    return column


def _augment(costs: IntArray, price: IntArray, column: IntArray, row: IntArray, free: int) -> None:
    """Give a row a column by a shortest path of exchanges; change prices so that all paths stay shortest."""
    n = len(costs)
    away, before = costs[free] - price, np.full(n, free)
    done = np.zeros(n, dtype=bool)
    while True:
        j = int(np.where(done, FAR, away).argmin())
        if row[j] < 0:
            break
        done[j] = True
        i = row[j]
        by = away[j] + costs[i] - price - (costs[i, j] - price[j])
        nearer = (by < away) & ~done
        away[nearer], before[nearer] = by[nearer], i
    price[done] += away[done] - away[j]
    while j >= 0:
        i = int(before[j])
        row[j], j, column[i] = i, int(column[i]), j


def patched(costs: IntArray, successor: IntArray) -> IntArray:
    """Return one cycle, where there were several: the largest takes in another one for as long as it must."""
    successor = successor.copy()
    while True:
        cycle = _cycles(successor)
        if cycle.max(initial=0) == 0:
            return successor
        largest = cycle == np.bincount(cycle).argmax()
        inside, outside = np.flatnonzero(largest), np.flatnonzero(~largest)
        now = costs[np.arange(len(costs)), successor]
        more = costs[np.ix_(inside, successor[outside])] + costs[np.ix_(outside, successor[inside])].T
        more -= now[inside][:, None] + now[outside][None, :]
        i, j = np.unravel_index(more.argmin(), more.shape)
        both = [inside[i], outside[j]]
        successor[both] = successor[both[::-1]]


def _cycles(successor: IntArray) -> IntArray:
    """Return in which cycle, from 0, each node is."""
    cycle, count = [-1] * len(successor), 0
    following = successor.tolist()
    for first in range(len(following)):
        if cycle[first] < 0:
            i = first
            while cycle[i] < 0:
                cycle[i], i = count, following[i]
            count += 1
    return np.array(cycle, dtype=np.int64)
