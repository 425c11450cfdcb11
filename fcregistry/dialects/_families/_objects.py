"""Which families write each call as a JSON object?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fcregistry.dialects._dialect import Dialect
from fcregistry.dialects._prompt import Prompt
from fcregistry.dialects._sections import Calls, Words
from fcregistry.dialects._syntaxes._objects import Keys, read_objects, write_array, write_objects
from fcregistry.dialects._syntaxes._pairs import Pairs

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry.dialects._source import Reading, Source

_LANGUAGE: Final = re.compile(r"[\w+\-]*")
_IN_FENCE: Final = read_objects("```")


def _fenced(source: Source, mark: str) -> Reading[list[ToolCall] | None]:
    """Read calls in a code fence of Markdown, whatever language it names."""
    yield from source.run(_LANGUAGE)
    return (yield from _IN_FENCE(source, mark))


def _tool_response(name: str, content: str, id: str | None) -> str:
    return f"<tool_response>\n{content}\n</tool_response>"


TOOLS_TAGS: Final = ("<tools>", "</tools>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")


def _hermes_prompt(before: str) -> Prompt:
    return Prompt(
        before=f"{before}\n<tools>\n",
        after="\n</tools>\n\nTo call a function, write a JSON object with its name and arguments within <tool_call></tool_call> tags, "
        'once for each call:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>',
        result=_tool_response,
        marks=TOOLS_TAGS,
    )


_IN_TAGS: Final = (
    "# Tools\n\nYou may call functions to help with the user's query. Their signatures are within <tools></tools> tags:"
)

HERMES: Final = Dialect(
    name="hermes",
    models="Hermes 2 Pro and 3, Qwen 2.5, Qwen 3, QwQ",
    source='NousResearch, "Hermes-Function-Calling"; the chat templates of Qwen 2.5 and Qwen 3',
    sections=(Calls(opens=("<tool_call>",), read=read_objects("</tool_call>")),),
    write=write_objects("<tool_call>\n", "\n</tool_call>"),
    prompt=_hermes_prompt(_IN_TAGS),
    stops=("<|im_end|>",),
)

GRANITE_4: Final = Dialect(
    name="granite4",
    models="IBM Granite 4.0",
    source="the chat template of granite-4.0",
    sections=(Calls(opens=("<tool_call>",), read=read_objects("</tool_call>")),),
    write=write_objects("<tool_call>\n", "\n</tool_call>"),
    prompt=_hermes_prompt(
        "You are a helpful assistant with access to the following tools, within <tools></tools> tags:"
    ),
    stops=("<|end_of_text|>",),
)

ERNIE_4_5: Final = Dialect(
    name="ernie-4.5",
    models="ERNIE 4.5",
    source='the chat template of ERNIE-4.5-21B-A3B-Thinking; vLLM, "Ernie45ToolParser"',
    sections=(
        Calls(opens=("<tool_call>",), read=read_objects("</tool_call>")),
        Words(opens=("<response>",), closes=("</response>",), kind="content"),
    ),
    write=write_objects("<tool_call>\n", "\n</tool_call>\n", between=""),
    prompt=Prompt(
        before="<tool_list>\n[",
        between=", ",
        after="]\n</tool_list>\n\nTo call a tool, write a JSON object with its name and arguments within <tool_call></tool_call> tags:\n"
        '<tool_call>\n{"name": <tool-name>, "arguments": <args-json-object>}\n</tool_call>',
        result=lambda name, content, call_id: f"<tool_output>\n{content}\n</tool_output>",
        marks=("<tool_list>", "</tool_list>", "<tool_call>", "</tool_call>", "<tool_output>", "</tool_output>"),
    ),
    stops=("</s>", "<|end_of_sentence|>"),
)

_LONGCAT_OBJECTS: Final = read_objects("</longcat_tool_call>")
_LONGCAT_PAIRS: Final = Pairs("longcat_")


def _longcat(source: Source, mark: str) -> Reading[list[ToolCall] | None]:
    """Read calls of LongCat: objects, or, as newer ones write them, a name and a pair of tags for each argument."""
    yield from source.space()
    is_object = yield from source.is_next("{", "[")
    return (yield from (_LONGCAT_OBJECTS if is_object else _LONGCAT_PAIRS)(source, mark))


LONGCAT: Final = Dialect(
    name="longcat",
    models="LongCat-Flash-Chat, -Thinking and -Lite",
    source='the chat template of LongCat-Flash-Chat; vLLM, "LongcatFlashToolParser"; mlx-lm, "longcat" tool parser',
    sections=(Calls(opens=(_LONGCAT_PAIRS.opens,), read=_longcat),),
    write=write_objects("<longcat_tool_call>", "</longcat_tool_call>"),
    prompt=Prompt(
        before="## Tools\nYou have access to the following tools:\n\n### Tool namespace: function\n\n",
        after="\n\nTo call a tool, write a JSON object with its name and arguments within <longcat_tool_call></longcat_tool_call> tags, "
        'once for each call:\n<longcat_tool_call>{"name": <function-name>, "arguments": <args-dict>}</longcat_tool_call>',
        result=lambda name, content, call_id: f"<longcat_tool_response>\n{content}\n</longcat_tool_response>",
        marks=(*_LONGCAT_PAIRS.marks, "<longcat_tool_response>", "</longcat_tool_response>"),
    ),
    thinks=("<longcat_think>", "</longcat_think>"),
    stops=("</longcat_s>",),
)

_PLUGIN: Final = ("<|plugin|>", "<|function|>")
_IN_ACTION: Final = read_objects("<|action_end|>", keys=Keys(arguments=("parameters", "arguments")))


def _action(source: Source, mark: str) -> Reading[list[ToolCall] | None]:
    """Read calls of InternLM2 behind what says that a plugin is meant, and not the interpreter of code."""
    yield from source.space()
    if not (yield from source.take(*_PLUGIN)):
        return None
    return (yield from _IN_ACTION(source, mark))


INTERNLM_2: Final = Dialect(
    name="internlm2",
    models="InternLM2, InternLM2.5, InternLM3",
    source='InternLM, "Chat Format"',
    sections=(Calls(opens=("<|action_start|>",), read=_action),),
    write=write_objects(
        "<|action_start|><|plugin|>\n", "<|action_end|>", keys=Keys(arguments=("parameters", "arguments"))
    ),
    prompt=Prompt(
        before="You have access to the following tools, as JSON:\n[",
        each="function",
        between=", ",
        after="]\n\nTo call one, write:\n<|action_start|><|plugin|>\n"
        '{"name": <tool-name>, "parameters": <args-json-object>}<|action_end|>',
        marks=("<|action_start|>", "<|action_end|>", "<|plugin|>", "<|interpreter|>", "<|im_start|>", "<|im_end|>"),
    ),
    thinks=None,
    stops=("<|im_end|>",),
)

JSON: Final = Dialect(
    name="json",
    models="any model that is told to answer in JSON",
    source="RFC 8259; fcregistry's own prompt",
    sections=(Calls(opens=("```",), read=_fenced), Calls(opens=("{", "["), read=read_objects())),
    write=write_objects("", ""),
    prompt=Prompt(
        before="You can call these tools:\n",
        each="function",
        after='\n\nTo call a tool, answer with a JSON object and nothing else: {"name": <tool-name>, "arguments": <args-json-object>}. '
        "To make several calls, answer with a list of such objects. If no tool is needed, answer in plain text.",
        result=lambda name, content, call_id: f"Result of {name}:\n{content}",
    ),
)

_BARE: Final = read_objects()
_MARKED: Final = read_objects("</s>")


def _bracketed(source: Source, mark: str) -> Reading[list[ToolCall] | None]:
    """Read an array of calls, which `[TOOL_CALLS]` may stand before."""
    source.place -= 1
    if (yield from source.take("[TOOL_CALLS]")):
        return (yield from _MARKED(source, ""))
    return (yield from _BARE(source, ""))


XLAM: Final = Dialect(
    name="xlam",
    models="Salesforce xLAM 1 and 2",
    source='the model card of xLAM-2; vLLM, "xLAMToolParser"',
    sections=(
        Calls(opens=("```",), read=_fenced),
        Calls(opens=("<tool_call>",), read=read_objects("</tool_call>")),
        Calls(opens=("[",), read=_bracketed),
        Calls(opens=("{",), read=_BARE),
    ),
    write=write_array("", ""),
    prompt=Prompt(
        before="You have access to a set of tools:\n[",
        each="function",
        between=", ",
        after=']\n\nTo call tools, answer with a JSON list and nothing else: [{"name": <tool-name>, "arguments": <args-json-object>}, …]. '
        "If no tool is needed, answer in plain text.",
    ),
    stops=("<|im_end|>",),
)

ROWS: Final = (HERMES, GRANITE_4, ERNIE_4_5, LONGCAT, INTERNLM_2, JSON, XLAM)
