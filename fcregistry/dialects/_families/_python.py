"""Which families write calls as Python does?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry import formats
from fcregistry.dialects._dialect import Dialect
from fcregistry.dialects._prompt import Prompt
from fcregistry.dialects._sections import Calls, Words
from fcregistry.dialects._syntaxes._python import read_list, read_python, write_list, write_rows

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool

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


def _signature(tool: Tool) -> str:
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
        each=_signature,
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

ROWS: Final = (PYTHONIC, LFM_2, OLMO_3, MINICPM)
