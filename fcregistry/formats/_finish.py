"""The reason why a model stopped, in messages and responses of providers; and the calls of a message that was cut off, which do not run.

Sources: the API references of OpenAI ("Chat Completions", "Responses"), Anthropic ("Messages"), Gemini (`FinishReason`), Bedrock (`Converse`) and
Ollama ("Generate a chat completion").
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from operator import is_
from typing import Any, Final, Literal, TypeAlias

from fcregistry._base.call import ToolCall, UnreadArguments, cut_off_text
from fcregistry.formats._read import MalformedCallError, format_of_call, has_field, read_call, read_calls, read_field

FinishReason: TypeAlias = Literal["stop", "tool_calls", "length", "content_filter", "other"]
"""Why a model stopped: it had finished; it made calls; the limit of tokens; a filter of the provider; something else."""

CUT_OFF: Final = frozenset({"length", "content_filter"})
"""The reasons of a message that was cut off."""

_FINISHED: Final[Mapping[str, FinishReason]] = {
    "stop": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "eos": "stop",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "content_filter",
    "refusal": "content_filter",
}
"""The words of all providers and of servers that speak their protocols."""

_PLACES: Final = ("finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason")
"""The fields for them: of OpenAI's chat completions and Gemini's SDK, of Gemini, of Anthropic, of Bedrock, of Ollama."""


def finish_reason(word: object, has_calls: bool) -> FinishReason:
    """Return the reason why a model stopped, from the `word` of its provider.

    If the message has calls (`has_calls`), they are the reason, even if the provider says `stop`.
    """
    reason = _FINISHED.get(str(word).lower(), "other")
    return "tool_calls" if has_calls and reason == "stop" else reason


def finish_reason_in(response: object) -> FinishReason | None:
    """Return the reason why a model stopped that `response` gives, or None if it gives none.

    `response` is a message or a whole response of any provider. A message of LangChain has the reason in its metadata.
    """
    if read_field(response, "status") == "incomplete":  # of OpenAI's responses
        reason = read_field(read_field(response, "incomplete_details"), "reason")
        return finish_reason(reason or "length", has_calls=False)
    candidates = read_field(response, "candidates")
    first = candidates[0] if isinstance(candidates, (list, tuple)) and candidates else None
    for holder in (response, first, read_field(response, "response_metadata")):
        for place in _PLACES:
            word = read_field(holder, place)
            word = getattr(word, "value", word)  # of an enumeration
            if isinstance(word, str) and word:
                return finish_reason(word, has_calls=False)
    return None


# --- Calls of a message that was cut off ---


def parse_message(message: Any) -> list[ToolCall]:
    """Return the calls of `message`, an assistant message or a whole response.

    Raises:
        MalformedCallError: One of the calls is malformed.
    """
    return [read_call(call) for call in with_cut_calls(message, read_calls(message))]


def advice_on_message(value: object) -> str | None:
    """Return what to pass in place of `value`, a message, a whole response or a list, given as one call; None if it is neither."""
    if isinstance(value, (list, tuple)):
        return "a list is not a tool call: pass each call to run, or the list of calls to run_all"
    choices = read_field(value, "choices")
    has_choices = isinstance(choices, (list, tuple)) and len(choices) > 0
    calls = [] if format_of_call(value) else read_calls(choices[0] if has_choices else value)
    if calls:
        name = format_of_call(calls[0]) or "openai"
        place = "response.choices[0]" if has_choices else "message" if read_field(value, "role") else "response"
        parsed = f'formats.get("{name}").parse({place})'
        return f"a message or response is not a tool call: pass its calls, as in executor.run_all({parsed})"
    if has_choices or has_field(value, "role") or has_field(value, "output") or has_field(value, "candidates"):
        return "a message or response is not a tool call, and this one has no calls"
    return None


def with_cut_calls(response: object, calls: Sequence[Any]) -> list[Any]:
    """Return `calls`, in which those that may be cut off are changed so that no executor runs them.

    Args:
        response: The message or the whole response, which says whether it was cut off.
        calls: Its calls, in the provider's shape.
    """
    reason = finish_reason_in(response)
    if reason not in CUT_OFF and read_field(response, "status") != "incomplete":
        return list(calls)
    return [_without_cut(given, reason or "", is_last=given is calls[-1]) for given in calls]


def _without_cut(given: object, why: str, *, is_last: bool) -> object:
    """Return the call `given`, changed so that no executor runs it if it may be cut off.

    It may be cut off if it is the last call (`is_last`), or its arguments are missing or empty text. Any other call, and a malformed one, is
    returned unchanged. `why` is the finish reason of the message.
    """
    try:
        call = read_call(given)
    except MalformedCallError:  # the executor refuses it
        return given
    return cut_off_call(call, why) if is_last or _has_no_text(call) else given


def cut_off_calls(calls: tuple[ToolCall, ...], why: str) -> tuple[ToolCall, ...]:
    """Return `calls`, those of a cut-off message, changed so that no executor runs incomplete ones.

    The last call may be incomplete, whatever its JSON looks like. An earlier call may be incomplete only if it has no arguments yet: a whole JSON
    object cannot continue, and the executor refuses any other text itself.

    Args:
        calls: The calls of the message. If nothing changes, they are returned themselves.
        why: The finish reason of the message.
    """
    cut = tuple(cut_off_call(call, why) if call is calls[-1] or _has_no_text(call) else call for call in calls)
    return calls if all(map(is_, cut, calls)) else cut


def cut_off_call(call: ToolCall, why: str) -> ToolCall:
    """Return `call`, which may be incomplete, with arguments that no executor runs.

    `why` is the finish reason of the message.
    """
    if isinstance(call.arguments, UnreadArguments):
        return call
    text = _arguments_text(call)
    # Without its last bracket, the text is not a whole object, even if the reason is lost, as in JSON.
    text = text.rstrip().removesuffix("}") if text.rstrip().endswith("}") else text
    if text.strip() in ("", "null"):  # which would count as no arguments
        text = "{"
    return ToolCall(call.name, UnreadArguments(text, cut_off_text(why)), call.id)


def _has_no_text(call: ToolCall) -> bool:
    """Return whether the arguments of `call` are None or blank text; an empty object is neither."""
    return call.arguments is None or (isinstance(call.arguments, str) and not call.arguments.strip())


def _arguments_text(call: ToolCall) -> str:
    """Return the arguments of `call` as JSON text, or the text that they are.

    Return an empty text if they cannot be written, and `{}` if there are none.
    """
    if isinstance(call.arguments, str):
        return call.arguments
    try:
        return json.dumps(dict(call.arguments or {}), ensure_ascii=False, default=str)
    except Exception:  # a mapping of another package may raise anything  # noqa: BLE001
        return ""
