"""Validate a heuristic in another language: min-conflicts in awk, as a command that speaks JSON lines.

Each run is a separate process with limits on time, memory and output; every answer is checked.
The same from the command line:

    cpqueens cross-check queens n=8 --external 'awk -f examples/12_heuristic.awk' --seeds 50

Run as ``python examples/12_external_heuristic.py [n] [runs]``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cpqueens import cross_check
from cpqueens.crosscheck.external import External
from cpqueens.problems import catalog


def main(n: int = 8, runs: int = 50) -> None:
    """Run it over some seeds and compare its solutions with the list of all."""
    script = Path(__file__).with_name("12_heuristic.awk")
    heuristic = External(["awk", "-f", str(script)], label="min-conflicts in awk")
    report = cross_check(
        catalog.load("queens", [f"n={n}"]), ["cpsat", heuristic], seeds=runs, time_limit=10.0
    )
    print(report)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
