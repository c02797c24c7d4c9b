"""Names of other tools that do not exist here, each with what is written instead.

OR-Tools, CPMpy, MiniZinc, python-constraint and NumPy call things by these names. One table serves
attributes, imports and keywords; names are compared without case and underscores, so that ``NewIntVar`` and
``new_int_var`` are one.
"""

import inspect
from collections.abc import Callable, Container, Iterable, Mapping
from functools import lru_cache, wraps
from types import MappingProxyType
from typing import ParamSpec, TypeVar

from cpqueens.errors import UnknownParameter
from cpqueens.text.suggest import did_you_mean, nearest

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

SPELLINGS: dict[str, str] = {
    # variables
    "NewIntVar": "m.intvar(lower, upper, name=...)",
    "NewIntVarFromDomain": "m.intvar(domain=[...], name=...)",
    "new_int_var_series": "m.intvar(lower, upper, shape=n, name=...)",
    "NewBoolVar": "m.boolvar(name=...)",
    "new_bool_var_series": "m.boolvar(shape=n, name=...)",
    "NewConstant": "the integer itself",
    "NewIntervalVar": _TASKS,
    "NewFixedSizeIntervalVar": _TASKS,
    "NewOptionalIntervalVar": "NoOverlap(start, duration, present=b)",
    "NewOptionalFixedSizeIntervalVar": "NoOverlap(start, duration, present=b)",
    "new_interval_var_series": _TASKS,
    "new_fixed_size_interval_var_series": "NoOverlap(start, duration), of arrays",
    "new_optional_interval_var_series": "NoOverlap(start, duration, present=b)",
    "new_optional_fixed_size_interval_var_series": "NoOverlap(start, duration, present=b)",
    "addVariable": "m.intvar(domain=[...], name=...)",
    "addVariables": "m.intvar(domain=[...], shape=n, name=...)",
    "IntVar": f"m.intvar(lower, upper, name=...): {_IN_A_MODEL}",
    "BoolVar": f"m.boolvar(name=...): {_IN_A_MODEL}",
    "Var": f"m.var(values, name=...): {_IN_A_MODEL}",
    "integer": "m.intvar(lower, upper, name=...)",
    "int": "m.intvar(lower, upper, name=...)",
    "ints": "m.intvar(lower, upper, shape=n, name=...)",
    "intvars": "m.intvar(lower, upper, shape=n, name=...)",
    "int_var_array": "m.intvar(lower, upper, shape=n, name=...)",
    "vars": "m.intvar(lower, upper, shape=n, name=...)",
    "variables": "m.intvar(lower, upper, shape=n, name=...)",
    "new_var": "m.intvar(lower, upper, name=...)",
    "bool": "m.boolvar(name=...)",
    "boolean": "m.boolvar(name=...)",
    "binary": "m.boolvar(name=...)",
    "binary_var": "m.boolvar(name=...)",
    "bools": "m.boolvar(shape=n, name=...)",
    "boolvars": "m.boolvar(shape=n, name=...)",
    "bool_var_array": "m.boolvar(shape=n, name=...)",
    "cpm_array": "the array as m.intvar(..., shape=n) returns it, or element(array, index) to look up in one",
    "with_name": "name=... where it is made",
    "Interval": f"{_TASKS}: a task is its start and its duration",
    "interval_var": f"{_TASKS}: a task is its start and its duration",
    "end": "start + duration",
    "end_of": "start + duration",
    "start_of": "the variable start itself",
    "floatvar": _NO_FLOATS,
    "float_var": _NO_FLOATS,
    "continuous": _NO_FLOATS,
    "continuous_var": _NO_FLOATS,
    "NumVar": _NO_FLOATS,
    "lb": "lower=..., and x.bounds() to read bounds",
    "ub": "upper=..., and x.bounds() to read bounds",
    "lower_bound": "lower=..., and x.bounds() to read bounds",
    "upper_bound": "upper=..., and x.bounds() to read bounds",
    "get_bounds": "x.bounds()",
    "Variable": f"m.var(values, name=...): {_IN_A_MODEL}",
    "Domain": "m.intvar(domain=[...]), and x.bounds() to read bounds",
    # models and constraints
    "CpModel": "Model",
    "Problem": "Model",
    "Add": "m.add(...) or m += ...",
    "AddLinearConstraint": "m.add(expression >= low, expression <= high)",
    "AddLinearExpressionInDomain": "m.add(Among([expression], values, 1))",
    "addConstraint": "m.add(...), for a Python function m.add(Predicate(function, x, y))",
    "FunctionConstraint": "Predicate(function, x, y)",
    "constraint": "m.add(...)",
    "AllDifferent": "m.add(AllDifferent(...))",
    "AddAllDifferent": "m.add(AllDifferent(...))",
    "AllDiff": "AllDifferent(...)",
    "AllDifferentConstraint": "AllDifferent(...)",
    "AllDifferentExcept0": "AllDifferentExcept(x, 0)",
    "except_0": "AllDifferentExcept(x, 0)",
    "except_zero": "AllDifferentExcept(x, 0)",
    "except_value": "AllDifferentExcept(x, value)",
    "except_values": "AllDifferentExcept(x, values)",
    "AllDifferentExceptN": "AllDifferentExcept(x, n)",
    "AllEqualConstraint": "AllEqual(...)",
    "AddAllowedAssignments": "m.add(Table(x, rows))",
    "AddForbiddenAssignments": "m.add(NegativeTable(x, rows))",
    "NegativeTable": "m.add(NegativeTable(x, rows))",
    "AddElement": "m.add(element(array, index) == value)",
    "AddInverse": "m.add(Inverse(x, y))",
    "AddCircuit": "m.add(Circuit(successor))",
    "SubCircuit": "m.add(SubCircuit(successor))",
    "MultipleCircuit": "Circuit(successor, depots=depots), with a depot for each vehicle",
    "AddMultipleCircuit": "m.add(Circuit(successor, depots=depots))",
    "AddAutomaton": "m.add(Regular(x, transitions, start, accepting))",
    "Automaton": "Regular(x, transitions, start, accepting)",
    "AddMaxEquality": "m.add(y == maximum(x))",
    "AddMinEquality": "m.add(y == minimum(x))",
    "AddAbsEquality": "m.add(y == abs(x))",
    "AddMultiplicationEquality": "m.add(z == x * y)",
    "AddDivisionEquality": "m.add(z == div_trunc(x, y)), or // to round down",
    "AddModuloEquality": "m.add(z == mod_trunc(x, y)), or % with the sign of y",
    "AddBoolOr": "m.add(any_(booleans))",
    "AddAtLeastOne": "m.add(any_(booleans))",
    "AddBoolAnd": "m.add(all_(booleans))",
    "AddAtMostOne": "m.add(sum(booleans) <= 1)",
    "AddExactlyOne": "m.add(sum(booleans) == 1)",
    "AddBoolXOr": "m.add(Xor(booleans))",
    "AddImplication": "m.add(a.implies(b))",
    "OnlyEnforceIf": "m.add(b.implies(constraint))",
    "AddNoOverlap": "m.add(NoOverlap(start, duration))",
    "Disjunctive": "NoOverlap(start, duration)",
    "AddNoOverlap2D": "m.add(NoOverlap2D(...))",
    "diffn": "NoOverlap2D(...)",
    "AddCumulative": "m.add(Cumulative(start, duration, demand, capacity))",
    "AddReservoirConstraint": _RESERVOIR,
    "GlobalCardinalityCount": "GlobalCardinality(x, values, counts)",
    "Distribute": "GlobalCardinality(x, values, counts)",
    "IfThenElse": "c.implies(a) and (~c).implies(b), both added",
    "StrictlyIncreasing": "Increasing(x, strict=True)",
    "StrictlyDecreasing": "Decreasing(x, strict=True)",
    "IncreasingStrict": "Increasing(x, strict=True)",
    "DecreasingStrict": "Decreasing(x, strict=True)",
    "LexLessEq": "LexLessEqual(x, y)",
    "LexChainLessEq": "LexChainLessEqual(rows)",
    "Precedence": "ValuePrecede(x, values), of tasks start[a] + duration[a] <= start[b]",
    "Precede": "ValuePrecede(x, values), of tasks start[a] + duration[a] <= start[b]",
    "end_before_start": "start[a] + duration[a] <= start[b]",
    "MDD": "Regular(x, transitions, start, accepting)",
    "NoOverlapOptional": "NoOverlap(start, duration, present=b)",
    "CumulativeOptional": "Cumulative(start, duration, demand, capacity, present=b)",
    "AddReservoirConstraintWithActive": f"{_RESERVOIR}, where change is change * present",
    "Reservoir": _RESERVOIR,
    "ReservoirOptional": f"{_RESERVOIR}, where change is change * present",
    "AllEqualExceptN": "((x == n) | (x == y)).all() with a variable y",
    "NValueExcept": "NValue([n, *x], y + 1)",
    "InDomain": "m.intvar(domain=[...]), or Among([x], values, 1)",
    "NDElement": "element(array, i, j, ...)",
    "AddMapDomain": "x == value for each value, which is Boolean",
    "Multiplication": "x * y",
    "Division": "x // y, or div_trunc(x, y)",
    "Modulo": "x % y, or mod_trunc(x, y)",
    "Power": "x ** 2",
    "AllDifferentLists": "any_(x != y) for each pair of rows",
    "SymmetricAllDifferent": "Inverse(x, x)",
    "Lex2": "LexChainLessEqual(matrix) and LexChainLessEqual(matrix.T)",
    "StrictLex2": "LexChainLess(matrix) and LexChainLess(matrix.T)",
    "LexGreater": "LexLess(y, x)",
    "LexGreaterEq": "LexLessEqual(y, x)",
    "SeqPrecedeChain": "ValuePrecede(x, values)",
    "ValuePrecedeChain": "ValuePrecede(x, values)",
    "at_most1": "sum(booleans) <= 1",
    "at_most_one": "m.add(sum(booleans) <= 1)",
    "exactly_one": "m.add(sum(booleans) == 1)",
    "at_most_k": "m.add(sum(booleans) <= k)",
    "CountEq": "Count(x, value, n)",
    "CountNeq": 'Count(x, value, "!=", n)',
    "CountGeq": 'Count(x, value, ">=", n)',
    "CountGt": 'Count(x, value, ">", n)',
    "CountLeq": 'Count(x, value, "<=", n)',
    "CountLt": 'Count(x, value, "<", n)',
    "GlobalCardinalityClosed": "GlobalCardinality(x, values, counts, closed=True)",
    "GlobalCardinalityLowUp": "GlobalCardinality(x, values, lower=..., upper=...)",
    "BinPackingLoad": "BinPacking(bins, sizes, loads)",
    "BinPackingCapa": 'BinPacking(bins, sizes, capacities, "<=")',
    "DiffnNonstrict": "NoOverlap2D(...)",
    "DisjunctiveStrict": "NoOverlap(start, duration)",
    "Knapsack": "m.add(x @ weights == weight, x @ profits == profit)",
    "RegularNfa": "Regular(x, transitions, start, accepting)",
    "product": "x * y",
    "SlidingSum": "m.add(x[k : k + n].sum() <= most) for each k",
    "SumPred": "x.sum()",
    "BoolClause": "any_([*positive, *(~b for b in negative)])",
    "XorAll": "Xor(booleans)",
    "ForAll": "all_(booleans)",
    "IffAll": "AllEqual(booleans)",
    "isin": "Among([x], values, 1)",
    "int_search": 'm.solve("backtracking", variable_order=..., value_order=...)',
    "bool_search": 'm.solve("backtracking", variable_order=..., value_order=...)',
    "search_branching": 'm.solve("backtracking", variable_order=..., value_order=...)',
    "array": "m.intvar(lower, upper, shape=n, name=...)",
    "LinearExpr": "x.sum(), x @ weights",
    "weighted_sum": "x @ weights",
    "quicksum": "x.sum() or sum(x)",
    "addVar": "m.intvar(lower, upper, name=...)",
    "addVars": "m.intvar(lower, upper, shape=n, name=...)",
    "addConstr": "m.add(...)",
    "addConstrs": "m.add(...)",
    "subject_to": "m.add(...)",
    "post": "m.add(...)",
    "st": "m.add(...)",
    "enforce": "m.add(...)",
    "require": "m.add(...)",
    "setObjective": "m.minimize(...) or m.maximize(...)",
    "optimize": "m.solve()",
    "IntervalVar": _TASKS,
    "DirectConstraint": "m.to_cpsat().native",
    "at_least": 'Count(x, value, ">=", n)',
    "at_most": 'Count(x, value, "<=", n)',
    "exactly": "Count(x, value, n)",
    "ExactSumConstraint": "m.add(x.sum() == n)",
    "MaxSumConstraint": "m.add(x.sum() <= n)",
    "MinSumConstraint": "m.add(x.sum() >= n)",
    "ExactProdConstraint": "m.add(x * y == n)",
    "MaxProdConstraint": "m.add(x * y <= n)",
    "MinProdConstraint": "m.add(x * y >= n)",
    "VariableExactSumConstraint": "m.add(x.sum() == y)",
    "VariableMaxSumConstraint": "m.add(x.sum() <= y)",
    "VariableMinSumConstraint": "m.add(x.sum() >= y)",
    "VariableExactProdConstraint": "m.add(x * y == z)",
    "VariableMaxProdConstraint": "m.add(x * y <= z)",
    "VariableMinProdConstraint": "m.add(x * y >= z)",
    "SomeNotInSetConstraint": "Among(x, values, len(x) - n)",
    "InSetConstraint": "m.intvar(domain=[...]), or Among([x], values, 1)",
    "NotInSetConstraint": "Among([x], values, 0)",
    "SomeInSetConstraint": "Among(x, values, n)",
    "Not": "~b",
    "negate": "~b",
    "negated": "~b",
    "Implies": "a.implies(b)",
    "bool2int": "the Boolean itself: arithmetic takes Booleans as 0 and 1",
    "forall": "all_(booleans)",
    "exists": "any_(booleans)",
    "Sum": "x.sum() or sum(x)",
    "Max": "maximum(x)",
    "Min": "minimum(x)",
    "All": "all_(booleans)",
    "Any": "any_(booleans)",
    "Abs": "abs(x)",
    "AddHint": "m.solve(hint={x: value})",
    "solution_hint": "m.solve(hint={x: value})",
    "AddAssumptions": "m.solve(assumptions=[...])",
    "AddDecisionStrategy": 'm.solve(solver="backtracking:..."); cpqueens doctor lists the strategies',
    "AddAssumption": "m.solve(assumptions=[...])",
    "ClearAssumptions": "m.solve(assumptions=[...]), which are forgotten afterwards",
    "ClearHints": "m.solve(hint={x: value}), which is forgotten afterwards",
    "ClearObjective": "m.drop_objectives()",
    "HasObjective": "m.objective is not None",
    "Clone": "m.copy()",
    "ExportToFile": "cpqueens.files.modelfile.save_model(m, path)",
    "to_file": "cpqueens.files.modelfile.save_model(m, path)",
    "from_file": "cpqueens.files.modelfile.load_model(path)",
    "validate": "m.solve(), which checks the model and each solution",
    "SetName": "Model(name)",
    "reset": "Model()",
    "ModelStats": "print(m)",
    "Proto": "m.to_cpsat()",
    "ModelProto": "m.to_cpsat()",
    "mus": "m.explain_infeasible()",
    "SufficientAssumptionsForInfeasibility": "outcome.core",
    "remove": "m.without(positions)",
    # solving, and what it says
    "CpSolver": "m.solve()",
    "Solver": "m.solve()",
    "parameters": "m.solve(time_limit=..., num_workers=...)",
    "OPTIMAL": "Status.OPTIMAL",
    "FEASIBLE": "Status.FEASIBLE",
    "INFEASIBLE": "Status.INFEASIBLE",
    "UNKNOWN": "Status.UNKNOWN",
    "MODEL_INVALID": "ModelInvalid, which is raised",
    "VarArraySolutionPrinter": "m.enumerate(function), which is called with each solution",
    "ObjectiveSolutionPrinter": "m.solve(on_improvement=function)",
    "SolverLookup": "m.solve(solver=name)",
    "setSolver": "m.solve(solver=name)",
    "getSolver": "outcome.solver",
    "satisfy": "m.solve()",
    "OptimizedBacktrackingSolver": 'm.solve(solver="python-constraint:optimized")',
    "RecursiveBacktrackingSolver": 'm.solve(solver="python-constraint:recursive")',
    "ParallelSolver": "m.solve(num_workers=n)",
    "BacktrackingSolver": 'm.solve(solver="backtracking")',
    "MinConflictsSolver": 'm.solve(solver="local-search:min-conflicts")',
    "CpSolverSolutionCallback": "m.enumerate(function), which is called with each solution",
    "SolveWithSolutionCallback": "m.enumerate(function)",
    "SearchForAllSolutions": _ENUMERATE,
    "solveAll": _ENUMERATE,
    "getSolution": "m.solve().solution",
    "getSolutionsAsListDict": "[s.as_dict() for s in m.solutions()]",
    "getSolutionsOrderedList": "m.enumerate().solutions.matrix",
    "getSolutions": "m.enumerate().solutions",
    "getSolutionIter": "m.solutions()",
    "Value": _VALUE,
    "get": _VALUE,
    "Values": "outcome[x], or outcome.solutions.values(x)",
    "BooleanValue": _VALUE,
    "ObjectiveValue": "outcome.objective",
    "BestObjectiveBound": "outcome.bound",
    "stat": "outcome.status, or outcome.statistics",
    "stats": _STATISTICS,
    "status": "outcome.status",
    "solution": "outcome.solution",
    "result": "outcome.solution",
    "StatusName": "outcome.status",
    "status_name": "outcome.status",
    "cpm_status": "outcome.status",
    "ResponseStats": _STATISTICS,
    "NumConflicts": _STATISTICS,
    "NumBranches": _STATISTICS,
    "WallTime": _STATISTICS,
    "UserTime": _STATISTICS,
    "runtime": _STATISTICS,
    "has_solution": "outcome.solution is not None",
    "is_sat": "outcome.solution is not None",
    # keywords
    "max_time_in_seconds": "time_limit=",
    "timeout": "time_limit=",
    "max_time": "time_limit=",
    "set_time_limit": "m.solve(time_limit=...)",
    "limit": "time_limit=, step_limit= or solution_limit=",
    "penalty": "weight=",
    "time_limit_seconds": "time_limit=",
    "num_search_workers": "num_workers=",
    "workers": "num_workers=",
    "processes": "num_workers=",
    "threads": "num_workers=",
    "nr_solutions": "solution_limit=",
    "num_solutions": "solution_limit=",
    "max_solutions": "solution_limit=",
    "all_solutions": _ENUMERATE,
    "hints": "hint={x: value}",
    "callback": "m.enumerate(function), or on_improvement=function for better and better solutions",
    "solution_callback": "m.enumerate(function)",
    "display": "m.enumerate(function)",
    "intermediate_solutions": "on_improvement=function",
    "verbose": "log=True",
    "log_search_progress": "log=True",
    "dims": "shape=",
    # arrays of numbers
    "count_nonzero": "b.sum()",
    "prod": "a product, as in x[0] * x[1]",
    "mean": "x.sum(), compared with the mean times len(x)",
    "average": "x.sum(), compared with the mean times len(x)",
    "argmax": "x[k] == maximum(x) with a variable k",
    "argmin": "x[k] == minimum(x) with a variable k",
    "sort": "Increasing(x), which states an order",
    "sorted": "Increasing(x), which states an order",
    "argsort": "Inverse(x, place), where x are the numbers 0 to n - 1 in some order",
    "diagonal": "np.diagonal(x)",
    "squeeze": "x.reshape(shape)",
    "item": "x.flat[k]",
    "clip": "maximum(low, minimum(x, high))",
    "dot": "x @ y",
    "transpose": "x.T",
    "tolist": "list(x)",
    "where": "element([b, a], condition)",
    "loc": "x[label, ...], where an axis has labels",
    "at": "x[label, ...], where an axis has labels",
    "iloc": "x[place, ...]",
    "iat": "x[place, ...]",
}
"""What is written here, by the name elsewhere."""

OF_VALUES = (
    "Not", "negate", "negated", "Implies", "OnlyEnforceIf", "WithName", "SetName", "Proto", "ModelProto",
    "Value", "BooleanValue", "lb", "ub", "LowerBound", "UpperBound", "get_bounds", "Domain", "Sum", "Max",
    "Min", "All", "Any", "Abs", "WeightedSum", "isin", "argmax", "argmin", "argsort", "average", "clip",
    "count_nonzero", "diagonal", "dot", "item", "mean", "prod", "product", "sort", "sorted",
    "squeeze", "tolist", "transpose", "where", "loc", "iloc", "at", "iat",
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


def explaining_class(made: type[Made]) -> type[Made]:
    """Return the class, whose calls answer keywords as `explaining_keywords` does."""
    setattr(made, "__init__", explaining_keywords(made.__init__))  # noqa: B010 - mypy allows no method to be set
    return made


def no_keyword(
    called: str, name: str, known: Iterable[str], own: Mapping[str, str] = MappingProxyType({})
) -> UnknownParameter:
    """Return what a keyword that a function does not have is answered with."""
    names = list(known)
    advice = f"; write {own[name]}" if name in own else spelled(name, names) or did_you_mean(name, names)
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
