"""Rewriting a model until a backend supports every constraint that is left.

A backend says which (kind, context) pairs it supports. *Plain* constraints must hold; the constraint of a
`Truth` is needed in two contexts, *implied* (its variable is 1) and *negated* (its variable is 0). What
is not supported is decomposed in a throw-away extension of the model that can only create total defined
variables, so that solutions stay those of the decision variables.

Backends see total functions only. A constraint over terms that may be undefined comes with the conditions
under which they are defined, and its truth becomes ``raw truth and conditions``, where the raw one goes by
the values that the terms' variables have, meaningless ones included: no other constraint looks at these.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from cpqueens.errors import ModelError, UnsupportedConstraint
from cpqueens.language.arrays import concatenate_rows
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import And, Connective
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.defined_functions import Maximum
from cpqueens.language.definedness import conditions
from cpqueens.language.definitions import Definition, Truth, results_of
from cpqueens.language.expressions import LinearArray
from cpqueens.language.posted import join
from cpqueens.language.ranges import DIFFERENCE
from cpqueens.language.rows import IntArray, Mask
from cpqueens.language.statement import Statement
from cpqueens.language.store import VariableStore
from cpqueens.language.wording import describe
from cpqueens.lowered import reached

Supports = Callable[[Constraint, str], bool]
"""``supports(constraint, context)`` with context ``plain``, ``implied`` or ``negated``.

