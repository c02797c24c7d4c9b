"""The main task: one model of n queens on every solver, and a comparison of their answers.

Run as ``python examples/01_demo.py [n]``.
"""

from __future__ import annotations

import sys

from cpqueens import cross_check
from cpqueens.backends.named import available
from cpqueens.problems import catalog


def main(n: int = 8) -> int:
    """Cross-check n queens, print the comparison and draw one board; return the exit code."""
    problem = catalog.load("queens", [f"n={n}"])
    report = cross_check(problem, available(), seeds=20)
    print(report)
    board = problem.model.solve(solver="cpsat")
    print(f"\nOne solution of {n} queens, found by {board.solver} and checked:\n")
    print(board.solution if board.solution is not None else f"none: {board.status}")
    print(f"\n{n} queens: {report.verdict.text} ({report.verdict.reason})")
    return report.exit_code


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
