"""One declarative constraint model, several solvers, and a proof-minded comparison of what they say."""

from cpqueens.system import start as _start  # noqa: F401 - first of all: what follows takes a moment

# isort: split
from typing import TYPE_CHECKING, Any

from cpqueens.answers.outcome import Outcome, Status, StopReason
from cpqueens.answers.solution import Solution, SolutionSet
from cpqueens.errors import (
    BackendFault,
    CpqueensError,
    IntegerError,
    MissingLibrary,
    ModelError,
    ModelInvalid,
    NoSolution,
    Undefined,
    UnknownBackend,
    UnknownParameter,
    UnsupportedConstraint,
    UnsupportedRequest,
)
from cpqueens.language.constraints.all_different import AllDifferent, AllDifferentExcept, AllEqual
from cpqueens.language.constraints.bin_packing import BinPacking
from cpqueens.language.constraints.circuit import Circuit, Inverse, SubCircuit
from cpqueens.language.constraints.connective import And, Clause, Implication, Negation, Or, Xor
from cpqueens.language.constraints.count import Among, Count, GlobalCardinality, NValue
from cpqueens.language.constraints.cumulative import Cumulative, NoOverlap, NoOverlap2D
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.constraints.ordered import (
    Decreasing,
    Increasing,
    LexChainLess,
    LexChainLessEqual,
    LexLess,
    LexLessEqual,
    ValuePrecede,
)
from cpqueens.language.constraints.predicate import Predicate
from cpqueens.language.constraints.regular import Regular
from cpqueens.language.constraints.table import NegativeTable, ShortTable, Table
from cpqueens.language.constraints.table_rows import ANY
from cpqueens.language.expressions import BoolArray, LinearArray
from cpqueens.language.functions import all_, any_, div_trunc, element, maximum, minimum, mod_trunc, scaled
from cpqueens.language.views import (
    Armies,
    Board,
    Cages,
    Colouring,
    Dots,
    Features,
    Grid,
    Groups,
    Marks,
    Pairing,
    Pieces,
    Schedule,
    Sequence,
    Tour,
)
from cpqueens.model import Model
from cpqueens.solving.solve import STOP, IncompleteCount
from cpqueens.text.attributes import operation
from cpqueens.text.foreign import spelled

if TYPE_CHECKING:
    from cpqueens.backends.cpmpy.to_cpmpy import to_cpmpy
    from cpqueens.crosscheck.crosscheck import cross_check
    from cpqueens.crosscheck.equivalence import compare
    from cpqueens.exchange.cpmpy import from_cpmpy
    from cpqueens.exchange.cpsat import from_cpsat
    from cpqueens.exchange.flatzinc import from_flatzinc
    from cpqueens.exchange.python_constraint import from_python_constraint
    from cpqueens.lab.evaluate import evaluate
    from cpqueens.longrun.coordinator import durable_count, durable_enumerate

__all__ = [
    "ANY",
    "STOP",
    "AllDifferent",
    "AllDifferentExcept",
    "AllEqual",
    "Among",
    "And",
    "Armies",
    "BackendFault",
    "BinPacking",
    "Board",
    "BoolArray",
    "Cages",
    "Circuit",
    "Clause",
    "Colouring",
    "Count",
    "CpqueensError",
    "Cumulative",
    "Decreasing",
    "Dots",
    "Features",
    "GlobalCardinality",
    "Grid",
    "Groups",
    "Implication",
    "IncompleteCount",
    "Increasing",
    "IntegerError",
    "Inverse",
    "LexChainLess",
    "LexChainLessEqual",
    "LexLess",
    "LexLessEqual",
    "Linear",
    "LinearArray",
    "Marks",
    "MissingLibrary",
    "Model",
    "ModelError",
    "ModelInvalid",
    "NValue",
    "Negation",
    "NegativeTable",
    "NoOverlap",
    "NoOverlap2D",
    "NoSolution",
    "Or",
    "Outcome",
    "Pairing",
    "Pieces",
    "Predicate",
    "Regular",
    "Schedule",
    "Sequence",
    "ShortTable",
    "Solution",
    "SolutionSet",
    "Status",
    "StopReason",
    "SubCircuit",
    "Table",
    "Tour",
    "Undefined",
    "UnknownBackend",
    "UnknownParameter",
    "UnsupportedConstraint",
    "UnsupportedRequest",
    "ValuePrecede",
    "Xor",
    "all_",
    "any_",
    "compare",
    "cross_check",
    "div_trunc",
    "durable_count",
    "durable_enumerate",
    "element",
    "evaluate",
    "from_cpmpy",
    "from_cpsat",
    "from_flatzinc",
    "from_python_constraint",
    "maximum",
    "minimum",
    "mod_trunc",
    "scaled",
    "to_cpmpy",
]

_LAZY = {
    "compare": "cpqueens.crosscheck.equivalence",
    "cross_check": "cpqueens.crosscheck.crosscheck",
    "durable_count": "cpqueens.longrun.coordinator",
    "durable_enumerate": "cpqueens.longrun.coordinator",
    "evaluate": "cpqueens.lab.evaluate",
    "from_cpmpy": "cpqueens.exchange.cpmpy",
    "from_cpsat": "cpqueens.exchange.cpsat",
    "from_flatzinc": "cpqueens.exchange.flatzinc",
    "from_python_constraint": "cpqueens.exchange.python_constraint",
    "to_cpmpy": "cpqueens.backends.cpmpy.to_cpmpy",
}


def __getattr__(name: str) -> Any:
    """Import the few public names that need more than the language itself."""
    if name not in _LAZY:
        advice = spelled(name, __all__)
        if advice and operation() == "IMPORT_FROM":  # of an AttributeError Python would tell nothing
            raise ImportError(f"cannot import name {name!r} from 'cpqueens'{advice}", name=name)
        raise AttributeError(f"module 'cpqueens' has no attribute {name!r}{advice}")
    import importlib

    return getattr(importlib.import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    """List the public names, those among them that are imported when they are first used."""
    return list(__all__)
