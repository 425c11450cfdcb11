"""Which of the values in a model's answer is the answer? One that is valid; where there are several, none."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Any

from fcregistry.prompts._found import Value, Wrong

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fcregistry._base.call import Problem
    from fcregistry.prompts._found import Found

_SAID_OF_ONE = "the answer was one item where an array is due: taken as an array of it"
_SAID_OF_SEVERAL = "the answer was several items where an array is due: taken as an array of them"


def chosen(
    found: Sequence[Found], problems: Callable[[Any], tuple[Problem, ...]], *, takes_list: bool, syntax: str
) -> Found:
    """Return the value that is meant, or why none is.

    Values in code blocks come before those in prose. What is wrong in a code block, or does not end, makes all of the answer wrong: it may be
    the value that was meant.

    Args:
        found: What was found, in its order.
        problems: Says what is wrong with a value.
        takes_list: Whether the answer is an array, whatever its items are.
        syntax: What the model was to write.
    """
    if any(each.fenced for each in found if isinstance(each, Value)):
        found = [each for each in found if each.fenced]
    values = [each for each in found if isinstance(each, Value)]
    wrong = [each for each in found if isinstance(each, Wrong)]
    decisive = [each for each in wrong if each.fenced or each.open or not values]
    if decisive:
        return decisive[0]
    if not values:
        return Wrong(f"has no {syntax.upper()}; write the answer as {syntax.upper()}")
    valid = {dumps(each.value, sort_keys=True): each for each in values if not problems(each.value)}
    if len(valid) > 1:
        return Wrong(f"has {len(valid)} values, and each could be the answer; write one")
    if valid:
        return next(iter(valid.values()))
    if takes_list and not any(isinstance(each.value, list) for each in values):
        said = _SAID_OF_ONE if len(values) == 1 else _SAID_OF_SEVERAL
        repairs = {repair for each in values for repair in each.repairs} | {said}
        return Value([each.value for each in values], tuple(sorted(repairs)))
    return values[-1]
