"""`cpqueens compare`: do two models have the same solutions?"""

from typing import Any

import click

from cpqueens.cli.options import json_option, load, split_pair, term_of, time_option
from cpqueens.cli.results import echo_document
from cpqueens.cli.terminal import Standing, progress, say
from cpqueens.crosscheck.equivalence import compare
from cpqueens.crosscheck.report import plain
from cpqueens.crosscheck.roles import SOLVERS, ConstraintRole, Role, constraint_roles
from cpqueens.crosscheck.two_models import values_text
from cpqueens.errors import ModelError
from cpqueens.language.posted import Posted
from cpqueens.model import Model
from cpqueens.problems.catalog import Instance
from cpqueens.text.plaintext import shown


@click.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.argument("parameters", nargs=-1, metavar="[name=value]...")
@click.option(
    "--map", "maps", multiple=True, metavar="NAME=OTHER", help="a variable or term of A, and that of B"
)
@time_option("by the clock; default: 10 s of processor time")
@click.option(
    "--solver", "solvers", multiple=True, metavar="SOLVER", help="exact ones; default: cpsat, backtracking"
)
@click.option(
    "--seed", "random_seed", type=int, default=0, metavar="SEED", help="of the solvers' random choices"
)
@click.option("--redundant", is_flag=True, help="also show implied constraints, and what each refutes")
@click.option("--symmetries", is_flag=True, help="also show lost orbits of the declared symmetries")
@json_option
def command(
    first: str,
    second: str,
    parameters: tuple[str, ...],
    maps: tuple[str, ...],
    time_limit: float | None,
    solvers: tuple[str, ...],
    random_seed: int,
    redundant: bool,
    symmetries: bool,
    as_json: bool,
) -> int:
    """Say whether two models have the same solutions.

    The models are compared on the variables that both have, matched by name; others are projected away.
    Parameters name=value are for both models, a.name=value and b.name=value for one of them.
    """
    instances = [_load(name, letter, parameters) for name, letter in ((first, "a"), (second, "b"))]
    models = [instance.model for instance in instances]
    groups = [instance.symmetries() if symmetries else () for instance in instances]
    if symmetries and not any(groups):
        raise ModelError("--symmetries: neither model declares any")
    group = max(groups, key=len)  # of two, one may say that its constraints leave fewer
    mapping = [paired(models[0], models[1], text) for text in maps] or None
    chosen = solvers or SOLVERS
    with progress(Standing("comparing", " and ".join(chosen), time_limit=time_limit, since=None)):
        asked: dict[str, Any] = {
            "time_limit": time_limit,
            "solvers": chosen,
            "symmetries": group,
            "random_seed": random_seed,
        }
        found = compare(*models, mapping=mapping, **asked)
        roles = [constraint_roles(m, **asked) if redundant or symmetries else () for m in models]
    spare, breaking = (
        [[one.position for one in each if one.role is role] for each in roles]
        for role in (Role.REDUNDANT, Role.BREAKS_SYMMETRIES)
    )
    if as_json:
        more = {"redundant": spare if redundant else [[], []], "roles": plain(roles)}
        echo_document("compare", **plain(found), equal=found.equal, **more, symmetry_breaking=breaking)
        return found.exit_code
    lines = [str(found)]
    for letter, model, each in zip("ab", models, roles, strict=True):
        lines += [line for one in each for line in _about(letter, model, one, redundant)]
    say("\n".join(lines))
    return found.exit_code


def _about(letter: str, model: Model, found: ConstraintRole, all_roles: bool) -> list[str]:
    """Return what is said of one constraint."""
    if not all_roles and found.role not in _OF_SYMMETRIES:
        return []
    what = _WORDS[found.role].format(found.orbits_lost)
    text = f"{what} in {letter}: {_text(model.posted(found.position))}"
    if found.witness is None or found.role != "REFUSES":
        return [text]
    return [text, f"    the others accept {values_text(found.witness)}"]


_WORDS = {
    "REDUNDANT": "implied by the others",
    "REFUSES": "refuses what the others accept",
    "BREAKS_SYMMETRIES": "only breaks symmetries",
    "LOSES_ORBITS": "loses {} of the orbits",
    "UNDECIDED": "undecided",
}
_OF_SYMMETRIES = ("BREAKS_SYMMETRIES", "LOSES_ORBITS")


def _text(posted: Posted) -> str:
    """Return a constraint with its name and the user's line."""
    name = "" if posted.name is None else f"{posted.name}: "
    return f"{name}{posted.constraint} {posted.where}".rstrip()


def paired(a: Model, b: Model, text: str) -> tuple[Any, Any]:
    """Return what is the same in both models: names, or terms."""
    sides = split_pair(text)
    if sides is None:
        raise ModelError(f"--map {shown(text)}: NAME=OTHER is needed")
    try:
        return term_of(a, sides[0]), term_of(b, sides[1])
    except ModelError as error:
        raise ModelError(f"--map: {error}") from None


def _load(reference: str, letter: str, given: tuple[str, ...]) -> Instance:
    """Return a model with the parameters that are meant for it, or for both."""
    mine = []
    for text in given:
        head, dot, rest = text.partition(".")
        if dot and head in ("a", "b") and rest not in ("dzn", "json"):
            mine += [rest] if head == letter else []
        else:
            mine.append(text)
    return load(reference, mine)
