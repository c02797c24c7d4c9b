"""Candidates are judged right: wrong models as people write them, files of all kinds, bad programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from judged_pairs import PAIRS
from seeds import LONG
from written_blind import TASKS
from wrong_models import PROBLEMS

import cpqueens
from cpqueens import Model
from cpqueens.cli.main import main
from cpqueens.crosscheck import oracle
from cpqueens.crosscheck.judge import Judged, judge, read_apart
from cpqueens.errors import ModelError


def made(text: str) -> Model:
    m = Model("made")
    space = {
        name: getattr(cpqueens, name) for name in ("AllDifferent", "NoOverlap", "maximum", "minimum")
    } | {"m": m, "np": np}
    exec(compile(text, "candidate.py", "exec"), space)
    return m


def test_wrong_models_are_told_apart() -> None:
    wrong = [
        (name, old, new, expected, judge(made(text), made(text.replace(old, new)), time_limit=60))
        for name, (text, changes) in PROBLEMS.items()
        for old, new, expected in changes
        if old in text
    ]
    assert len(wrong) == sum(len(changes) for _, changes in PROBLEMS.values()) >= 60
    assert [(*case, str(found)) for *case, expected, found in wrong if found.verdict != expected] == []
    for *_, found in wrong:
        assert len(found.reasons) >= (found.verdict is not Judged.EQUAL)
    texts = [reason for *_, found in wrong if found.verdict == Judged.TOO_WEAK for reason in found.reasons]
    assert all("lets this through" in text and "breaks" in text for text in texts)
    for name, (text, _) in PROBLEMS.items():
        assert judge(made(text), made(text), time_limit=60).verdict is Judged.EQUAL, name


def test_a_witness_names_the_line_that_it_breaks() -> None:
    text = PROBLEMS["sequence"][0]
    found = judge(made(text), made(text.replace("m.add(x.sum() == 10)\n", "")))
    assert "candidate.py:5" in found.reasons[0]
    ((values, accepted),) = found.witnesses
    assert accepted
    assert sum(values.values()) != 10


def test_verdicts_are_those_that_a_stranger_meant() -> None:
    """Sixty candidates, of which each run judges a part and ``make test-slow`` all."""
    meant = [(name, reference, *one) for name, (reference, those) in TASKS.items() for one in those]
    assert len(meant) == 60
    assert sum(label != "equal" for *_, label in meant) == 45
    wrong = []
    for name, reference, candidate, label in meant[:: 1 if LONG else 4]:
        models: list[dict[str, Any]] = [{}, {}]
        for space, text in zip(models, (reference, candidate), strict=True):
            exec(compile(text, "candidate.py", "exec"), space)
        found = judge(models[0]["m"], models[1]["m"], time_limit=60)
        if found.verdict != label:
            wrong.append((name, candidate, label, str(found)))
    assert wrong == []


CANDIDATE = """
from cpqueens import Model

def candidate(n: int = 3) -> Model:
    m = Model()
    x = m.intvar(0, n, name="{name}")
    m.add(x {relation} 2)
    return m
