"""Chat formats: each writes a conversation as one text for the model, with markers before and after each message.

Chat formats and chat templates share the other functions of this module. `plain_messages` and `plain_tools` copy messages and tools as
plain data in the shape of OpenAI's chat API, with arguments as objects, as Hugging Face Transformers describes them ("Chat templates",
"Tool use"). `break_markers` prevents a message from forging a turn of the conversation: it puts a space into each marker in the message,
so that `<|im_end|>` becomes `<|im_end| >`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fcregistry.dialects._json_text import map_texts
from fcregistry.dialects._source import break_marks
from fcregistry.errors import ChatTemplateError, DialectNotFoundError


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFormat:
    """A way to write a conversation as one text for a model.

    It is immutable; `dataclasses.replace` makes a changed copy.

    Attributes:
        name: Its name.
        source: The published page or template that it follows, by its title.
        system: The texts before and after the content of a system message.
        user: The texts before and after a message of the user.
        assistant: The texts before and after a message of the model.
        tool: The texts before and after the result of a call.
        begin: The text before all messages.
        prompt: The text at the end that makes the model answer.
        stops: The strings that end an answer: the server stops generating there.
        system_in_user: Whether the format has no system role: then `render` puts a system message into the user's next message.
        trim: Whether `render` removes white space around the content.
        words: Markers that are plain words, such as `USER:`. `markers` finds special tokens in the other texts.
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
        """Always false: a chat format does not describe tools. A dialect writes them into the system message."""
        return False

    @property
    def markers(self) -> tuple[str, ...]:
        """The texts that mark turns of the conversation, the longest first; `render` breaks them in messages."""
        roles = (*self.system, *self.user, *self.assistant, *self.tool)
        return usable_markers((*self.words, *markers_in(self.begin, self.prompt, *roles, *self.stops)))

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] = (),
        *,
        generation_prompt: bool = True,
        markers: Iterable[str] | None = None,
    ) -> str:
        """Return a conversation as one text for the model.

        Calls in a message of the assistant follow its content, each as JSON on its own line. To write them in a dialect, put them into the
        content. A space breaks each of the format's markers that a message contains.

        Args:
            messages: Messages in the shape of OpenAI's chat API; the method does not change them.
            tools: Must be empty: see `takes_tools`.
            generation_prompt: Whether the text ends with the prompt for an answer.
            markers: The markers to break in messages, instead of the format's own.

        Raises:
            ChatTemplateError: There are tools, or a message has an unknown role or content that is not text.
        """
        if tools:
            raise ChatTemplateError(
                f"the chat format {self.name!r} has no place for tools: "
                "have a dialect write them into the system message, with dialects.get(…).render(tools)"
            )
        broken = self.markers if markers is None else usable_markers(markers)
        written = [self.begin]
        system = ""  # for the next message of the user, if the format has no system role
        for index, given in enumerate(messages):
            # Nearly all are of this kind, and a long conversation has many.
            message = given if _is_plain_text(given) else _plain_message(given, f"$[{index}]")
            role = _ROLES.get(message["role"])
            if role is None:
                raise ChatTemplateError(
                    f"$[{index}].role: must be system, user, assistant or tool, not {message['role']!r:.50}"
                )
            text = self._content(message, index)
            if broken:
                text = break_markers(text, broken)
            if role == "system" and self.system_in_user:
                system += f"{self.system[0]}{text}{self.system[1]}"
                continue
            if role == "user":
                text, system = system + text, ""
            before, after = getattr(self, role)
            written.append(f"{before}{text}{after}")
        if system:  # no message of the user follows
            written.append(f"{self.user[0]}{system.rstrip()}{self.user[1]}")
        return "".join([*written, self.prompt if generation_prompt else ""])

    def _content(self, message: Mapping[str, Any], index: int) -> str:
        """Return the text of `message`, with its calls as lines of JSON after it; stripped if `trim` is true.

        Raises:
            ChatTemplateError: The content is not a string, such as None; the error names the message by its `index`.
        """
        content = message["content"]
        if not isinstance(content, str):
            raise ChatTemplateError(
                f"$[{index}].content: a chat format writes text only; give images to the model's own template"
            )
        if calls := message.get("tool_calls"):
            content = "\n".join(part for part in (content, "\n".join(map(_call_line, calls))) if part)
        return content.strip() if self.trim else content


