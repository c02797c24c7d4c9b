"""Terms over a model's variables, written as text: read into terms, and nothing of the text is executed."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.errors import CpqueensError, ModelError
from cpqueens.language.expressions import BoolArray, LinearArray
from cpqueens.text.plaintext import shown

if TYPE_CHECKING:
    from cpqueens.model import Model

_MOST = 10**6  # numbers that a text may ask for
_LONGEST = 10_000  # characters

_BINARY: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.MatMult: operator.matmul,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_UNARY: Mapping[type[ast.AST], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert,
}  # fmt: skip
_METHODS = ("sum", "reshape")
_SAID = (
    "names, numbers, lists, [...], + - * @ // %, comparisons, & | ~, .T, .sum(axis=), .reshape(), arange()"
)


def term_of(model: Model, text: str) -> Any:
    """Return the terms that a text says, or the text itself if it is the name of a variable or an array.

    Parameters
    ----------
    model
        Whose variables the text names.
    text
        Such as ``x @ arange(8)`` or ``q[0] == 3``, as in Python.

    Raises
    ------
    ModelError
        If it is no such term.
    """
    text = text.strip()
    if text in model.blocks.by_name or model.blocks.element(text) is not None:
        return text
    if len(text) > _LONGEST:
        raise ModelError(f"{shown(text)}: a term of at most {_LONGEST} characters is needed")
    try:
        found = _TermReader(model).read(ast.parse(text, mode="eval").body)
    except CpqueensError as error:
        raise ModelError(f"{shown(text)}: {error}") from None
    except (SyntaxError, ValueError, TypeError, IndexError, ArithmeticError, RecursionError, MemoryError):
        raise ModelError(f"{shown(text)} is neither a variable nor a term; known are {_SAID}") from None
    if not isinstance(found, LinearArray | BoolArray):
        raise ModelError(f"{shown(text)}: a term of the model's variables is needed")
    return found


def split_pair(text: str) -> tuple[str, str] | None:
    """Return what stands on both sides of the first ``=`` that is outside brackets and no comparison."""
    depth = 0
    for k, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "=" and depth == 0 and text[k + 1 : k + 2] != "=" and text[k - 1 : k] not in tuple("=<>!"):
            left, right = text[:k].strip(), text[k + 1 :].strip()
            return (left, right) if left and right else None
    return None


class _TermReader:
    """Walks what `ast` made of a text; everything that it does not know is refused."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def read(self, node: ast.AST) -> Any:
        """Return terms, truths or numbers."""
        reader = _READERS.get(type(node))
        if reader is None:
            raise TypeError
        return reader(self, node)

    def _name(self, node: ast.Name) -> Any:
        return self._model[node.id]

    def _constant(self, node: ast.Constant) -> int:
        if type(node.value) is not int or abs(node.value) >= 2**63:
            raise TypeError
        return node.value

    def _list(self, node: ast.List | ast.Tuple) -> Any:
        return np.array([self._number(one) for one in node.elts], dtype=np.int64)

    def _number(self, node: ast.AST) -> int:
        found = self.read(node)
        if not isinstance(found, int):
            raise TypeError
        return found

    def _binary(self, node: ast.BinOp) -> Any:
        return self._joined(node.op, self.read(node.left), self.read(node.right))

    def _compared(self, node: ast.Compare) -> Any:
        if len(node.ops) > 1:
            raise TypeError
        return self._joined(node.ops[0], self.read(node.left), self.read(node.comparators[0]))

    def _joined(self, op: ast.AST, left: Any, right: Any) -> Any:
        if type(op) not in _BINARY:
            raise TypeError
        if isinstance(left, int) and isinstance(right, int):
            return self._constant(ast.Constant(_BINARY[type(op)](left, right)))
        many = max(np.size(left), getattr(left, "size", 1)) * max(np.size(right), getattr(right, "size", 1))
        if many > _MOST:
            raise ValueError
        return _BINARY[type(op)](left, right)

    def _unary(self, node: ast.UnaryOp) -> Any:
        if type(node.op) not in _UNARY:
            raise TypeError
        return _UNARY[type(node.op)](self.read(node.operand))

    def _item(self, node: ast.Subscript) -> Any:
        at = node.slice
        parts = at.elts if isinstance(at, ast.Tuple) else [at]
        return self.read(node.value)[tuple(map(self._index, parts))]

    def _index(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Slice):
            ends = (node.lower, node.upper, node.step)
            return slice(*(None if end is None else self._number(end) for end in ends))
        if isinstance(node, ast.Constant) and node.value is None:
            return None
        return self._number(node)

    def _attribute(self, node: ast.Attribute) -> Any:
        if node.attr != "T":
            raise TypeError
        return self.read(node.value).T

    def _call(self, node: ast.Call) -> Any:
        named = {word.arg: self._number(word.value) for word in node.keywords if word.arg == "axis"}
        if len(named) < len(node.keywords):
            raise TypeError
        given = [self._number(one) for one in node.args]
        if isinstance(node.func, ast.Name) and node.func.id == "arange" and not named:
            if len(range(*given)) > _MOST:
                raise ValueError
            return np.arange(*given, dtype=np.int64)
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in _METHODS:
            raise TypeError
        return getattr(self.read(node.func.value), node.func.attr)(*given, **named)


_READERS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Name: _TermReader._name, ast.Constant: _TermReader._constant, ast.List: _TermReader._list,
    ast.Tuple: _TermReader._list, ast.BinOp: _TermReader._binary, ast.Compare: _TermReader._compared,
    ast.UnaryOp: _TermReader._unary, ast.Subscript: _TermReader._item, ast.Attribute: _TermReader._attribute,
    ast.Call: _TermReader._call,
}  # fmt: skip
