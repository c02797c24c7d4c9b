"""Refuters against all assignments: what is refuted has none, and few that have none are not seen."""

from __future__ import annotations

import random
from collections import Counter

from cpqueens.fuzzing.generate import random_model
from cpqueens.language.constraints.kinds import KINDS
from cpqueens.proofs.parts import Domains, ModelPart, ModelParts
from cpqueens.proofs.refuters import REFUTERS, assignments, inside, refuted

COMPLETE = (
    "Linear", "AllDifferentExcept", "And", "Count", "Decreasing", "Increasing", "Inverse", "LexLess", "Or",
    "Predicate", "Regular", "SubCircuit", "Table", "ValuePrecede",
)  # fmt: skip
"""Kinds of which the refuter itself sees much also where terms share variables."""


def drawn_domains(model, part: ModelPart, draw: random.Random) -> Domains:
    """Return domains from which values of the part's variables are gone at random."""
    d = Domains.of(model)
    share = draw.choice([0.0, 0.1, 0.3, 0.5, 0.7, 0.9])
    for v in part.scope:
        if draw.random() < 0.3:
            low = draw.randint(d.low[v], d.high[v])
            mark = d.mark()
            if not d.impose((v, draw.choice([">=", "<="]), low)):
                d.back(mark)
        for x in range(d.low[v], min(d.high[v], d.low[v] + 30) + 1):
            mark = d.mark()
            if draw.random() < share and not d.impose((v, "!=", x)):
                d.back(mark)
    return d


def has_none(part: ModelPart, d: Domains) -> bool | None:
    """Say by trying all whether a part has no assignment within domains; None for too many."""
    rows = assignments(part.inputs, d)
    return None if rows is None else not inside(part.scope, part.satisfying(rows), d).any()


def compared(seeds, kinds, draws: int) -> tuple[Counter[str], Counter[str]]:
    """Return how often parts of each kind had no assignment, and how often the refuter saw it."""
    empty: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for seed in seeds:
        draw = random.Random(seed)
        contexts = ("plain", "negated", "reified") if kinds is None else ("plain",)
        model = random_model(seed, kinds=kinds, contexts=contexts, constraints=2, soft=kinds is None)
        parts = ModelParts(model)
        for name in parts.names:
            part = parts[name]
            own = REFUTERS.get(part.kind)
            if kinds is not None and part.kind not in kinds:
                continue
            for _ in range(draws):
                d = drawn_domains(model, part, draw)
                truth = has_none(part, d)
                if truth is None:
                    continue
                by_kind = own is not None and own(part, d)
                assert truth or not by_kind, f"{part.kind} of model {seed}, {name}"
                if not by_kind:
                    assert refuted(part, d) == truth, f"{part.kind} of model {seed}, {name}"
                empty[part.kind] += truth
                seen[part.kind] += truth and by_kind
    return empty, seen


def test_what_is_refuted_has_no_assignment() -> None:
    empty, seen = Counter[str](), Counter[str]()
    for place, kind in enumerate(sorted(KINDS)):
        found, by_kind = compared(range(100 * place, 100 * place + 12), [kind], 12)
        empty += found
        seen += by_kind
    assert len(empty) >= len(KINDS) - 1
    for kind in COMPLETE:
        assert seen[kind] >= 0.4 * empty[kind], (kind, seen[kind], empty[kind])


def test_functions_and_truths_are_refuted_only_where_they_have_none() -> None:
    empty, _ = compared(range(60), None, 4)
    assert {"abs", "product", "element", "minimum", "maximum", "quotient", "truth", "cone"} <= empty.keys()


def test_long_constraints_are_refuted_by_their_own_refuters() -> None:
    """What is too long to be tried, and false by its own reasoning only."""
    from cpqueens import AllDifferent, Circuit, Cumulative, GlobalCardinality, Model, NValue, Regular

    m = Model()
    x = m.intvar(0, 9, shape=12, name="x")
    m += [
        AllDifferent(x),
        NValue(x, 11),
        Cumulative(x, 3, 2, 5),
        GlobalCardinality(x, [0, 1], [7, 6]),
        Regular(x, [(0, 5, 1), (1, 6, 0)], 0, [1]),
        Circuit(x),
    ]
    m += x[:6].sum() - 5 * x[6:].sum() >= 50
    parts = ModelParts(m)
    d = Domains.of(m)
    refuted_ones = [name for name in parts.names if refuted(parts[name], d)]
    assert refuted_ones == ["c0", "c1", "c2", "c3", "c4", "c5"]
    for v in range(6, 12):
        d.impose((v, ">=", 1))
    assert refuted(parts["c6"], d)


def test_what_has_an_assignment_at_the_edge_is_not_refuted() -> None:
    """Tasks that follow each other at once or may be absent, and things that may be in another bin."""
    from cpqueens import BinPacking, Cumulative, Model

    m = Model()
    b = m.boolvar(shape=2, name="b")
    m += [
        Cumulative([0, 2], 2, 1, 1),
        Cumulative([0, 0], 2, 1, 1, present=[1, b[0]]),
        BinPacking(b, [5, 5], [0, 10]),
    ]
    parts = ModelParts(m)
    for name in ("c0", "c1", "c2"):
        assert not refuted(parts[name], Domains.of(m)), name
        assert not REFUTERS[parts[name].kind](parts[name], Domains.of(m)), name
