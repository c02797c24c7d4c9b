"""Pumpkin as a prover: an export that tags every constraint, and its log, in DRCP, as one of ours.

Lines of DRCP, after the format's own description (the crate drcp-format, 0.3): ``a 3 [x1 >= 5]`` gives a
literal a number, which is negative where it is denied. ``i 7 1 2 0 -3 c:4 l:linear_bounds`` is an
*inference*: 1 and 2 imply the denial of 3, or nothing, by the constraint that was tagged 4, or by the nogood
4. ``n 9 1 2 0 7`` is a nogood, 1 and 2 are not true together, *derived* by unit propagation over 7. ``c
UNSAT`` or a literal, a bound of the objective, is its conclusion.

Source: Flippo, Sidorov, Marijnissen, Smits and Demirovic, "A multi-stage proof logging framework to certify
the correctness of CP solvers", CP 2024; the library `pumpkin-solver`.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from cpqueens.backends.base import Deliver, Ended, Feature, Request, Want
from cpqueens.backends.cpmpy.backend import ask, plain
from cpqueens.backends.cpmpy.serving import answer_all
from cpqueens.backends.proving.backend import Prover, definition_of, objective_of, text_of
from cpqueens.backends.proving.propagators import NewVariables, forms_of
from cpqueens.errors import BackendFault, MissingLibrary, UnsupportedConstraint
from cpqueens.language.statement import Statement
from cpqueens.proofs.log import HEADER
from cpqueens.proofs.parts import Domains, Literal, ModelPart, ModelParts, Row, denied, goals_of, related
from cpqueens.proofs.refuters import ends

NAME = "cpmpy:pumpkin"

_LARGEST = 2**31 - 1
"""It computes with 32 bits."""

_ATOM = re.compile(r"a (\d+) \[x(\d+) (>=|<=|==|!=) (-?\d+)\]\Z")
_STEP = re.compile(r"(?:i|n) (\d+)((?: -?[1-9]\d*)*)(?: 0((?: -?\d+)*))?(?: c:(\d+))?(?: l:\w+)?\Z")

_RELATIONS = {"<=": "LessThanOrEquals", "==": "Equals", "!=": "NotEquals"}

Make = Callable[[Any], Any]
"""What makes a constraint of a tag."""


@dataclass
class PumpkinProver(Prover):
    """One run of Pumpkin with its log, which is translated into one of ours."""

    name: str = NAME
    features: frozenset[Feature] = frozenset({Feature.OBJECTIVE})

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
        assert self.write is not None
        with TemporaryDirectory() as folder:
            place = Path(folder) / "run.proof"
            question = (plain(model), request.want is Want.BEST, place)
            ended = ask("pumpkin with a proof", f"{__name__}:serve", question, request, deliver, {})
            if place.exists():
                with place.open(encoding="ascii") as lines:
                    for line in lines:
                        self.write(line.rstrip())
        return ended


def prove(
    export: PumpkinExport,
    status: str,
    row: list[int] | None,
    log: Iterable[str],
    write: Callable[[str], None],
) -> None:
    """Write a log of Pumpkin, and what else a proof of ours has."""
    model, sums = export.model, export.new.sums
    write(HEADER)
    write(f"model {model.variable_count} {len(model.constraints)}")
    for term, v in sums.items():
        write(definition_of(v, term))
    parts = [name for name, _, _ in export.posts]  # of what was tagged 1, 2 and so on
    last = _translate(log, parts, export.new.domains, write) + 1
    values = " ".join(map(str, row or ()))
    if row is not None:
        write(f"o {values}" if model.goals else f"s {last} {values}")
    if status == "Optimal":
        (goal,) = goals_of(model)
        write(f"m {last} : better x{sums[goal]}*-1" if goal in sums else f"i {last} better")


def _translate(log: Iterable[str], parts: list[str], domains: Domains, write: Callable[[str], None]) -> int:
    """Write the steps of a log of Pumpkin; return the greatest number of a clause.

    What ``domains`` say by themselves is not a step of ours, nor an inference that repeats a nogood.
    """
    atoms: dict[int, Literal] = {}
    same: dict[str, str] = {}  # the clause that an inference repeats, or nothing
    stage: list[str] = []  # inferences behind the last nogood: nothing after the next one uses them
    greatest = 0
    for line in map(str.strip, log):
        atom, step = _ATOM.match(line), _STEP.match(line)
        try:
            if atom is not None:
                atoms[int(atom[1])] = literal = int(atom[2]), atom[3], int(atom[4])
                atoms[-int(atom[1])] = denied(literal)
            elif step is not None:
                number, premises, rest, tag = step[1], step[2], step[3] or "", int(step[4] or 0)
                greatest = max(greatest, int(number))
                clause = [atoms[-int(word)] for word in premises.split()]
                if line[0] == "n":
                    used = " ".join([same.get(word, word) for word in rest.split()])
                    write(f"d {number}{text_of(clause)} : {used}")
                    if stage:
                        write(f"f {' '.join(stage)}")
                    stage, same = [], {}
                    continue
                clause += [atoms[int(word)] for word in rest.split()]
                if not tag or any(domains.holds(one) for one in clause):
                    same[number] = ""
                elif tag > len(parts):
                    same[number] = str(tag)
                else:
                    write(f"i {number} {parts[tag - 1]}{text_of(clause)}")
                    stage.append(number)
            elif line and line[0] != "c":
                raise KeyError(line)
        except KeyError:
            raise BackendFault(f"{NAME}: {line[:60]!r} is not a line of DRCP", "CRASH") from None
    return greatest


def serve(connection: Any, _name: str) -> None:
    """Answer questions ``(model, whether the best is wanted, where the proof goes)``."""
    answer_all(connection, partial(_answer, connection))


def _answer(connection: Any, model: Statement, best: bool, place: Path) -> tuple[Any, ...]:
    """Solve a model, write the proof, and send the solution."""
    drcp = place.with_suffix(".drcp")
    export, status, row = solve_logged(str(drcp), model, best)
    with drcp.open(encoding="ascii") as log, place.open("w", encoding="ascii") as lines:
        prove(export, status, row, log, partial(print, file=lines))
    if row is not None:
        connection.send(("rows", np.array([row], dtype=np.int64)))
    exhausted = status in ("Unsatisfiable", "Optimal")
    return "ended", exhausted, objective_of(model, row) if exhausted and best and row is not None else None


def solve_logged(place: str, model: Statement, best: bool) -> tuple[PumpkinExport, str, list[int] | None]:
    """Return what was exported, Pumpkin's status, and its solution; its log is in a file then."""
    import pumpkin_solver
    from pumpkin_solver import constraints, optimisation

    goals = goals_of(model) if best else []
    if len(goals) > 1:
        raise UnsupportedConstraint("several objectives are not exported")
    there = pumpkin_solver.Model(proof=place)
    export = PumpkinExport(model, there, constraints)
    objective = None
    if goals and goals[0][0]:  # one without variables has its value in any solution
        objective = export.view(goals[0])
    tags = [there.new_constraint_tag() for _ in export.posts]  # all before its log begins to number steps
    for (_, make, premise), tag in zip(export.posts, tags, strict=True):
        if premise is None:
            there.add_constraint(make(tag))
        else:
            there.add_implication(make(tag), premise)
    if objective is None:
        outcome = there.satisfy()
    else:
        outcome = there.optimise(objective, direction=optimisation.Direction.Minimise)
    status, row = type(outcome).__name__.rpartition("_")[2], None
    if hasattr(outcome, "_0"):
        status = "Optimal" if goals and objective is None else status
        row = [int(outcome._0.int_value(export.integers[v])) for v in model.decisions.tolist()]
    return export, status, row


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
        self.new = NewVariables(model)
        self.posts: list[tuple[str, Make, Any]] = []  # of which part, and the Boolean that implies it, if any
        self.integers: list[Any] = []
        self._booleans: dict[int, Any] = {}
        for v in range(model.variable_count):
            self._add_variable(v)
        parts = ModelParts(model)
        for name in parts.names:
            self._post(parts[name])

    def _add_variable(self, v: int) -> None:
        low, high = self._ends(((v,), (1,), 0))
        if low < 0 or high > 1:
            self.integers.append(self.there.new_integer_variable(low, high, name=f"x{v}"))
        else:
            self._booleans[v] = self.there.new_boolean_variable(name=f"x{v}")
            self.integers.append(self._booleans[v].as_integer())
            if low == high:  # a part needs no name where the domains say it
                self._post(related("", ((v,), (1,), -low), "=="))
        for value in sorted(self.new.domains.gone[v]):
            self._post(related("", ((v,), (1,), -value), "!="))

    # ---- terms ------------------------------------------------------------------------------------

    def view(self, row: Row) -> Any:
        """Return a term: of one variable a view of it, of several, or none, a new variable."""
        self._ends(row)
        (v,), (factor,), constant = self.new.view(row)
        if v == len(self.integers):
            self._add_variable(v)
            self._post(self.new.definitions()[-1])
        return self.integers[v].scaled(factor).offset(constant)

    def _ends(self, row: Row) -> tuple[int, int]:
        low, high = ends(row, self.new.domains)
        if max(-low, high) + abs(row[2]) > _LARGEST:
            raise UnsupportedConstraint(f"integers up to {_LARGEST}, and one may be {max(-low, high)}")
        return low, high

    def _constants(self, part: ModelPart, field: str) -> list[int]:
        """Return terms that are numbers, none of them negative."""
        sides = [ends(row, self.new.domains) for row in part.fields[field]]
        if any(low != high or low < 0 for low, high in sides):
            raise UnsupportedConstraint(f"{part.kind} is exported with numbers from 0 as {field} only")
        return [low for low, _ in sides]

    # ---- constraints ------------------------------------------------------------------------------

    def _post(self, part: ModelPart) -> None:
        """Note the constraints that a part is."""
        f, kind = part.fields, part.kind
        forms = forms_of(part, self.new.scratch)
        for (variables, factors, constant), relation, condition in forms:
            self._ends((variables, factors, constant))
            terms = [self.integers[v].scaled(a) for v, a in zip(variables, factors, strict=True)]
            if not terms:  # of none it makes an end of its process
                terms, constant = [self.view(((), (), constant))], 0
            premise = None
            if condition is not None:
                truth = self._booleans[condition[0]]
                premise = truth if condition[2] else truth.negate()
            make = getattr(self.kinds, _RELATIONS[relation])
            self.posts.append((part.name, partial(make, terms, -constant), premise))
        if forms:
            return
        if kind in ("Cumulative", "NoOverlap"):
            arguments = self._tasks(part)
        elif kind in ("AllDifferent", "Table", "NegativeTable"):
            arguments = [list(map(self.view, f["terms"])), *([f["rows"]] if "rows" in f else [])]
        elif kind in ("abs", "product", "maximum", "minimum", "element"):
            arguments = [*self._arguments(part), self.integers[f["result"]]]
        else:
            raise UnsupportedConstraint(f"{kind} is not exported")
        name = {"NoOverlap": "Cumulative", "abs": "Absolute", "product": "Times"}.get(
            kind, kind[:1].upper() + kind[1:]
        )
        self.posts.append((part.name, partial(getattr(self.kinds, name), *arguments), None))

    def _tasks(self, part: ModelPart) -> list[Any]:
        early = min([ends(row, self.new.domains)[0] for row in part.fields["start"]], default=0)
        starts = [self.view(row).offset(-early) for row in part.fields["start"]]  # it errs before the time 0
        if set(self._constants(part, "present")) - {1} or any(
            self._constants(part, "setup") if "setup" in part.fields else ()
        ):
            raise UnsupportedConstraint(f"{part.kind} with optional tasks or setups is not exported")
        durations = self._constants(part, "duration")
        if part.kind == "NoOverlap":
            return [starts, durations, [1] * len(starts), 1]
        return [starts, durations, self._constants(part, "demand"), self._constants(part, "capacity")[0]]

    def _arguments(self, part: ModelPart) -> list[Any]:
        first, *others = part.fields["arguments"]
        if part.kind == "element":
            low, high = ends(first[0], self.new.domains)
            if low < 0 or high >= len(others[0]):
                raise UnsupportedConstraint("an element at a position outside its table is not exported")
            return [self.view(first[0]), list(map(self.view, others[0]))]
        terms = [self.view(argument[0]) for argument in part.fields["arguments"]]
        return [terms] if part.kind in ("maximum", "minimum") else terms
