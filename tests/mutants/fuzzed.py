"""Fuzzes 300 models until the first disagreement, which ends it with exit code 1."""

from __future__ import annotations

import sys

from cpqueens.crosscheck.participants import as_participants
from cpqueens.fuzzing.findings import examine_one

MODELS, SEED = 300, 41


def main(solvers: str) -> int:
    """Examine the models on solvers; say what disagreed first."""
    participants = as_participants(solvers)
    for index in range(MODELS):
        found = examine_one(SEED, index, participants, make=False)
        if found.failures:
            first = found.failures[0]
            print(f"model {index}: {first.code} {first.accused}: {first.message}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
