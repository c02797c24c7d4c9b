"""Pumpkin as a prover: an export that tags every constraint, so that its log can be checked as one of ours.

Source: Flippo, Sidorov, Marijnissen, Smits and Demirovic, "A multi-stage proof logging framework to certify
the correctness of CP solvers", CP 2024; the library `pumpkin-solver`.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import Deliver, Ended, Feature, Order, Parameter, Request, Want
from cpqueens.backends.proving.drcp import translate
from cpqueens.backends.proving.search import clauses_of
from cpqueens.errors import BackendFault, MissingLibrary, UnsupportedConstraint
from cpqueens.language.constraints.linear import OPPOSITE
from cpqueens.language.statement import Statement
from cpqueens.proofs.domains import Domains, Literal
from cpqueens.proofs.log import HEADER
from cpqueens.proofs.parts import ModelPart, ModelParts, Row, goals_of
from cpqueens.proofs.refuters import ends
from cpqueens.system.children import Worker
from cpqueens.text.plaintext import one_line

NAME = "cpmpy:pumpkin"

_LARGEST = 2**31 - 1
"""It computes with 32 bits."""

_LOOK_EVERY = 0.05  # seconds between looks at limits and signals

_Post = tuple[Callable[[Any], Any], Any]
"""What makes a constraint of a tag, and the Boolean that implies it, or None."""


@dataclass
class PumpkinProver:
    """One run of Pumpkin with its log, which is translated into one of ours.

    Parameters
    ----------
    write
        Takes lines of the proof.
    """

    write: Callable[[str], None]
    name: str = NAME
    proves: bool = True
    features: frozenset[Feature] = frozenset({Feature.OBJECTIVE})
    order: Order = Order.ANY
    strategies: tuple[str, ...] = ()
    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    def run(self, model: Statement, request: Request, deliver: Deliver) -> Ended:
        """Let it solve in a process of its own, and translate what it wrote.

        Raises
        ------
        MissingLibrary
            Where it is not installed.
        UnsupportedConstraint
            For what the export does not have.
        BackendFault
            If it fails.
        """
        if importlib.util.find_spec("pumpkin_solver") is None:
            raise MissingLibrary(f"proof by {NAME}: pip install pumpkin-solver")
        started = time.monotonic()
        plain = model.copy()
        plain.view = plain._giver = None
        with TemporaryDirectory() as folder:
            place = Path(folder) / "run.drcp"
            worker = Worker(f"{__name__}:serve", (str(place), plain, request.want is Want.BEST))
            try:
                while not worker.connection.poll(_LOOK_EVERY):
                    if request.should_stop():
                        return Ended(False, request.why_stopped())
                kind, *said = worker.connection.recv()
            except (EOFError, ConnectionError) as error:
                raise BackendFault(f"{NAME} crashed with code {worker.end(1.0)}", "CRASH") from error
            finally:
                worker.end()
            if kind == "unsupported":
                raise UnsupportedConstraint(f"{NAME} with a proof: {said[0]}")
            if kind == "failed":
                raise BackendFault(f"{NAME} crashed: {one_line(said[0])[:300]}", "CRASH")
            solved = time.monotonic()
            status, row, parts, sums = said
            with place.open(encoding="ascii") as lines:
                best = prove(model, status, row, parts, sums, lines, self.write)
        if row is not None:
            deliver(np.array([row], dtype=np.int64))
        facts = {"solve_time": solved - started, "translate_time": time.monotonic() - solved}
        if status in ("Unsatisfiable", "Optimal"):
            return Ended(True, StopReason.EXHAUSTED, objective=best, bound=best, statistics=facts)
        return Ended(False, StopReason.SOLUTION_LIMIT if row else StopReason.GAVE_UP, statistics=facts)


def prove(
    model: Statement,
    status: str,
    row: list[int] | None,
    parts: list[str],
    sums: list[Row],
    lines: Any,
    write: Callable[[str], None],
) -> int | None:
    """Write a log of Pumpkin, and what else a proof of ours has; return the objective of the solution.

    ``parts`` are the names of what was tagged 1, 2 and so on, ``sums`` the new variables.
    """
    write(HEADER)
    write(f"model {model.variable_count} {len(model.constraints)}")
    domains = Domains.of(model)
    for variables, coefficients, constant in sums:
        terms = "".join([f" {v}*{a}" for v, a in zip(variables, coefficients, strict=True)])
        write(f"n {len(domains.low)}{terms} : {constant}")
        domains.add(*ends((variables, coefficients, constant), domains))
    last = translate((line.rstrip("\n") for line in lines), parts, domains, write) + 1
    if row is None:
        return None
    values = " ".join(map(str, row))
    if not model.goals:
        write(f"s {last} {values}")
        return None
    write(f"o {values}")
    (goal,) = goals_of(model)
    if status == "Optimal" and goal in sums:
        write(f"m {last} : better x{model.variable_count + sums.index(goal)}*-1")
    elif status == "Optimal":
        write(f"i {last} better")
    matrix = np.array([row], dtype=np.int64)
    return int(model.goals[0].term.evaluate(model.complete(matrix, model.decisions))[0, 0])


def serve(connection: Any, place: str, model: Statement, best: bool) -> None:
    """Solve a model with the log in a file, and send how it ended.

    That is ``("ended", status, row, parts, sums)``, ``("unsupported", why)`` or ``("failed", why)``.
    """
    try:
        connection.send(_solved(place, model, best))
    except UnsupportedConstraint as error:
        connection.send(("unsupported", str(error)))
    except MemoryError:
        raise
    except BaseException as error:  # panics of Rust are none of Python's exceptions
        connection.send(("failed", f"{type(error).__name__}: {error}"))


def _solved(place: str, model: Statement, best: bool) -> tuple[Any, ...]:
    import pumpkin_solver
    from pumpkin_solver import constraints, optimisation

    there = pumpkin_solver.Model(proof=place)
    export = PumpkinExport(model, there, constraints)
    goals = goals_of(model) if best else []
    if len(goals) > 1:
        raise UnsupportedConstraint("several objectives are not exported")
    if goals and goals[0][0]:
        objective = export.view(goals[0])
        export.post()
        outcome = there.optimise(objective, direction=optimisation.Direction.Minimise)
    else:  # a solution has the only value of an objective without variables
        export.post()
        outcome = there.satisfy()
    status, row = type(outcome).__name__.rpartition("_")[2], None
    if hasattr(outcome, "_0"):
        status = "Optimal" if goals and not goals[0][0] else status
        row = [export.value(outcome._0, v) for v in model.decisions.tolist()]
    there = export.there = outcome = None  # the log is complete when nothing holds it any more
    return "ended", status, row, export.tagged, export.sums


class PumpkinExport:
    """A model as variables and tagged constraints of Pumpkin; all variables have names.

    What it says about a variable without a name is left out of its log.

    Parameters
    ----------
    model
        What is exported.
    there
        A model of Pumpkin.
    kinds
        Its constraints, by name.

    Raises
    ------
    UnsupportedConstraint
        For what is not exported.
    """

    def __init__(self, model: Statement, there: Any, kinds: Any) -> None:
        self.model, self.there, self.kinds = model, there, kinds
        self.tagged: list[str] = []
        self.sums: list[Row] = []
        self._domains = Domains.of(model)
        self._posts: list[_Post] = []
        self._views: dict[Row, Any] = {}
        self._booleans: dict[int, Any] = {}
        self._integers = [self._variable(v) for v in range(model.variable_count)]
        parts = ModelParts(model)
        for name in parts.names():
            part = parts[name]
            clauses = clauses_of(part, model)
            made = self._made(part) if clauses is None else [self._clause(clause) for clause in clauses]
            for post in made:
                self._tag(name, post)

    def _variable(self, v: int) -> Any:
        low, high = self._domains.low[v], self._domains.high[v]
        if max(-low, high) > _LARGEST:
            raise UnsupportedConstraint(f"integers up to {_LARGEST}, and one may be {max(-low, high)}")
        if low < 0 or high > 1:
            found = self.there.new_integer_variable(low, high, name=f"x{v}")
        else:
            self._booleans[v] = self.there.new_boolean_variable(name=f"x{v}")
            found = self._booleans[v].as_integer()
            if low == high:  # the tag is of no use: the checker knows the domains
                self._tag("", (self._bound(found, "==", low), None))
        for value in sorted(self._domains.gone[v]):
            self._tag("", (self._bound(found, "!=", value), None))
        return found

    def _bound(self, variable: Any, relation: str, value: int) -> Callable[[Any], Any]:
        kind = self.kinds.Equals if relation == "==" else self.kinds.NotEquals
        return lambda tag: kind([variable], value, tag)

    def _tag(self, name: str, post: _Post) -> None:
        self.tagged.append(name)
        self._posts.append(post)

    def post(self) -> None:
        """Post all constraints; tags come first, since the steps of its log are numbered on from them."""
        tags = [self.there.new_constraint_tag() for _ in self._posts]
        for (make, premise), tag in zip(self._posts, tags, strict=True):
            if premise is None:
                self.there.add_constraint(make(tag))
            else:
                self.there.add_implication(make(tag), premise)

    def value(self, solution: Any, v: int) -> int:
        """Return the value of a variable in a solution."""
        return int(solution.int_value(self._integers[v]))

    # ---- terms ------------------------------------------------------------------------------------

    def view(self, row: Row) -> Any:
        """Return a term: of one variable a view of it, of several, or none, a new variable."""
        if row not in self._views:
            self._views[row] = self._view(row)
        return self._views[row]

    def _view(self, row: Row) -> Any:
        variables, coefficients, constant = row
        low, high = self._ends(row)
        if len(variables) == 1:
            return self._integers[variables[0]].scaled(coefficients[0]).offset(constant)
        index = self.model.variable_count + len(self.sums)
        self.sums.append(row)
        found = self.there.new_integer_variable(low, high, name=f"x{index}")
        terms = [self._integers[v].scaled(a) for v, a in zip(variables, coefficients, strict=True)]
        self._tag(
            f"x{index}", (lambda tag: self.kinds.Equals([*terms, found.scaled(-1)], -constant, tag), None)
        )
        return found

    def _ends(self, row: Row) -> tuple[int, int]:
        low, high = ends(row, self._domains)
        if max(-low, high) + sum(map(abs, row[1])) + abs(row[2]) > _LARGEST:
            raise UnsupportedConstraint(f"integers up to {_LARGEST}, and a term may be {max(-low, high)}")
        return low, high

    def _views_of(self, part: ModelPart, field: str) -> list[Any]:
        return [self.view(row) for row in part.fields[field]]

    def _constants(self, part: ModelPart, field: str) -> list[int]:
        """Return terms that are numbers."""
        sides = [ends(row, self._domains) for row in part.fields[field]]
        if any(low != high for low, high in sides):
            raise UnsupportedConstraint(f"{part.kind} with terms as {field} is not exported")
        return [low for low, _ in sides]

    # ---- constraints ------------------------------------------------------------------------------

    def _clause(self, clause: list[Literal]) -> _Post:
        literals = [self._booleans[v] if o == ">=" else self._booleans[v].negate() for v, o, _ in clause]
        return lambda tag: self.kinds.Clause(literals, tag), None

    def _related(self, row: Row, relation: str) -> Callable[[Any], Any]:
        self._ends(row)
        sign = -1 if relation in (">=", ">") else 1
        terms = [self._integers[v].scaled(sign * a) for v, a in zip(row[0], row[1], strict=True)]
        limit = -sign * row[2] - (relation in ("<", ">"))
        names = {"==": "Equals", "!=": "NotEquals"}
        return lambda tag: getattr(self.kinds, names.get(relation, "LessThanOrEquals"))(terms, limit, tag)

    def _made(self, part: ModelPart) -> list[_Post]:
        """Return the constraints that a part is, which are none of clauses."""
        fields, kinds = part.fields, self.kinds
        if part.kind == "Linear":
            return [(self._related(fields["expression"][0], fields["relation"]), None)]
        if part.kind == "truth" and fields["inner"].kind == "Linear":
            (row,), relation = fields["inner"].fields["expression"], fields["inner"].fields["relation"]
            truth = self._booleans[fields["result"]]
            opposite = self._related(row, OPPOSITE[relation])
            return [(self._related(row, relation), truth), (opposite, truth.negate())]
        if part.kind == "AllDifferent":
            terms = self._views_of(part, "terms")
            return [(lambda tag: kinds.AllDifferent(terms, tag), None)]
        if part.kind in ("Increasing", "Decreasing"):
            rows = fields["terms"] if part.kind == "Increasing" else fields["terms"][::-1]
            relation = "<" if fields["strict"] else "<="
            return [(self._related(_difference(a, b), relation), None) for a, b in pairwise(rows)]
        if part.kind in ("Table", "NegativeTable"):
            terms, entries = self._views_of(part, "terms"), fields["rows"]
            return [(lambda tag: getattr(kinds, part.kind)(terms, entries, tag), None)]
        if part.kind in ("Cumulative", "NoOverlap"):
            return [self._tasks(part)]
        if part.kind in ("abs", "product", "maximum", "minimum", "element"):
            return [self._function(part)]
        raise UnsupportedConstraint(f"{part.kind} is not exported")

    def _tasks(self, part: ModelPart) -> _Post:
        early = min([ends(row, self._domains)[0] for row in part.fields["start"]], default=0)
        starts = [view.offset(-early) for view in self._views_of(part, "start")]  # it errs before the time 0
        durations = self._constants(part, "duration")
        if set(self._constants(part, "present")) - {1} or (
            "setup" in part.fields and any(self._constants(part, "setup"))
        ):
            raise UnsupportedConstraint(f"{part.kind} with optional tasks or setups is not exported")
        demands, capacity = [1] * len(starts), 1
        if part.kind == "Cumulative":
            demands, (capacity,) = self._constants(part, "demand"), self._constants(part, "capacity")
        if min([capacity, *durations, *demands]) < 0:
            raise UnsupportedConstraint(f"{part.kind} with negative numbers is not exported")
        return lambda tag: self.kinds.Cumulative(starts, durations, demands, capacity, tag), None

    def _function(self, part: ModelPart) -> _Post:
        first, *others = part.fields["arguments"]
        result = self._integers[part.fields["result"]]
        if part.kind == "element":
            low, high = ends(first[0], self._domains)
            if low < 0 or high >= len(others[0]):
                raise UnsupportedConstraint("an element at a position outside its table is not exported")
            table, place = [self.view(row) for row in others[0]], self.view(first[0])
            return lambda tag: self.kinds.Element(place, table, result, tag), None
        terms = [self.view(argument[0]) for argument in part.fields["arguments"]]
        if part.kind in ("maximum", "minimum"):
            return lambda tag: getattr(self.kinds, part.kind.capitalize())(terms, result, tag), None
        kind = self.kinds.Absolute if part.kind == "abs" else self.kinds.Times
        return lambda tag: kind(*terms, result, tag), None


def _difference(a: Row, b: Row) -> Row:
    return (*a[0], *b[0]), (*a[1], *[-k for k in b[1]]), a[2] - b[2]
