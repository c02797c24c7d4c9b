"""Reading and refusing what a user asks of a solver, equally for all backends and before any search.

Which backend a name means: plain ones, ``heuristic+exact``, and what ``auto`` takes for a model.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from cpqueens.answers.check import Checker, read_assignment, read_values
from cpqueens.answers.outcome import Outcome
from cpqueens.answers.solution import Solution
from cpqueens.backends import named
from cpqueens.backends.base import REFUSED, Backend, Bounds, Clock, Feature, Request, Want
from cpqueens.errors import ModelError, UnknownBackend, UnknownParameter, UnsupportedRequest
from cpqueens.language.ranges import LIMIT
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.lowered.structures.table import Structures
from cpqueens.solving.collect import carrying
from cpqueens.solving.handover import hand_over
from cpqueens.solving.race import Race
from cpqueens.system.interrupts import Interrupt
from cpqueens.system.stopping import unstopped
from cpqueens.text.foreign import as_keyword, spelled
from cpqueens.text.parameters import as_function, as_switch
from cpqueens.text.plaintext import did_you_mean, shown

LARGE_BOARD = 21
"""Variables from which ``auto`` asks local search first for queens."""

LONG_SERIES = 12
"""The same for all-interval series, of which shorter ones are solved at once by anything."""

MANY_BOXES = 15
"""Rectangles from which local search is asked first if they must leave nothing empty."""

MOST_CELLS = 5_000
"""Variables up to which all-interval series and magic squares are looked for: it takes their arrays."""

_PERMUTATION = "a large permutation"


def named_solver(solver: str) -> tuple[str, Backend, str | None]:
    """Return name, backend and strategy of ``backend``, ``backend:strategy`` or ``heuristic+exact``.

    Raises
    ------
    UnknownBackend
        If there is none of this name, or it lacks the strategy.
    MissingLibrary
        If its library is not installed.
    """
    if not isinstance(solver, str) or not solver:
        raise UnknownBackend(f"solver: a name is needed, got {shown(solver)}")
    if "+" in solver:
        both = hand_over(solver)
        return both.name, both, None
    name, strategy = named.split_name(solver)
    return name, named.get_backend(name), strategy


def recording_solver(solver: str) -> str:
    """Return the name of the solver that records where ``solver`` is asked to: of ``auto`` an own one.

    Raises
    ------
    UnsupportedRequest
        If it records nothing.
    UnknownBackend
        If there is none of this name, or it lacks the strategy.
    """
    if solver == "auto":
        return "backtracking"  # which records on every model
    name, backend, strategy = named_solver(solver)
    both = "+" in solver  # of which neither hands its trace on
    if both or "trace" not in named.parameters_of(backend, strategy):
        able = ", ".join(named.backends_with("trace"))
        raise UnsupportedRequest(f"{name} records no trace; only this package's own engines do: {able}")
    return solver


def choose(model: Statement, solver: str | Backend, want: Want) -> tuple[str, Backend, str | None]:
    """Return name, backend and strategy; ``auto`` takes the installed ones fit for what is wanted."""
    if not isinstance(solver, str) and hasattr(solver, "run"):
        return solver.name, solver, None
    if not isinstance(solver, str) or solver != "auto":
        return named_solver(cast(str, solver))
    exact = ("cpsat", "backtracking", "python-constraint")
    listing = ("backtracking", "cpsat", "python-constraint")
    fit = exact if want in (Want.ONE, Want.BEST) else listing
    first = next(name for name in fit if named.is_installed(name))
    if not named.is_installed("cpsat"):
        return named_solver(first)
    reason = _suits_local_search(model) if want is Want.ONE else None
    if reason is not None:
        both = hand_over("local-search+cpsat")
        both.reason = f"{reason}, for which local search has a kernel"
        return both.name, both, None
    return "auto", Race(named.get_backend(first)), None


def _suits_local_search(model: Statement) -> str | None:
    """Say what a model is for which local search has a kernel, and that is too large for the others."""
    size, structures = len(model.decisions), Structures(model)
    if size >= LARGE_BOARD and structures.find_stated("shifted_permutation") is not None:
        return _PERMUTATION
    if LONG_SERIES <= size <= MOST_CELLS and (structures.find("path") or structures.find("lines")):
        return _PERMUTATION
    boxes = structures.find_stated("packing")
    fill = boxes is not None and len(boxes.rows) >= MANY_BOXES and boxes.spare == 0
    return "many rectangles that fill all there is" if fill else None


COMMON = (
    "time_limit",
    "solution_limit",
    "step_limit",
    "random_seed",
    "num_workers",
    "hint",
    "after",
    "prove_complete",
    "log",
    "on_progress",
)

ALIASES = {"seed": "random_seed"}
"""Second names of what is asked of every solver."""

MAX_WORKERS, MOST_SEEDS, LARGEST_SEED = 1024, 1_000_000, 2**31 - 1

FOREVER = 1e9
"""Seconds from which a limit is none (30 years): clocks and threads cannot wait for much more."""


def respelled(solver: str | Backend, given: Mapping[str, Any]) -> tuple[str | Backend, dict[str, Any]]:
    """Return solver and options with second names replaced and ``strategy=`` written into the solver.

    Raises
    ------
    ModelError
        If something is given twice, or a strategy without the backend that it is of.
    """
    options = dict(given)
    for other, own in ALIASES.items():
        if other in options and own in options:
            raise ModelError(f"{other}: the same as {own}; give one of them")
        if other in options:
            options[own] = options.pop(other)
    strategy = options.pop("strategy", None)
    if strategy is None:
        return solver, options
    if not isinstance(strategy, str) or not isinstance(solver, str) or solver == "auto" or ":" in solver:
        raise ModelError(
            f"strategy: {shown(strategy)} for solver {shown(solver)}: one of a named backend is needed, as "
            'in solver="backtracking", strategy="forward", or solver="backtracking:forward" alone'
        )
    return f"{solver}:{strategy}", options


def build_request(
    checker: Checker,
    backend: Backend,
    strategy: str | None,
    want: Want,
    clock: Clock,
    interrupt: Interrupt,
    given: Mapping[str, Any],
    *,
    look_ahead: bool = True,
    learned: list[Any] | None = None,
) -> Request:
    """Return the validated request for the options that a user gave.

    Raises
    ------
    UnsupportedRequest
        If the backend lacks a feature that is asked for; the message names backends that have it.
    UnknownParameter
        For a keyword that neither cpqueens nor the backend knows.
    ModelError
        For a value that is not allowed.
    """
    if want in NEEDED:
        _need(backend, NEEDED[want], what=want.value)
    if want is Want.COUNT and given.get("solution_limit") is not None:
        raise ModelError("solution_limit: a count has none; enumerate with solution_limit= instead")
    options = dict(given)
    if (seconds := options.pop("time_limit", None)) is not None:
        clock.limit(positive_seconds(seconds, "time_limit"))
    fields: dict[str, Any] = {}  # only what is given is read, and only that is not the request's default
    if (hint := options.pop("hint", None)) is not None:
        fields |= _hint(checker, backend, want, hint)
    for name, (field, feature, read) in READERS.items():
        if (value := options.pop(name, None)) is not None:
            if feature is not None:
                _need(backend, feature, name)
            fields[field] = read(value, name)
    if fields.get("workers", 1) > 1:
        _need(backend, Feature.WORKERS, "num_workers")
    elif "workers" not in fields and "seed" not in fields and Feature.WORKERS in backend.features:
        fields["may_grow"] = True  # not so a run that is to be reproducible
    if (after := options.pop("after", None)) is not None:
        fields["after"] = _after(checker.model, backend, after)
    if want is Want.BEST:
        fields["bounds"] = Bounds(checker.model.maximizing, fields.get("on_progress"))
    if options:  # a declaration may take a library
        fields["parameters"] = _parameters(backend, strategy, options)
    fields |= {"strategy": strategy, "look_ahead": look_ahead, "learned": learned}
    return Request(want, clock, interrupt.cancel, interrupted=interrupt.poll, **fields)


NEEDED = {Want.ALL: Feature.ENUMERATE, Want.COUNT: Feature.ENUMERATE, Want.BEST: Feature.OBJECTIVE}
"""What a backend must have to be asked for more than one solution."""


def _need(backend: Backend, feature: Feature, what: str) -> None:
    if feature in backend.features:
        return
    able = named.able_to(lambda other: feature in other.features)
    raise UnsupportedRequest(
        f"{backend.name} cannot do {what!r} (no feature {feature.value}); solvers that can: {able}"
    )


def positive_seconds(value: Any, what: str) -> float | None:
    """Return a limit in seconds, None for none; it must be a number above 0, beyond `FOREVER` it is none."""
    if value is None:
        return None
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not value > 0:  # NaN included
        raise ModelError(f"{what}: seconds above 0 are needed, got {shown(value)}")
    seconds = float(min(value, int(FOREVER)) if isinstance(value, int) else value)
    return None if seconds >= FOREVER else seconds


def as_integer(value: Any, what: str, least: int = 1, most: int = 2**62) -> int:
    """Return what must be an integer within these limits; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
        allowed = f"at least {least}" + f" and at most {most}" * (most < 2**62)
        raise ModelError(f"{what}: an integer of {allowed} is needed, got {shown(value)}")
    return int(value)


