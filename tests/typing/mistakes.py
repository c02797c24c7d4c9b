"""Mistakes that mypy finds: each is expected on its line, and a line without one is reported too."""

from cpqueens import Model, cross_check


def never_called() -> None:
    """Make them."""
    m = Model("mistakes")
    x = m.intvar(0, 3, shape=2, name="x")

    m.solve(tiem_limit=3)  # type: ignore[call-arg]
    m.solve(time_limit="3")  # type: ignore[arg-type]
    m.solve("cpsat", lineariztion_level=2)  # type: ignore[call-arg]
    m.solve(tenure="long")  # type: ignore[arg-type]
    m.enumerate(optimum=True)  # type: ignore[call-arg]
    m.enumerate(gap="1")  # type: ignore[arg-type]
    m.count(solution_limit=3)  # type: ignore[call-arg]
    m.solutions(limit=3)  # type: ignore[call-arg]
    m.explain_infeasible(hint={})  # type: ignore[call-arg]
    m.add_soft(x == 1, wieght=3)  # type: ignore[call-arg]
    cross_check(m, solver="cpsat")  # type: ignore[call-arg]
    m.intvar(0, 3, size=4)  # type: ignore[call-arg]
