"""What Python and NumPy ask of values that only a solution has: refused, with what to write instead."""

import sys
from types import FrameType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from cpqueens.errors import BadIndex, IntegerError
from cpqueens.language.rows import MASK_LOST
from cpqueens.text.attributes import NamesOfOtherTools, operation

_INSTEAD = {
    "COMPARE_OP": "a NumPy array of objects asks when it is compared: instead of np.array([x, y]) write "
    "np.stack([x, y]), an array of terms",
    "CONTAINS_OP": "instead of x in [1, 2] write any_([x == 1, x == 2]) or Among([x], [1, 2], 1)",
    "CALL": "instead of Python's and NumPy's all, any, max, min and sorted write all_(b), any_(b), "
    "maximum(x), minimum(x) and Increasing(x); to find a term in a list, compare with `is`; what "
    "bool(b) is to say, a solution says: s[b]",
}
"""What is written instead, by the instruction of Python that asks for a truth."""


def not_known(what: str, otherwise: str) -> TypeError:
    """Return why ``__bool__`` is refused, for its own use: what its caller does decides the advice."""
    doing = operation(outward=2).removeprefix("PRE")  # PRECALL, of Python 3.11, calls too
    advice = next((text for name, text in _INSTEAD.items() if doing.startswith(name)), otherwise)
    return TypeError(f"whether {what} is not known before solving: {advice}")


_IN_PANDAS = (
    "pandas cannot look up at a term before it is known: instead of series[x], .loc[x], .iloc[x] and .at[x] "
    "write element(series, x), of a frame element(frame, i, j), which count places from 0"
)

_BY_METHOD = (
    "methods of a frame take terms by place: write frame * x, and frame * x[:, None] along rows, which go by "
    "labels"
)

if TYPE_CHECKING:

    class NumpyTerm(np.generic[Any]):
        """What a type checker takes ``np.sum(x)`` for, which is a term: it has all operators and methods."""

        def _combined(self, other: Any, /) -> Any: ...

        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __mod__ = _combined
        __lt__ = __le__ = __gt__ = __ge__ = __and__ = __or__ = __pow__ = __matmul__ = _combined

        def __neg__(self) -> Any: ...
        def __abs__(self) -> Any: ...
        def __getattr__(self, name: str) -> Any: ...


class Unknown(NamesOfOtherTools):
    """A value that is not known before solving, and never changes."""

    __slots__ = ()
    _single: ClassVar[str]  # what one of shape () is called
    shape: tuple[int, ...]

    __hash__ = object.__hash__
    """By identity: terms are keys of dicts, as in ``hint={x: 1}``."""

    def __contains__(self, item: object) -> NoReturn:
        raise TypeError(
            "whether a value is among terms is not known before solving: instead of v in x write "
            'any_(x == v) or Count(x, v, ">=", 1)'
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> "NDArray[NumpyTerm]":
        """Return an array of objects, one a term; as an index of numbers terms are refused.

        NumPy asks for it in ``numbers[term]`` too, and says nothing about terms by itself.
        """
        if operation() == "BINARY_SUBSCR":
            raise BadIndex(
                "numbers cannot be looked up at a term by NumPy itself: instead of table[x] write "
                "element(table, x), of several axes element(table, x, y)"
            )
        self._look_at_pandas(sys._getframe(1))
        if dtype is not None and np.dtype(dtype) != object:
            self._no_number()
        array = np.empty(self.shape, dtype=object)
        for index in np.ndindex(self.shape):
            array[index] = cast(Any, self)[index] if index else self
        return array

    if not TYPE_CHECKING:  # to a type checker a list times what has this is a list

        def __index__(self) -> NoReturn:
            raise TypeError(
                "a term is not an integer before solving: read it in a solution, as s[x]; to look up in a "
                "list, write element(list, term)"
            )

    def _no_number(self, *_: Any) -> NoReturn:
        raise TypeError(f"a {self._single} is not a number before solving; read it in a solution, as s[x]")

    __float__ = __complex__ = __round__ = __trunc__ = __floor__ = __ceil__ = _no_number

    def __format__(self, form: str) -> str:
        return self._no_number() if form else str(self)

    def __rpow__(self, base: Any) -> NoReturn:
        raise TypeError("a term as an exponent: write element(list of powers, term) instead of base**term")

    def __rshift__(self, other: Any) -> NoReturn:
        raise TypeError("write b.implies(c) instead of b >> c, which Python reads before == and <=")

    __rrshift__ = __rshift__

    def __lshift__(self, other: Any) -> NoReturn:
        raise TypeError("write c.implies(b) instead of b << c; a number is shifted by x * 2**k")

    __rlshift__ = __lshift__

    def __truediv__(self, other: Any) -> NoReturn:
        raise TypeError("integers only: write // (floor) or div_trunc(x, y) instead of /")

    __rtruediv__ = __truediv__

    def __setitem__(self, *_: Any) -> NoReturn:
        raise TypeError(
            "an array of terms never changes: add x[k] == value to the model, or build a new array"
        )

    __delitem__ = __setitem__

    @property
    def _typ(self) -> str:
        """Return what pandas asks of its own kinds, to which no term belongs; refuse what it gets wrong."""
        self._look_at_pandas(sys._getframe(2))
        return "term"

    def _look_at_pandas(self, frame: FrameType | None) -> None:
        """Refuse what functions of pandas, of which one has this frame, do with a term by its place."""
        error: type[Exception] = BadIndex
        while frame is not None and frame.f_globals.get("__name__", "").startswith("pandas."):
            doing, own = frame.f_code.co_name, frame.f_locals
            key = own.get("key")
            if doing == "_validate_tuple_indexer":  # it would take one for its own, and say nothing of terms
                error = TypeError
            if doing == "__getitem__" and any(one is self for one in (key if type(key) is tuple else [key])):
                raise error(_IN_PANDAS)
            if doing == "_align_for_op" and any(own.get(name) is self for name in ("other", "right")):
                raise BadIndex(_BY_METHOD)
            if doing == "dot" and own.get("other") is self:
                self._refuse_other_order(own["self"])
            frame = frame.f_back

    def _refuse_other_order(self, other: Any) -> None:
        """Refuse to be the right side of a product of pandas that has its labels in another order."""

    @property
    def _data(self) -> NoReturn:
        """Refuse what `numpy.ma` asks for before it combines a masked array with this one."""
        raise IntegerError(f"MaskedArray: {MASK_LOST}")
