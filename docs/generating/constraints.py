"""The page of all kinds of constraints: meaning, what they are made of, who has them natively."""

import doctest
import inspect
from functools import cache
from typing import Any

from cpqueens import Model
from cpqueens.language.constraints.kinds import KINDS, kind_class
from cpqueens.lowered.lowering import Scratch
from generating.tables import linked_entry, table

EXACT = ("cpsat", "python-constraint", "backtracking")


def pages() -> dict[str, str]:
    """Return the page of all kinds: meaning, what they are made of, who has them natively."""
    rows = [[linked_entry(name, f"reference/{name}"), *_short(row)] for name, row in told().items()]
    text = f"""# Constraints

Each name links to its page with parameters and an example. To find a constraint for a task, see
[want this, write that](recipes.md).
*Native* means that the solver accepts the constraint directly, in the example of that page; for other
solvers the model is rewritten with simpler constraints. All constraints can be negated, implied and added up
as Booleans.

{table(("constraint", "meaning", "native in"), rows)}
"""
    return {"constraints.md": text}


def natively(name: str) -> str:
    """Return who has a kind as it is, and what it is rewritten in for others."""
    _, made, *how = told()[name]
    return table(("made of", *EXACT), [(made, *how)])


def _short(row: list[str]) -> tuple[str, str]:
    native = [f"`{solver}`" for solver, how in zip(EXACT, row[2:], strict=True) if how == "native"]
    return row[0], ", ".join(native)


@cache
def told() -> dict[str, list[str]]:
    """Return for each kind its meaning, what it is made of, and how each exact solver takes it."""
    return {name: _constraint(name) for name in KINDS}


def _constraint(name: str) -> list[str]:
    kind = kind_class(name)
    summary = (inspect.getdoc(kind) or "").split("\n\n")[0].split("\n")[0].replace("``", "`")
    found = _example(name, kind)
    if found is None:  # posting it posts its parts
        return [summary, "its parts", *("its parts" for _ in EXACT)]
    return [summary, _made_of(*found), *(_how(*found, solver) for solver in EXACT)]


def _example(name: str, kind: type) -> tuple[Model, int] | None:
    """Return the model of the example in a kind's documentation, and where in it the kind stands."""
    space: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(kind) or ""):
        exec(example.source, space)
        for model in [m for m in space.values() if isinstance(m, Model)]:
            for position, posted in enumerate(model.constraints):
                if posted.constraint.kind == name:
                    return model, position
    return None


def _made_of(model: Model, position: int) -> str:
    parts = model.constraints[position].constraint.decompose(Scratch(model))
    return ", ".join(dict.fromkeys(f"`{part.kind}`" for part in parts)) or "itself"


def _how(model: Model, position: int, solver: str) -> str:
    how = model.solve(solver=solver).statistics["constraints"]
    return "rewritten" if how[position] == "decomposed" else "native"
