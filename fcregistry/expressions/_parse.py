"""How does the text of a model become calls? Read as Python writes calls; nothing is evaluated, and no tool runs.

MERGED: How do the nodes of an expression become calls? Those that a call can have are read; every other is refused, and named.
MERGED: What may an expression name, beside the types of its tools' parameters?
MERGED: Which tool does a model mean by a name in an expression, and which arguments by their places?
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from fcregistry._base.call import ToolCall
from fcregistry._base.messages import json_path
from fcregistry._tools.names import did_you_mean, nearest
from fcregistry._tools.parameters import POSITIONAL, POSITIONAL_ONLY, STAR, STAR_STAR
from fcregistry._tools.tool import Tool, Toolset
from fcregistry.expressions._encode import Encoder, Unwritable
from fcregistry.expressions._guard import calls_in, construct, dotted
from fcregistry.expressions._names import TypeNames, called, identifier, other_names
from fcregistry.expressions._nodes import (
    BROKEN,
    MOST_PROBLEMS,
    Broken,
    CallGraph,
    Code,
    ExpressionError,
    ExpressionProblem,
    Reference,
    Result,
)
from fcregistry.expressions._values import ValueReader
from fcregistry.types._scalars import ANY

if TYPE_CHECKING:
    from typing import Self

    from fcregistry.expressions._guard import Source
    from fcregistry.types import Codec

# --- expressions._parse ---

MOST_EXPRESSIONS = 100
"""How many calls may stand side by side in one text."""


def parse_call(
    text: str, *, tools: Tools, context: Context | None = None, allow: Allowed | None = None
) -> ToolCall | CallGraph:
    """Return the call of a text such as `add_points(p1=Point(x=1, y=2), p2=origin)`.

    The syntax is Python's. An argument is a literal, a list, tuple, set or dict, a number with arithmetic, texts joined by `+`, a name of the
    context, a type of the tool's parameters with its fields, the member of an Enum, a call of what is allowed, or a call of another tool.
    Everything else is refused. Each value is written as JSON by the type of its parameter; nothing of these types is made or run. The call is
    not validated: that is done when it is carried out.

    Args:
        text: The text; a code fence around it is left out.
        tools: The tools that it may call: Tools, functions or a toolset.
        context: What its names mean: values, which are only handed on, and types.
        allow: Functions and classes that it may call while it is read, by name, such as `{"np.array": numpy.array}`. They run in this process.

    Returns:
        A `ToolCall`; a `CallGraph` where calls of tools stand in its arguments.

    Raises:
        ExpressionError: It is no call of these tools; has everything that is wrong.
        PluginError: The plugin of a tool does not load.
        TypeError: The text is no text, or `tools`, `context` or `allow` cannot be.
    """
    calls = parse_calls(text, tools=tools, context=context, allow=allow)
    if len(calls) != 1:
        raise _several(len(calls))
    return calls[0]


def parse_calls(
    text: str, *, tools: Tools, context: Context | None = None, allow: Allowed | None = None
) -> list[ToolCall | CallGraph]:
    """Return the calls of a text: those of a list, `[f(a=1), g(b=2)]`, or one on each line. As `parse_call` otherwise; an empty list has none."""
    scope = Scope.of(tools, context, allow)
    nodes, source = calls_in(text)
    if len(nodes) > MOST_EXPRESSIONS:
        raise _refused(f"there are {len(nodes)} calls; {MOST_EXPRESSIONS} are allowed")
    problems: list[ExpressionProblem] = []
    calls: list[ToolCall | CallGraph] = []
    first = 1
    for node in nodes:
        found: list[ExpressionProblem] = []
        try:
            call = CallReader(scope, source, found, first).outermost(node)
        except ExpressionError as error:
            found = list(error.problems)
        except RecursionError:  # over a value of the context, which may hold itself; the text is flat
            line, column = source.place(node.lineno, node.col_offset)
            message = "a value that it names is nested too deeply"
            found.append(ExpressionProblem(code="invalid_arguments", message=message, line=line, column=column))
        else:
            calls += [] if call is None else [call]
            first += len(call.calls) if isinstance(call, CallGraph) else 0
        problems += found
    if problems:
        raise ExpressionError(problems)
    return calls


def _several(count: int) -> ExpressionError:
    return _refused(f"there are {count} calls; write one")


def _refused(message: str) -> ExpressionError:
    return ExpressionError([ExpressionProblem(code="malformed_call", message=message, line=1, column=1)])


# --- expressions._reader ---

MOST_CALLS: Final = 100
"""How many calls one expression may have."""

_LONGEST_MESSAGE: Final = 1_000
"""So many characters of a message are told: it may hold names of any length."""

_LITERALS: Final = (ast.List, ast.Tuple)


class CallReader:
    """Reads one expression: its outermost call, and those within it.

    Args:
        scope: What the expression may name.
        source: The text, for the places of problems.
        problems: Where problems are gathered.
        first: The number of its first call.
    """

    def __init__(self, scope: Scope, source: Source, problems: list[ExpressionProblem], first: int = 1) -> None:
        self.scope = scope
        self.problems = problems
        self.joined = 0
        self._source = source
        self._first = first
        self._calls: list[ToolCall] = []
        self._references: dict[str, tuple[Reference, ...]] = {}

    def outermost(self, node: ast.expr) -> ToolCall | CallGraph | None:
        """Return the call that a node is, with those that it needs; None where something is wrong with it."""
        if not isinstance(node, ast.Call):
            hint = "" if (name := dotted(node)) is None or self.scope.tools.find(name) is None else f"; write {name}(…)"
            self.refuse(node, f"{construct(node)} is no call of a tool{hint or '; write a call, f(a=1)'}")
            return None
        name = dotted(node.func)
        tool = None if name is None else self.scope.tools.find(name)
        if tool is None:
            if name is None:
                self.refuse(node.func, f"{construct(node.func)} cannot be called; call a tool by its name")
            elif (name.startswith("_") or "." in name) and self._is_walk(name):
                self.refuse(node.func, f"an attribute is not allowed: {name[:60]!r}; call a tool by its name")
            else:
                self.refuse(node.func, self.scope.tools.unknown(name), "unknown_tool")
            return None
        self.call(node, tool)
        if self.problems:
            return None
        if len(self._calls) == 1:
            return ToolCall(self._calls[0].name, self._calls[0].arguments)
        return CallGraph(calls=tuple(self._calls), references=self._references)

    def _is_walk(self, name: str) -> bool:
        """Tell whether a name with dots leads from something that is known into it."""
        first = name.partition(".")[0]
        return first != name and (first in self.scope.context or self.scope.tools.find(first) is not None)

    def call(self, node: ast.Call, tool: Tool) -> Result | Broken:
        """Read a call of a tool, and return what stands for its result.

        Raises:
            PluginError: The tool's plugin does not load.
            ExpressionError: There are too many calls, or too many problems.
        """
        parameters = self.scope.tools.parameters(tool)
        values = ValueReader(self, tool)
        places: list[ast.AST] = []
        args = self._positional(node, values, places)
        kwargs = self._named(node, values, places)
        if len(self._calls) >= MOST_CALLS:
            self.refuse(node, f"there are more than {MOST_CALLS} calls in one expression")
            raise ExpressionError(self.problems)
        try:
            written = parameters.bound(args, kwargs)
        except BindingProblem as problem:
            return self.refuse(node, str(problem), "invalid_arguments")
        if self.problems:
            return BROKEN
        encoder = Encoder(parameters.types)
        arguments: dict[str, Any] = {}
        for name, codec, value, at in written:
            try:
                arguments[name] = encoder.json(value, codec, (name,))
            except Unwritable as problem:
                self.refuse(problem.node or places[at], str(problem), "invalid_arguments", json_path(problem.path))
        return self._added(tool.name, arguments, tuple(encoder.references))

    def _added(self, name: str, arguments: dict[str, Any], references: tuple[Reference, ...]) -> Result:
        call = ToolCall(name, arguments, f"call-{self._first + len(self._calls)}")
        self._calls.append(call)
        if references:
            self._references[str(call.id)] = references
        return Result(str(call.id), name)

    def _positional(self, node: ast.Call, values: ValueReader, places: list[ast.AST]) -> list[Any]:
        args: list[Any] = []
        for each in node.args:
            if not isinstance(each, ast.Starred):
                args.append(values.value(each))
                places.append(each)
            elif isinstance(each.value, _LITERALS):
                args += [values.value(item) for item in each.value.elts]
                places += each.value.elts
            else:
                self.refuse(
                    each,
                    f"only a list that is written out can be unpacked, as in f(*[1, 2]), not {construct(each.value)}",
                )
        return args

    def _named(self, node: ast.Call, values: ValueReader, places: list[ast.AST]) -> list[tuple[str, Any]]:
        kwargs: list[tuple[str, Any]] = []
        for each in node.keywords:
            if each.arg is not None:
                kwargs.append((each.arg, values.value(each.value)))
                places.append(each.value)
            elif isinstance(each.value, ast.Dict):
                for key, value in zip(each.value.keys, each.value.values, strict=True):
                    if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
                        self.refuse(key or value, "the names of arguments are texts, as in f(**{'a': 1})")
                        continue
                    kwargs.append((key.value, values.value(value)))
                    places.append(value)
            else:
                self.refuse(
                    each.value,
                    f"only a dict that is written out can be unpacked, as in f(**{{'a': 1}}), not {construct(each.value)}",
                )
        return kwargs

    def refuse(self, node: ast.AST, message: str, code: Code = "malformed_call", path: str = "$") -> Broken:
        """Note what is wrong with a node, and return what stands for its value.

        Raises:
            ExpressionError: That is enough.
        """
        line, column = self._source.place(getattr(node, "lineno", 1), getattr(node, "col_offset", 0))
        if len(message) > _LONGEST_MESSAGE:
            message = f"{message[:_LONGEST_MESSAGE]}…"
        self.problems.append(ExpressionProblem(code=code, message=message, line=line, column=column, path=path))
        if len(self.problems) >= MOST_PROBLEMS:
            raise ExpressionError(self.problems)
        return BROKEN


# --- expressions._scope ---

Context = Mapping[str, Any]
Allowed = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What an expression may name.

    Attributes:
        tools: The tools.
        context: Values by name, and types.
        allow: Functions that may be called while the expression is read, by name.
    """

    tools: ToolNames
    context: Context
    allow: Allowed

    @classmethod
    def of(cls, tools: Tools, context: Context | None, allow: Allowed | None) -> Self:
        """Return what a caller gave.

        Raises:
            TypeError: Something of it cannot be.
        """
        for what, given in (("context", context), ("allow", allow)):
            if not (given is None or _is_by_name(given)):
                raise TypeError(f"{what} is a dict from names, not {given!r:.80}")
        for name, function in (allow or {}).items():
            if not callable(function):
                raise TypeError(
                    f"allow[{name!r}] is a function or a class, not {function!r:.80}; values stand in context"
                )
        return cls(tools=ToolNames(toolset_of(tools)), context=context or {}, allow=allow or {})


