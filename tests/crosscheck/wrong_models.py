"""Wrong models as people write them: a right text, and one replacement each with what is wrong then.

Off by one, a forgotten constraint, the wrong direction, integer division, a negated objective, a wrong
quantifier, `and` for `or`, indices that slip.
"""

from __future__ import annotations

WEAK, STRONG, BOTH, GOAL = "too weak", "too strong", "too weak and too strong", "wrong objective"

Wrong = tuple[str, str, str]
"""What is replaced, by what, and the verdict."""

PROBLEMS: dict[str, tuple[str, list[Wrong]]] = {
    "queens": (
        """
q = m.intvar(0, 4, shape=5, name="q")
i = np.arange(5)
m.add(AllDifferent(q))
m.add(AllDifferent(q + i))
m.add(AllDifferent(q - i))
""",
        [
            ("m.add(AllDifferent(q))\n", "", WEAK),  # with both diagonals a queen may still share a column
            ("m.add(AllDifferent(q + i))\n", "", WEAK),
            ("AllDifferent(q - i)", "AllDifferent(q + i)", WEAK),
            ("q - i", "q - 2 * i", BOTH),
            ("intvar(0, 4,", "intvar(1, 5,", BOTH),
            ("intvar(0, 4,", "intvar(0, 3,", STRONG),
            ("intvar(0, 4,", "intvar(0, 5,", WEAK),
            ("AllDifferent(q - i)", "AllDifferent(abs(q - i))", STRONG),
        ],
    ),
    "sequence": (
        """
x = m.intvar(0, 5, shape=4, name="x")
for k in range(3):
    m.add(x[k] < x[k + 1])
m.add(x.sum() == 10)
""",
        [
            ("range(3)", "range(2)", WEAK),
            ("range(3)", "range(1, 3)", WEAK),
            ("x[k] < x[k + 1]", "x[k] <= x[k + 1]", WEAK),
            ("x[k] < x[k + 1]", "x[k] > x[k + 1]", BOTH),
            ("x[k] < x[k + 1]", "x[k] + 1 < x[k + 1]", STRONG),
            ("m.add(x.sum() == 10)\n", "", WEAK),
            ("x.sum() == 10", "x.sum() <= 10", WEAK),
            ("x.sum() == 10", "x[1:].sum() == 10", BOTH),
            ("x.sum() == 10", "x.sum() // 2 == 5", WEAK),
            ("x[k] < x[k + 1]", "x[k] != x[k + 1]", WEAK),
        ],
    ),
    "knapsack": (
        """
take = m.intvar(0, 2, shape=4, name="take")
weight, value = np.array([3, 4, 5, 7]), np.array([4, 5, 7, 10])
m.add((take * weight).sum() <= 14)
m.maximize((take * value).sum())
""",
        [
            ("<= 14", "< 14", STRONG),
            ("<= 14", "<= 15", WEAK),
            ("<= 14", ">= 14", BOTH),
            ("m.add((take * weight).sum() <= 14)\n", "", WEAK),
            ("m.maximize", "m.minimize", GOAL),
            ("m.maximize((take * value).sum())\n", "", GOAL),
            ("m.maximize((take * value).sum())", "m.maximize((take * weight).sum())", GOAL),
            ("m.maximize((take * value).sum())", "m.maximize((take * value).sum() // 2)", GOAL),
            ("m.maximize((take * value).sum())", "m.minimize(-(take * value).sum())", "equal"),
            ("intvar(0, 2,", "intvar(0, 1,", STRONG),
            ("(take * weight).sum()", "(take[:3] * weight[:3]).sum()", WEAK),
        ],
    ),
    "tasks": (
        """
start = m.intvar(0, 6, shape=3, name="start")
time = [2, 3, 1]
for a in range(3):
    for b in range(a):
        m.add((start[a] + time[a] <= start[b]) | (start[b] + time[b] <= start[a]))
m.add(start[0] + time[0] <= start[2])
m.minimize(maximum(start + time))
""",
        [
            ("start[a] + time[a] <= start[b]", "start[a] + time[a] < start[b]", STRONG),
            ("start[a] + time[a] <= start[b]", "start[a] + time[b] <= start[b]", BOTH),
            (") | (", ") & (", STRONG),
            ("m.add(start[0] + time[0] <= start[2])\n", "", WEAK),
            ("start[0] + time[0] <= start[2]", "start[2] + time[2] <= start[0]", BOTH),
            ("start[0] + time[0] <= start[2]", "start[0] <= start[2]", "equal"),  # disjoint and in order
            ("start[0] + time[0] <= start[2]", "start[0] + time[0] < start[2]", STRONG),
            ("range(3):\n    for", "range(2):\n    for", WEAK),
            ("maximum(start + time)", "maximum(start)", GOAL),
            ("maximum(start + time)", "(start + time).sum()", GOAL),
            ("m.minimize", "m.maximize", GOAL),
            ("intvar(0, 6,", "intvar(0, 5,", STRONG),
        ],
    ),
    "colouring": (
        """
c = m.intvar(1, 3, shape=5, name="c")
edges = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (1, 4)]
for a, b in edges:
    m.add(c[a] != c[b])
m.minimize((c == 3).sum())
""",
        [
            ("(0, 4), ", "", WEAK),
            ("(0, 4), (1, 4)", "(0, 4), (1, 3)", BOTH),
            ("c[a] != c[b]", "c[a] < c[b]", STRONG),
            ("c[a] != c[b]", "abs(c[a] - c[b]) > 1", STRONG),
            ("intvar(1, 3,", "intvar(1, 4,", WEAK),
            ("edges:", "edges[1:]:", WEAK),
            ("(c == 3).sum()", "(c == 2).sum() + 5", GOAL),
            ("m.minimize", "m.maximize", GOAL),
        ],
    ),
    "change": (
        """
n = m.intvar(0, 6, shape=3, name="n")
coins = [1, 3, 4]
m.add((n * coins).sum() == 12)
m.minimize(n.sum())
""",
        [
            ("== 12", ">= 12", WEAK),
            ("== 12", "== 13", BOTH),
            ("[1, 3, 4]", "[1, 3, 5]", BOTH),
            ("(n * coins).sum() == 12", "(n * coins).sum() // 4 == 3", WEAK),
            ("m.minimize(n.sum())", "m.minimize(n[0])", GOAL),
            ("m.minimize", "m.maximize", GOAL),
            ("intvar(0, 6,", "intvar(1, 6,", STRONG),
            ("intvar(0, 6,", "intvar(0, 3,", STRONG),
        ],
    ),
    "rota": (
        """
works = m.boolvar(shape=(3, 4), name="works")
m.add(works.sum(axis=0) == 1)
m.add(works.sum(axis=1) <= 2)
m.add(works[0, 1].implies(works[1, 2]))
""",
        [
            ("works.sum(axis=0) == 1", "works.sum(axis=1) == 1", BOTH),
            ("works.sum(axis=0) == 1", "works.sum(axis=0) >= 1", WEAK),
            ("<= 2", "< 2", STRONG),
            ("<= 2", ">= 2", STRONG),  # nobody can: four days are not six
            ("m.add(works.sum(axis=1) <= 2)\n", "", WEAK),
            ("works[0, 1].implies(works[1, 2])", "works[1, 2].implies(works[0, 1])", BOTH),
            ("works[0, 1].implies(works[1, 2])", "works[0, 1] & works[1, 2]", STRONG),
            ("works[0, 1].implies(works[1, 2])", "works[0, 1] | works[1, 2]", BOTH),
        ],
    ),
}
