"""What an expression may name: the tools, their parameters and types, the context, and the allowed functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from fcregistry._tools.parameters import POSITIONAL, POSITIONAL_ONLY, STAR, STAR_STAR
from fcregistry._tools.selectors import did_you_mean, nearest
from fcregistry._tools.tool import Tool, Toolset
from fcregistry.expressions._names import TypeNames, identifier, other_names, tools_by_name
from fcregistry.expressions._nodes import ValueProblem
from fcregistry.types import ANY_CODEC

if TYPE_CHECKING:
    from typing import Self

    from fcregistry.types import Codec

Tools: TypeAlias = "Tool | Callable[..., Any] | Mapping[str, Tool] | Iterable[Tool | Callable[..., Any]]"

ExpressionContext = Mapping[str, Any]
AllowedFunctions = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressionScope:
    """Everything that an expression may name.

    Attributes:
        tools: The tools.
        context: Values and types by name.
        allow: Functions that may be called while the expression is read, by name.
    """

    tools: ToolNames
    context: ExpressionContext
    allow: AllowedFunctions

    @classmethod
    def of(cls, tools: Tools, context: ExpressionContext | None, allow: AllowedFunctions | None) -> Self:
        """Return the scope of what a caller passed.

        Raises:
            TypeError: An argument is of the wrong type.
        """
        passed: dict[str, object] = {"context": context, "allow": allow}
        for what, given in passed.items():
            if given is not None and not (isinstance(given, Mapping) and all(isinstance(each, str) for each in given)):
                raise TypeError(f"{what} is a dict from names, not {given!r:.80}")
        for name, function in (allow or {}).items():
            if not callable(function):
                raise TypeError(
                    f"allow[{name!r}] is a function or a class, not {function!r:.80}; values belong in context"
                )
        return cls(tools=ToolNames(tools_by_wire_name(tools)), context=context or {}, allow=allow or {})


def tools_by_wire_name(tools: Tools) -> Mapping[str, Tool]:
    """Return the tools that were passed, by wire name.

    Raises:
        TypeError: An item is neither a tool nor a function: a name, for example.
        DefinitionError: A function that cannot be a tool.
        DuplicateToolError: Two tools of one wire name.
    """
    if isinstance(tools, Mapping):
        return tools
    given: object = [tools] if isinstance(tools, Tool) or callable(tools) else tools
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(
            f"tools are Tools, functions or a toolset, not {tools!r}; registry.select(…) gives those of names"
        )
    return Toolset(map(_tool_of, given))


def _tool_of(given: object) -> Tool:
    if isinstance(given, Tool):
        return given
    if callable(given) and not isinstance(given, type):
        return Tool.from_function(given)
    raise TypeError(f"{given!r} is not a tool: pass a Tool or a function; registry.select(…) gives those of names")


# --- Tools and their parameters ---

_MOST_SUGGESTIONS: Final = 3
"""The number of unknown names in one text that get suggestions."""


class BoundArgument(NamedTuple):
    """One argument of a call, with the parameter that it belongs to.

    Attributes:
        name: The name of the parameter.
        codec: The codec of its type.
        value: The value that was written.
        at: The argument's position among all, from 0.
    """

    name: str
    codec: Codec
    value: Any
    at: int


class ToolNames:
    """The tools that an expression may call.

    Attributes:
        tools: The tools, by wire name.
    """

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self.tools = tools
        self._parameters: dict[str, ToolParameters] = {}
        self._unknown = 0

    @cached_property
    def called(self) -> Mapping[str, Tool]:
        """The tools, by the names shown to the model."""
        return tools_by_name(self.tools.values())

    @cached_property
    def _others(self) -> Mapping[str, Tool | None]:
        return other_names(self.tools.values())

    def find(self, name: str) -> Tool | None:
        """Return the tool that a name means.

        It may be its wire name, its spelling in Python, its group and name, or an alias.
        """
        return self.tools.get(name) or self.other(name)

    def other(self, name: str) -> Tool | None:
        """Return the tool that a name other than its wire name means. Looked up last, because that takes time."""
        return self.called.get(name) or self._others.get(name)

    def unknown(self, name: str, what: str = "tool") -> str:
        """Return the message about a name that no tool has."""
        shown = name if len(name) <= 64 else f"{name[:64]}…"
        self._unknown += 1
        if self._unknown > _MOST_SUGGESTIONS:  # comparing with thousands of names takes time
            return f"there is no {what} {shown!r}"
        known = sorted(self.called)
        if near := did_you_mean(nearest(shown, known)):
            return f"there is no {what} {shown!r}{near}"
        if not known:
            return f"there is no {what} {shown!r}; there are none"
        listed = ", ".join(known[:20]) + (f", … ({len(known)} tools)" if len(known) > 20 else "")
        return f"there is no {what} {shown!r}; the tools are {listed}"

    def parameters(self, tool: Tool) -> ToolParameters:
        """Return the parameters of a tool.

        Raises:
            PluginError: Its plugin does not load.
            DefinitionError: It cannot be defined.
        """
        known = self._parameters.get(tool.name)
        return known or self._parameters.setdefault(tool.name, ToolParameters(tool))


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
        self._others = next((each.codec for each in every if each.kind is STAR_STAR), ANY_CODEC)
        self._star = next((each.name for each in every if each.kind is STAR), None)
        self._positional = [each.name for each in every if each.kind in (POSITIONAL_ONLY, POSITIONAL)]
        if not self._codecs and every:  # a tool made from a schema alone: its properties are its parameters
            self._positional = list(tool.parameters.get("properties", ()))
        self.types: TypeNames = TypeNames(each.codec for each in every)

    def bind(self, args: list[Any], kwargs: Iterable[tuple[str, Any]]) -> list[BoundArgument]:
        """Return the arguments of a call with their parameters. An unknown name is left to validation.

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
        return [BoundArgument(name, self._codecs.get(name, self._others), value, at) for name, value, at in written]
