"""Proofs: each claim of a run with ``proof=`` is believed, and no false one is."""

from __future__ import annotations

import ast
import itertools
import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from cpqueens.models.queens import queens
from each import each
from proving import accepted, corrupted, is_true, proved, steps_follow, with_false_claim

import cpqueens.proofs
from cpqueens import AllDifferent, Decreasing, Model
from cpqueens.cli.main import main
from cpqueens.crosscheck.crosscheck import cross_check
from cpqueens.crosscheck.findings import Evidence
from cpqueens.crosscheck.oracle import solve
from cpqueens.errors import ModelError, UnsupportedRequest
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.constraints.kinds import KINDS
from cpqueens.proofs.check import check_proof
from cpqueens.proofs.parts import BadProof


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def _agrees(model: Model, place, best: bool) -> None:
    """Prove a claim, compare it with brute force, and let the checker believe it."""
    truth, variables = solve(model), model.variable_count
    outcome, lines = proved(model, place, best)
    assert model.variable_count == variables
    found = check_proof(model, place)
    assert outcome.complete
    assert found.complete
    assert is_true(found, lines, truth)
    assert steps_follow(model, lines, truth)
    if best:
        assert outcome.objective == truth.optimum
        assert found.objectives == outcome.objectives
    else:
        assert outcome.count == truth.count


@each("kind", sorted(KINDS))
def test_each_kind_is_proved(tmp_path_factory, kind: str) -> None:
    """Two random models of each kind, plain, negated or reified, with few solutions."""
    place = tmp_path_factory.mktemp("kinds") / "run.proof"
    seeds = itertools.count(1000 * sorted(KINDS).index(kind))
    models = (random_model(seed, kinds=[kind], constraints=2) for seed in seeds)
    for model in itertools.islice((m for m in models if solve(m).count <= 40), 2):
        _agrees(model, place, False)
        if model.objective is not None:
            _agrees(model, place, True)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_two_thousand_random_models_are_proved(tmp_path, part: int) -> None:
    for seed in range(200 * part, 200 * (part + 1)):
        model = random_model(seed, soft=bool(seed % 2), cancelling=seed % 5 == 0)
        _agrees(model, tmp_path / "run.proof", False)
        if model.objective is not None:
            _agrees(model, tmp_path / "run.proof", True)


def test_a_truth_over_a_function_of_constants(tmp_path) -> None:
    """It rests on no variable at all, and may be undefined."""
    model = random_model(795, soft=True, cancelling=True)
    _agrees(model, tmp_path / "run.proof", False)
    _agrees(model, tmp_path / "run.proof", True)


