"""On which line of which file does something stand that lint speaks of?

The source is parsed, never run. What cannot be found is said of the function's first line, and a function without a source has no line.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from fcregistry._base.source import underlying
from fcregistry.errors import PluginError

if TYPE_CHECKING:
    from types import CodeType

    from fcregistry._tools.tool import Tool
    from fcregistry.inspection._lint._core import Place

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Sources:
    """Source files, each read once."""

    def __init__(self) -> None:
        self._definitions: dict[str, dict[tuple[str, int], Definition]] = {}

    def locate(self, tool: Tool, place: Place) -> tuple[str | None, int | None]:
        """Return file and line of a place in a tool's function."""
        try:
            code = _code_of(tool)
        except PluginError:  # of a described tool whose plugin is not imported
            return tool.origin.file, tool.origin.line
        if code is None:
            return None, None
        definition = self._in(code.co_filename).get((code.co_name, code.co_firstlineno))
        line = None if definition is None else _line(definition, place, code.co_filename)
        return code.co_filename, line or code.co_firstlineno

    def _in(self, file: str) -> dict[tuple[str, int], Definition]:
        if file not in self._definitions:
            self._definitions[file] = _definitions(file)
        return self._definitions[file]


def _code_of(tool: Tool) -> CodeType | None:
    """Return the code that the author wrote: behind partials and methods, and behind what `functools.wraps` put in front of it."""
    source: Any = underlying(tool.function)
    with suppress(ValueError):  # it wraps itself
        source = inspect.unwrap(source)
    return getattr(source, "__code__", None)


def _definitions(file: str) -> dict[tuple[str, int], Definition]:
    """Return the functions of a file, by name and the line that code objects call their first: that of the first decorator."""
    linecache.checkcache(file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the author was warned of the code itself when it was compiled
            tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # no Python, or more than the parser takes
        return {}
    found: dict[tuple[str, int], Definition] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.name, min([node.lineno, *(each.lineno for each in node.decorator_list)])] = node
        elif isinstance(node, ast.Lambda):
            found.setdefault(("<lambda>", node.lineno), node)
    return found


def _line(definition: Definition, place: Place, file: str) -> int | None:
    if place.kind == "parameter":
        return _parameter_line(definition, place.name) or definition.lineno
    if isinstance(definition, ast.Lambda):
        return None
    if place.kind == "docstring":
        return _docstring_line(definition, place.name, file) or definition.lineno
    if place.kind == "option":
        return _option_line(definition, place.name) or definition.lineno
    return definition.lineno


def _parameter_line(definition: Definition, name: str) -> int | None:
    arguments = definition.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return next((each.lineno for each in named if each is not None and each.arg == name), None)


def _option_line(definition: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> int | None:
    given = [word for call in definition.decorator_list if isinstance(call, ast.Call) for word in call.keywords]
    return next((each.lineno for each in given if each.arg == name), None)


def _docstring_line(definition: ast.FunctionDef | ast.AsyncFunctionDef, text: str, file: str) -> int | None:
    """Return the line of a docstring that holds a text; where a name has an entry of its own, that line."""
    first = definition.body[0]
    if not (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    ):
        return None
    lines = linecache.getlines(file)[first.lineno - 1 : first.end_lineno]
    entry = re.compile(rf"(?<![\w.]){re.escape(text)}\s*(\(.*\)\s*)?[:,]")
    found = [place for place, line in enumerate(lines) if entry.search(line)]
    found += [place for place, line in enumerate(lines) if text in line]
    return first.lineno + found[0] if found else first.lineno
