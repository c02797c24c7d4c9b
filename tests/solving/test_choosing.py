"""What a solver is called means the same wherever a name is taken, heuristic+exact included."""

from __future__ import annotations

from collection.perfect_squares import DUIJVESTIJN, MORON, squares

from cpqueens.backends.base import Want
from cpqueens.cli.options import run_options
from cpqueens.crosscheck.metamorphic import _lister
from cpqueens.fuzzing.fuzz import fuzz
from cpqueens.solving.request import choose, named_solver

BOTH = "local-search:tabu+cpsat"


def test_a_hand_over_is_called_by_both_its_parts() -> None:
    name, backend, strategy = named_solver(BOTH)
    assert (name, backend.name, strategy) == (BOTH, BOTH, None)


def test_a_hand_over_takes_parameters_on_the_command_line() -> None:
    given = run_options(BOTH, ["linearization_level=0", "audit=full"])
    assert given == {"solver": BOTH, "linearization_level": 0, "audit": "full"}


def test_a_hand_over_is_fuzzed() -> None:
    assert fuzz(4, 1, [BOTH], processes=0).exit_code == 0


def test_a_hand_over_that_lists_nothing_has_its_orbits_listed_by_another() -> None:
    assert [_lister(solver) for solver in ("auto", "cpsat", BOTH)] == ["auto", "cpsat", "auto"]


def test_auto_places_many_rectangles_by_local_search() -> None:
    many, few = squares(DUIJVESTIJN, 112, 112), squares(MORON, 33, 32)
    loose, tight = squares(DUIJVESTIJN, 140, 140), squares(DUIJVESTIJN, 112, 111)
    chosen = [choose(m, "auto", Want.ONE)[0] for m in (many, few, loose, tight)]
    assert chosen == ["local-search+cpsat", "auto", "auto", "auto"]
    assert choose(many, "auto", Want.ALL)[0] == "auto"
    outcome = many.solve(time_limit=600)
    assert outcome.status == "FEASIBLE"
    assert outcome.statistics["reason"].startswith("many rectangles that fill all there is, ")
