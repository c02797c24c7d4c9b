"""LLVM code of the instruction in `apart`, for Numba."""

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types

from cpqueens.kernels.jit.instructions_code import WORD

_MORE = 3  # words behind the arguments: the result, and two that Numba's convention wants


def run_apart(typing_context: Any, m: Any, p: Any, address: Any) -> Any:
    """Write the instruction of this name: what `loading` does, with the words of the arguments."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        parts = []
        for k, kind in enumerate(signature.args[0].types):
            array = context.make_array(kind)(context, builder, builder.extract_value(arguments[0], k))
            parts += [builder.ptrtoint(array.data, WORD), builder.extract_value(array.shape, 0)]
        parts.append(arguments[1])
        result = len(parts)
        words = cgutils.alloca_once(builder, WORD, size=result + _MORE)

        def place(k: int) -> Any:
            return builder.gep(words, [WORD(k)])

        for k, part in enumerate(parts):
            builder.store(part, place(k))
        pointer = WORD.as_pointer()
        kind = ir.FunctionType(ir.IntType(32), [pointer, pointer, pointer])
        function = builder.inttoptr(arguments[2], kind.as_pointer())
        builder.call(function, [place(result + 1), place(result + 2), words])
        return builder.load(place(result))

    return types.int64(m, types.int64, types.int64), generate
