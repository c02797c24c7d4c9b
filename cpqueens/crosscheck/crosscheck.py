"""`cross_check`: one model, many solvers, one report; and `replay`, which asks a bundle's solvers again."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cpqueens.answers.outcome import Status
from cpqueens.answers.symmetry import Group, as_group
from cpqueens.backends import named
from cpqueens.backends.base import Want
from cpqueens.crosscheck.bundle import want_of, write_bundle
from cpqueens.crosscheck.compare import Case, Verify, compare, objectives_text
from cpqueens.crosscheck.evidence import bisect, diagnose, level, verdict
from cpqueens.crosscheck.external import External
from cpqueens.crosscheck.findings import (
    Code,
    Disagreement,
    Evidence,
    HeuristicReport,
    NotCompared,
    PublishedValues,
    SolverReport,
)
from cpqueens.crosscheck.given import Exhaustive, small_enough
from cpqueens.crosscheck.heuristic import quality_of, summarize
from cpqueens.crosscheck.observe import NarrowedTo, Observation, Participant, Plan, Progress
from cpqueens.crosscheck.participants import PROOF, BackendParticipant, as_participants, isolated
from cpqueens.crosscheck.report import Report
from cpqueens.crosscheck.sets import Packing
from cpqueens.errors import ModelError
from cpqueens.files.modelfile import fingerprint, load_model
from cpqueens.model import Model
from cpqueens.problems.catalog import Instance
from cpqueens.problems.published import Published
from cpqueens.solving.request import as_gap, as_seeds, positive_integer, positive_seconds
from cpqueens.solving.stages import narrowed
from cpqueens.system.interrupts import Interrupt, listening
from cpqueens.system.requirements import versions
from cpqueens.text.bounded import MAX_TEXT, decoded, parse_json, read_bytes
from cpqueens.text.foreign import explaining_keywords
from cpqueens.text.parameters import as_function, as_path, as_switch, got
from cpqueens.text.plaintext import counted, shown

WANTS = ("auto", "all", "count", "best", "one")


@explaining_keywords
def cross_check(
    model: Model | Instance,
    solvers: Sequence[Any] | str | None = None,
    *,
    seeds: int | Sequence[int] = (0,),
    published: Any = None,
    verify: Verify | None = None,
    symmetries: Group = (),
    want: str = "auto",
    optimal: bool = False,
    gap: int | None = None,
    time_limit: float | None = None,
    solution_limit: int | None = None,
    repeat: bool = False,
    isolate: bool = False,
    proof: bool = False,
    bundles: str | Path | None = None,
    progress: Progress | None = None,
) -> Report:
    """Run a model on several solvers and compare all their claims.

    >>> from cpqueens import AllDifferent, Model
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=3, name="x")
    >>> m += AllDifferent(x)
    >>> report = cross_check(m, ["backtracking", "cpsat"])
    >>> report.agree, report.verdict.count
    (True, 6)

    Parameters
    ----------
    model
        A model, or an instance of a catalogued problem, which brings its published values, plain
        verification and symmetries.
    solvers
        Names (``"cpsat"``, ``"local-search:annealing"``), backend objects, ``(name, {parameter: value})``,
        functions ``f(model, seed, time_limit) -> assignment or None``, `External` commands and
        `SolutionFile` objects; by default every installed backend that proves.
    seeds
        A number k for the seeds 0 to k - 1, or the seeds. Heuristics run once for each; exact backends
        take the first.
    published
        A published number of solutions, a `cpqueens.problems.published.Published`, or several of them.
    verify
        A separate verification of the problem: it takes raw values by name and returns complaints or a bool.
    symmetries
        A group of `cpqueens.answers.symmetry`, to count solutions up to symmetry too.
    want
        ``all`` solutions, their ``count``, the ``best``, ``one``; ``auto`` is ``best`` for a model with an
        objective, else ``all``.
    optimal, gap
        Compare the sets of optimal solutions, or of all solutions whose objective is at most ``gap`` from
        the optimum. The optima are compared first; if the optimum is proved and nobody disagrees, the sets
        are compared, and the report about them is returned.
    time_limit
        Seconds for each run.
    solution_limit
        The number of solutions that each exact backend lists; the comparison is then incomplete.
    repeat
        Run each backend twice with the same seed and compare the runs.
    isolate
        Run each backend that is given by name in a child process, so that a crash, a hang or a full memory
        becomes part of the report.
    proof
        Also run the search that writes proofs (``"proof"`` among the solvers). If every step of its proof is
        accepted, the evidence is level 0.
    bundles
        A folder for disagreements. Each gets a subfolder with the model as given and shrunk, seeds,
        versions, parameters, the answers, and the command that replays it.
    progress
        Called from time to time with a solver's name, its number of solutions and the seconds since it began.

    Returns
    -------
    Report
        Verdicts, evidence and typed disagreements. Memory is bounded by 32 MiB for each set, 1/64 of the
        sets, and the needs of the backend; larger sets go to temporary files.

    Raises
    ------
    CpqueensError
        For an unknown solver or parameter, or a value that is not allowed. The failure of a solver is not
        raised; it is part of the report.
    """
    if not isinstance(model, Instance | Model):
        given = got(model, Model) or shown(model)
        raise ModelError(f"cross_check: a model or a problem's instance is needed, got {given}")
    if isinstance(model, Instance):
        published = _published_of(model) if published is None else published
        verify = model.verify if verify is None and model.problem and model.problem.has_verify else verify
        symmetries, model = as_group(symmetries) or model.symmetries(), model.model
    participants = as_participants(solvers)
    if as_switch(proof, "proof"):
        participants = as_participants([*participants, PROOF])
    if as_switch(isolate, "isolate"):
        participants = [isolated(p) for p in participants]
    optima = as_switch(optimal, "optimal") or gap is not None
    plan = Plan(
        Want.BEST if optima else _want(model, want),
        as_seeds(seeds),
        Packing(model),
        positive_seconds(time_limit, "time_limit"),
        positive_integer(solution_limit, "solution_limit"),
        as_function(progress, "progress: a function"),
    )
    if bundles is not None:
        as_path(bundles)
    verify = as_function(verify, "verify: a function")
    case = Case(model, (), as_published(published), verify, as_group(symmetries))
    inquiry = _Inquiry(plan, participants, as_switch(repeat, "repeat"), bundles)
    return _of_optimal_sets(inquiry, case, as_gap(gap), want) if optima else inquiry.report(case)


@dataclass(frozen=True)
class _Inquiry:
    """One cross-check: who is asked what, whether twice, and where its bundles go."""

    plan: Plan
    participants: Sequence[Participant]
    repeated: bool
    bundles: str | Path | None

    def report(self, case: Case) -> Report:
        """Run everyone, or everyone twice, and return the report of what they say."""
        started = time.monotonic()
        for participant in self.participants:
            look = getattr(participant, "prepare", None)  # of those that may refuse something at once
            if callable(look):
                look(case.model, self.plan)
        with listening() as interrupt:
            observations = self._observe(case.model, interrupt)
            seconds = self._repeat(case.model, observations, interrupt) if self.repeated else ()
            try:
                pairs = tuple(zip(observations, seconds, strict=False))
                answered = replace(case, observations=observations, repeats=pairs)
                report = self._conclude(answered, interrupt, started)
            finally:
                for o in (*observations, *seconds):
                    o.close()
        if not self.repeated:
            return report
        missed = self.participants[len(seconds) : len(observations)]
        lost = (NotCompared(p.name, "a second run", "not run to the end: interrupted") for p in missed)
        return replace(report, not_compared=(*report.not_compared, *lost))

    def _observe(self, model: Model, interrupt: Interrupt) -> tuple[Observation, ...]:
        """Return everyone's answers; after a signal only those of the first, the interrupted one included."""
        found: list[Observation] = []
        for participant in interrupt.until_seen(self.participants):
            try:
                found.append(participant.observe(model, self.plan))
            except KeyboardInterrupt:  # raised by a user's own heuristic, or the second one
                interrupt.note()
            if found and found[-1].interrupted:
                interrupt.note()
        if not found:
            raise KeyboardInterrupt  # nothing can be said
        return tuple(found)

    def _repeat(
        self, model: Model, observations: Sequence[Observation], interrupt: Interrupt
    ) -> tuple[Observation, ...]:
        """Return everyone's second answer, as far as both came to their own end."""
        found: list[Observation] = []
        for participant in interrupt.until_seen(self.participants[: len(observations)]):
            found.append(participant.observe(model, self.plan))
        if interrupt.seen and found:
            found.pop().close()
        return tuple(found)

    def _followed_up(self, case: Case, interrupt: Interrupt) -> list[Disagreement]:
        """Return the disagreements, each with its bundle and, unless a signal came, its diagnosis."""
        plan, participants = self.plan, self.participants[: len(case.observations)]
        by_name = {p.name: p for p in participants}
        found = []
        for d in compare(case):
            if not interrupt.seen:
                d = bisect(case.model, diagnose(case.model, d, by_name, plan), by_name, plan)
            if self.bundles is not None:
                named = (d.accused, *d.against)
                asked = [o for o in case.observations if o.name in named]
                answers = [_solver_report(case, o, Evidence.CLAIM, "") for o in asked]
                try:
                    d = write_bundle(self.bundles, case.model, d, participants, plan, answers)
                except ModelError as error:  # the report must not be lost with the folder
                    d = replace(d, details={**d.details, "bundle": f"not written: {error}"})
            found.append(d)
        return found

    def _conclude(self, case: Case, interrupt: Interrupt, started: float) -> Report:
        """Return the report of a case."""
        disagreements = self._followed_up(case, interrupt)
        accused = frozenset(name for d in disagreements for name in d.accused.split(" or "))
        levels = {o.name: level(case, o, accused) for o in case.observations}
        heuristics = tuple(summarize(case, o) for o in case.observations if o.heuristic is not None)
        missed = self.participants[len(case.observations) :]
        return Report(
            model=case.model.name,
            scope=case.model.scope_text(),
            fingerprint=fingerprint(case.model),
            versions=versions(),
            want=self.plan.want.value,
            seeds=self.plan.seeds,
            published=case.published,
            solvers=tuple(_solver_report(case, o, *levels[o.name]) for o in case.observations),
            heuristics=heuristics,
            disagreements=tuple(disagreements),
            not_compared=(
                *_coverage_losses(case, self.plan, heuristics),
                *(NotCompared(p.name, "everything", "not run: interrupted") for p in missed),
            ),
            interrupted=interrupt.seen,
            verdict=verdict(case, disagreements, levels),
            seconds=time.monotonic() - started,
        )


