"""Attributes that values have in other tools and not here, and what a line was doing that asked for one.

Each name is a descriptor of its own, in a base class of values. A method ``__getattr__`` would answer all
names that there are, but with one Python looks three times for every attribute that is there: double loops
over terms took a third longer, and much longer where these looks met in one place of the interpreter's cache.

What `dir` shows of a class whose package uses more of it than its users do.
"""

import inspect
import opcode
import re
import sys
from collections.abc import Iterator
from typing import NoReturn

from cpqueens.text.foreign import OF_VALUES, no_attribute, spelled

_BETWEEN_WORDS = re.compile("(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[A-Z][a-z])|_")


class Elsewhere:
    """A name of other tools: to ask for it is an error with advice."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, owner: object, kind: type) -> NoReturn:
        raise no_attribute(kind if owner is None else owner, self._name)

    def __repr__(self) -> str:
        return f"<not here{spelled(self._name)}>"


class NamesOfOtherTools:
    """Attributes that values have in OR-Tools, CPMpy and NumPy; here each says what is written instead."""

    __slots__ = ()

    def __dir__(self) -> list[str]:
        """Return the attributes that there are, of which editors make a choice."""
        return [name for name in object.__dir__(self) if name not in _FORMS]


def forms(name: str) -> Iterator[str]:
    """Yield a name in the spellings of other tools.

    >>> sorted(forms("OnlyEnforceIf"))
    ['OnlyEnforceIf', 'onlyEnforceIf', 'only_enforce_if', 'onlyenforceif']
    """
    words = [word for word in _BETWEEN_WORDS.split(name) if word]
    capital = "".join([word[:1].upper() + word[1:] for word in words])
    yield from {name, name.lower(), capital, capital[:1].lower() + capital[1:], "_".join(words).lower()}


_FORMS = {form for name in OF_VALUES for form in forms(name)} - {"all", "any", "max", "min", "sum", "implies"}
for _form in _FORMS:
    setattr(NamesOfOtherTools, _form, Elsewhere(_form))


# ---- what a line of Python is doing when it calls here ---------------------------------------------------


_SUBSCRIPT = 26  # since Python 3.14 one of the binary operators
_AND_TO_BOOL = 16  # since Python 3.13 a comparison in a condition asks for the truth of its result itself


def operation(outward: int = 1) -> str:
    """Return the name of Python's instruction that a caller executes, such as ``CONTAINS_OP``; "" unknown.

    Parameters
    ----------
    outward
        How many Python functions away from the one that asks: 1 is its caller.
    """
    try:
        frame = sys._getframe(outward + 1)
    except ValueError:
        return ""
    if frame.f_lasti < 0:
        return ""
    code, argument = frame.f_code.co_code[frame.f_lasti : frame.f_lasti + 2]
    name = opcode.opname[code]
    if name == "COMPARE_OP" and sys.version_info >= (3, 13) and argument & _AND_TO_BOOL:
        return "TO_BOOL"
    return "BINARY_SUBSCR" if name == "BINARY_OP" and argument == _SUBSCRIPT else name


class ListsWhatIsPublic(type):
    """A kind of classes of which `dir` shows what has an example, beside all that is not the package's own.

    Other members look public to the package, which calls them from many folders, and may change.
    """

    def __dir__(cls) -> list[str]:
        return [name for name in super().__dir__() if name.startswith("_") or cls._is_shown(name)]

    def _is_shown(cls, name: str) -> bool:
        owner = next((kind for kind in cls.__mro__ if name in vars(kind)), cls)
        if not owner.__module__.startswith("cpqueens."):
            return True
        member = vars(owner)[name]
        function = member.fget if isinstance(member, property) else member
        return inspect.isroutine(function) and ">>> " in (inspect.getdoc(function) or "")


_SHARED = ("cpqueens.language.expressions", "cpqueens.language.operators")
"""Where the operators are."""


class ListsForUsers(ListsWhatIsPublic):
    """The same of kinds of values, without the operators that all share, so that `help` is a page."""

    def __dir__(cls) -> list[str]:
        return [name for name in super().__dir__() if name in ("__init__", "implies") or cls._is_own(name)]

    def _is_own(cls, name: str) -> bool:
        owner = next((kind for kind in cls.__mro__ if name in vars(kind)), cls)
        return not name.startswith("__") and owner.__module__ not in _SHARED
