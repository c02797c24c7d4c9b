"""Models as JSON files: written exactly, read strictly, never executing anything.

The file says its format and version; variables are named, constraints have a ``kind`` and ``args`` in the
order of the kind's fields, defined variables stand under ``definitions``. Where values are names (see
`Model.var`), ``names`` lists them in the order of ``domain``. Equal models give equal text.

A truth over a partial function is false where the function is undefined, and a posted constraint over it
does not hold there. That is so since version 2; files of version 1 are read if no function in them can be
undefined.

>>> from cpqueens import AllDifferent, Model
>>> m = Model("three")
>>> x = m.intvar(1, 3, shape=3, name="x")
>>> m += [AllDifferent(x), x[0] + 2 * x[1] <= 5]
>>> print(dump_model(m), end="")
{"format":"cpqueens-model","version":2,"name":"three",
"variables":[
{"name":"x","shape":[3],"lower":1,"upper":3}],
"constraints":[
{"kind":"AllDifferent","args":["x"]},
{"kind":"Linear","args":[[[1,"x[0]"],[2,"x[1]"],-5],"<="]}]}
>>> dump_model(parse_model(dump_model(m))) == dump_model(m)
True

From a model to the plain values of its file: only names, numbers and lists.

Arrays of terms are written in the shortest of four forms:

* ``"q"`` or ``"q[3]"``: a variable or a whole array of variables by its name;
* ``{"of": "q", "times": -1, "plus": [0, 1, 2]}``: an array of variables, scaled and shifted;
* ``7``, or ``[[2, "q[0]"], [-1, "q[1]"], 7]``: one term, here ``2*q[0] - q[1] + 7``;
* ``{"shape": [2, 2], "terms": [...]}``: such terms in C order (without shape: one axis).

Definitions that neither a constraint nor the objective reaches are left out, as for a backend.
"""

import dataclasses
import hashlib
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from cpqueens.errors import CpqueensError, ModelError
from cpqueens.files.model_reader import ModelReader
from cpqueens.files.schema import MAX_BYTES, VERSION, parse, read_document
from cpqueens.language.blocks import Block
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.predicate import Predicate
from cpqueens.language.constraints.table import Table
from cpqueens.language.constraints.table_rows import written
from cpqueens.language.definitions import Definition, Truth
from cpqueens.language.expressions import LinearArray
from cpqueens.language.labels import text_of_label
from cpqueens.language.objectives import Goal, Soft
from cpqueens.language.rows import IntArray, Mask
from cpqueens.language.views import VIEWS
from cpqueens.model import Model
from cpqueens.text.bounded import label, read_bytes, reason_of
from cpqueens.text.foreign import explaining_keywords
from cpqueens.text.parameters import as_path, needed


@explaining_keywords
def dump_model(model: Model) -> str:
    """Return the model as the text of its file, one constraint a line.

    A `Predicate` is written as the table of the rows that it allows. Not written are the user's source
    lines, definitions that nothing reaches, and a view of a kind that is not in `cpqueens.language.views`.
    """
    document = ModelWriter(needed(model, Model, "a model")).document()
    head = {key: document.pop(key) for key in ("format", "version", "name")}
    parts = [_encode(head)[1:-1]]
    parts += [f'"{key}":{_lines(value)}' for key, value in document.items()]
    return "{" + ",\n".join(parts) + "}\n"


def _lines(value: Any) -> str:
    if not isinstance(value, list) or not value:
        return _encode(value)
    return "[\n" + ",\n".join(map(_encode, value)) + "]"


def _encode(value: Any) -> str:
    return msgspec.json.encode(value).decode()


@explaining_keywords
def parse_model(text: str | bytes, where: str = "model") -> Model:
    """Return the model that the text of a file describes.

    Parameters
    ----------
    where
        What stands in front of every complaint, usually the path.

    Raises
    ------
    ModelError
        In one line with the path of what is wrong, such as ``m.json: constraints[3].args[1]: ...``.
    """
    needed(text, (str, bytes), "the text of a model")
    try:
        data = text.encode("utf-8") if isinstance(text, str) else text
        return ModelReader(read_document(parse(data)), where).read()
    except UnicodeEncodeError:
        raise ModelError(f"{where}: not a text that UTF-8 can write") from None
    except ModelError as error:
        raise ModelError(f"{where}: {error}") from None


