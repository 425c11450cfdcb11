"""The families that write each argument in tags, or in elements: a row each."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from fcregistry.dialects._dialect import TOOL_RESPONSE, Dialect, json_text
from fcregistry.dialects._parsed import Calls, EndOfThoughts, Syntax, Words
from fcregistry.dialects._source import none_of
from fcregistry.dialects._syntax_elements import read_elements, read_nested, write_nested
from fcregistry.dialects._syntax_json import objects_or, write_between
from fcregistry.dialects._syntax_pairs import NO_OBJECT, PairSyntax
from fcregistry.dialects._syntax_tags import BARE_TEXT_LIMITS, TagSyntax, tag_reader, tag_syntax

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry.dialects._source import Reading, TextSource


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
    """Return the example of a call in the prompt of Qwen3-Coder, with `line` before and after each value."""
    value = "This is the value for the second parameter\nthat can span\nmultiple lines"
    first = f"<parameter=example_parameter_1>{line}value_1{line}</parameter>"
    return f"<function=example_function_name>\n{first}\n<parameter=example_parameter_2>{line}{value}{line}</parameter>\n</function>"


def _describe_in_elements(function: dict[str, Any]) -> str:
    """Return the tool `function` in elements, as the chat templates of Qwen3-Coder and MiMo show it.

    Each property has its own element, with an element for each keyword of its schema, `type` and `description` first. The keywords of the
    parameters' schema follow, except `type` and `properties`.
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
    """Return an element `tag` with `value` in it: a string without outer space, or else JSON.

    A space breaks whatever looks like a tag in `tag` or `value`.
    """
    text = value.strip() if isinstance(value, str) else json_text(value)
    return f"<{_break_tags(tag)}>{_break_tags(text)}</{_break_tags(tag)}>"


def _break_tags(text: str) -> str:
    """Return `text`, whose author may be unknown, with a space after each `<` that begins a tag."""
    return re.sub(r"<(?=[/\w])", "< ", text)


def _invocations(prefix: str, opens: tuple[str, ...], closes: tuple[str, ...], **more: Any) -> TagSyntax:
    """Return the `TagSyntax` with the tags `invoke` and `parameter`, whose names begin with `prefix`.

    Args:
        prefix: The beginning of each tag's name.
        opens: The marks that open a section.
        closes: The marks that close a section.
        **more: Other fields of the syntax.
    """
    call, parameter = f"{prefix}invoke", f"{prefix}parameter"
    return TagSyntax(
        opens=opens,
        closes=closes,
        call=(f"<{call}", f"</{call}>"),
        parameter=(f"<{parameter}", f"</{parameter}>"),
        **more,
    )


def _claude(prefix: str, **more: Any) -> TagSyntax:
    """Return the `TagSyntax` of Claude's calls in `function_calls`, with `prefix` in each tag.

    `more` are other fields of the syntax.
    """
    return _invocations(prefix, (f"<{prefix}function_calls>",), (f"</{prefix}function_calls>",), **more)


_DSML: Final = _invocations(
    "｜DSML｜",
    ("<｜DSML｜function_calls>", "<｜DSML｜tool_calls>"),
    ("</｜DSML｜function_calls>", "</｜DSML｜tool_calls>"),
    tells_strings=True,
    takes_objects=True,
)
_SPACED_DSML: Final = _invocations(
    "｜DSML｜ ", ("<｜DSML｜ calls>",), ("</｜DSML｜ calls>",), tells_strings=True, takes_objects=True
)
_GCML: Final = _invocations(
    "｜GCML｜", ("<｜GCML｜tool_calls>",), ("</｜GCML｜tool_calls>",), tells_strings=True, takes_objects=True
)
_STEP: Final = _invocations(
    "steptml:",
    ("<｜tool_calls_begin｜>",),
    ("<｜tool_calls_end｜>",),
    before=("<｜tool_call_begin｜>", "function<｜tool_sep｜>"),
    after=("<｜tool_call_end｜>", "<｜tool_sep｜>"),
)


