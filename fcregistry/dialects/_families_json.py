"""The families that write arguments as a JSON object: a row each.

Some write a name and the object, some each call as an object, some one array of objects.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from fcregistry import formats
from fcregistry.dialects._dialect import Dialect, Prompt, json_text, tool_response, typescript
from fcregistry.dialects._parsed import Calls, Words
from fcregistry.dialects._syntax_json import (
    DEEPSEEK_END,
    NAME,
    CallKeys,
    arguments_of,
    name_of,
    read_apertus,
    read_deepseek,
    read_flower,
    read_kimi,
    read_line_named,
    read_mistral,
    read_named,
    read_objects,
    write_apertus,
    write_array,
    write_between,
    write_kimi,
    write_named,
    write_objects,
)
from fcregistry.dialects._syntax_tags import PairSyntax

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fcregistry._base.call import ToolCall
    from fcregistry._tools.tool import Tool
    from fcregistry.dialects._source import Reading, TextSource

# --- A name and a JSON object ---

_PARAMETERS_FIRST: Final = CallKeys(arguments=("parameters", "arguments"))

LLAMA_3: Final = Dialect(
    name="llama3",
    models="Llama 3.1, 3.2, 3.3",
    source='Llama documentation, "Model Cards and Prompt formats", Llama 3.1 and 3.2',
    sections=(
        Calls(opens=("<|python_tag|>",), read=read_objects("<|eom_id|>", keys=_PARAMETERS_FIRST)),
        Calls(opens=("<function=",), read=read_named(">", "</function>")),
        Calls(opens=("{",), read=read_objects(keys=_PARAMETERS_FIRST, separator=";")),
    ),
    write=write_objects("", "", keys=_PARAMETERS_FIRST, between="; "),
    prompt=Prompt(
        before="You have access to the following functions:\n\n",
        between="\n\n",
        after='\n\nTo call a function, answer with a JSON object and nothing else: {"name": <function-name>, "parameters": <args-json-object>}. '
        "Do not use variables.",
        marks=("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|eom_id|>", "<|python_tag|>"),
    ),
    thinks=None,
    stops=("<|eot_id|>", "<|eom_id|>"),
    limits="Calls of the built-in tools, which Llama 3 writes as Python behind `<|python_tag|>`, are content.",
)

_SECTION: Final = Words(opens=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"))
_DEEPSEEK_MARKS: Final = (
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls▁end｜>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁call▁end｜>",
    "<｜tool▁sep｜>",
    "<｜tool▁outputs▁begin｜>",
    "<｜tool▁outputs▁end｜>",
    "<｜tool▁output▁begin｜>",
    "<｜tool▁output▁end｜>",
)


def _deepseek_output(name: str, content: str, id: str | None) -> str:
    return f"<｜tool▁output▁begin｜>{content}<｜tool▁output▁end｜>"


def _deepseek_outputs(name: str, content: str, id: str | None) -> str:
    return f"<｜tool▁outputs▁begin｜>{_deepseek_output(name, content, id)}<｜tool▁outputs▁end｜>"


def _describe_for_deepseek(tool: Tool) -> str:
    """Return a tool as DeepSeek V3.1 is shown it: name and description, and the schema as JSON."""
    return f"### {tool.name}\nDescription: {tool.description}\n\nParameters: {json_text(tool.parameters)}"


_DEEPSEEK_PROMPT: Final = Prompt(
    before="## Tools\nYou have access to the following tools:\n\n",
    after="",
    result=_deepseek_outputs,
    marks=_DEEPSEEK_MARKS,
)


def _deepseek(name: str, models: str, source: str, form: tuple[str, str, str, str], prompt: Prompt) -> Dialect:
    """Return a dialect of DeepSeek.

    Args:
        name: Its name.
        models: The models that write it.
        source: The publication that it follows.
        form: The text before a name, after it, after the arguments, and between two calls.
        prompt: The prompt, without the form of calls.
    """
    before, between, after, joint = form
    write = write_named(f"<｜tool▁call▁begin｜>{before}", between, f"{after}{DEEPSEEK_END}", joint=joint)
    shown = f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{before}<name>{between}<args-json-object>{after}{DEEPSEEK_END}<｜tool▁calls▁end｜>"
    return Dialect(
        name=name,
        models=models,
        source=source,
        sections=(Calls(opens=("<｜tool▁call▁begin｜>",), read=read_deepseek), _SECTION),
        write=write_between("<｜tool▁calls▁begin｜>", write, "<｜tool▁calls▁end｜>"),
        prompt=replace(prompt, after=f"\n\nTo call tools, write one or more calls in this form:\n{shown}"),
        stops=("<｜end▁of▁sentence｜>",),
    )


_FENCED: Final = ("function<｜tool▁sep｜>", "\n```json\n", "\n```", "\n")

DEEPSEEK_V3: Final = _deepseek(
    "deepseek-v3", "DeepSeek V3, V3-0324", "the chat template of DeepSeek-V3", _FENCED, _DEEPSEEK_PROMPT
)
DEEPSEEK_R1: Final = _deepseek(
    "deepseek-r1",
    "DeepSeek R1, R1-0528, and what is distilled from it",
    "the chat template of DeepSeek-R1-0528",
    _FENCED,
    _DEEPSEEK_PROMPT,
)
DEEPSEEK_V3_1: Final = _deepseek(
    "deepseek-v3.1",
    "DeepSeek V3.1, V3.1-Terminus",
    'the model card of DeepSeek-V3.1, "ToolCall", and its chat template',
    ("", "<｜tool▁sep｜>", "", ""),
    replace(_DEEPSEEK_PROMPT, each=_describe_for_deepseek, between="\n\n", result=_deepseek_output),
)

_MISTRAL_ARRAY: Final = read_objects("</s>")

MISTRAL: Final = Dialect(
    name="mistral",
    models="Mistral 7B v0.3, Nemo, Large, Small 3, Devstral, Magistral, Ministral 3",
    source='Mistral, "mistral-common", tokenizers v3 to v13',
    sections=(Calls(opens=("[TOOL_CALLS]",), read=read_mistral(_MISTRAL_ARRAY)),),
    write=write_named("[TOOL_CALLS]", "[ARGS]", "", names=NAME),
    prompt=Prompt(
        before="[AVAILABLE_TOOLS][",
        between=", ",
        after="][/AVAILABLE_TOOLS]",
        result=lambda name, content, call_id: f"[TOOL_RESULTS]{content}[/TOOL_RESULTS]",
        marks=("[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[INST]", "[/INST]"),
    ),
    thinks=("[THINK]", "[/THINK]"),
    stops=("</s>",),
)

_KIMI_SECTION: Final = ("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>")

KIMI_K2: Final = Dialect(
    name="kimi-k2",
    models="Kimi K2, K2 Thinking",
    source='Moonshot AI, "Tool Use in Kimi K2" (tool_call_guidance)',
    sections=(
        Calls(opens=("<|tool_call_begin|>",), read=read_kimi),
        Words(
            opens=(*_KIMI_SECTION, "<|tool_call_section_begin|>", "<|tool_call_section_end|>")
        ),  # some leave out the s
    ),
    write=write_kimi,
    prompt=Prompt(
        before="<|im_system|>tool_declare<|im_middle|>[",
        between=", ",
        after="]<|im_end|>",
        result=lambda name, content, call_id: f"## Return of {call_id or name}\n{content}",
        marks=(
            *_KIMI_SECTION,
            "<|tool_call_begin|>",
            "<|tool_call_argument_begin|>",
            "<|tool_call_end|>",
            "<|im_system|>",
            "<|im_middle|>",
        ),
    ),
    stops=("<|im_end|>",),
)


def _describe_for_glm(tool: Tool) -> str:
    """Return a tool as GLM-4 is shown it.

    The name is a heading, and the function is JSON on several lines.
    """
    definition: Any = formats.get("openai").describe_one(tool)
    function = json.dumps(definition["function"], ensure_ascii=False, indent=4)
    return f"## {tool.name}\n\n{function}\n在调用上述函数时，请使用 Json 格式表示调用的参数。"


GLM_4: Final = Dialect(
    name="glm-4",
    models="GLM-4-9B-Chat, GLM-4-0414",
    source="the chat templates of glm-4-9b-chat and GLM-4-9B-0414",
    sections=(
        Calls(opens=(), read=read_line_named, at="start"),
        Calls(opens=("<|assistant|>",), read=read_line_named),
    ),
    write=write_named("", "\n", "", joint="<|assistant|>", names=NAME),
    prompt=Prompt(
        before="# 可用工具\n\n",
        each=_describe_for_glm,
        between="\n\n",
        after="",
        result=lambda name, content, call_id: f"<|observation|>\n{content}",
        marks=("<|assistant|>", "<|observation|>", "<|user|>", "<|system|>"),
    ),
    thinks=None,
    stops=("<|observation|>", "<|user|>", "<|endoftext|>"),
)

QWEN_FLOWER: Final = Dialect(
    name="qwen-flower",
    models="Qwen 2, and Qwen 2.5 as Qwen-Agent prompts it",
    source='Qwen-Agent, "QwenFnCallPrompt"',
    sections=(
        Calls(opens=("✿FUNCTION✿",), read=read_flower),
        Words(opens=("✿RETURN✿:",)),
    ),
    write=write_named("✿FUNCTION✿: ", "\n✿ARGS✿: ", "", joint="\n"),
    prompt=Prompt(
        before="# Tools\n\n## You have access to the following tools:\n\n",
        each="function",
        between="\n\n",
        after="\n\n## To call a tool, write these lines, as often as needed:\n\n"
        "✿FUNCTION✿: the name of the tool\n✿ARGS✿: its arguments, as a JSON object\n"
        "✿RESULT✿: what the tool returned\n✿RETURN✿: your answer, from the results",
        result=lambda name, content, call_id: f"✿RESULT✿: {content}",
        marks=("✿FUNCTION✿", "✿ARGS✿", "✿RESULT✿", "✿RETURN✿"),
    ),
    thinks=None,
    stops=("✿RESULT✿",),
)

# --- Each call as a JSON object ---

_LANGUAGE: Final = re.compile(r"[\w+\-]*")
_IN_FENCE: Final = read_objects("```")


def _read_fence(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read calls in a code fence of Markdown, whatever language it names."""
    yield from source.run(_LANGUAGE)
    return (yield from _IN_FENCE(source, mark))


