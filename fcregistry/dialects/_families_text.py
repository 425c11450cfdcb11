"""The families that write arguments as text other than one JSON object: a row each.

They write tags that carry names, tags with names in attributes, bare names in braces, Python, labelled lines, or messages to a tool.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from fcregistry.dialects._dialect import TOOL_RESPONSE, Dialect, json_text
from fcregistry.dialects._parsed import Calls, Syntax, Words, syntax_after
from fcregistry.dialects._syntax_braces import braces, braces_text
from fcregistry.dialects._syntax_json import MESSAGE_ENDS, read_header, read_message, read_start, write_messages
from fcregistry.dialects._syntax_python import read_list, read_python, write_list, write_rows
from fcregistry.dialects._syntax_react import INPUT_LABEL, LABELS, read_action, read_label, read_rest, write_actions
from fcregistry.dialects._syntax_tags import BARE_TEXT_LIMITS, PairSyntax, TagSyntax, read_elements, tag_syntax

if TYPE_CHECKING:
    from fcregistry.dialects._dialect import ResultText


_QWEN: Final = TagSyntax(
    opens=("<tool_call>",),
    closes=("</tool_call>",),
    call=("<function=", "</function>"),
    parameter=("<parameter=", "</parameter>"),
    apart=True,
    trims=True,
    framed=True,
)
_MIMO: Final = replace(_QWEN, trims=False, framed=False, has_entities=True)
_SEED: Final = replace(_QWEN, opens=("<seed:tool_call>",), closes=("</seed:tool_call>",), framed=False)


def _example(line: str) -> str:
    value = "This is the value for the second parameter\nthat can span\nmultiple lines"
    first = f"<parameter=example_parameter_1>{line}value_1{line}</parameter>"
    return f"<function=example_function_name>\n{first}\n<parameter=example_parameter_2>{line}{value}{line}</parameter>\n</function>"


def _describe_in_elements(function: dict[str, Any]) -> str:
    """Return a tool in elements, as the chat templates of Qwen3-Coder and MiMo show it.

    Keywords of schemas other than type and description become JSON.
    """
    schema = function["parameters"]
    lines = [
        "<function>",
        _line("name", function["name"]),
        _line("description", function.get("description", "")),
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


_DSML: Final = _invocations(
    "｜DSML｜",
    ("<｜DSML｜function_calls>", "<｜DSML｜tool_calls>"),
    ("</｜DSML｜function_calls>", "</｜DSML｜tool_calls>"),
    tells_strings=True,
    takes_objects=True,
)
_STEP: Final = _invocations(
    "steptml:",
    ("<｜tool_calls_begin｜>",),
    ("<｜tool_calls_end｜>",),
    before=("<｜tool_call_begin｜>", "function<｜tool_sep｜>"),
    after=("<｜tool_call_end｜>", "<｜tool_sep｜>"),
)


_LEFT_OUT: Final = frozenset({"additionalProperties"})
_LAST: Final = ("properties", "required", "type")
"""Keywords that the published declarations put last, in this order."""


def _declare_with(quote: str) -> Callable[[dict[str, Any]], str]:
    """Return a function that describes one tool: its schema, with the names of types in capitals."""

    def declare(function: dict[str, Any]) -> str:
        described = {
            "description": function.get("description", ""),
            "parameters": _capitalize_types(function["parameters"]),
        }
        return f"declaration:{function['name']}{braces_text(described, quote)}"

    return declare


def _capitalize_types(schema: Any) -> Any:
    """Return a schema with the names of types in capitals, as the prompts of Google's models write them."""
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


def _braces_response(quote: str, opens: str, closes: str) -> ResultText:
    return lambda name, content, _: f"{opens}response:{name}{braces_text({'value': content}, quote)}{closes}"


_NO_EXPRESSIONS: Final = "Values are literals: a call with a name, an operation or another call in it is content."


_NEXT: Final = ("<|start|>", "<|channel|>")