_DOTS: Final = _invocations("", ("<dots_function_call>",), ("</dots_function_call>",))
_DOTS_SYNTAX: Final = tag_syntax(_DOTS)
_HORIZON: Final = PairSyntax.of("ifm|")
_MINICPM5: Final = TagSyntax(
    opens=(),
    closes=(),
    call=("<function", "</function>"),
    parameter=("<param", "</param>"),
    after=("<tool_sep>",),
    has_entities=True,
    has_cdata=True,
)
_KIMI: Final = TagSyntax(
    opens=("<|open|>tools<|sep|>",),
    closes=("<|close|>tools<|sep|>",),
    call=("<|open|>call", "<|close|>call<|sep|>"),
    parameter=("<|open|>argument", "<|close|>argument<|sep|>"),
    takes_objects=True,
    around_object=('<|open|>json type="object"<|sep|>', "<|close|>json<|sep|>"),
    names=("tool", "key"),
    type="type",
    end="<|sep|>",
    escapes_names=True,
)
_HY: Final = PairSyntax.of(separates=True)
_SOLAR: Final = PairSyntax(
    call=("<|tool_call:start|>", "<|tool_call:end|>"),
    key=("<|tool_arg:start|>", ""),
    value=("<|tool_arg:value|>", "<|tool_arg:end|>"),
)
_HY_OPEN: Final = PairSyntax.of(suffix=":opensource", separates=True)


