"""A published number of solutions for each constraint kind: plain, negated, reified, and from a file."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from each import each

import cpqueens as cp
from cpqueens import Model
from cpqueens.files.modelfile import dump_model, parse_model
from cpqueens.language.constraints.kinds import KINDS, kind_class

EXACT = ("cpsat", "backtracking", "python-constraint")


@dataclass(frozen=True)
class Row:
    """What is counted, where the number is from, and what CP-SAT is given: its own constraint, if any."""

    state: Callable[[Model], Any]  # adds variables, returns a constraint over all of them
    count: int
    of: int  # assignments in all
    source: str
    native: str = ""  # "": decomposed


def _x(m: Model, size: int, low: int, high: int) -> Any:
    return m.intvar(low, high, shape=size, name="x")


def _bits(m: Model, *shape: int) -> Any:
    return m.boolvar(shape=shape, name="b")


def _change(m: Model) -> Any:
    coins = np.array([1, 5, 10, 25])
    return coins @ m.intvar(0, 10 // coins, shape=4, name="x") == 10


def _fibonacci(m: Model) -> Any:
    return cp.Regular(_bits(m, 6), [(0, 0, 0), (0, 1, 1), (1, 0, 0)], 0, [0, 1])


def _kings(m: Model) -> Any:
    x, y = m.intvar(0, 2, shape=(2, 2), name="x")
    return cp.NoOverlap2D(x, [2, 2], y, [2, 2])


def _pythagoras(m: Model) -> Any:
    a, b, c = _x(m, 3, 1, 5)
    return cp.Predicate(lambda a, b, c: a * a + b * b == c * c, a, b, c)


def _involutions(m: Model) -> Any:
    x = _x(m, 4, 0, 3)
    return cp.Inverse(x, x)


MAJORITY, ONE = [(1, 1, cp.ANY), (1, cp.ANY, 1), (cp.ANY, 1, 1)], [(1, 0, 0), (0, 1, 0), (0, 0, 1)]

PUBLISHED: dict[str, Row] = {
    "AllDifferent": Row(lambda m: cp.AllDifferent(_x(m, 4, 1, 4)), 24, 256, "OEIS A000142(4)", "all_diff"),
    "AllDifferentExcept": Row(
        lambda m: cp.AllDifferentExcept(_x(m, 3, 0, 3), 0), 34, 64, "OEIS A002720(3), partial permutations"
    ),
    "AllEqual": Row(lambda m: cp.AllEqual(_x(m, 3, 1, 5)), 5, 125, "OEIS A000027(5), one for each value"),
    "Among": Row(lambda m: cp.Among(_bits(m, 6), [1], 3), 20, 64, "OEIS A000984(3), central binomial"),
    "And": Row(lambda m: cp.And(_bits(m, 3)), 1, 8, "truth table (Wittgenstein 1921, 5.101)"),
    "BinPacking": Row(
        lambda m: cp.BinPacking(_bits(m, 7), range(1, 8), [14, 14]), 8, 128, "OEIS A063865(7), +-1...+-7 = 0"
    ),
    "Circuit": Row(lambda m: cp.Circuit(_x(m, 4, 0, 3)), 6, 256, "OEIS A000142(3), cyclic", "circuit"),
    "Count": Row(
        lambda m: cp.Count(_x(m, 4, 0, 2), 1, "==", 2), 24, 81, "OEIS A013609(4, 2), coefficient of (1+2x)^4"
    ),
    "Cumulative": Row(
        lambda m: cp.Cumulative(_x(m, 3, 1, 3), [1] * 3, [1] * 3, 2), 24, 27, "OEIS A061190(3)", "cumulative"
    ),
    "Decreasing": Row(lambda m: cp.Decreasing(_x(m, 4, 1, 4)), 35, 256, "OEIS A001700(3), multisets"),
    "GlobalCardinality": Row(
        lambda m: cp.GlobalCardinality(_x(m, 4, 0, 1), [0, 1], lower=2, upper=[2, 3]),
        6, 16, "OEIS A000680(2), words of two letters, each twice",
    ),
    "Implication": Row(
        lambda m: cp.Implication(*_bits(m, 2)), 3, 4, "truth table (Wittgenstein 1921, 5.101)", "bool_or"
    ),
    "Increasing": Row(
        lambda m: cp.Increasing(_x(m, 3, 1, 6), strict=True), 20, 216, "OEIS A007318(6, 3), subsets"
    ),
    "Inverse": Row(_involutions, 10, 256, "OEIS A000085(4)", "inverse"),
    "LexChainLess": Row(
        lambda m: cp.LexChainLess(_bits(m, 3, 2)), 4, 64, "OEIS A007318(4, 3), subsets of 4 rows"
    ),
    "LexChainLessEqual": Row(
        lambda m: cp.LexChainLessEqual(_bits(m, 3, 2)), 20, 64, "OEIS A000292(4), multisets of 4 rows"
    ),
    "LexLess": Row(lambda m: cp.LexLess(*_bits(m, 2, 3)), 28, 64, "OEIS A000217(7)"),
    "LexLessEqual": Row(lambda m: cp.LexLessEqual(*_bits(m, 2, 3)), 36, 64, "OEIS A000217(8)"),
    "Linear": Row(_change, 4, 66, "OEIS A001299(10), change of 10 cents", "linear"),
    "Negation": Row(lambda m: ~cp.AllDifferent(_x(m, 4, 1, 4)), 232, 256, "OEIS A036679(4), n^n - n!"),
    "NegativeTable": Row(
        lambda m: cp.NegativeTable(_bits(m, 3), [(0, 0, 0), (1, 1, 1)]),
        6, 8, "not all equal (Schaefer 1978)", "table",
    ),
    "NoOverlap": Row(
        lambda m: cp.NoOverlap(_x(m, 2, 0, 4), [2, 2]),
        12, 25, "OEIS A011973(6, 2), matchings of a path, twice", "no_overlap",
    ),
    "NoOverlap2D": Row(_kings, 32, 81, "OEIS A035286(3), a white and a black king", "no_overlap_2d"),
    "NValue": Row(lambda m: cp.NValue(_x(m, 4, 1, 3), 3), 36, 81, "OEIS A019538(4, 3), surjections"),
    "Or": Row(lambda m: cp.Or(_bits(m, 4)), 15, 16, "OEIS A000225(4)", "bool_or"),
    "Predicate": Row(
        _pythagoras, 2, 125, "OEIS A009003(1) = 5: 3, 4, 5 in both orders", "table"
    ),
    "Regular": Row(_fibonacci, 21, 64, "OEIS A000045(8), words without 11", "automaton"),
    "ShortTable": Row(lambda m: cp.Table(_bits(m, 3), MAJORITY), 4, 8, "OEIS A000079(2), majorities of 3"),
    "SubCircuit": Row(
        lambda m: cp.SubCircuit(_x(m, 4, 0, 3)), 21, 256, "OEIS A006231(4) cycles, and none", "circuit"
    ),
    "Table": Row(lambda m: cp.Table(_bits(m, 3), ONE), 3, 8, "one in three (Schaefer 1978)", "table"),
    "ValuePrecede": Row(
        lambda m: cp.ValuePrecede(_x(m, 4, 0, 3), range(4)), 15, 256, "OEIS A000110(4), partitions of a set"
    ),
    "Xor": Row(lambda m: cp.Xor(_bits(m, 5)), 16, 32, "OEIS A000079(4), half of them", "bool_xor"),
}  # fmt: skip
"""One small instance of each kind, over no other variables and beside no other constraint."""


def _posted(row: Row, form: str) -> Model:
    model = Model()
    constraint = row.state(model)
    model += {"plain": lambda: constraint, "negated": lambda: ~constraint,
              "reified": lambda: model.boolvar(name="holds") == constraint}[form]()  # fmt: skip
    return model


def test_every_kind_has_a_row() -> None:
    assert set(PUBLISHED) == set(KINDS)
    assert all(row.source and 0 < row.count < row.of <= 256 for row in PUBLISHED.values())


@each("kind", PUBLISHED)
def test_counts_are_those_published(kind: str) -> None:
    row = PUBLISHED[kind]
    (posted,) = _posted(row, "plain").constraints[-1:]
    assert posted.constraint.kind == kind or kind == "And"  # posted, it is its parts
    assert {name: _posted(row, "plain").count(name) for name in EXACT} == dict.fromkeys(EXACT, row.count)
    for form, wanted in {"negated": row.of - row.count, "reified": row.of}.items():
        model = _posted(row, form)
        assert model.count("cpsat") == parse_model(dump_model(model)).count("backtracking") == wanted, form


@each("kind", PUBLISHED)
def test_cpsat_gets_its_own_constraint_where_it_has_one(kind: str) -> None:
    native = PUBLISHED[kind].native
    assert native in str(_posted(PUBLISHED[kind], "plain").to_cpsat().model)


@each("kind", PUBLISHED)
def test_the_violation_is_stated(kind: str) -> None:
    assert "violation" in (inspect.getdoc(kind_class(kind)) or "").lower()
