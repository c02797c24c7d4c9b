"""CP-SAT's models here: random ones of every kind of constraint against CP-SAT's own enumeration."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from seeds import sweep

from cpqueens import ModelError, from_cpsat
from cpqueens.exchange.cpsat import _KINDS

cp_model = pytest.importorskip("ortools.sat.python.cp_model", reason="OR-Tools is not installed")
pb = pytest.importorskip("ortools.sat.cp_model_pb2")

NUMBERS, TRUTHS = (0, 1, 2), (3, 4, 5)  # the variables of a random model


class Draw:
    """Texts of random parts of a protocol buffer."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def numbers(self, count: int, low: int = -2, high: int = 3) -> str:
        return "[" + ",".join(str(self.random.randint(low, high)) for _ in range(count)) + "]"

    def affine(self, least: int | None = None) -> str:
        """One of the numbers times 1 or -1 and a constant; at least ``least`` if that is asked for."""
        if least is not None:
            return f"vars:{self.random.choice(NUMBERS[:2])} coeffs:1 offset:{least}"
        if self.random.random() < 0.15:
            return f"offset:{self.random.randint(-2, 3)}"
        variable, factor = self.random.choice(NUMBERS), self.random.choice((1, 1, -1, 2))
        return f"vars:{variable} coeffs:{factor} offset:{self.random.randint(-1, 1)}"

    def affines(self, name: str, count: int, **least: Any) -> str:
        return "".join(f"{name}{{{self.affine(**least)}}}" for _ in range(count))

    def literals(self, least: int = 1, most: int = 3) -> str:
        chosen = [self.random.choice(TRUTHS) for _ in range(self.random.randint(least, most))]
        return "literals:[" + ",".join(str(self.random.choice((v, -v - 1))) for v in chosen) + "]"

    def intervals(self, count: int) -> str:
        """Intervals of which the second one may be absent."""
        made = ""
        for k in range(count):
            start, size, end = self.affine(), "vars:0 coeffs:1", "vars:2 coeffs:1"
            if self.random.random() < 0.7:
                length = self.random.randint(0, 2)
                head, _, shift = start.rpartition("offset:")
                size, end = f"offset:{length}", f"{head}offset:{int(shift) + length}"
            under = f"enforcement_literal:{self.random.choice(TRUTHS)}" if k == 1 else ""
            made += f"constraints{{{under} interval{{start{{{start}}}size{{{size}}}end{{{end}}}}}}}"
        return made

    def arcs(self, nodes: int) -> str:
        pairs = [(a, b) for a in range(nodes) for b in range(nodes) if (a, b) != (0, 0)]
        chosen = self.random.sample(pairs, self.random.randint(nodes, len(pairs)))
        for node in range(nodes):  # each has an arc
            if all(node not in pair for pair in chosen):
                chosen.append((node, (node + 1) % nodes))
        tails, heads = (",".join(str(pair[k]) for pair in chosen) for k in (0, 1))
        found = f"literals:[{','.join(str(self.random.choice((3, 4, 5, -4, -5))) for _ in chosen)}]"
        return f"tails:[{tails}]heads:[{heads}]{found}"

    def index(self) -> str:
        return f"linear_index{{{self.affine()}}}linear_target{{{self.affine()}}}"


