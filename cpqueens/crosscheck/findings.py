"""What a cross-check finds: kinds of disagreement, and results no more certain than their evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Any

from cpqueens.answers.quality import Quality
from cpqueens.problems.published import called


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


class Evidence(IntEnum):
    """How well a verdict is founded; 0 is best."""

    PROOF = 0
    """A proof, of which a small checker believed each step by the user's own constraints."""
    WITNESS = 1
    """A solution that was checked again on the user's model."""
    INDEPENDENT = 2
    """Two independent complete solvers agree, or one and a published value."""
    ALONE = 3
    """One complete solver, or two that ran the same decomposition of a kind."""
    CLAIM = 4
    """Said, and neither checked nor proved."""

    @property
    def text(self) -> str:
        """The level in words."""
        texts = (
            "proof checked",
            "witness checked",
            "independent agreement",
            "one complete solver",
            "claim only",
        )
        return texts[self]

    @property
    def short(self) -> str:
        """The level in one word."""
        return ("proof", "witness", "agreement", "alone", "claim")[self]


@dataclass(frozen=True)
class PublishedValues:
    """Values from the literature, with their source; never produced by a solver.

    Attributes
    ----------
    count, optimum, up_to_symmetry
        Numbers of solutions, best value, solutions up to symmetry; None where nothing is published.
    source
        Where it stands.
    """

    count: int | None = None
    source: str = ""
    optimum: int | None = None
    up_to_symmetry: int | None = None

    @property
    def called(self) -> str:
        """What these values are called: published, or computed by simple loops."""
        return called(self.source)


@dataclass(frozen=True)
class Witness:
    """A solution that decides something: its values by name, its objective, which solver found it.

    Attributes
    ----------
    values
        By name.
    row
        Of the decision variables, in their order.
    delivered_by
        The solver that has it.
    objective
        Its value, recomputed.
    notes
        What the checker and the problem's own verification say of it.
    """

    values: Mapping[str, Any]
    row: tuple[int, ...]
    delivered_by: tuple[str, ...] = ()
    objective: int | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Disagreement:
    """One disagreement: its kind, the contradicting solvers, and witnesses.

    Attributes
    ----------
    code
        Its kind.
    accused, against
        Whose claim it is, and whose claims speak against it.
    message
        In words.
    witnesses
        Solutions that show it; of ``total`` the first.
    total
        How many there are.
    details
        Further figures by name.
    bundle
        The folder that holds all to see it again, if one was written.
    replay
        The command that shows it again.
    """

    code: Code
    accused: str
    message: str
    against: tuple[str, ...] = ()
    witnesses: tuple[Witness, ...] = ()
    total: int = 0
    details: Mapping[str, Any] = field(default_factory=dict)
    bundle: str | None = None
    replay: str | None = None

    def __str__(self) -> str:
        return f"{self.code}: {self.accused}: {self.message}"


@dataclass(frozen=True)
class NotCompared:
    """Something that was not compared: which claim of which solver, and why.

    Attributes
    ----------
    solver, what, why
        Of whom, what, and for which reason.
    """

    solver: str
    what: str
    why: str

    def __str__(self) -> str:
        absent = self.why.startswith("UNSUPPORTED")
        return f"not compared: {self.solver}{' took no part' if absent else f': {self.what}'} ({self.why})"


@dataclass(frozen=True)
class SolverReport:
    """The answer of one solver, with its evidence.

    Attributes
    ----------
    name, role
        What it was asked for as; ``exact``, ``heuristic``, ``external`` or ``solutions``.
    verdict
        What it says, in words.
    status, complete, stop_reason
        As in an `Outcome`.
    count, distinct, duplicates, invalid
        Solutions that it claimed, that differ, that came again, and that are none.
    digest
        Of the set that it listed to the end; equal digests, equal sets.
    objective, bound
        The best value that was checked, and what it proved about it.
    evidence
        How well that is founded.
    build_time, translate_time, solve_time, total_time
        Seconds.
    runs
        How many it made.
    native, decomposed
        Constraints that it took as they are, and kinds that ran decomposed.
    note
        What else there is to say.
    quality
        How good its best objective is, held against what exact solvers proved (`Quality`).
    statistics
        As in an `Outcome`.
    """

    name: str
    role: str  # exact, heuristic, external, solutions
    verdict: str
    status: str
    complete: bool
    stop_reason: str
    count: int | None
    distinct: int | None
    duplicates: int
    invalid: int
    digest: str | None
    objective: int | None
    bound: int | None
    evidence: Evidence
    build_time: float
    translate_time: float
    solve_time: float
    total_time: float
    runs: int = 1
    native: int = 0
    decomposed: tuple[str, ...] = ()
    note: str = ""
    quality: Quality | None = None
    statistics: Mapping[str, Any] = field(default_factory=dict)

    @property
    def says_anything(self) -> bool:
        """Whether it made a claim or delivered a solution, so that there is something to rate."""
        return (
            self.complete or self.objective is not None or bool(self.count or self.distinct or self.invalid)
        )


WRONG = frozenset({"invalid", "bad assignment", "partial"})
"""Rejections of what was claimed to be a solution: it is wrong, not merely no answer."""


NOT_OPTIMAL = "not optimal"
"""The rejection of a valid answer where optimal ones were asked for: a miss, and nothing wrong."""

