"""Names of other tools that do not exist here, each with what is written instead.

OR-Tools, CPMpy, MiniZinc, python-constraint and NumPy call things by these names. One table serves
attributes, imports and keywords; names are compared without case and underscores, so that ``NewIntVar`` and
``new_int_var`` are one.
"""

import inspect
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, wraps
from types import MappingProxyType
from typing import ParamSpec, TypeVar, dataclass_transform

from cpqueens.errors import UnknownParameter
from cpqueens.text.plaintext import did_you_mean, nearest

Given = ParamSpec("Given")
Made = TypeVar("Made")

_ENUMERATE = "m.enumerate() or m.solutions()"
_VALUE = "outcome[x], or solution[x]"
_STATISTICS = "outcome.statistics"
_RESERVOIR = (
    "level = ((time[None, :] <= time[:, None]) * change).sum(axis=1), then m.add(level >= low, level <= high)"
)
_TASKS = "NoOverlap(start, duration) or Cumulative(start, duration, demand, capacity)"
_NO_FLOATS = "m.intvar(lower, upper) in finer units, such as cents; scaled(values, 100) makes integers"
_IN_A_MODEL = "variables belong to a model"

_INSTEAD: dict[str, str] = {
    # variables
    "m.intvar(lower, upper, name=...)": "NewIntVar integer int new_var addVar",
    "m.intvar(domain=[...], name=...)": "NewIntVarFromDomain addVariable",
    "m.intvar(lower, upper, shape=n, name=...)": "new_int_var_series ints intvars int_var_array "
    "vars variables array addVars",
    "m.boolvar(name=...)": "NewBoolVar bool boolean binary binary_var",
    "m.boolvar(shape=n, name=...)": "new_bool_var_series bools boolvars bool_var_array",
    "the integer itself": "NewConstant",
    _TASKS: "NewIntervalVar NewFixedSizeIntervalVar new_interval_var_series Machine Resource Pulse",
    "NoOverlap(start, duration, present=b)": "NewOptionalIntervalVar NewOptionalFixedSizeIntervalVar "
    "new_optional_interval_var_series new_optional_fixed_size_interval_var_series NoOverlapOptional",
    "NoOverlap(start, duration), of arrays": "new_fixed_size_interval_var_series",
    "m.intvar(domain=[...], shape=n, name=...)": "addVariables",
    f"m.intvar(lower, upper, name=...): {_IN_A_MODEL}": "IntVar",
    f"m.boolvar(name=...): {_IN_A_MODEL}": "BoolVar",
    f"m.var(values, name=...): {_IN_A_MODEL}": "Var Variable",
    "the array as m.intvar(..., shape=n) returns it, or element(array, index) to look up in one": "cpm_array",
    "name=... where it is made": "with_name",
    f"{_TASKS}: a task is its start and its duration": "Interval interval_var Task Activity Job",
    "start + duration": "end end_of",
    "the variable start itself": "start_of",
    _NO_FLOATS: "floatvar continuous continuous_var NumVar",
    "lower=..., and x.bounds() to read bounds": "lb lower_bound",
    "upper=..., and x.bounds() to read bounds": "ub upper_bound",
    "x.bounds()": "get_bounds",
    "m.intvar(domain=[...]), and x.bounds() to read bounds": "Domain",
    # models and constraints
    "Model": "CpModel Problem",
    "m.add(...) or m += ...": "Add",
    "m.add(expression >= low, expression <= high)": "AddLinearConstraint",
    "m.add(Among([expression], values, 1))": "AddLinearExpressionInDomain",
    "m.add(...), for a Python function m.add(Predicate(function, x, y))": "addConstraint",
    "Predicate(function, x, y)": "FunctionConstraint",
    "m.add(...)": "constraint addConstr addConstrs subject_to post st enforce require",
    "m.add(AllDifferent(...))": "AllDifferent AddAllDifferent AllDiff AllDifferentConstraint Distinct",
    "AllDifferentExcept(x, 0)": "AllDifferentExcept0 except_0 except_zero",
    "AllDifferentExcept(x, values)": "except_value except_values AllDifferentExceptN",
    "AllEqual(...)": "AllEqualConstraint",
    "m.add(Table(x, rows))": "AddAllowedAssignments",
    "m.add(NegativeTable(x, rows))": "AddForbiddenAssignments NegativeTable",
    "m.add(element(array, index) == value)": "AddElement",
    "m.add(Inverse(x, y))": "AddInverse",
    "m.add(Circuit(successor))": "AddCircuit",
    "Circuit(successor)": "TSP TravellingSalesman TravelingSalesman Hamiltonian",
    "Circuit(successor), with one more node, from the end of the path to its begin": "Path HamiltonianPath",
    "m.add(SubCircuit(successor))": "SubCircuit",
    "Circuit(successor, depots=depots), with a depot for each vehicle": "MultipleCircuit Vehicle "
    "Vehicles VehicleRouting VRP CVRP VRPTW",
    "Tour(successor, points) to draw routes, Circuit(successor, depots=depots) to state them": "Routes Route "
    "Routing",
    "m.add(Circuit(successor, depots=depots))": "AddMultipleCircuit",
    "m.add(Regular(x, transitions, start, accepting))": "AddAutomaton Automaton MDD RegularNfa",
    "m.add(y == maximum(x))": "AddMaxEquality",
    "m.add(y == minimum(x))": "AddMinEquality",
    "m.add(y == abs(x))": "AddAbsEquality",
    "m.add(z == x * y)": "AddMultiplicationEquality",
    "m.add(z == div_trunc(x, y)), or // to round down": "AddDivisionEquality",
    "m.add(z == mod_trunc(x, y)), or % with the sign of y": "AddModuloEquality",
    "m.add(any_(booleans))": "AddBoolOr AddAtLeastOne",
    "m.add(all_(booleans))": "AddBoolAnd",
    "m.add(sum(booleans) <= 1)": "AddAtMostOne at_most_one at_most1",
    "m.add(sum(booleans) == 1)": "AddExactlyOne exactly_one",
    "m.add(Xor(booleans))": "AddBoolXOr XorAll",
    "m.add(a.implies(b))": "AddImplication",
    "m.add(b.implies(constraint))": "OnlyEnforceIf",
    "m.add(NoOverlap(start, duration))": "AddNoOverlap Disjunctive DisjunctiveStrict",
    "Schedule(start, durations), with lanes for machines": "Gantt GanttChart Timeline",
    "Colouring(x, edges)": "Graph Network Coloring",
    "m.add(NoOverlap2D(...))": "AddNoOverlap2D diffn DiffnNonstrict",
    "m.add(Cumulative(start, duration, demand, capacity))": "AddCumulative",
    _RESERVOIR: "AddReservoirConstraint Reservoir",
    "GlobalCardinality(x, values, counts)": "GlobalCardinalityCount Distribute Gcc",
    "c.implies(a) and (~c).implies(b), both added": "IfThenElse",
    "Increasing(x, strict=True)": "StrictlyIncreasing IncreasingStrict",
    "Decreasing(x, strict=True)": "StrictlyDecreasing DecreasingStrict",
    "LexLessEqual(x, y)": "LexLessEq",
    "LexChainLessEqual(rows)": "LexChainLessEq",
    "ValuePrecede(x, values), of tasks start[a] + duration[a] <= start[b]": "Precedence Precede",
    "start[a] + duration[a] <= start[b]": "end_before_start",
    "Cumulative(start, duration, demand, capacity, present=b)": "CumulativeOptional",
    f"{_RESERVOIR}, where change is change * present": "AddReservoirConstraintWithActive ReservoirOptional",
    "((x == n) | (x == y)).all() with a variable y": "AllEqualExceptN",
    "NValue([n, *x], y + 1)": "NValueExcept",
    "m.intvar(domain=[...]), or Among([x], values, 1)": "InDomain InSetConstraint",
    "element(array, i, j, ...)": "NDElement",
    "x == value for each value, which is Boolean": "AddMapDomain",
    "x * y": "Multiplication product",
    "x // y, or div_trunc(x, y)": "Division",
    "x % y, or mod_trunc(x, y)": "Modulo",
    "x ** 2": "Power",
    "10 * minimum(x, 4) + 7 * maximum(x - 4, 0), the first 4 at 10 and more at 7": "PiecewiseLinear "
    "Piecewise",
    "any_(x != y) for each pair of rows": "AllDifferentLists",
    "Inverse(x, x)": "SymmetricAllDifferent",
    "LexChainLessEqual(matrix) and LexChainLessEqual(matrix.T)": "Lex2",
    "LexChainLess(matrix) and LexChainLess(matrix.T)": "StrictLex2",
    "LexLess(y, x)": "LexGreater",
    "LexLessEqual(y, x)": "LexGreaterEq",
    "ValuePrecede(x, values)": "SeqPrecedeChain ValuePrecedeChain",
    "m.add(sum(booleans) <= k)": "at_most_k",
    "Count(x, value, n)": "CountEq exactly",
    'Count(x, value, "!=", n)': "CountNeq",
    'Count(x, value, ">=", n)': "CountGeq at_least",
    'Count(x, value, ">", n)': "CountGt",
    'Count(x, value, "<=", n)': "CountLeq at_most",
    'Count(x, value, "<", n)': "CountLt",
    "GlobalCardinality(x, values, counts, closed=True)": "GlobalCardinalityClosed",
    "GlobalCardinality(x, values, lower=..., upper=...)": "GlobalCardinalityLowUp",
    "BinPacking(bins, sizes, loads)": "BinPackingLoad",
    'BinPacking(bins, sizes, capacities, "<=")': "BinPackingCapa Pack Bins BinCapacity",
    "m.add(x @ weights == weight, x @ profits == profit)": "Knapsack",
    "m.add(x[k : k + n].sum() <= most) for each k": "SlidingSum",
    "any_([*positive, *(~b for b in negative)])": "BoolClause",
    "all_(booleans)": "ForAll All",
    "AllEqual(booleans)": "IffAll",
    "Among([x], values, 1)": "isin",
    'm.solve("backtracking", variable_order=..., value_order=...)': "int_search bool_search search_branching",
    "x.sum(), x @ weights": "LinearExpr weighted_sum",
    "x.sum() or sum(x)": "SumPred quicksum Sum",
    "m.minimize(...) or m.maximize(...)": "setObjective",
    "m.solve()": "optimize CpSolver Solver satisfy",
    "m.to_cpsat().native": "DirectConstraint",
    "m.add(x.sum() == n)": "ExactSumConstraint",
    "m.add(x.sum() <= n)": "MaxSumConstraint",
    "m.add(x.sum() >= n)": "MinSumConstraint",
    "m.add(x * y == n)": "ExactProdConstraint",
    "m.add(x * y <= n)": "MaxProdConstraint",
    "m.add(x * y >= n)": "MinProdConstraint",
    "m.add(x.sum() == y)": "VariableExactSumConstraint",
    "m.add(x.sum() <= y)": "VariableMaxSumConstraint",
    "m.add(x.sum() >= y)": "VariableMinSumConstraint",
    "m.add(x * y == z)": "VariableExactProdConstraint",
    "m.add(x * y <= z)": "VariableMaxProdConstraint",
    "m.add(x * y >= z)": "VariableMinProdConstraint",
    "Among(x, values, len(x) - n)": "SomeNotInSetConstraint",
    "Among([x], values, 0)": "NotInSetConstraint",
    "Among(x, values, n)": "SomeInSetConstraint",
    "~b": "Not negate negated",
    "a.implies(b)": "Implies If IfThen When LogicalImplies",
    "a == b": "Iff Equivalent Equivalence",
    "the Boolean itself: arithmetic takes Booleans as 0 and 1": "bool2int",
    "any_(booleans)": "exists Any",
    "maximum(x)": "Max",
    "minimum(x)": "Min",
    "abs(x)": "Abs",
    "m.solve(hint={x: value})": "AddHint solution_hint",
    "m.solve(assumptions=[...])": "AddAssumptions AddAssumption",
    'm.solve(solver="backtracking:..."); cpqueens doctor lists the strategies': "AddDecisionStrategy",
    "m.solve(assumptions=[...]), which are forgotten afterwards": "ClearAssumptions",
    "m.solve(hint={x: value}), which is forgotten afterwards": "ClearHints",
    "m.drop_objectives()": "ClearObjective",
    "m.objective is not None": "HasObjective",
    "m.copy()": "Clone",
    "cpqueens.files.modelfile.save_model(m, path)": "ExportToFile to_file",
    "cpqueens.files.modelfile.load_model(path)": "from_file",
    "m.solve(), which checks the model and each solution": "validate",
    "Model(name)": "SetName",
    "Model()": "reset",
    "print(m)": "ModelStats",
    "m.to_cpsat()": "Proto ModelProto",
    "m.explain_infeasible()": "mus",
    "outcome.core": "SufficientAssumptionsForInfeasibility",
    "m.without(positions)": "remove",
    # solving, and what it says
    "m.solve(time_limit=..., num_workers=...)": "parameters",
    "Status.OPTIMAL": "OPTIMAL",
    "Status.FEASIBLE": "FEASIBLE",
    "Status.INFEASIBLE": "INFEASIBLE",
    "Status.UNKNOWN": "UNKNOWN",
    "ModelInvalid, which is raised": "MODEL_INVALID",
    "m.solve(on_improvement=function)": "ObjectiveSolutionPrinter",
    "m.solve(solver=name)": "SolverLookup setSolver",
    "outcome.solver": "getSolver",
    'm.solve(solver="python-constraint:optimized")': "OptimizedBacktrackingSolver",
    'm.solve(solver="python-constraint:recursive")': "RecursiveBacktrackingSolver",
    "m.solve(num_workers=n)": "ParallelSolver",
    'm.solve(solver="backtracking")': "BacktrackingSolver",
    'm.solve(solver="local-search:min-conflicts")': "MinConflictsSolver",
    "m.enumerate(function)": "VarArraySolutionPrinter CpSolverSolutionCallback SolveWithSolutionCallback "
    "solution_callback display",
    _ENUMERATE: "SearchForAllSolutions solveAll all_solutions",
    "m.solve().solution": "getSolution",
    "[s.as_dict() for s in m.solutions()]": "getSolutionsAsListDict",
    "m.enumerate().solutions.matrix": "getSolutionsOrderedList",
    "m.enumerate().solutions": "getSolutions",
    "m.solutions()": "getSolutionIter",
    _VALUE: "Value get BooleanValue SolutionValue varValue",
    "outcome[x], or outcome.solutions.values(x)": "Values",
    "outcome.objective": "ObjectiveValue",
    "outcome.bound": "BestObjectiveBound",
    "outcome.status, or outcome.statistics": "stat",
    _STATISTICS: "stats ResponseStats NumConflicts NumBranches WallTime UserTime runtime",
    "outcome.status": "status StatusName cpm_status",
    "outcome.solution": "solution result",
    "outcome.solution is not None": "has_solution is_sat",
    # keywords
    "time_limit=": "max_time_in_seconds timeout max_time time_limit_seconds",
    "m.solve(time_limit=...)": "set_time_limit",
    "time_limit=, step_limit= or solution_limit=": "limit",
    "weight=": "penalty",
    "num_workers=": "num_search_workers workers processes threads",
    "solution_limit=": "nr_solutions num_solutions max_solutions",
    "hint={x: value}": "hints",
    "m.enumerate(function), or on_improvement=function for better and better solutions": "callback",
    "on_improvement=function": "intermediate_solutions",
    "log=True": "verbose log_search_progress",
    "shape=": "dims",
    # arrays of numbers
    "b.sum()": "count_nonzero",
    "a product, as in x[0] * x[1]": "prod",
    "x.sum(), compared with the mean times len(x)": "mean average",
    "x[k] == maximum(x) with a variable k": "argmax",
    "x[k] == minimum(x) with a variable k": "argmin",
    "Increasing(x), which states an order": "sort sorted",
    "Inverse(x, place), where x are the numbers 0 to n - 1 in some order": "argsort",
    "np.diagonal(x)": "diagonal",
    "x.reshape(shape)": "squeeze",
    "x.flat[k]": "item",
    "maximum(low, minimum(x, high))": "clip",
    "x @ y": "dot",
    "x.T": "transpose",
    "list(x)": "tolist",
    "element([b, a], condition)": "where",
    "x[label, ...], where an axis has labels": "loc at",
    "x[place, ...]": "iloc iat",
}
"""What is written here, and what it is called elsewhere."""

