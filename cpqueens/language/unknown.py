"""What Python and NumPy ask of values that only a solution has: refused, with what to write instead."""

from typing import Any, ClassVar, NoReturn

from cpqueens.errors import IntegerError
from cpqueens.language.rows import MASK_LOST


class Unknown:
    """A value that is not known before solving, and never changes."""

    __slots__ = ()
    _single: ClassVar[str]  # what one of shape () is called

    def __index__(self) -> NoReturn:
        raise TypeError(
            "a term is no integer before it is known; to look up in a list, write element(list, term)"
        )

    def _no_number(self, *_: Any) -> NoReturn:
        raise TypeError(f"a {self._single} is no number before it is known; read it in a solution, as s[x]")

    __float__ = __complex__ = __round__ = __trunc__ = __floor__ = __ceil__ = _no_number

    def __format__(self, form: str) -> str:
        return self._no_number() if form else str(self)

    def __rpow__(self, base: Any) -> NoReturn:
        raise TypeError("a term as an exponent: write element(list of powers, term) instead of base**term")

    def __truediv__(self, other: Any) -> NoReturn:
        raise TypeError("integers only: write // (floor) or div_trunc(x, y) instead of /")

    __rtruediv__ = __truediv__

    def __setitem__(self, *_: Any) -> NoReturn:
        raise TypeError(
            "an array of terms never changes: add x[k] == value to the model, or build a new array"
        )

    __delitem__ = __setitem__

    @property
    def _data(self) -> NoReturn:
        """Refuse what `numpy.ma` asks for before it combines a masked array with this one."""
        raise IntegerError(f"MaskedArray: {MASK_LOST}")
