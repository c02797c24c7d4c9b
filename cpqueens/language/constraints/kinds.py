"""The constraint kinds by name: where the class of each is."""

import importlib

from cpqueens.language.constraints.base import Constraint

KINDS: dict[str, str] = {
    "AllDifferent": "all_different",
    "AllDifferentExcept": "all_different",
    "AllEqual": "all_different",
    "Among": "count",
    "And": "connective",
    "BinPacking": "bin_packing",
    "Circuit": "circuit",
    "Count": "count",
    "Cumulative": "cumulative",
    "Decreasing": "ordered",
    "GlobalCardinality": "count",
    "Implication": "connective",
    "Increasing": "ordered",
    "Inverse": "circuit",
    "LexChainLess": "ordered",
    "LexChainLessEqual": "ordered",
    "LexLess": "ordered",
    "LexLessEqual": "ordered",
    "Linear": "linear",
    "Negation": "connective",
    "NegativeTable": "table",
    "NoOverlap": "cumulative",
    "NoOverlap2D": "cumulative",
    "NValue": "count",
    "Or": "connective",
    "Predicate": "predicate",
    "Regular": "regular",
    "ShortTable": "table",
    "SubCircuit": "circuit",
    "Table": "table",
    "ValuePrecede": "ordered",
    "Xor": "connective",
}


def kind_class(name: str) -> type[Constraint]:
    """Return the class of the constraint kind ``name``."""
    module = importlib.import_module(f"cpqueens.language.constraints.{KINDS[name]}")
    found: type[Constraint] = getattr(module, name)
    return found