"""


def test_candidates_of_a_folder_are_judged_one_by_one(tmp_path: Path) -> None:
    reference = tmp_path / "reference.py"
    reference.write_text(CANDIDATE.format(name="x", relation="<="))
    folder = tmp_path / "candidates"
    folder.mkdir()
    texts = {
        "a_right": CANDIDATE.format(name="x", relation="<="),
        "b_weak": CANDIDATE.format(name="x", relation="<=  1 +"),
        "c_strong": CANDIDATE.format(name="x", relation="<"),
        "d_raises": "raise RuntimeError('broken\\nhere')",
        "e_prints": "print('[]' * 9)\n" + CANDIDATE.format(name="x", relation="<="),
        "f_dies": "import os\nos._exit(3)",
    }
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    (folder / "g_bad.json").write_text("{")
    result = CliRunner().invoke(main, ["judge", f"{reference}:candidate", str(folder), "--json"])
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    found = {Path(one["candidate"]).stem: one["verdict"] for one in document["candidates"]}
    assert found == {
        "a_right": "equal", "b_weak": "too weak", "c_strong": "too strong", "d_raises": "unreadable",
        "e_prints": "equal", "f_dies": "unreadable", "g_bad": "unreadable",
    }  # fmt: skip
    assert all("\n" not in reason for one in document["candidates"] for reason in one["reasons"])
    other = tmp_path / "other.py"
    other.write_text(CANDIDATE.format(name="y", relation="<="))
    arguments = ["judge", f"{reference}:candidate", f"{other}:candidate", "--set", "n=4"]
    assert CliRunner().invoke(main, arguments).exit_code == 1  # they share no name
    mapped = CliRunner().invoke(main, [*arguments, "--map", "x=y"])
    assert (mapped.exit_code, mapped.stdout.splitlines()) == (0, [f"{other}:candidate: equal"])


def test_a_candidate_that_never_ends_is_ended(tmp_path: Path) -> None:
    endless = tmp_path / "endless.py"
    endless.write_text("while True:\n    pass\n")
    with pytest.raises(ModelError, match="no model within 1 s"):
        read_apart(str(endless), [], seconds=1.0)


def test_what_is_not_decided_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from cpqueens.crosscheck import judge as judging
    from cpqueens.crosscheck.two_models import Difference, ModelComparison, ModelRelation

    def judged(verdict: ModelRelation, *differences: Difference, **more: object) -> judging.Assessment:
        found = ModelComparison(verdict, ("x",), differences, {}, **more)  # type: ignore[arg-type]
        monkeypatch.setattr(judging, "compare", lambda *_models, **_options: found)
        return judge(Model(), Model())

    lets = Difference({"x": 1}, "b", "a", ("x == 0",))
    assert len(judged(ModelRelation.A_IN_B, lets).reasons) == 1
    both = judged(ModelRelation.DIFFERENT, lets)
    assert (both.verdict, both.exit_code) == (Judged.TOO_WEAK, 1)
    assert "also refuses something wrongly was not decided" in both.reasons[1]
    assert judged(ModelRelation.NO_DIFFERENCE_FOUND).verdict is Judged.UNDECIDED
    assert judged(ModelRelation.EQUAL, objectives=(True, True)).verdict is Judged.UNDECIDED
    assert judged(ModelRelation.EQUAL, objectives=(True, False)).verdict is Judged.WRONG_OBJECTIVE


def label_of(reference: str, candidate: str) -> str:
    """Return the right verdict, by all assignments of both texts."""
    models = made(reference), made(candidate)
    solved = [oracle.solve(model) for model in models]
    names = [[model.name_of(v) for v in model.decisions] for model in models]
    shared = [[own.index(name) for name in names[0]] for own in names]

    def rows(which: int, chosen: Any = slice(None)) -> set[tuple[int, ...]]:
        return {tuple(row) for row in solved[which].solutions[:, shared[which]][chosen].tolist()}

    ours, theirs = rows(0), rows(1)
    if ours != theirs:
        weak, strong = bool(theirs - ours), bool(ours - theirs)
        return "too weak and too strong" if weak and strong else "too weak" if weak else "too strong"
    optima = [found.optimum for found in solved]
    if optima[0] is None and optima[1] is None:
        return "equal"
    if None in optima or optima[0] != optima[1]:
        return "wrong objective"
    best = [rows(k, found.objectives == found.optimum) for k, found in enumerate(solved)]
    return "equal" if best[0] == best[1] else "wrong objective"


def test_verdicts_are_those_that_all_assignments_give() -> None:
    labels, wrong = [], []
    for name, (reference, candidates) in PAIRS.items():
        for k, candidate in enumerate(candidates):
            labels.append(label_of(reference, candidate))
            found = judge(made(reference), made(candidate), time_limit=60)
            if found.verdict != labels[-1]:
                wrong.append((name, k, labels[-1], str(found)))
    assert wrong == []
    assert len(labels) >= 30
    assert min(labels.count(label) for label in set(labels)) >= 3
    assert len(set(labels)) == 5  # each verdict that can be proved