def test_simpler_forms_make_no_variables(tmp_path) -> None:
    """Neither the model's nor unknown ones: of quotients that cancel, and of the opposites of relations."""
    _agrees(random_model(772), tmp_path / "run.proof", False)
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    m += [(x[0] > 1).implies(x[1] + x[2] == 3), ~((x[0] == 0) & (x[1] < 2)), (x[1] == 1) | ~(x[2] > x[0])]
    m += Decreasing([6 // x[0], 6 // x[0] + x[1], 5])
    _agrees(m, tmp_path / "run.proof", False)


def test_a_wide_domain_is_not_gone_through(tmp_path) -> None:
    """Its truth excludes few values at once, of some 2^53."""
    _agrees(random_model(962), tmp_path / "run.proof", False)


def test_six_queens_are_all(tmp_path) -> None:
    place = tmp_path / "run.proof"
    assert queens(6).count(proof=place) == 4
    outcome = queens(6).enumerate(proof=place)
    assert str(check_proof(queens(6), place)).startswith("these 4 solutions are all")
    assert "presolve" in outcome.messages[-1]
    assert outcome.statistics["proof"]["lines"] == len(place.read_text().splitlines())


def test_an_optimum_and_several_objectives(tmp_path) -> None:
    m = Model()
    x = m.intvar(0, 9, shape=3, name="x")
    m += [AllDifferent(x), x.sum() >= 7, x[0] * x[1] <= 12]
    m.minimize(x.sum(), x[2])
    m.then_maximize(x[0])
    outcome = m.solve(proof=tmp_path / "run.proof")
    best = min((a + b + c, c, -a) for a, b, c in solve(m).rows)
    assert outcome.status == "OPTIMAL"
    assert outcome.objectives == (*best[:2], -best[2])
    assert check_proof(m, tmp_path / "run.proof").objectives == outcome.objectives


def test_pigeons_are_refuted_at_once(tmp_path) -> None:
    m = Model()
    m += AllDifferent(m.intvar(0, 10, shape=12))
    assert m.solve(proof=tmp_path / "run.proof").status == "INFEASIBLE"
    assert check_proof(m, tmp_path / "run.proof").steps < 10


def test_a_stopped_run_claims_nothing(tmp_path) -> None:
    place = tmp_path / "run.proof"
    outcome = queens(8).enumerate(proof=place, step_limit=20)
    assert not outcome.complete
    found = check_proof(queens(8), place)
    assert found.claim in ("solution", "nothing")
    assert not found.complete


def test_no_corrupted_proof_with_a_false_claim_is_believed(tmp_path) -> None:
    _corrupt(range(16), 9, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_no_false_claim_of_thousands_is_believed(tmp_path, part: int) -> None:
    """In all parts 5,000 proofs with a false claim, and 5,000 with a changed step."""
    false, changed = _corrupt(range(100 * part, 100 * (part + 1)), 16, tmp_path)
    assert false >= 500
    assert changed >= 500


def _corrupt(seeds, many: int, tmp_path) -> tuple[int, int]:
    """Corrupt proofs, or prove another model: what is believed must be true, and follow, by brute force.

    Return how many had a false claim, and how many a changed step.
    """
    false = changed = 0
    for seed in seeds:
        draw = random.Random(seed)
        model = random_model(seed)
        truth = solve(model)
        if truth.count > 60:
            continue
        best = model.objective is not None and seed % 2 == 0
        _, lines = proved(model, tmp_path / "run.proof", best)
        weaker = model.without([draw.randrange(len(model.constraints))]) if model.constraints else model
        for k in range(many):
            other = corrupted(lines, draw) if k % 2 else with_false_claim(model, lines, truth, draw)
            if other is None:
                continue
            believed = accepted(model, other, tmp_path / "other.proof")
            assert believed is None or is_true(believed, other, truth), (seed, k)
            assert believed is None or steps_follow(model, other, truth), (seed, k)
            changed += k % 2
            false += 1 - k % 2
        claim = [line for line in lines if not line.startswith("model")]
        believed = accepted(weaker, claim, tmp_path / "other.proof")
        false += 1
        assert believed is None or is_true(believed, claim, solve(weaker)), seed
    return false, changed


@each(
    "lines, why",
    [
        (["d 1 0>=1 : ", "end infeasible"], "line 2: the clauses named leave no contradiction"),
        (["i 1 c0 1>=2", "end infeasible"], "line 2: the clause is not seen to follow from c0"),
        (["i 1 c9 0>=1"], "line 2: 'c9' is not known by now: parts are named c3, c3.5, x12, or better"),
        (["s 1 3 3"], "line 2: no solution: "),
        (["s 1 0 1", "s 2 0 1"], "line 3: the same solution again"),
        (["o 0 1"], "line 2: an improvement where solutions are listed, or nothing is optimised"),
        (["s 1 0 1"], "line 2: the proof breaks off: its last line, end, is missing"),
        (["s 1 0 1", "end all 1"], "line 3: 'all 1' is claimed, what was derived is: solution"),
        (
            ["i 1 better 0>=1"],
            "line 2: 'better' is not known by now: parts are named c3, c3.5, x12, or better",
        ),
        (["x 1 2"], "line 2: 'x 1 2' is not a step"),
        (["i 1 c0 0>7"], "line 2: '0>7' is no literal such as 3>=5 or 3!=2"),
        (["model 3 1"], "line 2: variables and constraints: (2, 1) in this model, (3, 1) in the proof's"),
        (["f 3"], "line 2: there is no clause 3"),
        (["m 1 0<=1 : c0*-1", "end nothing"], "line 2: c0: <= 0 times -1 is not at most 0"),
        (["m 1 0<=1 : c0*--1"], "line 2: 'c0*--1' is no part or variable times a number, such as c3*2"),
        (["m 1 0<=1 : c0*" + "9" * 5000], "line 2: 'c0*99999"),
    ],
)
def test_a_step_that_is_not_believed_is_named(tmp_path_factory, lines: list[str], why: str) -> None:
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    m += x[0] + 1 <= x[1]
    place = tmp_path_factory.mktemp("steps") / "run.proof"
    place.write_text("\n".join(["cpqueens proof 1", *lines]) + "\n")
    with pytest.raises(BadProof) as raised:
        check_proof(m, place)
    assert str(raised.value).startswith(why)


@each(
    "lines",
    [
        ["i 1 c2 0>=2 1>=2", "i 2 c0 0<=1 1>=3", "d 3 1>=3 : 1 2", "end nothing"],  # says nothing yet
        ["i 1 c2 0>=2 1>=2", "d 2 : 1", "end infeasible"],
        ["i 1 c2 0>=2 1>=2", "d 2 0>=2 : 1", "end nothing"],
        ["m 1 1>=2 : c0", "end nothing"],
        ["m 1 1>=3 : c0*2 c1*-1", "end nothing"],
        ["o 3 3", "end solution"],
        ["o 1 2", "o 0 3", "end solution"],
        ["o 0 3", "o 1 3", "i 1 better 1<=0", "end nothing"],
        ["o 0 3", "i 1 better 0>=1 1<=1", "end nothing"],
        ["o 1 3", "i 1 better 1>=3", "end nothing"],
        ["o 0 3", "i 1 better 0<=0", "end nothing"],
    ],
)
def test_a_step_that_does_not_follow_is_not_believed(tmp_path_factory, lines: list[str]) -> None:
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    m += [x[0] < x[1], x[1] >= 1, x.sum() >= 3]
    m.minimize(x[1] - x[0])
    place = tmp_path_factory.mktemp("steps") / "run.proof"
    assert accepted(m, ["cpqueens proof 1", *lines], place) is None
    right = [
        "i 1 c2 0>=2 1>=2",
        "m 2 1>=1 : c0",
        "i 3 c0 0<=0 1>=2",
        "d 4 1>=2 : 3 1",
        "o 1 3",
        "i 5 better 0>=1 1<=1",
        "end nothing",
    ]
    assert accepted(m, ["cpqueens proof 1", *right], place) is not None


def test_one_wrong_solution_among_others_is_named(tmp_path) -> None:
    lines = ["cpqueens proof 1", "s 1 1 3 0 2", "s 2 0 1 2 3", "end nothing"]
    assert accepted(queens(4), lines, tmp_path / "run.proof") is None
    assert accepted(queens(4), [*lines[:2], *lines[3:]], tmp_path / "run.proof") is not None


def test_rows_are_added_up_with_their_multipliers(tmp_path) -> None:
    """Two rows that no bounds refute: the sum of both leaves nothing."""
    m = Model()
    x = m.intvar(0, 100, shape=2, name="x")
    m += [x[0] - x[1] >= 1, x[1] - x[0] >= 0]
    lines = ["cpqueens proof 1", "m 1 : c0*-1 c1*-1", "end infeasible"]
    assert str(accepted(m, lines, tmp_path / "run.proof")).startswith("there is no solution")
    assert accepted(m, ["cpqueens proof 1", "m 1 : c0*-1", "end infeasible"], tmp_path / "run.proof") is None


DEFINING = [
    "cpqueens proof 1",
    "n 3 0 1 2*1 : 0",  # the sum of three
    "n 4 3*2 0*-1 : 1",
    "i 1 x3 3>=4 0<=2 1<=2 2<=2",
    "m 2 3>=2 : c1*-1 x3",
    "i 3 x4 4>=2",
    "i 4 x3 3<=2 0>=1 1>=1 2>=1",
    "n 5 0 1*-1 : 0",  # of which c0 says that it is less than 0
    "i 5 c0 5<=-1",
    "s 6 0 1 2",
    "end solution",
]


def _defining() -> Model:
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    return m.add(x[0] < x[1], x.sum() >= 2, AllDifferent(x)) or m


def test_a_new_variable_is_a_sum_of_earlier_ones(tmp_path) -> None:
    m, place = _defining(), tmp_path / "run.proof"
    assert accepted(m, DEFINING, place) is not None
    assert steps_follow(m, DEFINING, solve(m))


@each(
    "line, other",
    [
        (1, "n 4 0 1 2 : 0"),  # not the next one
        (1, "n 3 0 1 3 : 0"),  # rests on itself
        (1, "n 3 0 1 7 : 0"),
        (1, "n 3 0 1 c0 : 0"),
        (1, "n 3 0 1 2"),
        (1, "n 3 0*100000000000000000 1*100000000000000000 2*999999999999999999 : 0"),
        (1, "n 3 0 1 2 : -9"),
        (1, "n 3 0 1 2*-1 : 0"),
        (2, "# no 4"),
        (3, "i 1 x3 3>=4 0<=2"),
        (3, "i 1 x3 3<=4 0<=2 1<=2 2<=2"),
        (4, "m 2 3>=3 : c1*-1 x3"),
        (4, "m 2 3>=2 : c1*-1 x3*-1"),
        (5, "i 3 x4 4>=3"),
        (8, "i 5 c0 5<=-2"),
    ],
)
def test_a_new_variable_is_nothing_else(tmp_path_factory, line: int, other: str) -> None:
    lines = [*DEFINING[:line], other, *DEFINING[line + 1 :]]
    assert accepted(_defining(), lines, tmp_path_factory.mktemp("new") / "run.proof") is None


def test_corrupted_definitions_conclude_nothing_false(tmp_path) -> None:
    m, draw = _defining(), random.Random(0)
    truth = solve(m)
    for _ in range(400):
        lines = corrupted(DEFINING, draw)
        believed = accepted(m, lines, tmp_path / "run.proof")
        assert believed is None or steps_follow(m, lines, truth), lines


def test_what_is_not_taken_beside_a_proof(tmp_path) -> None:
    m = queens(4)
    place = tmp_path / "run.proof"
    with pytest.raises(UnsupportedRequest, match="or by cpmpy:pumpkin, not by other solvers"):
        m.solve(solver="cpsat", proof=place)
    with pytest.raises(UnsupportedRequest, match="'hint' cannot be combined"):
        m.solve(hint={"q": [0, 1, 2, 3]}, proof=place)
    with pytest.raises(ModelError, match="the name of a file"):
        m.solve(proof=3)
    with pytest.raises(ModelError, match="cannot be written"):
        m.solve(proof=tmp_path / "none" / "run.proof")
    assert not place.exists()


def test_the_checker_imports_no_solver() -> None:
    """The statement, what its kinds mean, and the checker of solutions: nothing that searches or lowers."""
    allowed = ("errors", "text", "language", "answers.check", "proofs")
    for path in Path(cpqueens.proofs.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("cpqueens"):
                assert str(node.module)[9:].startswith(allowed), (path.name, node.module)


def test_a_cross_check_has_evidence_of_level_0(tmp_path) -> None:
    report = cross_check(queens(4), ["backtracking:check"], proof=True)
    assert report.verdict.evidence is Evidence.PROOF
    assert "each checked by cpqueens.proofs" in report.verdict.reason
    assert report["proof"].evidence is Evidence.PROOF


def test_the_command_line_writes_and_checks_proofs(tmp_path) -> None:
    place = str(tmp_path / "run.proof")
    assert run("count", "queens", "n=5", "--proof", place).exit_code == 0
    believed = run("check-proof", "queens", "n=5", place)
    assert believed.exit_code == 0
    assert "these 10 solutions are all" in believed.output
    assert "evidence   0" in believed.output
    wrong = run("check-proof", "queens", "n=6", place)
    assert wrong.exit_code == 10
    assert (
        "not believed: line 2: variables and constraints: (6, 3) in this model, (5, 3) in the" in wrong.output
    )
    assert run("check-proof", "queens", "n=5", str(tmp_path / "none")).exit_code == 2
    assert run("solve", "queens", "n=5", "--solver", "cpsat", "--proof", place).exit_code == 20
    stopped = run("enumerate", "queens", "n=8", "--step-limit", "9", "--proof", place)
    assert stopped.exit_code == 3
    said = json.loads(run("check-proof", "queens", "n=8", place, "--json").output)
    assert said["believed"]
    assert not said["complete"]
