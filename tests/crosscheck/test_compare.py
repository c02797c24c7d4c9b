"""The rules on observations of different sorts: bare counts beside kept sets, claims beside silence."""

from __future__ import annotations

import dataclasses

import pytest
from liars import Answer, Scripted

from cpqueens import Model
from cpqueens.answers.outcome import StopReason
from cpqueens.backends import named
from cpqueens.backends.base import Deliver, Ended, Request, Want
from cpqueens.crosscheck.compare import Case, compare
from cpqueens.crosscheck.findings import Code
from cpqueens.crosscheck.observe import Observation, Plan
from cpqueens.crosscheck.participants import BackendParticipant
from cpqueens.crosscheck.sets import Packing


def miscount(by: int):
    def lie(answer: Answer, model: Model, request: Request) -> None:
        if answer.count is not None:
            answer.count += by

    return lie


def observed(model: Model, backend: Scripted, want: Want) -> Observation:
    return BackendParticipant(backend.name, backend).observe(model, Plan(want, (0,), Packing(model)))


def codes(model: Model, *observations: Observation) -> list[tuple[Code, str, tuple[str, ...]]]:
    return [(d.code, d.accused, d.against) for d in compare(Case(model, observations))]


@pytest.mark.parametrize("names", [("a", "z"), ("z", "a")])
@pytest.mark.parametrize("by", [-1, 1])
def test_a_bare_count_is_held_against_a_kept_set(queens6: Model, names: tuple[str, str], by: int) -> None:
    kept = observed(queens6, Scripted(names[0]), Want.ALL)
    bare = observed(queens6, Scripted(names[1], miscount(by)), Want.COUNT)
    accused = names[1] if by < 0 else f"{names[1]} or {names[0]}"
    assert codes(queens6, kept, bare) == [(Code.COUNT_DIFF, accused, (names[0],))]
    assert codes(queens6, bare, kept) == [(Code.COUNT_DIFF, accused, (names[0],))]


def test_an_equal_count_is_no_disagreement(queens6: Model) -> None:
    kept = observed(queens6, Scripted("kept"), Want.ALL)
    assert codes(queens6, kept, observed(queens6, Scripted("bare"), Want.COUNT)) == []


def test_two_bare_counts_disagree_once(queens6: Model) -> None:
    bare = [observed(queens6, Scripted(f"bare {k}", miscount(k)), Want.COUNT) for k in (0, 1)]
    assert [code for code, _, _ in codes(queens6, *bare)] == [Code.COUNT_DIFF]


def test_a_count_that_claims_nothing_is_not_compared(queens6: Model) -> None:
    kept = observed(queens6, Scripted("kept"), Want.ALL)
    bare = observed(queens6, Scripted("bare", miscount(-1)), Want.COUNT)
    assert codes(queens6, kept, dataclasses.replace(bare, claims_all=False)) == []


def test_who_is_as_good_as_the_optimum_does_not_cross_it() -> None:
    model = Model()
    x = model.intvar(0, 3, shape=2, name="x")
    model.add(x[0] + x[1] == 3)
    for direction in (model.minimize, model.maximize):
        direction(x[0])
        found = [observed(model, Scripted(name), Want.BEST) for name in "ab"]
        assert all(o.claims_all and o.best is not None for o in found)
        assert codes(model, *found) == []


def test_who_shares_a_member_or_an_exporter_is_no_second_witness(queens6: Model) -> None:
    plain = [observed(queens6, Scripted(name), Want.ALL) for name in "abc"]
    families = [("x", "y"), ("x",), ("y",)]
    seen = [dataclasses.replace(o, families=frozenset(f)) for o, f in zip(plain, families, strict=True)]
    assert Case(queens6, tuple(seen)).independent("abc") == 2
    assert Case(queens6, tuple(seen)).independent("ab") == 1
    exported = tuple(dataclasses.replace(o, exporter="text") for o in seen)
    assert Case(queens6, exported).independent("bc") == 1


def test_of_solvers_that_answered_together_those_count_that_prove() -> None:
    race = Scripted("race")
    assert named.families(race, None) == {"race"}
    assert named.families(race, None, ["backtracking:check", "local-search"]) == {"backtracking"}
    assert named.families(race, None, ["cpsat", "backtracking"]) == {"cpsat", "backtracking"}
    assert named.families(race, None, ["local-search"]) == {"race"}


class Overbearing(Scripted):
    """Says that it saw everything, also after it was told to stop."""

    def run(self, model: Model, request: Request, deliver: Deliver) -> Ended:
        ended = super().run(model, request, deliver)
        return dataclasses.replace(ended, exhausted=True, stop_reason=StopReason.EXHAUSTED)


@pytest.mark.parametrize(("limit", "everything"), [(2, False), (None, True)])
def test_who_was_told_to_stop_has_not_seen_everything(
    queens6: Model, limit: int | None, everything: bool
) -> None:
    plan = Plan(Want.ALL, (0,), Packing(queens6), solution_limit=limit)
    seen = BackendParticipant("overbearing", Overbearing("overbearing")).observe(queens6, plan)
    assert seen.claims_all is everything
