"""The checker: believes a proof step by step, or says which step it does not believe and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.language.statement import Statement
from cpqueens.proofs.domains import Domains, Literal, denied, impose_all
from cpqueens.proofs.log import ProofStep, read
from cpqueens.proofs.parts import BETTER, BadProof, ModelParts, Row
from cpqueens.proofs.refuters import no_sum, none_better, refuted
from cpqueens.text.plaintext import counted

_TOGETHER = 1000
"""Solutions that are judged at a time."""

_FACTOR = re.compile(r"-?\d{1,18}|")
"""Of a row in a sum; nothing: once."""


@dataclass(frozen=True)
class ProvedClaim:
    """What follows from a proof whose steps are all believed.

    Attributes
    ----------
    claim
        ``infeasible``, ``optimal``, ``all``, ``solution`` (only that there is one), or ``nothing``.
    solutions
        How many different solutions there are in it: all, where that is the claim.
    objectives
        The values of the best solution, where improvements are in it.
    steps
        How many steps were checked.
    """

    claim: str
    solutions: int
    objectives: tuple[int, ...]
    steps: int

    @property
    def complete(self) -> bool:
        """Whether the whole space was refuted but for the solutions."""
        return self.claim in ("infeasible", "optimal", "all")

    def __str__(self) -> str:
        values = " ".join(map(str, self.objectives))
        said = {
            "infeasible": "there is no solution",
            "optimal": f"objective {values} is optimal",
            "all": f"these {self.solutions} solutions are all",
            "solution": "there is a solution",
            "nothing": f"no claim; {counted(self.solutions, 'solution')} so far",
        }
        return f"{said[self.claim]} ({self.steps} steps checked)"


class ProofChecker:
    """The state of checking one proof: domains for good, clauses by number, solutions.

    Parameters
    ----------
    model
        The user's own model.
    """

    def __init__(self, model: Statement) -> None:
        self.model, self.parts, self.domains = model, ModelParts(model), Domains.of(model)
        self._clauses: dict[int, tuple[Literal, ...]] = {}
        self._known = model.decisions
        self._checker = Checker(model)
        self._waiting: list[tuple[int, tuple[int, ...]]] = []  # solutions that are still to be judged
        self._seen: set[tuple[int, ...]] = set()
        self._goals: list[tuple[Row, int]] = [
            ((tuple(v), tuple(a), int(c)), -1 if goal.maximizing else 1)
            for goal in model.goals
            for v, a, c in goal.term.rows()
        ]
        self._best: tuple[int, ...] | None = None
        self.finished = False  # the empty clause was derived
        self.claim: str | None = None
        self.steps = 0

    def check(self, steps: Iterable[ProofStep]) -> ProvedClaim:
        """Check all steps.

        Raises
        ------
        BadProof
            For the first step that is not believed, with its line.
        """
        line = 1
        for step in steps:
            line = step.line
            try:
                self._step(step)
            except BadProof as error:
                text = str(error)
                raise BadProof(text if text.startswith("line ") else f"line {step.line}: {text}") from None
        self._judge()
        if self.claim is None:
            raise BadProof(f"line {line}: the proof breaks off: its last line, end, is missing")
        return self._conclusion(self.claim, line)

    def _step(self, step: ProofStep) -> None:
        if self.claim is not None:
            raise BadProof("a step behind the end")
        if self.finished and step.verb in ("s", "o"):
            raise BadProof("a solution behind the empty clause")
        self.steps += 1
        if self.finished and step.verb != "end":
            return  # everything follows from a contradiction
        _STEPS[step.verb](self, step)

    # ---- steps ------------------------------------------------------------------------------------

    def _model(self, step: ProofStep) -> None:
        counts = (self.model.variable_count, len(self.model.constraints))
        if step.numbers != counts:
            raise BadProof(
                f"it is about a model with {' and '.join(map(str, step.numbers))} variables and constraints, "
                f"this one has {counts[0]} and {counts[1]}"
            )

    def _inference(self, step: ProofStep) -> None:
        name = step.words[0] if step.words else ""
        if name == BETTER and self._best is None:
            raise BadProof("better: there is no solution yet")
        part = None if name == BETTER else self.parts[name]
        mark = self.domains.mark()
        good = not self._deny(step.literals)
        if not good and part is not None:
            good = refuted(part, self.domains)
        elif not good:
            good = none_better(self._goals, self._best or (), self.domains)
        self.domains.back(mark)
        if not good:
            raise BadProof(f"the clause is not seen to follow from {name}")
        self._keep(step.clause, step.literals)

    def _multipliers(self, step: ProofStep) -> None:
        """Believe a clause whose denial leaves a sum of linear relations no value."""
        total: dict[int, int] = {}
        constant = 0
        for word in step.words:
            name, _, factor = word.partition("*")
            if not _FACTOR.fullmatch(factor):
                raise BadProof(f"{word[:40]!r} is no part times a number, such as c3*2")
            row, sign = self._at_most_zero(name, int(factor or 1))
            constant += sign * row[2]
            for v, a in zip(row[0], row[1], strict=True):
                total[v] = total.get(v, 0) + sign * a
        left = {v: a for v, a in total.items() if a}
        mark = self.domains.mark()
        row = (tuple(left), tuple(left.values()), constant)
        good = not self._deny(step.literals) or no_sum(row, "<=", self.domains)
        self.domains.back(mark)
        if not good:
            raise BadProof("the sum of these rows may still be at most 0")
        self._keep(step.clause, step.literals)

    def _at_most_zero(self, name: str, factor: int) -> tuple[Row, int]:
        """Return a row and a factor so that their product is at most 0 in all solutions that are left."""
        if name == BETTER and len(self._goals) == 1 and self._best is not None and factor >= 0:
            (row, sign), (best,) = self._goals[0], self._best
            return (row[0], row[1], row[2] - sign * best + sign), sign * factor
        part = self.parts[name]
        if part.kind != "Linear":
            raise BadProof(f"{name} is no linear constraint")
        row, relation = part.fields["expression"][0], part.fields["relation"]
        strict = {"<": 1, ">": -1}.get(relation, 0)
        if (
            relation == "!="
            or (relation in ("<=", "<") and factor < 0)
            or (relation in (">=", ">") and factor > 0)
        ):
            raise BadProof(f"{name}: {relation} 0 times {factor} is not at most 0")
        return (row[0], row[1], row[2] + strict), factor

    def _derived(self, step: ProofStep) -> None:
        mark = self.domains.mark()
        good = not self._deny(step.literals)
        for number in step.numbers:
            if good:
                break
            good = self._propagate(number)
        self.domains.back(mark)
        if not good:
            raise BadProof("the clauses named leave no contradiction")
        self._keep(step.clause, step.literals)

    def _propagate(self, number: int) -> bool:
        """Draw what follows from a clause now; say whether it is a contradiction."""
        clause = self._clauses.get(number)
        if clause is None:
            raise BadProof(f"there is no clause {number}")
        left = [literal for literal in clause if self.domains.holds(literal) is not False]
        if len(left) > 1:
            if any(self.domains.holds(literal) for literal in left):
                return False
            raise BadProof(f"clause {number} says nothing yet: {len(left)} of its literals may be true")
        return not left or not self.domains.impose(left[0])

    def _solution(self, step: ProofStep) -> None:
        row = self._row(step)
        if self._best is not None:
            raise BadProof("a solution behind an improvement: a proof lists solutions or improves them")
        if row in self._seen:
            raise BadProof("the same solution again")
        self._seen.add(row)
        self._waiting.append((step.line, row))
        if len(self._waiting) == _TOGETHER:
            self._judge()
        self._keep(step.clause, tuple([(v, "!=", x) for v, x in zip(self._known.tolist(), row, strict=True)]))

    def _improvement(self, step: ProofStep) -> None:
        row = self._row(step)
        if self._seen or not self._goals:
            raise BadProof("an improvement where solutions are listed, or nothing is optimised")
        self._waiting.append((step.line, row))
        self._judge()
        values = self._checker.objectives(np.array([row], dtype=np.int64))[0].tolist()
        key = tuple(sign * value for (_, sign), value in zip(self._goals, values, strict=True))
        if self._best is not None and key >= self._best:
            raise BadProof(f"objectives {values} are no improvement")
        self._best = key

    def _row(self, step: ProofStep) -> tuple[int, ...]:
        if len(step.numbers) != len(self._known):
            raise BadProof(f"{len(step.numbers)} values for {len(self._known)} decision variables")
        return step.numbers

    def _judge(self) -> None:
        """Let the checker of solutions look at those that wait."""
        if not self._waiting:
            return
        matrix = np.array([row for _, row in self._waiting], dtype=np.int64).reshape(len(self._waiting), -1)
        accepted = self._checker.accepts(matrix)
        if not accepted.all():
            first = int(np.flatnonzero(~accepted)[0])
            why = str(self._checker.explain(matrix[first])).splitlines()[0]
            raise BadProof(f"line {self._waiting[first][0]}: no solution: {why}")
        self._waiting.clear()

    def _forget(self, step: ProofStep) -> None:
        for number in step.numbers:
            if self._clauses.pop(number, None) is None:
                raise BadProof(f"there is no clause {number}")

    def _end(self, step: ProofStep) -> None:
        self.claim = " ".join(step.words)

    # ---- clauses ----------------------------------------------------------------------------------

    def _deny(self, literals: Sequence[Literal]) -> bool:
        """Make all literals false; say whether that is possible."""
        for v, _, _ in literals:
            if v >= len(self.domains.low):
                raise BadProof(f"there is no variable {v}")
        return impose_all(self.domains, map(denied, literals))

    def _keep(self, number: int, literals: tuple[Literal, ...]) -> None:
        """Keep a clause that is believed; one of a single literal narrows the domains for good."""
        if number in self._clauses:
            raise BadProof(f"clause {number} exists already")
        if len(literals) > 1:
            self._clauses[number] = literals
        elif not literals or not self.domains.impose(literals[0]):
            self.finished = True
        else:
            self._clauses[number] = literals
            self.domains.settle()

    # ---- the end ----------------------------------------------------------------------------------

    def _conclusion(self, claim: str, line: int) -> ProvedClaim:
        signs = [sign for _, sign in self._goals]
        values = tuple(sign * v for sign, v in zip(signs, self._best or (), strict=False))
        found = len(self._seen) if self._best is None else 1
        if not self.finished:
            own = "solution" if found else "nothing"
        elif self._best is not None:
            own = "optimal " + " ".join(map(str, values))
        else:
            own = f"all {found}" if found else "infeasible"
        if own == "infeasible" and claim == "all 0":
            own = claim
        if claim not in (own, "nothing") and not (claim == "solution" and found):
            raise BadProof(f"line {line}: {claim[:60]!r} is claimed, what was derived is: {own}")
        word = claim.split()[0] if claim != "all 0" else "infeasible"
        return ProvedClaim(word, found, values, self.steps)


_STEPS: dict[str, Callable[[ProofChecker, ProofStep], None]] = {
    "model": ProofChecker._model,
    "i": ProofChecker._inference,
    "m": ProofChecker._multipliers,
    "d": ProofChecker._derived,
    "s": ProofChecker._solution,
    "o": ProofChecker._improvement,
    "f": ProofChecker._forget,
    "end": ProofChecker._end,
}


def check_proof(model: Statement, path: str | Path) -> ProvedClaim:
    """Check the proof in a file against a model, step by step.

    Parameters
    ----------
    model
        The user's own model.
    path
        The file that a run with ``proof=`` wrote.

    Returns
    -------
    ProvedClaim
        What follows from it.

    Raises
    ------
    BadProof
        For the first step that is not believed: its line and why.
    OSError
        For a file that cannot be read.
    """
    if model.assumed:
        raise BadProof(
            f"the model was imported under an assumption, {model.assumed}: nothing of it is proved"
        )
    return ProofChecker(model).check(read(path))
