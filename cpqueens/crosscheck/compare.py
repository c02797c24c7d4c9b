"""The rules of comparison: each looks at all observations and yields typed disagreements.

A checked witness beats any claim, however many made it; there is no majority vote anywhere. What a solver
did not claim is never held against it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.answers.outcome import Fault, StopReason
from cpqueens.answers.solution import Solution, SolutionSet
from cpqueens.answers.symmetry import Group
from cpqueens.backends.base import Want
from cpqueens.crosscheck import findings
from cpqueens.crosscheck.findings import Code, Disagreement, PublishedValues, Witness, broken
from cpqueens.crosscheck.observe import Observation
from cpqueens.crosscheck.sets import SetComparison, compare_sets, count_orbits
from cpqueens.language.objectives import keys
from cpqueens.language.rows import IntArray
from cpqueens.model import Model
from cpqueens.solving.collect import Carried, carrying
from cpqueens.text.plaintext import counted

Verify = Callable[[Mapping[str, Any]], Any]
"""Takes raw values by name; returns a bool, or a list of complaints that is empty for a solution."""

FIRST = 10
VERIFIED = 10_000
"""Solutions that a problem's own `verify` (plain Python) is asked about."""


@dataclass(frozen=True)
class Case:
    """Everything that the rules look at."""

    model: Model
    observations: tuple[Observation, ...]
    published: PublishedValues | None = None
    verify: Verify | None = None
    symmetries: Group = ()
    repeats: tuple[tuple[Observation, Observation], ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def checker(self) -> Checker:
        """The checker of the model."""
        return Checker.of(self.model)

    @cached_property
    def sets(self) -> SetComparison:
        """All sets together, and what those lack of their union that may be said to be complete."""
        stores = {o.name: o.store for o in self.observations if o.store is not None}
        return compare_sets(stores, [o.name for o in self.observations if o.proves and o.store], FIRST)

    @cached_property
    def best(self) -> tuple[int, IntArray, str] | None:
        """Objective, row and finder of the best checked solution of all."""
        found = [(*o.best, o.name) for o in self.observations if o.best is not None]
        return min(found, key=lambda f: self.rank(f[1]), default=None)

    def objectives(self, row: IntArray) -> tuple[int, ...]:
        """Return the values of all objectives of a row of decision values."""
        return tuple(self.checker.objectives(row.reshape(1, -1))[0].tolist())

    def rank(self, row: IntArray) -> tuple[int, ...]:
        """Return what is the less, the better a row is by all objectives."""
        return keys(self.model.goals, self.objectives(row))

    def value_text(self, row: IntArray) -> str:
        """Return the value of the objective, or of all of them, as text."""
        return objectives_text(self.objectives(row))

    def better(self, a: int, b: int) -> bool:
        """Say whether objective ``a`` is better than ``b``."""
        return a > b if self.model.maximizing else a < b

    @cached_property
    def any_witness(self) -> Witness | None:
        """Some checked solution, whoever delivered it."""
        for o in self.observations:
            if o.store is not None and o.store.distinct:
                return self.witness(o.store.first(1)[0], self._holders(o.store.first(1)[0]))
            if o.best is not None:
                return self.witness(o.best[1], (o.name,))
        return None

    def _holders(self, row: IntArray) -> tuple[str, ...]:
        return tuple(o.name for o in self.observations if o.store is not None and o.store.holds(row))

    def witness(self, row: IntArray, delivered_by: Iterable[str], notes: tuple[str, ...] = ()) -> Witness:
        """Return a row of decision values as a witness."""
        objective = self.objectives(row)[0] if self.model.goals else None
        values = self.solution(row).as_dict()
        return Witness(values, tuple(row.tolist()), tuple(delivered_by), objective, notes)

    def solution(self, row: IntArray) -> Solution:
        """Return a row of decision values as a solution of the model."""
        return SolutionSet(self.model, self.model.decisions, np.asarray(row).reshape(1, -1))[0]

    def verified(self, row: IntArray) -> bool:
        """Ask the problem's own plain verification."""
        assert self.verify is not None
        answer = carrying(self.verify)(self.solution(row).as_dict())
        return answer if isinstance(answer, bool) else not answer

    def independent(self, names: Iterable[str]) -> int:
        """Return how many proving backends among ``names`` have no family in common with one another."""
        chosen = set(names)
        proving = [o for o in self.observations if o.name in chosen and o.proves]
        return len(_disjoint(o.families | ({o.exporter} - {""}) for o in proving))


def objectives_text(values: Sequence[int]) -> str:
    """Return the value of the objective, or of all of them, as text."""
    return str(values[0] if len(values) == 1 else list(values))


def _disjoint(families: Iterable[frozenset[str]]) -> list[frozenset[str]]:
    """Return sets of which none meets another one: the smaller ones first, as more of these fit."""
    found: list[frozenset[str]] = []
    for one in sorted(families, key=len):
        if not any(one & other for other in found):
            found.append(one)
    return found


Rule = Callable[[Case], Iterator[Disagreement]]


def compare(case: Case) -> list[Disagreement]:
    """Return all disagreements, the gravest first."""
    try:
        found = [d for rule in RULES for d in rule(case)]
    except Carried as carried:  # of the user's `verify`
        raised = carried.error
    else:
        return sorted(found, key=lambda d: d.code.exit_code)
    raise raised


def failures(case: Case) -> Iterator[Disagreement]:
    """Crashes, hangs and memory: neither coverage loss nor a verdict."""
    for o in case.observations:
        if o.error is not None and o.error not in findings.COVERAGE_LOSS:
            yield Disagreement(o.error, o.name, o.message)


def invalid_solutions(case: Case) -> Iterator[Disagreement]:
    """Delivered assignments that the checker rejects; or the checker itself, where all else accepts them."""
    for o in case.observations:
        rejected = [f for f in o.faults if f.code == "INVALID_SOLUTION"]
        if not rejected:
            continue
        doubted = [f for f in rejected if _checker_is_doubtful(case, f)]
        if doubted:
            yield _doubt(case, o, doubted)
            continue
        witnesses = tuple(_explained(case, o, f) for f in rejected[:FIRST])
        message = (
            f"{o.invalid} of {o.invalid + (o.count or 0)} delivered are not solutions: {rejected[0].message}"
        )
        yield Disagreement(Code.INVALID_SOLUTION, o.name, message, witnesses=witnesses, total=o.invalid)


def wrong_answers(case: Case) -> Iterator[Disagreement]:
    """Heuristics of which an answer is no solution, or of which every run broke down."""
    for o in case.observations:
        if o.heuristic is None:
            continue
        rejections, runs, examples = o.heuristic.rejections, o.heuristic.runs, o.heuristic.examples
        if none := {why: many for why, many in rejections.items() if why in findings.WRONG}:
            total = sum(none.values())
            message = f"{total} of {runs} runs did not return a solution: {_example(examples, none)}"
            yield Disagreement(Code.INVALID_SOLUTION, o.name, message, total=total)
        elif broken(rejections, runs):
            message = f"every run broke down or cannot be read: {_example(examples, rejections)}"
            yield Disagreement(Code.CRASH, o.name, message, total=runs)


def _example(examples: Mapping[str, str], kinds: Iterable[str]) -> str:
    return next((examples[why] for why in kinds if why in examples), "")


def _explained(case: Case, o: Observation, fault: Fault) -> Witness:
    row = np.array(fault.values, dtype=np.int64)
    return case.witness(row, (o.name,), tuple(str(case.checker.explain(row)).splitlines()))


def _checker_is_doubtful(case: Case, fault: Fault) -> bool:
    """Two independent proving backends deliver it and the plain verification accepts it."""
    if case.verify is None:
        return False
    same = [o.name for o in case.observations if any(f.values == fault.values for f in o.faults)]
    return case.independent(same) >= 2 and case.verified(np.array(fault.values, dtype=np.int64))


def _doubt(case: Case, o: Observation, doubted: list[Fault]) -> Disagreement:
    witnesses = tuple(_explained(case, o, f) for f in doubted[:FIRST])
    message = (
        f"rejects {len(doubted)} assignment(s) that independent exact solvers deliver and the problem's own "
        f"verification accepts: {doubted[0].message}"
    )
    return Disagreement(Code.CHECKER_DOUBT, "checker", message, (o.name,), witnesses, len(doubted))


def verification(case: Case) -> Iterator[Disagreement]:
    """Solutions that the checker accepts and the problem's own plain verification rejects."""
    if case.verify is None:
        return
    asked: set[bytes] = set()
    for o in case.observations:
        for row in o.store.first(VERIFIED) if o.store is not None else ():
            if row.tobytes() in asked:
                continue
            asked.add(row.tobytes())
            if not case.verified(row):
                yield _rejected(case, o, row)
                break


def _rejected(case: Case, o: Observation, row: IntArray) -> Disagreement:
    holders = case._holders(row)
    lacking = [p.name for p in case.observations if p.claims_all and p.name not in holders]
    witness = case.witness(row, holders)
    if case.independent(lacking) >= 2:
        message = "accepts an assignment that the verification rejects and exact solvers do not deliver"
        return Disagreement(Code.CHECKER_DOUBT, "checker", message, tuple(lacking), (witness,), 1)
    message = "delivers an assignment that the problem's own verification rejects"
    return Disagreement(Code.EXTRA, o.name, message, ("verify",), (witness,), 1)


_PIPELINE_FAULTS = ("BAD_ASSIGNMENT", "DUPLICATE", "UNORDERED", "OBJ_MISMATCH", "OPT_CROSSED")


def contract(case: Case) -> Iterator[Disagreement]:
    """Breaches that the pipeline itself noticed in one run."""
    for o in case.observations:
        for code in _PIPELINE_FAULTS:
            faults = [f for f in o.faults if f.code == code]
            if not faults:
                continue
            rows = [np.array(f.values, dtype=np.int64) for f in faults if f.values]
            witnesses = tuple(case.witness(row, (o.name,)) for row in rows[:FIRST])
            many = o.fault_counts.get(code, len(faults))
            details = {"distinct": o.count, "duplicates": o.duplicates} if code == "DUPLICATE" else {}
            extra = f" ({o.count} distinct, {o.duplicates} more)" if details else ""
            yield Disagreement(Code[code], o.name, faults[0].message + extra, (), witnesses, many, details)


def false_claims_of_none(case: Case) -> Iterator[Disagreement]:
    """Proofs of infeasibility that a checked solution refutes."""
    for o in case.observations:
        witness = case.any_witness if o.claims_none else None
        if witness is not None:
            message = f"claims that there is no solution, yet {' and '.join(witness.delivered_by)} has one"
            yield Disagreement(Code.FALSE_UNSAT, o.name, message, witness.delivered_by, (witness,), 1)


def false_claims_of_some(case: Case) -> Iterator[Disagreement]:
    """Solutions of which none holds, where a complete solver proves that there is none."""
    proofs = tuple(o.name for o in case.observations if o.claims_none)
    if not proofs or case.any_witness is not None:
        return
    for o in case.observations:
        if o.invalid:
            message = f"delivers {o.invalid} assignment(s), none of them a solution; there is none"
            yield Disagreement(Code.FALSE_SAT, o.name, message, proofs, (), o.invalid)


def missing_solutions(case: Case) -> Iterator[Disagreement]:
    """Sets called complete that lack a checked solution of someone else."""
    for o in case.observations:
        if o.store is None or o.claims_none or not o.claims_all or o.want is not Want.ALL:
            continue
        lack = case.sets.lacks[o.name]
        if lack.total:
            witnesses = tuple(case.witness(r, h) for r, h in zip(lack.rows, lack.held_by, strict=True))
            against = tuple(sorted({name for holders in lack.held_by for name in holders}))
            message = (
                f"claims {o.count} solutions and no more, yet lacks {counted(lack.total, 'checked one')}"
            )
            yield Disagreement(Code.MISSING, o.name, message, against, witnesses, lack.total)


def counts(case: Case) -> Iterator[Disagreement]:
    """Counts that differ between complete claims of which one kept no set."""
    complete = [o for o in case.observations if o.claims_all and o.count is not None and o.want in _COUNTING]
    bare = [o for o in complete if o.store is None]
    for o in bare:
        for other in complete:
            later = other.store is None and other.name <= o.name
            if other is o or later or other.count == o.count:
                continue
            known = max((p.store.distinct for p in case.observations if p.store is not None), default=0)
            accused = o.name if (o.count or 0) < known else f"{o.name} or {other.name}"
            message = f"{o.name} counts {o.count}, {other.name} counts {other.count}"
            details = {"counts": {o.name: o.count, other.name: other.count}}
            yield Disagreement(Code.COUNT_DIFF, accused, message, (other.name,), (), 0, details)


_COUNTING = (Want.ALL, Want.COUNT)


def _named(published: PublishedValues) -> tuple[str, str]:
    """Return what a value is called, and its source in parentheses."""
    return published.called, f" ({published.source})" if published.source else ""


def published_count(case: Case) -> Iterator[Disagreement]:
    """Counts against the published one; more checked solutions than published refute the publication."""
    published = case.published
    if published is None or published.count is None:
        return
    word, source = _named(published)
    union = case.sets.union
    if union > published.count:
        message = f"{published.count} is {word}{source}, yet {union} different solutions were checked"
        holders = tuple(o.name for o in case.observations if o.store is not None and o.store.distinct)
        yield Disagreement(Code.COUNT_DIFF, f"{word} value", message, holders, (), union)
        return
    for o in case.observations:
        if not o.claims_all or o.want not in _COUNTING or o.count == published.count:
            continue
        if o.store is None or not case.sets.lacks[o.name].total:
            message = f"counts {o.count}, {word} is {published.count}{source}"
            details = {"counts": {o.name: o.count, f"{word} value": published.count}}
            yield Disagreement(Code.COUNT_DIFF, o.name, message, (f"{word} value",), (), 0, details)


def published_orbits(case: Case) -> Iterator[Disagreement]:
    """Complete sets counted up to symmetry, against the published number."""
    published = case.published
    if published is None or published.up_to_symmetry is None or not case.symmetries:
        return
    word, source = _named(published)
    for o in case.observations:
        if not o.claims_all or o.store is None or o.want is not Want.ALL or case.sets.lacks[o.name].total:
            continue
        found = count_orbits(case.symmetries, o.store)
        if found is not None and found != published.up_to_symmetry:
            message = f"{found} orbits, {word} are {published.up_to_symmetry}{source}"
            yield Disagreement(Code.COUNT_DIFF, o.name, message, (f"{word} value",))


def crossed_optima(case: Case) -> Iterator[Disagreement]:
    """Claimed optima and bounds that a checked solution beats."""
    if case.best is None:
        return
    value, row, finder = case.best
    witness = case.witness(row, (finder,))
    for o in case.observations:
        claimed = o.best if o.claims_all and o.want is Want.BEST else None
        if claimed is not None and case.rank(row) < case.rank(claimed[1]):
            said, found = case.value_text(claimed[1]), case.value_text(row)
            message = f"claims that {said} is optimal, yet {finder} has a solution with {found}"
            details = {"claimed": claimed[0]}
            yield Disagreement(Code.OPT_CROSSED, o.name, message, (finder,), (witness,), 1, details)
        elif _bound_is_crossed(case, o, value):
            message = f"claims the bound {o.objective_bound}, yet {finder} has a solution with {value}"
            bound = {"bound": o.objective_bound}
            yield Disagreement(Code.OPT_CROSSED, o.name, message, (finder,), (witness,), 1, bound)
    yield from _published_optimum(case, value, witness)


def _bound_is_crossed(case: Case, o: Observation, value: int) -> bool:
    said = any(f.code == "OPT_CROSSED" for f in o.faults)  # the pipeline noticed it within the run
    return o.objective_bound is not None and case.better(value, o.objective_bound) and not said


def _published_optimum(case: Case, value: int, witness: Witness) -> Iterator[Disagreement]:
    published = case.published
    if published is None or published.optimum is None:
        return
    word, source = _named(published)
    if case.better(value, published.optimum):
        message = f"{published.optimum} is {word} as optimal{source}, yet a checked solution has {value}"
        accused, against = f"{word} value", witness.delivered_by
        yield Disagreement(Code.OPT_CROSSED, accused, message, against, (witness,), 1)
        return
    for o in case.observations:
        claims = o.claims_all and o.want is Want.BEST and o.best is not None
        if claims and o.best is not None and case.better(published.optimum, o.best[0]):
            message = f"claims that {o.best[0]} is optimal; {word} is {published.optimum}{source}"
            yield Disagreement(Code.OPT_CROSSED, o.name, message, (f"{word} value",))


def partial_as_complete(case: Case) -> Iterator[Disagreement]:
    """Runs that say in one breath that they were stopped and that they went through everything."""
    for o in case.observations:
        if o.outcome is None or not o.proves or not o.outcome.statistics["exhausted"]:
            continue
        ended = str(o.outcome.statistics["ended_by"])
        lacking = o.store is not None and o.want is Want.ALL and case.sets.lacks[o.name].total
        stopped = o.outcome.stop_reason is StopReason.SOLUTION_LIMIT and lacking
        if ended != StopReason.EXHAUSTED or stopped:
            reason = ended if ended != StopReason.EXHAUSTED else "solution_limit"
            message = f"says that it was stopped ({reason}) and that it exhausted the space; {o.count} so far"
            yield Disagreement(Code.PARTIAL_AS_COMPLETE, o.name, message, total=o.count or 0)


def nondeterminism(case: Case) -> Iterator[Disagreement]:
    """Second runs with the same seed on one worker that differ from the first."""
    for first, second in case.repeats:
        if not (_ended_by_itself(first) and _ended_by_itself(second)):
            continue
        if (first.sequence, first.count) == (second.sequence, second.count):
            continue
        at = _first_difference(first, second)
        message = f"the same seed {first.seed} gave another run: {at}"
        yield Disagreement(Code.NONDETERMINISM, first.name, message)


def _ended_by_itself(o: Observation) -> bool:
    return o.error is None and o.ended_by in (StopReason.EXHAUSTED, StopReason.SOLUTION_LIMIT)


def _first_difference(first: Observation, second: Observation) -> str:
    a, b = first.head, second.head
    if a is None or b is None or first.count != second.count:
        return f"{first.count} and {second.count} solutions"
    for k, (x, y) in enumerate(zip(a, b, strict=False)):
        if not np.array_equal(x, y):
            return f"solution {k} is {x.tolist()} and then {y.tolist()}"
    return f"behind the first {len(a)} solutions"


RULES: tuple[Rule, ...] = (
    failures,
    invalid_solutions,
    wrong_answers,
    verification,
    contract,
    false_claims_of_none,
    false_claims_of_some,
    missing_solutions,
    counts,
    published_count,
    published_orbits,
    crossed_optima,
    partial_as_complete,
    nondeterminism,
)
