"""The families that write arguments as a JSON object: a row each.

Some write a name and the object, some each call as an object, some one array of objects.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from fcregistry.dialects._dialect import TOOL_RESPONSE, Dialect, json_text
from fcregistry.dialects._json_text import LANGUAGE, other_after_mark, other_json, other_json_after_mark
from fcregistry.dialects._parsed import Calls, Syntax, Words, syntax_after
from fcregistry.dialects._source import TextMarks
from fcregistry.dialects._syntax_json import (
    DEEPSEEK_END,
    NAME,
    NO_CALL,
    NO_NAME,
    CallKeys,
    arguments_of,
    array,
    call_object,
    call_without_arguments,
    name_of,
    objects,
    objects_or,
    read_apertus,
    read_arguments,
    read_deepseek,
    read_flower,
    read_kimi,
    read_line_named,
    read_mistral,
    read_named,
    read_objects,
    read_recipient,
    write_apertus,
    write_array,
    write_between,
    write_kimi,
    write_named,
    write_objects,
)
from fcregistry.dialects._syntax_pairs import NO_OBJECT, PairSyntax

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fcregistry._base.call import ToolCall
    from fcregistry.dialects._source import Reading, TextSource


_PARAMETERS_FIRST: Final = CallKeys(arguments=("parameters", "arguments"))


_DEEPSEEK_SECTION: Final = Words(opens=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"))
_DEEPSEEK_RESULT: Final = "<｜tool▁output▁begin｜>{content}<｜tool▁output▁end｜>"


def _describe_for_deepseek(function: dict[str, Any]) -> str:
    """Return the tool `function` as text: name, description (empty if missing), and the schema as JSON."""
    described = f"### {function['name']}\nDescription: {function.get('description', '')}"
    return f"{described}\n\nParameters: {json_text(function['parameters'])}"


def _deepseek(before: str, between: str, after: str, joint: str, **row: Any) -> Dialect:
    """Return a dialect of DeepSeek; its marks around each call and all calls are added to the texts below.

    Args:
        before: The text before a name.
        between: The text between name and arguments.
        after: The text after the arguments.
        joint: The text between two calls.
        **row: The fields in which the dialects differ, beside the form of calls.
    """
    before, after = f"<｜tool▁call▁begin｜>{before}", f"{after}{DEEPSEEK_END}"
    write = write_between(
        "<｜tool▁calls▁begin｜>", write_named(before, between, after, joint=joint), "<｜tool▁calls▁end｜>"
    )
    shown = f"<｜tool▁calls▁begin｜>{before}<tool-name>{between}<args-json-object>{after}<｜tool▁calls▁end｜>"
    return Dialect(
        syntax=syntax_after("<｜tool▁call▁begin｜>", read_deepseek, write),
        more=(_DEEPSEEK_SECTION,),
        before_tools="## Tools\nYou have access to the following tools:\n\n",
        after_tools=f"\n\nTo call tools, write one or more calls in this form:\n{shown}",
        stops=("<｜end▁of▁sentence｜>",),
        **row,
    )


_FENCED: Final = ("function<｜tool▁sep｜>", "\n```json\n", "\n```", "\n")


_KIMI_SECTION: Final = ("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>")


def _describe_for_glm(function: dict[str, Any]) -> str:
    """Return the tool `function` as GLM-4's template shows it: a heading, indented JSON, and a sentence."""
    shown = json.dumps(function, ensure_ascii=False, indent=4)
    return f"## {function['name']}\n\n{shown}\n在调用上述函数时，请使用 Json 格式表示调用的参数。"


_LANGUAGE: Final = re.compile(LANGUAGE)
_PLAMO_NAME: Final = ("<|plamo:begin_tool_name:plamo|>", "<|plamo:end_tool_name:plamo|>")
_PLAMO_ARGUMENTS: Final = ("<|plamo:begin_tool_arguments:plamo|>", "<|plamo:end_tool_arguments:plamo|>")
_PLAMO_JSON: Final = ("<|plamo:constrain|>json", "<|plamo:msg|>")
_PLAMO_REQUEST: Final = ("<|plamo:begin_tool_request:plamo|>", "<|plamo:end_tool_request:plamo|>")
_PLAMO_SECTION: Final = ("<|plamo:begin_tool_requests:plamo|>", "<|plamo:end_tool_requests:plamo|>")
_TO_PLAMO_END: Final = TextMarks(_PLAMO_NAME[1])


