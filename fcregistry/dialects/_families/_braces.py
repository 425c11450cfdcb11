"""Which families write calls with bare names in braces?"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from fcregistry import formats
from fcregistry.dialects._dialect import Dialect
from fcregistry.dialects._prompt import Prompt
from fcregistry.dialects._sections import Calls, Words
from fcregistry.dialects._syntaxes._braces import read_braces, write_braces, written

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.dialects._prompt import ResultText


_LEFT_OUT: Final = frozenset({"additionalProperties"})
_LAST: Final = ("properties", "required", "type")
"""Where the published declarations say these: behind everything else, in this order."""


def _declaration(quote: str) -> Callable[[Tool], str]:
    """Return what tells one tool: its schema, with the names of types in capitals."""

    def told(tool: Tool) -> str:
        definition: Any = formats.get("openai").describe_one(tool)
        function = definition["function"]
        said = {"description": function.get("description", ""), "parameters": _capitals(function["parameters"])}
        return f"declaration:{function['name']}{written(_broken(said, quote), quote)}"

    return told


def _capitals(schema: Any) -> Any:
    """Return a schema with the names of types in capitals, as Google's models are told them."""
    if isinstance(schema, list):
        return [_capitals(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    keys = [key for key in schema if key not in _LAST and key not in _LEFT_OUT]
    return {key: _keyword(key, schema[key]) for key in [*keys, *(key for key in _LAST if schema.get(key))]}


def _keyword(key: str, value: Any) -> Any:
    if key in ("enum", "const", "default", "required"):
        return value
    if key == "type":
        return [each.upper() for each in value] if isinstance(value, list) else value.upper()
    if key in ("properties", "$defs"):
        return {name: _capitals(each) for name, each in value.items()}
    return _capitals(value)


def _broken(value: Any, quote: str) -> Any:
    """Return a value in whose strings the mark for quotes is broken, so that they end nowhere else."""
    if isinstance(value, str):
        return value.replace(quote, f"{quote[0]} {quote[1:]}")
    if isinstance(value, list):
        return [_broken(each, quote) for each in value]
    if isinstance(value, dict):
        return {_broken(name, quote): _broken(each, quote) for name, each in value.items()}
    return value


def _response(quote: str, opens: str, closes: str) -> ResultText:
    return lambda name, content, call_id: (
        f"{opens}response:{name}{written({'value': _broken(content, quote)}, quote)}{closes}"
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
        each=_declaration('<|"|>'),
        between="<tool|><|tool>",
        after="<tool|>",
        result=_response('<|"|>', "<|tool_response>", "<tool_response|>"),
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
        each=_declaration("<escape>"),
        between="<end_function_declaration><start_function_declaration>",
        after="<end_function_declaration>",
        result=_response("<escape>", "<start_function_response>", "<end_function_response>"),
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

ROWS: Final = (GEMMA_4, FUNCTION_GEMMA)