def _is_by_name(given: object) -> bool:
    return isinstance(given, Mapping) and all(isinstance(name, str) for name in given)


# --- expressions._tools ---

Tools: TypeAlias = "Tool | Callable[..., Any] | Mapping[str, Tool] | Iterable[Tool | Callable[..., Any]]"

_MOST_SUGGESTIONS: Final = 3
"""For so many unknown names of one text, those are told that may be meant."""


def toolset_of(tools: Tools) -> Mapping[str, Tool]:
    """Return the tools that were given, by wire name.

    Raises:
        TypeError: Something that is neither a tool nor a function, such as a name.
        DefinitionError: A function that cannot be a tool.
        DuplicateToolError: Two tools of one wire name.
    """
    if isinstance(tools, Mapping):
        return tools
    given = [tools] if isinstance(tools, Tool) or callable(tools) else tools
    if not _are_listed(given):
        raise TypeError(
            f"tools are Tools, functions or a toolset, not {tools!r}; registry.select(…) gives those of names"
        )
    return Toolset(_tool_of(each) for each in given)


def _are_listed(given: object) -> bool:
    return isinstance(given, Iterable) and not isinstance(given, str)


def _tool_of(given: object) -> Tool:
    if isinstance(given, Tool):
        return given
    if callable(given) and not isinstance(given, type):
        return Tool.from_function(given)
    raise TypeError(f"{given!r} is no tool: give a Tool or a function; registry.select(…) gives those of names")