For plain linear relations the answer must not depend on the instance.
"""


class Scratch(VariableStore):
    """A throw-away extension of a model: more total defined variables, never free ones.

    What it creates over partial functions goes by their variables' values, as if they were total: who uses
    it adds the conditions.
    Its terms may also be differences of the model's, see `cpqueens.language.ranges`.
    """

    most = DIFFERENCE

    def __init__(self, model: Statement, computed: bool = False) -> None:
        self.computed = computed  # how constraints are decomposed, see `Constraint.computed_forms`
        self._copy_store(model)  # all that a store has
        self.has_partial = False

    def _admit(self, definition: Definition, partial: bool) -> None:
        if partial:
            raise ModelError(f"a decomposition may not define a partial {definition.kind}")
        super()._admit(definition, partial)


@dataclass
class Lowered:
    """A model as a backend sees it.

    ``constraints`` are plain and supported; ``definitions`` are those that they or the objective reach,
    each after those that it needs; ``how`` says per constraint of the model whether it runs native or
    decomposed.
    """

    store: VariableStore
    constraints: list[Constraint]
    definitions: list[Definition]
    objective: LinearArray | None
    maximizing: bool
    how: list[str] = field(default_factory=list)
    origins: list[int] = field(default_factory=list)  # per lowered constraint, the model's constraint
    members: list[list[int]] = field(default_factory=list)  # per constraint behind `rows`, all that it is of
    variables: int = 0  # of the model when it was lowered
    rows: int = 0  # how many of the constraints, the first ones, are arrays of single relations
    rewritten: bool = False  # whether any definition is not the model's
    line: object = field(default_factory=object)  # the same for what this grew from, and will grow to

    def defined(self) -> IntArray:
        """Return the variables that the definitions define."""
        return results_of(self.definitions)


def lower(
    model: Statement,
    supports: Supports,
    backend: str = "backend",
    *,
    objective: bool = True,
    joined: bool = False,
    computed: bool = False,
) -> Lowered:
    """Return ``model`` over constraints that ``supports`` accepts, with or without its objective.

    With ``joined`` single relations and connectives come as arrays of many, with the origin -1. With
    ``computed`` constraints are decomposed as `Constraint.computed_forms` says. The same
    question gets the same answer until the model changes: nobody may write to it.

    Raises
    ------
    UnsupportedConstraint
        If a constraint is neither supported nor decomposable.
    ModelError
    """
    objective = objective and model.objective is not None
    return model.kept(
        ("lowered", supports, objective, joined, computed),
        partial(_lowered, model, supports, backend, objective, joined, computed),
        (lambda before: _grown(before, model, supports, backend)) if joined else None,
    )


def _lowered(
    model: Statement, supports: Supports, backend: str, objective: bool, joined: bool, computed: bool
) -> Lowered:
    scratch = Scratch(model, computed)
    lowered = Lowered(scratch, [], [], model.objective if objective else None, model.maximizing)
    lowered.variables = model.variable_count
    posted = model._constraints
    rows = posted.rows() if joined else []
    if joined and (not rows or supports(rows[0], "plain")):
        lowered.constraints += rows
        lowered.origins += [-1] * len(rows)
        lowered.rows = len(rows)
        remaining: Iterable[tuple[list[int], Constraint]] = posted.others()
    else:
        remaining = [([k], constraint) for k, constraint in enumerate(posted)]
    lowering = _Lowering(model, scratch, supports, backend)
    lowering.add(lowered, remaining)
    if model.has_partial:
        for simple in lowering.plain(_unseen_conditions(model)):
            lowered.constraints += simple
    more = len(lowered.constraints) - len(lowered.origins)
    lowered.origins += [-1] * more
    lowered.members += [[]] * more
    lowered.definitions = lowering.definitions(lowered)
    return lowered


def _grown(before: Lowered, model: Statement, supports: Supports, backend: str) -> Lowered | None:
    """Return what `_lowered` does, of a model that has only got more since it was lowered.

    None if what decompositions defined before stands in the way of what is new.
    """
    scratch, same = before.store, model.variable_count == before.variables
    clear = same or scratch.variable_count == before.variables
    posted, first = model._constraints, len(before.how)
    rows = posted.rows()
    if model.has_partial or before.rewritten or not clear or (rows and not supports(rows[0], "plain")):
        return None
    assert isinstance(scratch, Scratch)
    others = before.constraints[before.rows :]
    if not same:
        scratch = Scratch(model, scratch.computed)
        others = [c if c.registry is model else c.bind(scratch) for c in others]
    lowered = Lowered(scratch, [*rows, *others], [], before.objective, before.maximizing)
    lowered.variables, lowered.rows, lowered.how = model.variable_count, len(rows), list(before.how)
    lowered.line = before.line
    lowered.origins = [-1] * len(rows) + before.origins[before.rows :]
    lowered.members = list(before.members)
    added = [one for one in posted.others() if one[0][0] >= first]
    lowering = _Lowering(model, scratch, supports, backend)
    lowering.add(lowered, added)
    new = [*posted.rows(first), *lowered.constraints[len(rows) + len(others) :]]
    needed = reached.defined_scope([a for c in new for a in c.arguments], scratch)
    if not needed or np.isin(needed, before.defined()).all():
        lowered.definitions = before.definitions
    else:
        lowered.definitions = lowering.definitions(lowered)
    return lowered


@dataclass(frozen=True)
class _Lowering:
    """How a model is rewritten: in which extension of it, and what its backend supports."""

    model: Statement
    scratch: Scratch
    supports: Supports
    backend: str

    def add(self, lowered: Lowered, constraints: Iterable[tuple[list[int], Constraint]]) -> None:
        """Add the model's constraints, each with its positions, in supported ones."""
        lowered.how += ["native"] * (len(self.model._constraints) - len(lowered.how))
        given = list(constraints)
        simpler = self.plain(constraint for _, constraint in given)
        for (origins, constraint), simple in zip(given, simpler, strict=True):
            if len(simple) != 1 or simple[0] is not constraint:
                for origin in origins:
                    lowered.how[origin] = "decomposed"
            lowered.constraints += simple
            lowered.origins += [origins[0] if len(origins) == 1 else -1] * len(simple)
            lowered.members += [origins] * len(simple)

    def plain(self, constraints: Iterable[Constraint]) -> list[list[Constraint]]:
        """Return each constraint as supported ones; those of one kind are taken apart together."""
        found = [[constraint] for constraint in constraints]
        while True:
            waiting: dict[type[Constraint], list[tuple[int, Constraint]]] = {}
            for k, parts in enumerate(found):
                for part in parts:
                    if not self.supports(part, "plain"):
                        waiting.setdefault(type(part), []).append((k, part))
            if not waiting:
                return found
            simpler: dict[int, list[Constraint]] = {}
            for kind, items in waiting.items():
                bound = [part.bind(self.scratch) for _, part in items]
                forms = kind.computed_forms(bound) if self.scratch.computed else kind.simpler_forms(bound)
                for (_, part), parts in zip(items, forms, strict=True):
                    if (len(parts) == 1 and parts[0].kind == part.kind) or (not parts and _is_core(part)):
                        raise self.unsupported(part, "plain")
                    simpler[id(part)] = parts
            for k in dict.fromkeys(k for items in waiting.values() for k, _ in items):
                found[k] = [new for part in found[k] for new in simpler.get(id(part), [part])]

    def unsupported(self, item: Constraint, context: str) -> UnsupportedConstraint:
        """Return the refusal of a constraint."""
        text = describe(self.model, item)
        return UnsupportedConstraint(f"{self.backend} cannot express {text:.120} ({context})")

    def definitions(self, lowered: Lowered) -> list[Definition]:
        """Return the reached definitions, truths decomposed as needed, in an order of evaluation."""
        scratch = self.scratch
        if not scratch.definitions:
            return []
        roots = [a for c in join(lowered.constraints) for a in c.arguments]
        if lowered.objective is not None:
            roots.append(lowered.objective)
        replaced: list[Definition] = []
        taken_apart: list[int] = []
        looked_at = np.zeros(0, dtype=bool)
        while True:  # what is taken apart may define more
            reach = reached.reached_by(roots, scratch, replaced)
            new = reach.copy()
            new[: len(looked_at)] &= ~looked_at
            fresh = reached.blocks_of(scratch, new)
            simple: list[Definition] = []
            for block in reversed(fresh):
                found = self.simpler(block)
                simple += found
                if found and isinstance(block, Truth):
                    relation = isinstance(block.constraint, Linear | Connective)
                    taken_apart += [] if relation else block.results.tolist()
            if not simple:
                break
            looked_at = reach
            replaced += simple
            roots += [a for d in simple for a in d.arguments]
        if not replaced:
            return fresh
        lowered.rewritten = True
        if taken_apart:
            _note_decomposed(lowered, self.model, taken_apart)
        return reached.in_order([*reached.blocks_of(scratch, reach), *replaced])

    def simpler(self, block: Definition) -> Sequence[Definition]:
        """Return equal definitions of results that the backend does not take as they are."""
        if isinstance(block, Truth):
            return self.truths(block)
        if type(block).simpler is Definition.simpler:
            return []
        return [_function(block, row, self.scratch) for row in range(block.size)]

    def knows_truth(self, constraint: Constraint) -> bool:
        """Say whether the backend takes the truth of a constraint as it is."""
        return self.supports(constraint, "implied") and self.supports(constraint, "negated")

    def truths(self, definition: Truth) -> list[Truth]:
        """Return equal truths of supported constraints, none if the present ones are supported."""
        known, total = self.knows_truth(definition.constraint), not self.model.has_partial
        if known and (total or definition.results[0] >= self.model.variable_count):  # all is defined
            return []
        found = []
        for row in range(definition.size):
            guard = _conditions_of(definition, row, self.model)
            if guard or not known:
                found.append(self.truth(definition, row, guard))
        return found

    def truth(self, definition: Truth, row: int, guard: list[Constraint]) -> Truth:
        """Return an equal truth of a supported constraint, where the conditions ``guard`` hold."""
        scratch = self.scratch
        item = definition.constraint.take(np.array([row])) if definition.size > 1 else definition.constraint
        if guard:
            item = _total(item, guard, scratch)
        result = definition.results[[row]]
        while not self.knows_truth(item):
            simpler = item.decompose(scratch, computed=scratch.computed)
            if not simpler and _is_core(item):
                raise self.unsupported(item, "reified")
            if len(simpler) == 1 and simpler[0].size == 1:
                if simpler[0].kind == item.kind:
                    raise self.unsupported(item, "reified")
                item = simpler[0]
            else:
                truths = [c.truth().reshape(-1) for c in simpler]
                empty = LinearArray(
                    scratch, (0,), *(np.zeros((0, 0), dtype=np.int64),) * 2, np.zeros(0, np.int64)
                )
                item = And.over(concatenate_rows(truths) if truths else empty)
        return Truth(item.flattened(), result)


