"""A model's answer to a conversation: it chooses a tool and writes its arguments, or it writes text.

Each step is one request, whose reply is constrained to a schema: first one of the names, then the arguments of that tool.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from fcregistry import ToolCall
from fcregistry.errors import ModelError
from fcregistry.models import Completion, Delta, Message, ToolCallDelta, Usage, offered_tools

from fcregistry_llama._asking import Reply, Settings, ask
from fcregistry_llama._bounds import MOST_CHARACTERS, Schema
from fcregistry_llama._decoding import arguments_schema, choice_schema, is_empty, value_schema
from fcregistry_llama._narrowing import BETWEEN_VALUES, Narrowing, nearest
from fcregistry_llama._prompts import ANSWER, TO_ANSWER, arguments_instructions, choice_instructions, conversation

if TYPE_CHECKING:
    from fcregistry import Problem, Tool
    from fcregistry.models import ToolChoice

    from fcregistry_llama._servers import Server

_CHOICE_TOKENS: Final = 80
"""More tokens than any name has."""

_ATTEMPTS: Final = ((True, 0.0), (True, 0.7), (False, 0.7))
"""For each attempt to get arguments: whether texts are constrained to patterns and formats, and the lowest temperature.

Decoders cannot read every pattern or every keyword, so arguments are validated, and asked for again if they are not valid.
"""


@dataclass(slots=True, kw_only=True)
class Answering:
    """One answer in progress.

    Attributes:
        server: The model's server.
        settings: The settings for writing.
        emit: Called with each piece of the answer.
        is_stopped: Returns whether the caller has stopped waiting.
        calls_again: Whether the model may call a tool again, or another one, since the last message of the user.
        copies: Whether arguments are copied from the last message of the user, as far as that is possible.
        usage: The tokens used so far.
    """

    server: Server
    settings: Settings
    emit: Callable[[Delta], None]
    is_stopped: Callable[[], bool]
    calls_again: bool = True
    copies: bool = False
    usage: Usage = field(default_factory=Usage)

    def answer(self, messages: Sequence[Message], tools: Sequence[Tool], tool_choice: ToolChoice) -> Completion:
        """Return the answer to a conversation.

        Raises:
            ModelError: The model writes nothing valid, or llama.cpp refuses the request.
            Stopped: The caller has stopped waiting.
            ValueError: The choice is not the name of one of the tools.
        """
        may_call = offered_tools(tools, tool_choice)
        if tool_choice == "auto" and not self.calls_again and messages[-1].role == "tool":
            may_call = []
        if self.copies and len(may_call) > 1:
            may_call = nearest(may_call, _question(messages))
        tool = self._choose_tool(messages, may_call, may_answer=tool_choice == "auto")
        return self._answer_in_words(messages) if tool is None else self._call(messages, tool)

    def _choose_tool(self, messages: Sequence[Message], tools: Sequence[Tool], *, may_answer: bool) -> Tool | None:
        """Return the tool that the model calls, or None if it answers in words."""
        if not tools or (len(tools) == 1 and not may_answer):
            return tools[0] if tools else None
        named = {tool.name: tool for tool in tools}
        other = _free(ANSWER, named) if may_answer else None
        prompt = conversation(messages, choice_instructions(tools, other))
        settings = replace(self.settings, max_tokens=_CHOICE_TOKENS)
        reply = self._ask(prompt, settings, choice_schema([*named, *([other] if other else [])]))
        name = _json(reply.text)
        if name != other and name not in named:
            raise ModelError(
                f"the model did not choose one of the tools {', '.join(named)}; it wrote {reply.text!r:.100}"
            )
        return None if name == other else named[name]

    def _answer_in_words(self, messages: Sequence[Message]) -> Completion:
        """Return the completion of a text that the model writes as its answer."""
        prompt = conversation(messages, result=TO_ANSWER)
        asked = max((place for place, message in enumerate(messages) if message.role == "user"), default=None)
        if self.copies and asked is not None and messages[-1].role == "tool":
            # Very small models copy calls of the conversation in place of an answer.
            user_texts = [each["content"] for each in prompt[asked:] if each["role"] == "user"]
            prompt = [{"role": "user", "content": "\n".join(user_texts)}]
        reply = ask(
            self.server,
            prompt,
            self.settings,
            emit=lambda text, reasoning: self.emit(Delta(content=text, reasoning=reasoning)),
            is_stopped=self.is_stopped,
        )
        message = Message(role="assistant", content=reply.text, reasoning=reply.reasoning or None)
        usage = self.usage + reply.usage
        return Completion(message=message, finish_reason="length" if reply.is_cut else "stop", usage=usage)

    def _call(self, messages: Sequence[Message], tool: Tool) -> Completion:
        """Return the completion with a call of `tool`, whose arguments the model writes."""
        call_id = f"call_{1 + sum(len(message.tool_calls) for message in messages)}"
        arguments = self._arguments(messages, tool)
        is_cut = isinstance(arguments, str)
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        self.emit(Delta(tool_calls=(ToolCallDelta(index=0, id=call_id, name=tool.name, arguments=text),)))
        message = Message(role="assistant", tool_calls=(ToolCall(tool.name, arguments, call_id),))
        return Completion(message=message, finish_reason="length" if is_cut else "tool_calls", usage=self.usage)

    def _arguments(self, messages: Sequence[Message], tool: Tool) -> dict[str, Any] | str:
        """Return valid arguments for `tool`, or their text if the token limit cut it off.

        Raises:
            ModelError: No attempt gave valid arguments.
        """
        prompt = conversation(messages, arguments_instructions(tool))
        if self.copies and (copied := self._copy_arguments(prompt, _question(messages), tool)) is not None:
            return copied
        problems: Sequence[Problem] = ()
        longest = max(MOST_CHARACTERS, self.settings.max_tokens // 2)  # a token may be one character
        for attempt, (texts, temperature) in enumerate(_ATTEMPTS):
            schema = arguments_schema(tool.parameters, texts=texts, longest=longest)
            if is_empty(schema):
                return {}
            highest = max(temperature, self.settings.temperature)
            settings = replace(self.settings, seed=self.settings.seed + attempt, temperature=highest)
            reply = self._ask(prompt, settings, schema)
            if reply.is_cut:
                return reply.text
            arguments = _json(reply.text)
            problems = tool.validator().problems(arguments)
            if not problems and isinstance(arguments, dict):
                return arguments
        raise ModelError(
            f"the model wrote no valid arguments for {tool.name} in {len(_ATTEMPTS)} attempts; in the last,"
            f" {'; '.join(f'{each.path} {each.message}' for each in problems)};"
            " use a larger model, or a simpler schema"
        )

    def _copy_arguments(
        self, prompt: Sequence[Mapping[str, str]], question: str, tool: Tool
    ) -> dict[str, Any] | str | None:
        """Return arguments for `tool` with values from `question`, or None if they are not valid.

        If the token limit cut them off, return their text. The model is asked for one value after the other, so that no value is taken twice.
        """
        narrowing = Narrowing(question)
        arguments: dict[str, Any] = {}
        names = narrowing.names_to_ask(tool.parameters)
        for name in names:
            breaks = frozenset() if name == names[-1] else BETWEEN_VALUES
            narrow = narrowing.narrow(tool.parameters["properties"][name], name=name, breaks=breaks)
            schema = value_schema(narrow, tool.parameters)
            if schema is None:
                return None
            if len(values := schema.get("enum", ())) == 1:
                arguments[name] = values[0]
            else:
                prefix = json.dumps({**arguments, name: 0}, ensure_ascii=False).removesuffix(" 0}")
                reply = self._ask(prompt, self.settings, schema, prefix)
                if reply.is_cut:
                    return prefix + reply.text
                arguments[name] = _without_repetition(_json(reply.text))
            narrowing.take(arguments[name])
        return arguments if tool.validator().is_valid(arguments) else None

    def _ask(self, prompt: Sequence[Mapping[str, str]], settings: Settings, schema: Schema, prefix: str = "") -> Reply:
        """Return the model's reply to `prompt`, which follows `schema` and continues `prefix`; add its usage."""
        reply = ask(self.server, prompt, settings, schema=schema, prefix=prefix, is_stopped=self.is_stopped)
        self.usage += reply.usage
        return reply


def _question(messages: Sequence[Message]) -> str:
    """Return the text of the last message of the user, or an empty text if there is none."""
    return next((message.text for message in reversed(messages) if message.role == "user"), "")


def _free(word: str, named: Mapping[str, object]) -> str:
    """Return `word`, with underscores after it if it is the name of a tool in `named`."""
    return word if word not in named else _free(f"{word}_", named)


def _without_repetition(value: Any) -> Any:
    """Return `value`; if it is a list of texts, without repetitions.

    Small models write repetitions until the list is full.
    """
    is_texts = isinstance(value, list) and all(isinstance(each, str) for each in value)
    return [*dict.fromkeys(value)] if is_texts else value


def _json(text: str) -> Any:
    """Return the JSON value in `text`, or None if it is not JSON."""
    try:
        return json.loads(text)
    except ValueError:  # the decoder could not follow the schema, so the reply is useless
        return None
