"""Models of twelve tasks, and candidates with the verdict that their author meant.

Somebody wrote them from the documents who had not seen `compare` or `judge`, and labelled them by reasoning.
"""

from __future__ import annotations

TASKS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "assignment": (  # Five workers, five tasks, one each, at the least cost; worker 2 cannot do task 0.
        """
import numpy as np

from cpqueens import AllDifferent, Model, element

cost = np.array([[4, 2, 8, 5, 7], [3, 6, 1, 9, 4], [5, 7, 2, 3, 6], [8, 4, 6, 2, 9], [1, 5, 7, 6, 3]])
m = Model("assignment")
task = m.intvar(0, 4, shape=5, name="task")
m += AllDifferent(task)
m += task[2] != 0
m.minimize(sum(element(cost[w], task[w]) for w in range(5)))
""",
        [
            (  # A Boolean matrix that is channelled to task, with row and column sums and a linear cost.
                """
import numpy as np

from cpqueens import Model

cost = np.array([[4, 2, 8, 5, 7], [3, 6, 1, 9, 4], [5, 7, 2, 3, 6], [8, 4, 6, 2, 9], [1, 5, 7, 6, 3]])
m = Model("assignment as a matrix")
task = m.intvar(0, 4, shape=5, name="task")
does = m.boolvar(shape=(5, 5), name="does")
m += does == (task[:, None] == np.arange(5))
m += does.sum(axis=0) == 1
m += does.sum(axis=1) == 1
m += ~does[2, 0]
m.minimize((does * cost).sum())
""",
                "equal",
            ),
            (
                # The cost matrix is read by columns: element(cost[:, w], task[w]) is the cost of worker
                # task[w] for task w.
                """
import numpy as np

from cpqueens import AllDifferent, Model, element

cost = np.array([[4, 2, 8, 5, 7], [3, 6, 1, 9, 4], [5, 7, 2, 3, 6], [8, 4, 6, 2, 9], [1, 5, 7, 6, 3]])
m = Model("assignment")
task = m.intvar(0, 4, shape=5, name="task")
m += AllDifferent(task)
m += task[2] >= 1
m.minimize(sum(element(cost[:, w], task[w]) for w in range(5)))
""",
                "wrong objective",
            ),
            (  # The forbidden pair is swapped: worker 0 may not do task 2, while worker 2 may do task 0.
                """
import numpy as np

from cpqueens import AllDifferent, Model, element

cost = np.array([[4, 2, 8, 5, 7], [3, 6, 1, 9, 4], [5, 7, 2, 3, 6], [8, 4, 6, 2, 9], [1, 5, 7, 6, 3]])
m = Model("assignment")
task = m.intvar(0, 4, shape=5, name="task")
m.add(AllDifferent(task))
m.add(task[0] != 2)
total = 0
for w in range(5):
    total = total + element(cost[w].tolist(), task[w])
m.minimize(total)
""",
                "too weak and too strong",
            ),
            (
                # Each task is done by at least one: with five workers for five tasks this is the same as
                # all different.
                """
import numpy as np

from cpqueens import Model, element

cost = np.array([[4, 2, 8, 5, 7], [3, 6, 1, 9, 4], [5, 7, 2, 3, 6], [8, 4, 6, 2, 9], [1, 5, 7, 6, 3]])
m = Model("assignment")
task = m.intvar(0, 4, shape=5, name="task")
for k in range(5):
    m.add((task == k).sum() >= 1, name=f"task {k} is done")
m.add(~(task[2] == 0), name="2 cannot do 0")
m.minimize(sum(element(cost, w, task[w]) for w in range(5)))
""",
                "equal",
            ),
            (
                # That worker 2 cannot do task 0 is a soft constraint: it may be broken at a price of 10
                # (the objective changes there only).
                """
import numpy as np

from cpqueens import AllDifferent, Model, element

cost = np.array([[4, 2, 8, 5, 7], [3, 6, 1, 9, 4], [5, 7, 2, 3, 6], [8, 4, 6, 2, 9], [1, 5, 7, 6, 3]])
m = Model("assignment")
task = m.intvar(0, 4, shape=5, name="task")
m += AllDifferent(task)
m.minimize(sum(element(cost[w], task[w]) for w in range(5)))
m.add_soft(task[2] != 0, weight=10, name="2 cannot do 0")
""",
                "too weak",
            ),
        ],
    ),
    "bins": (  # Six things into three bins of 9; things 0 and 1 not together; the largest load is minimised.
        """
import numpy as np

from cpqueens import BinPacking, Model, maximum

size = np.array([4, 5, 3, 2, 6, 2])
m = Model("bins")
bin = m.intvar(0, 2, shape=6, name="bin")
m += BinPacking(bin, size, [9, 9, 9], "<=")
m += bin[0] != bin[1]
load = [((bin == k) * size).sum() for k in range(3)]
m.minimize(maximum(maximum(load[0], load[1]), load[2]))
""",
        [
            (  # Loads are variables with the domain 0..9 that are given to BinPacking.
                """
from cpqueens import AllDifferent, BinPacking, Model

m = Model("bins with loads")
bin = m.intvar(0, 2, shape=6, name="bin")
load = m.intvar(0, 9, shape=3, name="load")
m += BinPacking(bin, [4, 5, 3, 2, 6, 2], load)
m += AllDifferent(bin[:2])
m += load.sum() == 22
m.minimize(load.max())
""",
                "equal",
            ),
            (  # The "<=" is left out, so that loads must be exactly 9; 3 * 9 is not 22, and nothing is left.
                """
from cpqueens import BinPacking, Model

size = [4, 5, 3, 2, 6, 2]
m = Model("bins")
bin = m.intvar(0, 2, shape=6, name="bin")
worst = m.intvar(0, 22, name="worst")
m += BinPacking(bin, size, [9, 9, 9])
m += bin[0] != bin[1]
for k in range(3):
    m += sum(s * (b == k) for s, b in zip(size, bin)) <= worst
m.minimize(worst)
""",
                "too strong",
            ),
            (
                # Things 0 and 1 apart is a soft constraint of weight 1 (the objective changes where it is
                # broken).
                """
import numpy as np

from cpqueens import BinPacking, Model

size = np.array([4, 5, 3, 2, 6, 2])
m = Model("bins")
bin = m.intvar(0, 2, shape=6, name="bin")
load = (size * (bin == np.arange(3)[:, None])).sum(axis=1)
m += BinPacking(bin, size, [9, 9, 9], "<=")
m.add_soft(bin[0] != bin[1], weight=1, name="0 and 1 apart")
m.minimize(load.max())
""",
                "too weak",
            ),
            (
                # The spread of the loads is minimised and not the largest load; 8, 8, 6 is best only for
                # the latter.
                """
import numpy as np

from cpqueens import Model

size = np.array([4, 5, 3, 2, 6, 2])
m = Model("bins")
bin = m.intvar(0, 2, shape=6, name="bin")
load = (size * (bin == np.arange(3)[:, None])).sum(axis=1)
m += load <= 9
m += bin[0] != bin[1]
m.minimize(load.max() - load.min())
""",
                "wrong objective",
            ),
            (  # range(2) leaves out the last bin, whose capacity is not asked.
                """
import numpy as np

from cpqueens import Model

size = np.array([4, 5, 3, 2, 6, 2])
m = Model("bins")
bin = m.intvar(0, 2, shape=6, name="bin")
load = (size * (bin == np.arange(3)[:, None])).sum(axis=1)
for k in range(2):
    m += load[k] <= 9
m += bin[0] != bin[1]
m.minimize(load.max())
""",
                "too weak",
            ),
        ],
    ),
    "boxes": (
        # Items into boxes of one size, no more boxes than needed and at most 6; the number of items leaves
        # 1 when divided by 3. Boxes and empty room cost.
        """
from cpqueens import Model

m = Model("boxes")
items = m.intvar(20, 40, name="items")
box = m.intvar(3, 9, name="box")
boxes = m.intvar(1, 14, name="boxes")
m += boxes == (items + box - 1) // box
m += items % 3 == 1
m += boxes <= 6
m.minimize(5 * boxes + (boxes * box - items))
""",
        [
            (  # Rounding up by two inequalities, the remainder by a variable k.
                """
from cpqueens import Model

m = Model("boxes")
items = m.intvar(20, 40, name="items")
box = m.intvar(3, 9, name="box")
boxes = m.intvar(1, 14, name="boxes")
k = m.intvar(0, 20, name="k")
m += items <= boxes * box
m += (boxes - 1) * box < items
m += items == 3 * k + 1
m += boxes < 7
m.minimize(boxes * (box + 5) - items)
""",
                "equal",
            ),
            (  # Rounded down instead of up: 22 items in 5 boxes of 4 are let through, 6 boxes are forbidden.
                """
from cpqueens import Model

m = Model("boxes")
items = m.intvar(20, 40, name="items")
box = m.intvar(3, 9, name="box")
boxes = m.intvar(1, 14, name="boxes")
m += boxes == items // box
m += items % 3 == 1
m += boxes <= 6
m.minimize(5 * boxes + (boxes * box - items))
""",
                "too weak and too strong",
            ),
            (  # Only enough boxes, not the least number: 22 items in 6 boxes of 9 are let through.
                """
from cpqueens import Model

m = Model("boxes")
items = m.intvar(20, 40, name="items")
box = m.intvar(3, 9, name="box")
boxes = m.intvar(1, 14, name="boxes")
m += boxes * box >= items
m += (items - 1) % 3 == 0
m += boxes <= 6
m.minimize(5 * boxes + (boxes * box - items))
""",
                "too weak",
            ),
            (  # All boxes must be full (exact division): 22 items in 5 boxes of 5 are forbidden.
                """
from cpqueens import Model

m = Model("boxes")
items = m.intvar(20, 40, name="items")
box = m.intvar(3, 9, name="box")
boxes = m.intvar(1, 14, name="boxes")
m += boxes * box == items
m += items % 3 == 1
m += boxes <= 6
m.minimize(5 * boxes + (boxes * box - items))
""",
                "too strong",
            ),
            (
                # items // box + 1 is one too many where the division is exact: 28 in boxes of 7 needs 4,
                # not 5.
                """
from cpqueens import Model

m = Model("boxes")
items = m.intvar(20, 40, name="items")
box = m.intvar(3, 9, name="box")
boxes = m.intvar(1, 14, name="boxes")
needed = items // box + 1
waste = boxes * box - items
m += [boxes == needed, items % 3 == 1, boxes <= 6]
m.minimize(5 * boxes + waste)
""",
                "too weak and too strong",
            ),
        ],
    ),
    "coins": (
        # Pay 23 with the coins there are, with at most three kinds of coin and as few coins as possible.
        """
import numpy as np

from cpqueens import Model

worth = np.array([1, 2, 5, 10])
m = Model("coins")
count = m.intvar(0, [5, 5, 4, 3], shape=4, name="count")
m += count @ worth == 23
m += (count > 0).sum() <= 3
m.minimize(count.sum())
""",
        [
            (
                # Booleans "used" that are only implied by count > 0: free otherwise, but on count it is the
                # same.
                """
from cpqueens import Model

m = Model("purse")
count = m.intvar(0, [5, 5, 4, 3], shape=4, name="count")
used = m.boolvar(shape=4, name="used")
ones, twos, fives, tens = count
m += ones + 2 * twos + 5 * fives + 10 * tens == 23
m += (count >= 1).implies(used)
m += used.sum() <= 3
m.minimize(ones + twos + fives + tens)
""",
                "equal",
            ),
            (  # Exactly three kinds instead of at most three: 3 ones and 2 tens are forbidden.
                """
import numpy as np

from cpqueens import Model

worth = np.array([1, 2, 5, 10])
m = Model("coins")
count = m.intvar(0, [5, 5, 4, 3], shape=4, name="count")
m += (count * worth).sum() == 23
m += (count != 0).sum() == 3
m.minimize(count.sum())
""",
                "too strong",
            ),
            (  # At least 23 is paid instead of exactly 23: three tens are let through.
                """
import numpy as np

from cpqueens import Model

worth = np.array([1, 2, 5, 10])
have = np.array([5, 5, 4, 3])
m = Model("coins")
count = m.intvar(0, have, shape=4, name="count")
m.add(count @ worth >= 23, name="enough is paid")
m.add((count > 0).sum() <= 3, name="three kinds")
m.minimize(count.sum())
""",
                "too weak",
            ),
            (  # The number of coins is maximised instead of minimised.
                """
import numpy as np

from cpqueens import Model

worth = np.array([1, 2, 5, 10])
m = Model("coins")
count = m.intvar(0, [5, 5, 4, 3], shape=4, name="count")
m += count @ worth == 23
m += (count == 0).sum() >= 1
m.maximize(count.sum())
""",
                "wrong objective",
            ),
            (
                # The inequality on kinds is the wrong way round: four kinds (1, 1, 2, 1) are let through,
                # two kinds are forbidden.
                """
import numpy as np

from cpqueens import Model

worth = np.array([1, 2, 5, 10])
m = Model("coins")
count = m.intvar(0, [5, 5, 4, 3], shape=4, name="count")
m += count @ worth == 23
m += (count > 0).sum() >= 3
m.minimize(count.sum())
""",
                "too weak and too strong",
            ),
        ],
    ),
    "intervals": (  # All-interval series of length 6: all numbers differ, and all distances of neighbours.
        """
from cpqueens import AllDifferent, Model

m = Model("all intervals")
x = m.intvar(0, 5, shape=6, name="x")
m += AllDifferent(x)
m += AllDifferent(abs(x[1:] - x[:-1]))
""",
        [
            (  # Distances are variables of 1..5, each of which occurs once; pairs differ one by one.
                """
from cpqueens import GlobalCardinality, Model

m = Model("series")
x = m.intvar(0, 5, shape=6, name="x")
d = m.intvar(1, 5, shape=5, name="d")
for i in range(5):
    m += d[i] == abs(x[i + 1] - x[i])
m += GlobalCardinality(d, [1, 2, 3, 4, 5], [1, 1, 1, 1, 1])
for i in range(6):
    for j in range(i):
        m += x[i] != x[j]
""",
                "equal",
            ),
            (  # The absolute value is forgotten: 0 3 2 4 5 1 with differences -1 and 1 is let through.
                """
from cpqueens import AllDifferent, Model

m = Model("all intervals")
x = m.intvar(0, 5, shape=6, name="x")
m += AllDifferent(x)
m += AllDifferent(x[1:] - x[:-1])
""",
                "too weak",
            ),
            (  # The reversed series is excluded by x[0] < x[5], which was not asked.
                """
from cpqueens import AllDifferent, Model

m = Model("all intervals")
x = m.intvar(0, 5, shape=6, name="x")
m.add(AllDifferent(x), name="numbers")
m.add(AllDifferent([abs(a - b) for a, b in zip(x[:-1], x[1:])]), name="distances")
m.add(x[0] < x[-1], name="symmetry")
""",
                "too strong",
            ),
            (
                # The distance from the last to the first is taken in too: six distances of 1..5 cannot
                # differ, and nothing is left.
                """
import numpy as np

from cpqueens import AllDifferent, Model

m = Model("all intervals")
x = m.intvar(0, 5, shape=6, name="x")
i = np.arange(6)
m += AllDifferent(x)
m += AllDifferent(abs(x - x[i - 1]))
""",
                "too strong",
            ),
            (  # That the numbers differ is forgotten: 0 0 1 3 0 4 is let through.
                """
from cpqueens import AllDifferent, Model, maximum

m = Model("all intervals")
x = m.intvar(0, 5, shape=6, name="x")
d = [maximum(x[i] - x[i + 1], x[i + 1] - x[i]) for i in range(5)]
m += AllDifferent(d)
""",
                "too weak",
            ),
        ],
    ),
    "knapsack": (
        # Six kinds of things, up to two of each, at most 12 kg. Thing 0 is of use only with thing 1.
        """
import numpy as np

from cpqueens import Model

weight = np.array([4, 3, 5, 2, 6, 1])
value = np.array([8, 5, 11, 3, 12, 1])
m = Model("knapsack")
take = m.intvar(0, 2, shape=6, name="take")
m += take @ weight <= 12
m += (take[0] >= 1).implies(take[1] >= 1)
m.maximize(take @ value)
""",
        [
            (
                # The load is a variable of its own with the domain 0..12, the implication a disjunction,
                # the objective minus the value minimised.
                """
from cpqueens import Model

weights = [4, 3, 5, 2, 6, 1]
values = [8, 5, 11, 3, 12, 1]

m = Model("rucksack")
take = m.intvar(0, 2, shape=6, name="take")
load = m.intvar(0, 12, name="load")
m += load == sum(w * x for w, x in zip(weights, take))
m += (take[0] == 0) | (take[1] != 0)
m.minimize(-sum(v * x for v, x in zip(values, take)))
""",
                "equal",
            ),
            (  # The load is below 12 instead of at most 12: two of thing 4 (load 12) are forbidden.
                """
import numpy as np

from cpqueens import Model

weight = np.array([4, 3, 5, 2, 6, 1])
value = np.array([8, 5, 11, 3, 12, 1])
CAPACITY = 12

m = Model("knapsack")
take = m.intvar(0, 2, shape=6, name="take")
m.add((take * weight).sum() < CAPACITY, name="capacity")
m.add((take[0] > 0).implies(take[1] > 0), name="0 needs 1")
m.maximize((take * value).sum())
""",
                "too strong",
            ),
            (
                # The implication is the wrong way round: thing 1 alone is forbidden, thing 0 alone is let
                # through.
                """
import numpy as np

from cpqueens import Model

weight = np.array([4, 3, 5, 2, 6, 1])
value = np.array([8, 5, 11, 3, 12, 1])
m = Model("knapsack")
take = m.intvar(0, 2, shape=6, name="take")
m += take @ weight <= 12
m += (take[1] >= 1).implies(take[0] >= 1)
m.maximize(take @ value)
""",
                "too weak and too strong",
            ),
            (  # The weight is maximised and not the value.
                """
import numpy as np

from cpqueens import Model

weight = np.array([4, 3, 5, 2, 6, 1])
value = np.array([8, 5, 11, 3, 12, 1])
m = Model("fill the knapsack")
take = m.intvar(0, 2, shape=6, name="take")
total_weight = take @ weight
total_value = take @ value
m += total_weight <= 12
m += ~((take[0] >= 1) & (take[1] == 0))
m.maximize(total_weight)
""",
                "wrong objective",
            ),
            (  # The capacity is asked of each kind of thing alone and not of their sum.
                """
import numpy as np

from cpqueens import Model

weight = np.array([4, 3, 5, 2, 6, 1])
value = np.array([8, 5, 11, 3, 12, 1])
m = Model("knapsack")
take = m.intvar(0, 2, shape=6, name="take")
m += take * weight <= 12
m += (take[0] >= 1).implies(take[1] >= 1)
m.maximize((take * value).sum())
""",
                "too weak",
            ),
        ],
    ),
    "letters": (  # TO + GO = OUT: different letters are different digits, no number begins with 0.
        """
from cpqueens import AllDifferent, Model

m = Model("to + go = out")
letter = m.intvar(0, 9, shape=4, name="letter")
t, o, g, u = letter
m += AllDifferent(letter)
m += t != 0
m += g != 0
m += o != 0
m += (10 * t + o) + (10 * g + o) == 100 * o + 10 * u + t
""",
        [
            (  # Column by column with two carries; the carries follow from the digits.
                """
from cpqueens import *

m = Model("columns")
letter = m.intvar(0, 9, shape=4, name="letter")
t, o, g, u = letter
c = m.boolvar(shape=2, name="carry")
m += AllDifferent(letter)
m += [t > 0, o > 0, g > 0]
m += o + o == t + 10 * c[0]
m += t + g + c[0] == u + 10 * c[1]
m += c[1] == o
""",
                "equal",
            ),
            (  # AllDifferent is forgotten, so that T=2 O=1 G=9 U=1 (21 + 91 = 112) is let through.
                """
import numpy as np

from cpqueens import Model

m = Model("letters")
letter = m.intvar(0, 9, shape=4, name="letter")  # t, o, g, u
m += letter[:3] >= 1
to = letter @ np.array([10, 1, 0, 0])
go = letter @ np.array([0, 1, 10, 0])
out = letter @ np.array([1, 100, 0, 10])
m += to + go == out
""",
                "too weak",
            ),
            (
                # The rule on leading zeros is forgotten, but O=0 forces T=0, and T=0 or G=0 with O>=1 has
                # no solution: it is implied.
                """
from cpqueens import AllDifferent, Model

m = Model("to+go=out")
letter = m.intvar(0, 9, shape=4, name="letter")
T, O, G, U = letter
m.add(AllDifferent(T, O, G, U))
m.add(10 * T + 10 * G + 2 * O == 100 * O + 10 * U + T)
""",
                "equal",
            ),
            (
                # All letters have the domain 1..9, though only the leading ones may not be 0; the only
                # solution has U=0.
                """
from cpqueens import AllDifferent, Model


def build():
    model = Model("puzzle")
    letter = model.intvar(1, 9, shape=4, name="letter")  # no zeros in front
    t, o, g, u = letter
    model += AllDifferent(letter)
    model += 10 * t + o + 10 * g + o == 100 * o + 10 * u + t
    return model


m = build()
""",
                "too strong",
            ),
            (
                # The last letter of OUT is written as G: now T=8 O=1 G=2 U=0 is the solution, and the right
                # one is lost.
                """
from cpqueens import AllDifferent, Model

m = Model("sum puzzle")
letter = m.intvar(0, 9, shape=4, name="letter")
t, o, g, u = letter
m += AllDifferent(letter)
m += [t != 0, g != 0, o != 0]
m += (10 * t + o) + (10 * g + o) == 100 * o + 10 * u + g
""",
                "too weak and too strong",
            ),
        ],
    ),
    "magic": (  # Magic sequence: x[i] says how often i occurs in x.
        """
from cpqueens import Model

m = Model("magic sequence")
x = m.intvar(0, 4, shape=5, name="x")
for i in range(5):
    m += (x == i).sum() == x[i]
""",
        [
            (  # GlobalCardinality, with the two sums that follow as redundant constraints.
                """
import numpy as np

from cpqueens import GlobalCardinality, Model

n = 5
m = Model("magic")
x = m.intvar(0, n - 1, shape=n, name="x")
m += GlobalCardinality(x, np.arange(n), x)
m += x.sum() == n
m += x @ np.arange(n) == n
""",
                "equal",
            ),
            (  # "At most" instead of "exactly": [1, 2, 2, 1, 0] is let through.
                """
from cpqueens import Count, Model

m = Model("magic")
x = m.intvar(0, 4, shape=5, name="x")
m += [Count(x, i, "<=", x[i]) for i in range(5)]
""",
                "too weak",
            ),
            (
                # Counted from 1: x[i] is the number of i+1; all zeros is let through, the right sequence is
                # lost.
                """
from cpqueens import Count, Model

m = Model("magic")
x = m.intvar(0, 4, shape=5, name="x")
for i in range(1, 6):
    m += Count(x, i) == x[i - 1]
""",
                "too weak and too strong",
            ),
            (  # The domain ends at 3, one too small, but the only solution 2 1 2 0 0 has no value above 2.
                """
from cpqueens import Count, Model

m = Model("magic sequence of length 5")
x = m.intvar(0, 3, shape=5, name="x")
for i in range(5):
    m += Count(x, i, "==", x[i])
""",
                "equal",
            ),
            (  # Only the two implied sums are stated and not the counts: [1, 3, 1, 0, 0] is let through.
                """
import numpy as np

from cpqueens import Model

m = Model("magic sequence")
x = m.intvar(0, 4, shape=5, name="x")
m += x.sum() == 5
m += (np.arange(5) * x).sum() == 5
""",
                "too weak",
            ),
        ],
    ),
    "menu": (
        # A menu for at most 26: starter, main course, dessert (0 is none of it) and a drink that goes with
        # the main course; not without both starter and dessert; the best taste.
        """
from cpqueens import Model, Table, element

PRICE = {"starter": [0, 4, 5, 7], "main": [9, 12, 14, 16, 11], "dessert": [0, 3, 5, 6], "drink": [0, 2, 4]}
TASTE = {"starter": [0, 3, 4, 6], "main": [5, 6, 8, 9, 7], "dessert": [0, 2, 5, 6], "drink": [1, 2, 4]}
PAIRS = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 2), (3, 2), (4, 1), (4, 0)]  # main, drink

m = Model("menu")
course = {name: m.intvar(0, len(PRICE[name]) - 1, name=name) for name in PRICE}
m += sum(element(PRICE[name], course[name]) for name in PRICE) <= 26
m += Table([course["main"], course["drink"]], PAIRS)
m += (course["starter"] != 0) | (course["dessert"] != 0)
m.maximize(sum(element(TASTE[name], course[name]) for name in PRICE))
""",
        [
            (
                # The bill is a variable, the pairs are implications by main course, the last rule an
                # implication.
                """
from cpqueens import Model, element

m = Model("dinner")
starter = m.intvar(0, 3, name="starter")
main = m.intvar(0, 4, name="main")
dessert = m.intvar(0, 3, name="dessert")
drink = m.intvar(0, 2, name="drink")
bill = m.intvar(0, 26, name="bill")
m += bill == (
    element([0, 4, 5, 7], starter)
    + element([9, 12, 14, 16, 11], main)
    + element([0, 3, 5, 6], dessert)
    + 2 * drink
)
m += (main <= 1).implies(drink != 2)
m += (main == 2).implies(drink != 1)
m += (main == 3).implies(drink == 2)
m += (main == 4).implies(drink != 2)
m += (starter == 0).implies(dessert > 0)
m.maximize(
    element([0, 3, 4, 6], starter)
    + element([5, 6, 8, 9, 7], main)
    + element([0, 2, 5, 6], dessert)
    + element([1, 2, 4], drink)
)
""",
                "equal",
            ),
            (  # "and" for "or": both starter and dessert are asked for.
                """
from cpqueens import Model, Table, element

m = Model("menu")
starter = m.intvar(0, 3, name="starter")
main = m.intvar(0, 4, name="main")
dessert = m.intvar(0, 3, name="dessert")
drink = m.intvar(0, 2, name="drink")
price = (
    element([0, 4, 5, 7], starter)
    + element([9, 12, 14, 16, 11], main)
    + element([0, 3, 5, 6], dessert)
    + element([0, 2, 4], drink)
)
taste = (
    element([0, 3, 4, 6], starter)
    + element([5, 6, 8, 9, 7], main)
    + element([0, 2, 5, 6], dessert)
    + element([1, 2, 4], drink)
)
m += price <= 26
m += Table([main, drink], [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 2), (3, 2), (4, 1), (4, 0)])
m += (starter != 0) & (dessert != 0)
m.maximize(taste)
""",
                "too strong",
            ),
            (
                # The price of the main course is looked up at main - 1: main 0 is out of range, main 1 is
                # too cheap, main 4 too dear.
                """
from cpqueens import Model, Table, element

m = Model("menu")
starter = m.intvar(0, 3, name="starter")
main = m.intvar(0, 4, name="main")
dessert = m.intvar(0, 3, name="dessert")
drink = m.intvar(0, 2, name="drink")
m += (
    element([0, 4, 5, 7], starter)
    + element([9, 12, 14, 16, 11], main - 1)
    + element([0, 3, 5, 6], dessert)
    + element([0, 2, 4], drink)
    <= 26
)
m += Table([main, drink], [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 2), (3, 2), (4, 1), (4, 0)])
m += starter + dessert >= 1
m.maximize(
    element([0, 3, 4, 6], starter)
    + element([5, 6, 8, 9, 7], main)
    + element([0, 2, 5, 6], dessert)
    + element([1, 2, 4], drink)
)
""",
                "too weak and too strong",
            ),
            (
                # The columns of the table are swapped: drink 2 goes with main 0 now, main 2 no longer with
                # drink 0.
                """
from cpqueens import Model, Table, element

PAIRS = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 2), (3, 2), (4, 1), (4, 0)]
m = Model("menu")
starter = m.intvar(0, 3, name="starter")
main = m.intvar(0, 4, name="main")
dessert = m.intvar(0, 3, name="dessert")
drink = m.intvar(0, 2, name="drink")
courses = [starter, main, dessert, drink]
price = [[0, 4, 5, 7], [9, 12, 14, 16, 11], [0, 3, 5, 6], [0, 2, 4]]
taste = [[0, 3, 4, 6], [5, 6, 8, 9, 7], [0, 2, 5, 6], [1, 2, 4]]
m += sum(element(p, c) for p, c in zip(price, courses)) <= 26
m += Table([drink, main], PAIRS)
m += ~((starter == 0) & (dessert == 0))
m.maximize(sum(element(t, c) for t, c in zip(taste, courses)))
""",
                "too weak and too strong",
            ),
            (  # The price is minimised instead of the taste maximised.
                """
from cpqueens import Model, Table, element

PAIRS = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 2), (3, 2), (4, 1), (4, 0)]
m = Model("menu")
starter = m.intvar(0, 3, name="starter")
main = m.intvar(0, 4, name="main")
dessert = m.intvar(0, 3, name="dessert")
drink = m.intvar(0, 2, name="drink")
courses = [starter, main, dessert, drink]
price = [[0, 4, 5, 7], [9, 12, 14, 16, 11], [0, 3, 5, 6], [0, 2, 4]]
total = sum(element(p, c) for p, c in zip(price, courses))
m += total <= 26
m += Table([main, drink], PAIRS)
m += (starter > 0) | (dessert > 0)
m.minimize(total)
""",
                "wrong objective",
            ),
        ],
    ),
    "seating": (
        # Six people at a round table; seat[p] is the seat of person p. Person 0 sits on seat 0; 0 and 1, 2
        # and 3 are not neighbours; 0 and 5 are.
        """
from cpqueens import AllDifferent, Model

m = Model("round table")
seat = m.intvar(0, 5, shape=6, name="seat")
m += AllDifferent(seat)
m += seat[0] == 0
for a, b in [(0, 1), (2, 3)]:
    m += (seat[a] - seat[b]) % 6 != 1
    m += (seat[b] - seat[a]) % 6 != 1
m += ((seat[0] - seat[5]) % 6 == 1) | ((seat[5] - seat[0]) % 6 == 1)
""",
        [
            (
                # Written by who sits on each seat, with Inverse; neighbours are seats i and i+1 round the
                # table.
                """
from cpqueens import Inverse, Model, all_, any_

m = Model("table seen from the seats")
seat = m.intvar(0, 5, shape=6, name="seat")
who = m.intvar(0, 5, shape=6, name="who")
m += Inverse(seat, who)
m += who[0] == 0


def side_by_side(i, a, b):
    j = (i + 1) % 6
    return ((who[i] == a) & (who[j] == b)) | ((who[i] == b) & (who[j] == a))


m += all_([~side_by_side(i, 0, 1) for i in range(6)])
m += all_([~side_by_side(i, 2, 3) for i in range(6)])
m += any_([side_by_side(i, 0, 5) for i in range(6)])
""",
                "equal",
            ),
            (  # The circle is not closed: person 1 may sit on seat 5 beside seat 0, and the friend 5 may not.
                """
from cpqueens import AllDifferent, Model

m = Model("table")
seat = m.intvar(0, 5, shape=6, name="seat")
m += AllDifferent(seat)
m += seat[0] == 0
m += abs(seat[0] - seat[1]) > 1
m += abs(seat[2] - seat[3]) > 1
m += abs(seat[0] - seat[5]) == 1
""",
                "too weak and too strong",
            ),
            (  # That person 0 sits on seat 0 is forgotten: all rotations are let through.
                """
import numpy as np

from cpqueens import AllDifferent, Model

m = Model("round table")
seat = m.intvar(0, 5, shape=6, name="seat")
m += AllDifferent(seat)


def beside(a, b):
    d = abs(seat[a] - seat[b])
    return (d == 1) | (d == 5)


m += ~beside(0, 1)
m += ~beside(2, 3)
m += beside(0, 5)
""",
                "too weak",
            ),
            (  # Mirror images are broken (seat[1] < seat[2]), which was not asked.
                """
from cpqueens import AllDifferent, Model

m = Model("round table")
seat = m.intvar(0, 5, shape=6, name="seat")
m += [AllDifferent(seat), seat[0] == 0]
for a, b in [(0, 1), (2, 3)]:
    d = abs(seat[a] - seat[b])
    m += [d != 1, d != 5]
near = abs(seat[0] - seat[5])
m += (near == 1) | (near == 5)
m.add(seat[1] < seat[2], name="a seating and its mirror image are the same")
""",
                "too strong",
            ),
            (  # "d != 1 or d != 5" is always true: the rule on those who must not be neighbours is lost.
                """
from cpqueens import AllDifferent, Model

m = Model("round table")
seat = m.intvar(0, 5, shape=6, name="seat")
m += AllDifferent(seat)
m += seat[0] == 0
for a, b in [(0, 1), (2, 3)]:
    d = abs(seat[a] - seat[b])
    m += (d != 1) | (d != 5)
near = abs(seat[0] - seat[5])
m += (near == 1) | (near == 5)
""",
                "too weak",
            ),
        ],
    ),
    "shop": (
        # Flow shop: three jobs, each first on machine 0 and then on machine 1; the makespan is minimised.
        """
import numpy as np

from cpqueens import Model, NoOverlap

duration = np.array([[2, 1], [1, 2], [1, 1]])
m = Model("flow shop")
start = m.intvar(0, 5, shape=(3, 2), name="start")
end = start + duration
m += start[:, 1] >= end[:, 0]
for k in range(2):
    m += NoOverlap(start[:, k], duration[:, k])
m.minimize(end.max())
""",
        [
            (
                # A disjunction for each pair, the makespan a variable that is only bounded below; where it
                # is minimised it is the last end.
                """
import numpy as np

from cpqueens import Model

duration = np.array([[2, 1], [1, 2], [1, 1]])
m = Model("flow shop")
start = m.intvar(0, 5, shape=(3, 2), name="start")
makespan = m.intvar(0, 7, name="makespan")
for j in range(3):
    m += start[j, 0] + int(duration[j, 0]) <= start[j, 1]
    m += start[j, 1] + int(duration[j, 1]) <= makespan
for k in range(2):
    for i in range(3):
        for j in range(i + 1, 3):
            first = start[i, k] + int(duration[i, k]) <= start[j, k]
            second = start[j, k] + int(duration[j, k]) <= start[i, k]
            m += first | second
m.minimize(makespan)
""",
                "equal",
            ),
            (  # NoOverlap is stated for machine 0 only (range(1)): on machine 1 jobs may overlap.
                """
import numpy as np

from cpqueens import Model, NoOverlap

MACHINES = 1
duration = np.array([[2, 1], [1, 2], [1, 1]])
m = Model("flow shop")
start = m.intvar(0, 5, shape=(3, 2), name="start")
end = start + duration
m += end[:, 0] <= start[:, 1]
for k in range(MACHINES):
    m += NoOverlap(start[:, k], duration[:, k])
m.minimize(end.max())
""",
                "too weak",
            ),
            (
                # The second operation starts exactly at the end of the first (no waiting), which nobody
                # asked for.
                """
import numpy as np

from cpqueens import Cumulative, Model

duration = np.array([[2, 1], [1, 2], [1, 1]])
m = Model("shop")
start = m.intvar(0, 5, shape=(3, 2), name="start")
end = start + duration
m += start[:, 1] == end[:, 0]
for k in range(2):
    m += Cumulative(start[:, k], duration[:, k], demand=[1, 1, 1], capacity=1)
m.minimize(end.max())
""",
                "too strong",
            ),
            (
                # The precedence is between starts and forgets the duration; job 0 takes 2 on machine 0 and
                # may overlap itself.
                """
import numpy as np

from cpqueens import Model, NoOverlap

duration = np.array([[2, 1], [1, 2], [1, 1]])
m = Model("flow shop")
start = m.intvar(0, 5, shape=(3, 2), name="start")
m += start[:, 0] < start[:, 1]
m += NoOverlap(start[:, 0], duration[:, 0])
m += NoOverlap(start[:, 1], duration[:, 1])
m.minimize((start + duration).max())
""",
                "too weak",
            ),
            (  # The last start is minimised and not the last end; with job 1 last it accepts a makespan of 6.
                """
import numpy as np

from cpqueens import Model, NoOverlap

duration = np.array([[2, 1], [1, 2], [1, 1]])
m = Model("flow shop")
start = m.intvar(0, 5, shape=(3, 2), name="start")
m += start[:, 1] - start[:, 0] >= duration[:, 0]
m += [NoOverlap(start[:, k], duration[:, k]) for k in range(2)]
m.minimize(start.max())
""",
                "wrong objective",
            ),
        ],
    ),
    "week": (
        # A week of shifts: 0 off, 1 early, 2 late, 3 night. After a night comes a night or a day off; at
        # least two days off; at least two nights.
        """
from cpqueens import Model, Regular

steps = [("day", k, "day") for k in (0, 1, 2)]
steps += [("day", 3, "night"), ("night", 3, "night"), ("night", 0, "day")]
m = Model("week")
shift = m.intvar(0, 3, shape=7, name="shift")
m += Regular(shift, steps, "day", ["day", "night"])
m += (shift == 0).sum() >= 2
m += (shift == 3).sum() >= 2
""",
        [
            (
                # Implications between neighbouring days instead of an automaton; at most five working days
                # is the same as two days off.
                """
from cpqueens import Count, Model

OFF, EARLY, LATE, NIGHT = range(4)
m = Model("shifts")
shift = m.intvar(0, 3, shape=7, name="shift")
m += (shift[:-1] == NIGHT).implies((shift[1:] == NIGHT) | (shift[1:] == OFF))
m += (shift != OFF).sum() <= 5
m += Count(shift, NIGHT, ">=", 2)
""",
                "equal",
            ),
            (  # Exactly two days off instead of at least two.
                """
from cpqueens import GlobalCardinality, Model, Table

m = Model("week")
shift = m.intvar(0, 3, shape=7, name="shift")
allowed = [(a, b) for a in range(4) for b in range(4) if a != 3 or b in (0, 3)]
for d in range(6):
    m += Table(shift[d : d + 2], allowed)
m += GlobalCardinality(shift, [0], [2])
m += (shift == 3).sum() >= 2
""",
                "too strong",
            ),
            (
                # The rule is closed round the week (Sunday to Monday): a night on the last day with early
                # on the first is forbidden.
                """
import numpy as np

from cpqueens import Model

m = Model("week")
shift = m.intvar(0, 3, shape=7, name="shift")
tomorrow = shift[(np.arange(7) + 1) % 7]
m += (shift == 3).implies((tomorrow == 0) | (tomorrow == 3))
m += (shift == 0).sum() >= 2
m += (shift == 3).sum() >= 2
""",
                "too strong",
            ),
            (  # x[d-1] for x[d+1]: the rule is asked of the day before a night.
                """
from cpqueens import Model

m = Model("week")
shift = m.intvar(0, 3, shape=7, name="shift")
for d in range(1, 7):
    m += (shift[d] == 3).implies((shift[d - 1] == 0) | (shift[d - 1] == 3))
m += (shift == 0).sum() >= 2
m += (shift == 3).sum() >= 2
""",
                "too weak and too strong",
            ),
            (  # Only early after night is forbidden; late after night is let through.
                """
from cpqueens import Model

m = Model("week")
shift = m.intvar(0, 3, shape=7, name="shift")
for today, next_day in zip(shift[:-1], shift[1:]):
    m += ~((today == 3) & (next_day == 1))
m += (shift == 0).sum() >= 2
m += (shift == 3).sum() >= 2
""",
                "too weak",
            ),
        ],
    ),
}
