"""Which models are nothing but the lines of queens; what their kernels do is in `test_many_runs`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cpqueens.models.queens import queens
from cpqueens.models.toroidal_queens import toroidal_queens

from cpqueens import AllDifferent, Model
from cpqueens.backends.local_search.lines import assigned, swapped
from cpqueens.backends.local_search.search import Search
from cpqueens.lowered.forms import compile_model


def with_one_more(constraint: str) -> Callable[[], Model]:
    """Return what makes 6 queens with a further constraint."""

    def make() -> Model:
        model = queens(6)
        q = model["q"]
        more = {"sum": q[0] + q[1] <= 9, "part": AllDifferent(q[:4] + 2 * q[1:5])}
        model.add(more[constraint])
        return model

    return make


def reversed_lines() -> Model:
    """Return queens whose diagonals are written with a negative factor."""
    model = Model()
    q = model.intvar(0, 5, shape=6, name="q")
    model.add(AllDifferent(q), AllDifferent(q + range(6)), AllDifferent(range(6) - q))
    return model


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda: queens(6), (True, True)),
        (reversed_lines, (False, False)),
        (with_one_more("sum"), (False, False)),
        (with_one_more("part"), (False, False)),
        (lambda: toroidal_queens(5), (False, False)),
    ],
)
def test_lines_are_found_where_there_is_nothing_else(
    make: Callable[[], Model], found: tuple[bool, bool]
) -> None:
    compiled = compile_model(make(), backend="local-search")
    assigning, swapping = Search(compiled, assignment_only=True), Search(compiled)
    assert (assigned(assigning) is not None, swapped(swapping) is not None) == found
    assert assigned(swapping) is None, "a group moves by swaps"
