"""Random tiny models that use every constraint kind and every definition, in every context.

A model has at most `MAX_VARIABLES` decision variables and at most `MAX_PRODUCT` assignments, so that an
exhaustive oracle answers in milliseconds. One integer determines the model. Choices are drawn so that
smaller draws give simpler models, which lets Hypothesis shrink them.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache, partial
from random import Random
from typing import Any, get_type_hints

from cpqueens.errors import ModelError
from cpqueens.fuzzing import written
from cpqueens.fuzzing.random_patterns import SCHEDULES, pattern_model
from cpqueens.fuzzing.random_terms import CancellingTerms, HoledTerms, HugeTerms, RandomTerms, add_in_range
from cpqueens.fuzzing.written import Script, Written, stated
from cpqueens.language.constraints import ordered
from cpqueens.language.constraints.all_different import AllDifferentExcept
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.bin_packing import BinPacking
from cpqueens.language.constraints.circuit import CountsFromOneError, Inverse, Successors
from cpqueens.language.constraints.connective import Implication, Negation
from cpqueens.language.constraints.count import Among, Count, GlobalCardinality, NValue
from cpqueens.language.constraints.kinds import KINDS, kind_class
from cpqueens.language.constraints.linear import COMPARED
from cpqueens.language.constraints.predicate import Predicate
from cpqueens.language.constraints.regular import Regular
from cpqueens.language.constraints.table import NegativeTable, ShortTable, Table
from cpqueens.language.constraints.table_rows import ANY
from cpqueens.language.definitions import Truth
from cpqueens.language.expressions import LinearArray
from cpqueens.language.store import VariableStore
from cpqueens.model import Model
from cpqueens.text.foreign import explaining_keywords

# ---- which constraint kinds and definitions a model really exercises, and in which context ------------


def usage(model: Model) -> Counter[tuple[str, str]]:
    """Return how often each (kind, context) occurs: what a model really exercises.

    Contexts are ``plain`` (posted), ``reified`` (its truth is used), ``negated`` (its truth must be 0),
    ``soft``, and ``defined`` for kinds of definitions. Wherever a kind stands, ``scaled`` counts those with a
    multiple of a variable among their terms, and ``constant`` those with a term without variables beside
    others.
    """
    found: Counter[tuple[str, str]] = Counter()
    roots: list[LinearArray] = [] if model.objective is None else [model.objective]
    for posted in model.constraints:
        constraint = posted.constraint
        inner = _negated_truth(model, constraint) if constraint.kind == "Negation" else None
        if inner is not None:
            found[inner.kind, "negated"] += 1
            found.update(_shapes(inner))
            roots += inner.arguments
        else:
            roots += constraint.arguments
        found[constraint.kind, "plain"] += 1
        found.update(_shapes(constraint))
    for soft in model.soft:
        found[soft.constraint.kind, "soft"] += 1
    return found + _defined_usage(model, roots)


def _shapes(constraint: Constraint) -> list[tuple[str, str]]:
    """Return what is special about the terms of a constraint."""
    terms = [row for array in constraint.arguments for row in array.rows()]
    scaled = any(len(v) == 1 and abs(a[0]) > 1 for v, a, _ in terms)
    constant = len(terms) > 1 and not all(v for v, _, _ in terms)
    shapes = {"scaled": scaled, "constant": constant}
    return [(constraint.kind, shape) for shape, present in shapes.items() if present]


def _negated_truth(model: Model, constraint: Any) -> Any:
    ((variables, coefficients, _constant),) = constraint.literals.reshape(-1).rows()
    produced = model.producer(variables[0]) if coefficients == [1] else None
    return produced[0].constraint if produced and isinstance(produced[0], Truth) else None


def _defined_usage(model: VariableStore, roots: list[LinearArray]) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    seen: set[int] = set()
    pending = list(roots)
    while pending:
        for variable in pending.pop().scope().tolist():
            produced = model.producer(variable)
            if produced is None or variable in seen:
                continue
            seen.add(variable)
            definition = produced[0]
            if isinstance(definition, Truth):
                found[definition.constraint.kind, "reified"] += 1
                found.update(_shapes(definition.constraint))
            else:
                found[definition.kind, "defined"] += 1
            pending += definition.arguments
    return found


__all__ = ["CONTEXTS", "MAKERS", "random_model", "usage"]

RELATIONS = ("==", "!=", "<=", "<", ">=", ">")
CONTEXTS = ("plain", "negated", "reified")
_DEPTH = 2
_PATTERN_EVERY = 7
_SOFT_EVERY = 3


def _has_sense(constraint: Any) -> bool:
    """Say whether a model takes a constraint without a condition around it."""
    try:
        constraint.require_sense()
    except ModelError:
        return False
    return True


@explaining_keywords
def random_model(
    seed: int | Random,
    *,
    kinds: Iterable[str] | None = None,
    contexts: Iterable[str] = CONTEXTS,
    constraints: int = 4,
    huge: bool = False,
    soft: bool = False,
    cancelling: bool = False,
    holed: bool = False,
) -> Model:
    """Return a random model; the same seed gives the same model.

    Parameters
    ----------
    seed
        An integer, or a generator to draw from.
    kinds
        Names of the constraint kinds at the top (all by default).
    contexts
        How these are posted: ``plain``, ``negated`` or ``reified``.
    constraints
        The largest number of them.
    huge
        Whether values, coefficients and constants are huge and domains wide and sparse; see `huge`.
    soft
        Whether some have soft constraints, which only solvers that prove take behind another objective.
    cancelling
        Whether parts of terms cancel, are multiplied by 0, or by what bounds decide.
    holed
        Whether clauses take values between their ends from variables and terms, most often with an objective.
    """
    random = seed if isinstance(seed, Random) else Random(seed)
    return written_model(random, kinds, contexts, constraints, huge, soft, cancelling, holed)[0]


def written_model(
    random: Random,
    kinds: Iterable[str] | None = None,
    contexts: Iterable[str] = CONTEXTS,
    constraints: int = 4,
    huge: bool = False,
    soft: bool = False,
    cancelling: bool = False,
    holed: bool = False,
) -> tuple[Model, Script | None]:
    """Return a random model, see `random_model`, and what was said to it; None for one of a pattern."""
    terms = HugeTerms if huge else CancellingTerms if cancelling else HoledTerms if holed else RandomTerms
    if kinds is None and terms is RandomTerms and random.randint(0, _PATTERN_EVERY) == _PATTERN_EVERY:
        return pattern_model(random), None
    maker = _Maker(random, sorted(KINDS) if kinds is None else sorted(kinds), sorted(contexts), terms)
    maker.terms.create_variables()
    for k in range(random.randint(0 if kinds is None else 1, constraints)):
        maker.add(maker.post, f"c{k}")
    if isinstance(maker.terms, HoledTerms):
        for k in range(random.randint(10, 30)):
            maker.add(maker.terms.hole, f"h{k}")
    if random.randint(0, 2) == 2 or isinstance(maker.terms, HoledTerms):
        goal = maker.goal()
        (maker.model.maximize if random.randint(0, 1) else maker.model.minimize)(goal)
    if soft and not huge and random.randint(0, _SOFT_EVERY) == _SOFT_EVERY:
        maker.soften()
    return maker.model, maker.script


class _Maker:
    """Draws constraints over random terms of one model."""

    def __init__(
        self, random: Random, kinds: list[str], contexts: list[str], terms: type[RandomTerms]
    ) -> None:
        self.random = random
        self.kinds = kinds
        self.contexts = contexts
        self.model = Model("random")
        self.terms = terms(random, self.model, self.truth)
        self.script = self.terms.script

    def add(self, draw: Callable[[], Written], name: str) -> None:
        """Add the constraint that is drawn to the model."""
        drawn: Written | None
        if isinstance(self.terms, HugeTerms):
            drawn = add_in_range(self.model, draw, name)
        else:
            drawn = draw()
            self.model.add(drawn.built, name=name)
        self.script.posted += [] if drawn is None else [drawn]

    def goal(self) -> LinearArray:
        """Return a random term that is part of an objective."""
        drawn = self.terms.goal()
        self.script.goals.append(drawn)
        built: LinearArray = drawn.built
        return built

    def _soft(self, drawn: Written, weight: Any, name: str | None = None) -> None:
        self.model.add_soft(drawn.built, weight=weight, name=name)
        self.script.soft.append((drawn, weight))

    def soften(self) -> None:
        """Add soft constraints, single ones and arrays, and sometimes their penalties as an objective."""
        random, model = self.random, self.model
        for k in range(random.randint(1, 2)):
            self._soft(self.post(), random.randint(1, 4), f"s{k}")
        if random.randint(0, 1):
            terms = written.stack(self.terms.array(2))
            self._soft(COMPARED[random.choice(RELATIONS)](terms, self.terms.term()), [1, 3])
        place = random.randint(0, 4)
        if place == 2:
            model.then_minimize(model.penalties)
        elif place == 3:
            self.script.goals.clear()
            model.minimize(model.penalties, self.goal())
        elif place == 4:
            self.script.goals.clear()
            model.maximize(self.goal() - random.randint(1, 3) * model.penalties)

    def post(self) -> Any:
        """Return one constraint in a random context."""
        context = self.random.choice(self.contexts)
        kind = self.random.choice(self.kinds)
        constraint = self.constraint(kind)
        if context == "plain":
            return constraint if _has_sense(constraint.built) else ~constraint
        return ~constraint if context == "negated" else self.reified(constraint)

    def constraint(self, kind: str, depth: int = 0) -> Any:
        """Return a random constraint of a kind: as the table says, else field by field."""
        if kind in MAKERS:
            try:
                made = MAKERS[kind](self, depth)
                if isinstance(made.built, Inverse | Successors):
                    made.built.require_sense()
                return made
            except CountsFromOneError:  # others are drawn
                return self.constraint(kind, depth)
        return stated(kind_class(kind), *(draw(self, depth) for draw in _fields(kind)))

    def reified(self, constraint: Written) -> Written:
        """Return a constraint that uses the truth of another one."""
        choice = self.random.randint(0, 6)
        if choice == 0:
            return constraint == self.literal()
        if choice == 1:
            return constraint | self.literal()
        if choice == 2:
            return self.literal().implies(constraint)
        if choice == 3:
            return constraint.implies(self.literal())
        if choice == 4:
            return constraint ^ self.literal()
        if choice == 5:
            return constraint.sum() + self.terms.term() >= self.number()
        return self.number() * constraint.sum() == self.terms.term()

    def truth(self, depth: int = 0) -> Written:
        """Return a single truth: a literal, a comparison, or the truth of any constraint."""
        choice = self.random.randint(0, 3)
        if choice < 2 or depth >= _DEPTH:
            return self.linear()
        if choice == 2:
            return self.literal(depth + 1)
        return written.all_(self.constraint(self.random.choice(sorted(KINDS)), depth + 1))

    def literal(self, depth: int = 0) -> Written:
        """Return a Boolean variable, its negation, a constant or a comparison."""
        choice = self.random.randint(0, 4)
        boolean = self.terms.boolean()
        if choice < 2 and boolean is not None:
            return written.any_([boolean]) if choice else ~written.any_([boolean])
        if choice == 4 and depth < _DEPTH:
            return self.truth(depth + 1)
        return self.linear()

    def linear(self, depth: int = 0) -> Written:
        """Return a relation between a random term and a nearby number or another term."""
        left = self.terms.partial(depth + 1) if self.random.randint(0, 5) == 5 else self.terms.term(depth)
        right = self.terms.value_of(left) if self.random.randint(0, 2) else self.terms.term(depth)
        return COMPARED[self.random.choice(RELATIONS)](left, right)

    def number(self) -> int:
        """Return a small integer."""
        return self.random.choice((0, 1, -1, 2, 3, -2))

    def array(self, least: int = 0, most: int = 4) -> Any:
        """Return a list of random terms, often short, sometimes empty or with repetitions."""
        size = max(least, self.random.choice((2, 3, 1, 4, 0)))
        return self.terms.array(min(size, most))

    def literals(self, depth: int, least: int = 0) -> list[Written]:
        """Return a list of truths."""
        return [self.truth(depth + 1) for _ in range(max(least, self.random.choice((2, 1, 3, 0))))]


def _all_different_except(m: _Maker, depth: int = 0) -> Any:
    terms = m.array()
    return stated(AllDifferentExcept, terms, m.terms.values_of(terms, m.random.randint(0, 2)))


def _listed(m: _Maker, star_every: int) -> tuple[list[Written], list[list[Any]]]:
    """Return terms and rows of values; if ``star_every`` is not 0, one entry of so many is a star."""
    terms = m.array(most=3)
    count = m.random.choice((3, 1, 8, 0, 15))
    rows: list[list[Any]] = [[m.terms.value_of(t) for t in terms] for _ in range(count)]
    if star_every:
        rows = [[ANY if m.random.randint(1, star_every) == star_every else v for v in row] for row in rows]
    return terms, rows


def _table(kind: Any, star_every: int, m: _Maker, depth: int = 0) -> Any:
    return stated(kind, *_listed(m, star_every))


def _count(m: _Maker, depth: int = 0) -> Any:
    terms = m.array()
    value = m.terms.value_of(terms) if m.random.randint(0, 2) else m.terms.term()
    count = m.random.randint(0, 2) if m.random.randint(0, 1) else m.terms.term()
    return stated(Count, terms, value, m.random.choice(RELATIONS), count)


def _among(m: _Maker, depth: int = 0) -> Any:
    terms = m.array()
    count = m.random.randint(0, 2) if m.random.randint(0, 1) else m.terms.term()
    return stated(Among, terms, m.terms.values_of(terms, m.random.randint(0, 3)), count)


def _cardinality(m: _Maker, depth: int = 0) -> Any:
    terms = m.array()
    values = m.terms.values_of(terms, m.random.randint(0, 3))

    def counts() -> list[Any]:
        return [m.random.randint(0, 2) if m.random.randint(0, 2) else m.terms.term() for _ in values]

    closed = bool(m.random.randint(0, 1))
    if m.random.randint(0, 1):
        return stated(GlobalCardinality, terms, values, closed=closed, lower=counts(), upper=counts())
    return stated(GlobalCardinality, terms, values, counts(), closed)


def _pair(kind: Any, m: _Maker, depth: int = 0) -> Any:
    first = m.array(most=3)
    return stated(kind, first, m.terms.array(len(first)))


def _predicate(m: _Maker, depth: int = 0) -> Any:
    terms = [m.terms.plain() for _ in range(m.random.randint(1, 3))]
    modulus, rest = m.random.randint(2, 3), m.random.randint(0, 1)
    factors = [m.number() for _ in terms]
    return stated(
        Predicate,
        lambda *row: sum(a * v for a, v in zip(factors, row, strict=True)) % modulus == rest,
        *terms,
    )


def _regular(m: _Maker, depth: int = 0) -> Any:
    terms = m.array()
    states = m.random.randint(1, 3)
    state = partial(m.random.randint, 0, states - 1)
    arcs = [(state(), m.terms.value_of(terms), state()) for _ in range(m.random.choice((3, 6, 1, 12, 0)))]
    return stated(Regular, terms, arcs, 0, [state() for _ in range(m.random.randint(0, 2))])


def _n_value(m: _Maker, depth: int = 0) -> Any:
    terms = m.array()
    return stated(
        NValue, terms, m.random.randint(0, len(terms)) if m.random.randint(0, 2) else m.terms.term()
    )


def _chain(kind: Any, m: _Maker, depth: int = 0) -> Any:
    length = m.random.randint(0, 2)
    return stated(kind, [m.terms.array(length) for _ in range(m.random.choice((2, 3, 1)))])


def _value_precede(m: _Maker, depth: int = 0) -> Any:
    terms = m.array()
    values = m.terms.values_of(terms, m.random.randint(0, 3))
    return stated(ordered.ValuePrecede, terms, m.random.sample(values, len(values)))


def _bin_packing(m: _Maker, depth: int = 0) -> Any:
    bins = m.array(most=3)
    sizes = [m.random.randint(0, 3) if m.random.randint(0, 2) else m.terms.term() for _ in bins]
    loads = [m.random.randint(0, 4) if m.random.randint(0, 1) else m.terms.term() for _ in range(3)]
    return stated(BinPacking, bins, sizes, loads[: m.random.choice((2, 3, 1, 0))], m.random.choice(RELATIONS))


FIELDS: dict[Any, Callable[[_Maker, int], Any]] = {
    "literals": _Maker.literals,
    LinearArray: lambda m, depth: m.array(),
    bool: lambda m, depth: bool(m.random.randint(0, 1)),
    str: lambda m, depth: m.random.choice(RELATIONS),
    tuple[int, ...]: lambda m, depth: m.terms.values_of([m.terms.plain()], m.random.randint(0, 3)),
}
"""How a field of a constraint is drawn, by its name or by its type."""


@cache
def _fields(kind: str) -> list[Callable[[_Maker, int], Any]]:
    """Return how the fields of a kind are drawn, in their order."""
    hints = get_type_hints(kind_class(kind))
    return [FIELDS[name if name in FIELDS else hints[name]] for name in kind_class(kind).fields]


MAKERS: dict[str, Callable[..., Any]] = {
    "AllDifferentExcept": _all_different_except,
    "Among": _among,
    "BinPacking": _bin_packing,
    "Count": _count,
    "GlobalCardinality": _cardinality,
    "Implication": lambda m, depth=0: stated(Implication, m.truth(depth + 1), m.truth(depth + 1)),
    "Inverse": partial(_pair, Inverse),
    "LexChainLess": partial(_chain, ordered.LexChainLess),
    "LexChainLessEqual": partial(_chain, ordered.LexChainLessEqual),
    "LexLess": partial(_pair, ordered.LexLess),
    "LexLessEqual": partial(_pair, ordered.LexLessEqual),
    "Linear": _Maker.linear,
    "Negation": lambda m, depth=0: stated(Negation, m.truth(depth + 1)),
    "NegativeTable": partial(_table, NegativeTable, 5),
    "NValue": _n_value,
    "Predicate": _predicate,
    "Regular": _regular,
    "ShortTable": partial(_table, ShortTable, 2),
    "Table": partial(_table, Table, 0),
    **SCHEDULES,
    "ValuePrecede": _value_precede,
}
"""The kinds whose fields depend on one another."""
