"""One tiny model, all solvers, the oracle: everything that can be compared is compared."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.answers.stated import soft_violations
from cpqueens.backends.base import Want
from cpqueens.crosscheck import oracle
from cpqueens.crosscheck.as_written import AsWritten
from cpqueens.crosscheck.compare import Case, compare
from cpqueens.crosscheck.findings import Code, Disagreement
from cpqueens.crosscheck.observe import Observation
from cpqueens.errors import CpqueensError, ModelError
from cpqueens.files.modelfile import dump_model, parse_model
from cpqueens.fuzzing import probes
from cpqueens.fuzzing.subject import ORACLE, Examination, Subject, compared, miscounted
from cpqueens.fuzzing.written import Script, declared
from cpqueens.language.constraints.table import Table
from cpqueens.language.rows import IntArray
from cpqueens.model import Model

# ---- what a model means does not depend on how wide a domain was declared --------------------------------

_BOOLEAN_EVERY = 6
"""Most 0/1 variables keep their domain: wider ones are refused where they stand for truths."""
_FILLED = 40
"""Values up to which gaps of a domain are filled."""


def widened(script: Script, random: Random) -> Model:
    """Return the model to which the same was said, over wider domains; the old ones are constraints.

    Raises
    ------
    ModelError
        If that leaves the range, or if a wider 0/1 variable is no truth any more.
    """
    model, terms, bounds = Model("wider"), [], []
    for node, values in script.variables:
        wide = _wider(values, random)
        terms.append(declared(model, wide, node.name))
        bounds.append(_bound(terms[-1], values))
    first = random.randint(0, 1)
    if first:
        model.add(bounds)
    script.anew(model, terms)
    if not first:
        model.add(bounds)
    return model


def _wider(values: list[int], random: Random) -> list[int]:
    if values == [0, 1] and random.randint(1, _BOOLEAN_EVERY) > 1:
        return values
    low, high = values[0] - random.randint(0, 3), values[-1] + random.randint(0, 7)
    if high - low < _FILLED and random.randint(0, 1):
        return list(range(low, high + 1))
    return sorted({low, *values, high})


def _bound(term: Any, values: list[int]) -> Any:
    if len(values) == values[-1] - values[0] + 1:
        return [term >= values[0], term <= values[-1]]
    return Table([term], [[v] for v in values])


def wider_domains(s: Subject) -> Iterator[Disagreement]:
    """Over wider domains, with the lost bounds as constraints, the solutions are the same."""
    if s.script is None:
        return
    try:
        model = widened(s.script, Random(s.seed))
        accepted = s.grid[Checker(model).accepts(s.grid)]
    except ModelError:  # for size or range
        s.asked["wider domains refused", "checker"] += 1
        return
    s.asked["wider domains", "checker"] += 1
    if not np.array_equal(accepted, s.truth.solutions):
        message = f"{len(accepted)} solutions over wider domains, {s.truth.count} before"
        yield Disagreement(Code.RELATION_BROKEN, "model", message, (ORACLE,))
    for p in s.turn("wider domains", s.proving):
        seen = p.observe(model, s.about(model).plan(Want.COUNT))
        if s.book("wider domains", seen):
            yield from miscounted(s, seen, " over wider domains")


def costs_as_written(s: Subject) -> Iterator[Disagreement]:
    """Each soft constraint costs its weight where it does not hold as it was written."""
    if s.script is None or not s.script.soft:
        return
    table = AsWritten([node for node, _ in s.script.variables], s.grid)
    wanted = []
    for node, weights in s.script.soft:
        failed = ~table.truth(node).reshape(-1, len(s.grid))
        wanted.append(failed.T * np.broadcast_to(weights, len(failed)))
    if not np.array_equal(np.concatenate(wanted, axis=1), oracle.penalties(s.model, s.grid)):
        yield Disagreement(Code.RELATION_BROKEN, "model", "soft constraints do not cost what was written")
    s.asked["costs as written", "checker"] += 1


# ---- the questions -------------------------------------------------------------------------------------

_EXPLAINED = 5


def penalties(s: Subject) -> Iterator[Disagreement]:
    """Each soft constraint costs its weight where the oracle says it does not hold, and is named there."""
    if not s.model.soft:
        return
    yield from _named(s)
    yield from _optimised(s)
    s.asked["penalties", "checker"] += 1


def _named(s: Subject) -> Iterator[Disagreement]:
    """What is reported of some assignments, solutions or not: names and penalties, in their order."""
    rows = s.grid[Random(s.seed).sample(range(len(s.grid)), min(_EXPLAINED, len(s.grid)))]
    costs = oracle.penalties(s.model, rows)
    names = [soft.name for soft in s.model.soft for _ in soft.weights.tolist()]
    for row, cost in zip(rows, costs.tolist(), strict=True):
        wanted = [(name, penalty) for name, penalty in zip(names, cost, strict=True) if penalty]
        found = [(v.name, v.penalty) for v in soft_violations(s.model, row)]
        if found != wanted:
            yield probes.doubt(f"reports {found} violated by {row.tolist()}, it is {wanted}")


def _optimised(s: Subject) -> Iterator[Disagreement]:
    """What is optimised: penalties in their place, or else beside the first objective, in its unit."""
    rows = s.truth.solutions
    if not len(rows):
        return  # only of solutions it is certain that objectives have values
    total = oracle.penalties(s.model, rows).sum(axis=1)
    table = oracle.TruthTable(s.model, rows)
    stated: list[IntArray] = [
        table.columns(goal.term)[0][:, 0] + (goal.penalties or 0) * total for goal in s.model.stated
    ]
    if all(goal.penalties is None for goal in s.model.stated):
        stated[:1] = [stated[0] + (-total if s.model.maximizing else total)] if stated else [total]
    if not np.array_equal(Checker(s.model).objectives(rows), np.stack(stated, axis=1)):
        yield probes.doubt("optimises something else than what is stated, with the penalties")


def examine(subject: Subject) -> list[Disagreement]:
    """Return every disagreement on one model, each (code, accused) once."""
    found: dict[tuple[Code, str], Disagreement] = {}
    for examination in (*USUAL, *_further(subject)):
        for d in examination(subject):
            found.setdefault((d.code, d.accused), d)
    return list(found.values())


def _further(s: Subject) -> tuple[Examination, ...]:
    """Return the examinations beyond the usual: all, none, or a few that take turns."""
    if s.deep is not None:
        return tuple(dict.fromkeys(FURTHER)) if s.deep else ()
    turn = s.seed // _CLASSES
    return tuple(FURTHER[(turn + shift) % len(FURTHER)] for shift in _TAKEN)


def checker_against_oracle(s: Subject) -> Iterator[Disagreement]:
    """The checker and the oracle on every assignment there is."""
    accepted = Checker.of(s.model).accepts(s.grid)
    mine = {tuple(row) for row in s.grid[accepted].tolist()}
    wrong = mine ^ s.truth.rows
    if wrong:
        row = min(wrong)
        said, other = ("accepts", "rejects") if row in mine else ("rejects", "accepts")
        message = (
            f"{said} {list(row)}, which the oracle {other}; {len(wrong)} of {len(s.grid)} assignments differ"
        )
        yield Disagreement(Code.CHECKER_DOUBT, "checker", message, (ORACLE,), total=len(wrong))


def solution_sets(s: Subject) -> Iterator[Disagreement]:
    """All solutions of everyone."""
    yield from compared(s, s.listings)
    yield from _heuristic_proofs(s.listings)


def optima(s: Subject) -> Iterator[Disagreement]:
    """The best solution of everyone, for a model with an objective."""
    if s.model.objective is not None:
        yield from compared(s, s.seen(Want.BEST, s.usual))


def _heuristic_proofs(observations: list[Observation]) -> Iterator[Disagreement]:
    for o in observations:
        if not o.proves and o.outcome is not None and o.outcome.complete:
            yield Disagreement(
                Code.PARTIAL_AS_COMPLETE, o.name, "does not prove, yet its outcome is complete"
            )


def limited(s: Subject) -> Iterator[Disagreement]:
    """An enumeration up to k solutions delivers exactly k, and is complete only if there are no more."""
    total = s.truth.count
    if not total:
        return
    k = 1 + s.seed % min(total, 4)
    for p in s.turn("limit", s.proving):
        seen = p.observe(s.model, replace(s.plan(Want.ALL), solution_limit=k))
        s.book("limit", seen)
        if seen.error is not None or seen.outcome is None or seen.invalid:
            continue
        if seen.count != min(k, total):
            message = f"{seen.count} solutions delivered under a limit of {k}, {total} exist"
            yield Disagreement(Code.COUNT_DIFF, p.name, message, (ORACLE,))
        if total > k and (seen.outcome.complete or seen.outcome.statistics["exhausted"]):
            message = f"{k} of {total} solutions called complete"
            yield Disagreement(Code.PARTIAL_AS_COMPLETE, p.name, message, (ORACLE,))


def counted(s: Subject) -> Iterator[Disagreement]:
    """The number of solutions, from those who count without listing."""
    for p in s.turn("count", s.proving):
        seen = p.observe(s.model, s.plan(Want.COUNT))
        s.book("count", seen)
        yield from miscounted(s, seen)


def second_runs(s: Subject) -> Iterator[Disagreement]:
    """The same seed on one worker gives the same run."""
    first = {o.name: o for o in s.listings}
    for p in s.turn("second run", s.proving):
        pair = first[p.name], p.observe(s.model, s.plan(Want.ALL))
        s.book("second run", pair[1])
        yield from (d for d in compare(Case(s.model, (), repeats=(pair,))) if d.code is Code.NONDETERMINISM)


def round_trip(s: Subject) -> Iterator[Disagreement]:
    """The model's file means the same as the model."""
    try:
        read = parse_model(dump_model(s.model))
        again = oracle.solve(read)
    except CpqueensError as error:
        yield Disagreement(Code.RELATION_BROKEN, "model file", f"its own file is refused: {error}")
        return
    if not np.array_equal(again.solutions, s.truth.solutions) or again.optimum != s.truth.optimum:
        message = f"{again.count} solutions after the round trip, {s.truth.count} before"
        yield Disagreement(Code.RELATION_BROKEN, "model file", message)
    elif _soft_costs(s, read) != _soft_costs(s, s.model):
        yield Disagreement(Code.RELATION_BROKEN, "model file", "soft constraints cost something else")


def _soft_costs(s: Subject, model: Model) -> list[Any]:
    """Return the names of soft constraints, and what each costs in the first assignments."""
    return [[soft.name for soft in model.soft], oracle.penalties(model, s.grid[: probes.ROWS]).tolist()]


USUAL: tuple[Examination, ...] = (checker_against_oracle, solution_sets, optima)
"""Made on every model."""

FURTHER: tuple[Examination, ...] = (
    probes.strategies,
    probes.meanings,
    limited,
    probes.best_sets,
    probes.hinted,
    second_runs,
    probes.strategies,
    probes.outside_domains,
    probes.resumed,
    probes.in_chunks,
    counted,
    round_trip,
    penalties,
    wider_domains,
    costs_as_written,
)
"""They take turns: cheap ones beside dear ones, so that no model costs much more than another.

Unless the examination is deep, each is put to one solver, drawn by the model's number, of those that can
answer it (`Subject.turn`): the report says how often whom. ``strategies`` has twice as many turns as others.
"""

_CLASSES = 3  # models of one class of solution counts come so far apart
_TAKEN = (0, 5)
