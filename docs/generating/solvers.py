"""A page for each solver with its strategies: claims, parameters, source, replay, run-time distribution."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from cpqueens import CpqueensError, Model, Outcome, UnsupportedRequest
from cpqueens.backends import named
from cpqueens.backends.base import Backend, Feature, Order
from cpqueens.backends.clock import Share, by_processor, sharing
from cpqueens.cli.strategies import told_of
from cpqueens.problems import catalog
from cpqueens.report.replay import replay_page
from generating import pictures
from generating.tables import linked, orphan, table

SHOWN = (("queens", ["n=8"]), ("all_interval", ["n=8"]), ("magic_square", ["n=3"]), ("costas_array", ["n=8"]))
"""Of these the first that a strategy takes is what its page shows it on."""
EVENTS, PATIENCE, SEEDS = 100_000, 60.0, 20
"""How many events are kept, processor seconds for a run, and seeds that are compared."""
OWN, FOREIGN = (200, {"step_limit": 100_000}), (30, {"time_limit": 0.5})
"""Runs of a distribution, and their limit, in steps or processor seconds: some searches never end."""

ORDERS = {
    Order.LEXICOGRAPHIC: "in lexicographic order, without repetition, and resumable",
    Order.DISTINCT: "without repetition",
    Order.ANY: "in any order; repetitions are removed",
}
FEATURES = {
    Feature.ENUMERATE: "list all solutions",
    Feature.COUNT: "count without listing",
    Feature.OBJECTIVE: "optimise",
    Feature.BOUND: "start from a bound that another solver found",
    Feature.HINT: "begin at a hint",
    Feature.SEED: "take a seed",
    Feature.WORKERS: "use several threads",
    Feature.RESUME: "resume a listing",
    Feature.STEP_LIMIT: "stop after a given number of steps",
    Feature.LOG: "show a log",
}


def pages(folder: Path) -> dict[str, str]:
    """Return a page for each solver of this package, with its strategies."""
    replays = folder / "extra" / "replays"
    replays.mkdir(parents=True)
    backends = {name: _backend(name) for name in named.BACKENDS}
    index = table(
        ("solver", "what it is", "may claim"),
        (
            (f"[`{name}`]({name}.md)", named.about(backend, None)[0], _claims(backend))
            for name, backend in backends.items()
        ),
    )
    says = (
        "[Which solver?](../../start/which_solver.md) says which one to take; each page of the "
        "[gallery](../gallery/index.md) shows the fastest on its problem; `cpqueens strategies` prints "
        "parameters and sources."
    )
    pages = {f"solvers/{name}.md": _page(name, backend, replays) for name, backend in backends.items()}
    return {**pages, "solvers/index.md": f"# Solvers and strategies\n\n{index}\n\n{says}\n"}


def _backend(name: str) -> Backend:
    """Return a backend, also where what it starts is not installed."""
    module, _, attribute = named.BACKENDS[name].partition(":")
    made: Backend = getattr(importlib.import_module(module), attribute)()
    return made


def _claims(backend: Backend) -> str:
    if not backend.proves:
        return "a solution" + (", or the best found" if Feature.OBJECTIVE in backend.features else "")
    optimal = ", optimal" if Feature.OBJECTIVE in backend.features else ""
    return f"infeasible{optimal}, all"


def _page(name: str, backend: Backend, replays: Path) -> str:
    """Return the page of a solver, with a section for each of its strategies."""
    installed = named.is_installed(name)
    solver, *strategies = told_of(name, backend, None if installed else ())
    parts = ["[Solvers](index.md)", f"# {name}"]
    if strategies:
        rows = [(f"[`{t['name']}`](#{_file(t['name'])})", _first_line(t["summary"])) for t in strategies]
        parts.append(table(("strategy", "what it is"), rows))
    parts += _told(solver, name, backend, replays)
    for told in strategies:
        parts += [f"({_file(told['name'])})=", f"## {told['name']}", *_told(told, name, backend, replays)]
    if not installed:
        missing = named.PROGRAMS[name][0] if name in named.PROGRAMS else name
        parts.append(
            f"This page has no runs of it: `{missing}` was not installed where the site was made. "
            "The names after the colon depend on your installation: "
            f"`cpqueens strategies {name}`."
        )
    return orphan("\n\n".join(parts) + "\n")


def _file(solver: str) -> str:
    return solver.replace(":", "-")


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def _told(told: dict[str, Any], name: str, backend: Backend, replays: Path) -> Iterator[str]:
    """Yield what a page says: what it is, what it may claim, parameters, source, and a run."""
    installed, whole = named.is_installed(name), told["name"] == name
    yield told["summary"]
    if whole:
        yield from _about(backend)
    elif installed and backend.proves and not _proves(told["name"]):
        yield "**It never proves anything; it may claim: a solution.**"
    else:
        yield _claimed(backend)
    yield from _parameters(told)
    if told["source"]:
        yield f"Source: {linked(told['source'])}"
    if installed:
        yield from _at_work(told["name"], backend, replays)


def _about(backend: Backend) -> Iterator[str]:
    yield _claimed(backend)
    can = [FEATURES[feature] for feature in FEATURES if feature in backend.features]
    yield f"It can {', '.join(can)}."
    if Feature.ENUMERATE in backend.features:
        yield f"Solutions come {ORDERS[backend.order]}."


def _claimed(backend: Backend) -> str:
    claims = "It may claim" if backend.proves else "It never proves anything; it may claim"
    return f"**{claims}: {_claims(backend)}.**"


def _proves(solver: str) -> bool:
    """Say whether a strategy proves that three queens have no solution, or that four have two."""
    try:
        with sharing(Share(PATIENCE / 60)):
            three = catalog.load("queens", ["n=3"]).model.solve(solver=solver)
    except CpqueensError:  # it counts alone
        with sharing(Share(PATIENCE)):
            return catalog.load("queens", ["n=4"]).model.count(solver=solver) == 2
    return three.complete


def _parameters(told: dict[str, Any]) -> Iterator[str]:
    if told["note"]:
        yield f"Parameters: {told['note']}."
    elif told["options"]:
        yield "<details><summary>Parameters</summary>\n"
        yield table(
            ("parameter and its default", "meaning, and allowed values"),  # two columns fit a phone
            (
                (
                    f"`{key}`" if o["default"] is None else f"`{key}={o['default']}`",
                    f"{o['meaning']} (*{o['allowed']}*)",
                )
                for key, o in told["options"].items()
            ),
        )
        yield "</details>"


# ---- at work -------------------------------------------------------------------------------------------


def _at_work(solver: str, backend: Backend, replays: Path) -> Iterator[str]:
    """Yield a run to watch and how long runs take, or why there is neither."""
    if solver.partition(":")[0] in named.ASKED_FOR:
        yield "There is no recording and no run-time distribution, because each run is a separate process."
        return
    taken = next((found for found in SHOWN if _takes(catalog.load(*found).model, solver)), None)
    if taken is None:
        yield (
            "There is no recording and no run-time distribution: it does not find single solutions of the "
            "problems that these pages show."
        )
        return
    instance, what = catalog.load(*taken), " ".join([taken[0].replace("_", " "), *taken[1]])
    records = "trace" in named.parameters_of(backend, None)
    outcome = _recorded(instance.model, solver) if records else None
    if outcome is not None:
        page = f"{_file(solver)}.html"
        back = f'<p><a href="../generated/solvers/{solver.partition(":")[0]}.html">Back to the solver</a></p>'
        written = replay_page([outcome]).replace("</h1>", f"</h1>{back}", 1)
        (replays / page).write_text(written, encoding="utf-8")
        yield f'<a href="../../replays/{page}">Watch a run on {what}</a>'
    elif records:
        yield "There is no recording, because this search does not report its steps."
    else:
        yield "There is no recording, because the library that searches does not report its steps."
    runs, limits = OWN if records else FOREIGN
    with by_processor():
        steps = instance.model.runs(solver, seeds=SEEDS, **limits).steps
        drawn = pictures.run_lengths(solver, instance, runs, **limits)
    if np.any(steps) and np.all(steps == steps[0]):
        yield (
            f"It is deterministic: with each of {SEEDS} seeds the search on {what} took {steps[0]:,} "
            "steps, so that its run-time distribution is a single stair."
        )
        return
    if drawn is None:
        yield f"No run on {what} ended within its limit."
    else:
        yield f"<details><summary>How long runs on {what} take</summary>\n\n{drawn}\n\n</details>"


def _recorded(model: Model, solver: str) -> Outcome | None:
    """Return a run with its first steps; None if this strategy does not tell them."""
    try:
        with sharing(Share(PATIENCE)):
            return model.solve(solver=solver, random_seed=1, trace=EVENTS)
    except UnsupportedRequest:
        return None


def _takes(model: Model, solver: str) -> bool:
    try:
        with sharing(Share(PATIENCE)):
            return model.solve(solver=solver, random_seed=1).solution is not None
    except CpqueensError:
        return False
