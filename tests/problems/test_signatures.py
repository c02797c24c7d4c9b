from typing import Annotated, Any, Literal

import pytest

from cpqueens import ModelError
from cpqueens.problems.signatures import Between, Squares, read_parameters, validated
from cpqueens.text.parameters import Parameter


def example(
    n: Annotated[int, Between(0, 100)],
    deep: bool = False,
    how: Literal["row", "column"] = "row",
    squares: Squares = (),
    title: str = "x",
    plain=3,
    anything=None,
) -> None:
    """A signature with one parameter of each sort."""


PARAMETERS = read_parameters(example)


def test_a_signature_is_read() -> None:
    assert list(PARAMETERS) == ["n", "deep", "how", "squares", "title", "plain", "anything"]
    assert PARAMETERS["n"] == Parameter(int, limits=(0, 100))
    assert PARAMETERS["n"].required
    assert PARAMETERS["deep"] == Parameter(bool, False)
    assert PARAMETERS["how"].choices == ("row", "column")
    assert PARAMETERS["squares"] == Parameter(Squares, ())
    assert PARAMETERS["plain"].type is int
    assert PARAMETERS["anything"].type is Any
    assert not PARAMETERS["anything"].required


def test_signatures_that_cannot_be_parameters() -> None:
    def positional(*args: int) -> None: ...

    def only(n: int, /) -> None: ...

    def unresolved(n: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821

    for function in (positional, only):
        with pytest.raises(ModelError, match="must be named"):
            read_parameters(function)
    with pytest.raises(ModelError, match="the signature cannot be read"):
        read_parameters(unresolved)


def test_validated_functions_check_direct_calls() -> None:
    @validated
    def half(n: Annotated[int, Between(0, 100)] = 8, *, up: bool = False) -> int:
        return (n + up) // 2

    assert (half(), half(5), half(5, up=True), half(n=4)) == (4, 2, 3, 2)
    for wrong in ((-1,), ("8",), (8.0,), (True,), (1, 2)):
        with pytest.raises(ModelError, match=r"^half: "):
            half(*wrong)
    with pytest.raises(ModelError, match=r"^half\(\) has no keyword .m.; known are n, up$"):
        half(m=3)  # type: ignore[call-arg]
