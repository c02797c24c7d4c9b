"""The exhaustive oracle under its short name for tests; `cpqueens fuzz` needs it at run time too."""

from cpqueens.crosscheck.meanings import DEFINITIONS, KINDS
from cpqueens.crosscheck.oracle import Solved, TruthTable, assignments, solve

__all__ = ["DEFINITIONS", "KINDS", "Solved", "TruthTable", "assignments", "solve"]
