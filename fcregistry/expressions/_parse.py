"""Reads the calls in a model's text as Python writes calls. No tool runs, and nothing is evaluated but arithmetic and what the caller allows.

The nodes that a call can have are read; any other is refused, and the problem names it.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.call import ToolCall
from fcregistry._base.wording import json_path
from fcregistry.errors import exception_message
from fcregistry.expressions._encode import MOST_HASHED, Encoder, has_too_many_items, key_in_json, python_value
from fcregistry.expressions._guard import describe_node, dotted_name, parse_call_nodes
from fcregistry.expressions._names import (
    TIME_TYPES,
    AllowedFunctions,
    ExpressionContext,
    ExpressionScope,
    Tools,
    TypeNames,
    time_meaning,
)
from fcregistry.expressions._nodes import (
    MOST_PROBLEMS,
    REFUSED,
    CallGraph,
    CallResult,
    ExpressionError,
    ExpressionProblem,
    ProblemCode,
    Reference,
    RefusedValue,
    SetItems,
    TypeCall,
    ValueProblem,
    is_known,
    malformed,
)
from fcregistry.types import EncodingError, UnsupportedType, codec_of

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.expressions._guard import ExpressionSource

MOST_EXPRESSIONS: Final = 100
"""The most calls side by side in one text."""


def parse_call(
    text: str, *, tools: Tools, context: ExpressionContext | None = None, allow: AllowedFunctions | None = None
) -> ToolCall | CallGraph:
    """Return the call of a text such as `add_points(p1=Point(x=1, y=2), p2=origin)`.

    The syntax is Python's. An argument is a literal, a list, tuple, set or dict, a number with arithmetic, texts joined by `+`, a name of the
    context, a type of the tool's parameters with its fields, the member of an Enum, a call of what is allowed, or a call of another tool.
    Everything else is refused. Each value is encoded as JSON by the type of its parameter; no instance of these types is made, and none of
    their code runs. The call is not validated: that happens when it is executed.

    Args:
        text: The text; a code fence around it is ignored.
        tools: The tools that it may call: Tools, functions or a toolset.
        context: What the names in the text mean: values, which the text can only pass on, and types.
        allow: Functions and classes that it may call while it is read, by name, such as `{"np.array": numpy.array}`. They run in this process.

    Returns:
        A `ToolCall`; a `CallGraph` if its arguments contain calls of tools.

    Raises:
        ExpressionError: It is not a call of these tools; lists everything that is wrong.
        PluginError: The plugin of a tool does not load.
        TypeError: The text is not text, or `tools`, `context` or `allow` is of the wrong type.
    """
    calls = parse_calls(text, tools=tools, context=context, allow=allow)
    if len(calls) != 1:
        raise malformed(f"there are {len(calls)} calls; write one")
    return calls[0]


def parse_calls(
    text: str, *, tools: Tools, context: ExpressionContext | None = None, allow: AllowedFunctions | None = None
) -> list[ToolCall | CallGraph]:
    """Return the calls of a text: those of a list, `[f(a=1), g(b=2)]`, or one on each line.

    An empty list has none.

    Args:
        text: The text; a code fence around it is ignored.
        tools: The tools that it may call: Tools, functions or a toolset.
        context: What the names in the text mean: values, which the text can only pass on, and types.
        allow: Functions and classes that it may call while it is read, by name, such as `{"np.array": numpy.array}`. They run in this process.

    Raises:
        ExpressionError: It is not calls of these tools; lists everything that is wrong.
        PluginError: The plugin of a tool does not load.
        TypeError: The text is not text, or `tools`, `context` or `allow` is of the wrong type.
    """
    scope = ExpressionScope(tools, context, allow)
    nodes, source = parse_call_nodes(text)
    if len(nodes) > MOST_EXPRESSIONS:
        raise malformed(f"there are {len(nodes)} calls; {MOST_EXPRESSIONS} are allowed")
    problems: list[ExpressionProblem] = []
    calls: list[ToolCall | CallGraph] = []
    first = 1
    for node in nodes:
        reader = CallReader(scope, source, first)
        try:
            call = reader.read_outermost(node)
            calls += [] if call is None else [call]
            first += len(call.calls) if isinstance(call, CallGraph) else 0
        except ExpressionError:
            pass  # there are too many problems to read on
        except RecursionError:  # over a value of the context, which may hold itself; the text is flat
            line, column = source.place(node.lineno, node.col_offset)
            message = "a value that it names is nested too deeply"
            problems.append(ExpressionProblem(code="invalid_arguments", message=message, line=line, column=column))
        problems += reader.problems
    if problems:
        raise ExpressionError(problems)
    return calls


# --- Calls and values ---

MOST_CALLS: Final = 100
"""The most calls in one expression."""

_LONGEST_MESSAGE: Final = 1_000
"""The most characters of a message, which may quote names of any length."""

_MOST_JOINED: Final = 1_000_000
"""The most characters that all joins of one expression may make."""

_OTHER_CONSTANTS: Final = {"true": "True", "false": "False", "null": "None", "none": "None", "undefined": "None"}


class CallReader:
    """Reads one expression: its outermost call, and the calls and values in its arguments.

    Args:
        scope: The names that the expression may use.
        source: The text, for the places of problems.
        first: The number of its first call.

    Attributes:
        problems: Everything that is wrong with it.
    """

    def __init__(self, scope: ExpressionScope, source: ExpressionSource, first: int) -> None:
        self.problems: list[ExpressionProblem] = []
        self._scope = scope
        self._source = source
        self._first = first
        self._calls: list[ToolCall] = []
        self._references: dict[str, tuple[Reference, ...]] = {}
        self._types = TypeNames(())  # those that the arguments being read may name
        self._joined = 0

    def read_outermost(self, node: ast.expr) -> ToolCall | CallGraph | None:
        """Return the call that a node is, with the calls that it needs; None if something is wrong with it."""
        name = dotted_name(node.func if isinstance(node, ast.Call) else node)
        tool = None if name is None else self._scope.find(name)
        if not isinstance(node, ast.Call):
            hint = "a call, f(a=1)" if tool is None else f"{name}(…)"
            self._refuse(node, f"{describe_node(node)} is not a call of a tool; write {hint}")
        elif tool is not None:
            self._read_tool_call(node, tool)
        elif name is None:
            self._refuse(node.func, f"{describe_node(node.func)} cannot be called; call a tool by its name")
        elif "." in name and ((first := name.partition(".")[0]) in self._scope.context or self._scope.find(first)):
            self._refuse(node.func, f"an attribute is not allowed: {name[:60]!r}; call a tool by its name")
        else:
            self._refuse(node.func, self._scope.unknown_text(name), "unknown_tool")
        if self.problems:
            return None
        if len(self._calls) == 1:
            return ToolCall(self._calls[0].name, self._calls[0].arguments)
        return CallGraph(calls=tuple(self._calls), references=self._references)

    def _read_tool_call(self, node: ast.Call, tool: Tool) -> CallResult | RefusedValue:
        """Read a call of a tool, add it to the calls, and return a `CallResult`, a placeholder for its result.

        Return `REFUSED`, and add no call, if there are problems already, or the arguments do not fit the parameters, which is a problem. An
        argument that has no JSON form becomes a problem, and is left out of the call.

        Raises:
            PluginError: The tool's plugin does not load.
            DefinitionError: The tool cannot be defined.
            ExpressionError: There are too many calls, or too many problems.
        """
        parameters = self._scope.parameters(tool)
        outer, self._types = self._types, parameters.types
        args, kwargs, places = self._read_arguments(node)
        self._types = outer
        if len(self._calls) >= MOST_CALLS:
            self._refuse(node, f"there are more than {MOST_CALLS} calls in one expression")
            raise ExpressionError(self.problems)
        try:
            written = parameters.bind(args, kwargs)
        except ValueProblem as problem:
            return self._refuse(node, str(problem), "invalid_arguments")
        if self.problems:
            return REFUSED
        encoder = Encoder(parameters.types)
        arguments: dict[str, Any] = {}
        for name, codec, value, at in written:
            try:
                arguments[name] = encoder.json(value, codec, (name,))
            except ValueProblem as problem:
                self._refuse(problem.node or places[at], str(problem), "invalid_arguments", json_path(problem.path))
        call_id = f"call-{self._first + len(self._calls)}"
        self._calls.append(ToolCall(tool.name, arguments, call_id))
        if encoder.references:
            self._references[call_id] = tuple(encoder.references)
        return CallResult(call_id, tool.name)

    def _read_arguments(self, node: ast.Call) -> tuple[list[Any], list[tuple[str, Any]], list[ast.expr]]:
        """Return the arguments of a call: the values by position, pairs of name and value, and all nodes.

        The nodes are in the order of the two lists. A list after `*` or a dict after `**` that is written out is unpacked; any other becomes a
        problem, and is left out.

        Raises:
            ExpressionError: There are too many problems.
        """
        places: list[ast.expr] = []
        for each in node.args:
            if not isinstance(each, ast.Starred):
                places.append(each)
            elif isinstance(each.value, (ast.List, ast.Tuple)):
                places += each.value.elts
            else:
                what = describe_node(each.value)
                self._refuse(each, f"only a list that is written out can be unpacked, as in f(*[1, 2]), not {what}")
        args = [self._read_value(each) for each in places]
        kwargs: list[tuple[str, Any]] = []
        for name, value in self._named_nodes(node):
            kwargs.append((name, self._read_value(value)))
            places.append(value)
        return args, kwargs, places

    def _named_nodes(self, node: ast.Call) -> Iterator[tuple[str, ast.expr]]:
        """Yield the name and the node of each argument by keyword, also of those in a dict after `**`.

        A dict that is not written out, or a key that is not text, becomes a problem, and is skipped.
        """
        for each in node.keywords:
            if each.arg is not None:
                yield each.arg, each.value
            elif isinstance(each.value, ast.Dict):
                for key, value in zip(each.value.keys, each.value.values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        yield key.value, value
                    else:
                        self._refuse(key or value, "the names of arguments are texts, as in f(**{'a': 1})")
            else:
                what = describe_node(each.value)
                message = f"only a dict that is written out can be unpacked, as in f(**{{'a': 1}}), not {what}"
                self._refuse(each.value, message)

    def _refuse(
        self, node: ast.AST, message: str, code: ProblemCode = "malformed_call", path: str = "$"
    ) -> RefusedValue:
        """Add a problem with a node, and return `REFUSED`, the placeholder for its value.

        Raises:
            ExpressionError: There are too many problems.
        """
        line, column = self._source.place(getattr(node, "lineno", 1), getattr(node, "col_offset", 0))
        if len(message) > _LONGEST_MESSAGE:
            message = f"{message[:_LONGEST_MESSAGE]}…"
        self.problems.append(ExpressionProblem(code=code, message=message, line=line, column=column, path=path))
        if len(self.problems) >= MOST_PROBLEMS:
            raise ExpressionError(self.problems)
        return REFUSED

    def _read_value(self, node: ast.expr) -> Any:
        """Return the value of a node; `REFUSED` if something is wrong with it, which is in `problems` then.

        The value may contain placeholders, such as a `CallResult`, or `REFUSED` for a wrong item. The kinds of nodes below are all that an
        argument may be made of.

        Raises:
            ExpressionError: There are too many problems.
        """
        match node:
            case ast.Constant(value=value):
                return self._refuse(node, "`...` is not a value; write the whole") if value is Ellipsis else value
            case ast.List(elts=items):
                return [self._read_value(each) for each in items]
            case ast.Tuple(elts=items):
                return tuple([self._read_value(each) for each in items])
            case ast.Set(elts=items):
                return self._read_set(node, items)
            case ast.Dict():
                return self._read_dict(node)
            case ast.UnaryOp(op=sign, operand=operand):
                return self._compute(node, lambda value: apply_sign(sign, value), operand)
            case ast.BinOp(left=left, op=operation, right=right):
                return self._compute(node, lambda one, other: apply_operator(operation, one, other), left, right)
            case ast.Name() | ast.Attribute():
                return self._read_name(node)
            case ast.Call():
                return self._read_call(node)
        return self._refuse(node, f"{describe_node(node)} is not allowed")

    def _read_set(self, node: ast.Set, items: list[ast.expr]) -> Any:
        """Return the set of a node with the nodes `items`; `REFUSED` if it is too large.

        It is a `SetItems` if Python cannot make the set, since an item cannot be hashed or is not known yet.
        """
        if has_too_many_items(items):
            return self._refuse(node, f"a set of more than {MOST_HASHED} items is too large; write a list")
        values = [self._read_value(each) for each in items]
        try:
            return set(values) if all(map(is_known, values)) else SetItems(values)
        except TypeError:  # lists, say, which a Python set cannot hold
            return SetItems(values)

    def _read_dict(self, node: ast.Dict) -> Any:
        """Return the dict of a node; `REFUSED` if it has too many items and keys that are not texts.

        Entries that are unpacked, or whose key cannot be hashed, become problems, and are left out. Of equal keys, the last value stays, with a
        problem; keys that are the same only in JSON, such as 1 and "1", all stay, with a problem.
        """
        if has_too_many_items(node.keys):
            return self._refuse(
                node, f"a dict of more than {MOST_HASHED} items is too large, unless its keys are texts"
            )
        written: dict[Any, Any] = {}
        texts: set[str] = set()  # in JSON, keys are texts, so 1 and "1" are the same
        for key_node, value_node in zip(node.keys, node.values, strict=True):
            if key_node is None:
                self._refuse(value_node, "unpacking is not allowed in a dict; write its items out")
                continue
            key, value = self._read_value(key_node), self._read_value(value_node)
            try:
                is_new = key not in written
                written[key] = value
            except TypeError:
                what = describe_node(key_node)
                self._refuse(key_node, f"{what} cannot be the key of a dict; write a text or a number")
                continue
            try:
                text = key_in_json(key) if is_known(key) else None
            except EncodingError:
                text = None  # reported with the argument
            if not is_new or text in texts:
                self._refuse(key_node, "the key occurs twice in one dict")
            if text is not None:
                texts.add(text)
        return written

    def _compute(self, node: ast.expr, compute: Callable[..., Any], *operands: ast.expr) -> Any:
        """Return `compute` of the values of `operands`, or `REFUSED`, with a problem, if it fails.

        It fails if an operand is not known yet or was refused, `compute` raises `ValueProblem`, or too much text is joined.
        """
        values = [self._read_value(each) for each in operands]
        for operand, value in zip(operands, values, strict=True):
            if isinstance(value, CallResult):
                message = f"the result of {value.name} is not known yet, so nothing can be computed with it; pass it to a tool"
                self._refuse(operand, message)
        if any(isinstance(each, (CallResult, RefusedValue)) for each in values):
            return REFUSED
        try:
            value = compute(*values)
        except ValueProblem as problem:
            return self._refuse(node, str(problem))
        if isinstance(value, str):
            self._joined += len(value)
            if self._joined > _MOST_JOINED:
                return self._refuse(node, f"all joined texts are too long together: at most {_MOST_JOINED} characters")
        return value

    # --- Names: nothing is ever looked up in what a name means ---

    def _read_name(self, node: ast.expr) -> Any:
        """Return the value of a name: of the context, of dates and times, or the member of an Enum.

        Return `REFUSED`, with a problem, if the name has no value, or is a type or a tool.
        """
        name = dotted_name(node)
        if name is None:
            return self._refuse(node, "an attribute is not allowed, except for the member of an Enum: Color.RED")
        if name in self._scope.context:
            value = self._scope.context[name]
            return self._refuse(node, f"{name} is a type; write {name}(…)") if isinstance(value, type) else value
        known = time_meaning(name)
        if known is not None and not callable(known):
            return known
        if "." in name:
            return self._read_member(node, name)
        return self._refuse(node, self._unknown_name_text(name), "invalid_arguments")

    def _read_member(self, node: ast.expr, name: str) -> Any:
        """Return the member of an Enum that `name` means, such as `Color.RED`.

        Return `REFUSED`, with a problem, if there is no such Enum or member.
        """
        enum, _, member = name.rpartition(".")
        self._add_context_type(enum)
        cls = self._types.enum(enum)
        if cls is None:
            return self._refuse(node, f"an attribute is not allowed: {name[:60]!r}")
        if member not in cls.__members__:
            known = ", ".join(list(cls.__members__)[:20])
            return self._refuse(node, f"{enum} has no member {member[:60]!r}; it has {known}", "invalid_arguments")
        return cls.__members__[member]

    def _unknown_name_text(self, name: str) -> str:
        """Return the message about a name that has no value, with what to write instead."""
        if self._scope.find(name) is not None:
            return f"{name} is a tool; call it, {name}(…)"
        if name in _OTHER_CONSTANTS:
            return f"{name!r} is not a value in Python; write {_OTHER_CONSTANTS[name]}"
        names = ", ".join(sorted(self._scope.context)[:20])
        known = f"the names are {names}" if names else "there are none"
        return f"there is no name {name[:60]!r}; {known}. Write a text in quotes"

    def _read_call(self, node: ast.Call) -> Any:
        """Return the value of a call in an argument.

        It is a `CallResult`, a placeholder for the result of a tool; a `TypeCall`; the value that an allowed function, an Enum or a type of
        dates and times makes at once; or `REFUSED`, with a problem.
        """
        name = dotted_name(node.func)
        if name is None:
            what = describe_node(node.func)
            return self._refuse(node.func, f"{what} cannot be called; call a tool or a type by its name")
        tool = self._scope.tools.get(name)
        if tool is not None:
            return self._read_tool_call(node, tool)
        self._add_context_type(name)
        make = self._scope.allow.get(name) or self._time_function(name) or self._types.enum(name)
        if make is None and self._types.codec(name) is None:
            tool = self._scope.other(name)
            return self._refuse_call(node, name) if tool is None else self._read_tool_call(node, tool)
        args, pairs, _ = self._read_arguments(node)
        kwargs = dict(pairs)
        if len(kwargs) < len(pairs):
            return self._refuse(node, f"{name} is given one argument twice")
        return (
            TypeCall(name, tuple(args), kwargs, node)
            if make is None
            else self._call_now(node, name, make, args, kwargs)
        )

    def _time_function(self, name: str) -> Callable[..., Any] | None:
        """Return the function or type that makes a date or time, if `name` means one, or None.

        A name of the context means one only if its value is a type in `TIME_TYPES`.
        """
        if name in self._scope.context:
            known = self._scope.context[name]
            return known if any(known is each for each in TIME_TYPES) else None
        known = time_meaning(name)
        return known if callable(known) else None

    def _refuse_call(self, node: ast.Call, name: str) -> RefusedValue:
        """Add the problem with a call of a name that cannot be called, and return `REFUSED`."""
        if name in self._scope.context:
            return self._refuse(node.func, f"{name} cannot be called: it is a value")
        if "." in name:
            return self._refuse(node.func, f"an attribute is not allowed: {name[:60]!r}")
        types = self._types.names()
        known = f"; the types are {', '.join(types[:20])}" if types else ""
        return self._refuse(node.func, self._scope.unknown_text(name, "tool or type") + known, "unknown_tool")

    def _add_context_type(self, name: str) -> None:
        """Let expressions name a type of the context by its name there.

        Do nothing if the name is not that of a type in the context, or the type has no codec.
        """
        cls = self._scope.context.get(name)
        if isinstance(cls, type):
            with suppress(UnsupportedType):  # then it cannot be written, only be called, by `allow`
                self._types.add(name, codec_of(cls))

    def _call_now(
        self, node: ast.Call, name: str, function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]
    ) -> Any:
        """Call `function`, which is allowed or makes a date, a time or an Enum, and return its result.

        Return `REFUSED`, without calling it, if there are problems already; or, with a problem, if an argument is not known yet, or the function
        raises.
        """
        if self.problems:
            return REFUSED
        try:
            given = [python_value(each, self._types) for each in args]
            named = {each: python_value(value, self._types) for each, value in kwargs.items()}
        except ValueProblem as problem:
            return self._refuse(problem.node or node, str(problem), "invalid_arguments")
        try:
            return function(*given, **named)
        except Exception as error:  # noqa: BLE001  # external code: what the application allows may raise anything
            reason = f": {exception_message(error)[:200]}" if exception_message(error) else ""
            message = f"{name} cannot make a value of this: {type(error).__name__}{reason}"
            return self._refuse(node, message, "invalid_arguments")


# --- Arithmetic ---

MOST_BITS: Final = 4096
"""The largest size of a whole number."""

MOST_TEXT: Final = 100_000
"""The most characters of joined texts."""

_OPERATORS: Final[dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow),
    ast.LShift: ("<<", operator.lshift),
    ast.RShift: (">>", operator.rshift),
    ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_),
    ast.BitXor: ("^", operator.xor),
}
_SIGNS: Final[dict[type[ast.unaryop], Callable[[Any], Any]]] = {ast.USub: operator.neg, ast.UAdd: operator.pos}


def apply_sign(sign: ast.unaryop, value: object) -> Any:
    """Return `value`, a number, with the sign.

    Raises:
        ValueProblem: It is not a number, or the operator is another one.
    """
    apply = _SIGNS.get(type(sign))
    if apply is None or not _is_number(value):
        raise ValueProblem("only + and - are allowed before a value, and only before a number")
    return apply(value)


def apply_operator(operation: ast.operator, left: Any, right: Any) -> Any:
    """Return the result of an operator on two values.

    Raises:
        ValueProblem: They are not two numbers, or two texts to join; or the result is too large, or there is none.
    """
    sign, compute = _OPERATORS.get(type(operation), ("@", operator.matmul))
    if sign == "+" and type(left) is type(right) is str:
        if len(left) + len(right) > MOST_TEXT:
            raise ValueProblem(f"the joined text is too long: at most {MOST_TEXT} characters")
        return left + right
    if not (_is_number(left) and _is_number(right)) or sign == "@":
        raise ValueProblem(
            f"{sign} is allowed between two numbers"
            + (", and + between two texts" if sign == "+" else "")
            + f", not between {_describe_operand(left)} and {_describe_operand(right)}"
        )
    if type(left) is type(right) is int and _most_bits(sign, left, right) > MOST_BITS:
        raise ValueProblem(f"the result of {sign} is too large: at most {MOST_BITS} bits")
    try:
        return compute(left, right)
    except ZeroDivisionError:
        raise ValueProblem("this divides by zero") from None
    except OverflowError:
        raise ValueProblem(f"the result of {sign} is too large") from None
    except (TypeError, ValueError) as error:  # a shift of floats, or by a negative number
        raise ValueProblem(f"{sign} cannot be computed here: {error}") from None


def _most_bits(sign: str, left: int, right: int) -> int:
    """Return an upper bound of the bits that the result of the operator `sign` on two whole numbers has."""
    if sign == "**":
        return (abs(left) - 1).bit_length() * right + 1 if right > 0 and abs(left) > 1 else 1
    if sign == "<<":
        return left.bit_length() + max(right, 0) if left else 0
    return left.bit_length() + right.bit_length() if sign == "*" else max(left.bit_length(), right.bit_length())


def _is_number(value: object) -> bool:
    """Return whether a value is an int, a float or a complex number; a boolean is not."""
    return type(value) in (int, float, complex)


def _describe_operand(value: object) -> str:
    """Return words for an operand in a message: `a text`, `a number`, or `a` with the name of its type."""
    if isinstance(value, str):
        return "a text"
    return "a number" if _is_number(value) else f"a {type(value).__name__}"
