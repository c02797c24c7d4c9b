"""One half of a comparison: what does one model accept that the other refuses?

It is asked in rounds: for a moment at first, of each solver, then for longer. Most pairs are decided in the
first moments, by whatever suits them, and none that takes long keeps the other direction waiting.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from cpqueens.answers.outcome import Outcome
from cpqueens.answers.solution import Solution
from cpqueens.backends.clock import now
from cpqueens.crosscheck.joint import Joint, OutOfTimeError, in_domain, reached_constraints
from cpqueens.crosscheck.matching import Side
from cpqueens.crosscheck.roles import Questions
from cpqueens.crosscheck.two_models import Difference
from cpqueens.errors import CpqueensError
from cpqueens.language.functions import any_
from cpqueens.solving.solve import STOP

_SAMPLES = 3  # solutions of local search that are looked at
_LARGE = 500  # terms of a model that is sampled before anything is written down
_FOR_LARGE = 0.08  # of all the time, for that


class Direction:
    """What ``first`` accepts and ``second`` does not: a witness, a proof that there is nothing, or neither.

    Attributes
    ----------
    difference
        The witness, if one was found.
    """

    def __init__(
        self,
        first: Side,
        second: Side,
        pairs: Sequence[tuple[int, int]],
        names: Sequence[str],
        questions: Questions,
    ) -> None:
        self.first, self.second, self.pairs, self.names = first, second, pairs, names
        self.difference: Difference | None = None
        self._questions = questions
        self._question = f"{first.name} accepts nothing that {second.name} refuses"
        self._round = 0
        self._written: tuple[Joint, set[int], str] | None = None
        self._refining: Joint | None = None
        self._seen = False  # whether a solution of the first is known

    @property
    def proved(self) -> bool:
        """Whether it is proved that there is nothing."""
        return self._question in self._questions.proofs

    @property
    def decided(self) -> bool:
        """Whether there is nothing more to ask."""
        return self.proved or self.difference is not None

    def advance(self, seconds: float) -> None:
        """Ask for so long; after two rounds also what takes longer to ask."""
        end = now() + seconds
        self._round += 1
        terms = sum(array.size for constraint in self.first.joined for array in constraint.arguments)
        if self._round == 1 and terms > _LARGE:
            self._sample(_FOR_LARGE * self._questions.seconds)
        elif self._round > 1 and not self._seen:
            self._sample((0.5 if self._round == 2 else 0.3) * seconds)
        if self.decided or not self._write():
            return
        assert self._written is not None
        joint, own, asked = self._written
        if asked not in self._questions.proofs:
            outcome = self._questions.ask(joint.model, asked, end - now())
            if outcome is not None and outcome.solution is not None:
                self._found(joint.values(outcome.solution), joint.functional_values(outcome.solution))
        if self.decided or not own or asked not in self._questions.proofs:
            return  # what follows asks for the constraints in ``own`` alone
        self._refine(own, now() + 0.6 * (end - now()))
        if not self.decided and self._round > 2:
            self._one_by_one(end)

    def _write(self) -> bool:
        """Write both models as one, once; say whether there was time for it."""
        if self._written is None:
            try:
                joint = Joint(self.first, self.second, self.pairs, self._questions.end)
                own = reached_constraints(self.second, joint.free())
                refusals = joint.refusals(own)
            except OutOfTimeError:
                return False
            asked = self._question
            if own:
                asked += " by constraints over shared variables alone"
            if refusals:
                joint.model.add(any_(refusals))
            else:
                self._questions.proofs[asked] = ("what it says the other says too",)
            self._written = joint, own, asked
        return True

    # ---- solutions of the first model -----------------------------------------------------------------

    def _sample(self, seconds: float) -> None:
        """Look whether some solutions of ``first`` are a witness, where checking is all that it takes.

        That it has none at all may be proved on the way: of the model alone exact engines know the patterns.
        """
        try:
            quick = self._questions.last().ask(self.first.model, self._question, 0.4 * seconds)
        except CpqueensError:  # that solver cannot; another one may
            quick = None
        self._seen = quick is not None
        if self.proved or self.second.private(w for _, w in self.pairs):
            return
        if quick is not None:
            self._look_at(quick)
        for outcome in self._questions.sampled(self.first.model, _SAMPLES, 0.6 * seconds):
            if self.difference is None:
                self._look_at(outcome)

    def _look_at(self, outcome: Outcome) -> None:
        """Take a solution of ``first`` for a witness if it is one."""
        assert outcome.solution is not None
        self._seen = True
        values = self._values(outcome.solution)
        names = (self.second.model.name_of(w) for _, w in self.pairs)
        if not self.second.model.check(dict(zip(names, values, strict=True))).ok:
            self._found(values)

    def _values(self, solution: Solution) -> list[int]:
        return [int(solution[self.first.model.name_of(v)]) for v, _ in self.pairs]

    def _found(self, values: Sequence[int], own_values: Mapping[int, int] | None = None) -> None:
        """Note a witness that the other model refuses by its own checker, with the reasons."""
        model = self.second.model
        given = dict(zip((w for _, w in self.pairs), values, strict=True))
        others = {v: int(model.lower[v]) for v in model.decisions.tolist() if v not in given}
        whole = {**others, **(own_values or {}), **given}
        check = model.check({model.name_of(v): n for v, n in whole.items()})
        assert not check.ok, "the witness that a solver gave is none"
        self._note(values, (*check.problems, *(f"{v.label} {v.where}".rstrip() for v in check.violations)))

    def _note(self, values: Sequence[int], reasons: tuple[str, ...]) -> None:
        named = dict(zip(self.names, values, strict=True))
        self.difference = Difference(named, self.first.name, self.second.name, reasons)

    # ---- variables of the second model's own ----------------------------------------------------------

    def _refine(self, own: set[int], end: float) -> None:
        """Seek candidates that no values found so far for the second's free variables suit."""
        try:
            joint = self._refining or Joint(self.first, self.second, self.pairs, self._questions.end)
        except OutOfTimeError:
            return
        self._refining = joint
        free = joint.free()
        while now() < end and self._questions.left > 0:
            outcome = self._questions.ask(joint.model, self._question, end - now())
            if outcome is None or outcome.solution is None:
                return
            values = joint.values(outcome.solution)
            by, suited = self._refused_by(values, end - now())
            if by is None:
                return
            if suited is None:
                self._note(values, (f"no values of its own variables go with it (proved by {by})",))
                return
            given = {w: int(suited[self.second.model.name_of(w)]) for w in free}
            joint.model.add(any_(joint.refusals_beside(own, given)))

    def _one_by_one(self, end: float) -> None:
        """Try the candidates of ``first`` one by one."""
        seen: set[tuple[int, ...]] = set()
        undecided = False

        def candidate(solution: Solution) -> Any:
            nonlocal undecided
            values = tuple(self._values(solution))
            if values in seen:
                return None
            seen.add(values)
            left = min(end - now(), self._questions.left)
            if left <= 0:
                return STOP
            by, suited = self._refused_by(values, left)
            if by is None:
                undecided = True
            elif suited is None:
                self._note(values, (f"no values of its own variables go with it (proved by {by})",))
                return STOP
            return None

        left = min(end - now(), self._questions.left)
        if left <= 0:
            return
        solver = self._questions.solvers[0]
        seed = self._questions.random_seed
        outcome = self.first.model.enumerate(candidate, solver=solver, time_limit=left, random_seed=seed)
        if outcome.complete and not undecided and self.difference is None:
            self._questions.proofs[self._question] = (f"{solver}, {len(seen)} candidates one by one",)

    def _refused_by(self, values: Sequence[int], seconds: float) -> tuple[str | None, Solution | None]:
        """Return who decided whether ``second`` refuses these values, None if nobody; a solution if not."""
        end = now() + seconds
        fixed = self.second.model.copy()
        for (_, variable), value in zip(self.pairs, values, strict=True):
            if not in_domain(fixed, variable, value):
                return "its domains", None
            fixed.add(fixed[fixed.name_of(variable)] == value)
        for solver in reversed(self._questions.solvers):
            left = min(end - now(), self._questions.left)
            if left <= 0:
                break
            outcome = fixed.solve(solver=solver, time_limit=left, random_seed=self._questions.random_seed)
            if outcome.complete or outcome.solution is not None:
                return solver, outcome.solution
        return None, None
