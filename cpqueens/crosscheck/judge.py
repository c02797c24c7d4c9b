"""Candidates for a model held against a reference: what is wrong with each, with a witness in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from multiprocessing.connection import Connection
from typing import Any

from cpqueens.crosscheck.equivalence import compare
from cpqueens.crosscheck.roles import SOLVERS
from cpqueens.crosscheck.two_models import ModelComparison, ModelRelation, values_text
from cpqueens.errors import CpqueensError, ModelError
from cpqueens.files.modelfile import dump_model, parse_model
from cpqueens.model import Model
from cpqueens.problems import catalog
from cpqueens.system.children import Worker, be_silent
from cpqueens.system.interrupts import listening
from cpqueens.text.plaintext import shown

MEMORY, READING = 2 * 2**30, 20.0
"""Bytes of address space and seconds for reading one candidate."""

_LARGEST = 50_000_000
"""Bytes of a model's text that are taken from a candidate."""


class Judged(StrEnum):
    """What is known of a candidate."""

    EQUAL = "equal"
    """It has the reference's solutions and, up to its sign, the best value, with the same best solutions."""
    TOO_WEAK = "too weak"
    """It lets something through that the reference refuses."""
    TOO_STRONG = "too strong"
    """It refuses something that the reference accepts."""
    WRONG = "too weak and too strong"
    """Both."""
    WRONG_OBJECTIVE = "wrong objective"
    """The solutions are the same; what is best among them is not."""
    UNDECIDED = "undecided"
    """Nothing was proved in the time."""
    UNREADABLE = "unreadable"
    """There is no model to be compared."""


@dataclass(frozen=True)
class Assessment:
    """What is said of a candidate.

    Attributes
    ----------
    verdict
        See `Judged`.
    reasons
        Witnesses in words, the first first; what was wrong with an unreadable one.
    witnesses
        The assignments of these, by name, with whether the candidate accepts them.
    seconds
        What comparing took.
    """

    verdict: Judged
    reasons: tuple[str, ...]
    witnesses: tuple[tuple[Mapping[str, int], bool], ...] = ()
    seconds: float = 0.0

    @property
    def exit_code(self) -> int:
        """0 equal, 1 proved wrong or unreadable, 3 undecided."""
        return {Judged.EQUAL: 0, Judged.UNDECIDED: 3}.get(self.verdict, 1)

    def __str__(self) -> str:
        return "\n    ".join([self.verdict.value, *self.reasons])


def judge(
    reference: Model,
    candidate: Model,
    *,
    mapping: Mapping[str, Any] | Sequence[tuple[Any, Any]] | None = None,
    time_limit: float | None = None,
    solvers: Sequence[str] = SOLVERS,
    random_seed: int = 0,
) -> Assessment:
    """Say what is wrong with a candidate for a model, if anything is.

    >>> from cpqueens import Model
    >>> reference, candidate = Model(), Model()
    >>> x, y = reference.intvar(0, 9, name="x"), candidate.intvar(0, 9, name="x")
    >>> reference.add(x < 5, name="small")
    >>> candidate.add(y <= 5)
    >>> print(judge(reference, candidate).verdict)
    too weak

    Parameters
    ----------
    reference, candidate
        Two models; compared are the variables that both have.
    mapping, time_limit, solvers, random_seed
        As for `compare`.

    Raises
    ------
    CpqueensError
        As for `compare`, but for a candidate that shares no variable: that is unreadable.
    """
    options: dict[str, Any] = {
        "mapping": mapping, "time_limit": time_limit, "solvers": solvers, "random_seed": random_seed
    }  # fmt: skip
    try:
        found = compare(reference, candidate, **options)
    except ModelError as error:
        return Assessment(Judged.UNREADABLE, (str(error),))
    verdict, reasons = _verdict(found)
    turned = _turned(reference, candidate) if verdict is Judged.WRONG_OBJECTIVE else None
    if turned is not None and compare(reference, turned, **options).equal:
        return Assessment(Judged.EQUAL, ("its objective is the reference's, with the sign turned",))
    witnesses = tuple((d.values, d.accepted == "b") for d in found.differences)
    if verdict is Judged.WRONG_OBJECTIVE and found.optimal is not None:
        witnesses = tuple((d.values, d.accepted == "b") for d in found.optimal.differences)
    return Assessment(verdict, tuple(reasons), witnesses, found.seconds)