KINDS: dict[str, Callable[[Draw], str]] = {
    "linear": lambda d: (
        f"vars:[0,1,2,0]coeffs:{d.numbers(4)}domain:[-3,-1,1,1,{d.random.choice(('3,4', '5,9'))}]"
    ),
    "bool_or": lambda d: d.literals(0),
    "bool_and": lambda d: d.literals(0, 2),
    "all_diff": lambda d: d.affines("exprs", d.random.randint(0, 4)),
    "at_most_one": lambda d: d.literals(0),
    "automaton": lambda d: (
        "starting_state:0 final_states:[1,2]"
        "transition_tail:[0,0,1,1,2]transition_label:[0,1,1,2,-1]transition_head:[0,1,2,0,2]"
        + d.affines("exprs", d.random.randint(0, 3))
    ),
    "bool_xor": lambda d: d.literals(0),
    "circuit": lambda d: d.arcs(d.random.randint(2, 3)),
    "cumulative": lambda d: (
        "intervals:[0,1]" + d.affines("demands", 2, least=0) + f"capacity{{{d.affine(least=1)}}}"
    ),
    "element": lambda d: d.index() + d.affines("exprs", d.random.randint(1, 3)),
    "exactly_one": lambda d: d.literals(0),
    "int_div": lambda d: f"target{{{d.affine()}}}{d.affines('exprs', 1)}{d.affines('exprs', 1, least=1)}",
    "int_mod": lambda d: f"target{{{d.affine()}}}{d.affines('exprs', 1)}{d.affines('exprs', 1, least=1)}",
    "int_prod": lambda d: f"target{{{d.affine()}}}{d.affines('exprs', d.random.randint(0, 3))}",
    "interval": lambda d: f"start{{{d.affine()}}}size{{{d.affine(least=0)}}}end{{{d.affine()}}}",
    "inverse": lambda d: "f_direct:[0,1]f_inverse:" + d.random.choice(("[2,3]", "[1,0]", "[3,2]")),
    "lin_max": lambda d: f"target{{{d.affine()}}}{d.affines('exprs', d.random.randint(0, 3))}",
    "no_overlap": lambda d: "intervals:[0,1,2]",
    "no_overlap_2d": lambda d: "x_intervals:[0,1]y_intervals:[2,0]",
    "reservoir": lambda d: (
        f"min_level:-1 max_level:1 {d.affines('time_exprs', 3)}"
        f"level_changes{{offset:1}}level_changes{{offset:-2}}level_changes{{{d.affine()}}}"
        + d.random.choice(("", "active_literals:[3,-4,5]"))
    ),
    "routes": lambda d: d.arcs(d.random.randint(2, 3)),
    "table": lambda d: (
        f"values:{d.numbers(8)}{d.affines('exprs', 2)}" + d.random.choice(("", "negated:true"))
    ),
}
"""What a random constraint of each kind says; those over intervals come behind three of them."""

BEHIND_INTERVALS = ("cumulative", "no_overlap", "no_overlap_2d")


def random_model(seed: int, *kinds: str) -> Any:
    draw = Draw(seed)
    text = "variables{name:'n[0]' domain:[0,2]}variables{name:'n[1]' domain:[0,1,3,3]}"
    text += "variables{name:'last' domain:[-1,2]}" + "variables{name:'b' domain:[0,1]}" * len(TRUTHS)
    if set(kinds) & set(BEHIND_INTERVALS):
        text += draw.intervals(3)
    for kind in kinds:
        under = draw.random.choice(("", "", "enforcement_literal:5 ", "enforcement_literal:[5,-4] "))
        text += f"constraints{{name:'one' {under}{kind}{{{KINDS[kind](draw)}}}}}"
    model = cp_model.CpModel()
    model.proto.parse_text_format(text)
    return model


def every_solution(model: Any) -> set[tuple[int, ...]]:
    """All solutions by CP-SAT, without the presolve that 9.15 may lose some in."""
    found: set[tuple[int, ...]] = set()

    class Callback(cp_model.CpSolverSolutionCallback):  # type: ignore[misc,name-defined]
        def on_solution_callback(self) -> None:
            found.add(tuple(self.response_proto.solution))

    solver = cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.cp_model_presolve = False
    assert solver.solve(model, Callback()) in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
    return found


def check(model: Any) -> int:
    """Compare all solutions here and there; return how many there are.

    OR-Tools 9.15 loses some where what is enforced has the same variable twice, or no terms; of these it is
    asked one by one.
    """
    imported = from_cpsat(model)
    outcome = imported.model.enumerate(solver="backtracking")
    assert outcome.complete
    ours = {tuple(imported.values(solution).values()) for solution in outcome.solutions}
    theirs = every_solution(model)
    assert theirs <= ours, str(model.proto)
    for values in ours - theirs:
        assert not imported.write(dict(zip(imported.names, values, strict=True))), str(model.proto)
    return len(ours)


def test_every_kind_is_drawn() -> None:
    assert KINDS.keys() == _KINDS.keys()


