"""For tests of models and backends, ours and yours: random models and a conformance suite.

A backend of another package is tested by subclassing `BackendConformance` in a test module:

    from cpqueens.testing import BackendConformance

    class TestMine(BackendConformance):
        solver = "mine"
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.answers.outcome import Status, StopReason
from cpqueens.backends.base import Backend, Clock, Ended, Feature, Order, Parameter, Request, Want
from cpqueens.backends.clock import by_processor
from cpqueens.backends.named import parameters_of
from cpqueens.errors import UnsupportedConstraint, UnsupportedRequest
from cpqueens.fuzzing.fuzz import assert_agree as assert_agree
from cpqueens.fuzzing.generate import CONTEXTS, random_model
from cpqueens.language.constraints.all_different import AllDifferent
from cpqueens.language.functions import element
from cpqueens.language.rows import IntArray
from cpqueens.model import Model
from cpqueens.solving.request import named_solver
from cpqueens.text.foreign import explaining_keywords

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Rows = set[tuple[int, ...]]


@explaining_keywords
def random_models(
    *, kinds: Iterable[str] | None = None, contexts: Iterable[str] = CONTEXTS, constraints: int = 4
) -> SearchStrategy[Model]:
    """Return a Hypothesis strategy of the models of `cpqueens.fuzzing.generate.random_model`.

    Examples shrink towards fewer variables, constraints and simpler terms. Needs Hypothesis.
    """
    from hypothesis import strategies

    options: dict[str, Any] = {"contexts": tuple(contexts), "constraints": constraints}
    options["kinds"] = None if kinds is None else tuple(kinds)
    return strategies.randoms(use_true_random=False).map(lambda random: random_model(random, **options))


@explaining_keywords
def all_solutions(model: Model) -> Rows:
    """Return every solution of a tiny model by checking every assignment of its decision variables."""
    domains = [model.domain_values(v, 10**6).tolist() for v in model.decisions.tolist()]
    grid = np.array(list(itertools.product(*domains)), dtype=np.int64).reshape(-1, len(domains))
    return {tuple(row) for row in grid[Checker(model).accepts(grid)].tolist()}


@explaining_keywords
def queens(n: int) -> Model:
    """Return the n-queens model: the column of the queen in each row."""
    model = Model("queens")
    q, i = model.intvar(0, n - 1, shape=n, name="q"), np.arange(n)
    model += [AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i)]
    return model


def largest_sum() -> Model:
    """Return a model whose optimum is 7: x + y at most 7, both at most 5, and their sum to be maximised."""
    model = Model("largest sum")
    x = model.intvar(0, 5, shape=2, name="x")
    model.add(x.sum() <= 7)
    model.maximize(x.sum())
    return model


class BackendConformance:
    """What every backend must do; name yours in ``solver``. Each method is a test.

    A backend that takes only some constraints or numbers says in ``may_refuse`` which share of the random
    models it may call unsupported; by default it takes all of them. One that computes with few bits names the
    ``largest`` integer that it takes: models that declare a larger one are not for it, and are passed over.
    """

    solver: str
    seeds: Iterable[int] = range(60)
    may_refuse: float = 0.0
    largest: int = 2**62

    # ---- how the tests run it -------------------------------------------------------------------

    @property
    def backend(self) -> Backend:
        """The backend under test."""
        return named_solver(self.solver)[1]

    def has(self, feature: Feature) -> bool:
        """Say whether the backend declares a feature."""
        return feature in self.backend.features

    def run(self, model: Model, want: Want, stop_at: int | None = None, **options: Any) -> _Received:
        """Run the backend without the pipeline and return what it delivered and how it ended."""
        received = _Received(stop_at)
        options.setdefault("clock", Clock(20.0))
        request = Request(want=want, strategy=named_solver(self.solver)[2], **options)
        received.ended = self.backend.run(model, request, received.deliver)
        return received

    @property
    def listing(self) -> Want:
        """What is asked for in order to get some solution: all of them where the backend can list."""
        return Want.ALL if self.has(Feature.ENUMERATE) else Want.ONE

    def list_all(self, model: Model) -> Rows | None:
        """Return all solutions, None after asserting that a backend that cannot list them refuses."""
        if self.has(Feature.ENUMERATE):
            outcome = model.enumerate(solver=self.solver)
            assert outcome.complete == self.backend.proves
            rows = [tuple(row) for row in outcome.solutions.matrix.tolist()]
            assert len(rows) == len(set(rows)) == outcome.count
            return set(rows)
        try:
            model.enumerate(solver=self.solver)
        except UnsupportedRequest:
            return None
        raise AssertionError(f"{self.solver} lists solutions without declaring it")

    # ---- the tests ------------------------------------------------------------------------------

    def test_declares_its_contract(self) -> None:
        """The declared data have the right types."""
        backend = self.backend
        assert backend.name == self.solver.partition(":")[0]
        assert isinstance(backend.proves, bool)
        assert isinstance(backend.order, Order)
        assert all(isinstance(f, Feature) for f in backend.features)
        assert isinstance(backend.strategies, tuple)
        for strategy in (None, *backend.strategies):
            assert all(isinstance(p, Parameter) for p in parameters_of(backend, strategy).values())

    def test_lists_every_solution_once(self) -> None:
        """All four solutions of 6-queens (OEIS A000170), and nothing else."""
        found = self.list_all(queens(6))
        expected = {(1, 3, 5, 0, 2, 4), (2, 5, 1, 4, 0, 3), (3, 0, 4, 1, 5, 2), (4, 2, 0, 5, 3, 1)}
        assert found is None or found == expected

    def test_keeps_its_order(self) -> None:
        """What is delivered is ordered or distinct as promised."""
        rows = self.run(queens(6), self.listing).rows
        if self.backend.order is Order.LEXICOGRAPHIC:
            assert all(a < b for a, b in itertools.pairwise(rows))
        if self.backend.order is Order.DISTINCT:
            assert len(set(rows)) == len(rows)

    def test_delivers_integer_matrices(self) -> None:
        """Batches are int64 with one column for each decision variable."""
        for batch in self.run(queens(6), self.listing).batches:
            assert batch.dtype == np.int64
            assert batch.ndim == 2
            assert batch.shape[1] == 6
            assert len(batch)

    def test_stops_when_told(self) -> None:
        """After a refused batch nothing more is delivered, and exhaustion is not claimed."""
        received = self.run(queens(8), self.listing, stop_at=1)
        assert len(received.batches) == 1
        assert not received.ended.exhausted

    def test_stops_when_cancelled(self) -> None:
        """A cancelled run ends soon and claims nothing."""
        request: dict[str, Any] = {"interrupted": lambda: True}
        started = time.process_time()
        ended = self.run(queens(30), self.listing, **request).ended
        assert time.process_time() - started < 10
        assert not ended.exhausted
        assert ended.stop_reason is StopReason.INTERRUPTED

    def test_keeps_the_time_limit(self) -> None:
        """A run that cannot finish ends with the clock (compilation is outside it) and says so."""
        started = time.process_time()
        ended = self.run(_hopeless(), self.listing, clock=Clock(0.3)).ended
        assert time.process_time() - started < 5
        assert not ended.exhausted
        assert ended.stop_reason is StopReason.TIME_LIMIT

    def test_is_honest_about_infeasibility(self) -> None:
        """3-queens: infeasible if the backend proves, else unknown."""
        limit = None if self.backend.proves else 0.5
        outcome = queens(3).solve(solver=self.solver, time_limit=limit)
        assert outcome.status is (Status.INFEASIBLE if self.backend.proves else Status.UNKNOWN)
        assert outcome.complete == self.backend.proves
        assert outcome.count == 0

    def test_finds_the_optimum(self) -> None:
        """The best value is found (and proved, where the backend proves), or the objective refused."""
        model = largest_sum()
        if not self.has(Feature.OBJECTIVE):
            try:
                model.solve(solver=self.solver)
            except UnsupportedRequest:
                return
            raise AssertionError(f"{self.solver} takes an objective without declaring it")
        limit = None if self.backend.proves else 0.5
        with by_processor():
            outcome = model.solve(solver=self.solver, time_limit=limit)
        assert outcome.objective == 7
        assert outcome.status is (Status.OPTIMAL if self.backend.proves else Status.FEASIBLE)

    def test_ignores_the_objective_when_listing(self) -> None:
        """Listing a model with an objective gives all feasible solutions."""
        found = self.list_all(largest_sum())
        assert found is None or found == {(x, y) for x in range(6) for y in range(6) if x + y <= 7}

    def test_leaves_the_model_alone(self) -> None:
        """Solving changes nothing, and works twice."""
        model = queens(6)
        before = (model.variable_count, len(model.constraints), len(model.definitions))
        first = model.solve(solver=self.solver)
        assert model.solve(solver=self.solver).status is first.status
        assert (model.variable_count, len(model.constraints), len(model.definitions)) == before

    def test_knows_the_empty_model(self) -> None:
        """A model without variables has one solution, the empty one."""
        assert self.list_all(Model()) in (None, {()})
        assert Model().solve(solver=self.solver).solution is not None

    def test_counts_free_variables(self) -> None:
        """A variable in no constraint still counts."""
        model = Model()
        model.intvar(0, 1, shape=2, name="x")
        assert self.list_all(model) in (None, {(0, 0), (0, 1), (1, 0), (1, 1)})

    def test_projects_onto_decision_variables(self) -> None:
        """Defined variables are not enumerated."""
        model = Model()
        x, y = model.intvar(0, 2, shape=2, name="x")
        model.add((abs(x - y) == 1) | (x * y > 3))
        assert self.list_all(model) in (None, {(0, 1), (1, 0), (1, 2), (2, 1), (2, 2)})

    def test_knows_where_functions_are_undefined(self) -> None:
        """A truth over an undefined term is false, a posted constraint over it does not hold."""
        model = Model()
        x, y = model.intvar(0, 2, shape=2, name="x")
        model.add(~(x // y == 1) | (element([2, 1], x) == y), element([1, 0, 1], x + y) >= 0)
        assert self.list_all(model) in (None, {(0, 0), (1, 0), (2, 0), (0, 1), (0, 2), (1, 1)})

    def test_takes_a_hint(self) -> None:
        """A hint, also a wrong one, never changes what is true."""
        model = queens(8)
        hint = {"q": [0, 4, 7, 5, 2, 6, 1, 3]}
        if not self.has(Feature.HINT):
            try:
                model.solve(solver=self.solver, hint=hint)
            except UnsupportedRequest:
                return
            raise AssertionError(f"{self.solver} takes hints without declaring it")
        for values in (hint["q"], [0] * 8):
            outcome = model.solve(solver=self.solver, hint={"q": values})
            assert outcome.solution is not None
            assert outcome.solution.check().ok

    def test_repeats_itself(self) -> None:
        """The same seed gives the same answer."""
        first, second = (queens(8).solve(solver=self.solver, random_seed=7) for _ in range(2))
        assert first.solution == second.solution

    def test_agrees_with_brute_force(self) -> None:
        """Random tiny models over every kind, of which some may be refused: as trying every assignment."""
        drawn, refused = 0, {}
        for seed in self.seeds:
            model = random_model(seed)
            declared = np.concatenate([model.lower[model.decisions], model.upper[model.decisions]])
            if (abs(declared) > self.largest).any() or len(expected := all_solutions(model)) > 300:
                continue
            drawn += 1
            if self.has(Feature.ENUMERATE) and self.backend.proves:
                try:
                    assert self.list_all(model) == expected, f"seed {seed}"
                except UnsupportedConstraint as error:  # which is said before the search
                    refused[seed] = str(error)
            elif not (model.objective is not None and not self.has(Feature.OBJECTIVE)):
                outcome = model.solve(solver=self.solver, time_limit=0.2)
                assert outcome.solution is None or tuple(outcome.solution.values.tolist()) in expected
        assert len(refused) <= self.may_refuse * drawn, f"refused of {drawn}, by seed: {refused}"


def _hopeless() -> Model:
    """Return a model that nobody finishes: all solutions of 30-queens, none with two equal sums."""
    model = queens(30)
    q = model["q"]
    weights = np.arange(1, 31) ** 2
    model.add((q * weights).sum() % 9973 == 17)
    model.add((q * weights[::-1]).sum() % 9967 == 5)
    model.add((q * q * weights).sum() % 9949 == 3)
    return model


class _Received:
    """What a backend delivered in one run, and how it ended."""

    ended: Ended

    def __init__(self, stop_at: int | None) -> None:
        self.batches: list[IntArray] = []
        self._stop_at = stop_at

    def deliver(self, batch: IntArray) -> bool:
        """Keep a batch; answer whether to go on."""
        self.batches.append(batch.copy())
        return self._stop_at is None or len(self.batches) < self._stop_at

    @property
    def rows(self) -> list[tuple[int, ...]]:
        """All delivered assignments in order."""
        return [tuple(row) for batch in self.batches for row in batch.tolist()]
