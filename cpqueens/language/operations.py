"""Filling the table of what operators on terms come to: the file that knows both sides of it."""

from cpqueens.language import arithmetic, truths
from cpqueens.language.arrayfunctions import apply, apply_ufunc
from cpqueens.language.constraints.connective import CONNECTIVES
from cpqueens.language.constraints.linear import related
from cpqueens.language.conversion import define
from cpqueens.language.expressions import OPERATIONS
from cpqueens.language.indexing import pick
from cpqueens.language.store import UNBOUND
from cpqueens.language.term import Term

OPERATIONS.add = arithmetic.add
OPERATIONS.apply = apply
OPERATIONS.apply_ufunc = apply_ufunc
OPERATIONS.as_truth = truths.as_truth
OPERATIONS.compare = arithmetic.compare
OPERATIONS.connect = truths.connect
OPERATIONS.connectives = CONNECTIVES
OPERATIONS.define = define
OPERATIONS.literal = truths.Literals.known
OPERATIONS.literals = truths.Literals
OPERATIONS.matmul = arithmetic.matmul
OPERATIONS.multiply = arithmetic.multiply
OPERATIONS.pick = pick
OPERATIONS.power = arithmetic.power
OPERATIONS.related = related
OPERATIONS.reduced = arithmetic.reduced
OPERATIONS.subtract = arithmetic.subtract
OPERATIONS.term = Term
OPERATIONS.total = arithmetic.total
OPERATIONS.unbound = UNBOUND
