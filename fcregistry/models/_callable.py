"""When is a function a model? When it takes messages and returns a message or a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from fcregistry.models._accumulating import StreamedCalls
from fcregistry.models._answers import completed, completion_of
from fcregistry.models._asking import FunctionModel, Question, takes, takes_any
from fcregistry.models._completion import Completion, Delta, WholeDeltas
from fcregistry.models._messages import Message
from fcregistry.models._offered import offered

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.models._model import ToolChoice


class CallableModel(FunctionModel):
    """A function as a model.

    It is given the messages as a list of dicts in the shape of OpenAI's chat, its own to change. A message that it returned as such a dict
    comes back to it as it wrote it, with whatever else it put there.

    It returns a text, or a message in the shape of any provider, as a dict or an SDK object; or a `Completion`. Or it yields its answer: texts,
    or `Delta`, and a `Completion` last if it likes. It may be async. A plain one runs on the caller's thread, and on one of ours
    where a loop would wait for it.

    Args:
        function: The function. One with a parameter `tools`, or with `**` parameters, is given the tools' definitions in OpenAI's shape by
            that name. One with a parameter `tool_choice` is given that as OpenAI writes it; one with `**` parameters, where it is not `auto`.
            One without is shown the tools that may be called, which are none for `none`, and one for a name.
        name: What the model is called; by default, `callable:` and the function's name.

    Raises:
        TypeError: It cannot be called.
    """

    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None:
        if not callable(function):
            raise TypeError(f"llm is a callable from messages to a message or text, not {function!r}")
        super().__init__(function, name)
        self._takes_any = takes_any(function)
        self._takes_tools = takes(function, "tools") or self._takes_any
        self._takes_choice = takes(function, "tool_choice")

    def _question(self, messages: Sequence[Message], tools: Sequence[Tool], tool_choice: ToolChoice) -> Question:
        told = [self._written(message) for message in messages]
        options = self._options(tools, tool_choice)
        return Question(lambda: self._function(told, **options), _Listener(self.name))

    def _written(self, message: Message) -> dict[str, Any]:
        """Return a message as the function is given it: its own as it wrote it, others with what the shape has a place for."""
        own = message.native.get(self.name)
        if own is not None:
            return dict(deepcopy(own))
        return message.replaced(reasoning=None, is_error=False, continues=False, native={}).to_dict()

    def _options(self, tools: Sequence[Tool], tool_choice: ToolChoice) -> dict[str, Any]:
        options: dict[str, Any] = {}
        says_choice = self._takes_choice or (self._takes_any and tool_choice != "auto")
        if self._takes_tools:
            from fcregistry.formats import get  # with what a schema is written with, which not every function needs

            options["tools"] = get("openai").describe(tools if says_choice else offered(tools, tool_choice))
        if says_choice:
            options["tool_choice"] = _written_choice(tool_choice)
        return options


def _written_choice(tool_choice: ToolChoice) -> str | dict[str, Any]:
    if tool_choice in ("auto", "required", "none"):
        return tool_choice
    return {"type": "function", "function": {"name": tool_choice}}


class _Listener:
    """Makes a completion of what a function returned or yielded."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._calls = StreamedCalls()
        self._completion: Completion | None = None
        self._whole = WholeDeltas()

    def whole(self, answer: object) -> Completion:
        """Return the completion that an answer is, which keeps a dict of the function's for when it is asked again."""
        completion = completion_of(answer, self._name)
        if isinstance(answer, Mapping) and _is_openai(answer):
            message = completion.message
            own = {"role": "assistant", "content": None, **deepcopy(dict(answer))}
            if {name: said for name, said in own.items() if said or name == "content"} != message.to_dict():
                completion = completed(message.replaced(native={self._name: own}), self._name)
        return completion

    def heard(self, piece: object) -> Delta | None:
        """Take a text, a `Delta`, or the completion.

        Raises:
            TypeError: It is none of these.
        """
        if isinstance(piece, Completion):
            self._completion = piece
            return None
        if not isinstance(piece, (str, Delta)):
            raise TypeError(f"the model yielded a {type(piece).__name__}; a piece of an answer is a text or a Delta")
        delta = Delta(content=piece) if isinstance(piece, str) else piece
        self._texts.append(delta.content)
        self._thoughts.append(delta.reasoning)
        self._calls.add_delta(delta)
        return self._whole.add(delta)

    def ended(self) -> Iterable[Delta | Completion]:
        """Return what was held back, and the completion: the function's own, or what its pieces come to."""
        rest = self._whole.rest()
        return (*([rest] if rest is not None else []), self._completion or self._completed())

    def _completed(self) -> Completion:
        calls = self._calls.calls()
        text = "".join(self._texts)
        message = Message(
            role="assistant",
            content=text or (None if calls else ""),
            tool_calls=calls,
            reasoning="".join(self._thoughts) or None,
        )
        return completed(message, self._name)


def _is_openai(answer: Mapping[str, Any]) -> bool:
    """Tell whether a message can go back into a conversation in the shape of OpenAI's chat as it is."""
    if answer.get("role", "assistant") != "assistant" or not isinstance(answer.get("content"), str | None):
        return False
    calls = answer.get("tool_calls") or []
    return ("content" in answer or bool(calls)) and isinstance(calls, list) and all(_is_call(call) for call in calls)


def _is_call(call: object) -> bool:
    return isinstance(call, Mapping) and isinstance(call.get("function"), Mapping)
