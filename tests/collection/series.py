"""Sequences, rulers and arrays of which differences or counts are told: all-interval, Langford, Costas."""

from __future__ import annotations

import numpy as np
from cpqueens.models.all_interval import all_interval
from cpqueens.models.costas_array import costas_array
from cpqueens.models.golomb_ruler import golomb_ruler
from cpqueens.models.langford import langford

from collection.instance import Instance
from cpqueens import AllDifferent, Count, Increasing, Model


def natural_all_interval(n: int) -> Model:
    """CSPLib prob007 as it is stated there: the intervals are variables of their own."""
    m = Model("all-interval series")
    x = m.intvar(0, n - 1, shape=n, name="x")
    d = m.intvar(1, n - 1, shape=n - 1, name="d")
    m += [AllDifferent(x), AllDifferent(d), d == abs(x[1:] - x[:-1])]
    return m


def row_of_langford(n: int) -> Model:
    """Langford's problem with the first copy's place and the second's as variables, and a row of numbers."""
    m = Model("Langford")
    first = m.intvar(0, 2 * n - 1, shape=n, name="first")
    second = m.intvar(0, 2 * n - 1, shape=n, name="second")
    row = m.intvar(1, n, shape=2 * n, name="row")
    m += [second == first + np.arange(2, n + 2), AllDifferent(np.concatenate([first, second]))]
    for k in range(n):
        m.add(row[first[k]] == k + 1, row[second[k]] == k + 1)
    return m


def skolem(n: int) -> Model:
    """Two copies of k at distance k, in a row of 2 n places."""
    m = Model("Skolem")
    gap = np.arange(1, n + 1)
    p = m.intvar(0, 2 * n - 1 - gap, shape=n, name="p")
    m += AllDifferent(np.concatenate([p, p + gap]))
    return m


def magic_sequence(n: int) -> Model:
    """x[i] is how often i occurs (CSPLib prob019)."""
    m = Model("magic sequence")
    x = m.intvar(0, n - 1, shape=n, name="x")
    m += [Count(x, i, x[i]) for i in range(n)]
    return m


def rulers(marks: int, length: int) -> Model:
    """Golomb rulers of exactly this length, mirror images included."""
    m = Model("Golomb ruler")
    x = m.intvar(0, length, shape=marks, name="x")
    first, second = np.triu_indices(marks, 1)
    m += [x[0] == 0, x[-1] == length, Increasing(x, strict=True), AllDifferent(x[second] - x[first])]
    return m


SEQUENCE = "CSPLib prob019: none for 6, and for n > 6 exactly one"

INSTANCES = (
    Instance("all-interval 8", lambda: all_interval(8), "OEIS A006967", 40),
    Instance("all-interval 10", lambda: all_interval(10), "OEIS A006967", 296, slow=("enumerate", "count")),
    Instance("all-interval 8, natural", lambda: natural_all_interval(8), "OEIS A006967", 40),
    Instance(
        "all-interval 10, natural",
        lambda: natural_all_interval(10),
        "OEIS A006967",
        296,
        slow=("enumerate", "count"),
    ),
    Instance("all-interval 14", lambda: all_interval(14), "0, 13, 1, 12, ...", None),
    Instance("Langford 7", lambda: langford(7), "OEIS A014552, both directions", 52),
    Instance("Langford 8", lambda: langford(8), "OEIS A014552, both directions", 300),
    Instance("Langford 9", lambda: langford(9), "OEIS A014552", 0),
    Instance("Langford 7, a row of numbers", lambda: row_of_langford(7), "OEIS A014552, both directions", 52),
    Instance("Skolem 8", lambda: skolem(8), "OEIS A004075", 504),
    Instance("Skolem 6", lambda: skolem(6), "Skolem 1957: none for n = 2, 3 modulo 4", 0),
    Instance("magic sequence of 6", lambda: magic_sequence(6), SEQUENCE, 0),
    Instance("magic sequence of 12", lambda: magic_sequence(12), SEQUENCE, 1),
    Instance("magic sequence of 30", lambda: magic_sequence(30), SEQUENCE, 1, slow=("enumerate", "count")),
    Instance("Costas arrays of order 8", lambda: costas_array(8), "OEIS A008404", 444),
    Instance("Costas arrays of order 10", lambda: costas_array(10), "OEIS A008404", 2160),
    Instance("Costas array of order 13", lambda: costas_array(13), "OEIS A008404"),
    Instance("Golomb ruler, 6 marks", lambda: golomb_ruler(6), "OEIS A003022", optimum=17),
    Instance("Golomb ruler, 8 marks", lambda: golomb_ruler(8), "OEIS A003022", optimum=34),
    Instance("Golomb rulers, 6 marks of length 17", lambda: rulers(6, 17), "OEIS A036501, mirrored", 8),
    Instance("Golomb rulers, 7 marks of length 24", lambda: rulers(7, 24), "OEIS A003022", 0),
)
