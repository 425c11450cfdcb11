"""How does a known chat format write a conversation? Each role has a text before and after what it says."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fcregistry.dialects._chat._markers import broken_up, markers_in, usable
from fcregistry.dialects._chat._messages import plain_messages, text_of
from fcregistry.errors import ChatTemplateError

_ROLES: Final = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFormat:
    """A way to write a conversation that is one row of a table. Immutable; `dataclasses.replace` makes one like it.

    Attributes:
        name: What it is called.
        source: The published page or template that it follows, by its title.
        system: The texts before and after what a system message says.
        user: The same of the user's.
        assistant: The same of the model's.
        tool: The same of the result of a call.
        begin: What stands before all messages.
        prompt: What makes the model answer.
        stops: Where an answer ends: strings to stop generating at.
        system_in_user: Whether the format knows no system role, so that a system message stands in the next one of the user.
        trim: Whether space around what is said is left out.
        words: Markers that are plain words, such as `USER:`. Special tokens are found in the other texts.
    """

    name: str
    source: str
    system: tuple[str, str]
    user: tuple[str, str]
    assistant: tuple[str, str]
    tool: tuple[str, str]
    prompt: str
    stops: tuple[str, ...]
    begin: str = ""
    system_in_user: bool = False
    trim: bool = False
    words: tuple[str, ...] = ()

    @property
    def takes_tools(self) -> bool:
        """Whether it shows tools itself: never. A dialect writes them into the system message."""
        return False

    @property
    def markers(self) -> tuple[str, ...]:
        """What no message may hold, since it would look like a turn of its own: the longest first."""
        roles = (*self.system, *self.user, *self.assistant, *self.tool)
        return usable((*self.words, *markers_in(self.begin, self.prompt, *roles, *self.stops)))

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] = (),
        *,
        generation_prompt: bool = True,
        markers: Iterable[str] | None = None,
    ) -> str:
        """Return a conversation as the text that the model reads.

        Calls in a message of the assistant stand after its content, as JSON with a line each. To have them in the words of
        a dialect, put them into the content. Markers of the format in a message are broken up by a space.

        Args:
            messages: Messages in the shape of OpenAI's chat; they are not changed.
            tools: Must be empty: see `takes_tools`.
            generation_prompt: Whether the text ends with what makes the model answer.
            markers: What is broken up in messages, in the place of `markers`.

        Raises:
            ChatTemplateError: There are tools, or a message has no role that is known or content that is no text.
        """
        if tools:
            raise ChatTemplateError(
                f"the chat format {self.name!r} has no place for tools: let a dialect write them into the system message"
            )
        written, waiting = [self.begin], ""
        kept_out = self.markers if markers is None else usable(markers)
        for role, said in self._turns(plain_messages(messages), kept_out):
            if role == "system" and self.system_in_user:
                waiting += self._around("system", said)
                continue
            text = waiting + said if role == "user" else said
            waiting = "" if role == "user" else waiting
            written.append(self._around(role, text))
        if waiting:  # nobody spoke after it
            written.append(self._around("user", waiting.rstrip()))
        return "".join([*written, self.prompt if generation_prompt else ""])

    def _turns(self, messages: list[dict[str, Any]], markers: tuple[str, ...]) -> list[tuple[str, str]]:
        return [
            (self._role(message, index), broken_up(self._said(message, index), markers))
            for index, message in enumerate(messages)
        ]

    def _role(self, message: dict[str, Any], index: int) -> str:
        role = _ROLES.get(message["role"])
        if role is None:
            raise ChatTemplateError(
                f"$[{index}].role: must be system, user, assistant or tool, not {message['role']!r:.50}"
            )
        return role

    def _said(self, message: dict[str, Any], index: int) -> str:
        text = text_of(message["content"], f"$[{index}]")
        calls = "\n".join(map(_call_line, message.get("tool_calls") or ()))
        said = "\n".join(part for part in (text, calls) if part)
        return said.strip() if self.trim else said

    def _around(self, role: str, said: str) -> str:
        around: tuple[str, str] = getattr(self, role)
        return f"{around[0]}{said}{around[1]}"


def _call_line(call: Any) -> str:
    function = call.get("function", call) if isinstance(call, dict) else {}
    shown = {"name": function.get("name", ""), "arguments": function.get("arguments", {})}
    return json.dumps(shown, ensure_ascii=False)