@explaining_keywords
def save_model(model: Model, path: str | Path) -> None:
    """Write the model's file.

    Raises
    ------
    ModelError
        If it cannot be written.
    """
    text = dump_model(model)
    try:
        Path(as_path(path)).write_text(text, encoding="utf-8", newline="\n")
    except (OSError, UnicodeError) as error:
        raise ModelError(f"{label(path)}: {reason_of(error)}") from None


@explaining_keywords
def load_model(path: str | Path) -> Model:
    """Read a model's file.

    Raises
    ------
    ModelError
        If it cannot be read, is too large, or is not a model.
    """
    return parse_model(read_bytes(path, MAX_BYTES), label(path))


@explaining_keywords
def model_digest(model: Model) -> str:
    """Return the SHA-256 of what determines the model's solutions, 64 hexadecimal digits.

    The names, order and domains of the variables, the constraints (in any order) and the objectives count;
    the model's own name, names of constraints, the view and definitions that nothing reaches do not.
    """
    document = ModelWriter(needed(model, Model, "a model")).document()
    plain = [_encode({"kind": c["kind"], "args": c["args"]}) for c in document["constraints"]]
    kept = {key: document.get(key) for key in ("format", "version", "variables", "definitions", "objective")}
    kept |= {key: document[key] for key in ("then", "soft") if key in document}
    return hashlib.sha256(_encode([kept, sorted(plain)]).encode()).hexdigest()


def fingerprint(model: Model) -> str | None:
    """Return the digest of what determines the model's solutions, or None if it cannot be written down."""
    try:
        return model_digest(model)
    except CpqueensError:
        return None


FORMAT = "cpqueens-model"


