"""The page of all kinds of constraints: meaning, what they are made of, who has them natively."""

import doctest
import inspect
from typing import Any

from cpqueens import Model
from cpqueens.language.constraints.kinds import KINDS, kind_class
from cpqueens.lowered.lowering import Scratch
from generating.tables import table

EXACT = ("cpsat", "python-constraint", "backtracking")


def pages() -> dict[str, str]:
    """Return the page of all kinds: meaning, what they are made of, who has them natively."""
    kinds = [_constraint(name) for name in KINDS]
    meanings, natives = [row[:2] for row in kinds], [[row[0], *row[2:]] for row in kinds]
    text = f"""# Constraints

What each kind means is the first line of its documentation ([all of it](../reference/names.md)). *Native*
is what a solver takes as it is, in the example of that documentation; *rewritten* is what it is given in
simpler kinds. Both own engines take some whole, and read the rest from one lowered form. All kinds may be
negated, implied, and added up as truths.

{table(("kind", "meaning"), meanings)}

## Who has it natively

{table(("kind", "made of", *EXACT), natives)}
"""
    return {"constraints.md": text}


def _constraint(name: str) -> list[str]:
    kind = kind_class(name)
    summary = (inspect.getdoc(kind) or "").split("\n\n")[0].split("\n")[0].replace("``", "`")
    found = _example(name, kind)
    if found is None:  # posting it posts its parts
        return [f"`{name}`", summary, "its parts", *("its parts" for _ in EXACT)]
    return [f"`{name}`", summary, _made_of(*found), *(_how(*found, solver) for solver in EXACT)]


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
