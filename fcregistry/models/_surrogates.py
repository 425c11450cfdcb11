r"""Halves of characters in what a model or a tool says, which UTF-8 and so no request can carry.

JSON may write half of a surrogate pair, `"\ud83d"`, as a character (RFC 8259, 8.2). A stream may also cut a pair in two, between its pieces:
these halves are joined. A half that stays alone becomes U+FFFD, the replacement character, as the Unicode Standard advises (3.9, C10).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from operator import is_
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from fcregistry.models._completion import Delta

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


class WholeDeltas:
    """Joins the halves of characters that the pieces of an answer have cut in two."""

    def __init__(self) -> None:
        self._halves: dict[object, str] = {}  # the last half of each text, which is held back: it may begin a pair

    def add(self, delta: Delta) -> Delta | None:
        """Take the next piece, and return it with whole characters; None where nothing of it can be told yet."""
        calls = tuple(
            replace(each, name=each.name and joined(each.name), arguments=self.text(each.index, each.arguments))
            for each in delta.tool_calls
        )
        content, reasoning = self.text("content", delta.content), self.text("reasoning", delta.reasoning)
        return (
            replace(delta, content=content, reasoning=reasoning, tool_calls=calls)
            if content or reasoning or calls
            else None
        )

    def rest(self) -> Delta | None:
        """Return what was held back of the text and the thoughts, once they have ended; None where nothing was."""
        from fcregistry.models._completion import Delta  # which needs messages, and so this module

        content, reasoning = self.end("content"), self.end("reasoning")
        return Delta(content=content, reasoning=reasoning) if content or reasoning else None

    def text(self, which: object, piece: str) -> str:
        """Take the next piece of one of the texts, and return what is certain of it."""
        if piece.isascii() and not self._halves:
            return piece
        text = self._halves.pop(which, "") + piece
        if "\ud800" <= text[-1:] <= "\udbff":
            self._halves[which] = text[-1]
            text = text[:-1]
        return joined(text)

    def end(self, which: object) -> str:
        """Return what was held back of one of the texts, once it has ended."""
        return joined(self._halves.pop(which, ""))