def _turned(reference: Model, candidate: Model) -> Model | None:
    """Return the candidate that maximises for one that minimises the opposite; None where there is none."""
    goals = candidate.stated
    if len(goals) != 1 or candidate.goals != goals or reference.maximizing == candidate.maximizing:
        return None
    turned = candidate.copy()
    (turned.maximize if reference.maximizing else turned.minimize)(-turned.stated[0].term)
    return turned


def _verdict(found: ModelComparison) -> tuple[Judged, list[str]]:
    if found.differences:
        accepted = {d.accepted for d in found.differences}
        words = [_in_words(d, "") for d in found.differences]
        if len(accepted) == 2:
            return Judged.WRONG, words
        (other,) = {"a", "b"} - accepted
        if found.verdict is ModelRelation.DIFFERENT:
            what = "refuses" if other == "a" else "lets through"
            words.append(f"whether it also {what} something wrongly was not decided in the time")
        return _ONE_WAY[accepted.pop()], words
    if found.verdict is not ModelRelation.EQUAL:
        return Judged.UNDECIDED, ["no difference was found in the time, and none is excluded"]
    if found.objectives[0] != found.objectives[1]:
        who = "the candidate has none" if found.objectives[0] else "only the candidate has one"
        return Judged.WRONG_OBJECTIVE, [f"of the objective: {who}"]
    if found.equal:
        return Judged.EQUAL, []
    if not found.different:
        return Judged.UNDECIDED, [
            "the solutions are the same; which are the best was not decided in the time"
        ]
    best = [f"the best value is {found.optima[0]}, the candidate's {found.optima[1]}"]
    worse = [] if found.optimal is None else [_in_words(d, "best: ") for d in found.optimal.differences]
    return Judged.WRONG_OBJECTIVE, (best if found.optima[0] != found.optima[1] else []) + worse


_ONE_WAY = {"a": Judged.TOO_STRONG, "b": Judged.TOO_WEAK}


def _in_words(difference: Any, what: str) -> str:
    values, reasons = values_text(difference.values), "; ".join(difference.reasons[:3])
    if difference.accepted == "b":
        return f"{what}your model lets this through: {values}, which breaks of the reference: {reasons}"
    return f"{what}your model refuses this: {values}, which the reference accepts; by {reasons}"


# ---- reading candidates ------------------------------------------------------------------------------------


def read_apart(reference: str, parameters: Sequence[str], *, seconds: float = READING) -> Model:
    """Return a model that is read (and, of a Python file, made) in a process of its own, with limits.

    That process can do all that a user's program can: limits are no sandbox. What comes back is the text of
    a model, which is read as a file is.

    Raises
    ------
    ModelError
        If there is none within the limits.
    """
    worker = Worker("cpqueens.crosscheck.judge:send_model", (reference, list(parameters)), MEMORY)
    try:
        with listening() as interrupt:
            text = worker.answer(seconds, _LARGEST, interrupt.poll)
    except TimeoutError:
        raise ModelError(f"{reference}: no model within {seconds:g} s") from None
    except (EOFError, OSError):
        raise ModelError(f"{reference}: the process that read it died, or its model is too large") from None
    if text[:1] != b"+":
        raise ModelError(shown(text[1:].decode(errors="replace"), 300)[1:-1])
    return parse_model(text[1:].decode(errors="replace"))


def send_model(connection: Connection, reference: str, parameters: list[str]) -> None:
    """Read a model and send its text after a ``+``, or why there is none after a ``-``; runs in the child."""
    be_silent()
    try:
        text = "+" + dump_model(catalog.load(reference, parameters).model)
    except CpqueensError as error:
        text = f"-{error}"
    except BaseException as error:
        text = f"-{reference}: {type(error).__name__}: {error}"
    connection.send_bytes(text.encode())