def _of_optimal_sets(inquiry: _Inquiry, case: Case, gap: int, want: str) -> Report:
    """Compare what everyone says of the optimum, then the sets of solutions that are as good."""
    stated = case.model
    _want(stated, "best")
    if want not in ("auto", "all", "count"):
        raise ModelError(f"want: of optimal solutions all or their count are compared, got {shown(want)}")
    if gap and len(stated.goals) != 1:
        raise ModelError(f"gap: a model with one objective is needed, this one has {len(stated.goals)}")
    first = inquiry.report(case)
    best = first.verdict.optimum
    if first.disagreements or best is None:
        return first
    limits = [goal.at_worst(v, gap) for goal, v in zip(stated.goals, first.verdict.optima, strict=True)]
    within = narrowed(stated, limits)
    within.name = f"{stated.name}, objective {best}" + (f" or within {gap} of it" if gap else "")
    listed = Want.COUNT if want == "count" else Want.ALL
    target = NarrowedTo(stated, objectives_text(first.verdict.optima), gap)
    plan = replace(inquiry.plan, want=listed, packing=Packing(within), target=target)
    second = replace(inquiry, plan=plan).report(replace(case, model=within, published=None, symmetries=()))
    if second.verdict.count is None:
        return second
    founded = max(first.verdict.evidence, second.verdict.evidence)
    reason = first.verdict.reason if founded is first.verdict.evidence else second.verdict.reason
    text = f"{first.verdict.text}, {f'at most {gap} from it' if gap else 'reached by'} {second.verdict.text}"
    said = replace(second.verdict, text=text, evidence=founded, reason=reason, optimum=best)
    return replace(second, verdict=said)


