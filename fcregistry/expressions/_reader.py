"""How do the nodes of an expression become calls? Those that a call can have are read; every other is refused, and named."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.call import ToolCall
from fcregistry._base.messages import json_path
from fcregistry.expressions._encoding import Encoder, Unwritable
from fcregistry.expressions._graph import CallGraph, Reference
from fcregistry.expressions._placeholders import BROKEN, Broken, Result
from fcregistry.expressions._problems import MOST_PROBLEMS, Code, ExpressionError, ExpressionProblem
from fcregistry.expressions._tools import BindingProblem
from fcregistry.expressions._tree import construct, dotted
from fcregistry.expressions._values import ValueReader

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.expressions._scope import Scope
    from fcregistry.expressions._source import Source

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
