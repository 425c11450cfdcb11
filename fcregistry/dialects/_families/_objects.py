"""Which families write calls as JSON objects?"""

from __future__ import annotations

from typing import Final

from fcregistry.dialects._dialect import Dialect
from fcregistry.dialects._prompt import Prompt
from fcregistry.dialects._sections import Calls
from fcregistry.dialects._syntaxes._objects import read_objects, write_objects


def _hermes_result(name: str, content: str, id: str | None) -> str:
    return f"<tool_response>\n{content}\n</tool_response>"


HERMES: Final = Dialect(
    name="hermes",
    models="Hermes 2 Pro and 3, Qwen 2.5, Qwen 3",
    source='NousResearch "Hermes-Function-Calling"; the chat template of Qwen 2.5',
    sections=(Calls(opens=("<tool_call>",), read=read_objects("</tool_call>")),),
    write=write_objects("<tool_call>\n", "\n</tool_call>"),
    prompt=Prompt(
        before="# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
        "You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n",
        after="\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
        '<tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>',
        result=_hermes_result,
        marks=("<tools>", "</tools>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"),
    ),
    stops=("<|im_end|>",),
)

ROWS: Final = (HERMES,)
