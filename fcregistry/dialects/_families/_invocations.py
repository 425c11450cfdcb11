"""Which families write calls as tags with the names in attributes, `<invoke name="...">`?"""

from __future__ import annotations

from typing import Any, Final

from fcregistry.dialects._dialect import Dialect
from fcregistry.dialects._prompt import Prompt
from fcregistry.dialects._syntaxes._bare_text import LIMITS
from fcregistry.dialects._syntaxes._elements import read_elements
from fcregistry.dialects._syntaxes._tags import Tags, section, write_tags


def _invocations(prefix: str, opens: tuple[str, ...], closes: tuple[str, ...], **more: Any) -> Tags:
    call, parameter = f"{prefix}invoke", f"{prefix}parameter"
    return Tags(
        opens=opens,
        closes=closes,
        call=(f"<{call}", f"</{call}>"),
        parameter=(f"<{parameter}", f"</{parameter}>"),
        **more,
    )


def _claude(prefix: str, **more: Any) -> Tags:
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
"""DSML as it comes where special tokens were left out."""

_STEP: Final = _invocations(
    "steptml:",
    ("<｜tool_calls_begin｜>",),
    ("<｜tool_calls_end｜>",),
    before=("<｜tool_call_begin｜>", "function<｜tool_sep｜>"),
    after=("<｜tool_call_end｜>", "<｜tool_sep｜>"),
)


def _marks(tags: Tags, *more: str) -> tuple[str, ...]:
    return (*tags.opens, *tags.closes, *tags.call, *tags.parameter, *tags.before, *tags.after, *more)


def _response(name: str, content: str, id: str | None) -> str:
    return f"<response>{content}</response>"


def _claude_result(name: str, content: str, id: str | None) -> str:
    return f"<function_results>\n<result>\n<tool_name>{name}</tool_name>\n<stdout>\n{content}\n</stdout>\n</result>\n</function_results>"


def _dsml_result(name: str, content: str, id: str | None) -> str:
    return f"<function_results>\n<result>{content}</result>\n</function_results>"


MINIMAX_M2: Final = Dialect(
    name="minimax-m2",
    models="MiniMax-M2, M2.1, M2.5",
    source='MiniMax, "MiniMax-M2", chat template and "Tool Calling Guide"',
    sections=(section(_MINIMAX),),
    write=write_tags(_MINIMAX),
    prompt=Prompt(
        before="# Tools\nYou may call one or more tools to assist with the user query.\nThe tools, described in JSON Schema:\n\n<tools>\n<tool>",
        each="function",
        between="</tool>\n<tool>",
        after="</tool>\n</tools>\n\nTo call tools, write them and their parameters as XML:\n\n<minimax:tool_call>\n"
        '<invoke name="tool-name-1">\n<parameter name="param-key-1">param-value-1</parameter>\n'
        '<parameter name="param-key-2">param-value-2</parameter>\n...\n</invoke>\n</minimax:tool_call>',
        result=_response,
        marks=_marks(_MINIMAX, "<tools>", "</tools>", "<tool>", "</tool>", "<response>", "</response>", "[e~[", "]~b]"),
    ),
    stops=("[e~[",),
    limits=LIMITS,
)

CLAUDE_XML: Final = Dialect(
    name="claude-xml",
    models="Claude, where it is prompted by text; other models that follow such a prompt",
    source='Anthropic documentation, "Tool use", the system prompt of tool use; "Legacy tool use"',
    sections=(section(_CLAUDE), section(_CLAUDE_PREFIXED)),
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
            *_marks(_CLAUDE, "<functions>", "</functions>", "<function_results>", "</function_results>"),
            *_marks(_CLAUDE_PREFIXED, "<result>", "</result>", "<stdout>", "</stdout>"),
        ),
    ),
    thinks=("<thinking>", "</thinking>"),
    stops=("<function_results>",),
    limits=LIMITS,
)

DEEPSEEK_V3_2: Final = Dialect(
    name="deepseek-v3.2",
    models="DeepSeek V3.2, and V4 with its own name of the section",
    source='DeepSeek, "DeepSeek-V3.2", encoding of messages (DSML)',
    sections=(section(_DSML), section(_DSML_BARE)),
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
        marks=_marks(
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
    sections=(section(_STEP),),
    write=write_tags(_STEP),
    prompt=Prompt(
        before="# Tools\nYou may call one or more of these tools, which are described in JSON Schema:\n",
        after="\n\nTo call tools, write a block like this one:\n<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜>"
        '<steptml:invoke name="function_name">\n<steptml:parameter name="parameter_name">value</steptml:parameter>\n...\n'
        "</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>",
        marks=_marks(_STEP),
    ),
    stops=("<|EOT|>",),
    limits=LIMITS,
)

ROWS: Final = (MINIMAX_M2, CLAUDE_XML, DEEPSEEK_V3_2, STEP_3)
