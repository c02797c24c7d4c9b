"""FlatZinc written, read and written again is the same text, and means the same."""

from __future__ import annotations

import pytest

from cpqueens import AllDifferent, CpqueensError, Model, div_trunc, element, from_flatzinc, maximum, mod_trunc
from cpqueens.backends.minizinc.flat import flatzinc_text
from cpqueens.crosscheck import oracle
from cpqueens.fuzzing.findings import fuzz_model
from cpqueens.problems import catalog


def divided(low: int, high: int) -> Model:
    """Return a model with all ways to divide by what is in a range, guarded and not."""
    m = Model("divided")
    x, y = m.intvar(-5, 6, name="x"), m.intvar(low, high, name="y")
    m.add(
        (x // y >= 2) | (x % y == 1) | (y == 0), (div_trunc(x, y) != -2) | (mod_trunc(x, y) == -1) | (x > 4)
    )
    return m


def entries() -> Model:
    """Return a model with positions that leave their tables, and names that FlatZinc cannot have."""
    m = Model("the entries")
    t, x, y = m.intvar(0, 3, shape=2, name="work [h]"), m.intvar(0, 2, name="x"), m.intvar(-1, 1, name="X_y")
    m.add((element(t, x) >= 2) | (x == 2), (element([4, 5], y) == 4) | (element(t, y + x) == 3), t[0] != t[1])
    m.minimize(maximum(t[0], x, y) * 2 - abs(y) * x)
    return m


def again(model: Model) -> tuple[str, Model]:
    """Return the text of a model and what is read from it."""
    text = flatzinc_text(model)
    return text, from_flatzinc(text).model


def test_partial_functions_stay_as_they_are() -> None:
    for model in (
        *(divided(*ends) for ends in ((0, 3), (-3, 0), (-2, 3), (1, 3), (-3, -1))),
        entries(),
    ):
        text, back = again(model)
        assert flatzinc_text(back) == text
        assert back.name == model.name
        assert [block.name for block in back.blocks] == [block.name for block in model.blocks]
        assert oracle.solve(back).rows == oracle.solve(model).rows
    never = divided(0, 0)
    assert oracle.solve(again(never)[1]).rows == oracle.solve(never).rows


@pytest.mark.parametrize("part", [0, 1])
def test_problems_stay_as_they_are(part: int) -> None:
    for name in catalog.names()[part::2]:
        text, back = again(catalog.find(name).instance().model)
        assert flatzinc_text(back) == text, name


def test_random_models_come_to_rest() -> None:
    """Constants among their arguments are simpler once they were read; nothing grows."""
    compared = 0
    for index in range(40):
        try:
            _, back = again(fuzz_model(5, index)[0])
        except CpqueensError:  # too large
            continue
        first, more = again(back)
        second, last = again(more)
        assert flatzinc_text(last) == second, index
        assert second.count("\n") <= first.count("\n"), index
        compared += 1
    assert compared > 20


def test_comments_are_names_only_where_they_can_be() -> None:
    said = "% model a b\n% X_0: other\n% X_1: other\nvar 0..1: X_0;\nvar 0..1: X_1;\nsolve satisfy;\n"
    for text, names in ((said, ["X_0", "X_1"]), (said.replace("X_1: other", "X_1: X_0"), ["other", "X_1"])):
        model = from_flatzinc(text).model
        assert model.name == "a b"
        assert [block.name for block in model.blocks] == names


def test_variables_come_in_the_order_of_their_declarations() -> None:
    m = Model("m")
    x, y, z = m.intvar(0, 3, name="x"), m.intvar(0, 3, shape=2, name="y"), m.intvar(0, 3, name="z")
    m.add(AllDifferent([x, *y, z]))
    back = again(m)[1]
    assert [block.name for block in back.blocks] == ["x", "y", "z"]