def _want(model: Model, want: str) -> Want:
    if not isinstance(want, str) or want not in WANTS:
        raise ModelError(f"want: allowed are {', '.join(WANTS)}, got {shown(want)}")
    if want == "best" and model.objective is None:
        raise ModelError("want: 'best' needs a model with an objective")
    if want == "auto":
        return Want.ALL if model.objective is None else Want.BEST
    return Want(want)


def _published_of(instance: Instance) -> list[Published]:
    found = (instance.published(what) for what in ("solutions", "fundamental", "optimum"))
    return [entry for entry in found if entry is not None]


_FIELDS = {"solutions": "count", "fundamental": "up_to_symmetry", "optimum": "optimum"}


def as_published(value: Any) -> PublishedValues | None:
    """Return published values given as a number of solutions, a `Published`, or several of them."""
    if value is None or isinstance(value, PublishedValues):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return PublishedValues(count=value)
    entries = [value] if isinstance(value, Published) else value
    if not isinstance(entries, Sequence) or not all(isinstance(e, Published) for e in entries):
        raise ModelError(
            f"published: a number of solutions or Published values are needed, got {shown(value)}"
        )
    if not entries:
        return None
    sources = "; ".join(dict.fromkeys(entry.source for entry in entries))
    return PublishedValues(source=sources, **{_FIELDS[e.what]: e.value for e in entries})


