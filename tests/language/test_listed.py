"""`print(model)` says what the model is, at once and in the width of the terminal, whatever its size."""

from types import CodeType

import numpy as np
import pytest

from cpqueens import AllDifferent, Model
from cpqueens.language.listing import listing, listing_text
from cpqueens.language.posted import ConstraintList


def small() -> Model:
    m = Model("small")
    q = m.intvar(0, 7, shape=8, name="q")
    colour = m.intvar(domain=[1, 2, 3, 5, 8, 9], name="colour")
    m.intvar(0, np.arange(6).reshape(2, 3), shape=(2, 3), name="grid")
    m.intvar(0, 1, shape=0, name="none")
    m.add(AllDifferent(q + np.arange(8)))
    m.add(q[0] == 3, name="corner")
    m.add(q[0] // (colour - 1) == 1)
    m.maximize(q[0] - abs(colour - 3))
    return m


def test_a_small_model_is_listed_in_full() -> None:
    text = listing_text(small(), 80)
    assert [line.rsplit(":", 1)[0] for line in text.splitlines()] == [
        "small",
        "variables",
        "  q       8      0..7",
        "  colour         {1..3, 5, 8, 9}",
        "  grid    2 x 3  0..5, bounds differ",
        "  none    0      no elements",
        "constraints",
        "  AllDifferent(q[0], q[1] + 1, q[2] + 2, ..., q[7] + 7)  test_listed.py",
        "  corner: q[0] == 3                                      test_listed.py",
        "  q[0] // (colour - 1) == 1                              test_listed.py",
        "  range of q[0] // (colour - 1)",
        "objective",
        "  maximize q[0] - abs(colour - 3)",
    ]
    assert "  range of q[0] // (colour - 1): colour != 1" in text.splitlines()


@pytest.mark.parametrize("width", [40, 50, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width + 1))
    m = small()
    m.add(m["grid"].sum() <= 3, name="a long name " * 10)
    m.intvar(domain=np.arange(0, 900, 2), name="v" * 100)
    assert max(map(len, str(m).splitlines())) <= width
    assert str(m) == listing_text(m, width)


def test_of_a_large_model_the_ends_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    m = Model("large")
    x = m.intvar(0, 9, shape=2, name="x")
    for k in range(3000):
        m.add(x[0] + k <= x[1] + 2 * k)
        m.intvar(0, k, name=f"v{k}")
    made: list[int] = []
    monkeypatch.setattr(ConstraintList, "source", lambda self, k: made.append(k))
    found = listing(m)
    constraints = found.sections[1][1]
    assert len(found.sections[0][1]) == len(constraints) == 26
    assert constraints[20] == ("... 2,975 more",)
    assert constraints[-1][0] == "x[0] <= x[1] + 2999"
    assert len(made) == 25  # and of the others nothing is made
    assert len(str(m)) < 4000


def test_a_model_without_anything_has_a_title() -> None:
    assert str(Model("nothing")) == "nothing: 0 variables, 0 constraints"


def test_one_constraint_is_had_without_the_others() -> None:
    m = small()
    for k, posted in enumerate(m.constraints):
        one = m.posted(k)
        assert (repr(one.constraint), one.name, one.source) == (
            repr(posted.constraint), posted.name, posted.source,
        )  # fmt: skip
    assert not isinstance(m.posted(0).source, CodeType)
