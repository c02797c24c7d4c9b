"""Terms, truths and constraints as one line of text, for messages, reports and `repr`."""

from cpqueens.language.expressions import BoolArray, LinearArray
from cpqueens.language.linear_rows import Row
from cpqueens.language.wording import Named, Wording

_LONGEST = 400  # letters of a line


def describe_term(model: Named, row: Row) -> str:
    """Return one term as text, such as ``q[0] - 2*q[1] + 3``."""
    return _cut(Wording(model).term(row))


def describe_array(model: Named, array: LinearArray) -> str:
    """Return terms as text: one, or a (nested) list, shortened in the middle of long ones."""
    return _cut(Wording(model).array(array))


def describe_elements(model: Named, array: LinearArray) -> str:
    """Return terms as `describe_array` does, the elements also of an array that has a name."""
    return _cut(Wording(model).elements(array))


def describe(model: Named, truth: BoolArray, width: int = _LONGEST) -> str:
    """Return a constraint, or truths, as text, such as ``q[0] != q[1] + 1`` or ``AllDifferent(q)``.

    It has at most ``width`` letters: long lists are shortened, and after that the text is cut.
    """
    for head in (5, 3, 2, 1):
        text = Wording(model, head).truth(truth)
        if len(text) <= width:
            return text
    return _cut(text, width)


def describe_variable(model: Named, variable: int) -> str:
    """Return a defined variable as the function it stands for, such as ``abs(q[0] - q[1])``."""
    return _cut(Wording(model).variable(variable))


def _cut(text: str, width: int = _LONGEST) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
