"""Which values the library's variables get, and what a listing says that was refused its last solutions."""

from __future__ import annotations

from each import each

from cpqueens import Model
from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import Clock, Request, Want
from cpqueens.backends.python_constraint.backend import PythonConstraint
from cpqueens.language.rows import IntArray


@each("second", [[0, 2], [0, 1, 2], [0, 3]])
@each("first", [[0, 2], [0, 1, 2], [0, 3]])
def test_variables_of_equal_ends_keep_their_own_gaps(first: list[int], second: list[int]) -> None:
    m = Model()
    for name, values in (("x", first), ("y", second), ("z", first)):
        m.intvar(domain=values, name=name)
    m.intvar(0, 2, name="w")
    assert m.count(solver="python-constraint") == len(first) ** 2 * len(second) * 3


@each("values", [1, 2, 5])
@each("want", [Want.ALL, Want.COUNT])
def test_a_listing_that_is_refused_its_last_solution_is_not_complete(want: Want, values: int) -> None:
    """The search has gone through everything by then; the consumer has not seen it."""
    m = Model()
    m.intvar(1, values, name="x")
    seen: list[int] = []

    def deliver(batch: IntArray) -> bool:
        seen.extend(batch[:, 0].tolist())
        return len(seen) < values

    ended = PythonConstraint().run(m, Request(want, Clock(None)), deliver)
    assert sorted(seen) == list(range(1, values + 1))
    assert (ended.exhausted, ended.stop_reason) == (False, StopReason.SOLUTION_LIMIT)
