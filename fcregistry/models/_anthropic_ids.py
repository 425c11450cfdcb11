"""Which id does a call have on the wire of Anthropic's messages API? Its own, if it can be one there, else one that is made.

Calls of other providers have ids that this one does not take, the same ones in every answer, or none. Source: the API's own error messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_ID = re.compile(r"[a-zA-Z0-9_-]{1,200}")


class CallIds:
    """The ids of a conversation's calls, told message by message."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}  # by the ids on the wire
        self._open: list[tuple[str | None, str]] = []  # calls without a result: their own ids, and those on the wire

    def keep(self, ids: Iterable[str | None]) -> None:
        """Take the ids of calls as they are: the provider made them."""
        for own in ids:
            self._add(own, own or "")

    def make(self, ids: Iterable[str | None]) -> list[str]:
        """Return the ids on the wire of the calls of a message.

        Args:
            ids: Their own ids.
        """
        made = []
        for own in ids:
            is_free = own is not None and _ID.fullmatch(own) is not None and own not in self._places
            made.append(self._add(own, own if own and is_free else self._new()))
        return made

    def of_result(self, id: str | None) -> str:
        """Return the id on the wire of the call that a result answers: the first with that id that has no result, any where it has none."""
        for call in self._open:
            if not id or call[0] == id:
                self._open.remove(call)
                return call[1]
        return id or ""

    def place(self, block: Mapping[str, Any]) -> tuple[bool, int]:
        """Return where a block of a user's turn stands: results before all else, in the order of the calls."""
        is_other = block.get("type") != "tool_result"
        return is_other, 0 if is_other else self._places.get(block["tool_use_id"], len(self._places))

    def _add(self, own: str | None, wire: str) -> str:
        self._places.setdefault(wire, len(self._places))
        self._open.append((own, wire))
        return wire

    def _new(self) -> str:
        number = len(self._places) + 1
        while (made := f"call_{number}") in self._places:
            number += 1
        return made
