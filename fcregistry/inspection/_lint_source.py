"""The source of tools' functions: the line of what a finding is about, and the expressions of defaults.

Sources are parsed, never run. A place that cannot be found has the line of the function, and a function without a source has no line.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from fcregistry._base.source import underlying
from fcregistry._tools.tool import Tool
from fcregistry.errors import PluginError

if TYPE_CHECKING:
    from types import CodeType


class SourcePlace(NamedTuple):
    """The part of the source that a remark is about.

    It is the function, a parameter, a docstring line or a decorator's option.
    """

    kind: Literal["function", "parameter", "docstring", "option"] = "function"
    name: str = ""


Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Sources:
    """Source files, each parsed once."""

    def __init__(self) -> None:
        self._definitions: dict[str, dict[tuple[str, int], Definition]] = {}

    def locate(self, tool: Tool, place: SourcePlace) -> tuple[str | None, int | None]:
        """Return the file and the line of `place` in the function of `tool`; None for each that is not known."""
        try:
            code = _code_of(tool)
        except PluginError:  # of a described tool whose plugin is not imported
            return tool.origin.file, tool.origin.line
        if code is None:
            return None, None
        definition = self._definition(code)
        line = None if definition is None else _line(definition, place, code.co_filename)
        return code.co_filename, line or code.co_firstlineno

    def defaults(self, tool: Tool) -> dict[str, ast.expr]:
        """Return the expressions of the defaults of the function of `tool`, by parameter; empty without its source.

        Raises:
            PluginError: The tool is described, and its plugin may not be imported.
        """
        code = _code_of(tool)
        definition = None if code is None else self._definition(code)
        if definition is None:
            return {}
        held = definition.args
        positional = [*held.posonlyargs, *held.args]
        pairs = [
            *zip(positional[len(positional) - len(held.defaults) :], held.defaults, strict=True),
            *zip(held.kwonlyargs, held.kw_defaults, strict=True),
        ]
        return {argument.arg: default for argument, default in pairs if default is not None}

    def _definition(self, code: CodeType) -> Definition | None:
        """Return the definition of the function with `code`; None if its source is missing."""
        file = code.co_filename
        if file not in self._definitions:
            self._definitions[file] = _definitions(file)
        return self._definitions[file].get((code.co_name, code.co_firstlineno))


def _code_of(tool: Tool) -> CodeType | None:
    """Return the code of a tool's function, behind partials and `functools.wraps`; None without code.

    Raises:
        PluginError: The tool is described, and its plugin may not be imported.
    """
    source: Any = underlying(tool.function)
    with suppress(ValueError):  # it wraps itself
        source = inspect.unwrap(source)
    return getattr(source, "__code__", None)


def _definitions(file: str) -> dict[tuple[str, int], Definition]:
    """Return the functions and lambdas in a file by name and first line, decorators included.

    Empty if the file is missing or is not Python. Of several lambdas that begin in one line, the first counts.
    """
    linecache.checkcache(file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python has shown warnings about the code itself when it was compiled
            tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # not Python, or more than the parser takes
        return {}
    found: dict[tuple[str, int], Definition] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.name, min([node.lineno, *(each.lineno for each in node.decorator_list)])] = node
        elif isinstance(node, ast.Lambda):
            found.setdefault(("<lambda>", node.lineno), node)
    return found


def _line(definition: Definition, place: SourcePlace, file: str) -> int | None:
    """Return the line of `place` in a function, or else of its `def`.

    In a lambda, None except for a parameter.
    """
    if place.kind == "parameter":
        held = definition.args
        arguments = [*held.posonlyargs, *held.args, *held.kwonlyargs, held.vararg, held.kwarg]
        found = next((each.lineno for each in arguments if each is not None and each.arg == place.name), None)
        return found or definition.lineno
    if isinstance(definition, ast.Lambda):
        return None
    found = None
    if place.kind == "docstring":
        found = _docstring_line(definition, place.name, file)
    elif place.kind == "option":
        calls = (each for each in definition.decorator_list if isinstance(each, ast.Call))
        found = next((word.lineno for call in calls for word in call.keywords if word.arg == place.name), None)
    return found or definition.lineno


def _docstring_line(definition: ast.FunctionDef | ast.AsyncFunctionDef, text: str, file: str) -> int | None:
    """Return the line of the docstring that has `text`, preferably as an entry: `text:` or `text (type):`.

    Without such a line, the docstring's first; None without a docstring.
    """
    if ast.get_docstring(definition) is None:
        return None
    first = definition.body[0]
    lines = linecache.getlines(file)[first.lineno - 1 : first.end_lineno]
    entry = re.compile(rf"(?<![\w.]){re.escape(text)}\s*(\(.*\)\s*)?[:,]")
    found = [place for place, line in enumerate(lines) if entry.search(line)]
    found += [place for place, line in enumerate(lines) if text in line]
    return first.lineno + found[0] if found else first.lineno


# --- Defaults ---

_CHANGING = re.compile(
    r"(?:^|\.)(?:today|now|utcnow|time_ns|uuid[14]|token_(?:hex|bytes|urlsafe)|urandom|getpid|getenv|getcwd|cwd|home|expanduser|gethostname)$"
    r"|^time\.time$|^(?:random|secrets)\.\w+$|^(?:os\.)?environ\.get$"
)
"""The names of functions whose value differs with the time, the process or the machine."""


def changing_call(expression: ast.expr) -> str | None:
    """Return the first call in an expression whose value differs with the time, the process or the machine, such as `date.today()`.

    None if there is none among the usual functions. What a lambda contains is not called by the expression.
    """
    waiting: list[ast.AST] = [expression]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.Call) and _CHANGING.search(ast.unparse(node.func)):
            return ast.unparse(node)
        waiting += ast.iter_child_nodes(node)
    return None
