"""A function around a kernel that takes all arguments as one array of words, see `signatures`."""

from collections import namedtuple
from typing import Any

from numba.core import types as numba_types
from numba.extending import intrinsic
from numba.np import arrayobj as numba_arrays

types: Any = numba_types  # most of both have no annotations
arrays: Any = numba_arrays
_RECORDS: dict[tuple[str, ...], Any] = {}
"""Named tuples by names and fields: of another class, all that takes one would be compiled again."""


def _view(array_type: Any) -> Any:
    """Return an instruction that makes an array of an address and lengths, without counting references."""

    def view(typing_context: Any, words: Any, place: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            def word(k: int) -> Any:
                index = builder.add(arguments[1], context.get_constant(types.int64, k))
                return builder.load(builder.gep(arguments[0], [index]))

            array = arrays.make_array(array_type)(context, builder)
            data = builder.inttoptr(word(0), array.data.type)
            size = context.get_abi_sizeof(context.get_data_type(array_type.dtype))
            item = context.get_constant(types.intp, size)
            shape = [word(k + 1) for k in range(array_type.ndim)]
            strides = [item]
            for length in shape[:0:-1]:
                strides.insert(0, builder.mul(strides[0], length))
            arrays.populate_array(array, data=data, shape=shape, strides=strides, itemsize=item, meminfo=None)
            return array._getvalue()

        return array_type(words, types.int64), generate

    return intrinsic(view)


def _bits_of_double() -> Any:
    """Return an instruction that gives the bits of a float64 as an int64, and one for the other way."""

    def cast(to: Any) -> Any:
        def bits(typing_context: Any, value: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                return builder.bitcast(arguments[0], context.get_value_type(to))

            return to(value), generate

        return intrinsic(bits)

    return cast(types.int64), cast(types.float64)


class Wrapper:
    """A function that takes one array of words, calls a kernel and writes its result behind them."""

    def __init__(self, signature: str) -> None:
        self.waiting = signature.split()
        self.names: dict[str, Any] = {}
        self.places = 0
        self.bits, self.double = _bits_of_double()
        self.arguments: list[tuple[str, Any]] = []  # expression and type
        while self.waiting:
            self.arguments.append(self._argument(self.waiting.pop(0)))

    def _argument(self, kind: str) -> tuple[str, Any]:
        if kind == "none":
            return "None", types.none
        if kind.endswith(")"):
            return self._tuple(kind)
        place = self.places
        if kind.endswith("]"):
            name, dimensions = kind[:-1].split("[")
            array = types.Array(getattr(types, name), int(dimensions), "C")
            self.places += 1 + array.ndim
            return f"{self._name(_view(array))}(words, {place})", array
        self.places += 1
        if kind == "float64":
            return f"{self._name(self.double)}(words[{place}])", types.float64
        if kind == "bool":
            return f"(words[{place}] != 0)", types.boolean
        number = getattr(types, kind)
        return f"{self._name(number)}(words[{place}])", number

    def _tuple(self, kind: str) -> tuple[str, Any]:
        name, _, rest = kind[:-1].partition("(")
        fields = rest.split(",") if name else []
        parts = [self._argument(self.waiting.pop(0)) for _ in (fields if name else range(int(rest)))]
        expressions = "".join(f"{expression}, " for expression, _ in parts)
        kinds = [part for _, part in parts]
        if not name:
            return f"({expressions})", types.BaseTuple.from_types(kinds)
        record = _RECORDS.setdefault((name, *fields), namedtuple(name, fields))
        uniform = len(set(kinds)) == 1
        of = types.NamedUniTuple(kinds[0], len(kinds), record) if uniform else types.NamedTuple(kinds, record)
        return f"{self._name(record)}({expressions})", of

    def _name(self, value: Any) -> str:
        name = f"given{len(self.names)}"
        self.names[name] = value
        return name

    def function(self, kernel: Any, result: Any) -> Any:
        """Return the wrapper in Python; ``results`` are the types of the numbers that it writes."""
        several = isinstance(result, types.BaseTuple)
        parts = [] if result is types.none else list(result) if several else [result]
        self.results = ["bool" if part is types.boolean else str(part) for part in parts]
        lines = [f"result = kernel({', '.join(expression for expression, _ in self.arguments)})"]
        for k, kind in enumerate(self.results):
            value = f"result[{k}]" if several else "result"
            taken = f"{self._name(self.bits)}({value})" if kind == "float64" else f"int64({value})"
            lines.append(f"words[{self.places + k}] = {taken}")
        text = "def wrapper(words):\n" + "".join(f"    {line}\n" for line in lines)
        names = {**self.names, "kernel": kernel, "int64": types.int64}
        exec(text, names)
        return names["wrapper"]