ROWS: Final = (
    Dialect(
        name="qwen3-coder",
        models="Qwen3-Coder, Qwen 3.5, Nemotron 3, Step 3.5",
        source='Qwen, "Qwen3-Coder-30B-A3B-Instruct", chat template',
        syntax=tag_syntax(_QWEN),
        before_tools="# Tools\n\nYou have access to the following functions:\n\n<tools>\n",
        tool_form=_describe_in_elements,
        after_tools="\n</tools>\n\nIf you choose to call a function, reply in this format, with nothing after it:\n\n"
        f"<tool_call>\n{_example(chr(10))}\n</tool_call>\n\n"
        "- Put every call as a <function=...></function> block within <tool_call></tool_call> tags.\n"
        "- Give all required parameters.\n"
        "- You may explain the call before it, but not after it.\n"
        "- If no function helps, answer from what you know, and say nothing of functions.",
        result=TOOL_RESPONSE,
        marks=("<|im_start|>",),
        stops=("<|im_end|>",),
        limits=BARE_TEXT_LIMITS,
    ),
    Dialect(
        name="mimo",
        models="MiMo-V2-Flash, MiMo-V2.5",
        source='Xiaomi, "MiMo-V2-Flash", chat template; SGLang, "MiMoDetector", which its model card serves it with',
        syntax=tag_syntax(_MIMO),
        before_tools="# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
        "You have access to the following functions:\n\n<tools>\n",
        tool_form=_describe_in_elements,
        after_tools="\n</tools>\n\nFor each function call, write the function's name and its arguments in this format:\n"
        f"<tool_call>\n{_example('')}\n</tool_call>\n\n"
        "- Put every call as a <function=...></function> block within <tool_call></tool_call> tags.\n"
        "- Make no calls inside <think></think> tags.\n"
        "- A value is taken as it stands between its tags, with all newlines and spaces.",
        result=TOOL_RESPONSE,
        marks=("<|im_start|>",),
        stops=("<|im_end|>",),
        limits=BARE_TEXT_LIMITS,
    ),
    Dialect(
        name="seed-oss",
        models="Seed-OSS",
        source='ByteDance Seed, "Seed-OSS-36B-Instruct", chat template',
        syntax=tag_syntax(_SEED),
        before_tools="Tool List:\nYou may use the following tools, which are described in JSON Schema. Before any task, decide from their "
        "descriptions and parameters how to call them.\n[",
        between_tools=", ",
        after_tools=f"]\n\n工具调用请遵循如下格式:\n<seed:tool_call>\n{_example('')}\n</seed:tool_call>\n",
        marks=("<seed:bos>",),
        thinks=("<seed:think>", "</seed:think>"),
        stops=("<seed:eos>",),
        limits=BARE_TEXT_LIMITS,
    ),
    Dialect(
        name="glm-4.5",
        models="GLM-4.5, GLM-4.6, GLM-4.7",
        source='Z.ai, "GLM-4.5" and "GLM-4.7", chat templates',
        syntax=PairSyntax().syntax,
        before_tools="# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
        "The functions' signatures stand within <tools></tools> tags:\n<tools>\n",
        after_tools="\n</tools>\n\nFor each function call, write the function's name and its arguments in this format:\n"
        "<tool_call>{function-name}\n<arg_key>{arg-key-1}</arg_key>\n<arg_value>{arg-value-1}</arg_value>\n"
        "<arg_key>{arg-key-2}</arg_key>\n<arg_value>{arg-value-2}</arg_value>\n...\n</tool_call>",
        result=TOOL_RESPONSE,
        stops=("<|user|>", "<|observation|>", "<|endoftext|>"),
        limits=BARE_TEXT_LIMITS,
    ),
    Dialect(
        name="minimax-m2",
        models="MiniMax-M2, M2.1, M2.5",
        source='MiniMax, "MiniMax-M2", chat template and "Tool Calling Guide"',
        syntax=tag_syntax(_invocations("", ("<minimax:tool_call>",), ("</minimax:tool_call>",))),
        before_tools="# Tools\nYou may call one or more tools to assist with the user query.\n"
        "The tools, described in JSON Schema:\n\n<tools>\n<tool>",
        tool_form="function",
        between_tools="</tool>\n<tool>",
        after_tools="</tool>\n</tools>\n\nTo call tools, write them and their parameters as XML:\n\n<minimax:tool_call>\n"
        '<invoke name="tool-name-1">\n<parameter name="param-key-1">param-value-1</parameter>\n'
        '<parameter name="param-key-2">param-value-2</parameter>\n...\n</invoke>\n</minimax:tool_call>',
        result="<response>{content}</response>",
        marks=("]~b]",),
        stops=("[e~[",),
        limits=BARE_TEXT_LIMITS,
    ),
    Dialect(
        name="claude-xml",
        models="Claude, where it is prompted by text; other models that follow such a prompt",
        source='Anthropic documentation, "Tool use", the system prompt of tool use; "Legacy tool use"',
        syntax=tag_syntax(_claude("", unnamed=read_elements), _claude("antml:")),
        before_tools="You have access to a set of tools that you can use to answer the user's question.\n"
        'Call them by writing a "<function_calls>" block like this one in your reply:\n'
        '<function_calls>\n<invoke name="$FUNCTION_NAME">\n<parameter name="$PARAMETER_NAME">$PARAMETER_VALUE</parameter>\n...\n'
        '</invoke>\n<invoke name="$FUNCTION_NAME2">\n...\n</invoke>\n</function_calls>\n\n'
        "Write strings and scalars as they are, lists and objects as JSON. The spaces of strings are kept. What you write need not be "
        "valid XML, and nothing in it is unescaped.\n\nThe functions, described in JSON Schema:\n<functions>\n",
        tool_form="function",
        after_tools="\n</functions>",
        result="<function_results>\n<result>\n<tool_name>{name}</tool_name>\n<stdout>\n{content}\n</stdout>\n</result>\n</function_results>",
        thinks=("<thinking>", "</thinking>"),
        stops=("<function_results>",),
        limits=BARE_TEXT_LIMITS,
    ),
    Dialect(
        name="deepseek-v3.2",
        models="DeepSeek V3.2, and V4 with its own name of the section",
        source='DeepSeek, "DeepSeek-V3.2", encoding of messages (DSML)',
        syntax=tag_syntax(_DSML, _claude("", takes_objects=True)),
        before_tools="## Tools\nYou have access to a set of tools that you can use to answer the user's question.\n"
        'Call them by writing a "<｜DSML｜function_calls>" block like this one in your reply:\n'
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="$FUNCTION_NAME">\n'
        '<｜DSML｜parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</｜DSML｜parameter>\n...\n</｜DSML｜invoke>\n'
        '<｜DSML｜invoke name="$FUNCTION_NAME2">\n...\n</｜DSML｜invoke>\n</｜DSML｜function_calls>\n'
        'Write strings as they are, without escapes or quotes, with string="true"; anything else as JSON, with string="false".\n'
        "The functions, described in JSON Schema:\n<functions>\n",
        tool_form="function",
        after_tools="\n</functions>\n",
        result="<function_results>\n<result>{content}</result>\n</function_results>",
        marks=("｜DSML｜",),
        stops=("<｜end▁of▁sentence｜>",),
        limits="Nothing is escaped: a string that holds the tag that closes it, followed by one that can follow it, cannot be written, "
        "nor a string that holds the end of a call and of its section, unless it is that of a whole call.",
    ),
    Dialect(
        name="step3",
        models="Step-3",
        source='StepFun, "step3", deployment guide; the StepTML parsers of vLLM and SGLang',
        syntax=tag_syntax(_STEP),
        before_tools="# Tools\nYou may call one or more of these tools, which are described in JSON Schema:\n",
        after_tools="\n\nTo call tools, write a block like this one:\n<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜>"
        '<steptml:invoke name="function_name">\n<steptml:parameter name="parameter_name">value</steptml:parameter>\n...\n'
        "</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>",
        stops=("<|EOT|>",),
        limits=BARE_TEXT_LIMITS,
    ),
    Dialect(
        name="gemma4",
        models="Gemma 4",
        source='Google AI for Developers, "Function calling with Gemma 4"; the chat template of Gemma 4',
        syntax=braces('<|"|>', "<|tool_call>", "<tool_call|>"),
        more=(Words(opens=("<|tool_response>",), closes=("<tool_response|>",)),),
        before_tools="<|tool>",
        tool_form=_declare_with('<|"|>'),
        between_tools="<tool|><|tool>",
        after_tools="<tool|>",
        result=_braces_response('<|"|>', "<|tool_response>", "<tool_response|>"),
        marks=("<|turn>",),
        thinks=("<|channel>thought", "<channel|>"),
        stops=("<turn|>", "<|tool_response>"),
        limits='A string cannot hold `<|"|>`, the mark that replaces quotes. A response that the model invents is left out.',
    ),
    Dialect(
        name="functiongemma",
        models="FunctionGemma",
        source='Google AI for Developers, "FunctionGemma formatting and best practices"',
        syntax=braces("<escape>", "<start_function_call>", "<end_function_call>"),
        more=(Words(opens=("<start_function_response>",), closes=("<end_function_response>",)),),
        before_tools="You are a model that can do function calling with the following functions<start_function_declaration>",
        tool_form=_declare_with("<escape>"),
        between_tools="<end_function_declaration><start_function_declaration>",
        after_tools="<end_function_declaration>",
        result=_braces_response("<escape>", "<start_function_response>", "<end_function_response>"),
        marks=("<start_of_turn>",),
        stops=("<end_of_turn>", "<start_function_response>"),
        limits="A string cannot hold `<escape>`, the mark that replaces quotes. A response that the model invents is left out.",
    ),
    Dialect(
        name="pythonic",
        models="Llama 3.2, Llama 4, ToolACE",
        source='Llama documentation, "Model Cards and Prompt formats", Llama 3.2 and Llama 4; the chat template "llama4_pythonic" of vLLM',
        syntax=Syntax(
            (
                Calls(opens=("<|python_start|>",), read=read_python("<|python_end|>")),
                Calls(opens=("[",), read=read_list),
            ),
            write_list(),
        ),
        more=(Words(opens=("<|python_end|>",)),),
        before_tools="You can call functions when they are needed. Use only those of the list below, and do not use variables.\n\n"
        "To call functions, answer with a list of calls in the format of Python, and nothing else:\n"
        "[func_name1(params_name1=params_value1, params_name2=params_value2...), func_name2(params)]\n\n"
        "Here is a list of functions in JSON format that you can invoke:\n[",
        tool_form="function",
        between_tools=",\n",
        after_tools="]",
        marks=("<|header_start|>", "<|header_end|>", "<|start_header_id|>", "<|end_header_id|>"),
        stops=("<|eot|>", "<|eom|>", "<|eot_id|>", "<|eom_id|>"),
        limits=_NO_EXPRESSIONS,
    ),
    Dialect(
        name="lfm2",
        models="LFM2, LFM2.5",
        source='Liquid AI documentation, "Tool Use"; the chat template of LFM2',
        syntax=syntax_after(
            "<|tool_call_start|>",
            read_python("<|tool_call_end|>"),
            write_list("<|tool_call_start|>", "<|tool_call_end|>"),
        ),
        before_tools="List of tools: <|tool_list_start|>[",
        tool_form="function",
        between_tools=", ",
        after_tools="]<|tool_list_end|>",
        result="<|tool_response_start|>{content}<|tool_response_end|>",
        marks=("<|tool_call_end|>", "<|im_start|>"),
        stops=("<|im_end|>",),
        limits=_NO_EXPRESSIONS,
    ),
    Dialect(
        name="olmo3",
        models="OLMo 3",
        source='the chat template of OLMo 3; vLLM, "Olmo3PythonicToolParser"',
        syntax=syntax_after(
            "<function_calls>",
            read_python("</function_calls>"),
            write_rows("<function_calls>\n", "\n</function_calls>"),
        ),
        before_tools="You have access to the functions below. To call some, write each call as Python does on a line of its own, within "
        "<function_calls></function_calls> tags:\n<function_calls>\nfunction1(param1='value1')\nfunction2(param2='value2')\n"
        "</function_calls>\n\nThe functions:\n<functions>\n",
        tool_form="function",
        after_tools="\n</functions>",
        result="Function {name} returned:\n{content}",
        marks=("<|im_start|>",),
        stops=("<|im_end|>",),
        limits=_NO_EXPRESSIONS,
    ),
    Dialect(
        name="minicpm",
        models="MiniCPM3, MiniCPM4, MiniCPM4.1",
        source="the chat template of MiniCPM3-4B",
        syntax=syntax_after(
            "<|tool_call_start|>",
            read_python("<|tool_call_end|>"),
            write_rows("<|tool_call_start|>\n```python\n", "\n```\n<|tool_call_end|>"),
        ),
        more=(Words(opens=("<think>",), closes=("</think>",), kind="reasoning", nests=True),),
        before_tools="# Functions\nHere is a list of functions that you can invoke:\n```python\n",
        tool_form="python",
        between_tools="\n\n",
        after_tools="\n```\n\n# Function Call Rule and Output Format\n- Answer directly where no function is needed, and ask for what is missing.\n"
        "- Otherwise say what you plan, and call the functions; leave parameters to their defaults unless the user says otherwise.\n"
        "- Answer in this format:\n\n<|thought_start|>\n{your thought}\n<|thought_end|>\n<|tool_call_start|>\n```python\n"
        "func1(params_name=params_value, params_name2=params_value2...)\nfunc2(params)\n```\n<|tool_call_end|>\n{your answer}",
        marks=("```", "<|im_start|>"),
        thinks=("<|thought_start|>", "<|thought_end|>"),
        stops=("<|im_end|>",),
        limits=_NO_EXPRESSIONS,
    ),
    Dialect(
        name="react",
        models="any model that a prompt asks for it",
        source='Yao et al., "ReAct: Synergizing Reasoning and Acting in Language Models"; the prompts of LangChain and LlamaIndex',
        syntax=Syntax(
            (
                Calls(opens=("Action:",), read=read_action, at="line"),
                Calls(opens=("Final Answer", "Answer:"), read=read_label, at="line"),
                Calls(opens=("Observation:",), read=read_rest, at="line"),
            ),
            write_actions,
        ),
        more=(Words(opens=("Thought:",), before=tuple(f"\n{label}" for label in LABELS), kind="reasoning", at="line"),),
        before_tools="You can use these tools:\n\n",
        tool_form="text",
        after_tools="\n\nUse this format:\n\nThought: what you think is to be done\nAction: the name of one tool\n"
        f"{INPUT_LABEL} its arguments, a JSON object on one line\nObservation: what the tool answers\n"
        "... (this may repeat)\nThought: I know the answer\nFinal Answer: your answer\n\nStop behind the input of an action: "
        "the observation is given to you.",
        result="Observation: {content}",
        marks=("Final Answer:", "Action Input:"),
        limits="A name is letters, digits, `_`, `-` and `.`. An input that is not a JSON object ends at the next label, or with the answer: "
        "if the answer was cut off, so is the input. An observation that the model invents is cut off, with all behind it.",
    ),
    Dialect(
        name="harmony",
        models="gpt-oss",
        source='OpenAI, "OpenAI Harmony Response Format"',
        syntax=Syntax(
            (
                Calls(
                    opens=("<|channel|>commentary to=", "<|channel|>analysis to=", "<|channel|>final to="),
                    read=read_message,
                ),
                Calls(
                    opens=("<|channel|>final <|constrain|>", "<|channel|>commentary <|constrain|>"), read=read_header
                ),
                Calls(opens=("<|start|>",), read=read_start),
                Calls(
                    opens=("to=functions.",), read=read_message, at="start"
                ),  # continues the prompt's <|start|>assistant
            ),
            write_messages,
        ),
        more=(
            Words(opens=("<|channel|>analysis<|message|>",), closes=MESSAGE_ENDS, before=_NEXT, kind="reasoning"),
            Words(
                opens=("<|channel|>final<|message|>", "<|channel|>commentary<|message|>"),
                closes=MESSAGE_ENDS,
                before=_NEXT,
                kind="content",
            ),
        ),
        before_tools="# Tools\n\n## functions\n\nnamespace functions {\n\n",
        tool_form="typescript",
        between_tools="\n\n",
        after_tools="\n\n} // namespace functions\n\nCalls to these tools go to the commentary channel.",
        result="functions.{name} returned:\n{content}",
        marks=("<|channel|>", "<|constrain|>", "<|message|>"),
        thinks=None,
        stops=MESSAGE_ENDS,
        limits="A name is letters, digits, `_`, `-` and `.`. A message to a tool that is not a JSON object, such as Python code for the built-in "
        "`python`, is content.",
    ),
)
"""The dialects of this module; the table of dialects reads this name."""
