"""A model's answer to a conversation: it chooses a tool and writes its arguments, or it writes text.

Each step is one request, whose reply is constrained to a schema: first one of the names, then the arguments of that tool.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from fcregistry import Problem, Tool, ToolCall
from fcregistry.errors import ModelError
from fcregistry.models import Completion, Delta, Message, ToolCallDelta, Usage, offered_tools

from fcregistry_llama._asking import Reply, Settings, ask
from fcregistry_llama._bounds import USUAL_LIMITS, Limits, Schema
from fcregistry_llama._decoding import arguments_schema, choice_schema, is_empty, value_schema
from fcregistry_llama._narrowing import BETWEEN_VALUES, Narrowing, nearest
from fcregistry_llama._prompts import ANSWER, TO_ANSWER, arguments_instructions, choice_instructions, conversation

if TYPE_CHECKING:
    from fcregistry.models import ToolChoice

    from fcregistry_llama._servers import Server

_CHOICE_TOKENS: Final = 80
"""More tokens than any name has."""

_CALL_ATTEMPTS: Final = 3
_ANSWER_ATTEMPTS: Final = 4
"""How often the model is asked for JSON: decoders cannot read every pattern or every keyword, so JSON is validated."""

_RETRY_TEMPERATURE: Final = 0.7
"""The lowest temperature of every attempt but the first."""


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
        answer_schema: The JSON Schema of an answer without a call; None for text.
        usage: The tokens used so far.
    """

    server: Server
    settings: Settings
    emit: Callable[[Delta], None]
    is_stopped: Callable[[], bool]
    calls_again: bool = True
    copies: bool = False
    answer_schema: Mapping[str, Any] | None = None
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
        if tool is not None:
            return self._call(messages, tool)
        if self.answer_schema is not None:
            return self._answer_in_json(messages, self.answer_schema)
        return self._answer_in_words(messages)

    def _choose_tool(self, messages: Sequence[Message], tools: Sequence[Tool], *, may_answer: bool) -> Tool | None:
        """Return the tool that the model calls, or None if it answers in words."""
        if not tools or (len(tools) == 1 and not may_answer):
            return tools[0] if tools else None
        named = {tool.name: tool for tool in tools}
        other = _free(ANSWER, named) if may_answer else None
        prompt = conversation(messages, choice_instructions(tools, other))
        settings = replace(self.settings, max_tokens=_CHOICE_TOKENS)
        reply = self._ask(prompt, settings, choice_schema([*named, *([other] if other else [])]))
        name = _parse_json(reply.text)
        if name != other and name not in named:
            raise ModelError(
                f"the model did not choose one of the tools {', '.join(named)}; it wrote {reply.text!r:.100}"
            )
        return None if name == other else named[name]

    def _answer_in_words(self, messages: Sequence[Message]) -> Completion:
        """Return the completion of a text that the model writes as its answer."""
        reply = ask(
            self.server,
            self._prompt_to_answer(messages),
            self.settings,
            emit=lambda text, reasoning: self.emit(Delta(content=text, reasoning=reasoning)),
            is_stopped=self.is_stopped,
        )
        message = Message(role="assistant", content=reply.text, reasoning=reply.reasoning or None)
        usage = self.usage + reply.usage
        return Completion(message=message, finish_reason="length" if reply.is_cut else "stop", usage=usage)

    def _prompt_to_answer(self, messages: Sequence[Message]) -> list[dict[str, str]]:
        """Return the prompt for an answer without a call."""
        prompt = conversation(messages, result=TO_ANSWER)
        asked = max((place for place, message in enumerate(messages) if message.role == "user"), default=None)
        if self.copies and asked is not None and messages[-1].role == "tool":
            # Very small models copy calls of the conversation in place of an answer.
            user_texts = [each["content"] for each in prompt[asked:] if each["role"] == "user"]
            return [{"role": "user", "content": "\n".join(user_texts)}]
        return prompt

    def _answer_in_json(self, messages: Sequence[Message], schema: Mapping[str, Any]) -> Completion:
        """Return the completion of an answer that is valid JSON of `schema`, or that the token limit cut off.

        Raises:
            ModelError: No attempt gave a valid answer.
        """
        reply = self._write(
            self._prompt_to_answer(messages),
            lambda limits: value_schema(schema, schema, limits) or {},
            _answer_problems(schema),
            "answer",
            tightens=True,
        )
        self.emit(Delta(content=reply.text))
        message = Message(role="assistant", content=reply.text)
        return Completion(message=message, finish_reason="length" if reply.is_cut else "stop", usage=self.usage)

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
        if is_empty(arguments_schema(tool.parameters)):
            return {}
        reply = self._write(
            prompt,
            lambda limits: arguments_schema(tool.parameters, limits),
            lambda text: tool.validator().problems(_parse_json(text)),
            f"arguments for {tool.name}",
        )
        return reply.text if reply.is_cut else _parse_json(reply.text)

    def _write(
        self,
        prompt: Sequence[Mapping[str, str]],
        schema_of: Callable[[Limits], Schema],
        problems_of: Callable[[str], Sequence[Problem]],
        what: str,
        *,
        tightens: bool = False,
    ) -> Reply:
        """Return the first valid reply to `prompt`, or one that the token limit cut off.

        Args:
            prompt: The prompt.
            schema_of: Returns the schema of the reply within limits.
            problems_of: Returns the problems of the text of a reply; none if it is valid.
            what: What the model writes, for the error.
            tightens: Whether a reply that is cut off, or not valid twice, is asked for again within tighter limits.

        Raises:
            ModelError: No attempt gave a valid reply.
        """
        # A token may be one character
        limits = Limits(characters=max(USUAL_LIMITS.characters, self.settings.max_tokens // 2))
        attempts = _ANSWER_ATTEMPTS if tightens else _CALL_ATTEMPTS
        problems: Sequence[Problem] = ()
        for number in range(attempts):
            is_last = number == attempts - 1
            if is_last and problems:  # the decoder may have misread a pattern
                limits = replace(limits, texts=False)
            temperature = max(_RETRY_TEMPERATURE if number else 0.0, self.settings.temperature)
            settings = replace(self.settings, seed=self.settings.seed + number, temperature=temperature)
            reply = self._ask(prompt, settings, schema_of(limits))
            problems = () if reply.is_cut else problems_of(reply.text)
            if not problems and (is_last or not (tightens and reply.is_cut)):
                return reply
            if tightens and (number or reply.is_cut or reply.repeats):
                limits = limits.tightened()
        raise ModelError(
            f"the model wrote no valid {what} in {attempts} attempts; in the last,"
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
                arguments[name] = _without_repetition(_parse_json(reply.text))
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


def _answer_problems(schema: Mapping[str, Any]) -> Callable[[str], Sequence[Problem]]:
    """Return a function that returns the problems of an answer's text with `schema`; none if the text is valid.

    The validator is that of the results of a tool.
    """
    validator = Tool.from_function(lambda: None, name="answer", returns=schema).result_validator()
    assert validator is not None

    def problems(text: str) -> Sequence[Problem]:
        """Return the problems of `text`."""
        try:
            return validator.problems(json.loads(text))
        except ValueError:
            return [Problem("$", "is not JSON")]

    return problems


def _parse_json(text: str) -> Any:
    """Return the JSON value in `text`, or None if it is not JSON."""
    try:
        return json.loads(text)
    except ValueError:  # the decoder could not follow the schema, so the reply is useless
        return None