@pytest.mark.parametrize("kind", KINDS)
def test_random_constraints_have_the_same_solutions(kind: str) -> None:
    models = [m for m in (random_model(seed, kind) for seed in sweep(4, 6)) if not m.validate()]
    assert len(models) > 2
    assert sum(map(check, models)) > 0


def test_random_models_of_several_constraints() -> None:
    random = Random(7)
    models = [random_model(seed, *random.sample(sorted(KINDS), 3)) for seed in range(16)]
    assert sum(check(m) for m in models if not m.validate()) > 0


def test_names_objective_and_the_way_back() -> None:
    model = cp_model.CpModel()
    model.name = "knapsack"
    x = [model.new_int_var(0, 3, f"x[{k}]") for k in range(3)]
    hidden = model.new_bool_var("")
    model.add(2 * x[0] + 3 * x[1] + 4 * x[2] <= 7).with_name("weight")
    model.add(x[0] >= 1).only_enforce_if(hidden)
    model.maximize(3 * x[0] + 4 * x[1] + 6 * x[2] - hidden + 5)
    imported = from_cpsat(model)
    assert (imported.model.name, imported.model["x"].shape) == ("knapsack", (3,))
    assert imported.model.constraints[0].name == "weight"
    answer = imported.model.solve(solver="backtracking")
    solver = cp_model.CpSolver()
    solver.solve(model)
    assert answer.objective == solver.objective_value
    assert list(imported.write_back(answer)) == ["x[0]", "x[1]", "x[2]", "#3"]
    loose = type(imported)(imported.model.without([0]), imported.names, imported.write)
    with pytest.raises(ModelError, match="CP-SAT finds them infeasible"):
        loose.write_back(loose.model.solve(solver="backtracking"))


def test_an_enforced_clause_is_one_clause() -> None:
    """No variable is defined for the clause within."""
    model = cp_model.CpModel()
    a, b, c = (model.new_bool_var(name) for name in "abc")
    model.add_bool_or(b, ~c).only_enforce_if(a)
    ours = from_cpsat(model).model
    assert (ours.variable_count, len(ours.constraints)) == (3, 1)
    assert ours.count() == 7


def test_domains_beyond_32_bits_and_what_is_refused_of_them() -> None:
    model = cp_model.CpModel()
    model.new_int_var(-(2**40), 2**60, "wide")
    model.new_int_var_from_domain(cp_model.Domain.from_values([-(2**50), 3]), "gaps")
    wide, gaps = from_cpsat(model).names.values()
    assert [int(end[0]) for end in wide.bounds()] == [-(2**40), 2**60]
    assert [int(end[0]) for end in gaps.bounds()] == [-(2**50), 3]
    model.new_int_var(0, 2**61, "too wide")
    with pytest.raises(ModelError, match=r"too wide: .*2\^61"):
        from_cpsat(model)


def test_the_generated_class_assumptions_and_the_domain_of_an_objective() -> None:
    proto = pb.CpModelProto()
    for _ in range(2):
        proto.variables.add(domain=[0, 1, 10**9, 10**9 + 5])  # too many values to list
    proto.variables.add(domain=[0, 1])
    proto.assumptions.append(-3)
    proto.objective.vars.extend([0, 1])
    proto.objective.coeffs.extend([1, 2])
    proto.objective.domain.extend([2, 10**10])
    imported = from_cpsat(proto)
    answer = imported.model.solve(solver="cpsat")
    assert answer.objective == 2
    assert imported.write_back(answer) == {"#0": 0, "#1": 1, "#2": 0}


def test_refused() -> None:
    for value in (None, "model", 3):
        with pytest.raises(ModelError, match="a CpModel or its protocol buffer is needed"):
            from_cpsat(value)
    model = cp_model.CpModel()
    x = model.new_int_var(-1, 1, "x")
    model.add_division_equality(x, 3, x)
    with pytest.raises(ModelError, match="CP-SAT refuses the model: The domain of the divisor"):
        from_cpsat(model)
    model = cp_model.CpModel()
    model.minimize(0.5 * model.new_int_var(-1, 1, "x"))
    with pytest.raises(ModelError, match="an objective with fractions"):
        from_cpsat(model)