def positive_integer(value: Any, what: str, most: int = 2**62) -> int | None:
    """Return a limit, None for none; it must be an integer from 1 to ``most``."""
    return None if value is None else as_integer(value, what, 1, most)


def as_gap(value: Any) -> int:
    """Return a distance from the optimum, 0 for None."""
    return 0 if value is None else as_integer(value, "gap", 0, LIMIT)


def as_seeds(seeds: int | Sequence[int] | IntArray) -> tuple[int, ...]:
    """Return the seeds: 0 to k - 1 for a number k, else those given.

    Raises
    ------
    ModelError
        For no seed, or one that is not an integer from 0 to 2^31 - 1.
    """
    if isinstance(seeds, np.ndarray) and seeds.ndim == 1 and seeds.dtype.kind in "iu":
        seeds = seeds[: MOST_SEEDS + 1].tolist()
    whole = isinstance(seeds, int) and not isinstance(seeds, bool)
    chosen: Any = range(seeds) if whole else seeds  # type: ignore[arg-type]
    good = isinstance(chosen, Sequence) and not isinstance(chosen, bytes) and bool(chosen[:1])
    if good and chosen[MOST_SEEDS:]:
        raise ModelError(f"seeds: {shown(seeds)} are too many, allowed are at most {MOST_SEEDS}")
    looked_at = chosen if not isinstance(chosen, range) else (*chosen[:1], *chosen[-1:])  # all others between
    if not good or any(
        isinstance(s, bool) or not isinstance(s, int) or not 0 <= s <= LARGEST_SEED for s in looked_at
    ):
        raise ModelError(f"seeds: a number of at least 1, or integers from 0 to 2^31 - 1, got {shown(seeds)}")
    return tuple(chosen)


