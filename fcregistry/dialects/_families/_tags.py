"""Which families write calls as tags that name things themselves, `<function=name>` or `<arg_key>`?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from fcregistry import formats
from fcregistry.dialects._dialect import Dialect
from fcregistry.dialects._prompt import Prompt, json_text
from fcregistry.dialects._sections import Calls
from fcregistry.dialects._syntaxes._bare_text import LIMITS
from fcregistry.dialects._syntaxes._pairs import Pairs
from fcregistry.dialects._syntaxes._tags import Tags, section, write_tags

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool

# --- Qwen3-Coder, MiMo, Seed-OSS ------------------------------------------------------------------

_QWEN: Final = Tags(
    opens=("<tool_call>",),
    closes=("</tool_call>",),
    call=("<function=", "</function>"),
    parameter=("<parameter=", "</parameter>"),
    apart=True,
    trims=True,
    framed=True,
)
_MIMO: Final = Tags(
    opens=_QWEN.opens, closes=_QWEN.closes, call=_QWEN.call, parameter=_QWEN.parameter, apart=True, has_entities=True
)
_SEED: Final = Tags(
    opens=("<seed:tool_call>",),
    closes=("</seed:tool_call>",),
    call=_QWEN.call,
    parameter=_QWEN.parameter,
    apart=True,
    trims=True,
)
_QWEN_MARKS: Final = (
    "<tools>",
    "</tools>",
    "<tool_call>",
    "</tool_call>",
    "<function=",
    "<parameter=",
    "<tool_response>",
    "</tool_response>",
    "<|im_start|>",
    "<|im_end|>",
)


def _example(line: str) -> str:
    value = "This is the value for the second parameter\nthat can span\nmultiple lines"
    first = f"<parameter=example_parameter_1>{line}value_1{line}</parameter>"
    return f"<function=example_function_name>\n{first}\n<parameter=example_parameter_2>{line}{value}{line}</parameter>\n</function>"


def _tool_response(name: str, content: str, id: str | None) -> str:
    return f"<tool_response>\n{content}\n</tool_response>"


def _function_element(tool: Tool) -> str:
    """Tell of a tool in elements, as Qwen3-Coder and MiMo are told: what schemas hold beside type and description stands there as JSON."""
    definition: Any = formats.get("openai").describe_one(tool)
    schema = definition["function"]["parameters"]
    lines = [
        "<function>",
        _line("name", tool.name),
        _line("description", definition["function"].get("description", "")),
        "<parameters>",
    ]
    for name, field in schema.get("properties", {}).items():
        told = field if isinstance(field, dict) else {}
        first = [_line(key, told[key]) for key in ("type", "description") if key in told]
        more = [_line(key, value) for key, value in told.items() if key not in ("type", "description")]
        lines += ["<parameter>", _line("name", name), *first, *more, "</parameter>"]
    lines += [_line(key, value) for key, value in schema.items() if key not in ("type", "properties")]
    return "\n".join([*lines, "</parameters>", "</function>"])


def _line(tag: str, value: Any) -> str:
    text = value.strip() if isinstance(value, str) else json_text(value)
    return f"<{_inert(tag)}>{_inert(text)}</{_inert(tag)}>"


def _inert(text: str) -> str:
    """Return text of strangers in which nothing is a tag."""
    return re.sub(r"<(?=[/\w])", "< ", text)


QWEN_3_CODER: Final = Dialect(
    name="qwen3-coder",
    models="Qwen3-Coder, Qwen 3.5, Nemotron 3, Step 3.5",
    source='Qwen, "Qwen3-Coder-30B-A3B-Instruct", chat template',
    sections=(section(_QWEN),),
    write=write_tags(_QWEN),
    prompt=Prompt(
        before="# Tools\n\nYou have access to the following functions:\n\n<tools>\n",
        each=_function_element,
        after="\n</tools>\n\nIf you choose to call a function, reply in this format, with nothing after it:\n\n"
        f"<tool_call>\n{_example(chr(10))}\n</tool_call>\n\n"
        "- Put every call as a <function=...></function> block within <tool_call></tool_call> tags.\n"
        "- Give all required parameters.\n"
        "- You may explain the call before it, but not after it.\n"
        "- If no function helps, answer from what you know, and say nothing of functions.",
        result=_tool_response,
        marks=_QWEN_MARKS,
    ),
    stops=("<|im_end|>",),
    limits=LIMITS,
)

MIMO: Final = Dialect(
    name="mimo",
    models="MiMo-V2-Flash, MiMo-V2.5",
    source='Xiaomi, "MiMo-V2-Flash", chat template; SGLang, "MiMoDetector", which its model card serves it with',
    sections=(section(_MIMO),),
    write=write_tags(_MIMO),
    prompt=Prompt(
        before="# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
        "You have access to the following functions:\n\n<tools>\n",
        each=_function_element,
        after="\n</tools>\n\nFor each function call, write the function's name and its arguments in this format:\n"
        f"<tool_call>\n{_example('')}\n</tool_call>\n\n"
        "- Put every call as a <function=...></function> block within <tool_call></tool_call> tags.\n"
        "- Make no calls inside <think></think> tags.\n"
        "- A value is taken as it stands between its tags, with all newlines and spaces.",
        result=_tool_response,
        marks=_QWEN_MARKS,
    ),
    stops=("<|im_end|>",),
    limits=LIMITS,
)

SEED_OSS: Final = Dialect(
    name="seed-oss",
    models="Seed-OSS",
    source='ByteDance Seed, "Seed-OSS-36B-Instruct", chat template',
    sections=(section(_SEED),),
    write=write_tags(_SEED),
    prompt=Prompt(
        before="Tool List:\nYou may use the following tools, which are described in JSON Schema. Before any task, decide from their "
        "descriptions and parameters how to call them.\n[",
        between=", ",
        after=f"]\n\n工具调用请遵循如下格式:\n<seed:tool_call>\n{_example('')}\n</seed:tool_call>\n",
        marks=("<seed:tool_call>", "</seed:tool_call>", "<seed:bos>", "<seed:eos>", "<function=", "<parameter="),
    ),
    thinks=("<seed:think>", "</seed:think>"),
    stops=("<seed:eos>",),
    limits=LIMITS,
)

# --- GLM ------------------------------------------------------------------------------------------

_GLM: Final = Pairs()

GLM_4_5: Final = Dialect(
    name="glm-4.5",
    models="GLM-4.5, GLM-4.6, GLM-4.7",
    source='Z.ai, "GLM-4.5" and "GLM-4.7", chat templates',
    sections=(Calls(opens=(_GLM.opens,), read=_GLM),),
    write=_GLM.write,
    prompt=Prompt(
        before="# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
        "The functions' signatures stand within <tools></tools> tags:\n<tools>\n",
        after="\n</tools>\n\nFor each function call, write the function's name and its arguments in this format:\n"
        "<tool_call>{function-name}\n<arg_key>{arg-key-1}</arg_key>\n<arg_value>{arg-value-1}</arg_value>\n"
        "<arg_key>{arg-key-2}</arg_key>\n<arg_value>{arg-value-2}</arg_value>\n...\n</tool_call>",
        result=_tool_response,
        marks=("<tools>", "</tools>", *_GLM.marks, "<tool_response>", "</tool_response>"),
    ),
    stops=("<|user|>", "<|observation|>", "<|endoftext|>"),
    limits=LIMITS,
)

ROWS: Final = (QWEN_3_CODER, MIMO, SEED_OSS, GLM_4_5)
