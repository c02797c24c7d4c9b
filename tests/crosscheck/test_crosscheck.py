"""Every way in which a backend can lie, and what the cross-check makes of it."""

import dataclasses
import io

import numpy as np
import pytest
from conftest import make_queens
from liars import Scripted
from rich.console import Console

from cpqueens import Increasing, Model, ModelInvalid, UnknownBackend, UnsupportedConstraint, cross_check
from cpqueens.answers.outcome import StopReason
from cpqueens.answers.symmetry import QUEENS_BOARD
from cpqueens.backends.base import Feature, Order
from cpqueens.crosscheck.findings import COVERAGE_LOSS, Code, Evidence, PublishedValues
from cpqueens.crosscheck.report import print_report
from cpqueens.errors import BackendFault, ModelError
from cpqueens.problems.published import Published


def lie(**changes):
    def change(answer, model, request):
        for name, value in changes.items():
            setattr(answer, name, value(answer) if callable(value) else value)

    return change


def codes(report):
    return {(str(d.code), d.accused) for d in report.disagreements}


def only(report, code, accused="liar"):
    assert codes(report) == {(code, accused)}, str(report)
    (found,) = report.disagreements
    assert report.exit_code == Code[code].exit_code
    assert not report.agree
    return found


HONEST = Scripted("honest")


def test_agreement_of_independent_solvers_is_evidence_2(queens6):
    report = cross_check(queens6, [HONEST, "cpsat"])
    assert report.agree
    assert report.exit_code == 0
    assert (report.verdict.count, report.verdict.evidence) == (4, Evidence.INDEPENDENT)
    assert [s.distinct for s in report.solvers] == [4, 4]
    assert len({s.digest for s in report.solvers}) == 1


def test_narrow_terminals_leave_columns_out_and_say_which(queens6):
    report = cross_check(queens6, [HONEST, "python-constraint"])
    for width, left_out in ((110, ""), (56, "set, build/s"), (40, "set, build/s, solve/s, distinct")):
        stream = io.StringIO()
        print_report(report, Console(file=stream, width=width), prose=width)
        lines = stream.getvalue().splitlines()
        assert max(map(len, lines)) <= width
        said = " ".join(stream.getvalue().split())
        assert (f"the terminal is too narrow for: {left_out}" in said) == bool(left_out)
        assert "python-constraint all 4" in said
        assert any("verdict" in line and "distinct" in line for line in lines) == (width > 40)


def test_missing_solution_is_named_and_diagnosed(queens6):
    report = cross_check(queens6, [HONEST, Scripted("liar", lie(rows=lambda a: a.rows[1:]))])
    found = only(report, "MISSING")
    assert (found.total, found.against) == (1, ("honest",))
    assert found.witnesses[0].values == {"q": [1, 3, 5, 0, 2, 4]}
    assert queens6.check(found.witnesses[0].values).ok
    assert report["liar"].evidence is Evidence.CLAIM


def test_a_lost_solution_is_a_search_fault_if_it_is_found_when_fixed(queens6):
    liar = Scripted("liar", lambda a, m, r: setattr(a, "rows", a.rows[1:] if len(a.rows) > 1 else a.rows))
    found = only(cross_check(queens6, [HONEST, liar]), "MISSING")
    assert found.details["diagnosis"].startswith("search fault")


def test_a_lost_solution_is_a_model_fault_if_it_stays_lost_when_fixed(queens6):
    liar = Scripted("liar", lie(rows=lambda a: a.rows[a.rows[:, 0] != 1]))
    found = only(cross_check(queens6, [HONEST, liar]), "MISSING")
    assert found.details["diagnosis"].startswith("model or presolve fault")


def test_infeasible_is_refuted_by_one_checked_solution(queens6):
    found = only(
        cross_check(queens6, [HONEST, Scripted("liar", lie(rows=lambda a: a.rows[:0]))]), "FALSE_UNSAT"
    )
    assert found.witnesses[0].delivered_by == ("honest",)


def test_no_majority_vote_one_heuristic_witness_beats_three_proofs(queens6):
    def heuristic(model, seed, time_limit):
        return {"q": [1, 3, 5, 0, 2, 4]}

    none = lie(rows=lambda a: a.rows[:0])
    liars = [Scripted(f"liar{k}", none) for k in range(3)]
    report = cross_check(queens6, [*liars, heuristic])
    assert codes(report) == {("FALSE_UNSAT", f"liar{k}") for k in range(3)}


