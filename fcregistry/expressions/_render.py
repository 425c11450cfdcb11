"""Writes calls as expressions, and the prompt that asks a model for such calls.

`parse_call` reads what `render` writes.
"""

from __future__ import annotations

import keyword
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time, timedelta
from enum import Enum
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from fcregistry import formats
from fcregistry._tools.parameters import POSITIONAL_ONLY, STAR
from fcregistry._tools.tool import Tool
from fcregistry.errors import DefinitionError
from fcregistry.expressions._encode import has_unexpected_bytes, item_codecs
from fcregistry.expressions._guard import parse_call_nodes
from fcregistry.expressions._names import (
    AllowedFunctions,
    ExpressionContext,
    ExpressionScope,
    ToolParameters,
    codecs_of_kind,
    entry_codecs,
    identifier,
    names_type_of,
)
from fcregistry.expressions._nodes import ExpressionError
from fcregistry.types import (
    ANY_CODEC,
    MISSING,
    DecimalCodec,
    DictCodec,
    RecordCodec,
    TextCodec,
    encode_as,
)

if TYPE_CHECKING:
    from fcregistry.expressions._names import Tools
    from fcregistry.types import Codec

# --- Writing a call ---

_TIMES: Final = (datetime, date, time, timedelta)


def render(function: Tool | Callable[..., Any], /, *args: Any, **kwargs: Any) -> str:
    """Return the expression of a call: `add_points(p1=Point(x=1, y=2), p2=Point(x=3, y=4))`.

    `parse_call` reads it as the call that `Tool.make_call` makes of the same arguments. Records are written as calls of their type, members of
    Enums by their name, other values as literals; arguments by keyword, if the function takes them so.

    Args:
        function: A Tool, or a function.
        *args: The arguments by position, Python values.
        **kwargs: The arguments by keyword.

    Raises:
        TypeError: The function does not take them, or one is not of its parameter's type.
    """
    tool = function if isinstance(function, Tool) else Tool.from_function(function)
    tool.make_call(*args, **kwargs)  # raises if the function does not take them
    kinds = {each.name: each.kind for each in tool.signature.parameters}
    bound = ToolParameters(tool).bind(list(args), kwargs.items())
    has_rest = any(kinds.get(name) is STAR for name, *_ in bound)
    written: list[str] = []
    for name, codec, value, at in bound:
        kind = kinds.get(name)
        if at < len(args) and kind is STAR:
            written += [_expression(each, item_codecs(codec)(0)) for each in value]
        elif at < len(args) and (has_rest or kind is POSITIONAL_ONLY):
            written.append(_expression(value, codec))
        else:
            written.append(_keyword_argument(name, value, codec))
    return f"{identifier(tool.name)}({', '.join(written)})"


def _keyword_argument(name: str, value: Any, codec: Codec) -> str:
    """Return an argument by keyword; as `**{'name': …}` if the name is a keyword or no identifier."""
    if name.isidentifier() and not keyword.iskeyword(name):
        return f"{name}={_expression(value, codec)}"
    return f"**{{{name!r}: {_expression(value, codec)}}}"


def _expression(value: Any, codec: Codec) -> str:
    """Return the Python expression for `value`, by the `codec` of its place.

    A set is sorted by the text of its items; an empty one is written as a list.

    Raises:
        EncodingError: It has no JSON form.
        TypeError: It contains a number that is not finite.
    """
    if value is None or type(value) in (bool, int, str):
        return repr(value)
    if type(value) is bytes:
        return repr(encode_as(value, codec) if has_unexpected_bytes(value, codec) else value)
    if isinstance(value, Enum):
        return _member(value, codec)
    record = _record_of(value, codec)
    if record is not None:
        return _record(value, record)
    if type(value) in _TIMES:
        return _time(value)
    if isinstance(value, Mapping):
        return _mapping(value, codec)
    if isinstance(value, (list, tuple, deque)):
        return _sequence(value, codec)
    if isinstance(value, (set, frozenset)):
        items = sorted(_expression(each, item_codecs(codec)(0)) for each in value)
        return f"{{{', '.join(items)}}}" if items else "[]"
    return _other_value(value, codec)