def _solver_report(case: Case, o: Observation, evidence: Evidence, reason: str) -> SolverReport:
    outcome, store = o.outcome, o.store
    statistics = dict(outcome.statistics) if outcome is not None else {}
    status = str(o.error or (outcome.status if outcome is not None else _STATUS[bool(o.count)]))
    return SolverReport(
        name=o.name,
        role=o.role,
        verdict=_sentence(o, status),
        status=status,
        complete=o.claims_all and o.error is None,
        stop_reason=o.ended_by,
        count=o.count,
        distinct=None if store is None else store.distinct,
        duplicates=o.duplicates,
        invalid=o.invalid,
        digest=None if store is None or not o.claims_all else store.digest,
        objective=None if o.best is None else o.best[0],
        bound=o.objective_bound,
        evidence=evidence,
        build_time=float(statistics.get("build_time", 0.0)),
        translate_time=float(statistics.get("translate_time", 0.0)),
        solve_time=float(statistics.get("solve_time", o.seconds)),
        total_time=float(statistics.get("total_time", o.seconds)),
        runs=1 if o.heuristic is None else o.heuristic.runs,
        native=o.native,
        decomposed=tuple(sorted(o.decomposed)),
        note=o.message or reason,
        quality=None if o.best is None else quality_of(case, [o.best[0]]),
        statistics={k: v for k, v in statistics.items() if isinstance(v, str | int | float | bool)},
    )


_STATUS = (Status.UNKNOWN, Status.FEASIBLE)  # without an outcome: whether anything was found


def _sentence(o: Observation, status: str) -> str:
    if o.error is not None:
        return str(o.error)
    if o.claims_none:
        return "infeasible"
    if o.want is Want.BEST and o.best is not None:
        return f"optimum {o.best[0]}" if o.claims_all else f"best {o.best[0]}"
    if o.claims_all and o.want in (Want.ALL, Want.COUNT):
        return f"all {o.count}"
    return f"{o.count} found" if o.count else status.lower()


def _coverage_losses(case: Case, plan: Plan, heuristics: Sequence[HeuristicReport]) -> list[NotCompared]:
    lost: list[NotCompared] = []
    for o in case.observations:
        if o.error in (Code.UNSUPPORTED, Code.MODEL_INVALID):
            lost.append(NotCompared(o.name, "everything", f"{o.error}: {o.message}"))
        elif o.error is None and not o.claims_all:
            what = "completeness" if o.count or o.best else "everything"
            why = "it does not prove" if not o.proves else f"stopped by {o.ended_by}"
            if o.interrupted and o.outcome is None:
                why = "interrupted"
            lost.append(NotCompared(o.name, what, why))
        elif o.want is not plan.want and o.error is None:
            lost.append(
                NotCompared(o.name, plan.want.value, f"asked for {o.want.value} only: no such feature")
            )
        if o.missed:
            what = counted(o.missed, "solution")
            lost.append(NotCompared(o.name, what, "valid, but not as good as asked for"))
    lost += [NotCompared(h.name, "seeds", h.lost) for h in heuristics if h.lost]
    if case.verify is not None and any(o.store and o.store.distinct > 10_000 for o in case.observations):
        lost.append(
            NotCompared("verify", "solutions behind the first 10000 of each set", "plain Python is slow")
        )
    return lost


def replay(folder: str | Path, solvers: Mapping[str, Any] | None = None, shrunk: bool = True) -> Any:
    """Run a bundle's model again and return the report.

    Parameters
    ----------
    solvers
        Functions and backend objects by the names that they have in the bundle; backends that are
        installed need not be given.

    Raises
    ------
    ModelError
        If the folder is not a bundle, or a solver of it is missing.
    """
    place = Path(as_path(folder))
    try:
        data = parse_json(decoded(read_bytes(place / "bundle.json", MAX_TEXT)))
    except ModelError as error:
        raise ModelError(f"{place}: not a bundle ({error})") from None
    if not isinstance(data, dict) or not {"solvers", "seeds", "want", "time_limit"} <= set(data):
        raise ModelError(f"{place}: not a bundle (bundle.json lacks what replays it)")
    model = load_model(place / ("shrunk.json" if shrunk else "model.json"))
    chosen = [_again(entry, solvers or {}) for entry in data["solvers"]]
    if small_enough(model):
        chosen.append(Exhaustive())
    want = want_of(model, Want(data["want"])).value
    return cross_check(model, chosen, seeds=data["seeds"], want=want, time_limit=data["time_limit"])


def _again(entry: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    name = entry["name"]
    if name in given:
        return given[name]
    if entry["kind"] == "External":
        return External(entry["argv"], label=name)
    if entry["kind"] == "Exhaustive":
        return Exhaustive()
    solver = str(entry.get("solver", "")).partition(":")[0]
    if entry["kind"] == "BackendParticipant" and solver in named.registered():
        return BackendParticipant(name, entry["solver"], entry["parameters"])
    raise ModelError(f"replay: {name!r} is not an installed backend; give it in solvers={{{name!r}: ...}}")
