"""Social golfers (CSPLib prob010): play in groups week after week, with nobody twice."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Annotated, Any, Literal

from cpqueens import GlobalCardinality, LexChainLess, LexChainLessEqual, Model, ValuePrecede
from cpqueens.answers import groups as of
from cpqueens.answers.symmetry import Group
from cpqueens.language.rows import IntArray
from cpqueens.language.views import Groups
from cpqueens.problems.published import Published
from cpqueens.problems.signatures import Between, validated
from cpqueens.problems.viewpoints import by_booleans, unlike


@validated
def social_golfers(
    groups: Annotated[int, Between(1, 50)] = 3,
    size: Annotated[int, Between(1, 50)] = 3,
    weeks: Annotated[int, Between(1, 50)] = 3,
    viewpoint: Literal["groups", "booleans"] = "groups",
) -> Model:
    """Put golfers into groups for each week so that no two are in one group twice.

    ``x[w, p]`` is the group of golfer p in week w. Weeks and groups have no names: groups are numbered by
    their first golfer, weeks are in lexicographic order. ``viewpoint="booleans"`` also decides whether a
    golfer is in each group, ``b[w, p, group]``.

    Source: W. Harvey's CSPLib prob010, after a question in the news group sci.op-research (1998); W. D.
    Wallis, *One-Factorizations* (1997).

    >>> social_golfers(2, 2, 3).count(solver="cpsat")
    1
    """
    m = Model("social golfers")
    many = groups * size
    if viewpoint == "booleans":
        b, x = by_booleans(m, "x", 0, groups - 1, (weeks, many))
        m += b.sum(axis=1) == size
    else:
        x = m.intvar(0, groups - 1, shape=(weeks, many), name="x")
    for week in x:
        if viewpoint == "groups":
            m += GlobalCardinality(week, range(groups), [size] * groups)
        m += week[0] == 0
        m += ValuePrecede(week, range(groups))
    m += LexChainLess(x) if size > 1 else LexChainLessEqual(x)  # alone, all weeks are alike
    for p, q in combinations(range(many), 2):
        if viewpoint == "booleans":
            m += (b[:, p] * b[:, q]).sum() <= 1
        else:
            m += (x[:, p] == x[:, q]).sum() <= 1
    m.view = Groups("x")
    return m


def symmetries(groups: int, size: int, weeks: int, viewpoint: str = "groups") -> Group:
    """Return those of the golfers, after which groups are numbered and weeks put in order again."""
    many = groups * size
    if viewpoint != "groups":
        return ()

    def in_order(plans: IntArray) -> IntArray:
        numbered = of.numbered(plans.reshape(-1, many), groups).reshape(-1, weeks, many)
        return of.sorted_rows(numbered).reshape(len(plans), weeks * many)

    return of.then(of.generated(of.exchanges(many, 1, (weeks, many), "golfers")), in_order)


published = (
    Published("fundamental", 1, "OEIS A030129: the affine plane of order 3", {"weeks": 4}),
    Published("solutions", 840, "OEIS A030128: affine planes of order 3 on 9 named points", {"weeks": 4}),
    Published("solutions", 0, "4 weeks meet all 8 others", {"weeks": 5}),
    Published("solutions", 1, "one-factorization of four players", {"groups": 2, "size": 2, "weeks": 3}),
    Published("solutions", 6, "Wallis 1997: one-factorizations of K6", {"groups": 3, "size": 2, "weeks": 5}),
)


def verify(
    solution: Mapping[str, Any], groups: int, size: int, weeks: int, viewpoint: str = "groups"
) -> list[str]:
    """Return what is wrong with the groups ``solution["x"]``."""
    x = [[int(group) for group in week] for week in solution["x"]]
    wrong = [] if x == sorted(x) and len(x) == weeks else ["the weeks are not in their order"]
    met: dict[tuple[int, int], int] = {}
    for w, week in enumerate(x):
        if list(dict.fromkeys(week)) != list(range(groups)):
            wrong.append(f"week {w}: groups are not numbered by their first golfer")
        for group in range(groups):
            inside = [p for p, g in enumerate(week) if g == group]
            if len(inside) != size:
                wrong.append(f"week {w}: group {group} has {len(inside)} golfers instead of {size}")
            for pair in combinations(inside, 2):
                if pair in met:
                    wrong.append(f"golfers {pair[0]} and {pair[1]} meet in weeks {met[pair]} and {w}")
                met[pair] = w
    return wrong + (unlike(solution, "x", 0) if viewpoint == "booleans" else [])
