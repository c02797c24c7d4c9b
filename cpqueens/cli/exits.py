"""Exit codes, and which one an outcome deserves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cpqueens.answers.outcome import Outcome

DONE = 0
INFEASIBLE = 1
REFUSED = 2
LIMIT = 3
BELOW = 4
INVALID = 10
COUNT_DIFF = 12
LEDGER_CONFLICT = 18
CHECKER_DOUBT = 19
CRASHED = 30
OUT_OF_MEMORY = 32
INTERRUPTED = 130

MEANINGS: dict[int, str] = {
    DONE: "success",
    INFEASIBLE: "proved infeasible (`solve`); proved different (`compare`)",
    REFUSED: "bad input, or a damaged ledger; one line says what is wrong, where, and what is allowed",
    LIMIT: "a limit ended the run first",
    BELOW: "a success rate is below `--require`; with `--optimal`, answers of a heuristic are not optimal",
    INTERRUPTED: "interrupted; the results so far are printed",
}
"""What codes mean that are no kind of disagreement (`cpqueens.crosscheck.findings.Code` has those)."""


def exit_of_solve(outcome: Outcome) -> int:
    """Return the exit code of asking for one solution, or for the best one."""
    if outcome.stop_reason == "interrupted":
        return INTERRUPTED
    if outcome.status == "INFEASIBLE":
        return INFEASIBLE
    wants_best = outcome.model.objective is not None
    met = outcome.complete if wants_best else outcome.solution is not None
    return DONE if met else LIMIT


def exit_of_all(outcome: Outcome) -> int:
    """Return the exit code of asking for all solutions, or for their number."""
    if outcome.stop_reason == "interrupted":
        return INTERRUPTED
    return DONE if outcome.complete or outcome.stop_reason == "solution_limit" else LIMIT