BROKEN_DOWN = frozenset({"raised", "crashed", "cannot start", "garbled", "oversized"})
"""Rejections of runs that broke down, or answered what cannot be read."""


def broken(rejections: Mapping[str, int], runs: int) -> bool:
    """Say whether there were runs, all of which broke down or answered what cannot be read."""
    return 0 < runs == sum(number for why, number in rejections.items() if why in BROKEN_DOWN)


MISSED = 4
"""The exit code of a heuristic that misses what was asked for."""


@dataclass(frozen=True)
class HeuristicReport:
    """The results of a heuristic over its seeds.

    Attributes
    ----------
    name, runs, successes
        The solver, how many runs ended, and how many with a solution.
    rate, low, high
        The share of these, with the ends of its Wilson 95 % interval.
    rejections, examples
        What was wrong with the others, by kind; and the first of each kind in words.
    distinct, of_all
        Different solutions that it has shown, and how many exist; None where that is not known.
    orbits, orbits_of_all
        The same up to the problem's symmetries.
    quality
        How good the objectives are, held against what exact solvers proved (`Quality`); None without any.
    at_best
        How many runs reached the best, by all objectives.
    asked, censored
        Seeds asked for, and runs that a signal broke off, which are neither successes nor failures.
    """

    name: str
    runs: int
    successes: int
    rate: float
    low: float
    high: float
    rejections: Mapping[str, int]
    distinct: int
    of_all: int | None
    orbits: int | None
    orbits_of_all: int | None
    quality: Quality | None
    examples: tuple[str, ...] = ()
    asked: int = 0
    censored: int = 0
    at_best: int | None = None

    @property
    def of_optima(self) -> bool:
        """Whether optimal solutions alone counted as successes, and some were not."""
        return NOT_OPTIMAL in self.rejections

    @property
    def wrong(self) -> int:
        """Answers that claimed a wrong solution."""
        return sum(number for why, number in self.rejections.items() if why in WRONG)

    @property
    def broken(self) -> bool:
        """Whether every run crashed or returned an unreadable answer."""
        return broken(self.rejections, self.runs)

    @property
    def lost(self) -> str:
        """The runs lost by an interruption, in words; empty without one."""
        never = self.asked - self.runs - self.censored
        parts = [f"{self.censored} run interrupted (censored)"] if self.censored else []
        parts += [f"{never} of {self.asked} seeds did not run"] if never > 0 else []
        return ", ".join(parts)


@dataclass(frozen=True)
class Verdict:
    """The final sentence, with its evidence.

    Attributes
    ----------
    text
        The sentence.
    evidence, reason
        How well it is founded, and by what.
    count, optimum
        The number that was proved, and the best value; None where there is none.
    optima
        The values of all objectives, in their order.
    """

    text: str
    evidence: Evidence
    reason: str = ""
    count: int | None = None
    optimum: int | None = None
    optima: tuple[int, ...] = ()

    @property
    def founded(self) -> str:
        """The evidence in words, with the reason."""
        reason = f": {self.reason}" if self.reason else ""
        return f"evidence {int(self.evidence)}, {self.evidence.text}{reason}"


@dataclass(frozen=True)
class Findings:
    """The result of a cross-check, as data."""

    model: str
    scope: str
    fingerprint: str | None
    versions: Mapping[str, str]
    want: str
    seeds: tuple[int, ...]
    published: PublishedValues | None
    solvers: tuple[SolverReport, ...]
    heuristics: tuple[HeuristicReport, ...]
    disagreements: tuple[Disagreement, ...]
    not_compared: tuple[NotCompared, ...]
    verdict: Verdict
    seconds: float
    interrupted: bool = False
    schema: int = 2

    @property
    def conclusion(self) -> str:
        """The final sentence, with its evidence and the solvers that did not take part."""
        absent = [solver.name for solver in self.solvers if solver.status in COVERAGE_LOSS]
        without = f"; without {', '.join(absent)}, which could not take part" if absent else ""
        return f"{self.verdict.text}  [{self.verdict.founded}]{without}"

    @property
    def agree(self) -> bool:
        """True if nothing disagrees (which confirms nothing by itself: see ``verdict.evidence``)."""
        return not self.disagreements

    @property
    def exit_code(self) -> int:
        """0, or that of the most serious disagreement.

        Without one 130 after Ctrl-C, 20 or 21 if no solver could take part, 3 if none ended, 4 if optimal
        solutions were asked for and a heuristic had others.
        """
        found = [d.code for d in self.disagreements]
        if found:
            return min(code.exit_code for code in found)
        if self.interrupted:
            return 130
        lost = [n.why.split(":")[0] for n in self.not_compared]
        if not any(s.status not in COVERAGE_LOSS for s in self.solvers):
            return max((Code[w].exit_code for w in lost if w in Code.__members__), default=20)
        if not any(s.complete for s in self.solvers):
            return 3
        return MISSED if any(h.of_optima for h in self.heuristics) else 0

    def __getitem__(self, solver: str) -> SolverReport:
        """Return what one solver said."""
        for found in self.solvers:
            if found.name == solver:
                return found
        raise KeyError(
            f"no solver {solver!r} in this report; there are {', '.join(s.name for s in self.solvers)}"
        )
