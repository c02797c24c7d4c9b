"""What AllDifferent gets besides taking the values of fixed variables from the others.

Disequalities of pairs that make up AllDifferents: what is stated pair by pair is propagated whole, too.

Each row ``x - y != c`` is an edge between two variables. Some variables, with constants that can be added to
them so that all must differ, are a clique. Cliques are grown from the edges that are in none yet, the
variables with most edges first, as in greedy covers of the edges of a graph by cliques (Kellerman 1973).
"""

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from cpqueens.backends.backtracking.rows import LazyRows, Row
from cpqueens.backends.backtracking.wholes.fractional import DIFFERENCES
from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.propagators import all_different_values as values
from cpqueens.kernels.exact.propagators.all_different_values import matching_data
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import NE, Compiled

TIGHT = 2
"""Values for each term up to which a matching pays; beyond that, Hall sets are too rare."""

MOST_TERMS = 1 << 10
"""Terms of which each change of one is worth a look at all."""

MOST_EDGES = 1 << 18
"""Pairs of a term and a value that a matching may have to look at."""


def add_hall_sets(terms: IntArray, low: int, high: int, parts: Parts) -> None:
    """Add propagation of sets of values that are no more than the terms that need them.

    ``terms`` are rows (variable, coefficient, constant) with values ``low`` .. ``high``. Where there are many
    more values than terms, it would not pay.
    """
    many, span = len(terms), high - low + 1
    if 3 <= many <= MOST_TERMS and span <= TIGHT * many and (span < many or span * many <= MOST_EDGES):
        data = _filled(_matching(many, low, high), terms)
        parts.propagator(Propagator("all_different_values", terms[:, 0].tolist(), numbers=data))


@lru_cache(maxsize=16)
def _matching(many: int, low: int, high: int) -> IntArray:
    """Return the data of a matching without terms."""
    return np.array(matching_data([(0, 0, 0)] * many, low, high), dtype=np.int64)


def _filled(data: IntArray, terms: IntArray) -> IntArray:
    """Return a copy of the data with these terms: a model has many AllDifferents of one size."""
    filled, first, width = data.copy(), values.HEADER + values.VARIABLE, values.NODE
    last = first + width * (len(terms) - 1) + 1
    filled[first:last:width] = terms[:, 0] * at.X_WIDTH
    filled[first + 1 : last + 1 : width] = terms[:, 1]
    filled[first + 2 : last + 2 : width] = terms[:, 2]
    return filled


def is_empty_board(compiled: Compiled) -> bool:
    """Say whether all that there is are AllDifferents over all variables, with offsets: queens.

    There few Hall sets are found until little is left to be searched; looking for them takes more time than
    it saves.
    """
    c = compiled
    if len(c.different_start) < 3 or len(c.linear):
        return False
    rules = [len(c.domains), len(c.linear), len(c.tables), len(c.wholes), len(c.definitions)]
    groups = np.diff(c.different_start)
    only = not any(rules) and len(c.clause_start) == 1 and c.objective is None
    whole = len(groups) > 1 and bool((groups == c.decision_count).all())
    return only and whole and len(set(zip(c.lower, c.upper, strict=True))) == 1


# ---- AllDifferents of disequalities ----------------------------------------------------------------------


FEWEST, FEWEST_EDGES = 4, 6
"""Variables and edges of a clique: what pairs and triples say is mostly seen by fixed values."""

SHARE = 1.25
"""How many times as many values as variables there may be: with more, Hall sets are rare."""

MOST_DISEQUALITIES = 1 << 14
"""Disequalities of a model in which cliques are looked for."""

LOOKS = 8
"""Times the number of edges that one is looked up, in all."""

Edges = dict[tuple[int, int], set[int]]
"""Of pairs of variables the constants c of ``x - y != c``, both ways."""

Members = list[tuple[int, int]]
"""Pairs of a variable and the constant that is added to it."""


def cliques(linear: Iterable[tuple[Row, int]]) -> list[Members]:
    """Return cliques of several variables."""
    unequal = [row for row, relation in linear if relation == NE and row[1] in DIFFERENCES]
    if not FEWEST_EDGES <= len(unequal) <= MOST_DISEQUALITIES:
        return []
    edges: Edges = {}
    for variables, coefficients, constant in unequal:
        x, y = variables
        c = -coefficients[0] * constant
        for a, b, gap in ((x, y, c), (y, x, -c)):
            edges.setdefault((a, b), set()).add(gap)
    return [found for found in cover(edges, LOOKS * len(unequal)) if len(found) >= FEWEST]


def cover(edges: Edges, looks: int) -> list[Members]:
    """Cover the edges by cliques, until that has taken so many looks."""
    near: dict[int, dict[int, None]] = {}
    for x, y in edges:
        near.setdefault(x, {})[y] = None
    found: list[Members] = []
    covered: set[tuple[int, int, int]] = set()
    order = sorted(near, key=lambda v: (-len(near[v]), v))
    rank = {v: k for k, v in enumerate(order)}
    sorted_near = {v: sorted(near[v], key=rank.__getitem__) for v in order}
    for x in order:
        for y in sorted_near[x]:
            for gap in sorted(edges[x, y]):
                if rank[y] < rank[x] or (x, y, gap) in covered:
                    continue
                clique = {x: 0, y: gap}
                for z in min(sorted_near[x], sorted_near[y], key=len):
                    if z not in near[x] or z not in near[y]:
                        continue
                    looks -= len(clique)
                    for shift in sorted(edges[x, z]):
                        if all(shift - own in edges.get((v, z), ()) for v, own in clique.items()):
                            clique[z] = shift
                            break
                if looks < 0:
                    return found
                members = list(clique.items())
                covered |= {
                    (v, w, there - here) for v, here in members for w, there in members if rank[v] < rank[w]
                }
                found.append(members)
    return found


def add_cliques(differences: LazyRows, parts: Parts) -> None:
    """Let cliques of disequalities be propagated as AllDifferents, where Hall sets may be found."""
    unequal = np.flatnonzero(differences.relation == NE)
    if not FEWEST_EDGES <= len(unequal) <= MOST_DISEQUALITIES:
        return
    for members in cliques(differences.picked(unequal)):
        ends = [[end + shift for end in parts.bounds(v)] for v, shift in members]
        low, high = min(a for a, _ in ends), max(b for _, b in ends)
        if high - low + 1 <= SHARE * len(members):
            terms = np.array([(v, 1, shift) for v, shift in members], dtype=np.int64)
            add_hall_sets(terms, low, high, parts)