SPELLINGS = {name: advice for advice, names in _INSTEAD.items() for name in names.split()}
"""What is written here, by the name elsewhere."""

_KEYWORDS: dict[str, str] = {
    "lower=": "min low lo minimum lb lower_bound",
    "upper=": "max high hi maximum ub upper_bound",
    "domain=": "values vals range choices options categories",
    "values=": "domain names labels choices options categories kinds",
    "shape=": "size n length count dimensions dim",
    "name=": "label title text",
    "weight=": "cost penalty price priority",
    "duration=": "durations length size processing_time",
    "demand=": "demands resource usage heights",
    "present=": "optional active presence is_present",
    "setup=": "transition transitions transition_times changeover setup_times",
    "solver=": "method algorithm solver_name backend engine",
    "time_limit=": "seconds",
    "num_workers=": "cores",
    "random_seed=": "random_state",
    "solution_limit=": "n limit_solutions",
    "hint={x: value}": "initial initial_solution start warm_start",
}
"""What is written here, and which keywords of functions elsewhere it is; only of functions that have it."""


OF_VALUES = (
    "Not", "negate", "negated", "Implies", "OnlyEnforceIf", "WithName", "SetName", "Proto", "ModelProto",
    "Value", "BooleanValue", "SolutionValue", "varValue", "lb", "ub", "LowerBound", "UpperBound",
    "get_bounds", "Domain", "Sum", "Max", "Min", "All", "Any", "Abs", "WeightedSum", "isin", "argmax",
    "argmin", "argsort", "average", "clip", "count_nonzero", "diagonal", "dot", "item", "mean", "prod",
    "product", "sort", "sorted", "squeeze", "tolist", "transpose", "where", "loc", "iloc", "at", "iat",
)  # fmt: skip
"""Those that are attributes of variables, terms, truths and constraints, in any spelling."""


