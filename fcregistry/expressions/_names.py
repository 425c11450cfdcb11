"""Everything that an expression may name: tools with their parameters and types, dates and times, the context, and allowed functions.

A tool's name need not be a name of Python's, so a tool may have several spellings.
"""

from __future__ import annotations

import enum
import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import cached_property
from itertools import islice
from typing import Any, Final, TypeAlias

from fcregistry._base.source import external_tool_problem, is_model
from fcregistry._tools.availability import available_list, available_near
from fcregistry._tools.parameters import STAR_STAR
from fcregistry._tools.selectors import did_you_mean
from fcregistry._tools.tool import Tool, Toolset
from fcregistry.errors import DefinitionError
from fcregistry.expressions._nodes import ValueProblem
from fcregistry.types import (
    ANY_CODEC,
    AliasCodec,
    ChoiceCodec,
    Codec,
    DecimalCodec,
    DictCodec,
    RecordCodec,
    TextCodec,
    walk_codecs,
)

# --- Names of types ---


class TypeNames:
    """The types that expressions of one tool may name.

    Args:
        codecs: The codecs of the tool's parameters.
    """

    def __init__(self, codecs: Iterable[Codec]) -> None:
        self._codecs = tuple(codecs)
        self._context_types: dict[str, Codec] = {}

    @cached_property
    def _all_codecs(self) -> list[Codec]:
        """The codecs of the parameters and all codecs inside them, in the order of `walk_codecs`."""
        return list(walk_codecs(self._codecs))

    def add(self, name: str, codec: Codec) -> None:
        """Add a type of the context under the name that it has there, which may differ from the type's own."""
        self._context_types[name] = codec

    def codec(self, name: str, expected: Codec | None = None) -> Codec | None:
        """Return the codec of the type that a name means, or None; the expected codec comes first.

        Args:
            name: The name.
            expected: The codec of the place of the instance.
        """
        nearest = [] if expected is None else walk_codecs([expected], same=True)
        found = next((each for each in (*nearest, *self._all_codecs) if names_type_of(each, name)), None)
        return self._context_types.get(name) if found is None else found

    def enum(self, name: str) -> type[enum.Enum] | None:
        """Return the Enum that a name means, or None."""
        if name in self._context_types:
            return _enum_of(self._context_types[name].core)
        return next((cls for each in self._all_codecs if (cls := _enum_of(each.core)) and is_name_of(cls, name)), None)

    def names(self) -> list[str]:
        """Return the names of the types that can be called, sorted."""
        records = {each.core.cls.__name__ for each in self._all_codecs if isinstance(each.core, RecordCodec)}
        return sorted(records)


def codecs_of_kind(codec: Codec, kind: type[Any]) -> Iterator[Any]:
    """Yield those codecs of the class `kind` that handle the same values as `codec`.

    These are the codec itself, or members of a union.
    """
    return (each.core for each in walk_codecs([codec], same=True) if isinstance(each.core, kind))


def entry_codecs(codec: Codec) -> tuple[DictCodec | None, Callable[[Any], Codec]]:
    """Return the dict codec that `codec` may mean, if any, and a function from a key to its value's codec."""
    mapping: DictCodec | None = next(codecs_of_kind(codec, DictCodec), None)
    fields = {each.key: each.codec for record in codecs_of_kind(codec, RecordCodec) for each in record.fields}
    other = ANY_CODEC if mapping is None else mapping.item
    return mapping, lambda key: fields.get(key, other)


def names_type_of(codec: Codec, name: str) -> bool:
    """Return whether `name` is that of a codec's type, and instances of the type can be written as a call."""
    core = codec.core
    if isinstance(core, DecimalCodec):
        return name in ("Decimal", "decimal.Decimal")
    if isinstance(core, AliasCodec):
        return name.rpartition(".")[2] == core.title
    cls = core.cls if isinstance(core, (RecordCodec, TextCodec)) else _enum_of(core)
    return cls is not None and is_name_of(cls, name)


def _enum_of(codec: Codec) -> type[enum.Enum] | None:
    """Return the Enum of which a codec accepts members, all or some; None for any other codec."""
    if isinstance(codec, ChoiceCodec):
        for value in codec.values:
            member = codec.decode(value)
            if isinstance(member, enum.Enum):
                return type(member)
    return None


def is_name_of(cls: type, name: str) -> bool:
    """Return whether `name` is that of a class.

    It may be its own name, or have the names of what contains the class in front, such as its module.
    """
    full = f"{cls.__module__}.{cls.__qualname__.replace('<locals>.', '')}"
    return f".{full}".endswith(f".{name}") and len(name) >= len(cls.__name__)


# --- Names of dates and times ---

TIME_TYPES: Final[tuple[type[Any], ...]] = (datetime, date, time, timedelta, timezone)
"""Types whose instances are made while an expression is read: that runs only Python's own code, and quickly."""

_TIME_NAMES: Final[dict[str, Any]] = {
    **{cls.__name__: cls for cls in TIME_TYPES},
    **{f"{cls.__name__}.fromisoformat": cls.fromisoformat for cls in (datetime, date, time)},
    "timezone.utc": UTC,
    "UTC": UTC,
}


