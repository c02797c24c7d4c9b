"""CP-SAT without OR-Tools' modelling layer: what is imported, stops from another thread, invalid models."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest
from cpqueens.models.golomb_ruler import golomb_ruler

from cpqueens.backends.cpsat.native import Solver, invalid, new_proto
from cpqueens.backends.cpsat.translation import translate

RUN = """
import sys
from cpqueens.models.queens import queens
assert queens(8).count("cpsat") == 92
m = queens(8)
m.minimize(m["q"][0] + m["q"][1])
assert m.solve("cpsat", num_workers=1).objective == 2
print([name for name in ("pandas", "ortools.sat.python.cp_model") if name in sys.modules])
"""


def test_solving_imports_neither_pandas_nor_the_modelling_layer() -> None:
    done = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_stop_from_another_thread_ends_the_search() -> None:
    solver = Solver()
    solver.stop_search()  # nothing runs: nothing happens
    timer = threading.Timer(0.2, solver.stop_search)
    timer.start()
    assert solver.solve(translate(golomb_ruler(13)).proto) in ("FEASIBLE", "UNKNOWN")
    timer.join()


def test_an_invalid_model_is_said_to_be_so() -> None:
    proto = new_proto()
    assert invalid(proto) == ""
    assert proto.merge_text_format("variables { domain: 3 domain: 1 }")
    assert "domain" in invalid(proto)
    assert Solver().solve(new_proto(proto)) == "MODEL_INVALID"


@pytest.mark.parametrize("stated", ["", "variables { domain: 0 domain: 1 }"])
def test_a_copy_is_another_model(stated: str) -> None:
    proto = new_proto()
    assert proto.merge_text_format(stated)
    copy = new_proto(proto)
    assert copy.merge_text_format("variables { domain: 0 domain: 1 }")
    assert len(copy.variables) == len(proto.variables) + 1