def _read_plamo(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a call of PLaMo 3 from the end of the tag before its name on; return a list with the call.

    Return None if the name is missing, or the tags or the JSON object are malformed or cut off.
    """
    name, end = yield from source.until(_TO_PLAMO_END)
    yield from source.space()
    begun = (yield from source.take(_PLAMO_ARGUMENTS[0], _PLAMO_REQUEST[1])) if end else ""
    if begun != _PLAMO_ARGUMENTS[0]:
        return call_without_arguments(name) if begun else None
    for tag in _PLAMO_JSON:
        yield from source.take(tag)
    return (yield from read_arguments(source, name.strip(), _PLAMO_ARGUMENTS[1]))


_NO_FENCED_CALL: Final = LANGUAGE + other_after_mark("name")
_IN_FENCE: Final = read_objects("```")


def _read_fence(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read calls as JSON in a code fence of Markdown with any language; return None if there are none."""
    yield from source.run(_LANGUAGE)
    return (yield from _IN_FENCE(source, mark))


_HERMES_AFTER: Final = (
    "\n</tools>\n\nTo call a function, write a JSON object with its name and arguments within <tool_call></tool_call> tags, "
    'once for each call:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'
)
_RESPONSE: Final = Words(
    opens=("<response>",),
    closes=("</response>", "<|end_of_sentence|>", "<|end_of_text|>"),
    kind="content",
)
_LONGCAT_PAIRS: Final = PairSyntax.of("longcat_")


_PLUGIN: Final = ("<|plugin|>", "<|function|>")
_IN_ACTION: Final = read_objects("<|action_end|>", keys=_PARAMETERS_FIRST)
_READ_ARGS: Final = read_named("<|args|>", "<|action_end|>")  # as LazyLLM prompts the models


def _read_action(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read calls of InternLM2 after `<|action_start|>`, or after `<|function|>` alone.

    Return None if there are no calls, or if neither `<|plugin|>` nor `<|function|>` follows, as before code for the interpreter.
    """
    yield from source.space()
    if mark != _PLUGIN[1] and not (yield from source.take(*_PLUGIN)):
        return None
    yield from source.space()
    if (yield from source.is_next("{", "[")):
        return (yield from _IN_ACTION(source, mark))
    return (yield from _READ_ARGS(source, mark))


_BARE: Final = read_objects()
_NO_CALL: Final = other_json("name")
_MARKED: Final = read_objects("</s>")


def _read_xlam_array(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read an array of calls, which `[TOOL_CALLS]` may precede; `[` was taken. Return None without calls."""
    source.place -= 1
    if (yield from source.take("[TOOL_CALLS]")):
        return (yield from _MARKED(source, ""))
    return (yield from _BARE(source, ""))


_WRITE_LIST: Final = '[{"name": <tool-name>, "arguments": <args-json-object>}, …]'


_COHERE: Final = CallKeys(name=("tool_name", "name"), arguments=("parameters", "arguments"), id=("tool_call_id", "id"))
_COHERE_STOP: Final = "<|END_OF_TURN_TOKEN|>"


def _write_cohere(calls: Sequence[ToolCall]) -> str:
    """Write calls as Cohere's Command models do: an array of objects with an id, a name and parameters.

    A call without an id gets its position as the id.

    Raises:
        ValueError: A name is empty or has space around it, or arguments are text that is not a JSON object.
    """
    written = [
        {"tool_call_id": call.id or str(place), "tool_name": name_of(call), "parameters": arguments_of(call)}
        for place, call in enumerate(calls)
    ]
    lines = ",\n".join(f"    {json_text(each)}" for each in written)
    return f"<|START_ACTION|>[\n{lines}\n]<|END_ACTION|>"


def _cohere_result(name: str, content: str, id: str | None) -> str:
    """Return the text that shows the result `content` of the call `id` to Cohere's Command models.

    `name` is not shown. Without an id, it is "0".
    """
    result = {"tool_call_id": id or "0", "results": {"0": content}, "is_error": None}
    return f"<|START_TOOL_RESULT|>[\n    {json_text(result)}\n]<|END_TOOL_RESULT|>"


_INKLING_MESSAGE: Final = "<|message_model|>"
_INKLING_CALL: Final = "<|content_invoke_tool_json|>"
_INKLING_ENDS: Final = ("<|end_message|>", "<|content_model_end_sampling|>")
_INKLING_KEYS: Final = CallKeys(arguments=("args", "arguments", "parameters"))
_INKLING_WORDS: Final = ("<|content_text|>", "<|content_invoke_tool_text|>")
_AUTHOR: Final = re.compile(r"[^<>\n]*")


def _read_inkling_author(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Take the name of a message's author, which precedes the kind of its content; return an empty list.

    Return None if no kind of content follows, and the message is not empty.
    """
    author = yield from source.run(_AUTHOR if mark else NAME)
    if mark and not author and (source.place == len(source.text) or (yield from source.is_next(mark, *_INKLING_ENDS))):
        return []  # a message without content
    return [] if (yield from source.is_next(_INKLING_CALL, "<|content_thinking|>", *_INKLING_WORDS)) else None


def _describe_for_inkling(function: dict[str, Any]) -> str:
    """Return the tool `function` as JSON, with the member `type` "function" added."""
    return json_text({**function, "type": "function"})


def _write_inkling(calls: Sequence[ToolCall]) -> str:
    """Write calls as messages, the first without `<|message_model|>`, with which the prompt ends.

    Raises:
        ValueError: A name has other characters than those of `NAME`, or arguments are text that is not a JSON object.
    """
    written = (f"{name_of(call, NAME)}{_INKLING_CALL}{json_text(call_object(call, _INKLING_KEYS))}" for call in calls)
    return _INKLING_MESSAGE.join(f"{each}{_INKLING_ENDS[0]}" for each in written)


ROWS: Final = (
    Dialect(
        name="llama3",
        models="Llama 3.1, 3.2, 3.3, Functionary 3.1",
        source='Llama documentation, "Model Cards and Prompt formats", Llama 3.1 and 3.2',
        syntax=Syntax(
            (
                Calls(
                    opens=("<|python_tag|>",), read=read_objects("<|eom_id|>", keys=_PARAMETERS_FIRST), words=NO_CALL
                ),
                Calls(opens=("<function=",), read=read_named(">", "</function>"), words=r"[^<>\n]*+>\s*+(?![\s{<]|\Z)"),
                Calls(opens=("{",), read=read_objects(keys=_PARAMETERS_FIRST, separator=";"), words=_NO_CALL),
            ),
            write_objects("", "", keys=_PARAMETERS_FIRST, between="; "),
        ),
        before_tools="You have access to the following functions:\n\n",
        between_tools="\n\n",
        after_tools="\n\nTo call a function, answer with a JSON object and nothing else: "
        '{"name": <function-name>, "parameters": <args-json-object>}. Do not use variables.',
        marks=("<|start_header_id|>", "<|end_header_id|>"),
        thinks=None,
        stops=("<|eot_id|>", "<|eom_id|>"),
        limits="Calls of the built-in tools, which Llama 3 writes as Python behind `<|python_tag|>`, are content.",
    ),
    _deepseek(
        *_FENCED,
        name="deepseek-v3",
        models="DeepSeek V3, V3-0324",
        source="the chat template of DeepSeek-V3",
        result=f"<｜tool▁outputs▁begin｜>{_DEEPSEEK_RESULT}<｜tool▁outputs▁end｜>",
    ),
    _deepseek(
        *_FENCED,
        name="deepseek-r1",
        models="DeepSeek R1, R1-0528, and what is distilled from it",
        source="the chat template of DeepSeek-R1-0528",
        result=f"<｜tool▁outputs▁begin｜>{_DEEPSEEK_RESULT}<｜tool▁outputs▁end｜>",
    ),
    _deepseek(
        "",
        "<｜tool▁sep｜>",
        "",
        "",
        name="deepseek-v3.1",
        models="DeepSeek V3.1, V3.1-Terminus",
        source='the model card of DeepSeek-V3.1, "ToolCall", and its chat template',
        tool_form=_describe_for_deepseek,
        between_tools="\n\n",
        result=_DEEPSEEK_RESULT,
        marks=("<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>"),
    ),
    Dialect(
        name="mistral",
        models="Mistral 7B v0.3, Nemo, Large, Small 3, Devstral, Magistral, Ministral 3",
        source='Mistral, "mistral-common", tokenizers v3 to v13',
        syntax=syntax_after("[TOOL_CALLS]", read_mistral, write_named("[TOOL_CALLS]", "[ARGS]", "", names=NAME)),
        before_tools="[AVAILABLE_TOOLS][",
        between_tools=", ",
        after_tools="][/AVAILABLE_TOOLS]",
        result="[TOOL_RESULTS]{content}[/TOOL_RESULTS]",
        marks=("[INST]", "[/INST]"),
        thinks=("[THINK]", "[/THINK]"),
        stops=("</s>",),
    ),
    Dialect(
        name="kimi-k2",
        models="Kimi K2, K2 Thinking",
        source='Moonshot AI, "Tool Use in Kimi K2" (tool_call_guidance)',
        syntax=syntax_after("<|tool_call_begin|>", read_kimi, write_kimi),
        more=(
            Words(opens=(*_KIMI_SECTION, "<|tool_call_section_begin|>", "<|tool_call_section_end|>")),
        ),  # some leave out the s
        before_tools="<|im_system|>tool_declare<|im_middle|>[",
        between_tools=", ",
        after_tools="]<|im_end|>",
        result="## Return of {id}\n{content}",
        marks=("<|tool_call_argument_begin|>", "<|tool_call_end|>"),
        ends_thoughts=(_KIMI_SECTION[0],),
        stops=("<|im_end|>",),
    ),
    Dialect(
        name="gigachat3",
        models="GigaChat 3",
        source='the chat template of GigaChat3-10B-A1.8B; vLLM, "GigaChat3ToolParser"',
        syntax=Syntax(
            (
                Calls(
                    opens=("function call<|role_sep|>", "<|function_call|>"),
                    read=read_objects("<|message_sep|>", "</s>"),
                ),
            ),
            write_objects("function call<|role_sep|>\n", "<|message_sep|>\n\n", between=""),
        ),
        more=(Words(opens=("<|message_sep|>", "assistant<|role_sep|>")),),
        before_tools="function descriptions<|role_sep|>\nnamespace functions {\n",
        tool_form="typescript",
        between_tools="\n\n",
        after_tools="\n} // namespace functions\n\n<|message_sep|>\n\n",
        result="function result<|role_sep|>\n{content}<|message_sep|>\n\n",
        stops=("</s>",),
    ),
    Dialect(
        name="inkling",
        models="Inkling",
        source='vLLM, "InklingParser" and its encoding of messages; SGLang, "InklingDetector"',
        syntax=Syntax(
            (
                Calls(
                    opens=(_INKLING_CALL,),
                    read=read_objects(*_INKLING_ENDS, keys=_INKLING_KEYS, opening="{"),
                    words=NO_CALL,
                ),
                Calls(opens=(), read=_read_inkling_author, at="start"),  # continues the prompt's <|message_model|>
                Calls(opens=(_INKLING_MESSAGE,), read=_read_inkling_author),
            ),
            _write_inkling,
        ),
        more=(
            Words(opens=("<|content_thinking|>",), closes=_INKLING_ENDS, before=(_INKLING_MESSAGE,), kind="reasoning"),
            Words(opens=_INKLING_WORDS, closes=_INKLING_ENDS, before=(_INKLING_MESSAGE,), kind="content"),
            Words(opens=_INKLING_ENDS),
        ),
        before_tools="<|message_system|>tool_declare<|content_xml|>[",
        tool_form=_describe_for_inkling,
        between_tools=",",
        after_tools="]<|end_message|>",
        result="<|message_tool|>{name}<|content_text|>{content}<|end_message|>",
        marks=("<|message_user|>", "<|content_tool_error|>"),
        thinks=None,
        stops=_INKLING_ENDS[1:],
        limits="A name is letters, digits, `_`, `-` and `.`. A message to a tool that is not a JSON object is content.",
    ),
    Dialect(
        name="functionary",
        models="Functionary 3.2, Functionary v3",
        source='MeetKai, "functionary", prompt template v3.llama3',
        syntax=Syntax(
            (
                Calls(opens=(), read=read_recipient, at="start"),
                Calls(opens=(">>>",), read=read_recipient, words=rf"(?:{NO_NAME}|{NAME.pattern}+(?![\w.\-\r\n]|\Z))"),
            ),
            write_named("", "\n", "", joint=">>>", names=NAME),
        ),
        before_tools="You are capable of executing available function(s) if required.\nUse JSON for function arguments.\n"
        "Respond in this format:\n>>>${recipient}\n${content}\nAvailable functions:\n",
        tool_form="typescript",
        between_tools="\n\n",
        after_tools="\n",
        thinks=None,
        stops=("<|eot_id|>",),
        limits="A name is letters, digits, `_`, `-` and `.`, and not `all`. Code for the built-in `python` is content.",
    ),
    Dialect(
        name="glm-4",
        models="GLM-4-9B-Chat, GLM-4-0414",
        source="the chat templates of glm-4-9b-chat and GLM-4-9B-0414",
        syntax=Syntax(
            (
                Calls(opens=(), read=read_line_named, at="start"),
                Calls(opens=("<|assistant|>",), read=read_line_named, words=NO_NAME),
            ),
            write_named("", "\n", "", joint="<|assistant|>", names=NAME),
        ),
        before_tools="# 可用工具\n\n",
        tool_form=_describe_for_glm,
        between_tools="\n\n",
        after_tools="",
        result="<|observation|>\n{content}",
        marks=("<|system|>",),
        thinks=None,
        stops=("<|observation|>", "<|user|>", "<|endoftext|>"),
    ),
    Dialect(
        name="plamo3",
        models="PLaMo 3",
        source='vLLM, "Plamo3ToolParser"; OpenClaw, the provider of PLaMo',
        syntax=syntax_after(
            _PLAMO_NAME[0],
            _read_plamo,
            write_between(
                _PLAMO_SECTION[0],
                write_named(
                    f"{_PLAMO_REQUEST[0]}{_PLAMO_NAME[0]}",
                    f"{_PLAMO_NAME[1]}{_PLAMO_ARGUMENTS[0]}{''.join(_PLAMO_JSON)}",
                    f"{_PLAMO_ARGUMENTS[1]}{_PLAMO_REQUEST[1]}",
                ),
                _PLAMO_SECTION[1],
            ),
        ),
        more=(Words(opens=(*_PLAMO_SECTION, *_PLAMO_REQUEST)),),
        before_tools="# Tools\n\nYou have access to the following tools:\n\n",
        after_tools=f"\n\nTo call tools, write one or more requests in this form:\n{_PLAMO_SECTION[0]}{_PLAMO_REQUEST[0]}{_PLAMO_NAME[0]}"
        f"<tool-name>{_PLAMO_NAME[1]}{_PLAMO_ARGUMENTS[0]}{''.join(_PLAMO_JSON)}<args-json-object>{_PLAMO_ARGUMENTS[1]}"
        f"{_PLAMO_REQUEST[1]}{_PLAMO_SECTION[1]}",
        thinks=("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"),
        ends_thoughts=(_PLAMO_SECTION[0],),
        stops=("<|plamo:tag|>",),
    ),
    Dialect(
        name="qwen-flower",
        models="Qwen 2, and Qwen 2.5 as Qwen-Agent prompts it",
        source='Qwen-Agent, "QwenFnCallPrompt"',
        syntax=syntax_after("✿FUNCTION✿", read_flower, write_named("✿FUNCTION✿: ", "\n✿ARGS✿: ", "", joint="\n")),
        more=(Words(opens=("✿RETURN✿:",)), Words(opens=("✿RESULT✿",), before=("✿RETURN✿:",), kind="nothing")),
        before_tools="# Tools\n\n## You have access to the following tools:\n\n",
        tool_form="function",
        between_tools="\n\n",
        after_tools="\n\n## To call a tool, write these lines, as often as needed:\n\n"
        "✿FUNCTION✿: the name of the tool\n✿ARGS✿: its arguments, as a JSON object\n"
        "✿RESULT✿: what the tool returned\n✿RETURN✿: your answer, from the results",
        result="✿RESULT✿: {content}",
        marks=("✿ARGS✿", "✿RETURN✿"),
        thinks=None,
        stops=("✿RESULT✿",),
        limits="A result that the model invents is left out.",
    ),
    Dialect(
        name="hermes",
        models="Hermes 2 Pro and 3, Qwen 2.5, Qwen 3, QwQ, Trinity",
        source='NousResearch, "Hermes-Function-Calling"; the chat templates of Qwen 2.5 and Qwen 3',
        syntax=objects("<tool_call>\n", "\n</tool_call>"),
        before_tools="# Tools\n\nYou may call functions to help with the user's query. "
        "Their signatures are within <tools></tools> tags:\n<tools>\n",
        after_tools=_HERMES_AFTER,
        result=TOOL_RESPONSE,
        stops=("<|im_end|>",),
    ),
    Dialect(
        name="granite4",
        models="IBM Granite 4.0",
        source="the chat template of granite-4.0",
        syntax=objects("<tool_call>\n", "\n</tool_call>"),
        before_tools="You are a helpful assistant with access to the following tools, within <tools></tools> tags:\n<tools>\n",
        after_tools=_HERMES_AFTER,
        result=TOOL_RESPONSE,
        stops=("<|end_of_text|>",),
    ),
    Dialect(
        name="ernie-4.5",
        models="ERNIE 4.5",
        source='the chat template of ERNIE-4.5-21B-A3B-Thinking; vLLM, "Ernie45ToolParser"',
        syntax=objects("<tool_call>\n", "\n</tool_call>\n", between=""),
        more=(_RESPONSE,),
        before_tools="<tool_list>\n[",
        between_tools=", ",
        after_tools="]\n</tool_list>\n\nTo call a tool, write a JSON object with its name and arguments within <tool_call></tool_call> tags:\n"
        '<tool_call>\n{"name": <tool-name>, "arguments": <args-json-object>}\n</tool_call>',
        result="<tool_output>\n{content}\n</tool_output>",
        stops=("</s>", "<|end_of_sentence|>"),
    ),
    Dialect(
        name="longcat",
        models="LongCat-Flash-Chat, -Thinking and -Lite",
        source='the chat template of LongCat-Flash-Chat; vLLM, "LongcatFlashToolParser"; mlx-lm, "longcat" tool parser',
        syntax=Syntax(
            (
                Calls(
                    opens=(_LONGCAT_PAIRS.opens,),
                    read=objects_or(_LONGCAT_PAIRS, "</longcat_tool_call>"),
                    words=NO_OBJECT + _LONGCAT_PAIRS.words,
                ),
            ),
            write_objects("<longcat_tool_call>", "</longcat_tool_call>"),
            _LONGCAT_PAIRS.marks,
        ),
        before_tools="## Tools\nYou have access to the following tools:\n\n### Tool namespace: function\n\n",
        after_tools="\n\nTo call a tool, write a JSON object with its name and arguments within <longcat_tool_call></longcat_tool_call> tags, "
        'once for each call:\n<longcat_tool_call>{"name": <function-name>, "arguments": <args-dict>}</longcat_tool_call>',
        result="<longcat_tool_response>\n{content}\n</longcat_tool_response>",
        thinks=("<longcat_think>", "</longcat_think>"),
        stops=("</longcat_s>",),
    ),
    Dialect(
        name="internlm2",
        models="InternLM2, InternLM2.5, InternLM3",
        source='InternLM, "Chat Format"',
        syntax=Syntax(
            (
                Calls(opens=("<|action_start|>",), read=_read_action),
                Calls(opens=(_PLUGIN[1],), read=_read_action, words=other_json_after_mark("name")),
            ),
            write_objects("<|action_start|><|plugin|>\n", "<|action_end|>", keys=_PARAMETERS_FIRST),
        ),
        before_tools="You have access to the following tools, as JSON:\n[",
        tool_form="function",
        between_tools=", ",
        after_tools="]\n\nTo call one, write:\n<|action_start|><|plugin|>\n"
        '{"name": <tool-name>, "parameters": <args-json-object>}<|action_end|>',
        marks=("<|interpreter|>", "<|im_start|>"),
        thinks=None,
        stops=("<|im_end|>",),
    ),
    Dialect(
        name="json",
        models="any model that a prompt asks for JSON",
        source="RFC 8259; fcregistry's own prompt",
        syntax=Syntax(
            (
                Calls(opens=("```",), read=_read_fence, words=_NO_FENCED_CALL),
                Calls(opens=("{", "["), read=_BARE, words=_NO_CALL),
            ),
            write_objects("", ""),
        ),
        before_tools="You can call these tools:\n",
        tool_form="function",
        after_tools='\n\nTo call a tool, answer with a JSON object and nothing else: {"name": <tool-name>, "arguments": <args-json-object>}. '
        "To make several calls, answer with a list of such objects. If no tool is needed, answer in plain text.",
        result="Result of {name}:\n{content}",
    ),
    Dialect(
        name="xlam",
        models="Salesforce xLAM 1 and 2",
        source='the model card of xLAM-2; vLLM, "xLAMToolParser"',
        syntax=Syntax(
            (
                Calls(opens=("```",), read=_read_fence, words=_NO_FENCED_CALL),
                Calls(opens=("<tool_call>",), read=read_objects("</tool_call>"), words=NO_CALL),
                Calls(
                    opens=("[",), read=_read_xlam_array, words=rf"(?:TOOL_CALLS\]{NO_CALL}|(?!TOOL_CALLS\]){_NO_CALL})"
                ),
                Calls(opens=("{",), read=_BARE, words=_NO_CALL),
            ),
            write_array("", ""),
        ),
        before_tools="You have access to a set of tools:\n[",
        tool_form="function",
        between_tools=", ",
        after_tools=']\n\nTo call tools, answer with a JSON list and nothing else: [{"name": <tool-name>, "arguments": <args-json-object>}, …]. '
        "If no tool is needed, answer in plain text.",
        stops=("<|im_end|>",),
    ),
    Dialect(
        name="granite",
        models="IBM Granite 3.0 to 3.3, Granite 20B Function Calling",
        source='the chat template of granite-3.3; the model card of granite-20b-functioncalling; vLLM, "GraniteToolParser"',
        syntax=Syntax(
            (
                Calls(opens=("<|tool_call|>",), read=read_objects("<|end_of_text|>"), words=NO_CALL),
                Calls(opens=("<tool_call>",), read=read_objects("</tool_call>"), words=NO_CALL),
                Calls(opens=("<function_call>",), read=read_objects("</function_call>"), words=NO_CALL),
            ),
            write_array("<|tool_call|>", ""),
        ),
        more=(_RESPONSE,),
        before_tools="You are a helpful assistant with access to the following tools:\n[",
        between_tools=", ",
        after_tools=f"]\n\nWhen a tool is needed, answer with <|tool_call|> followed by a JSON list of the tools to use: {_WRITE_LIST}",
        marks=("<|start_of_role|>", "<|end_of_role|>"),
        stops=("<|end_of_text|>", "<|endoftext|>"),
    ),
    Dialect(
        name="phi4",
        models="Phi-4-mini",
        source='the model card of Phi-4-mini-instruct; vLLM, "Phi4MiniJsonToolParser"',
        syntax=array("<|tool_call|>", "<|/tool_call|>"),
        more=(Calls(opens=("functools",), read=read_objects("<|end|>", opening="["), words=NO_CALL),),
        before_tools="You are a helpful assistant with some tools.<|tool|>[",
        tool_form="function",
        between_tools=", ",
        after_tools=f"]<|/tool|>\n\nTo call tools, write <|tool_call|>{_WRITE_LIST}<|/tool_call|>",
        marks=("<|/tool|>", "<|/tool_call|>", "<|tool_response|>"),
        thinks=None,
        stops=("<|end|>", "<|endoftext|>"),
    ),
    Dialect(
        name="jamba",
        models="Jamba 1.5, 1.6, 1.7, Apriel 1.5, 1.6",
        source='the model card of AI21-Jamba-1.5; vLLM, "JambaToolParser"',
        syntax=array("<tool_calls>", "</tool_calls>"),
        before_tools="# Tools\n\nYou may call these tools:\n<tool_definitions>\n",
        after_tools=f"\n</tool_definitions>\n\nTo call tools, write a JSON list within <tool_calls></tool_calls> tags: {_WRITE_LIST}",
        thinks=None,
        stops=("<|eom|>",),
    ),
    Dialect(
        name="hunyuan",
        models="Hunyuan A13B",
        source='the model card of Hunyuan-A13B-Instruct; vLLM, "HunyuanA13BToolParser" and its chat template',
        syntax=array("<tool_calls>", "</tool_calls>"),
        more=(
            Words(opens=("<answer>", "</answer>")),
            Words(opens=("助手：",), at="start"),  # the template has answers begin with it if there are tools
        ),
        before_tools="You have these tools:\n[",
        between_tools=", ",
        after_tools=f"]\n\nTo call tools, write a JSON list within <tool_calls></tool_calls> tags: {_WRITE_LIST}",
        result="<tool_response>{content}</tool_response>",
        stops=("<|eos|>",),
    ),
    Dialect(
        name="nemotron",
        models="Llama-Nemotron Nano, Super and Ultra, Nemotron Nano v2",
        source="the model cards and chat templates of Llama-3.1-Nemotron-Ultra and NVIDIA-Nemotron-Nano-9B-v2",
        syntax=array("<TOOLCALL>", "</TOOLCALL>"),
        before_tools="You can use the following tools:\n<AVAILABLE_TOOLS>[",
        tool_form="function",
        between_tools=", ",
        after_tools=f"]</AVAILABLE_TOOLS>\n\nTo call tools, write a JSON list within TOOLCALL tags: <TOOLCALL>{_WRITE_LIST}</TOOLCALL>",
        result="<TOOL_RESPONSE>[{content}]</TOOL_RESPONSE>",
        stops=("<|eot_id|>", "<SPECIAL_12>"),
    ),
    Dialect(
        name="apertus",
        models="Apertus",
        source='swiss-ai, "Apertus Chat Format Specification"; the chat template of Apertus-8B-Instruct-2509',
        syntax=syntax_after("<|tools_prefix|>", read_apertus, write_apertus),
        before_tools="Tool Capabilities:\n",
        tool_form="typescript",
        after_tools="\n\nTo call tools, write: <|tools_prefix|>[{<tool-name>: <args-json-object>}, …]<|tools_suffix|>",
        result="[{content}]",
        thinks=("<|inner_prefix|>", "<|inner_suffix|>"),
        stops=("<|assistant_end|>",),
    ),
    Dialect(
        name="command-r",
        models="Command R, R+, R7B, A, and A Reasoning",
        source='the chat templates of c4ai-command-r-plus and command-a; vLLM, "Cohere Command tool parser"',
        syntax=Syntax(
            (
                Calls(opens=("<|START_ACTION|>",), read=read_objects("<|END_ACTION|>", keys=_COHERE)),
                Calls(
                    opens=("Action: ```json", "Action:```json", "Action:\n```json"),
                    read=read_objects("```", keys=_COHERE),
                    at="line",
                ),
            ),
            _write_cohere,
        ),
        more=(
            Words(opens=("<|START_RESPONSE|>",), closes=("<|END_RESPONSE|>", _COHERE_STOP), kind="content"),
            Words(opens=("<|START_TEXT|>",), closes=("<|END_TEXT|>", _COHERE_STOP), kind="content"),
            Words(opens=("<|END_RESPONSE|>", "<|END_TEXT|>")),
            Words(opens=("<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>")),  # the beginning of the turn
        ),
        before_tools="## Available Tools\nHere is the list of tools that you have available to you.\n```json\n[\n    ",
        tool_form="function",
        between_tools=",\n    ",
        after_tools="\n]\n```\n\nTo call tools, write: <|START_ACTION|>"
        '[{"tool_call_id": "0", "tool_name": <tool-name>, "parameters": <args-json-object>}, …]<|END_ACTION|>',
        result=_cohere_result,
        thinks=("<|START_THINKING|>", "<|END_THINKING|>"),
        stops=(_COHERE_STOP,),
    ),
)
"""The dialects of this module; the table of dialects reads this name."""
