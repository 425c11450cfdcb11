"""Does a name stand twice in an object of a JSON text? Told without reading the text again, where that can be told."""

from __future__ import annotations

from typing import Any, Final


def has_each_name_once(text: str, value: dict[str, Any] | list[Any]) -> bool:
    """Tell whether no name stands twice in an object of a JSON text: as many colons as names say so, beside those inside of strings."""
    count = text.count(":")
    if count == (len(value) if type(value) is dict else 0):  # every name stands right here, as in most calls
        return True
    return count == _names_in(value) or ("\\u003" not in text and count == _colons_in(value))


def _colons_in(value: dict[str, Any] | list[Any]) -> int:
    """Return how many colons the text of a JSON value has at least, if none is written as an escape."""
    count = 0
    inside: list[Any] = [value]
    for each in inside:  # which grows on the way
        items = each
        if type(each) is dict:
            count += len(each) + sum([name.count(":") for name in each])
            items = each.values()
        for item in items:
            if type(item) is str:
                count += item.count(":")
            elif type(item) in _HOLDERS:
                inside.append(item)
    return count


def _names_in(value: dict[str, Any] | list[Any]) -> int:
    """Return how many names the objects in a JSON value have."""
    count = 0
    inside: list[Any] = [value]
    for each in inside:  # which grows on the way
        if type(each) is dict:
            count += len(each)
            each = each.values()  # noqa: PLW2901  # to be looked at like the items of an array
        for item in each:
            if type(item) in _HOLDERS:
                inside.append(item)  # noqa: PERF401  # it is the list that is iterated
    return count


_HOLDERS: Final = frozenset({dict, list})