class Written(NamedTuple):
    """One argument of a call, where it was found to belong.

    Attributes:
        name: The name of the parameter.
        codec: The codec of its type.
        value: What was written.
        at: Which of the arguments it was, from 0.
    """

    name: str
    codec: Codec
    value: Any
    at: int


class BindingProblem(ValueError):
    """Arguments that a tool does not take in these places; the message tells the model why."""


class ToolNames:
    """The tools that an expression may call.

    Attributes:
        tools: The tools, by wire name.
    """

    __slots__ = ("_called", "_others", "_parameters", "_unknown", "tools")

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self.tools = tools
        self._called: dict[str, Tool] | None = None
        self._others: dict[str, Tool | None] | None = None
        self._parameters: dict[str, Parameters] = {}
        self._unknown = 0

    @property
    def called(self) -> Mapping[str, Tool]:
        """The tools, by the names that a model is told."""
        if self._called is None:
            self._called = called(self.tools.values())
        return self._called

    def find(self, name: str) -> Tool | None:
        """Return the tool that a name means: its own, or as Python has to write that, with its group, or an alias."""
        return self.tools.get(name) or self.other(name)

    def other(self, name: str) -> Tool | None:
        """Return the tool that a name means which is not its own: looked for last, since that takes time."""
        if name in self.called:
            return self.called[name]
        if self._others is None:
            self._others = other_names(self.tools.values())
        return self._others.get(name)

    def unknown(self, name: str, what: str = "tool") -> str:
        """Return what is said of a name that no tool has."""
        shown = name if len(name) <= 64 else f"{name[:64]}…"
        self._unknown += 1
        if self._unknown > _MOST_SUGGESTIONS:  # looking for near ones among thousands takes time
            return f"there is no {what} {shown!r}"
        known = sorted(self.called)
        if near := did_you_mean(nearest(shown, known)):
            return f"there is no {what} {shown!r}{near}"
        if not known:
            return f"there is no {what} {shown!r}; there are none"
        listed = ", ".join(known[:20]) + (f", … ({len(known)} tools)" if len(known) > 20 else "")
        return f"there is no {what} {shown!r}; the tools are {listed}"

    def parameters(self, tool: Tool) -> Parameters:
        """Return the parameters of a tool.

        Raises:
            PluginError: Its plugin does not load.
            DefinitionError: It cannot be defined.
        """
        known = self._parameters.get(tool.name)
        return known or self._parameters.setdefault(tool.name, Parameters(tool))


