"""The models of a run: determined by seed and number, of all classes, and few draws are thrown away."""

from __future__ import annotations

from cpqueens.crosscheck import oracle
from cpqueens.files.modelfile import dump_model
from cpqueens.fuzzing.findings import BLOCK, CLASSES, Quota, class_of, fuzz_model


def test_models_are_determined_by_seed_and_number() -> None:
    upwards, downwards = Quota(3, 1, huge=False), Quota(3, 1, huge=False)
    numbers = [index for index in range(BLOCK, 2 * BLOCK) if index % 10 != 9]
    first = {index: dump_model(upwards.at(index)[0]) for index in numbers}
    second = {index: dump_model(downwards.at(index)[0]) for index in reversed(numbers)}
    assert first == second
    assert first == {index: dump_model(fuzz_model(3, index)[0]) for index in numbers}
    assert len(set(first.values())) > BLOCK // 2
    assert first[BLOCK] != dump_model(fuzz_model(4, BLOCK)[0])
    assert first[BLOCK] != dump_model(fuzz_model(3, 2 * BLOCK)[0])


def test_a_third_of_the_models_is_infeasible_a_third_has_few_solutions() -> None:
    kinds = [fuzz_model(0, index)[1] for index in range(90)]
    for kind in CLASSES:
        assert 0.25 <= kinds.count(kind) / len(kinds) <= 0.42


def test_class_and_truth_are_those_of_the_model() -> None:
    for index in range(2 * BLOCK):
        model, kind, truth, _ = fuzz_model(6, index)
        assert truth.count == oracle.solve(model).count
        assert kind == class_of(truth.count)
        assert kind in CLASSES


def test_few_draws_are_thrown_away() -> None:
    block = Quota(1, 0, huge=False)
    numbers = [index for index in range(BLOCK) if index % 10 != 9]
    for index in numbers:
        block.at(index)
    assert len(numbers) <= block.draws < 2.5 * len(numbers)


def test_a_class_that_never_comes_is_given_up(monkeypatch) -> None:
    monkeypatch.setattr("cpqueens.fuzzing.findings.class_of", lambda count: "few")
    block = Quota(1, 0, huge=False)
    assert {block.at(index)[1] for index in range(2)} == {"few"}
