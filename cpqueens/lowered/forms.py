"""The forms in which engines take a model, how it is compiled, and which constraint its arrays come from."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import pairwise, repeat
from typing import Any

import numpy as np

from cpqueens.language.arrays import concatenate_rows
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.definitions import Definition, Truth
from cpqueens.language.expressions import LinearArray
from cpqueens.language.posted import join_linear, joined_numbers
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.language.term import Term, join_terms
from cpqueens.lowered.columns import scaled
from cpqueens.lowered.compiled import (
    EQ,
    RELATIONS,
    Compiled,
    DefinitionBlock,
    Definitions,
    Terms,
    Whole,
    _terms,
    offsets,
)
from cpqueens.lowered.lowering import Lowered, Supports, lower

PLAIN_KINDS = frozenset({"AllDifferent", "Count", "Linear", "Or", "Table"})
TRUTH_KINDS = frozenset({"Linear", "Or"})

Takes = Callable[[Constraint], bool]
"""Says whether an engine takes a plain constraint as it is, instead of its decomposition."""


@dataclass(frozen=True)
class ModelForm:
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
            return constraint.kind in TRUTH_KINDS
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
            return replace(form, objective=objective)
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

    _, order = _renumber(model, lowered)
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
    number, order = _renumber(model, lowered)
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
        definitions=_definitions(number, lowered.definitions),
        objective=objective_terms,
        maximizing=lowered.maximizing,
        stated=np.where(order < model.variable_count, order, -1),
        how=["own" if how == "native" else how for how in lowered.how],
        **arrays,
    )


def _linear(number: IntArray, constraints: Sequence[Any]) -> dict[str, Any]:
    expressions = [c.expression for c in constraints]
    codes, shifts = np.array([RELATIONS[c.relation] for c in constraints], dtype=np.int64).T
    return {
        "linear": _terms(number, expressions, shifts),
        "relation": codes.repeat([e.size for e in expressions]),
    }


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


def _renumber(model: Statement, lowered: Lowered) -> tuple[IntArray, IntArray]:
    """Return the new number of each variable (-1 for none), and the variables in the new order."""
    order = np.concatenate([model.decisions, *(d.results for d in lowered.definitions)])
    number = np.full(lowered.store.variable_count, -1, dtype=np.int64)
    number[order] = np.arange(len(order))
    return number, order


def _definitions(number: IntArray, blocks: Sequence[Definition]) -> Definitions:
    """Return all definitions; those of a sort are made together, and are one block where they adjoin."""
    if not blocks:
        return Definitions([])
    groups: dict[Any, list[int]] = {}
    for k, block in enumerate(blocks):
        relation = getattr(block.constraint, "relation", None) if isinstance(block, Truth) else None
        sizes = [block.each(k) for k in range(len(block.arguments))]
        together = all(sizes) and block.size * sum(sizes) <= _MOST_TOGETHER
        groups.setdefault((type(block), relation, *sizes) if together else k, []).append(k)
    found: list[list[DefinitionBlock]] = [[] for _ in blocks]
    for key, members in groups.items():
        if not isinstance(key, tuple):
            block = blocks[members[0]]
            singles = (block.take(np.array([k]), block.results[[k]]) for k in range(block.size))
            found[members[0]] = [_alike(number, [one]) for one in singles]
            continue
        whole, begin = _alike(number, [blocks[k] for k in members]), 0
        for first, last in runs(members):
            end = begin + sum(blocks[k].size for k in range(first, last))
            found[first] = [whole.part(begin, end)] if end > begin else []
            begin = end
    return Definitions([block for part in found for block in part])


def runs(ascending: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first of each run of consecutive numbers, and the number behind its last."""
    breaks = [k for k in range(1, len(ascending)) if ascending[k] != ascending[k - 1] + 1]
    for begin, end in pairwise([0, *breaks, len(ascending)]):
        yield ascending[begin], ascending[end - 1] + 1


def _alike(number: IntArray, blocks: Sequence[Definition]) -> DefinitionBlock:
    """Return definitions of blocks of one kind and relation, whose results have equally many arguments."""
    kind, relation, shift = _sort(blocks[0])
    arrays: Sequence[LinearArray] = [a for b in blocks for a in b.arguments]
    if any(b.size > 1 for b in blocks):
        arrays = _all_side_by_side(blocks, arrays)
    terms = [array for array in arrays if type(array) is Term]
    if len(terms) == len(arrays):
        arrays = [join_terms(terms[0].registry, terms)]
    results = number[np.concatenate([b.results for b in blocks])]
    renumbered = _terms(number, arrays, repeat(shift))
    return DefinitionBlock(kind, results, renumbered, len(renumbered) // max(1, len(results)), relation)


def _sort(block: Definition) -> tuple[str, int, int]:
    """Return the kind, the code of the relation, and what makes that non-strict."""
    if not isinstance(block, Truth):
        return block.kind, EQ, 0
    constraint = block.constraint
    relation, shift = RELATIONS[constraint.relation] if isinstance(constraint, Linear) else (EQ, 0)
    return f"truth_{constraint.kind.lower()}", relation, shift


def _all_side_by_side(blocks: Sequence[Definition], arrays: Sequence[LinearArray]) -> Sequence[LinearArray]:
    """Return the arguments of blocks with equal sizes, those of each result together, as few arrays.

    They may belong to the model and to what it was lowered to.
    """
    if len(blocks) == 1 or len({array.width for array in arrays}) > 1:
        return [a for b in blocks for a in (b.arguments if b.size == 1 else _side_by_side(b))]
    starts = offsets([array.size for array in arrays])[:-1].reshape(len(blocks), -1)
    many = [b.size for b in blocks]
    places = [np.repeat(start, many)[:, None] + _places(blocks, k) for k, start in enumerate(starts.T)]
    order = np.concatenate(places, axis=1).reshape(-1)
    columns = [(array.variables, array.coefficients, array.constants) for array in arrays]
    variables, coefficients, constants = (np.concatenate(c)[order] for c in zip(*columns, strict=True))
    return [LinearArray(arrays[0].registry, order.shape, variables, coefficients, constants)]


def _side_by_side(block: Definition) -> Sequence[LinearArray]:
    """Return the arguments of a block as one array, in which those of each result lie together."""
    if len(block.arguments) == 1:
        return block.arguments
    starts = offsets([array.size for array in block.arguments])[:-1].tolist()
    places = [start + _places([block], k) for k, start in enumerate(starts)]
    return [concatenate_rows(block.arguments)._pick(np.concatenate(places, axis=1).reshape(-1))]


def _places(blocks: Sequence[Definition], argument: int) -> IntArray:
    """Return which terms of an argument are those of each result, of blocks with equally many for each."""
    each = blocks[0].each(argument)
    groups = np.concatenate([block.places(argument) for block in blocks])
    return groups[:, None] * each + np.arange(each)
