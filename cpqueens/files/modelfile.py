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
"""

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from cpqueens.errors import ModelError
from cpqueens.files.model_reader import ModelReader
from cpqueens.files.model_writer import FORMAT, ModelWriter
from cpqueens.files.schema import MAX_BYTES, VERSION, parse, read_document
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
    assert (kept["format"], kept["version"]) == (FORMAT, VERSION)
    return hashlib.sha256(_encode([kept, sorted(plain)]).encode()).hexdigest()
