r"""Halves of characters in what a model or a tool says, which UTF-8 and so no request can carry.

JSON may write half of a surrogate pair, `"\ud83d"`, as a character (RFC 8259, 8.2). A stream may also cut a pair in two, between its pieces:
these halves are joined. A half that stays alone becomes U+FFFD, the replacement character, as the Unicode Standard advises (3.9, C10).
"""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    pass

T = TypeVar("T")


def joined(text: str) -> str:
    """Return a text in which the halves of pairs are joined, and those that are alone are replaced."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def escaped(text: str) -> str:
    r"""Return a text in which the halves that are alone are written out as in JSON, `\udcff`: names of files hold such, and are to be told apart."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def in_texts(change: Callable[[str], str], value: T) -> T:
    """Return a JSON value in which each text and name is changed; the value itself where that changes none, or where it is not JSON."""
    try:
        return _changed(change, value)  # type: ignore[no-any-return]
    except RecursionError:  # a circle, which nothing can write as JSON: whoever tries is told so
        return value


def _changed(change: Callable[[str], str], value: Any) -> Any:
    kind = type(value)
    if isinstance(value, str):
        return change(value)
    if kind is dict:
        changed = {_changed(change, name): _changed(change, each) for name, each in value.items()}
        is_same = all(map(is_, value.keys(), changed.keys())) and all(map(is_, value.values(), changed.values()))
        return value if is_same and len(changed) == len(value) else changed
    if kind in (list, tuple):
        items = [_changed(change, each) for each in value]
        return value if all(map(is_, value, items)) else kind(items)
    return value
