"""Filling the table of what operators on terms come to: the file that knows both sides of it."""

from __future__ import annotations

from cpqueens.language.arrayfunctions import apply
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.definitions import DEFINITION_KINDS
from cpqueens.language.describe import describe_array
from cpqueens.language.expressions import OPERATIONS
from cpqueens.language.indexing import pick
from cpqueens.language.store import CONNECTIVES

OPERATIONS.update(
    apply=apply,
    combine=lambda kind, literals: CONNECTIVES[kind].over(literals),
    compare=Linear,
    describe=describe_array,
    function=lambda kind, arguments: DEFINITION_KINDS[kind](arguments),
    pick=pick,
)
