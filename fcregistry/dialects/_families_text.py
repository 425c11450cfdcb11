"""The families that write arguments as text other than one JSON object: a row each.

They write tags that carry names, tags with names in attributes, bare names in braces, Python, labelled lines, or messages to a tool.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from fcregistry import formats
from fcregistry.dialects._dialect import Dialect, Prompt, json_text, tool_response, typescript
from fcregistry.dialects._parsed import Calls, Words
from fcregistry.dialects._syntax_braces import braces_text, read_braces, write_braces
from fcregistry.dialects._syntax_lines import (
    ENDS,
    INPUT_LABEL,
    LABELS,
    read_action,
    read_header,
    read_label,
    read_message,
    read_rest,
    read_start,
    write_actions,
    write_messages,
)
from fcregistry.dialects._syntax_python import read_list, read_python, write_list, write_rows
from fcregistry.dialects._syntax_tags import (
    BARE_TEXT_LIMITS,
    PairSyntax,
    TagSyntax,
    read_elements,
    tag_section,
    write_tags,
)

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.dialects._dialect import ResultText

# --- Tags that carry names: Qwen3-Coder, MiMo, Seed-OSS ---

_QWEN: Final = TagSyntax(
    opens=("<tool_call>",),
    closes=("</tool_call>",),
    call=("<function=", "</function>"),
    parameter=("<parameter=", "</parameter>"),
    apart=True,
    trims=True,
    framed=True,
)
_MIMO: Final = TagSyntax(
    opens=_QWEN.opens, closes=_QWEN.closes, call=_QWEN.call, parameter=_QWEN.parameter, apart=True, has_entities=True
)
_SEED: Final = TagSyntax(
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


def _describe_in_elements(tool: Tool) -> str:
    """Return a tool in elements, as Qwen3-Coder and MiMo are shown it.

    Keywords of schemas other than type and description become JSON.
    """
    definition: Any = formats.get("openai").describe_one(tool)
    schema = definition["function"]["parameters"]
    lines = [
        "<function>",
        _line("name", tool.name),
        _line("description", definition["function"].get("description", "")),
        "<parameters>",
    ]
    for name, field in schema.get("properties", {}).items():
        shown = field if isinstance(field, dict) else {}
        first = [_line(key, shown[key]) for key in ("type", "description") if key in shown]
        more = [_line(key, value) for key, value in shown.items() if key not in ("type", "description")]
        lines += ["<parameter>", _line("name", name), *first, *more, "</parameter>"]
    lines += [_line(key, value) for key, value in schema.items() if key not in ("type", "properties")]
    return "\n".join([*lines, "</parameters>", "</function>"])


def _line(tag: str, value: Any) -> str:
    text = value.strip() if isinstance(value, str) else json_text(value)
    return f"<{_break_tags(tag)}>{_break_tags(text)}</{_break_tags(tag)}>"


def _break_tags(text: str) -> str:
    """Return text of strangers in which nothing is a tag."""
    return re.sub(r"<(?=[/\w])", "< ", text)


QWEN_3_CODER: Final = Dialect(
    name="qwen3-coder",
    models="Qwen3-Coder, Qwen 3.5, Nemotron 3, Step 3.5",
    source='Qwen, "Qwen3-Coder-30B-A3B-Instruct", chat template',
    sections=(tag_section(_QWEN),),
    write=write_tags(_QWEN),
    prompt=Prompt(
        before="# Tools\n\nYou have access to the following functions:\n\n<tools>\n",
        each=_describe_in_elements,
        after="\n</tools>\n\nIf you choose to call a function, reply in this format, with nothing after it:\n\n"
        f"<tool_call>\n{_example(chr(10))}\n</tool_call>\n\n"
        "- Put every call as a <function=...></function> block within <tool_call></tool_call> tags.\n"
        "- Give all required parameters.\n"
        "- You may explain the call before it, but not after it.\n"
        "- If no function helps, answer from what you know, and say nothing of functions.",
        result=tool_response,
        marks=_QWEN_MARKS,
    ),
    stops=("<|im_end|>",),
    limits=BARE_TEXT_LIMITS,
)

MIMO: Final = Dialect(
    name="mimo",
    models="MiMo-V2-Flash, MiMo-V2.5",
    source='Xiaomi, "MiMo-V2-Flash", chat template; SGLang, "MiMoDetector", which its model card serves it with',
    sections=(tag_section(_MIMO),),
    write=write_tags(_MIMO),
    prompt=Prompt(
        before="# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
        "You have access to the following functions:\n\n<tools>\n",
        each=_describe_in_elements,
        after="\n</tools>\n\nFor each function call, write the function's name and its arguments in this format:\n"
        f"<tool_call>\n{_example('')}\n</tool_call>\n\n"
        "- Put every call as a <function=...></function> block within <tool_call></tool_call> tags.\n"
        "- Make no calls inside <think></think> tags.\n"
        "- A value is taken as it stands between its tags, with all newlines and spaces.",
        result=tool_response,
        marks=_QWEN_MARKS,
    ),
    stops=("<|im_end|>",),
    limits=BARE_TEXT_LIMITS,
)

SEED_OSS: Final = Dialect(
    name="seed-oss",
    models="Seed-OSS",
    source='ByteDance Seed, "Seed-OSS-36B-Instruct", chat template',
    sections=(tag_section(_SEED),),
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
    limits=BARE_TEXT_LIMITS,
)

# --- A pair of tags for each argument: GLM ---

_GLM: Final = PairSyntax()

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
        result=tool_response,
        marks=("<tools>", "</tools>", *_GLM.marks, "<tool_response>", "</tool_response>"),
    ),
    stops=("<|user|>", "<|observation|>", "<|endoftext|>"),
    limits=BARE_TEXT_LIMITS,
)

# --- Tags with names in attributes ---


def _invocations(prefix: str, opens: tuple[str, ...], closes: tuple[str, ...], **more: Any) -> TagSyntax:
    call, parameter = f"{prefix}invoke", f"{prefix}parameter"
    return TagSyntax(
        opens=opens,
        closes=closes,
        call=(f"<{call}", f"</{call}>"),
        parameter=(f"<{parameter}", f"</{parameter}>"),
        **more,
    )


def _claude(prefix: str, **more: Any) -> TagSyntax:
    return _invocations(prefix, (f"<{prefix}function_calls>",), (f"</{prefix}function_calls>",), **more)


_MINIMAX: Final = _invocations("", ("<minimax:tool_call>",), ("</minimax:tool_call>",))
_CLAUDE: Final = _claude("", unnamed=read_elements)
_CLAUDE_PREFIXED: Final = _claude("antml:")
_DSML: Final = _invocations(
    "｜DSML｜",
    ("<｜DSML｜function_calls>", "<｜DSML｜tool_calls>"),
    ("</｜DSML｜function_calls>", "</｜DSML｜tool_calls>"),
    tells_strings=True,
    takes_objects=True,
)
_DSML_BARE: Final = _claude("", takes_objects=True)
"""DSML as it comes if special tokens were left out."""

_STEP: Final = _invocations(
    "steptml:",
    ("<｜tool_calls_begin｜>",),
    ("<｜tool_calls_end｜>",),
    before=("<｜tool_call_begin｜>", "function<｜tool_sep｜>"),
    after=("<｜tool_call_end｜>", "<｜tool_sep｜>"),
)


def _tag_marks(tags: TagSyntax, *more: str) -> tuple[str, ...]:
    return (*tags.opens, *tags.closes, *tags.call, *tags.parameter, *tags.before, *tags.after, *more)


def _minimax_result(name: str, content: str, id: str | None) -> str:
    return f"<response>{content}</response>"


def _claude_result(name: str, content: str, id: str | None) -> str:
    return f"<function_results>\n<result>\n<tool_name>{name}</tool_name>\n<stdout>\n{content}\n</stdout>\n</result>\n</function_results>"


def _dsml_result(name: str, content: str, id: str | None) -> str:
    return f"<function_results>\n<result>{content}</result>\n</function_results>"


MINIMAX_M2: Final = Dialect(
    name="minimax-m2",
    models="MiniMax-M2, M2.1, M2.5",
    source='MiniMax, "MiniMax-M2", chat template and "Tool Calling Guide"',
    sections=(tag_section(_MINIMAX),),
    write=write_tags(_MINIMAX),
    prompt=Prompt(
        before="# Tools\nYou may call one or more tools to assist with the user query.\nThe tools, described in JSON Schema:\n\n<tools>\n<tool>",
        each="function",
        between="</tool>\n<tool>",
        after="</tool>\n</tools>\n\nTo call tools, write them and their parameters as XML:\n\n<minimax:tool_call>\n"
        '<invoke name="tool-name-1">\n<parameter name="param-key-1">param-value-1</parameter>\n'
        '<parameter name="param-key-2">param-value-2</parameter>\n...\n</invoke>\n</minimax:tool_call>',
        result=_minimax_result,
        marks=_tag_marks(
            _MINIMAX, "<tools>", "</tools>", "<tool>", "</tool>", "<response>", "</response>", "[e~[", "]~b]"
        ),
    ),
    stops=("[e~[",),
    limits=BARE_TEXT_LIMITS,
)

CLAUDE_XML: Final = Dialect(
    name="claude-xml",
    models="Claude, where it is prompted by text; other models that follow such a prompt",
    source='Anthropic documentation, "Tool use", the system prompt of tool use; "Legacy tool use"',
    sections=(tag_section(_CLAUDE), tag_section(_CLAUDE_PREFIXED)),
    write=write_tags(_CLAUDE),
    prompt=Prompt(
        before="You have access to a set of tools that you can use to answer the user's question.\n"
        'Call them by writing a "<function_calls>" block like this one in your reply:\n'
        '<function_calls>\n<invoke name="$FUNCTION_NAME">\n<parameter name="$PARAMETER_NAME">$PARAMETER_VALUE</parameter>\n...\n'
        '</invoke>\n<invoke name="$FUNCTION_NAME2">\n...\n</invoke>\n</function_calls>\n\n'
        "Write strings and scalars as they are, lists and objects as JSON. The spaces of strings are kept. What you write need not be "
        "valid XML, and nothing in it is unescaped.\n\nThe functions, described in JSON Schema:\n<functions>\n",
        each="function",
        after="\n</functions>",
        result=_claude_result,
        marks=(
            *_tag_marks(_CLAUDE, "<functions>", "</functions>", "<function_results>", "</function_results>"),
            *_tag_marks(_CLAUDE_PREFIXED, "<result>", "</result>", "<stdout>", "</stdout>"),
        ),
    ),
    thinks=("<thinking>", "</thinking>"),
    stops=("<function_results>",),
    limits=BARE_TEXT_LIMITS,
)

DEEPSEEK_V3_2: Final = Dialect(
    name="deepseek-v3.2",
    models="DeepSeek V3.2, and V4 with its own name of the section",
    source='DeepSeek, "DeepSeek-V3.2", encoding of messages (DSML)',
    sections=(tag_section(_DSML), tag_section(_DSML_BARE)),
    write=write_tags(_DSML),
    prompt=Prompt(
        before="## Tools\nYou have access to a set of tools that you can use to answer the user's question.\n"
        'Call them by writing a "<｜DSML｜function_calls>" block like this one in your reply:\n'
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="$FUNCTION_NAME">\n'
        '<｜DSML｜parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</｜DSML｜parameter>\n...\n</｜DSML｜invoke>\n'
        '<｜DSML｜invoke name="$FUNCTION_NAME2">\n...\n</｜DSML｜invoke>\n</｜DSML｜function_calls>\n'
        'Write strings as they are, without escapes or quotes, with string="true"; anything else as JSON, with string="false".\n'
        "The functions, described in JSON Schema:\n<functions>\n",
        each="function",
        after="\n</functions>\n",
        result=_dsml_result,
        marks=_tag_marks(
            _DSML,
            "｜DSML｜",
            "<functions>",
            "</functions>",
            "<function_results>",
            "</function_results>",
            "<result>",
            "</result>",
        ),
    ),
    stops=("<｜end▁of▁sentence｜>",),
    limits="Nothing is escaped: a string that holds the tag that closes it, followed by one that can follow it, cannot be written, "
    "nor a string that holds the end of a call and of its section, unless it is that of a whole call.",
)

STEP_3: Final = Dialect(
    name="step3",
    models="Step-3",
    source='StepFun, "step3", deployment guide; the StepTML parsers of vLLM and SGLang',
    sections=(tag_section(_STEP),),
    write=write_tags(_STEP),
    prompt=Prompt(
        before="# Tools\nYou may call one or more of these tools, which are described in JSON Schema:\n",
        after="\n\nTo call tools, write a block like this one:\n<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜>"
        '<steptml:invoke name="function_name">\n<steptml:parameter name="parameter_name">value</steptml:parameter>\n...\n'
        "</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>",
        marks=_tag_marks(_STEP),
    ),
    stops=("<|EOT|>",),
    limits=BARE_TEXT_LIMITS,
)

# --- Bare names in braces ---

_LEFT_OUT: Final = frozenset({"additionalProperties"})
_LAST: Final = ("properties", "required", "type")
"""Keywords that the published declarations put last, in this order."""


def _declare_with(quote: str) -> Callable[[Tool], str]:
    """Return a function that describes one tool: its schema, with the names of types in capitals."""

    def describe(tool: Tool) -> str:
        definition: Any = formats.get("openai").describe_one(tool)
        function = definition["function"]
        described = {
            "description": function.get("description", ""),
            "parameters": _capitalize_types(function["parameters"]),
        }
        return f"declaration:{function['name']}{braces_text(_break_quote(described, quote), quote)}"

    return describe


def _capitalize_types(schema: Any) -> Any:
    """Return a schema with the names of types in capitals, as Google's models are shown them."""
    if isinstance(schema, list):
        return [_capitalize_types(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    keys = [key for key in schema if key not in _LAST and key not in _LEFT_OUT]
    return {key: _capitalize_keyword(key, schema[key]) for key in [*keys, *(key for key in _LAST if schema.get(key))]}


def _capitalize_keyword(key: str, value: Any) -> Any:
    if key in ("enum", "const", "default", "required"):
        return value
    if key == "type":
        return [each.upper() for each in value] if isinstance(value, list) else value.upper()
    if key in ("properties", "$defs"):
        return {name: _capitalize_types(each) for name, each in value.items()}
    return _capitalize_types(value)


def _break_quote(value: Any, quote: str) -> Any:
    """Return a value with the mark that replaces quotes broken in its strings.

    So its strings end nowhere else.
    """
    if isinstance(value, str):
        return value.replace(quote, f"{quote[0]} {quote[1:]}")
    if isinstance(value, list):
        return [_break_quote(each, quote) for each in value]
    if isinstance(value, dict):
        return {_break_quote(name, quote): _break_quote(each, quote) for name, each in value.items()}
    return value


def _braces_response(quote: str, opens: str, closes: str) -> ResultText:
    return lambda name, content, call_id: (
        f"{opens}response:{name}{braces_text({'value': _break_quote(content, quote)}, quote)}{closes}"
    )


_GEMMA_4: Final = ('<|"|>', "<|tool_call>", "<tool_call|>")

GEMMA_4: Final = Dialect(
    name="gemma4",
    models="Gemma 4",
    source='Google AI for Developers, "Function calling with Gemma 4"; the chat template of Gemma 4',
    sections=(
        Calls(opens=("<|tool_call>",), read=read_braces(*_GEMMA_4)),
        Words(opens=("<|tool_response>",), closes=("<tool_response|>",)),
    ),
    write=write_braces(*_GEMMA_4),
    prompt=Prompt(
        before="<|tool>",
        each=_declare_with('<|"|>'),
        between="<tool|><|tool>",
        after="<tool|>",
        result=_braces_response('<|"|>', "<|tool_response>", "<tool_response|>"),
        marks=(
            "<|tool>",
            "<tool|>",
            "<|tool_call>",
            "<tool_call|>",
            "<|tool_response>",
            "<tool_response|>",
            "<|turn>",
            "<turn|>",
        ),
    ),
    thinks=("<|channel>thought", "<channel|>"),
    stops=("<turn|>", "<|tool_response>"),
    limits='A string cannot hold `<|"|>`, the mark that stands for quotes. A response that the model invents is left out.',
)

_FUNCTION_GEMMA: Final = ("<escape>", "<start_function_call>", "<end_function_call>")

FUNCTION_GEMMA: Final = Dialect(
    name="functiongemma",
    models="FunctionGemma",
    source='Google AI for Developers, "FunctionGemma formatting and best practices"',
    sections=(
        Calls(opens=("<start_function_call>",), read=read_braces(*_FUNCTION_GEMMA)),
        Words(opens=("<start_function_response>",), closes=("<end_function_response>",)),
    ),
    write=write_braces(*_FUNCTION_GEMMA),
    prompt=Prompt(
        before="You are a model that can do function calling with the following functions<start_function_declaration>",
        each=_declare_with("<escape>"),
        between="<end_function_declaration><start_function_declaration>",
        after="<end_function_declaration>",
        result=_braces_response("<escape>", "<start_function_response>", "<end_function_response>"),
        marks=(
            "<start_function_declaration>",
            "<end_function_declaration>",
            "<start_function_call>",
            "<end_function_call>",
            "<start_function_response>",
            "<end_function_response>",
            "<start_of_turn>",
            "<end_of_turn>",
        ),
    ),
    stops=("<end_of_turn>", "<start_function_response>"),
    limits="A string cannot hold `<escape>`, the mark that stands for quotes. A response that the model invents is left out.",
)

# --- Python ---

_NO_EXPRESSIONS: Final = "Values are literals: a call with a name, an operation or another call in it is content."

PYTHONIC: Final = Dialect(
    name="pythonic",
    models="Llama 3.2, Llama 4, ToolACE",
    source='Llama documentation, "Model Cards and Prompt formats", Llama 3.2 and Llama 4; the chat template "llama4_pythonic" of vLLM',
    sections=(
        Calls(opens=("<|python_start|>",), read=read_python("<|python_end|>")),
        Calls(opens=("[",), read=read_list),
        Words(opens=("<|python_end|>",)),
    ),
    write=write_list(),
    prompt=Prompt(
        before="You can call functions when they are needed. Use only those of the list below, and do not use variables.\n\n"
        "To call functions, answer with a list of calls in the format of Python, and nothing else:\n"
        "[func_name1(params_name1=params_value1, params_name2=params_value2...), func_name2(params)]\n\n"
        "Here is a list of functions in JSON format that you can invoke:\n[",
        each="function",
        between=",\n",
        after="]",
        marks=(
            "<|python_start|>",
            "<|python_end|>",
            "<|header_start|>",
            "<|header_end|>",
            "<|start_header_id|>",
            "<|end_header_id|>",
            "<|eot|>",
            "<|eom|>",
            "<|eot_id|>",
            "<|eom_id|>",
        ),
    ),
    stops=("<|eot|>", "<|eom|>", "<|eot_id|>", "<|eom_id|>"),
    limits=_NO_EXPRESSIONS,
)

LFM_2: Final = Dialect(
    name="lfm2",
    models="LFM2, LFM2.5",
    source='Liquid AI documentation, "Tool Use"; the chat template of LFM2',
    sections=(Calls(opens=("<|tool_call_start|>",), read=read_python("<|tool_call_end|>")),),
    write=write_list("<|tool_call_start|>", "<|tool_call_end|>"),
    prompt=Prompt(
        before="List of tools: <|tool_list_start|>[",
        each="function",
        between=", ",
        after="]<|tool_list_end|>",
        result=lambda name, content, call_id: f"<|tool_response_start|>{content}<|tool_response_end|>",
        marks=(
            "<|tool_list_start|>",
            "<|tool_list_end|>",
            "<|tool_call_start|>",
            "<|tool_call_end|>",
            "<|tool_response_start|>",
            "<|tool_response_end|>",
            "<|im_start|>",
            "<|im_end|>",
        ),
    ),
    stops=("<|im_end|>",),
    limits=_NO_EXPRESSIONS,
)

OLMO_3: Final = Dialect(
    name="olmo3",
    models="OLMo 3",
    source='the chat template of OLMo 3; vLLM, "Olmo3PythonicToolParser"',
    sections=(Calls(opens=("<function_calls>",), read=read_python("</function_calls>")),),
    write=write_rows("<function_calls>\n", "\n</function_calls>"),
    prompt=Prompt(
        before="You have access to the functions below. To call some, write each call as Python does on a line of its own, within "
        "<function_calls></function_calls> tags:\n<function_calls>\nfunction1(param1='value1')\nfunction2(param2='value2')\n"
        "</function_calls>\n\nThe functions:\n<functions>\n",
        each="function",
        after="\n</functions>",
        result=lambda name, content, call_id: f"Function {name} returned:\n{content}",
        marks=("<functions>", "</functions>", "<function_calls>", "</function_calls>", "<|im_start|>", "<|im_end|>"),
    ),
    stops=("<|im_end|>",),
    limits=_NO_EXPRESSIONS,
)


def _describe_as_python(tool: Tool) -> str:
    return str(formats.get("python").describe_one(tool))


MINICPM: Final = Dialect(
    name="minicpm",
    models="MiniCPM3, MiniCPM4, MiniCPM4.1",
    source="the chat template of MiniCPM3-4B",
    sections=(
        Calls(opens=("<|tool_call_start|>",), read=read_python("<|tool_call_end|>")),
        Words(opens=("<think>",), closes=("</think>",), kind="reasoning", nests=True),
    ),
    write=write_rows("<|tool_call_start|>\n```python\n", "\n```\n<|tool_call_end|>"),
    prompt=Prompt(
        before="# Functions\nHere is a list of functions that you can invoke:\n```python\n",
        each=_describe_as_python,
        between="\n\n",
        after="\n```\n\n# Function Call Rule and Output Format\n- Answer directly where no function is needed, and ask for what is missing.\n"
        "- Otherwise say what you plan, and call the functions; leave parameters to their defaults unless the user says otherwise.\n"
        "- Answer in this format:\n\n<|thought_start|>\n{your thought}\n<|thought_end|>\n<|tool_call_start|>\n```python\n"
        "func1(params_name=params_value, params_name2=params_value2...)\nfunc2(params)\n```\n<|tool_call_end|>\n{your answer}",
        marks=(
            "<|thought_start|>",
            "<|thought_end|>",
            "<|tool_call_start|>",
            "<|tool_call_end|>",
            "```",
            "<|im_start|>",
            "<|im_end|>",
        ),
    ),
    thinks=("<|thought_start|>", "<|thought_end|>"),
    stops=("<|im_end|>",),
    limits=_NO_EXPRESSIONS,
)

# --- Labelled lines ---


def _describe_as_text(tool: Tool) -> str:
    return str(formats.get("text").describe_one(tool))


REACT: Final = Dialect(
    name="react",
    models="any model that is told to",
    source='Yao et al., "ReAct: Synergizing Reasoning and Acting in Language Models"; the prompts of LangChain and LlamaIndex',
    sections=(
        Calls(opens=("Action:",), read=read_action, at="line"),
        Words(opens=("Thought:",), before=tuple(f"\n{label}" for label in LABELS), kind="reasoning", at="line"),
        Calls(opens=("Final Answer", "Answer:"), read=read_label, at="line"),
        Calls(opens=("Observation:",), read=read_rest, at="line"),
    ),
    write=write_actions,
    prompt=Prompt(
        before="You can use these tools:\n\n",
        each=_describe_as_text,
        after="\n\nUse this format:\n\nThought: what you think is to be done\nAction: the name of one tool\n"
        f"{INPUT_LABEL} its arguments, a JSON object on one line\nObservation: what the tool answers\n"
        "... (this may repeat)\nThought: I know the answer\nFinal Answer: your answer\n\nStop behind the input of an action: "
        "the observation is given to you.",
        result=lambda name, content, call_id: f"Observation: {content}",
        marks=(*LABELS, INPUT_LABEL),
    ),
    limits="A name is letters, digits, `_`, `-` and `.`. Text that is no JSON object is one line, or stands in a code fence, and the line must "
    "have ended: stop at `Observation:`, not at the line end before it. An observation that the model invents is cut off, with all behind it.",
)

# --- Messages in channels ---

_NEXT: Final = ("<|start|>", "<|channel|>")


def _harmony_result(name: str, content: str, id: str | None) -> str:
    return f"functions.{name} returned:\n{content}"


HARMONY: Final = Dialect(
    name="harmony",
    models="gpt-oss",
    source='OpenAI, "OpenAI Harmony Response Format"',
    sections=(
        Calls(
            opens=("<|channel|>commentary to=", "<|channel|>analysis to=", "<|channel|>final to="), read=read_message
        ),
        Words(opens=("<|channel|>analysis<|message|>",), closes=ENDS, before=_NEXT, kind="reasoning"),
        Words(
            opens=("<|channel|>final<|message|>", "<|channel|>commentary<|message|>"),
            closes=ENDS,
            before=_NEXT,
            kind="content",
        ),
        Calls(opens=("<|channel|>final <|constrain|>", "<|channel|>commentary <|constrain|>"), read=read_header),
        Calls(opens=("<|start|>",), read=read_start),
    ),
    write=write_messages,
    prompt=Prompt(
        before="# Tools\n\n## functions\n\nnamespace functions {\n\n",
        each=typescript,
        between="\n\n",
        after="\n\n} // namespace functions\n\nCalls to these tools go to the commentary channel.",
        result=_harmony_result,
        marks=("<|start|>", "<|channel|>", "<|constrain|>", "<|message|>", *ENDS),
    ),
    thinks=None,
    stops=ENDS,
    limits="A name is letters, digits, `_`, `-` and `.`. A message to a tool that is no JSON object, such as Python code for the built-in "
    "`python`, is content.",
)


ROWS: Final = (
    QWEN_3_CODER,
    MIMO,
    SEED_OSS,
    GLM_4_5,
    MINIMAX_M2,
    CLAUDE_XML,
    DEEPSEEK_V3_2,
    STEP_3,
    GEMMA_4,
    FUNCTION_GEMMA,
    PYTHONIC,
    LFM_2,
    OLMO_3,
    MINICPM,
    REACT,
    HARMONY,
)
"""The dialects of this module; the table of dialects reads this name."""
