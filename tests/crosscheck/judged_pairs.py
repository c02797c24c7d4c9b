"""References, and what people wrote for the same task: equal or wrong, which only counting all tells.

None has a label: the test finds it by trying every assignment, with the oracle's own meaning of constraints.
"""

from __future__ import annotations

PAIRS: dict[str, tuple[str, list[str]]] = {
    "change": (  # coins of 1, 2 and 5 that make 11, as few as possible
        """
coins = m.intvar(0, 11, shape=3, name="coins")
m.add(coins[0] + 2 * coins[1] + 5 * coins[2] == 11)
m.minimize(coins.sum())
""",
        [
            'coins = m.intvar(0, 11, shape=3, name="coins")\n'
            "m.add((coins * [1, 2, 5]).sum() == 11)\nm.minimize(coins @ [1, 1, 1])",
            'coins = m.intvar(0, 5, shape=3, name="coins")\n'
            "m.add((coins * [1, 2, 5]).sum() == 11)\nm.minimize(coins.sum())",
            'coins = m.intvar(0, 11, shape=3, name="coins")\n'
            "m.add((coins * [1, 2, 5]).sum() >= 11)\nm.minimize(coins.sum())",
            'coins = m.intvar(0, 11, shape=3, name="coins")\n'
            "m.add((coins * [5, 2, 1]).sum() == 11)\nm.minimize(coins.sum())",
            'coins = m.intvar(0, 11, shape=3, name="coins")\n'
            "m.add((coins * [1, 2, 5]).sum() == 11)\nm.minimize(coins.sum() + 1)",
            'coins = m.intvar(0, 11, shape=3, name="coins")\n'
            "m.add((coins * [1, 2, 5]).sum() == 11)\nm.minimize(coins[0] + coins[1])",
        ],
    ),
    "colours": (  # a square with one diagonal
        """
c = m.intvar(0, 2, shape=4, name="c")
for a, b in [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]:
    m.add(c[a] != c[b])
""",
        [
            'c = m.intvar(0, 2, shape=4, name="c")\n'
            "m.add(AllDifferent(c[0], c[1], c[2]))\nm.add(AllDifferent(c[0], c[2], c[3]))",
            'c = m.intvar(0, 2, shape=4, name="c")\nm.add(AllDifferent(c[[0, 1, 2]]))\nm.add(c[1] == c[3])',
            'c = m.intvar(0, 2, shape=4, name="c")\nfor a in range(3):\n    m.add(c[a] != c[a + 1])\n'
            "m.add(c[0] != c[2])",
            'c = m.intvar(1, 3, shape=4, name="c")\nfor a in range(4):\n    m.add(c[a] != c[(a + 1) % 4])\n'
            "m.add(c[0] != c[2])",
            'c = m.intvar(0, 2, shape=4, name="c")\nfor a in range(4):\n    m.add(c[a] != c[a - 1])\n'
            "m.add(c[0] != c[2])\nm.add(c[0] <= c[2])",
        ],
    ),
    "tasks": (  # the second begins when the first has ended, the third beside neither
        """
s = m.intvar(0, 6, shape=3, name="s")
m.add(s[1] >= s[0] + 2)
m.add((s[2] + 3 <= s[0]) | (s[2] >= s[0] + 2))
m.add((s[2] + 3 <= s[1]) | (s[2] >= s[1] + 1))
""",
        [
            's = m.intvar(0, 6, shape=3, name="s")\nm.add(s[1] - s[0] > 1)\nm.add(NoOverlap(s, [2, 1, 3]))',
            's = m.intvar(0, 6, shape=3, name="s")\nm.add(s[1] >= s[0] + 2)\nm.add(NoOverlap(s, [2, 2, 3]))',
            's = m.intvar(0, 6, shape=3, name="s")\nm.add(s[1] > s[0] + 2)\nm.add(NoOverlap(s, [2, 1, 3]))',
            's = m.intvar(0, 6, shape=3, name="s")\nm.add(s[0] >= s[1] + 2)\nm.add(NoOverlap(s, [2, 1, 3]))',
            's = m.intvar(0, 6, shape=3, name="s")\nm.add(s[1] >= s[0] + 2)\n'
            "m.add((s[2] + 3 <= s[0]) | (s[2] >= s[0] + 2) | (s[2] + 3 <= s[1]) | (s[2] >= s[1] + 1))",
            's = m.intvar(0, 6, shape=3, name="s")\nm.add(NoOverlap(s, [2, 1, 3]))\n'
            'e = m.intvar(0, 9, name="e")\nm.add(e == s[0] + 2)\nm.add(s[1] >= e)',
        ],
    ),
    "shifts": (  # at most two working days in a row, three in five days
        """
w = m.boolvar(shape=5, name="w")
for k in range(3):
    m.add(w[k : k + 3].sum() <= 2)
m.add(w.sum() == 3)
""",
        [
            'w = m.boolvar(shape=5, name="w")\nfor k in range(3):\n'
            "    m.add((w[k] & w[k + 1]).implies(~(w[k + 2] == 1)))\nm.add(w.sum() == 3)".replace(
                "w[k] & w[k + 1]", "(w[k] == 1) & (w[k + 1] == 1)"
            ),
            'w = m.boolvar(shape=5, name="w")\nfor k in range(2):\n    m.add(w[k : k + 3].sum() <= 2)\n'
            "m.add(w.sum() == 3)",
            'w = m.boolvar(shape=5, name="w")\nfor k in range(4):\n    m.add(w[k : k + 2].sum() <= 2)\n'
            "m.add(w.sum() == 3)",
            'w = m.boolvar(shape=5, name="w")\nfor k in range(3):\n    m.add(w[k : k + 3].sum() < 2)\n'
            "m.add(w.sum() == 3)",
            'w = m.boolvar(shape=5, name="w")\nfor k in range(3):\n    m.add(w[k : k + 3].sum() <= 2)\n'
            "m.add(w.sum() >= 3)",
            'w = m.intvar(0, 1, shape=5, name="w")\n'
            "m.add(w[0] * w[1] * w[2] + w[1] * w[2] * w[3] + w[2] * w[3] * w[4] == 0)\n"
            "m.add(2 * w.sum() // 2 == 3)",
        ],
    ),
    "digits": (  # AB + B = BA, different digits, none leading zero
        """
a, b = m.intvar(1, 9, name="a"), m.intvar(1, 9, name="b")
c = m.intvar(0, 9, name="c")
m.add(10 * a + b + c == 10 * b + a)
m.add(AllDifferent(a, b, c))
""",
        [
            'a, b, c = (m.intvar(0, 9, name=n) for n in "abc")\nm.add(a > 0)\nm.add(b > 0)\n'
            "m.add(9 * b == 9 * a + c)\nm.add(a != b)\nm.add(a != c)\nm.add(b != c)",
            'a, b, c = (m.intvar(0, 9, name=n) for n in "abc")\n'
            "m.add(10 * a + b + c == 10 * b + a)\nm.add(AllDifferent(a, b, c))",
            'a, b, c = (m.intvar(1, 9, name=n) for n in "abc")\n'
            "m.add(10 * a + b + c == 10 * b + a)\nm.add(a != b)\nm.add(b != c)",
            'a, b, c = (m.intvar(1, 9, name=n) for n in "abc")\n'
            "m.add(10 * a + b - c == 10 * b + a)\nm.add(AllDifferent(a, b, c))",
            'a, b, c = (m.intvar(1, 9, name=n) for n in "abc")\n'
            "m.add(c == 9)\nm.add(b == a + 1)\nm.add(b < 9)",
            'a, b, c = (m.intvar(1, 9, name=n) for n in "abc")\nm.add(c == 9)\nm.add(b == a + 1)',
        ],
    ),
    "distance": (  # two of three points at least 2 apart, the span at most 5, as small as possible
        """
p = m.intvar(0, 6, shape=3, name="p")
m.add(abs(p[0] - p[1]) >= 2)
m.add(abs(p[1] - p[2]) >= 2)
m.minimize(maximum(p) - minimum(p))
""",
        [
            'p = m.intvar(0, 6, shape=3, name="p")\nm.add((p[0] - p[1]) ** 2 >= 4)\n'
            "m.add((p[1] - p[2]) * (p[1] - p[2]) > 3)\nm.minimize(maximum(p) - minimum(p))",
            'p = m.intvar(0, 6, shape=3, name="p")\nm.add(p[0] - p[1] >= 2)\n'
            "m.add(p[1] - p[2] >= 2)\nm.minimize(maximum(p) - minimum(p))",
            'p = m.intvar(0, 6, shape=3, name="p")\nm.add(abs(p[1:] - p[:-1]) >= 2)\nm.minimize(maximum(p))',
            'p = m.intvar(0, 6, shape=3, name="p")\nm.add(abs(p[1:] - p[:-1]) >= 2)\n'
            "m.maximize(maximum(p) - minimum(p))",
            'p = m.intvar(0, 6, shape=3, name="p")\nm.add(abs(p[1:] - p[:-1]) > 1)\n'
            'span = m.intvar(0, 6, name="span")\nm.add(p - p[0] <= span)\nm.add(p[0] - p <= span)\n'
            "m.minimize(maximum(p) - minimum(p))",
        ],
    ),
}