def test_invalid_solution_is_explained(queens6):
    def wrong(answer, model, request):
        answer.rows = np.concatenate([answer.rows, [[0, 1, 2, 3, 4, 5]]])

    found = only(cross_check(queens6, [HONEST, Scripted("liar", wrong)]), "INVALID_SOLUTION")
    assert "AllDifferent" in " ".join(found.witnesses[0].notes)
    assert found.total == 1


def test_only_invalid_solutions_where_there_is_none(queens3):
    def wrong(answer, model, request):
        answer.rows = np.array([[0, 2, 1]])

    report = cross_check(queens3, [HONEST, Scripted("liar", wrong)])
    assert codes(report) == {("INVALID_SOLUTION", "liar"), ("FALSE_SAT", "liar")}


def test_duplicates_are_a_breach_only_if_distinct_ones_were_promised(queens6):
    twice = lie(rows=lambda a: np.concatenate([a.rows, a.rows[:2]]))
    report = cross_check(queens6, [HONEST, Scripted("liar", twice, order=Order.DISTINCT)])
    found = only(report, "DUPLICATE")
    assert found.details == {"distinct": 4, "duplicates": 2}
    report = cross_check(queens6, [HONEST, Scripted("liar", twice)])
    assert report.agree
    assert report["liar"].duplicates == 2


def test_broken_order(queens6):
    report = cross_check(
        queens6, [HONEST, Scripted("liar", lie(rows=lambda a: a.rows[::-1]), order=Order.LEXICOGRAPHIC)]
    )
    only(report, "UNORDERED")
    assert report["liar"].distinct == 4


def test_rows_of_a_wrong_form(queens6):
    for bad in (lambda a: a.rows[:, 1:], lambda a: a.rows.astype(float)):
        report = cross_check(queens6, [HONEST, Scripted("liar", lie(rows=bad))])
        assert ("BAD_ASSIGNMENT", "liar") in codes(report)


def test_a_stopped_run_that_claims_everything(queens6):
    partial = lie(rows=lambda a: a.rows[:2], stop_reason=StopReason.TIME_LIMIT)
    report = cross_check(queens6, [HONEST, Scripted("liar", partial)])
    assert ("PARTIAL_AS_COMPLETE", "liar") in codes(report)


def test_a_stopped_run_that_says_so_is_no_lie_but_is_not_compared(queens6):
    partial = lie(rows=lambda a: a.rows[:2], exhausted=False, stop_reason=StopReason.TIME_LIMIT)
    report = cross_check(queens6, [HONEST, Scripted("slow", partial)])
    assert report.agree
    assert any(n.solver == "slow" and "time_limit" in n.why for n in report.not_compared)
    assert not report["slow"].complete


def test_counts_without_sets_are_narrowed_down(queens6):
    def miscount(answer, model, request):
        if answer.count:
            answer.count -= int((answer.rows == 3).any())

    report = cross_check(queens6, [HONEST, Scripted("liar", miscount)], want="count")
    (found,) = report.disagreements
    assert found.code is Code.COUNT_DIFF
    assert found.details["counts"] == {"honest": 4, "liar": 3}
    assert found.details["counts differ where"]


def test_who_could_not_take_part_is_said_at_the_end():
    m = Model("two goals")
    x = m.intvar(0, 4, shape=2, name="x")
    m.minimize(-x.sum(), x[0])
    report = cross_check(m, solvers=["backtracking", "local-search"])
    assert report.exit_code == 0
    assert "local-search took no part (UNSUPPORTED: local-search proves nothing: several objectives" in str(
        report
    )
    assert report.conclusion.endswith("]; without local-search, which could not take part")


def test_published_counts(queens6):
    report = cross_check(queens6, [HONEST], published=Published("solutions", 4, "OEIS A000170", {}))
    assert report.verdict.evidence is Evidence.INDEPENDENT
    assert "A000170" in report.verdict.reason
    only(cross_check(queens6, [HONEST], published=5), "COUNT_DIFF", "honest")
    only(cross_check(queens6, [HONEST], published=3), "COUNT_DIFF", "published value")
    symmetric = PublishedValues(count=4, up_to_symmetry=2, source="wrong")
    only(cross_check(queens6, [HONEST], published=symmetric, symmetries=QUEENS_BOARD), "COUNT_DIFF", "honest")


