"""Your own puzzle, stated once and solved by every solver: SEND + MORE = MONEY.

Dudeney, Strand Magazine, July 1924. Run as ``python examples/03_send_more_money.py [base]``: in base 10 there
is one solution, in other bases others.
"""

from __future__ import annotations

import sys

from cpqueens import AllDifferent, Model, cross_check


def main(base: int = 10) -> int:
    """Solve the puzzle in a number base and compare all exact solvers; return the exit code."""
    m = Model(f"SEND + MORE = MONEY in base {base}")
    letters = m.intvar(0, base - 1, shape=8, name="letter")
    s, e, n, d, o, r, y, mm = letters

    def number(*digits: object) -> object:
        total: object = 0
        for digit in digits:
            total = total * base + digit  # type: ignore[operator]
        return total

    m.add(AllDifferent(letters))
    m.add(number(s, e, n, d) + number(mm, o, r, e) == number(mm, o, n, e, y), name="the sum")  # type: ignore[operator]
    m.add(s > 0, mm > 0, name="no leading zero")

    report = cross_check(m)
    print(report)
    for solution in m.solutions(solver="backtracking", solution_limit=3):
        print("  S E N D M O R Y =", *solution[letters][[0, 1, 2, 3, 7, 4, 5, 6]])
    return report.exit_code


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