class Parameters:
    """The parameters of one tool.

    Args:
        tool: The tool.

    Attributes:
        types: The types that arguments of it may name.
    """

    def __init__(self, tool: Tool) -> None:
        every = tool.signature.parameters
        self._name = identifier(tool.name)
        self._codecs = {each.name: each.codec for each in every if each.kind is not STAR_STAR}
        self._others = next((each.codec for each in every if each.kind is STAR_STAR), ANY)
        self._star = next((each.name for each in every if each.kind is STAR), None)
        self._positional = [each.name for each in every if each.kind in (POSITIONAL_ONLY, POSITIONAL)]
        if not self._codecs and every:  # a tool of a schema alone: its properties stand for parameters
            self._positional = list(tool.parameters.get("properties", ()))
        self.types = TypeNames(each.codec for each in every)

    def bound(self, args: list[Any], kwargs: Iterable[tuple[str, Any]]) -> list[Written]:
        """Return the arguments of a call by the names of their parameters. An unknown name is left for validation to judge.

        Raises:
            BindingProblem: There are too many, or one is given twice.
        """
        written = [
            self._written(name, value, at) for at, (name, value) in enumerate(zip(self._positional, args, strict=False))
        ]
        rest = args[len(self._positional) :]
        if rest and self._star is None:
            takes = f"takes {len(self._positional)} arguments by position, not {len(args)}"
            raise BindingProblem(f"{self._name} {takes}; they are {', '.join(self._positional) or 'none'}")
        if rest and self._star is not None:
            written.append(self._written(self._star, rest, len(self._positional)))
        taken = {each.name for each in written}
        for at, (name, value) in enumerate(kwargs, len(args)):
            if name in taken:
                raise BindingProblem(f"{self._name} is given {name!r} twice")
            taken.add(name)
            written.append(self._written(name, value, at))
        return written

    def _written(self, name: str, value: Any, at: int) -> Written:
        return Written(name, self._codecs.get(name, self._others), value, at)
