"""The checker: believes a proof step by step, or says which step it does not believe and why."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.language.ranges import LIMIT
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.proofs.log import ProofStep, read, step_of
from cpqueens.proofs.parts import (
    BadProof,
    Domains,
    Literal,
    ModelParts,
    Row,
    better,
    denied,
    goals_of,
    related,
)
from cpqueens.proofs.refuters import ends, no_sum, refuted


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
            "nothing": "nothing is claimed",
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
        self._known = model.decisions.tolist()
        self._checker = Checker(model)
        self._seen: set[tuple[int, ...]] = set()
        self._best: tuple[int, ...] | None = None  # the objectives of the last improvement
        self.finished = False  # the empty clause was derived
        self.claim: str | None = None
        self.steps = 0

    def check(self, lines: Iterable[tuple[int, str]]) -> ProvedClaim:
        """Check the lines of a log, each with its number.

        Raises
        ------
        BadProof
            For the first step that is not believed, with its line.
        """
        line = 1
        try:
            for line, text in lines:  # noqa: B007
                self._step(step_of(text))
            return self._conclusion()
        except BadProof as error:
            raise BadProof(f"line {line}: {error}") from None

    def _step(self, step: ProofStep) -> None:
        if self.claim is not None:
            raise BadProof("a step behind the end")
        if self.finished and step.verb in ("s", "o"):
            raise BadProof("a solution behind the empty clause")
        self.steps += 1
        if not self.finished or step.verb == "end":  # else everything follows from a contradiction
            _STEPS[step.verb](self, step)

    # ---- clauses ----------------------------------------------------------------------------------

    def _believe(self, step: ProofStep, contradiction: Callable[[], bool], otherwise: str) -> None:
        """Keep a clause if its denial leaves a contradiction, else say that it is not believed."""
        mark = self.domains.mark()
        good = not self._deny(step.literals) or contradiction()
        self.domains.back(mark)
        if not good:
            raise BadProof(otherwise)
        self._keep(step.clause, step.literals)

    def _deny(self, literals: Sequence[Literal]) -> bool:
        """Make all literals false; say whether that leaves all variables a value."""
        for v, _, _ in literals:
            if v >= len(self.domains.low):
                raise BadProof(f"there is no variable {v}")
        return all(self.domains.impose(denied(literal)) for literal in literals)

    def _keep(self, number: int, literals: tuple[Literal, ...]) -> None:
        """Keep a clause that is believed; one of a single literal narrows the domains for good."""
        if number in self._clauses:
            raise BadProof(f"clause {number} exists already")
        self._clauses[number] = literals
        if len(literals) == 1:
            self.finished = not self.domains.impose(literals[0])
        elif not literals:
            self.finished = True

    def _inference(self, step: ProofStep) -> None:
        part = self.parts[step.terms[0][0] if step.terms else ""]
        why = f"the clause is not seen to follow from {part.name}"
        self._believe(step, lambda: refuted(part, self.domains), why)

    def _multipliers(self, step: ProofStep) -> None:
        """Believe a clause whose denial leaves a sum of linear relations no value."""
        total: Counter[int] = Counter()
        constant = 0
        for name, factor in step.terms:
            variables, coefficients, more = self._at_most_zero(name, factor)
            constant += factor * more
            for v, a in zip(variables, coefficients, strict=True):
                total[v] += factor * a
        row = (tuple(total), tuple(total.values()), constant)
        why = "the sum of these rows may still be at most 0"
        self._believe(step, lambda: no_sum(row, "<=", self.domains), why)

    def _at_most_zero(self, name: str, factor: int) -> Row:
        """Return a row that, times a factor, is at most 0 in all solutions that are left."""
        part = self.parts[name]
        if part.kind != "Linear":
            raise BadProof(f"{name} is not a linear constraint")
        (variables, coefficients, constant), relation = part.fields["expression"][0], part.fields["relation"]
        if factor and relation not in (("==", "<=", "<") if factor > 0 else ("==", ">=", ">")):
            raise BadProof(f"{name}: {relation} 0 times {factor} is not at most 0")
        return variables, coefficients, constant + {"<": 1, ">": -1}.get(relation, 0)

    def _derived(self, step: ProofStep) -> None:
        why = "the clauses named leave no contradiction"
        self._believe(step, lambda: any(map(self._propagate, step.numbers)), why)

    def _propagate(self, number: int) -> bool:
        """Draw what follows from a clause now; say whether it is a contradiction."""
        if number not in self._clauses:
            raise BadProof(f"there is no clause {number}")
        left = [one for one in self._clauses[number] if self.domains.holds(one) is not False]
        if len(left) > 1:
            if any(self.domains.holds(literal) for literal in left):
                return False
            raise BadProof(f"clause {number} says nothing yet: {len(left)} of its literals may be true")
        return not left or not self.domains.impose(left[0])

    def _forget(self, step: ProofStep) -> None:
        for number in step.numbers:
            if self._clauses.pop(number, None) is None:
                raise BadProof(f"there is no clause {number}")

    # ---- solutions and new variables --------------------------------------------------------------

    def _solution(self, step: ProofStep) -> None:
        if self._best is not None:
            raise BadProof("a solution behind an improvement: a proof lists solutions or improves them")
        if step.numbers in self._seen:
            raise BadProof("the same solution again")
        self._accepted(step.numbers)
        self._seen.add(step.numbers)
        self._keep(step.clause, tuple([(v, "!=", x) for v, x in zip(self._known, step.numbers, strict=True)]))

    def _improvement(self, step: ProofStep) -> None:
        if self._seen or not self.model.goals:
            raise BadProof("an improvement where solutions are listed, or nothing is optimised")
        found = tuple(self._checker.objectives(self._accepted(step.numbers))[0].tolist())
        if self._best is not None and self._key(found) >= self._key(self._best):
            raise BadProof(f"objectives {list(found)} are not an improvement")
        self._best = found
        self.parts.add(better(goals_of(self.model), self._key(found)))

    def _key(self, objectives: tuple[int, ...]) -> tuple[int, ...]:
        """Return the values of the goals, of which less is better."""
        return tuple([-v if g.maximizing else v for g, v in zip(self.model.goals, objectives, strict=True)])

    def _accepted(self, row: tuple[int, ...]) -> IntArray:
        """Return a solution as a matrix, if the checker of solutions accepts it."""
        if len(row) != len(self._known):
            raise BadProof(f"{len(row)} values for {len(self._known)} decision variables")
        matrix = np.array([row], dtype=np.int64).reshape(1, len(row))
        if not self._checker.accepts(matrix).all():
            raise BadProof(f"no solution: {str(self._checker.explain(matrix[0])).splitlines()[0]}")
        return matrix

    def _definition(self, step: ProofStep) -> None:
        """Take up a new variable, a sum of earlier ones."""
        if step.clause != len(self.domains.low):
            raise BadProof(f"the next new variable is {len(self.domains.low)}")
        if any(not name.isdecimal() or int(name) >= step.clause for name, _ in step.terms):
            raise BadProof("a new variable is a sum of earlier ones")
        variables, factors = tuple([int(name) for name, _ in step.terms]), tuple([a for _, a in step.terms])
        row = (variables, factors, sum(step.numbers))
        low, high = ends(row, self.domains)
        if max(-low, high) > LIMIT:
            raise BadProof(f"its values would be larger than {LIMIT}")
        self.domains.add(low, high)
        self.domains.sums[row] = step.clause
        self.parts.add(related(f"x{step.clause}", ((*variables, step.clause), (*factors, -1), row[2]), "=="))

    # ---- the model and the end --------------------------------------------------------------------

    def _model(self, step: ProofStep) -> None:
        counts = (self.model.variable_count, len(self.model.constraints))
        if step.numbers != counts:
            raise BadProof(
                f"variables and constraints: {counts} in this model, {step.numbers} in the proof's"
            )

    def _end(self, step: ProofStep) -> None:
        self.claim = step.claim

    def _conclusion(self) -> ProvedClaim:
        """Compare what is claimed with what was derived, the strongest of which comes last."""
        if self.claim is None:
            raise BadProof("the proof breaks off: its last line, end, is missing")
        found = len(self._seen) if self._best is None else 1
        derived = ["nothing", "solution"] if found else ["nothing"]
        if self.finished and self._best is not None:
            derived.append("optimal " + " ".join(map(str, self._best)))
        elif self.finished:
            derived += [f"all {found}"] if found else ["all 0", "infeasible"]
        if self.claim not in derived:
            raise BadProof(f"{self.claim[:60]!r} is claimed, what was derived is: {derived[-1]}")
        word = "infeasible" if self.claim == "all 0" else self.claim.split()[0]
        return ProvedClaim(word, found, self._best or (), self.steps)


_STEPS: dict[str, Callable[[ProofChecker, ProofStep], None]] = {
    "model": ProofChecker._model,
    "i": ProofChecker._inference,
    "m": ProofChecker._multipliers,
    "d": ProofChecker._derived,
    "s": ProofChecker._solution,
    "o": ProofChecker._improvement,
    "n": ProofChecker._definition,
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
        raise BadProof(f"the model is imported assuming that {model.assumed}: nothing of it is proved")
    return ProofChecker(model).check(read(path))
