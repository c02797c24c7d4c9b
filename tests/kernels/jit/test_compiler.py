"""What is done to machine code between Numba and the optimiser."""

from __future__ import annotations

import llvmlite.binding as llvm

from cpqueens.kernels.jit.compiler import keep_inside

TEXT = """
declare i64 @elsewhere(i64)
define i64 @inner(i64 %read, i64 %unread) {
  %result = add i64 %read, 1
  ret i64 %result
}
define i64 @entered(i64 %word) {
  %result = call i64 @inner(i64 %word, i64 %word)
  ret i64 %result
}
"""


def test_only_the_entry_can_be_called_from_outside() -> None:
    module = llvm.parse_assembly(TEXT)
    keep_inside(module, "entered")
    linkages = {function.name: function.linkage.name for function in module.functions}
    assert linkages == {"elsewhere": "external", "inner": "internal", "entered": "external"}
