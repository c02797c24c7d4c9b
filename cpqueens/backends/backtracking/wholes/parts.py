"""What constraints that are taken as they are turn into, and what they may ask for meanwhile."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from cpqueens.kernels.exact import domains as at
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray


class Propagator(NamedTuple):
    """A propagator that is compiled apart, and the fields of its record.

    Attributes
    ----------
    name
        Of `cpqueens.kernels.exact.apart.NAMES`.
    variables, coefficients
        Pairs at ``START`` .. ``END - 1``; these variables wake it. No coefficients: all 1.
    numbers
        What lies at ``ROWS`` .. ``ROWS_END - 1``, its own; nothing puts back what it writes there.
    constant
        A number at ``CONSTANT``, which it may change, too.
    words
        First values of its reversible words, the first of which is at ``RESULT``.
    events
        What wakes it: `at.FIX`, `at.BOUND`, `at.DOMAIN`, or several of them.
    queue
        `at.QUICK`, `at.DEAR` or `at.DEAREST`: it waits for all that is cheaper.
    """

    name: str
    variables: Sequence[int]
    coefficients: Sequence[int] = ()
    numbers: Sequence[int] | IntArray = ()
    constant: int = 0
    words: Sequence[int] = ()
    events: int = at.DOMAIN
    queue: int = at.DEAR


_ONE = array("q", [1])


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
    own
        By number what each is that is compiled apart.
    """

    def __init__(self) -> None:
        self.kinds, self.constants, self.results = array("q"), array("q"), array("q")
        self.lengths, self.variables, self.coefficients = array("q"), array("q"), array("q")
        self.own: dict[int, Propagator] = {}

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
        self, kinds: IntArray | int, lengths: IntArray, variables: IntArray, coefficients: IntArray,
        constants: IntArray | int = 0, results: IntArray | int = -1,
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


class Parts(Protocol):
    """The network that is being built, as `WholeKind.lay_out` sees it. A row is a term, see `Terms`."""

    def variables(self, array: LinearArray) -> list[int]:
        """Return a variable for each term of the constraint, a list to read, adding those that are needed."""

    def bounds(self, variable: int) -> tuple[int, int]:
        """Return the least and the greatest value of a variable."""

    def spans(self, variables: Iterable[int]) -> list[int]:
        """Return how many values there are between the bounds of each variable, these included."""

    def new_variable(self, low: int, high: int) -> int:
        """Add an auxiliary variable, which the others must decide."""

    def truth(self, row: tuple[tuple[int, ...], tuple[int, ...], int], relation: int, result: int) -> None:
        """Let ``result`` be 1 exactly where ``row relation 0``."""

    def decides_more(self, many: int) -> bool:
        """Say whether the search may decide so many auxiliary variables too."""

    def ordered(self, first: IntArray, second: IntArray) -> list[int]:
        """Return truths that say which of two tasks comes first, of which the search decides some."""

    def propagator(self, own: Propagator) -> None:
        """Add a propagator that is compiled apart."""

    def linear(self, row: tuple[tuple[int, ...], tuple[int, ...], int], relation: int) -> None:
        """Add ``row relation 0``, with a code of `cpqueens.lowered.compiled`."""

    def all_different(self, terms: list[tuple[tuple[int, ...], tuple[int, ...], int]]) -> None:
        """Add an AllDifferent."""


@dataclass(frozen=True)
class WholeKind:
    """How a kind of constraint is taken.

    Attributes
    ----------
    lay_out
        Adds the parts of a constraint to the network.
    when
        Says which constraints of the kind are taken; others are decomposed, as all in reified contexts are.
    """

    lay_out: Callable[[Any, Parts], None]
    when: Callable[[Any], bool] = lambda constraint: isinstance(constraint, Constraint)
