"""Which families write a call as a name, and its arguments as a JSON object behind it?"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from fcregistry import formats
from fcregistry.dialects._dialect import Dialect
from fcregistry.dialects._prompt import Prompt, json_text
from fcregistry.dialects._sections import Calls, Words
from fcregistry.dialects._syntaxes._named import (
    DEEPSEEK_END,
    NAME,
    read_deepseek,
    read_flower,
    read_kimi,
    read_line_named,
    read_mistral,
    read_named,
    wrapped,
    write_kimi,
    write_named,
)
from fcregistry.dialects._syntaxes._objects import Keys, read_objects, write_objects

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool

_LLAMA: Final = Keys(arguments=("parameters", "arguments"))

LLAMA_3: Final = Dialect(
    name="llama3",
    models="Llama 3.1, 3.2, 3.3",
    source='Llama documentation, "Model Cards and Prompt formats", Llama 3.1 and 3.2',
    sections=(
        Calls(opens=("<|python_tag|>",), read=read_objects("<|eom_id|>", keys=_LLAMA)),
        Calls(opens=("<function=",), read=read_named(">", "</function>")),
        Calls(opens=("{",), read=read_objects(keys=_LLAMA, separator=";")),
    ),
    write=write_objects("", "", keys=_LLAMA, between="; "),
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


def _deepseek_tool(tool: Tool) -> str:
    """Tell of a tool as DeepSeek V3.1 is told: name and description, and the schema as JSON."""
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
        models: Whose it is.
        source: The publication that it follows.
        form: What stands before a name, behind it, behind the arguments, and between two calls.
        prompt: How tools and results are told, but for the form of calls.
    """
    before, between, after, joint = form
    write = write_named(f"<｜tool▁call▁begin｜>{before}", between, f"{after}{DEEPSEEK_END}", joint=joint)
    shown = f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{before}<name>{between}<args-json-object>{after}{DEEPSEEK_END}<｜tool▁calls▁end｜>"
    return Dialect(
        name=name,
        models=models,
        source=source,
        sections=(Calls(opens=("<｜tool▁call▁begin｜>",), read=read_deepseek), _SECTION),
        write=wrapped("<｜tool▁calls▁begin｜>", write, "<｜tool▁calls▁end｜>"),
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
    replace(_DEEPSEEK_PROMPT, each=_deepseek_tool, between="\n\n", result=_deepseek_output),
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


def _glm_tool(tool: Tool) -> str:
    """Tell of a tool as GLM-4 is told: the name as a heading, and the function as JSON on several lines."""
    definition: Any = formats.get("openai").describe_one(tool)
    told = json.dumps(definition["function"], ensure_ascii=False, indent=4)
    return f"## {tool.name}\n\n{told}\n在调用上述函数时，请使用 Json 格式表示调用的参数。"


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
        each=_glm_tool,
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

ROWS: Final = (LLAMA_3, DEEPSEEK_V3, DEEPSEEK_R1, DEEPSEEK_V3_1, MISTRAL, KIMI_K2, GLM_4, QWEN_FLOWER)