def _progress(value: Any, _name: str) -> Callable[[Any], Any]:
    return _undisturbed(as_function(value, "on_progress: a function"))


def _log(value: Any, _name: str) -> Callable[[Any], Any] | None:
    if value is False:
        return None
    if value is True:
        return lambda line: print(line, file=sys.stderr)
    return _undisturbed(as_function(value, "log: True or a function of one line"))


def _undisturbed(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a user's function that is not broken off where its run must end, and whose errors are his."""
    carried = carrying(function)

    def called(said: Any) -> Any:
        with unstopped():
            return carried(said)

    return called


READERS: Mapping[str, tuple[str, Feature | None, Callable[[Any, str], Any]]] = {
    "solution_limit": ("solution_limit", None, positive_integer),
    "step_limit": ("step_limit", Feature.STEP_LIMIT, positive_integer),
    "random_seed": ("seed", None, partial(as_integer, least=0, most=LARGEST_SEED)),
    "num_workers": ("workers", None, partial(positive_integer, most=MAX_WORKERS)),
    "prove_complete": ("prove_complete", None, as_switch),
    "log": ("log", None, _log),
    "on_progress": ("on_progress", None, _progress),
}
"""By option: the field of the request that it becomes, what a backend needs for it, and what reads it."""


def _hint(checker: Checker, backend: Backend, want: Want, value: Any) -> dict[str, Any]:
    """Return the hinted values, which of them count, the first incumbent, and what is to be said of them.

    A complete hint that is a solution is the first incumbent, whatever solver follows; all other hints are
    for solvers that know what to do with them, and by others not used, which is said.
    """
    row, given, problems = read_values(checker.model, _by_variable(value, "hint"))
    able = Feature.HINT in backend.features
    if want is not Want.BEST:
        _need(backend, Feature.HINT, "hint")
    if problems:
        raise ModelError(f"hint: {problems[0]}")
    wrong = checker.explain(row) if want is Want.BEST and bool(given.all()) else None
    if wrong is not None and wrong.ok:
        return {"first": row} | ({"hint": row, "hinted": given} if able else {})
    inside = checker.in_domain(row[None, :])[0]
    outside = [(checker.known[k], row[k]) for k in np.flatnonzero(given & ~inside)[:5]]
    name_of = checker.model.label_of
    messages = [f"hint {name_of(int(v))} = {value} ignored: outside its domain" for v, value in outside]
    if wrong is not None and not messages:
        messages.append(f"hint: no first incumbent, not a solution: {str(wrong).splitlines()[0]}")
    if not able:
        messages.append(f"hint: not used; {backend.name} takes a complete solution as hint, and nothing else")
        return {"messages": tuple(messages)}
    return {"hint": row, "hinted": given & inside, "messages": tuple(messages)}


def _by_variable(value: Any, what: str) -> Mapping[Any, Any]:
    if isinstance(value, Outcome):
        value = value._solution_or_closest()
    if isinstance(value, Solution):
        value = value.as_dict()
    if not isinstance(value, Mapping):
        raise ModelError(
            f"{what}: {{variable: values}}, a solution or an outcome is needed, got {shown(value)}"
        )
    return value


def _after(model: Statement, backend: Backend, value: Any) -> IntArray:
    _need(backend, Feature.RESUME, "after")
    found = value.solution if isinstance(value, Outcome) else value
    if isinstance(found, Solution) and not found._set.in_order:
        raise ModelError(
            "after: these solutions were not found in lexicographic order; a listing that is to be resumed "
            'begins with variable_order="lexicographic"'
        )
    row, problems = read_assignment(model, _by_variable(value, "after"))
    if row is None:
        raise ModelError(f"after: {problems[0]}")
    clipped: IntArray = np.clip(row, -LIMIT - 1, LIMIT + 1)  # farther out nothing is compared differently
    return clipped


def _parameters(backend: Backend, strategy: str | None, options: Mapping[str, Any]) -> dict[str, Any]:
    declared = named.parameters_of(backend, strategy)
    chosen: dict[str, Any] = {}
    for name, value in options.items():
        if name in REFUSED:
            raise UnknownParameter(f"{name} is not accepted: {REFUSED[name]}")
        if name not in declared:
            raise UnknownParameter(_unknown(backend, strategy, name, declared))
        if isinstance(value, int | np.integer) and abs(int(value)) >= 2**63:
            raise UnknownParameter(f"{name}: {shown(value)} does not fit 64 bits")
        try:
            chosen[name] = declared[name].validate(name, value)
        except ModelError as error:
            raise UnknownParameter(str(error)) from None
    return chosen


def _unknown(backend: Backend, strategy: str | None, name: str, declared: Mapping[str, Any]) -> str:
    """Return why a parameter is refused, with who has it or the nearest name."""
    elsewhere = as_keyword(name, (*COMMON, *declared, "solver")) or spelled(name)
    asked = backend.name if strategy is None else f"{backend.name}:{strategy}"
    having = [f"{backend.name}:{s}" for s in backend.strategies if name in named.parameters_of(backend, s)]
    having = having or ([] if elsewhere else named.backends_with(name))
    known = f"; known to {', '.join(having)}" if having else ""
    advice = known or elsewhere or did_you_mean(name, (*COMMON, *declared))
    return f"{asked} has no parameter {shown(name)}{advice}"