def test_what_only_our_own_loops_found_is_known_and_not_published(queens6, triangle):
    loops = "brute force: all 720 permutations"
    for count, accused, says in ((5, "honest", "counts 4, known is 5"), (3, "known value", "3 is known")):
        found = only(
            cross_check(queens6, [HONEST], published=PublishedValues(count, loops)), "COUNT_DIFF", accused
        )
        assert found.message.startswith(f"{says} ({loops})")
    orbits = PublishedValues(4, loops, up_to_symmetry=2)
    found = only(
        cross_check(queens6, [HONEST], published=orbits, symmetries=QUEENS_BOARD), "COUNT_DIFF", "honest"
    )
    assert found.message == f"1 orbits, known are 2 ({loops})"
    for optimum, accused, says in (
        (8, "honest", f"claims that 7 is optimal; known is 8 ({loops})"),
        (6, "known value", f"6 is known as optimal ({loops}), yet a checked solution has 7"),
    ):
        said = PublishedValues(optimum=optimum, source=loops)
        assert only(cross_check(triangle, [HONEST], published=said), "OPT_CROSSED", accused).message == says


def test_optimum_crossed_by_a_witness(triangle):
    def first(answer, model, request):
        answer.rows = np.array([[0, 0]])
        answer.objective = answer.bound = -2

    report = cross_check(triangle, [HONEST, Scripted("liar", first)])
    found = only(report, "OPT_CROSSED")
    assert found.witnesses[0].objective == 7
    assert report["honest"].objective == 7


def test_bound_crossed_by_a_witness_without_a_claim_of_optimality(triangle):
    def bound(answer, model, request):
        answer.rows = np.array([[0, 0]])
        answer.objective, answer.bound, answer.exhausted = -2, 5, False
        answer.stop_reason = StopReason.TIME_LIMIT

    found = only(cross_check(triangle, [HONEST, Scripted("liar", bound)]), "OPT_CROSSED")
    assert found.details["bound"] == 5


def test_objective_that_is_not_the_recomputed_one(triangle):
    report = cross_check(triangle, [HONEST, Scripted("liar", lie(objective=9, bound=9))])
    assert ("OBJ_MISMATCH", "liar") in codes(report)


def test_published_optimum(triangle):
    better = PublishedValues(optimum=8, source="a book")
    only(cross_check(triangle, [HONEST], published=better), "OPT_CROSSED", "honest")
    worse = PublishedValues(optimum=6, source="a book")
    only(cross_check(triangle, [HONEST], published=worse), "OPT_CROSSED", "published value")


def test_the_same_seed_twice(queens6):
    liar = Scripted("liar")
    liar.lie = lambda a, m, r: setattr(a, "rows", a.rows[:: -1 if liar.runs % 2 else 1])
    found = only(cross_check(queens6, [HONEST, liar], repeat=True), "NONDETERMINISM")
    assert "solution 0" in found.message


def test_verification_that_disagrees_with_the_checker(queens6):
    def reject(values):
        return values["q"][0] != 1

    report = cross_check(queens6, [HONEST], verify=reject)
    only(report, "EXTRA", "honest")

    weaker = Model("queens")  # the model lacks a constraint, so its checker accepts too much
    q = weaker.intvar(0, 1, shape=2, name="q")
    weaker.add(q[0] <= 1)
    strict = lie(rows=lambda a: a.rows[a.rows[:, 0] != a.rows[:, 1]])
    solvers = [HONEST, Scripted("one", strict), Scripted("two", strict)]
    report = cross_check(weaker, solvers, verify=lambda values: values["q"][0] != values["q"][1])
    assert ("CHECKER_DOUBT", "checker") in codes(report)


def test_checker_is_doubted_if_two_families_and_the_verification_are_against_it(queens6):
    def extra(answer, model, request):
        answer.rows = np.array([[0, 1, 2, 3, 4, 5]])

    two = [Scripted("one", extra), Scripted("two", extra)]
    report = cross_check(queens6, two, verify=lambda values: True)
    assert ("CHECKER_DOUBT", "checker") in codes(report)
    same = [Scripted("one", extra, family="x"), Scripted("two", extra, family="x")]
    report = cross_check(queens6, same, verify=lambda values: True)
    assert {c for c, _ in codes(report)} == {"INVALID_SOLUTION"}