def _key(name: str) -> str:
    return name.replace("_", "").lower()


_BY_KEY = {_key(name): advice for name, advice in SPELLINGS.items()}


def spelled(name: str, known: Iterable[str] = ()) -> str:
    """Return ``; write ...`` for a name of another tool, or one of ``known`` in another spelling, else "".

    >>> spelled("new_bool_var")
    '; write m.boolvar(name=...)'
    >>> spelled("alldifferent", ["AllDifferent"])
    '; write AllDifferent'
    >>> spelled("any", ["ANY", "any_"])
    '; write any_'
    """
    if name.startswith("_"):
        return ""
    key, known = _key(name), list(known)
    if f"{name}_" in known:  # one of Python's own names
        return f"; write {name}_"
    advice = next((own for own in known if _key(own) == key and own != name), _BY_KEY.get(key, ""))
    return f"; write {advice}" if advice else ""


def as_keyword(name: str, known: Iterable[str]) -> str:
    """Return ``; write ...=`` for what others call a keyword that is one of ``known`` here, else "".

    >>> as_keyword("values", ["lower", "upper", "domain"])
    '; write domain='
    """
    own = (a for a, names in _KEYWORDS.items() if _key(name) in map(_key, names.split()))
    return next((f"; write {advice}" for advice in own if advice.partition("=")[0] in known), "")