def _other_value(value: Any, codec: Codec) -> str:
    """Return a value of another type as its JSON, in a call of its type if the name of the type is known.

    Raises:
        EncodingError: It has no JSON form.
        TypeError: It contains a number that is not finite.
    """
    json = encode_as(value, codec)
    for kind in (TextCodec, DecimalCodec):
        for each in codecs_of_kind(codec, kind):
            name = "Decimal" if kind is DecimalCodec else each.cls.__name__
            if each.handles(value) and name.isidentifier() and names_type_of(each, name) and isinstance(json, str):
                return f"{name}({json!r})"
    return _literal(json)


def _literal(json: Any) -> str:
    """Return `json`, a JSON value, as a Python literal.

    Raises:
        TypeError: It has a number that is not finite.
    """
    if isinstance(json, dict):
        return f"{{{', '.join(f'{name!r}: {_literal(value)}' for name, value in json.items())}}}"
    if isinstance(json, list):
        return f"[{', '.join(map(_literal, json))}]"
    if isinstance(json, float) and not isfinite(json):
        raise TypeError(f"{json!r} cannot be written: JSON has no such number")
    return repr(json)


def _member(value: Enum, codec: Codec) -> str:
    """Return a member of an Enum as `Color.RED`.

    Return its JSON value as a literal if `codec` does not know the Enum by its name, or the member has no name of its own, as combined flags.
    """
    cls = type(value)
    known = any(names_type_of(each, cls.__name__) for each in codecs_of_kind(codec, object))
    if known and cls.__members__.get(value.name) is value:
        return f"{cls.__name__}.{value.name}"
    return _literal(encode_as(value, codec))


def _record_of(value: Any, codec: Codec) -> RecordCodec | None:
    """Return the codec of the record that `value` is, by the `codec` of its place, or None.

    It is None for a dict, and for a codec that encodes records in its own way. Of several codecs, that of the value's own class comes first.
    """
    of = [each for each in codecs_of_kind(codec, RecordCodec) if not issubclass(each.cls, dict) and each.handles(value)]
    of.sort(key=lambda each: each.cls is not type(value))
    return of[0] if of and type(of[0]).encode is RecordCodec.encode else None


def _record(value: Any, record: RecordCodec) -> str:
    """Return a record as a call of its type, with each field that has a value by keyword.

    Fields that are hidden or write-only are left out. If the type or a field has no name in Python, or the record has further values, it is
    written as a dict of its keys instead, with the constants of its fields and these further values.
    """
    shown = [each for each in record.fields if not (each.write_only or each.hidden)]
    constants = {each.key: _literal(each.constant) for each in shown if each.constant is not MISSING}
    items = [(each, record.get(value, each.attribute)) for each in shown if each.constant is MISSING]
    fields = [(each, _expression(item, each.codec)) for each, item in items if item is not MISSING]
    others = record.extra_items(value)
    names = (record.cls.__name__, *(each.name for each, _ in fields))
    if not others and all(name.isidentifier() and not keyword.iskeyword(name) for name in names):
        return f"{names[0]}({', '.join(f'{each.name}={written}' for each, written in fields)})"
    entries = constants | {each.key: written for each, written in fields}
    if record.extra_codec is not None:
        entries |= {key: _literal(record.extra_codec.encode(item)) for key, item in others.items()}
    return f"{{{', '.join(f'{key!r}: {written}' for key, written in entries.items())}}}"


def _time(value: Any) -> str:
    """Return a date, a time or a duration as a call that reads as the same value.

    With a time zone or a fold, it is a call of `fromisoformat`; else of the type.
    """
    if isinstance(value, timedelta) or (getattr(value, "tzinfo", None) is None and not getattr(value, "fold", 0)):
        return repr(value).removeprefix("datetime.")
    return f"{type(value).__name__}.fromisoformat({value.isoformat()!r})"


