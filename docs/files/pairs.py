"""Two pairs of digits: the reference, and a model written by somebody else."""

from cpqueens import Model


def reference() -> Model:
    """Return the right model."""
    m = Model("reference")
    x = m.intvar(0, 9, shape=2, name="x")
    m.add(x[0] < x[1], name="in order")
    m.add(x.sum() == 9, name="sum")
    return m


def candidate() -> Model:
    """Return a model with a slip."""
    m = Model("candidate")
    x = m.intvar(0, 9, shape=2, name="x")
    m.add(x[0] < x[1])
    m.add(x.sum() // 2 == 4)
    return m
