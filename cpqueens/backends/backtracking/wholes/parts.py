"""What constraints that are taken as they are turn into."""

from array import array
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from cpqueens.language.rows import IntArray


class Propagator(NamedTuple):
    """A propagator that is compiled apart, and the fields of its record.

    Attributes
    ----------
    name
        Of `cpqueens.kernels.exact.apart.TURNS`, where it says what wakes it.
    variables, coefficients
        Pairs at ``START`` .. ``END - 1``; these variables wake it. No coefficients: all 1.
    numbers
        What lies at ``ROWS`` .. ``ROWS_END - 1``, its own; nothing puts back what it writes there.
    constant
        A number at ``CONSTANT``, which it may change, too.
    words
        First values of its reversible words, the first of which is at ``RESULT``.
    """

    name: str
    variables: Sequence[int]
    coefficients: Sequence[int] = ()
    numbers: Sequence[int] | IntArray = ()
    constant: int = 0
    words: Sequence[int] = ()


_ONE = array("q", [1])

Column: TypeAlias = "IntArray | array[int]"
"""Numbers of many propagators."""


class Propagators:
    """The propagators of a network, as columns of numbers: objects by the million take long to free.

    Attributes
    ----------
    kinds
        Of `cpqueens.kernels.exact.kinds`, or those of what is compiled apart.
    constants
        The numbers at ``CONSTANT``.
    results
        The variable that each defines, or its first reversible word; -1: none.
    lengths
        How many arguments each has.
    variables, coefficients
        The arguments of all, one after the other.
    numbers
        By number what those have that have numbers of their own.
    """

    def __init__(self) -> None:
        self.kinds, self.constants, self.results = array("q"), array("q"), array("q")
        self.lengths, self.variables, self.coefficients = array("q"), array("q"), array("q")
        self.numbers: dict[int, Sequence[int] | IntArray] = {}

    def __len__(self) -> int:
        return len(self.kinds)

    def append(
        self,
        kind: int,
        variables: Sequence[int],
        coefficients: Sequence[int] = (),
        constant: int = 0,
        result: int = -1,
    ) -> None:
        """Add a propagator; no coefficients: all 1."""
        self.kinds.append(kind)
        self.constants.append(constant)
        self.results.append(result)
        self.lengths.append(len(variables))
        self.variables.extend(array("q", variables))  # twice as quick as number by number
        self.coefficients.extend(array("q", coefficients) if coefficients else _ONE * len(variables))

    def extend(
        self, kinds: "Column | int", lengths: Column, variables: Column, coefficients: Column,
        constants: "Column | int" = 0, results: "Column | int" = -1,
    ) -> None:  # fmt: skip
        """Add many propagators, one number for all standing for as many."""
        for column, values in ((self.kinds, kinds), (self.constants, constants), (self.results, results)):
            if isinstance(values, int):
                column.extend(array("q", [values]) * len(lengths))
            else:
                column.frombytes(values.tobytes())
        self.lengths.frombytes(lengths.tobytes())
        self.variables.frombytes(variables.tobytes())
        self.coefficients.frombytes(coefficients.tobytes())

    def lengthen_first(self, variables: Sequence[int]) -> None:
        """Add arguments, with coefficients 1, to the first propagator."""
        end = self.lengths[0]
        self.variables[end:end] = array("q", variables)
        self.coefficients[end:end] = array("q", [1]) * len(variables)
        self.lengths[0] += len(variables)