def time_meaning(name: str) -> Any:
    """Return the type, function or constant of dates and times that a name means, or None.

    The name may have the module in front: `datetime.date.fromisoformat`.
    """
    return _TIME_NAMES.get(name) or _TIME_NAMES.get(name.removeprefix("datetime."))


# --- Names of tools ---

_NOT_IN_NAMES: Final = re.compile(r"\W")


def identifier(name: str) -> str:
    """Return a tool's name as Python can write it: with underscores for characters that names cannot have."""
    written = _NOT_IN_NAMES.sub("_", name)
    if keyword.iskeyword(written):
        return f"{written}_"
    return f"_{written}" if written[:1].isdigit() else written


def tools_by_name(tools: Iterable[Tool]) -> dict[str, Tool]:
    """Return tools by the names shown to the model. A name that another tool already has gets a number."""
    plain = {each.name: each for each in tools if identifier(each.name) == each.name}
    others: dict[str, Tool] = {}
    for each in tools:
        if plain.get(each.name) is not each:
            name = written = identifier(each.name)
            number = 1
            while written in plain or written in others:
                number += 1
                written = f"{name}_{number}"
            others[written] = each
    return plain | others


def other_names(tools: Iterable[Tool]) -> dict[str, list[list[Tool]]]:
    """Return tools by their other spellings: for each name, lists of tools, one for each kind of spelling, the strongest first."""
    known: dict[str, list[list[Tool]]] = {}
    for spell in _SPELLINGS:
        found: dict[str, list[Tool]] = {}
        for each in tools:
            for name in spell(each):
                same = found.setdefault(name, [])
                if not same or same[-1] is not each:
                    same.append(each)
        for name, same in found.items():
            known.setdefault(name, []).append(same)
    return known


def _only_tool(by_kind: Iterable[list[Tool]]) -> Tool | None:
    """Return the only tool of the strongest kind that has any, or None if it has several, or no kind has one."""
    same = next(filter(None, by_kind), [])
    return same[0] if len(same) == 1 else None


def name_spellings(tool: Tool) -> list[str]:
    """Return the names that may mean a tool."""
    return [tool.name, identifier(tool.name), *(name for spell in _SPELLINGS for name in spell(tool))]


def _python_format_names(tool: Tool) -> Iterable[str]:
    """Yield the name of a tool in the format `python`, or nothing if that is its name in expressions."""
    if identifier(tool.name) != tool.name or "_x" in tool.name:  # the format's escapes begin with _x
        from fcregistry.formats.python import NAMES  # some milliseconds, for few names

        yield NAMES.wire_name(tool.name)


def _group_names(tool: Tool) -> Iterable[str]:
    """Return a tuple of one name: that of a tool with its group in front, such as `math.add`."""
    return (".".join(map(identifier, (*tool.group.split("."), tool.declared_name))),)


def _alias_names(tool: Tool) -> Iterable[str]:
    """Return an iterator over the aliases of a tool, as Python can write them."""
    return map(identifier, tool.options.aliases)


_SPELLINGS: Final[tuple[Callable[[Tool], Iterable[str]], ...]] = (_python_format_names, _group_names, _alias_names)
"""The kinds of other names, the strongest first: an earlier kind beats a later one of another tool."""


# --- Everything that an expression may name ---

Tools: TypeAlias = "Tool | Callable[..., Any] | Mapping[str, Tool] | Iterable[Tool | Callable[..., Any]]"

ExpressionContext = Mapping[str, Any]
AllowedFunctions = Mapping[str, Callable[..., Any]]


