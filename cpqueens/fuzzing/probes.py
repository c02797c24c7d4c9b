"""Further questions about a tiny model: what the usual run of each solver, and its grid, never show."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.backends.base import Backend, Feature, Parameter, StopReason, Want
from cpqueens.backends.named import parameters_of
from cpqueens.crosscheck import oracle
from cpqueens.crosscheck.findings import Code, Disagreement
from cpqueens.crosscheck.observe import Participant
from cpqueens.crosscheck.participants import BackendParticipant
from cpqueens.fuzzing.subject import ORACLE, Subject, compared, miscounted
from cpqueens.language.definedness import defined_elements
from cpqueens.language.objectives import keys
from cpqueens.language.rows import IntArray
from cpqueens.solving.request import named_solver

ROWS = 200
"""Assignments that a probe of the checker looks at, at most."""
_EXPLAINED = 3
_LITERAL_KINDS = frozenset({"And", "Implication", "Negation", "Or", "Xor"})
_OWN_PARAMETERS = 40


# ---- the checker ----------------------------------------------------------------------------------------


def doubt(message: str) -> Disagreement:
    """Return that the checker is wrong, by the oracle."""
    return Disagreement(Code.CHECKER_DOUBT, "checker", message, (ORACLE,))


def some_rows(s: Subject, random: Random) -> IntArray:
    """Return some assignments within the domains, (at most `ROWS`, decision variables)."""
    chosen = random.sample(range(len(s.grid)), min(ROWS, len(s.grid)))
    rows: IntArray = s.grid[chosen]
    return rows


def moved_out(s: Subject, random: Random) -> IntArray:
    """Return assignments with one or two values below, above or in a gap of their domain."""
    rows = some_rows(s, random)[: ROWS // 2].copy()
    if not rows.size:
        return rows[:0]
    domains = [_outside(s, v) for v in s.model.decisions.tolist()]
    for row in rows:
        for _ in range(random.randint(1, 2)):
            column = random.randrange(len(domains))
            row[column] = random.choice(domains[column])
    return rows


def _outside(s: Subject, variable: int) -> list[int]:
    low, high = int(s.model.lower[variable]), int(s.model.upper[variable])
    near = [low - 1, high + 1, low - 3, high + 2]
    if variable in s.model.domains:
        values = s.model.domains[variable].tolist()
        near += [v + 1 for v, following in itertools.pairwise(values) if following > v + 1]
    return near


def outside_domains(s: Subject) -> Iterator[Disagreement]:
    """The checker refuses values below, above and between those of a domain, and says which they are."""
    random = Random(s.seed)
    checker, rows = Checker.of(s.model), moved_out(s, random)
    inside = oracle.inside(s.model, rows)
    if not np.array_equal(checker.in_domain(rows), inside):
        yield doubt("takes values outside their domains for values inside, or the other way round")
    if checker.accepts(rows).any():
        yield doubt("accepts an assignment with a value outside its domain")
    for row, fine in zip(rows[:_EXPLAINED], inside[:_EXPLAINED], strict=True):
        named = [text for text in checker.explain(row).problems if "is outside its domain" in text]
        if len(named) != int((~fine).sum()):
            yield doubt(f"does not name exactly the values of {row.tolist()} that are outside")
    s.asked["values outside domains", "checker"] += len(rows)


def meanings(s: Subject) -> Iterator[Disagreement]:
    """Each constraint by itself: its truth and its violation, and the violations that are explained.

    Constraints over decision variables alone are compared outside the domains, too.
    """
    random = Random(s.seed)
    rows = some_rows(s, random)
    yield from _explanations(s, rows[:_EXPLAINED])
    yield from _each_meaning(s, rows, everywhere=True)
    yield from _each_meaning(s, moved_out(s, random), everywhere=False)


def _each_meaning(s: Subject, rows: IntArray, everywhere: bool) -> Iterator[Disagreement]:
    table = oracle.TruthTable(s.model, rows)
    values, defined = s.model.complete_where_defined(rows, s.model.decisions)
    for posted in s.model.constraints:
        constraint = posted.constraint
        if not everywhere and (constraint.kind in _LITERAL_KINDS or _reaches_definitions(s, constraint)):
            continue  # what holds of a literal that is 2, or of a divisor that may now be 0, is nowhere said
        wanted = table.constraint(constraint).all(axis=1)
        all_defined = defined_elements(constraint, defined).all(axis=1)
        if not np.array_equal(constraint.holds(values) & all_defined, wanted):
            yield doubt(f"another truth of {constraint.kind} than the oracle's")
        if not np.array_equal((constraint.violation(values) == 0) & all_defined, wanted):
            yield doubt(f"a violation of {constraint.kind} that is 0 elsewhere than where it holds")
        s.asked[f"meaning of {constraint.kind}", "checker"] += 1


def _reaches_definitions(s: Subject, constraint: Any) -> bool:
    return any(s.model.is_defined[a.scope()].any() for a in constraint.arguments)


def _explanations(s: Subject, rows: IntArray) -> Iterator[Disagreement]:
    """What is explained is what is accepted, and each violation that is shown is one."""
    checker = Checker.of(s.model)
    for row in rows:
        found = checker.explain(row)
        right = tuple(row.tolist()) in s.truth.rows
        if found.ok != right or found.problems or any(v.amount < 1 for v in found.violations):
            yield doubt(f"explains {row.tolist()} as {str(found)[:80]!r}")
        if (found.amount == 0) != right:
            yield doubt(f"the violations of {row.tolist()} add up to {found.amount}")


def in_chunks(s: Subject) -> Iterator[Disagreement]:
    """A batch that is checked piece by piece is judged like one that is checked at once."""
    cells = 1 + Random(s.seed).randrange(max(1, s.grid.size))
    accepted = Checker(s.model, cells=cells).accepts(s.grid)
    if not np.array_equal(s.grid[accepted], s.truth.solutions):
        yield doubt(f"judges other rows right when it takes {cells} cells at once")
    s.asked["batches in chunks", "checker"] += 1


# ---- the solvers ----------------------------------------------------------------------------------------


def _backend(p: BackendParticipant) -> Backend:
    return named_solver(p.solver)[1] if isinstance(p.solver, str) else p.solver


def _with(p: BackendParticipant, options: Mapping[str, Any]) -> BackendParticipant:
    return replace(p, options={**p.options, **options})


def _named(s: Subject, row: IntArray) -> dict[str, int]:
    names = (s.model.name_of(v) for v in s.model.decisions.tolist())
    return dict(zip(names, row.tolist(), strict=True))


def resumed(s: Subject) -> Iterator[Disagreement]:
    """Behind any assignment come the solutions that are greater, and no others."""
    if not len(s.model.decisions):
        return
    start = s.grid[Random(s.seed).randrange(len(s.grid))]
    solutions = s.truth.solutions
    if s.seed % 2 and len(solutions):
        start = solutions[Random(s.seed).randrange(len(solutions))]
    expected = {row for row in s.truth.rows if row > tuple(start.tolist())}
    able = [p for p in s.proving if Feature.RESUME in _backend(p).features]
    for p in s.turn("resuming", able):
        seen = _with(p, {"after": _named(s, start)}).observe(s.model, s.plan(Want.ALL))
        if not s.book("resuming", seen) or seen.store is None:
            continue
        rows = {tuple(row) for batch in seen.store.rows() for row in batch.tolist()}
        late = seen.ended_by == StopReason.TIME_LIMIT  # on a busy machine: then it claims less
        whole = seen.claims_all and rows == expected
        if not (whole or (late and rows <= expected)) or seen.invalid or seen.duplicates:
            message = f"{seen.count} solutions behind {start.tolist()}, there are {len(expected)}"
            yield Disagreement(Code.MISSING, p.name, message, (ORACLE,), total=len(expected ^ rows))


def random_hint(s: Subject, random: Random) -> dict[str, int]:
    """Return values for some of the variables, a few of them outside their domains."""
    hint = {}
    for variable in s.model.decisions.tolist():
        if random.randint(0, 2):
            values = s.model.domain_values(variable, oracle.CAP).tolist()
            hint[s.model.name_of(variable)] = random.choice(
                values if random.randint(0, 3) else _outside(s, variable)
            )
    return hint


def hinted(s: Subject) -> Iterator[Disagreement]:
    """A hint, partial or impossible, changes nothing that is true."""
    hint = random_hint(s, Random(s.seed))
    want = Want.BEST if s.model.objective is not None else Want.ALL
    able = [
        _with(p, {"hint": hint})
        for p in s.participants
        if isinstance(p, BackendParticipant) and Feature.HINT in _backend(p).features
    ]
    seen = s.seen(want, s.turn("hint", able))
    yield from compared(s, [seen[0], *(o for o in seen[1:] if s.book("hint", o))])


def best_sets(s: Subject) -> Iterator[Disagreement]:
    """All optimal solutions, of a model with one objective, or with a second one that breaks ties."""
    model, random = s.model, Random(s.seed)
    if model.objective is None:
        return
    if random.randint(0, 1) and len(model.decisions):
        model = model.copy()
        term = model[model.name_of(random.choice(model.decisions.tolist()))]
        (model.then_maximize if random.randint(0, 1) else model.then_minimize)(term)
    truth = s.truth.solutions
    ranks = (
        [keys(model.goals, row) for row in Checker(model).objectives(truth).tolist()] if len(truth) else []
    )
    expected = {tuple(r) for r, rank in zip(truth.tolist(), ranks, strict=True) if rank == min(ranks)}
    able = [p for p in s.proving if Feature.OBJECTIVE in _backend(p).features]
    for p in s.turn("optimal set", able):
        seen = _with(p, {"optimal": True}).observe(model, s.plan(Want.ALL))
        if not s.book("optimal set", seen) or not seen.claims_all or seen.store is None:
            continue
        found = {tuple(row) for rows in seen.store.rows() for row in rows.tolist()}
        if found != expected:
            message = f"lists {len(found)} optimal solutions, there are {len(expected)}"
            yield Disagreement(Code.MISSING, p.name, message, (ORACLE,), total=len(found ^ expected))


def strategies(s: Subject) -> Iterator[Disagreement]:
    """One strategy of a backend, drawn by the seed: its solutions, its count and its optimum.

    A strategy may refuse what it is not made for; whatever it answers must be true.
    """
    for p in s.turn("strategy", [p for p in s.participants if _has_strategies(p)]):
        assert isinstance(p, BackendParticipant)
        random = Random(f"{s.seed}/{p.name}")
        strategy = random.choice(_backend(p).strategies)
        label = f"{p.solver}:{strategy}"
        options = {**p.options, **random_parameters(parameters_of(_backend(p), strategy), random)}
        yield from _strategy(s, BackendParticipant(label, label, options))


def _has_strategies(p: Participant) -> bool:
    """Say whether a participant is a whole backend with strategies to choose from."""
    if not isinstance(p, BackendParticipant) or not isinstance(p.solver, str) or set(p.solver) & set(":+"):
        return False
    return bool(_backend(p).strategies)


def random_parameters(declared: Mapping[str, Parameter], random: Random) -> dict[str, Any]:
    """Return a value for one of the parameters that have few, or, as often, nothing."""
    few = {n: p.choices for n, p in declared.items() if p.choices}
    if len(declared) < _OWN_PARAMETERS:  # what a library has by the hundred is its own business
        few |= {n: (True, False) for n, p in declared.items() if p.type is bool}
    if not few or random.randint(0, 1):
        return {}
    name = random.choice(sorted(few))
    return {name: random.choice(few[name])}


def _strategy(s: Subject, p: BackendParticipant) -> Iterator[Disagreement]:
    what = f"strategy {p.name.partition(':')[2]}"
    wants = [Want.ALL] if s.model.objective is None else [Want.ALL, Want.BEST]
    answers = [seen for seen in (s.seen(want, [p]) for want in wants) if s.book(what, seen[1])]
    if not answers:  # some look for one solution only, and prove nothing
        one = p.observe(s.model, s.hurried(s.plan(Want.ONE)))
        answers = [[s.seen(Want.ONE, [])[0], one]] if s.book(what, one) else []
    for seen in answers:
        yield from compared(s, seen)
    if _backend(p).proves:
        counted = p.observe(s.model, s.plan(Want.COUNT))
        if s.book(what, counted):
            yield from miscounted(s, counted)
