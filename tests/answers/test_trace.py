"""Recorded states: all of them can be rebuilt, and thinning loses none of those that are left."""

import numpy as np
import pytest

from cpqueens.answers.trace import EVENTS, UNSET, Trace, TraceRecorder

KINDS = list(EVENTS)


def recorded(
    seed: int, room: int, events: int
) -> tuple[Trace, list[np.ndarray], list[np.ndarray], list[str]]:
    """Return a trace of a random walk, with all states, flags and kinds that it was shown."""
    generator = np.random.default_rng(seed)
    recorder = TraceRecorder([f"x[{k}]" for k in range(5)], room)
    values, flags = generator.integers(0, 3, 5), np.ones(6, dtype=bool)
    recorder.begin(values, 7, (np.zeros((6, 2), dtype=np.int64), flags))
    states, shown, kinds = [values.copy()], [flags.copy()], [""]
    for step in range(events):
        values = values.copy()
        values[generator.integers(0, 5, 2)] = generator.choice([0, 1, 2, UNSET], 2)
        flags = flags ^ (generator.random(6) < 0.3)
        kinds.append(str(generator.choice(KINDS)))
        recorder.show(kinds[-1], step, values, step % 4, None, flags)
        states.append(values)
        shown.append(flags)
    trace = recorder.trace()
    assert trace is not None
    return trace, states, shown, kinds


@pytest.mark.parametrize(("room", "thinning"), [(100, 1), (16, 4), (7, 8), (1, 32)])
def test_every_state_is_rebuilt(room: int, thinning: int) -> None:
    for seed in range(20):
        trace, states, shown, kinds = recorded(seed, room, 37)
        assert (trace.thinning, trace.cost) == (thinning, 7)
        kept = [*range(0, 37, thinning), *([] if 37 % thinning == 0 else [37])]
        kept = sorted({0, *kept, 37})
        rebuilt = list(trace.states())
        assert len(rebuilt) == len(kept) == len(trace) + 1
        flags = np.ones(6, dtype=bool)
        for k, (end, state) in enumerate(zip(kept, rebuilt, strict=True)):
            assert (state == states[end]).all()
            assert (trace.state(k) == state).all()
            if k:
                flags[trace.toggled[trace.first_toggled[k - 1] : trace.first_toggled[k]]] ^= True
                merged = kinds[kept[k - 1] + 1 : end + 1]
                assert (trace.kinds[k - 1], trace.steps[k - 1]) == (max(merged, key=KINDS.index), end - 1)
            assert (flags == shown[end]).all()


def test_rows_name_what_changed() -> None:
    recorder = TraceRecorder(["a", "b"], 10)
    recorder.begin(np.array([1, UNSET]), None)
    recorder.show("place", 1, np.array([2, 5]), None, 0.5, lead=1)
    recorder.show("tabu", 2, np.array([2, 5]), 3)
    trace = recorder.trace()
    assert trace is not None
    rows = [(r.event, r.step, r.kind, r.variable, r.old, r.new, r.cost, r.temperature) for r in trace.rows()]
    assert rows == [
        (1, 1, "place", "b", None, 5, None, 0.5),
        (1, 1, "place", "a", 1, 2, None, 0.5),
        (2, 2, "tabu", None, None, None, 3, None),
    ]
    with pytest.raises(IndexError, match="there are 2 events"):
        trace.state(3)


def test_a_smaller_model_is_translated() -> None:
    """As where local search goes on without the variables that others determine."""
    recorder = TraceRecorder(["a", "sum"], 10)
    recorder.begin(np.array([1, 5]), 3)
    recorder.translate(lambda x: np.array([x[0], 2 * x[0]]), 40)
    recorder.show("restart", 0, np.array([4]), 2)
    recorder.show("move", 1, np.array([6]), 0)
    trace = recorder.trace()
    assert trace is not None
    assert [state.tolist() for state in trace.states()] == [[1, 5], [4, 8], [6, 12]]
    assert trace.steps.tolist() == [40, 41]


def test_nothing_shown_is_no_trace() -> None:
    assert TraceRecorder(["a"], 10).trace() is None
