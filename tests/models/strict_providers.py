"""Servers on loopback that refuse conversations as providers do: with the status 400, if calls and results are not paired.

The rules are those of the providers' documentation: OpenAI's API reference of chat completions ("tool messages … in response to a preceding message
with tool_calls"), its guide "Function calling" for the responses API, and the Claude guide "Handle tool calls" ("Tool result blocks must immediately
follow their corresponding tool use blocks", and come first in the content; ids are unique).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from pydantic import TypeAdapter

from .provider_server import ProviderServer, Reply, Request, json_reply

Problem = Callable[[Mapping[str, Any]], str | None]
"""Returns what is wrong with the body of a request, or None."""


class StrictServer(ProviderServer):
    """A server that refuses what a provider refuses.

    Args:
        problem: Returns why a request is refused.
        replies: What it answers to the others.

    Attributes:
        refusals: Why requests were refused.
    """

    def __init__(self, problem: Problem, *replies: Reply) -> None:
        super().__init__(*replies)
        self._problem = problem
        self.refusals: list[str] = []

    def answer_to(self, request: Request) -> Reply:
        reply = super().answer_to(request)
        if (problem := self._problem(request.json)) is None:
            return reply
        self.refusals.append(problem)
        error = {"type": "invalid_request_error", "message": problem}
        return json_reply({"type": "error", "error": error}, status=400)


def chat_problem(body: Mapping[str, Any]) -> str | None:
    """Return why OpenAI's chat completions API refuses a conversation."""
    _check_types(_chat_types(), body["messages"])
    waiting: set[str] = set()
    for message in body["messages"]:
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                return "a message of the role 'tool' answers no call of the message before"
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            break
        ids = [call["id"] for call in message.get("tool_calls") or ()]
        if len(waiting := set(ids)) < len(ids) or not all(ids):
            return f"the ids of the calls are not distinct: {ids}"
    return f"calls are not followed by messages of the role 'tool': {sorted(waiting)}" if waiting else None


def responses_problem(body: Mapping[str, Any]) -> str | None:
    """Return why OpenAI's responses API refuses a conversation."""
    _check_types(_responses_types(), body["input"])
    waiting: set[str] = set()
    seen: set[str] = set()
    for item in body["input"]:
        identity = item.get("call_id")
        if item.get("type") == "function_call":
            if not identity or identity in seen:
                return f"the id of a call is not its own: {identity!r}"
            seen.add(identity)
            waiting.add(identity)
        elif item.get("type") == "function_call_output":
            if identity not in waiting:
                return f"no call for the output with the call_id {identity!r}"
            waiting.remove(identity)
    return f"no output for the calls {sorted(waiting)}" if waiting else None


def messages_problem(body: Mapping[str, Any]) -> str | None:
    """Return why Anthropic's messages API refuses a conversation."""
    turns: Sequence[Mapping[str, Any]] = body["messages"]
    _check_types(_messages_types(), turns)
    if turns[0]["role"] != "user":
        return "the first message is not one of the user"
    used = [block["id"] for turn in turns for block in _blocks(turn, "tool_use")]
    if len(set(used)) < len(used):
        return f"the ids of the calls are not distinct: {used}"
    for before, turn in pairwise(({"role": "user", "content": []}, *turns, {"role": "user", "content": []})):
        calls = {block["id"] for block in _blocks(before, "tool_use")}
        results = [block["tool_use_id"] for block in _blocks(turn, "tool_result")]
        if missing := calls.difference(results):
            return f"calls are not followed by their results: {sorted(missing)}"
        if not calls.issuperset(results) or len(set(results)) < len(results):
            return f"results without a call in the message before: {results}"
        if any(block["type"] != "tool_result" for block in turn["content"][: len(results)]):
            return "the results are not at the beginning of the message"
    return None


def _blocks(turn: Mapping[str, Any], kind: str) -> list[Mapping[str, Any]]:
    return [block for block in turn["content"] if block["type"] == kind]


def _check_types(types: TypeAdapter[Any], value: object) -> None:
    """Check a part of a request against a type of the official SDK, also in what that declares as an `Iterable`."""
    types.dump_python(types.validate_python(value), warnings="none")


@cache
def _chat_types() -> TypeAdapter[Any]:
    from openai.types.chat import ChatCompletionMessageParam

    return TypeAdapter(list[ChatCompletionMessageParam])


@cache
def _responses_types() -> TypeAdapter[Any]:
    from openai.types.responses import ResponseInputParam

    return TypeAdapter(ResponseInputParam)


@cache
def _messages_types() -> TypeAdapter[Any]:
    from anthropic.types import MessageParam

    return TypeAdapter(list[MessageParam])


def texts_in(value: object) -> Iterable[str]:
    """Yield all texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, Sequence):
        for each in value:
            yield from texts_in(each)
