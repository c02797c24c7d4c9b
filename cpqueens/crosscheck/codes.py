"""Everything that a cross-check can find, each with its exit code and its meaning."""

from __future__ import annotations

from enum import Enum


class Code(str, Enum):  # noqa: UP042 - members carry an exit code and a meaning
    """The kind of a disagreement; ``exit_code`` is what the command line returns for it.

    Attributes
    ----------
    exit_code, meaning
        What the command line returns for it, and what it says in words.
    """

    exit_code: int
    meaning: str

    INVALID_SOLUTION = ("INVALID_SOLUTION", 10, "a delivered solution violates a constraint")
    BAD_ASSIGNMENT = (
        "BAD_ASSIGNMENT",
        10,
        "a value is missing, unknown, of a wrong type or outside its domain",
    )
    FALSE_UNSAT = ("FALSE_UNSAT", 11, "called infeasible, yet a checked solution exists")
    FALSE_SAT = (
        "FALSE_SAT",
        11,
        "called feasible, yet no claimed solution holds and others prove that none exists",
    )
    MISSING = ("MISSING", 12, "called complete, yet checked solutions are missing")
    EXTRA = ("EXTRA", 12, "delivered solutions that the problem's own verification rejects")
    DUPLICATE = ("DUPLICATE", 12, "the same solution was delivered twice against the contract")
    UNORDERED = ("UNORDERED", 12, "the promised order of the solutions was broken")
    COUNT_DIFF = ("COUNT_DIFF", 12, "counts differ, and there are no solution sets to compare")
    OPT_CROSSED = ("OPT_CROSSED", 13, "a checked solution is better than a claimed optimum or bound")
    OBJ_MISMATCH = ("OBJ_MISMATCH", 13, "the reported objective is not the recomputed one")
    PARTIAL_AS_COMPLETE = ("PARTIAL_AS_COMPLETE", 14, "a stopped run was called complete")
    NONDETERMINISM = ("NONDETERMINISM", 15, "the same seed on one worker gave another run")
    RELATION_BROKEN = ("RELATION_BROKEN", 16, "two equivalent models gave answers that do not fit together")
    SCORE_CORRUPTION = ("SCORE_CORRUPTION", 17, "an incremental cost is not the recomputed one")
    LEDGER_CONFLICT = ("LEDGER_CONFLICT", 18, "two runs of one subproblem differ")
    CHECKER_DOUBT = ("CHECKER_DOUBT", 19, "exact solvers and the plain verification contradict the checker")
    UNSUPPORTED = ("UNSUPPORTED", 20, "the solver cannot express the model or the request")
    MODEL_INVALID = ("MODEL_INVALID", 21, "the solver refused the model")
    CRASH = ("CRASH", 30, "the solver crashed or raised an unexpected error")
    HANG = ("HANG", 31, "the solver did not end at its time limit")
    OUT_OF_MEMORY = ("OUT_OF_MEMORY", 32, "the solver ran out of memory")

    def __new__(cls, name: str, exit_code: int, meaning: str) -> Code:
        """Make a member whose value is its name."""
        member = str.__new__(cls, name)
        member._value_ = name
        member.exit_code = exit_code
        member.meaning = meaning
        return member

    def __str__(self) -> str:
        return self.value


COVERAGE_LOSS = frozenset({Code.UNSUPPORTED, Code.MODEL_INVALID})
"""What says nothing about the model: listed as not compared, never folded into a verdict."""
