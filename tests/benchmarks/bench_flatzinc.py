"""How fast FlatZinc is read, and in how much memory: a generated file of many relations and clauses.

python tests/benchmarks/bench_flatzinc.py [MEGABYTES]
"""

from __future__ import annotations

import argparse
import random
import resource
import time

import kept

from cpqueens import from_flatzinc


def generated(megabytes: float) -> str:
    """Return a text of about so many million bytes: sums, reified relations that define truths, clauses."""
    source, size = random.Random(0), int(megabytes * 3064)
    lines = [f"var 0..9: x{k} :: output_var;" for k in range(size)]
    lines += [f"var bool: b{k} :: var_is_introduced :: is_defined_var;" for k in range(size)]
    for k in range(size):
        a, b, c, d = (source.randrange(size) for _ in range(4))
        lines.append(f"constraint int_lin_le_reif([1,-1],[x{a},x{b}],{c % 9},b{k}) :: defines_var(b{k});")
        lines.append(f"constraint bool_clause([b{k},b{c}],[b{d}]);")
        lines.append(f"constraint int_lin_le([2,3,-1,1],[x{a},x{b},x{c},x{d}],{20 + c % 20});")
        lines.append(f"constraint int_ne(x{a},x{d});")
    return "\n".join([*lines, "solve satisfy;"]) + "\n"


def main() -> None:
    """Print megabytes per second of processor time, and memory."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("megabytes", type=float, nargs="?", default=50.0)
    kept.recording(parser)
    text = generated(parser.parse_args().megabytes)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    started = time.process_time()
    model = from_flatzinc(text).model
    spent = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    size = len(text) / 1e6
    print(f"{size:.1f} MB, {model.scope_text()}")
    print(f"{spent:.1f} s, {size / spent:.2f} MB/s")
    print(f"memory: {peak:.0f} MB at its peak, {before:.0f} MB of them before reading")
    told = {"processor s": spent, "MB/s": size / spent, "MB of memory": peak - before}
    kept.keep_cells("FlatZinc read", f"{size:.0f} MB of text", told)


if __name__ == "__main__":
    main()
