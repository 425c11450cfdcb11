"""Tool calls that come in pieces, put together by index, id and name, none of which can be relied on.

OpenAI's API gives every piece the index of its call, and the first one the call's id and name. Servers that speak its protocol differ:
Gemini's and Mistral's leave the index out; Gemini's and Ollama's give each call the index 0; vLLM and MiniMax say the name with every piece;
LM Studio, and vLLM once, give every piece a new id; Azure gives later pieces an empty one; some give an id to no piece but the last; some give the
arguments another index than the name and the id.

So these are the rules, in order:

1. A piece without an id, a name and text is ignored. An empty id or name counts as none.
2. *Which call is meant?* The one that has the piece's id, unless a named piece has another index. Otherwise the latest of that index. Otherwise,
   where the piece has no index, or no name while the latest call has no index, the latest of all.
3. *Does it begin a call?* A piece that matches no call does. So does one with a name, if the call that is meant has another id; or has begun its
   arguments under another name, or without one; or has them whole (no more text can follow them) and the piece has text; or if the name is a
   tool's, as is the name of the call that is meant, and both together are not. So does text after whole arguments and the name once more.
   Whole arguments under the id that had them already repeat the same call.
4. *What does it add?* The first id stays. The name, until arguments begin: the same again is no more than the name, anything else is its next
   piece. Text is added as it is, however often the same comes; an object is added as its JSON text.
5. *To which call does a fragment belong*, which never gets a name? It is the arguments of the only call before it that has no arguments, though
   its tool takes some, unless both have ids, or the arguments of another call are not whole. If there is no such call, or there are several, the
   message is an error, and so none of its calls runs. The message is an error, too, if such a call has the id of another call, or if a later call
   got its first arguments only because it was the latest.

A call whose text ends in the middle stays as it is: the executor refuses it, and nothing completes it.

Sources: OpenAI API reference, "The chat completion chunk object"; reports of users of these servers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from fcregistry._base.call import ToolCall
from fcregistry.models._model import ToolCallDelta

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.models._model import Delta


class StreamedCalls:
    """Puts the tool calls of one answer together, from the pieces in which they come.

    Args:
        tools: The tools that the model may call.
    """

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._last_guess = 0  # the place of the last call that got its first arguments only because it was the latest
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._by_id: dict[tuple[int | None, str], _Call] = {}

    def add(
        self, index: int | None, id: str | None, name: str | None, arguments: str | Mapping[str, Any] | None
    ) -> ToolCallDelta | None:
        """Take the next piece of a call.

        Args:
            index: The index of the call, as the server gives it; None if it gives none.
            id: The call's id, if the piece has one.
            name: The tool's name, or a piece of it, if the piece has one.
            arguments: More of the text of the arguments; or all of them, as an object.

        Returns:
            The piece with the position of its call, and the id and the name as far as they are known; None if it has nothing new.
        """
        text = _text(arguments)
        if not (id or name or text):
            return None
        call = self._matching_call(index, id, bool(name))
        if call is not None and call.is_repeated_by(id, text):
            return None
        if call is not None and call.is_named_again and text.strip():
            name = name or call.name
        if call is None or self._begins(call, id, name, text):
            call = _Call(len(self._calls))
            self._calls.append(call)
        elif text and not (id or name or call.has_begun) and index not in self._by_index:
            self._last_guess = call.place
        changed = call.add(id, name, text)
        self._remember(call, index, id)
        return ToolCallDelta(index=call.place, id=call.id, name=call.name or None, arguments=text) if changed else None

    def add_delta(self, delta: Delta) -> None:
        """Take the pieces of calls in `delta`."""
        for piece in delta.tool_calls:
            self.add(piece.index, piece.id, piece.name, piece.arguments)

    def calls(self) -> tuple[ToolCall, ...]:
        """Return the calls as far as they have come, in the order in which they began.

        The arguments are text, or None.

        Raises:
            ValueError: It is not certain to which call a piece belongs.
        """
        incomplete: list[_Call] = []
        fragments: dict[_Call, _Call] = {}  # a call without arguments -> the fragment that is its arguments
        for call in self._calls:
            if call.name:
                incomplete += [call] if self._lacks_arguments(call) else []
                continue
            if len(incomplete) != 1 or not call.text.startswith("{") or (incomplete[0].id and call.id):
                raise ValueError(f"a piece belongs to none of its calls: {call.text or call.id!r:.80}")
            fragments[incomplete.pop()] = call
        self._check(incomplete, fragments)
        made = ((call, fragments.get(call, call)) for call in self._calls if call.name)
        return tuple(ToolCall(call.name, other.text or None, call.id or other.id) for call, other in made)

    def _check(self, incomplete: Iterable[_Call], fragments: Mapping[_Call, _Call]) -> None:
        """Raise `ValueError` if arguments may belong to another call than the one that has them.

        Args:
            incomplete: The calls without arguments whose tools take some.
            fragments: Call without arguments -> the piece without a name that became its arguments.
        """
        ids = Counter(call.id for call in self._calls)
        unclear = [
            each
            for each in (*incomplete, *fragments)
            if each.place < self._last_guess or (each.id and ids[each.id] > 1)
        ]
        if fragments:
            begun = (each for each in self._calls if each.name and each.has_begun)
            unclear += [
                *incomplete,
                *(each for each in begun if not (each.is_whole and each.text.lstrip().startswith("{"))),
            ]
        if unclear:
            raise ValueError(f"it is not certain which arguments the call of {unclear[0].name!r:.80} has")

    def _lacks_arguments(self, call: _Call) -> bool:
        """Return whether `call` has no arguments, though its tool takes some; False if the tool is not known."""
        tool = self._tools.get(call.name)
        if tool is None or call.text.strip():
            return False
        return bool(tool.parameters.get("properties")) or tool.parameters.get("additionalProperties") is not False

    def _begins(self, call: _Call, id: str | None, name: str | None, text: str) -> bool:
        """Return whether a piece with `id`, `name` and `text` begins another call after `call`.

        `call` is the one that `_matching_call` returned for it. A piece without a name begins none. A piece with a name begins one if its id is
        another; or, after arguments have begun, if its name is another, or they are whole and it has text; or, before that, if both names are
        tools, and both together are not.
        """
        if not name:
            return False
        if id and call.id and id != call.id:
            return True
        if call.has_begun:
            return name != call.name or (call.is_whole and bool(text.strip()))
        are_tools = name in self._tools and call.name in self._tools
        return are_tools and name != call.name and call.name + name not in self._tools

    def _matching_call(self, index: int | None, id: str | None, named: bool) -> _Call | None:
        """Return the call that a piece belongs to, or that it comes after, or None if there is none.

        It is the call with the piece's `id`, as `_call_with_id` finds it; else the latest call with its `index`; else the latest of all calls,
        if the piece has no index, or if it has no name (`named` is False) and that call has no index.
        """
        known = self._call_with_id(index, id, named) if id else None
        if known is None and index is not None:
            known = self._by_index.get(index)
        if known is None and self._calls:
            latest = self._calls[-1]
            known = latest if index is None or (latest.index is None and not named) else None
        return known

    def _call_with_id(self, index: int | None, id: str, named: bool) -> _Call | None:
        """Return the latest call with `id` and `index`, else the latest with `id`, or None if there is none.

        A call with another index counts only if the piece has no name (`named` is False), or one of them has no index.
        """
        known = self._by_id.get((index, id))
        if known is None and (other := self._by_id.get((None, id))) is not None:
            known = other if index is None or other.index is None or not named else None
        return known

    def _remember(self, call: _Call, index: int | None, id: str | None) -> None:
        """Record that `call` got a piece with `index` and `id`, so that later pieces find the call by them.

        The first index becomes that of the call; another one is not recorded.
        """
        if index is not None and call.index is None:
            call.index = index
        if index is not None and index == call.index:
            self._by_index[index] = call
        if id:
            self._by_id[call.index, id] = self._by_id[None, id] = call


class _Call:
    """A call that is being written.

    Attributes:
        place: The position of the call in the answer.
        index: Its index, as the server gives it.
        id: Its id.
        name: The name of the tool, as far as it has come.
        is_whole: Whether the arguments are complete: the first bracket or quote was closed.
        is_named_again: Whether the name came again after the whole arguments, so that more arguments begin another call.
    """

    __slots__ = (
        *("_depth", "_escaped", "_in_string", "_length", "_pieces"),
        *("id", "index", "is_named_again", "is_whole", "name", "place"),
    )

    def __init__(self, place: int) -> None:
        self.place = place
        self.index: int | None = None
        self.id: str | None = None
        self.name = ""
        self._pieces: list[str] = []
        self._length = self._depth = 0
        self._in_string = self._escaped = self.is_whole = self.is_named_again = False

    @property
    def text(self) -> str:
        """The arguments as far as they have come."""
        return "".join(self._pieces)

    @property
    def has_begun(self) -> bool:
        """Whether any of the arguments have come."""
        return bool(self._pieces)

    def is_repeated_by(self, id: str | None, text: str) -> bool:
        """Return whether `text`, in a piece with `id`, repeats the whole arguments of the same id."""
        # The lengths first: white space may come after whole arguments in any number of pieces.
        return bool(id) and id == self.id and self.is_whole and len(text) == self._length and text == self.text

    def add(self, id: str | None, name: str | None, text: str) -> bool:
        """Add a piece, and return whether it has anything new: rule 4."""
        before = self.id, self.name
        self.id = self.id or id or None
        if name and name != self.name:
            self.name += name
        elif name:
            self.is_named_again = self.is_whole
        if text:
            self._pieces.append(text)
            self._length += len(text)
            self._find_end(text)
        return bool(text) or before != (self.id, self.name)

    def _find_end(self, text: str) -> None:
        """Look for the end of the arguments in their next piece, `text`, and set `is_whole` if it is there.

        They end where their first bracket or quote is closed.
        """
        for character in text:
            if self.is_whole:
                return
            if self._in_string:
                self._in_string = self._escaped or character != '"'
                self._escaped = character == "\\" and not self._escaped
            elif character == '"':
                self._in_string = True
            elif character in "{[":
                self._depth += 1
            elif character in "}]":
                self._depth -= 1
            else:
                continue
            self.is_whole = not self._in_string and self._depth <= 0


def _text(arguments: str | Mapping[str, Any] | None) -> str:
    """Return `arguments` as text: an object as JSON, None as an empty text, and text as it is."""
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    import json  # only for arguments that come as objects

    return json.dumps(dict(arguments), ensure_ascii=False, default=str)
