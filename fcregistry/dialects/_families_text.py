"""The families that write arguments as text other than JSON objects or tags: a row each.

They write bare names in braces, Python, labelled lines, or messages to a tool.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from fcregistry.dialects._dialect import Dialect
from fcregistry.dialects._parsed import Calls, EndOfThoughts, Syntax, Words, syntax_after
from fcregistry.dialects._syntax_braces import braces, braces_text
from fcregistry.dialects._syntax_json import (
    CHANNEL,
    MESSAGE_ENDS,
    message_marks,
    read_header,
    read_message,
    read_start,
    write_messages,
)
from fcregistry.dialects._syntax_python import NO_LIST, NO_PYTHON, read_list, read_python, write_lines, write_list
from fcregistry.dialects._syntax_react import (
    INPUT_LABEL,
    LABELS,
    NO_ACTION,
    NO_FENCED_ACTION,
    NO_INPUT,
    read_action,
    read_action_object,
    read_action_objects,
    read_label,
    read_labelled_object,
    read_rest,
    read_tool,
    write_action_objects,
    write_actions,
    write_tools,
)

if TYPE_CHECKING:
    from fcregistry.dialects._dialect import ResultText


_LEFT_OUT: Final = frozenset({"additionalProperties"})
_LAST: Final = ("properties", "required", "type")
"""Keywords that the published declarations put last, in this order."""


def _declare_with(quote: str) -> Callable[[dict[str, Any]], str]:
    """Return a function that returns the declaration of a tool, with the names of types in capitals.

    The function raises `ValueError` if a text contains `quote`.

    Args:
        quote: The mark before and after a string.
    """

    def declare(function: dict[str, Any]) -> str:
        """Return the declaration of the tool `function`: its name, description and parameters.

        Raises:
            ValueError: A text contains the mark `quote`.
        """
        described = {
            "description": function.get("description", ""),
            "parameters": _capitalize_types(function["parameters"]),
        }
        return f"declaration:{function['name']}{braces_text(described, quote)}"

    return declare


def _capitalize_types(schema: Any) -> Any:
    """Return `schema`, or a list of schemas, with the names of types in capitals, for Google's models.

    The keywords `properties`, `required` and `type` come last; they are left out if they are empty, `additionalProperties` always. Any other
    value is returned unchanged.
    """
    if isinstance(schema, list):
        return [_capitalize_types(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    keys = [key for key in schema if key not in _LAST and key not in _LEFT_OUT]
    return {key: _capitalize_keyword(key, schema[key]) for key in [*keys, *(key for key in _LAST if schema.get(key))]}


def _capitalize_keyword(key: str, value: Any) -> Any:
    """Return the `value` of the keyword `key` of a schema, with the names of types in capitals.

    Values that are data, such as those of `enum` and `default`, are returned unchanged.
    """
    if key in ("enum", "const", "default", "examples", "required"):
        return value
    if key == "type":
        return [each.upper() for each in value] if isinstance(value, list) else value.upper()
    if key in ("properties", "$defs"):
        return {name: _capitalize_types(each) for name, each in value.items()}
    return _capitalize_types(value)


def _braces_response(quote: str, opens: str, closes: str) -> ResultText:
    """Return a function of name, content and id that shows a result between `opens` and `closes`.

    Its strings are between `quote`; it ignores the id. It raises `ValueError` if the content contains `quote`.
    """
    return lambda name, content, _: f"{opens}response:{name}{braces_text({'value': content}, quote)}{closes}"


_NO_EXPRESSIONS: Final = "Values are literals: a call with a name, an operation or another call in it is content."


_NEXT: Final = ("<|start|>", CHANNEL)


ROWS: Final = (
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
                Calls(opens=("<|python_start|>",), read=read_python("<|python_end|>"), words=NO_PYTHON),
                Calls(opens=("[",), read=read_list, words=NO_LIST),
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
            NO_PYTHON,
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
            write_lines("<function_calls>\n", "\n</function_calls>"),
            NO_PYTHON,
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
            write_lines("<|tool_call_start|>\n```python\n", "\n```\n<|tool_call_end|>"),
            NO_PYTHON,
        ),
        more=(
            Words(opens=("<think>",), closes=("</think>",), kind="reasoning", nests=True),
            EndOfThoughts(opens=("</think>",)),
        ),
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
                Calls(opens=("Action:",), read=read_action, at="line", words=NO_INPUT),
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
        name="react-json",
        models="any model that a prompt asks for it",
        source='the prompts "structured chat" and "conversational" of LangChain',
        syntax=Syntax(
            (
                Calls(opens=("{",), read=read_action_object, words=NO_ACTION),
                Calls(opens=("```",), read=read_action_objects, words=NO_FENCED_ACTION),
                Calls(opens=("Action:",), read=read_labelled_object, at="line"),
                Calls(opens=("Final Answer", "Answer:"), read=read_label, at="line"),
                Calls(opens=("Observation:",), read=read_rest, at="line"),
            ),
            write_action_objects,
        ),
        more=(Words(opens=("Thought:",), before=tuple(f"\n{label}" for label in LABELS), kind="reasoning", at="line"),),
        before_tools="You can use these tools:\n\n",
        tool_form="text",
        after_tools='\n\nWrite one action as JSON: its "action" is the name of a tool or "Final Answer", its "action_input" an object with '
        "the arguments, or the answer:\n\nThought: what you think is to be done\nAction:\n```json\n"
        '{"action": "$TOOL_NAME", "action_input": $INPUT}\n```\nObservation: what the tool answers\n\nStop behind the action.',
        result="Observation: {content}",
        marks=("Final Answer:",),
        limits='A tool cannot be called "Final Answer". An observation that the model invents is cut off, with all behind it.',
    ),
    Dialect(
        name="langchain-xml",
        models="any model that LangChain's XML agent prompts",
        source='LangChain, "create_xml_agent" and its prompt, "xml-agent-convo"; the function calls of "AnthropicFunctions"',
        syntax=Syntax(
            (Calls(opens=("<tool>",), read=read_tool),), write_tools, ("<tool_input>", "</tool_input>", "</tool>")
        ),
        more=(
            Words(opens=("<final_answer>",), closes=("</final_answer>",), kind="content"),
            Words(opens=("<observation>",), closes=("</observation>",)),
        ),
        before_tools="You have access to the following tools:\n\n",
        tool_form="text",
        between_tools="\n",
        after_tools="\n\nTo use a tool, write <tool></tool> and <tool_input></tool_input> tags, with an element for each parameter in the input. "
        "You get the result in <observation></observation>. For example:\n\n"
        "<tool>search</tool><tool_input><query>weather in SF</query></tool_input>\n<observation>64 degrees</observation>\n\n"
        "When you are done, answer between <final_answer></final_answer>.",
        result="<observation>{content}</observation>",
        limits="An input ends with the answer if `</tool_input>` is missing: if the answer was cut off, so is the input. A text cannot hold "
        "the tag that ends it. An observation that the model invents is left out.",
    ),
    Dialect(
        name="harmony",
        models="gpt-oss",
        source='OpenAI, "OpenAI Harmony Response Format"',
        syntax=Syntax(
            (
                Calls(
                    opens=(f"{CHANNEL}commentary to=", f"{CHANNEL}analysis to=", f"{CHANNEL}final to="),
                    read=read_message,
                ),
                Calls(opens=(CHANNEL,), read=read_header),
                Calls(opens=("<|start|>",), read=read_start),
                Calls(
                    opens=("to=functions.",), read=read_message, at="start"
                ),  # continues the prompt's <|start|>assistant
            ),
            write_messages,
        ),
        more=(
            Words(opens=message_marks("analysis"), closes=MESSAGE_ENDS, before=_NEXT, kind="reasoning"),
            Words(
                opens=(*message_marks("final"), *message_marks("commentary")),
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