def raising(error):
    def fail(answer, model, request):
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "status", "exit_code"),
    [
        (UnsupportedConstraint("no Table"), "UNSUPPORTED", 20),
        (ModelInvalid("no"), "MODEL_INVALID", 21),
        (BackendFault("liar and honest disagree", "MISSING"), "MISSING", 12),
        (RuntimeError("boom"), "CRASH", 30),
        (MemoryError(), "OUT_OF_MEMORY", 32),
    ],
)
def test_failures_are_never_folded_into_infeasible(queens6, error, status, exit_code):
    alone = cross_check(queens6, [Scripted("liar", raising(error))])
    assert alone["liar"].status == status
    assert alone.exit_code == exit_code
    beside = cross_check(queens6, [HONEST, Scripted("liar", raising(error))])
    assert beside.exit_code == (0 if status in COVERAGE_LOSS else exit_code)
    assert beside["honest"].complete


def test_one_family_or_a_shared_decomposition_is_not_independent(queens6):
    twins = [Scripted("a", family="x"), Scripted("b", family="x")]
    assert cross_check(queens6, twins).verdict.evidence is Evidence.ALONE
    sharing = [Scripted("a", how="decomposed"), Scripted("b", how="decomposed")]
    report = cross_check(queens6, sharing)
    assert report.verdict.evidence is Evidence.ALONE
    assert "AllDifferent" in report.verdict.reason
    mixed = [Scripted("a", how="decomposed"), Scripted("b")]
    assert cross_check(queens6, mixed).verdict.evidence is Evidence.INDEPENDENT


def test_who_cannot_enumerate_is_asked_for_one_solution(queens6):
    weak = Scripted("weak", features=frozenset({Feature.SEED}))
    report = cross_check(queens6, [HONEST, weak])
    assert report.agree
    assert any(n.solver == "weak" for n in report.not_compared)


def test_unknown_solvers_and_bad_values_are_refused_at_once(queens6):
    with pytest.raises(UnknownBackend, match="did you mean 'cpsat'"):
        cross_check(queens6, ["cpsatt"])
    for bad in ({"seeds": 0}, {"seeds": [-1]}, {"seeds": True}, {"want": "most"}, {"time_limit": 0}):
        with pytest.raises(ModelError):
            cross_check(queens6, [HONEST], **bad)
    with pytest.raises(ModelError, match="solvers"):
        cross_check(queens6, [])
    with pytest.raises(ModelError, match="objective"):
        cross_check(queens6, [HONEST], want="best")


def test_the_report_is_frozen(queens6):
    report = cross_check(queens6, [HONEST])
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.seconds = 0
    with pytest.raises(KeyError):
        report["nobody"]


def test_two_participants_of_one_name_are_told_apart(queens6):
    report = cross_check(queens6, [HONEST, HONEST, ("cpsat", {"random_seed": 1}), "cpsat"])
    assert [s.name for s in report.solvers] == ["honest", "honest #2", "cpsat(random_seed=1)", "cpsat"]


def test_progress_is_told(queens6):
    seen = []
    cross_check(make_queens(8), ["cpsat"], progress=lambda *state: seen.append(state))
    assert seen
    assert all(name == "cpsat" and count >= 0 and seconds >= 0 for name, count, seconds in seen)


def test_an_instance_brings_its_published_values_and_symmetries():
    from cpqueens.problems.catalog import load

    report = cross_check(load("queens", ["n=6"]), ["cpsat"])
    assert report.published.count == 4
    assert report.published.up_to_symmetry == 1
    assert report.verdict.evidence is Evidence.INDEPENDENT