def _is_plain_text(message: Mapping[str, Any]) -> bool:
    """Return whether `message` is a dict with a role and a content that are texts, and nothing else."""
    return (
        type(message) is dict
        and len(message) == 2
        and set(map(type, message.values())) == _ONLY_TEXTS
        and "role" in message
        and "content" in message
    )


_ONLY_TEXTS: Final = {str}


def _call_line(call: Any) -> str:
    """Return the name and the arguments of `call`, a call of OpenAI's chat API, as JSON on one line.

    A missing name is written as an empty text, missing arguments as `{}`.
    """
    function = call.get("function", call) if isinstance(call, dict) else {}
    shown = {"name": function.get("name", ""), "arguments": function.get("arguments", {})}
    return json.dumps(shown, ensure_ascii=False)


def chat_format(name: str) -> ChatFormat:
    """Return a chat format by name.

    Args:
        name: Its name.

    Raises:
        DialectNotFoundError: There is no chat format of that name.
    """
    if name not in _FORMATS:
        raise not_found("chat format", name, chat_format_names())
    return _FORMATS[name]


def chat_format_names() -> tuple[str, ...]:
    """Return the names of all chat formats, sorted."""
    return tuple(sorted(_FORMATS))


def not_found(kind: str, name: str, known: tuple[str, ...]) -> DialectNotFoundError:
    """Return the error for an unknown `name` of a `kind` of thing, with close and all `known` names."""
    from fcregistry._tools.selectors import nearest  # only on the way to an error

    close = nearest(str(name), known)
    meant = f"did you mean {' or '.join(close)}? " if close else ""
    return DialectNotFoundError(f"there is no {kind} {name!r}; {meant}the {kind}s are {', '.join(known)}")


_ROLES: Final = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
}

# --- The table ---


def _by_role(
    name: str, source: str, before: str, after: str, *, stops: tuple[str, ...], tool: str = "tool", **more: Any
) -> ChatFormat:
    """Return a `ChatFormat` whose messages differ only in the role's name, written before each message.

    The prompt for an answer is the text before a message of the assistant.

    Args:
        name: Its name.
        source: The published page or template that it follows.
        before: The text before a message, with `{}` for the role.
        after: The text after it.
        stops: The strings at which an answer ends.
        tool: The name of the role for results of calls.
        **more: Other fields of the format.
    """
    system, user, assistant, tool = (before.format(role) for role in ("system", "user", "assistant", tool))
    return ChatFormat(
        name=name,
        source=source,
        system=(system, after),
        user=(user, after),
        assistant=(assistant, after),
        tool=(tool, after),
        prompt=assistant,
        stops=stops,
        **more,
    )