def _mapping(value: Mapping[Any, Any], codec: Codec) -> str:
    """Return a mapping as a dict, with each value by the codec of its key."""
    mapping, entry_codec = entry_codecs(codec)
    items = (f"{_key(key, mapping)}: {_expression(item, entry_codec(key))}" for key, item in value.items())
    return f"{{{', '.join(items)}}}"


def _key(key: Any, mapping: DictCodec | None) -> str:
    """Return the key of a dict as a literal; `mapping` is the dict's codec, or None if not known.

    Raises:
        EncodingError: It has no JSON form.
    """
    if mapping is not None and type(key) not in (str, int) and mapping.key.handles(key):
        return repr(mapping.key.encode(key))
    return _literal(encode_as(key, ANY_CODEC))


def _sequence(value: Any, codec: Codec) -> str:
    """Return a tuple as the text of a tuple, and any other sequence as that of a list."""
    item_at = item_codecs(codec)
    items = [_expression(item, item_at(place)) for place, item in enumerate(value)]
    if isinstance(value, tuple):
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    return f"[{', '.join(items)}]"


# --- The prompt ---

_TEMPLATE: Final = """\
You can call these tools:

{tools}

To call tools, answer with nothing but a list of Python calls, such as
{examples}
The arguments are literals, lists, dicts, and types with their fields; numbers may be computed, and texts joined with +.
A call may be an argument of another. Nothing else of Python is allowed: no variables of your own, attributes,
subscripts, comprehensions, conditions or f-strings.{names}
To answer without a tool, write your answer as plain text."""
"""The prompt, with places for the tools, the examples and the names."""


def prompt(
    tools: Tools,
    *,
    examples: Iterable[str] = (),
    context: ExpressionContext | None = None,
    allow: AllowedFunctions | None = None,
    format: str = "python",
) -> str:
    """Return a prompt that tells a model which tools there are, and how to call them by expressions.

    Args:
        tools: The tools that the model may call: Tools, functions or a toolset.
        examples: Expressions, such as `render` writes them; without any, one is made from the tools' names.
        context: Values and types that an expression may name; the prompt lists the names, and the types of the values.
        allow: Functions that an expression may call while it is read, by name; the prompt lists the names.
        format: The format of the tools' descriptions: the name of a text format.

    Raises:
        FormatNotFoundError: There is no format of that name.
        DefinitionError: The format cannot express a tool.
        ExpressionError: An example is not an expression.
        TypeError: The format is not a text format, or `tools`, `context` or `allow` is of the wrong type.
    """
    scope = ExpressionScope(tools, context, allow)
    called = scope.called
    described = formats.get(format).describe([_with_name(name, each) for name, each in called.items()])
    if not isinstance(described, str):
        raise TypeError(f"the format {format!r} does not write text; use python, typescript, text or yaml")
    given = list(examples)
    for example in given:
        try:
            parse_call_nodes(example)
        except ExpressionError as error:
            error.add_note(f"in the example {example!r:.100}")
            raise
    made = ", ".join(f"{name}(…)" for name in list(called)[:2])
    known = describe_names(scope.context, scope.allow)
    return _TEMPLATE.format(
        tools=described,
        examples="\n".join(given or [f"[{made}]"]),
        names=f"\n{known}" if known else "",
    )


def _with_name(name: str, tool: Tool) -> Tool:
    """Return a tool renamed to `name`, by which expressions call it, for its description.

    Return the tool itself if the name is the same, or not valid for a tool, such as too long.
    """
    if name == tool.name:
        return tool
    try:
        return tool.renamed(name)
    except DefinitionError:  # too long for a tool: the format then writes it in its own way, which is read too
        return tool


def describe_names(context: ExpressionContext, allow: AllowedFunctions) -> str:
    """Return the sentence about the names that an expression may use; empty if there are none."""
    known = [
        f"{name} ({'a type' if isinstance(value, type) else type(value).__name__})"
        for name, value in sorted(context.items())
    ]
    known += [f"{name}(…)" for name in sorted(allow)]
    return f"These names are known: {', '.join(known)}." if known else ""
