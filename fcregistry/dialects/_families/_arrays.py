"""Which families write calls as one array of JSON objects between marks?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry.dialects._dialect import Dialect
from fcregistry.dialects._prompt import Prompt, json_text, typescript
from fcregistry.dialects._sections import Calls, Words
from fcregistry.dialects._syntaxes._named import read_apertus, write_apertus
from fcregistry.dialects._syntaxes._objects import Keys, arguments_of, name_of, read_objects, write_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fcregistry._base.call import ToolCall

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

_COHERE: Final = Keys(name=("tool_name", "name"), arguments=("parameters", "arguments"), id=("tool_call_id", "id"))


def _write_cohere(calls: Sequence[ToolCall]) -> str:
    written = [
        {"tool_call_id": call.id or str(place), "tool_name": name_of(call), "parameters": arguments_of(call)}
        for place, call in enumerate(calls)
    ]
    lines = ",\n".join(f"    {json_text(each)}" for each in written)
    return f"<|START_ACTION|>[\n{lines}\n]<|END_ACTION|>"


def _cohere_result(name: str, content: str, id: str | None) -> str:
    told = {"tool_call_id": id or "0", "results": {"0": content}, "is_error": None}
    return f"<|START_TOOL_RESULT|>[\n    {json_text(told)}\n]<|END_TOOL_RESULT|>"


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

ROWS: Final = (GRANITE, PHI_4, JAMBA, HUNYUAN, NEMOTRON, APERTUS, COMMAND_R)
