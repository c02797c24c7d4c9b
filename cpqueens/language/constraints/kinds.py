"""The constraint kinds by name: where the class of each is."""

import importlib

from cpqueens.language.constraints.base import Constraint

KINDS: dict[str, str] = {
    "AllDifferent": "all_different",
    "AllDifferentExcept": "all_different_except",
    "AllEqual": "all_equal",
    "Among": "among",
    "And": "and_",
    "BinPacking": "bin_packing",
    "Circuit": "circuit",
    "Count": "count",
    "Cumulative": "cumulative",
    "Decreasing": "decreasing",
    "GlobalCardinality": "global_cardinality",
    "Implication": "implication",
    "Increasing": "increasing",
    "Inverse": "inverse",
    "LexChainLess": "lex_chain_less",
    "LexChainLessEqual": "lex_chain_less_equal",
    "LexLess": "lex_less",
    "LexLessEqual": "lex_less_equal",
    "Linear": "linear",
    "Negation": "negation",
    "NegativeTable": "negative_table",
    "NoOverlap": "no_overlap",
    "NoOverlap2D": "no_overlap_2d",
    "NValue": "n_value",
    "Or": "or_",
    "Predicate": "predicate",
    "Regular": "regular",
    "ShortTable": "short_table",
    "SubCircuit": "sub_circuit",
    "Table": "table",
    "ValuePrecede": "value_precede",
    "Xor": "xor",
}


def kind_class(name: str) -> type[Constraint]:
    """Return the class of the constraint kind ``name``."""
    module = importlib.import_module(f"cpqueens.language.constraints.{KINDS[name]}")
    found: type[Constraint] = getattr(module, name)
    return found