_TOOLS_TAGS: Final = ("<tools>", "</tools>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")


def _hermes_prompt(before: str) -> Prompt:
    return Prompt(
        before=f"{before}\n<tools>\n",
        after="\n</tools>\n\nTo call a function, write a JSON object with its name and arguments within <tool_call></tool_call> tags, "
        'once for each call:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>',
        result=tool_response,
        marks=_TOOLS_TAGS,
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
_LONGCAT_PAIRS: Final = PairSyntax("longcat_")


def _read_longcat(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read calls of LongCat: objects or, from newer models, a name and a pair of tags for each argument."""
    yield from source.space()
    is_object = yield from source.is_next("{", "[")
    return (yield from (_LONGCAT_OBJECTS if is_object else _LONGCAT_PAIRS)(source, mark))


LONGCAT: Final = Dialect(
    name="longcat",
    models="LongCat-Flash-Chat, -Thinking and -Lite",
    source='the chat template of LongCat-Flash-Chat; vLLM, "LongcatFlashToolParser"; mlx-lm, "longcat" tool parser',
    sections=(Calls(opens=(_LONGCAT_PAIRS.opens,), read=_read_longcat),),
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
_IN_ACTION: Final = read_objects("<|action_end|>", keys=_PARAMETERS_FIRST)


def _read_action(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read calls of InternLM2 after the mark of a plugin; the other mark is that of the code interpreter."""
    yield from source.space()
    if not (yield from source.take(*_PLUGIN)):
        return None
    return (yield from _IN_ACTION(source, mark))


INTERNLM_2: Final = Dialect(
    name="internlm2",
    models="InternLM2, InternLM2.5, InternLM3",
    source='InternLM, "Chat Format"',
    sections=(Calls(opens=("<|action_start|>",), read=_read_action),),
    write=write_objects("<|action_start|><|plugin|>\n", "<|action_end|>", keys=_PARAMETERS_FIRST),
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
    sections=(Calls(opens=("```",), read=_read_fence), Calls(opens=("{", "["), read=read_objects())),
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


def _read_xlam_array(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read an array of calls, which `[TOOL_CALLS]` may precede."""
    source.place -= 1
    if (yield from source.take("[TOOL_CALLS]")):
        return (yield from _MARKED(source, ""))
    return (yield from _BARE(source, ""))


XLAM: Final = Dialect(
    name="xlam",
    models="Salesforce xLAM 1 and 2",
    source='the model card of xLAM-2; vLLM, "xLAMToolParser"',
    sections=(
        Calls(opens=("```",), read=_read_fence),
        Calls(opens=("<tool_call>",), read=read_objects("</tool_call>")),
        Calls(opens=("[",), read=_read_xlam_array),
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

# --- One array of JSON objects ---

_WRITE_LIST: Final = '[{"name": <tool-name>, "arguments": <args-json-object>}, …]'

GRANITE: Final = Dialect(
    name="granite",
    models="IBM Granite 3.0 to 3.3, Granite 20B Function Calling",
    source='the chat template of granite-3.3; the model card of granite-20b-functioncalling; vLLM, "GraniteToolParser"',
    sections=(
        Calls(opens=("<|tool_call|>",), read=read_objects("<|end_of_text|>")),
        Calls(opens=("<tool_call>",), read=read_objects("</tool_call>")),
        Calls(opens=("<function_call>",), read=read_objects("</function_call>")),
        Words(opens=("<response>",), closes=("</response>",), kind="content"),
    ),
    write=write_array("<|tool_call|>", ""),
    prompt=Prompt(
        before="You are a helpful assistant with access to the following tools:\n[",
        between=", ",
        after=f"]\n\nWhen a tool is needed, answer with <|tool_call|> followed by a JSON list of the tools to use: {_WRITE_LIST}",
        marks=("<|tool_call|>", "<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>"),
    ),
    stops=("<|end_of_text|>", "<|endoftext|>"),
)

PHI_4: Final = Dialect(
    name="phi4",
    models="Phi-4-mini",
    source='the model card of Phi-4-mini-instruct; vLLM, "Phi4MiniJsonToolParser"',
    sections=(
        Calls(opens=("<|tool_call|>",), read=read_objects("<|/tool_call|>")),
        Calls(opens=("functools",), read=read_objects("<|end|>", opening="[")),
    ),
    write=write_array("<|tool_call|>", "<|/tool_call|>"),
    prompt=Prompt(
        before="You are a helpful assistant with some tools.<|tool|>[",
        each="function",
        between=", ",
        after=f"]<|/tool|>\n\nTo call tools, write <|tool_call|>{_WRITE_LIST}<|/tool_call|>",
        marks=("<|tool|>", "<|/tool|>", "<|tool_call|>", "<|/tool_call|>", "<|tool_response|>"),
    ),
    thinks=None,
    stops=("<|end|>", "<|endoftext|>"),
)

JAMBA: Final = Dialect(
    name="jamba",
    models="Jamba 1.5, 1.6, 1.7",
    source='the model card of AI21-Jamba-1.5; vLLM, "JambaToolParser"',
    sections=(Calls(opens=("<tool_calls>",), read=read_objects("</tool_calls>")),),
    write=write_array("<tool_calls>", "</tool_calls>"),
    prompt=Prompt(
        before="# Tools\n\nYou may call these tools:\n<tool_definitions>\n",
        after=f"\n</tool_definitions>\n\nTo call tools, write a JSON list within <tool_calls></tool_calls> tags: {_WRITE_LIST}",
        marks=("<tool_definitions>", "</tool_definitions>", "<tool_calls>", "</tool_calls>"),
    ),
    thinks=None,
    stops=("<|eom|>",),
)

HUNYUAN: Final = Dialect(
    name="hunyuan",
    models="Hunyuan A13B",
    source='the model card of Hunyuan-A13B-Instruct; vLLM, "HunyuanA13BToolParser" and its chat template',
    sections=(
        Calls(opens=("<tool_calls>",), read=read_objects("</tool_calls>")),
        Words(opens=("<answer>", "</answer>")),
        Words(opens=("助手：",), at="start"),  # the template has answers begin with it where tools are told of
    ),
    write=write_array("<tool_calls>", "</tool_calls>"),
    prompt=Prompt(
        before="You have these tools:\n[",
        between=", ",
        after=f"]\n\nTo call tools, write a JSON list within <tool_calls></tool_calls> tags: {_WRITE_LIST}",
        result=lambda name, content, call_id: f"<tool_response>{content}</tool_response>",
        marks=("<tool_calls>", "</tool_calls>", "<tool_response>", "</tool_response>"),
    ),
    stops=("<|eos|>",),
)

NEMOTRON: Final = Dialect(
    name="nemotron",
    models="Llama-Nemotron Nano, Super and Ultra, Nemotron Nano v2",
    source="the model cards and chat templates of Llama-3.1-Nemotron-Ultra and NVIDIA-Nemotron-Nano-9B-v2",
    sections=(Calls(opens=("<TOOLCALL>",), read=read_objects("</TOOLCALL>")),),
    write=write_array("<TOOLCALL>", "</TOOLCALL>"),
    prompt=Prompt(
        before="You can use the following tools:\n<AVAILABLE_TOOLS>[",
        each="function",
        between=", ",
        after=f"]</AVAILABLE_TOOLS>\n\nTo call tools, write a JSON list within TOOLCALL tags: <TOOLCALL>{_WRITE_LIST}</TOOLCALL>",
        result=lambda name, content, call_id: f"<TOOL_RESPONSE>[{content}]</TOOL_RESPONSE>",
        marks=(
            "<AVAILABLE_TOOLS>",
            "</AVAILABLE_TOOLS>",
            "<TOOLCALL>",
            "</TOOLCALL>",
            "<TOOL_RESPONSE>",
            "</TOOL_RESPONSE>",
        ),
    ),
    stops=("<|eot_id|>", "<SPECIAL_12>"),
)

APERTUS: Final = Dialect(
    name="apertus",
    models="Apertus",
    source='swiss-ai, "Apertus Chat Format Specification"; the chat template of Apertus-8B-Instruct-2509',
    sections=(Calls(opens=("<|tools_prefix|>",), read=read_apertus),),
    write=write_apertus,
    prompt=Prompt(
        before="Tool Capabilities:\n",
        each=typescript,
        after="\n\nTo call tools, write: <|tools_prefix|>[{<tool-name>: <args-json-object>}, …]<|tools_suffix|>",
        result=lambda name, content, call_id: f"[{content}]",
        marks=("<|tools_prefix|>", "<|tools_suffix|>", "<|inner_prefix|>", "<|inner_suffix|>"),
    ),
    thinks=("<|inner_prefix|>", "<|inner_suffix|>"),
    stops=("<|assistant_end|>",),
)

_COHERE: Final = CallKeys(name=("tool_name", "name"), arguments=("parameters", "arguments"), id=("tool_call_id", "id"))


def _write_cohere(calls: Sequence[ToolCall]) -> str:
    written = [
        {"tool_call_id": call.id or str(place), "tool_name": name_of(call), "parameters": arguments_of(call)}
        for place, call in enumerate(calls)
    ]
    lines = ",\n".join(f"    {json_text(each)}" for each in written)
    return f"<|START_ACTION|>[\n{lines}\n]<|END_ACTION|>"


def _cohere_result(name: str, content: str, id: str | None) -> str:
    result = {"tool_call_id": id or "0", "results": {"0": content}, "is_error": None}
    return f"<|START_TOOL_RESULT|>[\n    {json_text(result)}\n]<|END_TOOL_RESULT|>"


COMMAND_R: Final = Dialect(
    name="command-r",
    models="Command R, R+, R7B, A, and A Reasoning",
    source='the chat templates of c4ai-command-r-plus and command-a; vLLM, "Cohere Command tool parser"',
    sections=(
        Calls(opens=("<|START_ACTION|>",), read=read_objects("<|END_ACTION|>", keys=_COHERE)),
        Calls(
            opens=("Action: ```json", "Action:```json", "Action:\n```json"),
            read=read_objects("```", keys=_COHERE),
            at="line",
        ),
        Words(opens=("<|START_RESPONSE|>",), closes=("<|END_RESPONSE|>",), kind="content"),
        Words(opens=("<|START_TEXT|>",), closes=("<|END_TEXT|>",), kind="content"),
        Words(opens=("<|START_THINKING|>",), closes=("<|END_THINKING|>",), kind="reasoning", nests=True),
    ),
    write=_write_cohere,
    prompt=Prompt(
        before="## Available Tools\nHere is the list of tools that you have available to you.\n```json\n[\n    ",
        each="function",
        between=",\n    ",
        after="\n]\n```\n\nTo call tools, write: <|START_ACTION|>"
        '[{"tool_call_id": "0", "tool_name": <tool-name>, "parameters": <args-json-object>}, …]<|END_ACTION|>',
        result=_cohere_result,
        marks=("<|START_ACTION|>", "<|END_ACTION|>", "<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>"),
    ),
    thinks=None,
    stops=("<|END_OF_TURN_TOKEN|>",),
)


ROWS: Final = (
    LLAMA_3,
    DEEPSEEK_V3,
    DEEPSEEK_R1,
    DEEPSEEK_V3_1,
    MISTRAL,
    KIMI_K2,
    GLM_4,
    QWEN_FLOWER,
    HERMES,
    GRANITE_4,
    ERNIE_4_5,
    LONGCAT,
    INTERNLM_2,
    JSON,
    XLAM,
    GRANITE,
    PHI_4,
    JAMBA,
    HUNYUAN,
    NEMOTRON,
    APERTUS,
    COMMAND_R,
)
"""The dialects of this module; the table of dialects reads this name."""