def _unseen_conditions(model: Statement) -> list[Constraint]:
    """Return the conditions of partial functions that must be defined and are no constraints of the model."""
    roots = [a for c in model._constraints.joined() for a in c.arguments]
    found = conditions(model, [*roots, *(goal.term for goal in model.goals)])
    return [c for variable, cs in found.items() if variable not in model.guarded for c in cs]


def _is_core(constraint: Constraint) -> bool:
    return type(constraint).simpler is Constraint.simpler


def _note_decomposed(lowered: Lowered, model: Statement, truths: list[int]) -> None:
    """Note that the constraints that reach these truths run decomposed."""
    concerned = np.zeros(lowered.store.variable_count, dtype=bool)
    concerned[truths] = True
    for definition in model.definitions:
        if not any(map(concerned.item, definition.needed())):
            continue
        for k, array in enumerate(definition.arguments):
            concerned[definition.results] |= ~definition.whole(k, ~_with(array, concerned)[None, :])[0]
    for k, constraint in enumerate(model._constraints):
        if any(_with(array, concerned).any() for array in constraint.arguments):
            lowered.how[k] = "decomposed"


def _with(array: LinearArray, chosen: Mask) -> Mask:
    """Return which terms have a chosen variable."""
    if not array.width:
        return np.zeros(array.size, dtype=bool)
    found: Mask = (chosen[array.variables] & (array.coefficients != 0)).any(axis=1)
    return found


def _function(definition: Definition, row: int, scratch: Scratch) -> Definition:
    """Return the same values in simpler functions: the maximum of one term."""
    result = definition.results[[row]]
    term = definition.take(np.array([row]), result).bind(scratch).simpler()
    assert term is not None, f"{definition.kind} has no simpler form"
    return Maximum((term,), result)


def _conditions_of(definition: Truth, row: int, model: Statement) -> list[Constraint]:
    """Return when the terms of a model's truth are defined; nothing for a truth of a decomposition."""
    if not model.has_partial or definition.results[row] >= model.variable_count:
        return []
    terms = definition.constraint.take(np.array([row])).arguments
    return [c for found in conditions(model, terms).values() for c in found]


def _total(item: Constraint, guard: list[Constraint], scratch: Scratch) -> Constraint:
    """Return what a truth over partial functions means in total ones: its raw truth and the conditions."""
    for key in item.flattened().element_keys():
        scratch._sharing().pop(key, None)  # the model's truth, which is the one to be expressed
    parts = [item, *guard]
    return And.over(concatenate_rows([c.bind(scratch).truth().reshape(-1) for c in parts]))
