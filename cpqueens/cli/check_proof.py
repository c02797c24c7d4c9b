"""`cpqueens check-proof`: a proof from a run with --proof, believed step by step or not."""

import time
from pathlib import Path

import click

from cpqueens.cli.options import json_option, load
from cpqueens.cli.results import DONE, INVALID, LIMIT, echo_document
from cpqueens.cli.terminal import say
from cpqueens.errors import ModelError
from cpqueens.proofs.check import check_proof
from cpqueens.proofs.parts import BadProof
from cpqueens.text.bounded import label, reason_of


@click.command()
@click.argument("model", metavar="MODEL")
@click.argument("rest", nargs=-1, required=True, metavar="[name=value]... PROOF")
@json_option
def command(model: str, rest: tuple[str, ...], as_json: bool) -> int:
    """Check a proof that was written by --proof, step by step.

    PROOF is its file. No solver has a part in it: each step has to follow from one
    constraint of MODEL and what was derived before.
    """
    *parameters, place = rest
    instance = load(model, parameters)
    started = time.monotonic()
    if not Path(place).is_file():
        raise ModelError(f"{label(place)}: there is no such file")
    try:
        proved = check_proof(instance.model, place)
    except (OSError, ValueError) as error:
        raise ModelError(f"{label(place)}: {reason_of(error)}") from None
    except BadProof as error:
        if as_json:
            echo_document("check-proof", instance, believed=False, why=str(error))
        else:
            say(f"problem    {instance.title}\nproof      not believed: {error}")
        return INVALID
    seconds = time.monotonic() - started
    if as_json:
        fields = {
            "claim": proved.claim,
            "complete": proved.complete,
            "solutions": proved.solutions,
            "objectives": list(proved.objectives),
            "steps": proved.steps,
            "evidence": 0 if proved.complete else 1 if proved.solutions else 4,
        }
        echo_document("check-proof", instance, believed=True, seconds=seconds, **fields)
    else:
        level = "evidence   0, by cpqueens.proofs, which shares no code with any solver"
        said = f"problem    {instance.title}\nproof      believed: {proved}\ntime       {seconds:.2f} s"
        say(f"{said}\n{level}" if proved.complete else said)
    return LIMIT if proved.claim == "nothing" else DONE
