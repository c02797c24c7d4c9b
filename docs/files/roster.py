"""A roster: three shifts a day, one nurse in each, and common rules for nurses."""

from cpqueens import AllDifferent, Model


def model(nurses: int = 5, days: int = 7) -> Model:
    """Return the roster; all nurses work about as many shifts."""
    m = Model("roster")
    who = m.intvar(0, nurses - 1, shape=(days, 3), name="who")  # who works in each shift
    m += [AllDifferent(day) for day in who]
    m.add(who[:-1, 2] != who[1:, 0], name="no morning after a night")
    m.add(who[:, 2] != 0, name="nurse 0 works no nights")
    for nurse in range(nurses):
        shifts = (who == nurse).sum()
        m.add(shifts >= 3 * days // nurses, shifts <= -(-3 * days // nurses))
    return m
