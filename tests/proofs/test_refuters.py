"""Refuters against all assignments: what is refuted has none, and few that have none are not seen."""

from __future__ import annotations

import random
from collections import Counter

from cpqueens.fuzzing.generate import random_model
from cpqueens.language.constraints.kinds import KINDS
from cpqueens.proofs.domains import Domains
from cpqueens.proofs.parts import ModelPart, ModelParts
from cpqueens.proofs.refuters import REFUTERS, assignments, inside, refuted

COMPLETE = (
    "Linear", "AllDifferentExcept", "And", "Count", "Decreasing", "Increasing", "Inverse", "LexLess", "Or",
    "Predicate", "Regular", "SubCircuit", "Table", "ValuePrecede", "truth",
)  # fmt: skip
"""Kinds of which the refuter itself sees nearly everything on small models; of the others, most."""


def drawn_domains(model, part: ModelPart, draw: random.Random) -> Domains:
    """Return domains from which values of the part's variables are gone at random."""
    d = Domains.of(model)
    share = draw.choice([0.2, 0.5, 0.8])
    for v in part.scope:
        for x in range(d.low[v], min(d.high[v], d.low[v] + 30) + 1):
            mark = d.mark()
            if draw.random() < share and not d.impose((v, "!=", x)):
                d.back(mark)
    return d


def has_none(part: ModelPart, d: Domains) -> bool | None:
    """Say by trying all whether a part has no assignment within domains; None for too many."""
    rows = assignments(part.cone if part.kind == "cone" else part.scope, d)
    if rows is None:
        return None
    if part.kind == "cone":
        return not inside(part.scope, part.evaluate(rows), d).any()
    return not part.meaning(rows).any()


def compared(seeds) -> tuple[Counter[str], Counter[str]]:
    """Return how often parts of each kind had no assignment, and how often the refuter saw it."""
    empty: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for seed in seeds:
        draw = random.Random(seed)
        kinds = None if seed % 2 else [sorted(KINDS)[seed // 2 % len(KINDS)]]
        model = random_model(seed, kinds=kinds, soft=True)
        parts = ModelParts(model)
        for name in parts.names():
            part = parts[name]
            own = REFUTERS.get(part.kind)
            for _ in range(3):
                d = drawn_domains(model, part, draw)
                truth = has_none(part, d)
                if truth is None:
                    continue
                by_kind = own is not None and own(part, d)
                assert truth or not by_kind, f"{part.kind} of model {seed}, {name}"
                assert refuted(part, d) == truth, f"{part.kind} of model {seed}, {name}"
                empty[part.kind] += truth
                seen[part.kind] += truth and by_kind
    return empty, seen


def test_what_is_refuted_has_no_assignment() -> None:
    empty, seen = compared(range(2 * len(KINDS)))
    assert len(empty) >= len(KINDS)
    for kind in COMPLETE:
        assert seen[kind] >= 0.8 * empty[kind], (kind, seen[kind], empty[kind])


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
    refuted_ones = [name for name in parts.names() if refuted(parts[name], d)]
    assert refuted_ones == ["c0", "c1", "c2", "c3", "c4", "c5"]
    for v in range(6, 12):
        d.impose((v, ">=", 1))
    assert refuted(parts["c6"], d)
