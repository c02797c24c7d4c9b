"""The forms in which engines take a model, how it is compiled, and which constraint its arrays come from."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import pairwise, repeat
from typing import Any, NamedTuple

import numpy as np

from cpqueens.language.arrays import concatenate_rows
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.definitions import Definition, Truth, results_of, together
from cpqueens.language.expressions import LinearArray
from cpqueens.language.posted import join_linear, joined_numbers
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.lowered.columns import merge, scaled
from cpqueens.lowered.compiled import (
    EQ,
    GE,
    RELATIONS,
    Compiled,
    DefinitionBlock,
    Definitions,
    Terms,
    Whole,
    _terms,
    offsets,
    side_by_side,
)
from cpqueens.lowered.lowering import Lowered, Supports, lower

PLAIN_KINDS = frozenset({"AllDifferent", "Count", "Linear", "Or", "Table"})

Takes = Callable[[Constraint], bool]
"""Says whether an engine takes a plain constraint as it is, instead of its decomposition."""


class ModelForm(NamedTuple):
    """What a model is compiled to.

    Attributes
    ----------
    kinds
        The plain kinds that the engine has kernels for, a subset of `PLAIN_KINDS`; others are decomposed.
    takes
        Which of the others the engine takes as they are.
    objective
        Whether the objective counts.
    computed
        Whether the engine computes definitions anew at each step, see `Constraint.computed_forms`.
    """

    kinds: frozenset[str] = PLAIN_KINDS
    takes: Takes | None = None
    objective: bool = True
    computed: bool = False


PLAIN = ModelForm()


@cache
def _supports(kinds: frozenset[str], takes: Takes | None) -> Supports:
    def supports(constraint: Constraint, context: str) -> bool:
        if context != "plain":
            return constraint.kind in _TRUTHS
        return constraint.kind in kinds or (takes is not None and takes(constraint))

    return supports


def lowered_of(model: Statement, form: ModelForm, backend: str) -> Lowered:
    """Return the model over the constraints that a form has; for errors see `lower`."""
    supports = _supports(form.kinds, form.takes)
    return lower(model, supports, backend, objective=form.objective, joined=True, computed=form.computed)


def takes_circuit(constraint: Constraint) -> bool:
    """Say whether a constraint is what tours keep."""
    stated: Any = constraint
    return stated.kind == "SubCircuit" or (stated.kind == "Circuit" and not stated.depots)


_COMMON = PLAIN_KINDS - {"Count"}
WALKED = ModelForm(computed=True)
"""What local search walks on."""
DECOMPOSED = ModelForm(_COMMON)
"""What is compared with kernels that count nothing."""
BOARD = ModelForm(_COMMON, objective=False)
"""What boards are found in."""
CIRCUITS = ModelForm(_COMMON, takes_circuit)
"""What tours are found in."""


def simplest(model: Statement, form: ModelForm) -> ModelForm:
    """Return the form that stands for all which make no difference to a model."""
    objective = form.objective and model.objective is not None
    for _, constraint in model._constraints.others():
        if constraint.kind not in _COMMON:
            return form._replace(objective=objective)
    return ModelForm(_COMMON, None, objective)


def compiled_of(model: Statement, form: ModelForm = WALKED, backend: str = "backend") -> Compiled:
    """Compile a model, or return what was made of it in this form; for errors see `compile_model`."""
    simple = model.kept(("form", form), partial(simplest, model, form))
    return model.kept(("compiled", simple), partial(compile_model, model, simple, backend))


def unfolded(compiled: Compiled) -> Compiled:
    """Return the model with the terms of a maximum that is the objective, of a minimum to be maximised."""
    other = compiled.once(_unfolded)
    return compiled if other is None else other


def _unfolded(compiled: Compiled) -> Compiled | None:
    single = None if compiled.objective is None else compiled.objective.singles(0, 1)
    if single is None or len(compiled.objective or ()) > 1 or single[0][0] < compiled.decision_count:
        return None
    (variable,), (a,), (constant,) = single
    definition = compiled.definitions[variable - compiled.decision_count]
    if definition.kind != ("maximum" if a > 0 else "minimum"):
        return None
    terms = scaled(definition.terms, int(a))
    return replace(compiled, objective=replace(terms, constant=terms.constant + constant))


# ---- which constraint of a model each part of its compiled arrays comes from: asked by profiles alone ----

SHARED, IMPLIED, OBJECTIVE, SEARCH, CLAUSES = range(-1, -6, -1)
"""Origins that are no constraint: several, what follows from several, the objective, the search itself."""

_NOBODY = 1 << 60


@dataclass(frozen=True)
class Origins:
    """The origin of each row, clause, AllDifferent, table, constraint taken whole, and defined variable.

    In the order of `Compiled`; ``defined`` has one for each compiled variable. A number from 0 on is that of
    a constraint of the model.
    """

    linear: Iterable[int] = repeat(SEARCH)
    clauses: Iterable[int] = repeat(SEARCH)
    different: Iterable[int] = repeat(SEARCH)
    tables: Iterable[int] = repeat(SEARCH)
    wholes: Iterable[int] = repeat(SEARCH)
    defined: Sequence[int] = ()

    def owner(self, variable: int) -> int:
        """Return the origin of a defined variable."""
        return self.defined[variable] if variable < len(self.defined) else SEARCH


def origins_of(model: Statement, form: ModelForm, backend: str = "backend") -> Origins:
    """Return where the parts come from of what `compiled_of` returns for the same model and form."""
    form = simplest(model, form)
    lowered = lowered_of(model, form, backend)
    each = _of_each(model, lowered)
    found: dict[str, list[IntArray]] = {}
    joined = join_linear(lowered.constraints)
    for constraint, numbers in zip(joined, joined_numbers(lowered.constraints), strict=True):
        kind = constraint.kind if constraint.kind in form.kinds else "whole"
        found.setdefault(kind, []).append(np.concatenate([each[k] for k in numbers]))

    def of(kind: str) -> list[int]:
        return [k for part in found.get(kind, ()) for k in part.tolist()]

    _, order, _ = _renumber(model, lowered)
    defined = _of_defined(lowered, each)[order].tolist()
    return Origins(of("Linear"), of("Or"), of("AllDifferent"), of("Table"), of("whole"), defined)


def _of_each(model: Statement, lowered: Lowered) -> list[IntArray]:
    """Return of each lowered constraint the origins of its elements."""
    rows = model._constraints.row_positions() if lowered.rows else []
    found = [np.array(positions, dtype=np.int64) for positions in rows]
    others = lowered.constraints[lowered.rows :]
    return found + [_of_elements(c, members) for c, members in zip(others, lowered.members, strict=True)]


def _of_elements(constraint: Constraint, members: list[int]) -> IntArray:
    if len(members) == constraint.size:
        return np.array(members, dtype=np.int64)
    return np.full(constraint.size, members[0] if len(members) == 1 else SHARED, dtype=np.int64)


def _of_defined(lowered: Lowered, each: list[IntArray]) -> IntArray:
    """Return the only constraint that each variable is needed for, `SHARED` where there are several."""
    many = lowered.store.variable_count
    least, most = np.full(many, _NOBODY), np.full(many, -_NOBODY)

    def need(variables: IntArray, low: IntArray, high: IntArray) -> None:
        np.minimum.at(least, variables, low)
        np.maximum.at(most, variables, high)

    for constraint, origins in zip(lowered.constraints, each, strict=True):
        for array in constraint.arguments:
            kept = array.coefficients != 0
            if len(origins) and array.size % len(origins) == 0:
                of = origins.repeat(array.size // len(origins))[:, None].repeat(array.width, axis=1)[kept]
            else:
                of = np.full(int(kept.sum()), SHARED)
            need(array.variables[kept], of, of)
    if lowered.objective is not None:
        variables = lowered.objective.variables[lowered.objective.coefficients != 0]
        need(variables, *(np.full(len(variables), OBJECTIVE),) * 2)
    for block in reversed(lowered.definitions):
        for k, array in enumerate(block.arguments):
            each_has = block.each(k)
            terms = (block.places(k)[:, None] * each_has + np.arange(each_has)).reshape(-1)
            kept = array.coefficients[terms] != 0
            of = block.results.repeat(each_has)[:, None].repeat(array.width, axis=1)[kept]
            need(array.variables[terms][kept], least[of], most[of])
    return np.where((least == most) & (least != _NOBODY), least, SHARED)


_MOST_TOGETHER = 1 << 20
"""Terms of one definition block that are renumbered at once."""


def compile_model(model: Statement, form: ModelForm = PLAIN, backend: str = "backend") -> Compiled:
    """Return the model as arrays; for errors see `lower`."""
    lowered = lowered_of(model, form, backend)
    number, order, blocks = _renumber(model, lowered)
    of: dict[str, list[Any]] = defaultdict(list)
    wholes = []
    for constraint in join_linear(lowered.constraints):
        if constraint.kind in form.kinds:
            of[constraint.kind].append(constraint)
        else:
            wholes.append(Whole(constraint, number))
    store = lowered.store
    arrays: dict[str, Any] = {}
    for kind, constraints in of.items():
        arrays |= _ARRAYS[kind](number, constraints)
    objective_terms = None
    if lowered.objective is not None:
        objective_terms = _terms(number, [lowered.objective])
        if lowered.maximizing:
            objective_terms = scaled(objective_terms, -1)
    return Compiled(
        decision_count=len(model.decisions),
        lower=store.lower[order],
        upper=store.upper[order],
        domains={int(number[v]): values for v, values in store.domains.items() if number[v] >= 0},
        wholes=wholes,
        definitions=side_by_side(_definitions(number, blocks)) if blocks else Definitions([]),
        objective=objective_terms,
        maximizing=lowered.maximizing,
        stated=np.where(order < model.variable_count, order, -1),
        how=["own" if how == "native" else how for how in lowered.how],
        **arrays,
    )


def _linear(number: IntArray, constraints: Sequence[Any]) -> dict[str, Any]:
    parts = [(c.expression, *RELATIONS[c.relation], c.expression.size) for c in constraints]
    sums, codes, shifts, sizes = zip(*parts, strict=True)
    relation = np.array(codes).repeat(sizes)
    return {"linear": _terms(number, sums, shifts).divided(relation), "relation": relation}


def _clauses(number: IntArray, constraints: Sequence[Any]) -> dict[str, Any]:
    literals = [c.literals for c in constraints]
    lengths = [array.shape[-1] for array, c in zip(literals, constraints, strict=True) for _ in range(c.size)]
    return {"literals": _terms(number, literals), "clause_start": offsets(lengths)}


def _different(number: IntArray, constraints: Sequence[Any]) -> dict[str, Any]:
    terms = [c.terms for c in constraints]
    return {"different": _terms(number, terms), "different_start": offsets([t.size for t in terms])}


def _tables(number: IntArray, constraints: Sequence[Any]) -> dict[str, Any]:
    terms, ends = _terms(number, [c.terms for c in constraints]), offsets([c.terms.size for c in constraints])
    found = zip(pairwise(ends.tolist()), constraints, strict=True)
    return {"tables": [(terms.part(first, last), c.rows) for (first, last), c in found]}


def _counts(number: IntArray, constraints: Sequence[Any]) -> dict[str, Any]:
    return {"counts": [_count(number, c) for c in constraints]}


def _count(number: IntArray, c: Any) -> tuple[Terms, Terms, int, Terms]:
    code, shift = RELATIONS[c.relation]
    return _terms(number, [c.terms]), _terms(number, [c.value]), code, _terms(number, [c.count - shift])


_ARRAYS: Mapping[str, Callable[[IntArray, Sequence[Any]], dict[str, Any]]] = {
    "Linear": _linear,
    "Or": _clauses,
    "AllDifferent": _different,
    "Table": _tables,
    "Count": _counts,
}
"""What is made of the constraints of each plain kind, where there are any."""


def _renumber(model: Statement, lowered: Lowered) -> tuple[IntArray, IntArray, list[Definition]]:
    """Return the new number of each variable (-1 for none), the variables in the new order, and definitions.

    Those are blocks, each behind what it needs.
    """
    order, blocks = model.decisions, list[Definition]()
    number = np.full(lowered.store.variable_count, -1, dtype=np.int64)
    if lowered.definitions:
        blocks = together(lowered.definitions, lowered.store.variable_count)
        order = np.append(order, results_of(blocks))
    number[order] = np.arange(len(order))
    return number, order, blocks


def _definitions(number: IntArray, blocks: Iterable[Definition]) -> Iterator[DefinitionBlock]:
    """Yield all definitions; those of a block of very many terms, or of none, come one by one."""
    for block in blocks:
        sizes = [block.each(k) for k in range(len(block.arguments))]
        if all(sizes) and block.size * sum(sizes) <= _MOST_TOGETHER:
            yield _compiled(number, block)
        else:
            for row in np.arange(block.size)[:, None]:
                yield _compiled(number, block.take(row, block.results[row]))


def _compiled(number: IntArray, block: Definition) -> DefinitionBlock:
    write: Callable[..., DefinitionBlock]
    write, kind, relation, shift = DefinitionBlock, block.kind, EQ, 0
    if isinstance(block, Truth):
        write, kind = _TRUTHS[block.constraint.kind]
        if isinstance(block.constraint, Linear):
            relation, shift = RELATIONS[block.constraint.relation]
    results, terms = number[block.results], _terms(number, _side_by_side(block), repeat(shift))
    return write(kind, results, terms, len(terms) // max(1, len(results)), relation)


def _all_true(kind: str, results: IntArray, literals: Terms, each: int, relation: int) -> DefinitionBlock:
    """Return truths of ``sum of literals >= each``: one relation, so that it needs no further literals."""
    many = len(results)
    owner = np.arange(many).repeat(np.diff(literals.start[each * np.arange(many + 1)]))
    owner, variable, coefficient = merge(owner, literals.variable, literals.coefficient)
    constant = literals.constant.reshape(many, each).sum(axis=1) - each
    terms = Terms(offsets(np.bincount(owner, minlength=many)), variable, coefficient, constant)
    return DefinitionBlock(kind, results, terms, 1, GE)


def _first_false(kind: str, results: IntArray, literals: Terms, each: int, relation: int) -> DefinitionBlock:
    """Return truths of clauses of the literals, of which the first of each is negated."""
    first = np.arange(len(literals)) % each == 0
    sign = np.where(first, -1, 1)
    coefficient = literals.coefficient * sign.repeat(literals.lengths)
    constant = literals.constant * sign + first
    terms = replace(literals, coefficient=coefficient, constant=constant)
    return DefinitionBlock(kind, results, terms, each, relation)


_TRUTHS: dict[str, tuple[Callable[..., DefinitionBlock], str]] = {
    "And": (_all_true, "truth_linear"),
    "Implication": (_first_false, "truth_or"),
    "Linear": (DefinitionBlock, "truth_linear"),
    "Negation": (_first_false, "truth_or"),
    "Or": (DefinitionBlock, "truth_or"),
}
"""Constraints whose truths are compiled as they are: how, and to which kind."""


def _side_by_side(block: Definition) -> Sequence[LinearArray]:
    """Return the arguments of a block as one array, in which those of each result lie together."""
    if block.size == 1 or len(block.arguments) == 1:
        return block.arguments
    places, first = [], 0
    for k, array in enumerate(block.arguments):
        each = block.each(k)
        places.append(first + block.places(k)[:, None] * each + np.arange(each))
        first += array.size
    return [concatenate_rows(block.arguments)._pick(np.concatenate(places, axis=1).reshape(-1))]
