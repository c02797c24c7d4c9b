"""Groups by what generates them: against groups written down, published classes, and every image by hand."""

import itertools

import numpy as np
import pytest
from each import each
from known_counts import CONGRUENT_ON_TORUS, SIMILAR_ON_TORUS

from cpqueens import ModelError
from cpqueens.answers import groups, symmetry
from cpqueens.answers.symmetry import IDENTITY, QUEENS_BOARD, Generated, canonical, fundamental, orbit_sizes
from cpqueens.problems import catalog


def boards(n: int) -> symmetry.IntArray:
    return catalog.find("queens").instance(n=n).model.enumerate(solver="backtracking").solutions.matrix


def test_a_generated_group_has_the_orbits_of_the_one_written_down() -> None:
    few = Generated((IDENTITY, QUEENS_BOARD[1], QUEENS_BOARD[4]))
    for n in (1, 4, 6):
        q = boards(n)
        assert np.array_equal(canonical(q, few), canonical(q))
        assert np.array_equal(orbit_sizes(q, few), orbit_sizes(q))
    assert symmetry.as_group(few) is few


@each("n", [1, 2, 4, 5, 6, 7, 8])
def test_the_torus_by_its_published_classes(n: int) -> None:
    q = boards(n)
    assert len(fundamental(q, groups.torus(n))) == CONGRUENT_ON_TORUS[n]
    assert len(fundamental(q, groups.torus(n, units=True))) == SIMILAR_ON_TORUS[n]


def test_maps_of_the_torus_move_every_queen_as_they_say() -> None:
    n, q = 8, np.array([[3, 1, 6, 2, 5, 7, 4, 0]])
    maps = {
        "shift of the rows": lambda r, c: ((r + 1) % n, c),
        "shift of the columns": lambda r, c: (r, (c + 1) % n),
        "multiplication by 3": lambda r, c: (3 * r % n, 3 * c % n),
        "multiplication by 5": lambda r, c: (5 * r % n, 5 * c % n),
    }
    found = {s.name: s(q)[0] for s in groups.torus(n, units=True) if s.name in maps}
    assert found.keys() == maps.keys()
    for name, image in found.items():
        assert set(enumerate(image.tolist())) == {maps[name](r, c) for r, c in enumerate(q[0].tolist())}


def test_values_lines_and_places_against_all_permutations() -> None:
    """Of 3 values, 2 rows of 3: every order that the generators promise, and no other image."""
    grids = np.array(list(itertools.product(range(5, 8), repeat=6)))[::7]
    orders = list(itertools.permutations(range(3)))
    cases = {
        groups.values(5, 3): [lambda g, o=o: np.array(o)[g - 5] + 5 for o in orders],
        groups.exchanges(3, 1, (2, 3)): [lambda g, o=o: g.reshape(2, 3)[:, o].reshape(-1) for o in orders],
        groups.exchanges(2, 0, (3, 2)): [
            lambda g, o=o: g.reshape(3, 2)[[*o, 2]].reshape(-1) for o in ((0, 1), (1, 0))
        ],
        groups.exchanges(1, 0, (1, 6)): [lambda g: g],
    }
    for generators, images in cases.items():
        forms = canonical(grids, groups.generated(generators))
        for grid, form in zip(grids, forms, strict=True):
            assert form.tolist() == min(image(grid).tolist() for image in images)


def test_normal_forms() -> None:
    rows = np.array([[[2, 1], [1, 9], [1, 2]]])
    assert groups.sorted_rows(rows).tolist() == [[[1, 2], [1, 9], [2, 1]]]
    assert groups.numbered(np.array([[2, 0, 2, 1], [1, 1, 0, 0]]), 3).tolist() == [[0, 1, 0, 2], [0, 0, 1, 1]]


def test_orbits_too_large_to_keep_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symmetry, "LARGEST", 20)
    with pytest.raises(ModelError, match="the orbits have more than 20 solutions together"):
        canonical([[0, 1, 2, 3]], groups.generated(groups.values(0, 4)))


@pytest.mark.parametrize(
    ("generators", "solutions", "reason"),
    [
        (groups.values(1, 3), [[1, 2, 4]], "values 1..3 are needed"),
        (groups.values(1, 3), [[0, 1]], "values 1..3 are needed"),
        (groups.exchanges(2, 0, (2, 2)), [[0, 1, 2]], "4 variables are needed, got 3"),
    ],
)
def test_solutions_that_a_group_is_not_for_are_refused(
    generators: tuple[symmetry.Symmetry, ...], solutions: list[list[int]], reason: str
) -> None:
    with pytest.raises(ModelError, match=reason):
        canonical(solutions, groups.generated(generators))
