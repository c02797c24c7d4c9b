"""What is in an outcome's statistics: each name with its meaning, whoever reports it.

All solvers report the times of the pipeline and what it counted; the others are there where they mean
something. A test holds what solvers report against this table.
"""

PIPELINE: dict[str, str] = {
    "build_time": "seconds of preparing the run, before the solver gets it",
    "translate_time": "seconds of translating it for the solver",
    "compile_time": "seconds that the run waited for a compiler",
    "solve_time": "seconds of search",
    "first_solution_time": "seconds until the first solution, None if there was none",
    "check_time": "seconds of checking the delivered solutions",
    "consumer_time": "seconds within the user's callbacks; they count against no limit",
    "total_time": "seconds of the whole run",
    "overrun_time": "seconds by the clock that the run took beyond its time limit",
    "plain_time": "seconds in which kernels ran as plain Python",
    "compiled_time": "seconds in which kernels ran as machine code",
    "delivered": "assignments that the solver delivered",
    "duplicates": "of these, repeated solutions",
    "exhausted": "whether the solver says that it went through its whole space",
    "ended_by": "the reason that the solver gave for its end",
    "seed": "the random seed",
}
"""Of every run."""

SEARCH: dict[str, str] = {
    "overrun_call": "where a late run was: in a function that was broken off, or in a library's search",
    "strategy": "the strategy that ran",
    "chosen": "the strategy that `auto` chose",
    "reason": "why it was chosen",
    "structure": "what the model was recognised to be, where it was asked, as `cpqueens show` says",
    "answered_by": "of several solvers in a race, the one that answered",
    "contributors": "of several solvers, those that delivered a solution or concluded something",
    "constraints": "for each posted constraint: native, by code of cpqueens (own), or decomposed",
    "nodes": "places in the tree; of `las-vegas` the root of each attempt and every safe placement",
    "failures": "dead ends of the search",
    "decisions": "values that were tried",
    "propagations": "runs of propagators",
    "restarts": "new starts of the search",
    "nogoods": "refuted combinations that were kept",
    "deepest": "the deepest level of the tree",
    "parts": "independent, or parallel, parts of the search",
    "workers": "threads that searched",
    "estimate": "of a count that was stopped, the whole by extrapolation: no proof",
    "interval": "of that estimate, 95 %",
    "stages": "of a request that takes several runs, each of them",
    "gave_up": "the rule by which a search without a limit ended itself",
    "hint": "how the hint was used",
    "hint_given": "variables that were hinted",
    "hint_kept": "of these, those that the first solution agrees with",
    "kept": "results that were reused from the smaller model: infeasible, bound, solution, clauses",
    "changes": "how far the solution is from the earlier one (`near=`)",
    "compared": "variables that were compared with it",
    "improvements": "solutions that were better than all before",
    "relaxation": "the linear relaxation at the root: its rows, the bound of their exact sum, or why none",
    "presolve": "simplifications before the search, or why there were none",
}
"""Of searches in general."""

OWN: dict[str, dict[str, str]] = {
    "cpsat": {
        "formulation": "boolean for boards, else integer",
        "branches": "CP-SAT's decisions",
        "conflicts": "CP-SAT's conflicts",
        "second_search": "the second search, by OR-Tools' portfolio: joined, or answered",
    },
    "backtracking": {
        "relaxations": "linear relaxations that branch and bound solved, one at each node",
        "clauses_learned": "clauses that conflicts gave",
        "clauses_forgotten": "of these, those that were dropped again",
        "clauses_audited": "of these, those whose opposite was refuted again, with `audit=True`",
        "literals_learned": "literals of all of them",
        "mean_clause_length": "literals per clause",
        "explained": "changes of domains that conflicts asked to explain",
        "explained_by_all": "of these, those explained by all that the propagator's arguments had lost",
    },
    "las-vegas": {
        "attempts": "attempts, each of random placements and the search below them",
        "successes": "of these, those that found a solution",
        "nodes_of_successes": "nodes of attempts that succeeded",
        "nodes_of_failures": "nodes of attempts that did not",
        "stop_vegas": "variables that were placed at random",
        "estimates": "success rate, nodes of a success and of a failure, expected nodes",
    },
    "local-search": {
        "steps": "steps of the strategy, as it counts them",
        "evaluations": "neighbours whose cost was computed",
        "moves": "steps that changed the assignment",
        "resets": "partial new starts",
        "anneals": "coolings of one row",
        "misplaced_by_start": "of `sosic-gu-4`: queens that its start could not place free of conflicts",
        "neighbourhood": "groups whose variables are swapped, and constraints that swaps keep",
        "layers": "constraints by how they are evaluated",
        "special": "the kernel made for this pattern",
        "trajectory": "a digest of all moves: equal runs have equal ones",
    },
    "minizinc": {
        "program": "the program that was started",
        "solutions_printed": "solutions that the program printed",
    },
    "a hand-over": {
        "heuristic": "how the first part ended",
        "exact": "how the second part ended, None if it did not start",
        "found_by": "the solver that found the solution",
        "proved_by": "the solver that proved it, None without a proof",
    },
}
"""Of single solvers."""

MEANINGS: dict[str, str] = {
    **PIPELINE,
    **SEARCH,
    **{name: meaning for names in OWN.values() for name, meaning in names.items()},
}