class ModelWriter:
    """Writes one model; `document` is the result."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.names: dict[int, str] = {}
        self.wholes: dict[int, list[tuple[str, IntArray, tuple[int, ...]]]] = {}
        for block in model.blocks:
            if block.shape and block.size:
                indices = np.arange(block.first, block.first + block.size)
                self.wholes.setdefault(block.first, []).append((block.name, indices, block.shape))
        self.definitions = self._reached()
        for name, definition in self.definitions:
            results = definition.results
            self.names.update((int(v), f"{name}[{k}]") for k, v in enumerate(results))
            self.wholes.setdefault(int(results[0]), []).append((name, results, results.shape))

    def document(self) -> dict[str, Any]:
        """Return the whole model."""
        model = self.model
        document: dict[str, Any] = {"format": FORMAT, "version": VERSION, "name": model.name}
        document["variables"] = [self.variables(block) for block in model.blocks]
        if self.definitions:
            document["definitions"] = [self.definition(name, d) for name, d in self.definitions]
        document["constraints"] = [self.constraint(constraint) for constraint in model._constraints]
        for position, name in model._names.items():
            document["constraints"][position]["name"] = name
        if model.soft:
            document["soft"] = [self.soft(soft) for soft in model.soft]
        goals = [self.goal(goal) for goal in model.stated]
        if goals:
            document["objective"] = goals[0]
        if goals[1:]:
            document["then"] = goals[1:]
        view = model.view
        if view is not None and type(view) in VIEWS.values():
            document["view"] = {"kind": type(view).__name__, **dataclasses.asdict(view)}
        return document

    # ---- variables and definitions --------------------------------------------------------------

    def variables(self, block: Block) -> dict[str, Any]:
        """Return one array of variables: name, shape, and bounds or domain."""
        model, end = self.model, block.first + block.size
        entry: dict[str, Any] = {"name": block.name}
        if block.shape:
            entry["shape"] = list(block.shape)
        if block.labels:
            entry["labels"] = [
                None if axis is None else [_label(one) for one in axis] for axis in block.labels
            ]
        names = model.labels.of_array.get(block.name)
        if names is not None:
            texts = [text_of_label(label) for label in names.values()]
            return entry | {"domain": list(names), "names": texts}
        domain = model.domains.get(block.first) if block.size else None
        if domain is not None:
            return entry | {"domain": domain.tolist()}
        entry["lower"] = _brief(model.lower[block.first : end])
        entry["upper"] = _brief(model.upper[block.first : end])
        return entry

    def _reached(self) -> list[tuple[str, Definition]]:
        """Return the definitions that are reached, cut to the rows that are, with their names."""
        model = self.model
        if not model.definitions:
            return []
        reached = np.zeros(model.variable_count, dtype=bool)
        for constraint in model._constraints:
            _mark(reached, constraint.arguments)
        for soft in model.soft:
            _mark(reached, soft.constraint.arguments)
        _mark(reached, tuple(goal.term for goal in model.stated))
        kept: list[Definition] = []
        for definition in reversed(model.definitions):
            rows = np.flatnonzero(reached[definition.results])
            if rows.size:
                part = definition.take(rows, definition.results[rows])
                _mark(reached, part.arguments)
                kept += reversed(part.split())
        prefix = "d"
        while any(block.name.startswith(prefix) for block in model.blocks):
            prefix = f"_{prefix}"
        return [(f"{prefix}{k}", d) for k, d in enumerate(reversed(kept))]

    def definition(self, name: str, definition: Definition) -> dict[str, Any]:
        """Return one block of defined variables."""
        if isinstance(definition, Truth):
            return {"name": name, "kind": "truth", "constraint": self.constraint(definition.constraint)}
        return {"name": name, "kind": definition.kind, "args": [self.array(a) for a in definition.arguments]}

    # ---- constraints ----------------------------------------------------------------------------

    def constraint(self, constraint: Constraint) -> dict[str, Any]:
        """Return kind and arguments, in the order of the kind's fields."""
        if isinstance(constraint, Predicate):  # a function cannot be written; its table says the same
            constraint = Table(constraint.terms, constraint.rows)
        args = [self.field(value) for value in constraint.stated.values()]
        return {"kind": constraint.kind, "args": args}

    def field(self, value: Any) -> Any:
        """Return one argument of a constraint."""
        if isinstance(value, LinearArray):
            return self.array(value)
        if isinstance(value, np.ndarray):
            return written(value)
        return list(value) if isinstance(value, tuple) else value

    def soft(self, soft: Soft) -> dict[str, Any]:
        """Return soft constraints that were added together."""
        name = {} if soft.name is None else {"name": soft.name}
        return {**self.constraint(soft.constraint), **name, "weight": _brief(soft.weights)}

    def goal(self, goal: Goal) -> dict[str, Any]:
        """Return one objective."""
        if goal.is_penalties:
            return {"sense": "minimize", "penalties": True}
        penalties = {} if goal.penalties is None else {"penalties": goal.penalties}
        sense = "maximize" if goal.maximizing else "minimize"
        return {"sense": sense, "term": self.array(goal.term), **penalties}

    # ---- terms ----------------------------------------------------------------------------------

    def array(self, array: LinearArray) -> Any:
        """Return an array of terms, or one term."""
        if not array.shape:
            return self.term(*next(iter(array.rows())))
        whole = self._whole(array)
        if whole is not None:
            return whole
        terms = [self.term(*row) for row in array.rows()]
        return {"terms": terms} if array.ndim == 1 else {"shape": list(array.shape), "terms": terms}

    def _whole(self, array: LinearArray) -> Any:
        if array.width != 1 or not array.size or not array.coefficients.all():
            return None
        for name, indices, shape in self.wholes.get(int(array.variables[0, 0]), ()):
            if shape == array.shape and np.array_equal(indices, array.variables[:, 0]):
                times, plus = _brief(array.coefficients[:, 0]), _brief(array.constants)
                entry = {"of": name}
                entry |= {} if times == 1 else {"times": times}
                entry |= {} if plus == 0 else {"plus": plus}
                return entry if len(entry) > 1 else name
        return None

    def term(self, variables: list[int], coefficients: list[int], constant: int) -> Any:
        """Return one term."""
        if not variables:
            return constant
        if coefficients == [1] and constant == 0:
            return self.name(variables[0])
        defined = self.model.is_defined
        order = sorted(
            zip(variables, coefficients, strict=True), key=lambda part: (defined[part[0]], part[0])
        )
        parts: list[Any] = [[a, self.name(v)] for v, a in order]
        return [*parts, constant] if constant else parts

    def name(self, variable: int) -> str:
        """Return the name of one variable."""
        found = self.names.get(variable)
        if found is None:
            found = self.names[variable] = self.model.name_of(variable)
        return found


def _label(label: Any) -> str | int:
    """Return a label of an axis as plain data: a date, for instance, as text."""
    if isinstance(label, int | np.integer) and not isinstance(label, Enum):
        return int(label)
    return text_of_label(label) if isinstance(label, str | Enum) else str(label)


def _brief(values: IntArray) -> Any:
    """Return the one value that all have, else the list; 0 for none."""
    if not values.size:
        return 0
    return int(values[0]) if (values == values[0]).all() else values.tolist()


def _mark(reached: Mask, arrays: tuple[LinearArray, ...]) -> None:
    for array in arrays:
        if array.width:
            reached[array.variables[array.coefficients != 0]] = True
