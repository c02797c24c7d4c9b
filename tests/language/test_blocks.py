"""Variables and their names, both ways."""

import pytest
from each import each

from cpqueens import Model, ModelError


def test_every_variable_is_found_by_its_name() -> None:
    m = Model()
    m.intvar(0, 1, name="z")
    m.intvar(0, 1, shape=(2, 3), name="grid")
    m.intvar(0, 1, shape=0, name="none")
    m.intvar(0, 1, shape=(0, 4), name="nothing")
    m.intvar(0, 1, shape=2, name="q")
    m.intvar(0, 1)
    names = [m.name_of(v) for v in range(m.variable_count)]
    grid = [f"grid[{i},{j}]" for i in range(2) for j in range(3)]
    assert names == ["z", *grid, "q[0]", "q[1]", "x5"]
    assert [list(m[name].variables[0]) for name in names] == [[v] for v in range(m.variable_count)]


@each("name", ["q[2]", "q[0,0]", "q[-1]", "q[]", "q[0", "q[ 0]", "p[0]", ""])
def test_what_is_no_name_of_a_variable_is_none(name: str) -> None:
    m = Model()
    m.intvar(0, 1, shape=2, name="q")
    assert m.blocks.element(name) is None
    with pytest.raises(ModelError):
        m[name]


def test_a_copy_has_names_of_its_own() -> None:
    m = Model()
    m.intvar(0, 1, shape=2, name="a[0]")
    copy = m.copy()
    copy.intvar(0, 1, name="later")
    assert [block.name for block in m.blocks] == ["a[0]"] == list(m.blocks.by_name)
    with pytest.raises(ModelError, match="share the name"):
        copy.intvar(0, 1, shape=3, name="a")
    m.intvar(0, 1, name="later")
    assert m.name_of(2) == copy.name_of(2) == "later"