class ExpressionScope:
    """Everything that an expression may name.

    Args:
        tools: The tools, as a caller passed them.
        context: Values and types by name, or None.
        allow: Functions that may be called while the expression is read, by name, or None.

    Attributes:
        tools: The tools, by wire name.
        context: Values and types by name.
        allow: Functions that may be called while the expression is read, by name.

    Raises:
        TypeError: An argument is of the wrong type.
    """

    def __init__(self, tools: Tools, context: ExpressionContext | None, allow: AllowedFunctions | None) -> None:
        passed: dict[str, object] = {"context": context, "allow": allow}
        for what, given in passed.items():
            if given is not None and not (isinstance(given, Mapping) and all(isinstance(each, str) for each in given)):
                raise TypeError(f"{what} is a dict from names, not {given!r:.80}")
        for name, function in (allow or {}).items():
            if not callable(function):
                raise TypeError(
                    f"allow[{name!r}] is a function or a class, not {function!r:.80}; values belong in context"
                )
        self.tools: Mapping[str, Tool] = tools_by_wire_name(tools)
        self.context: ExpressionContext = context or {}
        self.allow: AllowedFunctions = allow or {}
        self._parameters: dict[str, ToolParameters] = {}
        self._unknown_count = 0

    @cached_property
    def called(self) -> Mapping[str, Tool]:
        """The tools, by the names shown to the model."""
        return tools_by_name(self.tools.values())

    @cached_property
    def _other_names(self) -> Mapping[str, list[list[Tool]]]:
        """The tools by their other spellings, as `other_names` returns them."""
        return other_names(self.tools.values())

    def find(self, name: str) -> Tool | None:
        """Return the tool that a name means, or None.

        It may be its wire name, its spelling in Python, its group and name, or an alias.
        """
        return self.tools.get(name) or self.other(name)

    def other(self, name: str) -> Tool | None:
        """Return the tool that a name other than its wire name means, or None.

        It is looked up last, because that takes time. A spelling of several tools means the available one.
        """
        if name in self.called:
            return self.called[name]
        by_kind = self._other_names.get(name, [])
        if sum(map(len, by_kind)) > 1:
            available = [[each for each in same if not each.unavailable] for same in by_kind]
            by_kind = available if any(available) else by_kind
        return _only_tool(by_kind)

    def unknown_text(self, name: str, what: str = "tool") -> str:
        """Return the message about a name that no tool has; `what` is the kind of thing that was looked up."""
        shown = name if len(name) <= 64 else f"{name[:64]}…"
        self._unknown_count += 1
        if self._unknown_count > _MOST_SUGGESTIONS:  # comparing with thousands of names takes time
            return f"there is no {what} {shown!r}"
        if near := did_you_mean(tuple(islice(available_near(shown, self.called), 3))):
            return f"there is no {what} {shown!r}{near}"
        if listed := available_list(self.called):
            return f"there is no {what} {shown!r}; the tools are {listed}"
        return f"there is no {what} {shown!r}; there are none"

    def parameters(self, tool: Tool) -> ToolParameters:
        """Return the parameters of a tool.

        Raises:
            PluginError: Its plugin does not load.
            DefinitionError: It cannot be defined.
        """
        known = self._parameters.get(tool.name)
        return known or self._parameters.setdefault(tool.name, ToolParameters(tool))


def tools_by_wire_name(tools: Tools) -> Mapping[str, Tool]:
    """Return the tools that the caller passed, by wire name.

    Raises:
        TypeError: An item is neither a tool nor a function: a name, for example.
        DefinitionError: A function that cannot be a tool.
        DuplicateToolError: Two tools of one wire name.
    """
    if isinstance(tools, Mapping):
        return tools
    if problem := external_tool_problem(tools):
        raise DefinitionError(problem)
    given: object = [tools] if isinstance(tools, Tool) or callable(tools) else tools
    if isinstance(given, str) or not isinstance(given, Iterable) or is_model(given):
        raise TypeError(
            f"tools are Tools, functions or a toolset, not {tools!r}; registry.select(…) gives those of names"
        )
    return Toolset(map(_tool_of, given))


def _tool_of(given: object) -> Tool:
    """Return `given` if it is a `Tool`, or a new tool of the function `given`.

    Raises:
        TypeError: It is neither, such as a class or a name.
        DefinitionError: It is a function that cannot be a tool, or a tool of another library.
    """
    if isinstance(given, Tool):
        return given
    if problem := external_tool_problem(given):
        raise DefinitionError(problem)
    if callable(given) and not isinstance(given, type):
        return Tool.from_function(given)
    raise TypeError(f"{given!r} is not a tool: pass a Tool or a function; registry.select(…) gives those of names")


# --- Tools and their parameters ---

_MOST_SUGGESTIONS: Final = 3
"""The number of unknown names in one text that get suggestions."""


class ToolParameters:
    """The parameters of one tool.

    Args:
        tool: The tool.

    Attributes:
        types: The types that the tool's arguments may name.
    """

    def __init__(self, tool: Tool) -> None:
        every = tool.signature.parameters
        self._name = identifier(tool.name)
        self._codecs = {each.name: each.codec for each in every if each.kind is not STAR_STAR}
        self._other_codec = next((each.codec for each in every if each.kind is STAR_STAR), ANY_CODEC)
        self._positional, self._star = tool.signature.names_by_position(tool.parameters)
        self.types: TypeNames = TypeNames(each.codec for each in every)

    def bind(self, args: list[Any], kwargs: Iterable[tuple[str, Any]]) -> list[tuple[str, Codec, Any, int]]:
        """Return the arguments of a call, each with its parameter.

        Each argument is a tuple: the name and the codec of the parameter, the value, and the position in the call, from 0. An unknown name
        is left to validation.

        Raises:
            ValueProblem: There are too many, or one is given twice.
        """
        written = list(zip(self._positional, args, range(len(args)), strict=False))
        rest = args[len(self._positional) :]
        if rest and self._star is None:
            takes = f"takes {len(self._positional)} arguments by position, not {len(args)}"
            raise ValueProblem(f"{self._name} {takes}; they are {', '.join(self._positional) or 'none'}")
        if rest and self._star is not None:
            written.append((self._star, rest, len(self._positional)))
        taken = {name for name, _, _ in written}
        for at, (name, value) in enumerate(kwargs, len(args)):
            if name in taken:
                raise ValueProblem(f"{self._name} is given {name!r} twice")
            taken.add(name)
            written.append((name, value, at))
        return [(name, self._codecs.get(name, self._other_codec), value, at) for name, value, at in written]
