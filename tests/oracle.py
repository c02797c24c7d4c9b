"""The exhaustive oracle under its short name for tests; `cpqueens fuzz` needs it at run time too."""

from cpqueens.crosscheck.oracle import DEFINITIONS, KINDS, Table, Truth, assignments, solve

__all__ = ["DEFINITIONS", "KINDS", "Table", "Truth", "assignments", "solve"]