def _read_hy_section(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Take white space after the tag that opens a section; return an empty list if a call follows.

    Return None if none follows: other families write an array after this tag.
    """
    yield from source.space()
    return [] if (yield from source.is_next(_HY.opens, _HY_OPEN.opens)) else None


_MUSE_STARTS: Final = ("<|start|>assistant", "<|start|>")
_MUSE_SELF: Final = ("to=self<|message|>", "to=self<|message|><|message|>")
_MUSE_USER: Final = ("to=user<|message|>", "to=user<|message|><|message|>")
_MUSE_STOPS: Final = ("<|eot|>", "<|eom|>", "<|end_of_text|>")


def _read_muse_header(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Take repetitions of `mark` and a header; return an empty list, or None if no `<|message|>` ends it.

    A header of thoughts, of an answer or of another message is not taken, since it is a mark itself, and the list is empty, too; so it is at
    the end of the text behind `mark`. Else an optional recipient and `<|message|>` are taken.
    """
    yield from source.space()
    yield from source.pass_repeated(mark)
    if mark and source.place == len(source.text):
        return []
    if (yield from source.is_next(*_MUSE_SELF, *_MUSE_USER, *_MUSE_STARTS)):
        return []
    if (yield from source.take("to=")):
        yield from source.run(_RECIPIENT)
    return [] if (yield from source.take("<|message|>")) else None


_RECIPIENT: Final = re.compile(r"[\w.\-]*")


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
        models="GLM-4.5, GLM-4.6, GLM-4.7, Ling 3, Spark 2.5, Poolside",
        source='Z.ai, "GLM-4.5" and "GLM-4.7", chat templates',
        syntax=PairSyntax.of().syntax,
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
        models="DeepSeek V3.2, and V4 and V4.1 with their own tags",
        source='DeepSeek, "DeepSeek-V3.2", encoding of messages (DSML)',
        syntax=tag_syntax(_DSML, _SPACED_DSML, _claude("", takes_objects=True)),
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
        name="gigachat3.5",
        models="GigaChat 3.5",
        source='the chat template of GigaChat 3.5; SGLang, "GigaChat35Detector"',
        syntax=tag_syntax(_GCML),
        more=(Words(opens=("<|message_sep|>",)),),
        before_tools="## Tools\nYou can call functions by writing a block like this one in your reply:\n<｜GCML｜tool_calls>\n"
        '<｜GCML｜invoke name="$FUNCTION_NAME">\n'
        '<｜GCML｜parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</｜GCML｜parameter>\n...\n</｜GCML｜invoke>\n'
        '</｜GCML｜tool_calls>\nWrite strings as they are, with string="true"; anything else as JSON, with string="false".\n'
        "The functions, described in JSON Schema:\n<functions>\n",
        tool_form="function",
        after_tools="\n</functions>\n",
        marks=("｜GCML｜",),
        stops=("</s>",),
        limits=BARE_TEXT_LIMITS,
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
        name="minimax-m3",
        models="MiniMax-M3",
        source='the MiniMax M3 parsers of vLLM and SGLang, "MinimaxM3Detector"',
        syntax=Syntax(
            (Calls(opens=("]<]minimax[>[<tool_call>", "]<]minimax[>[<invoke"), read=read_nested),),
            write_nested,
            ("]<]minimax[>[",),
        ),
        before_tools="# Tools\nYou may call one or more tools to assist with the user query.\n"
        "The tools, described in JSON Schema:\n\n<tools>\n<tool>",
        tool_form="function",
        between_tools="</tool>\n<tool>",
        after_tools="</tool>\n</tools>\n\nTo call tools, write an element for each parameter, and `]<]minimax[>[` before each tag. Objects have "
        "an element for each member, arrays have `<item>` elements:\n\n]<]minimax[>[<tool_call>\n"
        ']<]minimax[>[<invoke name="tool-name">]<]minimax[>[<param-1>value-1]<]minimax[>[</param-1>]<]minimax[>[<param-2>]<]minimax[>[<item>'
        "value-2]<]minimax[>[</item>]<]minimax[>[</param-2>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>",
        result="<response>{content}</response>",
        marks=("]~b]",),
        thinks=("<mm:think>", "</mm:think>"),
        stops=("[e~[",),
        limits="A text cannot hold `]<]minimax[>[`, nor a parameter's name a bracket, a slash or a line break. Values take their types from the "
        "tools' schemas, and are text without.",
    ),
    Dialect(
        name="minicpm5",
        models="MiniCPM5",
        source='the chat template of MiniCPM5; SGLang, "MiniCPM5Detector"',
        syntax=tag_syntax(_MINICPM5),
        before_tools="# Tools\n\nThe signatures of functions stand within <tools></tools> tags:\n<tools>\n",
        after_tools='\n</tools>\n\nTo call functions, write: <function name="function-name"><param name="param-name">param-value</param></function>\n'
        "Write a value that contains <, & or a line break as CDATA: "
        '<param name="param-name"><![CDATA[value]]></param>. If no function is needed, answer in plain text.',
        result=TOOL_RESPONSE,
        marks=("<|im_start|>",),
        stops=("<|im_end|>",),
        limits=f"{BARE_TEXT_LIMITS} A value with `]]>` in it is not written as CDATA.",
    ),
    Dialect(
        name="kimi-k3",
        models="Kimi K3",
        source='the chat template of Kimi K3; SGLang, "KimiK3Detector"',
        syntax=tag_syntax(_KIMI),
        more=(
            Words(
                opens=("<|open|>response<|sep|>",),
                closes=("<|close|>response<|sep|>", "<|end_of_msg|>"),
                before=("<|open|>tools<|sep|>",),
                kind="content",
            ),
            Words(opens=("<|close|>response<|sep|>", "<|close|>message<|sep|>", "<|close|>tools<|sep|>")),
        ),
        before_tools="# Tools\nHere are the available tools, described in JSONSchema.\n\n```json\n[",
        between_tools=",",
        after_tools="]\n```\n\nTo call tools, write: <|open|>tools<|sep|>"
        '<|open|>call tool="tool-name" index="1"<|sep|><|open|>argument key="name" type="string"<|sep|>value<|close|>argument<|sep|>'
        "<|close|>call<|sep|><|close|>tools<|sep|>\nA value whose type is not string is JSON.",
        thinks=("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
        ends_thoughts=("<|open|>tools<|sep|>",),
        stops=("<|end_of_msg|>",),
        limits=BARE_TEXT_LIMITS,
    ),
    Dialect(
        name="k2-horizon",
        models="K2 Horizon",
        source='vLLM, "K2HorizonToolParser"; SGLang, "K2V3Detector"',
        syntax=Syntax(
            (
                Calls(
                    opens=(_HORIZON.opens,),
                    read=objects_or(_HORIZON, "</ifm|tool_call>"),
                    words=NO_OBJECT + _HORIZON.words,
                ),
            ),
            write_between("<ifm|tool_calls>\n", _HORIZON.write, "\n</ifm|tool_calls>"),
            _HORIZON.marks,
        ),
        more=(
            Words(opens=("<ifm|tool_calls>", "</ifm|tool_calls>")),
            Words(opens=("<ifm|think_fast>",), closes=("</ifm|think_fast>",), kind="reasoning", nests=True),
            Words(opens=("<ifm|think_faster>",), closes=("</ifm|think_faster>",), kind="reasoning", nests=True),
            EndOfThoughts(opens=("</ifm|think_fast>", "</ifm|think_faster>")),
        ),
        before_tools="# Tools\n\nThe functions stand within <tools></tools> tags:\n<tools>\n",
        after_tools="\n</tools>\n\nTo call functions, write:\n<ifm|tool_calls>\n<ifm|tool_call>{function-name}\n"
        "<ifm|arg_key>{key}</ifm|arg_key>\n<ifm|arg_value>{value}</ifm|arg_value>\n...\n</ifm|tool_call>\n</ifm|tool_calls>",
        thinks=("<ifm|think>", "</ifm|think>"),
        ends_thoughts=("<ifm|tool_calls>",),
        stops=("<|ifm|im_end|>",),
        limits=BARE_TEXT_LIMITS,
    ),
    Dialect(
        name="hy-v3",
        models="Hy 3 (Hunyuan 3)",
        source='vLLM, "HYV3ToolParser"; the chat template of Hy3-preview',
        syntax=Syntax(
            (
                Calls(opens=(_HY.opens,), read=_HY, words=_HY.words),
                Calls(opens=(_HY_OPEN.opens,), read=_HY_OPEN, words=_HY_OPEN.words),
                Calls(
                    opens=("<tool_calls>", "<tool_calls:opensource>"),
                    read=_read_hy_section,
                    words=rf"\s*+{none_of(_HY.opens, _HY_OPEN.opens)}",
                ),
            ),
            write_between("<tool_calls>\n", _HY.write, "\n</tool_calls>"),
            (*_HY.marks, *_HY_OPEN.marks, "<tool_sep>"),
        ),
        more=(
            Words(opens=("</tool_calls>", "</tool_calls:opensource>")),
            Words(opens=("<think:opensource>",), closes=("</think:opensource>",), kind="reasoning", nests=True),
            EndOfThoughts(opens=("</think:opensource>",)),
        ),
        before_tools="# Tools\n\nThe functions stand within <tools></tools> tags:\n<tools>\n",
        after_tools="\n</tools>\n\nTo call functions, write:\n<tool_calls>\n<tool_call>{function-name}<tool_sep>\n"
        "<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n...\n</tool_call>\n</tool_calls>",
        limits=BARE_TEXT_LIMITS,
    ),
    Dialect(
        name="solar-open2",
        models="Solar Open 2, Solar Pro 4",
        source='vLLM, "SolarOpen2ToolParser"',
        syntax=_SOLAR.syntax,
        before_tools="# Tools\n\nThe functions, each within <|tool:start|> and <|tool:end|>:\n\n<|tool:start|>",
        between_tools="<|tool:end|>\n<|tool:start|>",
        after_tools="<|tool:end|>\n\nTo call a function, write:\n<|tool_call:start|>{function-name}\n"
        "<|tool_arg:start|>{arg-name}<|tool_arg:value|>{arg-value}<|tool_arg:end|>\n...\n<|tool_call:end|>",
        result="<|tool_response:start|>{content}<|tool_response:end|>",
        marks=("<|im:start|>", "<|im:content|>"),
        thinks=("<|think:start|>", "<|think:end|>"),
        ends_thoughts=(_SOLAR.opens,),
        stops=("<|im:end|>", "<|endoftext|>"),
        limits=BARE_TEXT_LIMITS,
    ),
    Dialect(
        name="muse",
        models="Muse, Muse Glimmer",
        source='the chat template of Muse Glimmer; SGLang, "MuseGlimmerDetector"',
        syntax=tag_syntax(replace(_claude("atem:"), has_namespaces=True)),
        more=(
            Calls(opens=(), read=_read_muse_header, at="start"),
            Calls(opens=_MUSE_STARTS, read=_read_muse_header),
            Words(opens=_MUSE_SELF, closes=_MUSE_STOPS, before=("<|start|>",), kind="reasoning"),
            Words(opens=_MUSE_USER, closes=_MUSE_STOPS, before=("<|start|>",), kind="content"),
        ),
        before_tools='You can call functions by writing a "<atem:function_calls>" block like this one:\n<atem:function_calls>\n'
        '<atem:invoke name="$FUNCTION_NAME">\n<atem:parameter name="$PARAMETER_NAME">$PARAMETER_VALUE</atem:parameter>\n...\n'
        "</atem:invoke>\n</atem:function_calls>\n\nWrite strings and scalars as they are, lists and objects as JSON. The spaces of strings are "
        "kept.\nThe functions, described in JSON Schema:\n",
        tool_form="function",
        after_tools="\n",
        marks=("<|message|>", "<|start|>"),
        thinks=None,
        stops=_MUSE_STOPS,
        limits=BARE_TEXT_LIMITS,
    ),
    Dialect(
        name="dots",
        models="dots.llm",
        source='the dots parsers of vLLM and SGLang, "DotsToolDetector"',
        syntax=Syntax(
            (
                Calls(
                    opens=("<dots_function_call>",),
                    read=objects_or(tag_reader(_DOTS), "</dots_function_call>"),
                    words=NO_OBJECT + _DOTS.words,
                ),
                Calls(opens=("<invoke",), read=tag_reader(_DOTS), words=_DOTS.words),
            ),
            _DOTS_SYNTAX.write,
            _DOTS_SYNTAX.marks,
        ),
        before_tools="You can call these functions, described in JSON Schema:\n",
        tool_form="function",
        after_tools='\n\nTo call some, write:\n<dots_function_call>\n<invoke name="function-name">\n'
        '<parameter name="parameter-name">value</parameter>\n...\n</invoke>\n</dots_function_call>',
        limits=BARE_TEXT_LIMITS,
    ),
)
"""The dialects of this module; the table of dialects reads this name."""