def test_the_report_as_text_json_and_html(queens6):
    import json
    import re
    from html.parser import HTMLParser

    from cpqueens.crosscheck.report import render_html, to_json
    from cpqueens.report import html

    liar = Scripted("<liar>", lie(rows=lambda a: a.rows[1:]))
    report = cross_check(queens6, [HONEST, liar], published=4)
    text = str(report)
    for part in (
        "honest",
        "MISSING (exit 12) accused: <liar>",
        "witness q=[1, 3, 5, 0, 2, 4]",
        "published: count 4",
    ):
        assert part in text
    data = json.loads(to_json(report))
    assert (data["schema"], data["version"], data["exit_code"]) == ("cpqueens.cross-check", 2, 12)
    assert data["disagreements"][0]["code"] == "MISSING"
    assert [s["distinct"] for s in data["solvers"]] == [4, 3]
    assert [s["evidence"] for s in data["solvers"]] == [2, 4]
    page = render_html(report)
    assert "&lt;liar&gt;" in page
    assert "<liar>" not in page
    HTMLParser().feed(page)
    assert report._repr_html_() in page
    assert set(re.findall(r"--\w+: #\w+", html.page("", ""))) <= set(re.findall(r"--\w+: #\w+", page))
    for part in ('name="viewport"', "color-scheme: light dark", "max-width: 40rem", 'data-head="verdict"'):
        assert part in page


def test_large_sets_go_to_files_and_leave_none_behind(queens6, tmp_path, monkeypatch):
    import tempfile

    from cpqueens.crosscheck import sets

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sets.SolutionStore.__init__, "__defaults__", (None, 10))
    spilled = []
    spill = sets.SolutionStore._spill
    monkeypatch.setattr(sets.SolutionStore, "_spill", lambda self: (spilled.append(1), spill(self))[1])
    report = cross_check(queens6, [HONEST, Scripted("liar", lie(rows=lambda a: a.rows[1:]))])
    assert spilled
    only(report, "MISSING")
    assert not [p for p in tmp_path.iterdir() if p.name.startswith("cpqueens-set-")]


def test_ctrl_c_ends_the_whole_cross_check_and_keeps_what_was_found(queens6):
    def pressed(answer, model, request):
        answer.rows = answer.rows[:2]
        answer.exhausted = False
        answer.stop_reason = StopReason.INTERRUPTED

    report = cross_check(queens6, [HONEST, Scripted("slow", pressed), "cpsat"], repeat=True)
    assert [s.name for s in report.solvers] == ["honest", "slow"]
    assert report.interrupted
    assert report.exit_code == 130
    lost = {(n.solver, n.why) for n in report.not_compared}
    assert ("cpsat", "not run: interrupted") in lost
    assert report.verdict.count == 4
    assert not cross_check(queens6, [HONEST]).interrupted


def test_ctrl_c_inside_an_own_heuristic(queens6):
    def heuristic(model, seed, time_limit):
        raise KeyboardInterrupt

    report = cross_check(queens6, [HONEST, heuristic])
    assert report.interrupted
    assert [s.name for s in report.solvers] == ["honest"]
    with pytest.raises(KeyboardInterrupt):
        cross_check(queens6, [heuristic])


@pytest.mark.slow
def test_14_queens_on_three_exact_backends_within_a_memory_bound():
    import resource

    from cpqueens.problems.catalog import load

    report = cross_check(load("queens", ["n=14"]), ["backtracking", "cpsat", "python-constraint"])
    assert report.agree
    assert [s.distinct for s in report.solvers] == [365_596] * 3
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1_500_000  # KiB


@pytest.mark.parametrize(
    "state",
    [
        lambda x, b: b[0].implies(b[1]),
        lambda x, b: (x[0] == 1).implies(x[1] == 2),
        lambda x, b: (x[:2] == 1).implies(x[1:] == 2),
        lambda x, b: (x[0] == 1).implies((x[1] == 2) & (b[0] | (x[2] == 1))),
        lambda x, b: ~((x[0] == 1) & b[1]),
    ],
)
def test_a_clause_in_other_words_is_no_decomposition(state):
    model = Model()
    x, b = model.intvar(0, 2, shape=3, name="x"), model.boolvar(shape=2, name="b")
    model += state(x, b)
    assert cross_check(model, ["backtracking", "cpsat"]).verdict.evidence is Evidence.INDEPENDENT


def test_what_would_lift_the_evidence_of_a_shared_decomposition_is_said():
    model = Model()
    x = model.intvar(0, 2, shape=3, name="x")
    model += (x[0] == 1).implies(Increasing(x))
    found = cross_check(model, ["backtracking", "cpsat"]).verdict
    assert found.evidence is Evidence.ALONE
    assert "the same decomposition of Implication; 'exhaustive' or 'minizinc:gecode'" in found.reason
    lifted = cross_check(model, ["backtracking", "cpsat", "exhaustive"]).verdict
    assert lifted.evidence is Evidence.INDEPENDENT
