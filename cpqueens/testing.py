"""For tests of models and backends, ours and yours: random models and a conformance suite.

A backend of another package is tested by subclassing `BackendConformance` in a test module:

    from cpqueens.testing import BackendConformance

    class TestMine(BackendConformance):
        solver = "mine"
"""

from cpqueens.crosscheck.equivalence import assert_equivalent
from cpqueens.fuzzing.generate import random_model
from cpqueens.fuzzing.testing import BackendConformance, all_solutions, assert_agree, queens, random_models

__all__ = [
    "BackendConformance",
    "all_solutions",
    "assert_agree",
    "assert_equivalent",
    "queens",
    "random_model",
    "random_models",
]