def named_parameters(function: Callable[..., object]) -> list[str]:
    """Return the names of parameters that a caller may write as keywords."""
    kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    found = inspect.signature(function).parameters.values()
    return [p.name for p in found if p.kind in kinds and p.name != "self"]


def _places(function: Callable[..., object]) -> list[str] | None:
    """Return the names of parameters that take values without a keyword; None if it takes any number."""
    found = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in found):
        return None
    return [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def explaining_keywords(function: Callable[Given, Made], **own: str) -> Callable[Given, Made]:
    """Return the function, which answers keywords that it does not have with those that it has.

    So it answers more values than it takes.
    ``own`` says what is written here instead of a keyword, before all tables.
    """
    known = named_parameters(function)
    places = _places(function)

    @wraps(function)
    def explained(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        try:
            return function(*args, **kwargs)
        except TypeError:  # what Python says of arguments that do not fit, or what the function says itself
            called = type(args[0]).__name__ if args and function.__name__ == "__init__" else function.__name__
            if places is not None and len(args) > len(places):
                own_self = places[:1] == ["self"]
                takes = f"takes {', '.join(places[own_self:]) or 'nothing'} without a keyword"
                raise UnknownParameter(f"{called}() {takes}, got {len(args) - own_self} values") from None
            for name in kwargs:
                if name not in known:
                    raise no_keyword(called, name, known, own) from None
            raise

    return explained


def without_rest(function: Callable[Given, Made]) -> Callable[Given, Made]:
    """Return the function, shown without the keywords that it takes only to say that they are unknown."""
    stated = inspect.signature(function)
    known = [p for p in stated.parameters.values() if p.kind is not p.VAR_KEYWORD]
    setattr(function, "__signature__", stated.replace(parameters=known))  # noqa: B010 - as below
    return function


@dataclass_transform(frozen_default=True)
def explaining_record(made: type[Made]) -> type[Made]:
    """Return the class as a frozen dataclass, whose calls answer keywords as `explaining_keywords` does."""
    record = dataclass(frozen=True)(made)
    setattr(record, "__init__", explaining_keywords(record.__init__))  # noqa: B010 - mypy allows no method to be set
    return record


def no_keyword(
    called: str, name: str, known: Iterable[str], own: Mapping[str, str] = MappingProxyType({})
) -> UnknownParameter:
    """Return what a keyword that a function does not have is answered with."""
    names = list(known)
    advice = f"; write {own[name]}" if name in own else as_keyword(name, names) or spelled(name, names)
    advice = advice or did_you_mean(name, names)
    return UnknownParameter(f"{called}() has no keyword {name!r}{advice or '; it takes none'}")


_READ_BY = {
    ("constraint", "Problem"): "from_python_constraint",
    ("cpmpy", "Model"): "from_cpmpy",
    ("ortools", "CpModel"): "from_cpsat",
    ("ortools", "CpModelProto"): "from_cpsat",
}
"""By a class's package and name, what reads the models of another library."""


def read_by(value: object) -> str | None:
    """Return the name of the function that reads a model of another library; None for anything else."""
    keys = ((kind.__module__.partition(".")[0], kind.__name__) for kind in type(value).__mro__)
    return next((_READ_BY[key] for key in keys if key in _READ_BY), None)


@lru_cache(maxsize=1000)
def _instead(name: str, known: tuple[str, ...]) -> tuple[str, str]:
    """Return the advice for a name that is none of the known ones, and else the nearest of these.

    Kept, since `hasattr` asks for many objects of a kind.
    """
    advice = spelled(name) or spelled(name, known)
    return advice, "" if advice or not known else nearest(name, known)


def no_attribute(owner: object, name: str, items: Container[str] = ()) -> AttributeError:
    """Return what a missing attribute is answered with; ``items`` are found by ``[name]``."""
    kind = owner if isinstance(owner, type) else type(owner)
    private = name.startswith("_")  # as Python itself asks for, also while it lists what there is
    known = () if private else tuple([own for own in dir(owner) if not own.startswith("_")])
    what = f"type object {kind.__name__!r}" if kind is owner else f"{kind.__name__!r} object"
    text = f"{what} has no attribute {name!r}"
    if name in items:
        return AttributeError(f"{text}; a variable is found by its name in brackets, [{name!r}]", name=name)
    advice, near = _instead(name, known)
    if near:  # without the object, for which Python's own traceback would ask the same once more
        return AttributeError(f"{text}; did you mean {near!r}?", name=name)
    return AttributeError(text + advice, name=name, obj=owner)