_ROWS: Final = (
    ChatFormat(
        name="plain",
        source="none: readable lines, for models without a format of their own",
        system=("System: ", "\n\n"),
        user=("User: ", "\n\n"),
        assistant=("Assistant: ", "\n\n"),
        tool=("Tool: ", "\n\n"),
        prompt="Assistant:",
        stops=("\nUser:", "\nTool:"),
        words=("System:", "User:", "Assistant:", "Tool:"),
    ),
    _by_role(
        "chatml",
        "OpenAI, Chat Markup Language; SmolLM2-135M-Instruct, tokenizer_config.json",
        "<|im_start|>{}\n",
        "<|im_end|>\n",
        stops=("<|im_end|>",),
    ),
    ChatFormat(
        name="llama2",
        source="Meta, Llama 2 model cards and prompt formats",
        system=("<<SYS>>\n", "\n<</SYS>>\n\n"),
        system_in_user=True,
        user=("<s>[INST] ", " [/INST]"),
        assistant=(" ", " </s>"),
        tool=("<s>[INST] ", " [/INST]"),
        prompt="",
        stops=("</s>",),
        trim=True,
    ),
    _by_role(
        "llama3",
        "Meta, Llama 3.1 model cards and prompt formats",
        "<|start_header_id|>{}<|end_header_id|>\n\n",
        "<|eot_id|>",
        tool="ipython",
        stops=("<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"),
        begin="<|begin_of_text|>",
        trim=True,
    ),
    _by_role(
        "llama4",
        "Meta, Llama 4 model cards and prompt formats",
        "<|header_start|>{}<|header_end|>\n\n",
        "<|eot|>",
        tool="ipython",
        stops=("<|eot|>", "<|eom|>", "<|end_of_text|>"),
        begin="<|begin_of_text|>",
        trim=True,
    ),
    ChatFormat(
        name="mistral",
        source="Mistral-7B-Instruct-v0.3, tokenizer_config.json",
        begin="<s>",
        system=("", "\n\n"),
        system_in_user=True,
        user=("[INST] ", "[/INST]"),
        assistant=(" ", "</s>"),
        tool=("[TOOL_RESULTS] ", "[/TOOL_RESULTS]"),
        prompt="",
        stops=("</s>",),
        words=("[TOOL_CALLS]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
    ),
    ChatFormat(
        name="mistral-v7",
        source="Mistral-Small-3.1-24B-Instruct-2503, chat template",
        begin="<s>",
        system=("[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"),
        user=("[INST]", "[/INST]"),
        assistant=("", "</s>"),
        tool=("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
        prompt="",
        stops=("</s>",),
        words=("[TOOL_CALLS]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
    ),
    ChatFormat(
        name="gemma",
        source="Google, Gemma formatting and system instructions",
        begin="<bos>",
        system=("", "\n\n"),
        system_in_user=True,
        user=("<start_of_turn>user\n", "<end_of_turn>\n"),
        assistant=("<start_of_turn>model\n", "<end_of_turn>\n"),
        tool=("<start_of_turn>user\n", "<end_of_turn>\n"),
        prompt="<start_of_turn>model\n",
        stops=("<end_of_turn>", "<eos>"),
        trim=True,
    ),
    _by_role(
        "phi3",
        "Phi-3-mini-4k-instruct, model card, chat format",
        "<|{}|>\n",
        "<|end|>\n",
        tool="user",
        stops=("<|end|>", "<|endoftext|>"),
    ),
    _by_role(
        "phi4",
        "phi-4, tokenizer_config.json",
        "<|im_start|>{}<|im_sep|>",
        "<|im_end|>",
        tool="user",
        stops=("<|im_end|>", "<|endoftext|>"),
    ),
    _by_role("zephyr", "zephyr-7b-beta, tokenizer_config.json", "<|{}|>\n", "</s>\n", tool="user", stops=("</s>",)),
    ChatFormat(
        name="vicuna",
        source="FastChat, Vicuna weights, prompt template of v1.1 and later",
        system=("", " "),
        user=("USER: ", " "),
        assistant=("ASSISTANT: ", "</s>"),
        tool=("USER: ", " "),
        prompt="ASSISTANT:",
        stops=("</s>", "USER:"),
        words=("USER:", "ASSISTANT:"),
    ),
    ChatFormat(
        name="alpaca",
        source="Stanford Alpaca, data release, prompts",
        system=("", "\n\n"),
        user=("### Instruction:\n", "\n\n"),
        assistant=("### Response:\n", "\n\n"),
        tool=("### Input:\n", "\n\n"),
        prompt="### Response:\n",
        stops=("### Instruction:", "</s>"),
        words=("### Instruction:", "### Response:", "### Input:"),
    ),
    ChatFormat(
        name="openchat",
        source="openchat-3.5-0106, model card, conversation templates",
        begin="<s>",
        system=("", "<|end_of_turn|>"),
        user=("GPT4 Correct User: ", "<|end_of_turn|>"),
        assistant=("GPT4 Correct Assistant: ", "<|end_of_turn|>"),
        tool=("GPT4 Correct User: ", "<|end_of_turn|>"),
        prompt="GPT4 Correct Assistant:",
        stops=("<|end_of_turn|>",),
        words=("GPT4 Correct User:", "GPT4 Correct Assistant:"),
    ),
    ChatFormat(
        name="deepseek",
        source="DeepSeek-V3, tokenizer_config.json",
        begin="<｜begin▁of▁sentence｜>",
        system=("", ""),
        user=("<｜User｜>", ""),
        assistant=("<｜Assistant｜>", "<｜end▁of▁sentence｜>"),
        tool=(
            "<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>",
            "<｜tool▁output▁end｜><｜tool▁outputs▁end｜>",
        ),
        prompt="<｜Assistant｜>",
        stops=("<｜end▁of▁sentence｜>",),
    ),
    ChatFormat(
        name="command-r",
        source="Cohere, c4ai-command-r-v01, tokenizer_config.json",
        begin="<BOS_TOKEN>",
        system=("<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>", "<|END_OF_TURN_TOKEN|>"),
        user=("<|START_OF_TURN_TOKEN|><|USER_TOKEN|>", "<|END_OF_TURN_TOKEN|>"),
        assistant=("<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>", "<|END_OF_TURN_TOKEN|>"),
        tool=("<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|><results>\n", "\n</results><|END_OF_TURN_TOKEN|>"),
        prompt="<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
        stops=("<|END_OF_TURN_TOKEN|>",),
        trim=True,
    ),
    _by_role(
        "granite",
        "IBM, granite-3.0-8b-instruct, tokenizer_config.json",
        "<|start_of_role|>{}<|end_of_role|>",
        "<|end_of_text|>\n",
        tool="tool_response",
        stops=("<|end_of_text|>",),
    ),
)

_FORMATS: Final = {row.name: row for row in _ROWS}

# --- Messages and tools as plain data ---

_DEEPEST: Final = 100


def plain_messages(messages: Sequence[Any]) -> list[dict[str, Any]]:
    """Return copies of messages in the form that chat templates expect.

    Arguments that are JSON text become objects, a list of text parts becomes one string, and missing content becomes an empty string.

    Raises:
        ChatTemplateError: A message has no role, or contains something that is not JSON.
    """
    return [_plain_message(message, f"$[{index}]") for index, message in enumerate(messages)]


def plain_tools(tools: Sequence[Any]) -> list[dict[str, Any]]:
    """Return copies of tool descriptions in the form that chat templates expect.

    That is `{"type": "function", "function": {...}}`, the form of OpenAI's API.

    Raises:
        ChatTemplateError: A description has neither "function" nor "name", or contains something that is not JSON.
    """
    described = []
    for index, tool in enumerate(tools):
        if not isinstance(tool, Mapping) or not ("function" in tool or "name" in tool):
            raise ChatTemplateError(f'tools[{index}] must be a dict that has "function" or "name"')
        copied = _plain_copy(tool, f"tools[{index}]")
        described.append(copied if "function" in copied else {"type": "function", "function": copied})
    return described


def _plain_message(message: Any, where: str) -> dict[str, Any]:
    """Return a copy of `message` as `plain_messages` describes it, without the key `native`.

    `reasoning` is also put under `reasoning_content`, if that is not there.

    Raises:
        ChatTemplateError: It is not a mapping, has no role that is text, or contains something that is not JSON; the error names the place `where`.
    """
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        raise ChatTemplateError(
            f"{where}: a message must be a dict with a role, such as {{'role': 'user', 'content': 'Hi'}}"
        )
    # `native` is for the provider that wrote it.
    copied: dict[str, Any] = _plain_copy({name: held for name, held in message.items() if name != "native"}, where)
    copied["content"] = _content(copied.get("content"))
    if "reasoning" in copied:
        copied.setdefault("reasoning_content", copied["reasoning"])
    if calls := copied.get("tool_calls"):
        copied["tool_calls"] = [_with_object_arguments(call) for call in calls] if isinstance(calls, list) else calls
    return copied


def _content(content: Any) -> Any:
    """Return `content`, with a list of text parts joined by line breaks, and None as an empty string.

    Any other value is returned unchanged.
    """
    if content is None:
        return ""
    if isinstance(content, list) and all(isinstance(part, Mapping) and part.get("type") == "text" for part in content):
        return "\n".join(str(part.get("text") or "") for part in content)
    return content


def _with_object_arguments(call: Any) -> Any:
    """Return a copy of `call` with its arguments, JSON text, as an object; an empty text becomes `{}`.

    Return `call` itself if the arguments are not text, or not JSON text of an object.
    """
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("arguments"), str):
        return call
    try:
        arguments = _plain_copy(json.loads(function["arguments"] or "{}"), "arguments")
    except (ValueError, RecursionError, ChatTemplateError):
        return call
    return {**call, "function": {**function, "arguments": arguments}} if isinstance(arguments, dict) else call


def _plain_copy(value: Any, where: str, depth: int = 0) -> Any:
    """Return a copy of `value` in plain JSON data, so that a template gets no other Python object.

    Mappings become dicts with texts as keys, tuples become lists.

    Raises:
        ChatTemplateError: It is not JSON data, or nested too deeply; the error names the place `where`.
    """
    if value is None or type(value) in (str, int, float, bool):
        return value
    if depth > _DEEPEST:
        raise ChatTemplateError(f"{where:.80}: nested deeper than {_DEEPEST} levels")
    if isinstance(value, Mapping):
        return {str(name): _plain_copy(held, f"{where}.{name}", depth + 1) for name, held in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain_copy(held, f"{where}[{index}]", depth + 1) for index, held in enumerate(value)]
    if isinstance(value, str):
        return str(value)
    raise ChatTemplateError(f"{where}: must be JSON data, not {type(value).__name__}")


# --- Markers ---

_TOKEN_SHAPES: Final = re.compile(
    r"<\|[^<>|\s'\"]{1,60}\|>"  # <|im_start|>
    r"|<\|[a-z_]{1,40}>|<[a-z_]{1,40}\|>"  # Gemma 4's <|turn> and <turn|>
    r"|<｜[^<>｜\s'\"]{1,60}｜>"  # DeepSeek's
    r"|</?s>|<</?SYS>>|<(?:bos|eos|BOS_TOKEN|EOS_TOKEN)>|<(?:start|end)_of_turn>"
    r"|\[/?[A-Z][A-Z_]{2,40}\]"  # [INST]
)
"""Matches special tokens in the texts of a format or in a template."""

_COMPOSED: Final = re.compile(r"<\|['\"]")
"""Matches the beginning of a token that a template composes from the role of a message, as in `'<|' + role`."""

_ROLE_TOKENS: Final = ("<|system|>", "<|user|>", "<|assistant|>", "<|tool|>")


def markers_in(*texts: str) -> tuple[str, ...]:
    """Return the special tokens in `texts`, which are those of a format or a template, sorted."""
    found = {marker for text in texts for marker in _TOKEN_SHAPES.findall(text)}
    if any(map(_COMPOSED.search, texts)):
        found.update(_ROLE_TOKENS)
    return tuple(sorted(found))


def usable_markers(markers: Iterable[str]) -> tuple[str, ...]:
    """Return those of `markers` that have at least two characters and so can be broken, the longest first."""
    return tuple(sorted({marker for marker in markers if len(marker.strip()) > 1}, key=lambda one: (-len(one), one)))


def break_markers(text: str, markers: Iterable[str]) -> str:
    """Return `text` with a space in each of `markers`: `<|im_end|>` becomes `<|im_end| >`.

    A text without markers is returned unchanged.
    """
    return break_marks(text, markers, _add_space)


def _add_space(marker: str) -> str:
    """Return `marker` with a space before its last character that is not white space."""
    last = len(marker.rstrip()) - 1  # a space at the very end would leave the marker whole
    return f"{marker[:last]} {marker[last:]}"


def break_markers_in(value: Any, markers: tuple[str, ...]) -> Any:
    """Return the JSON value `value` with a space in each of `markers`, in all strings and names."""
    return map_texts(value, lambda text: break_markers(text, markers))
