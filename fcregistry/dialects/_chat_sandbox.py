"""The sandbox of chat templates: Jinja as Hugging Face Transformers sets it up, with a budget for time and memory.

A template cannot reach beyond its conversation, and always ends. Templates may come from strangers: the work of one, and what it makes, is charged to
a budget that grows with the conversation. A unit is a third of a microsecond of work, or eight characters. Operations that make much of
little, such as repeating, replacing, padding and indenting, are charged before they run.

Source: Hugging Face Transformers, "Chat templates", "Template writing"; Jinja, "Sandbox".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from datetime import datetime
from types import BuiltinMethodType, MethodType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from jinja2 import StrictUndefined, nodes, pass_context
from jinja2.exceptions import SecurityError, TemplateError
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from fcregistry.errors import ChatTemplateError

if TYPE_CHECKING:
    from jinja2.runtime import Context

# --- The sandbox ---

T = TypeVar("T")

_FILTERS: Final = (
    *("abs", "batch", "capitalize", "center", "count", "d", "default", "dictsort", "e", "escape", "first", "float"),
    *("format", "groupby", "indent", "int", "items", "join", "last", "length", "list", "lower", "map", "max", "min"),
    *("reject", "rejectattr", "replace", "reverse", "round", "safe", "select", "selectattr", "slice", "sort", "string"),
    *("sum", "title", "trim", "truncate", "unique", "upper", "wordcount"),
)
"""Jinja's own filters that templates may use; the others write HTML, or reach further."""

_TEXT_METHODS: Final = frozenset(
    (
        *("capitalize", "casefold", "center", "count", "endswith", "find", "format", "index", "isalnum", "isalpha"),
        *("isascii", "isdecimal", "isdigit", "islower", "isnumeric", "isspace", "istitle", "isupper", "join", "ljust"),
        *("lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rfind", "rindex", "rjust"),
        *("rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title", "upper"),
        "zfill",
    )
)

_MOST_NODES: Final = 30_000
"""The most parts of a template, such as a name, a call or a loop: SmolLM2's has 38 in 368 characters."""

_METHODS: Final = (
    (str, _TEXT_METHODS),
    (dict, frozenset({"get", "items", "keys", "values", "copy"})),
    ((list, tuple), frozenset({"index", "count", "copy"})),
)
"""The methods of values that templates may call."""


class Generation(Extension):
    """The block `{% generation %}`, by which templates mark the text of the model; its content is shown."""

    tags = {"generation"}  # noqa: RUF012  # as Jinja declares it

    def parse(self, parser: Parser) -> nodes.Node:
        """Return the content of the block."""
        line = next(parser.stream).lineno
        return nodes.Scope(parser.parse_statements(("name:endgeneration",), drop_needle=True), lineno=line)


class _BoundedParser(Parser):
    """Jinja's parser with a limit on how often it calls itself for something inside something else."""

    _depth = 0

    def parse_statement(self) -> nodes.Node | list[nodes.Node]:
        return self._within(super().parse_statement)

    def parse_condexpr(self) -> nodes.Expr:
        return self._within(super().parse_condexpr)

    def parse_not(self) -> nodes.Expr:
        return self._within(super().parse_not)

    def parse_unary(self, with_filter: bool = True) -> nodes.Expr:
        return self._within(lambda: super(_BoundedParser, self).parse_unary(with_filter))

    def _within(self, parse: Callable[[], T]) -> T:
        """Return the result of `parse`, called without arguments.

        Raises:
            RecursionError: Calls of this method are nested too deeply.
        """
        if self._depth >= _DEEPEST:
            raise RecursionError
        self._depth += 1
        try:
            return parse()
        finally:
            self._depth -= 1


class TemplateNamespace(Namespace):
    """An object of `namespace()`; its text leaves out the content, which may be itself."""

    def __repr__(self) -> str:
        return "<Namespace>"


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja as chat templates know it, with a meter on everything that can grow or continue."""

    intercepted_binops = frozenset({"+", "*", "**", "%", "//"})

    def __init__(self, *, strict: bool = False) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=[Generation, "jinja2.ext.loopcontrols"],
            finalize=_charge_shown,
        )
        if strict:  # a variable that is not given raises; models' templates expect that it is empty
            self.undefined = StrictUndefined
        self.filters = {name: _charging(name, self.filters[name]) for name in _FILTERS}
        self.filters |= {"tojson": _charging("tojson", tojson)}
        self.filters |= {
            "\0counted": _count_filter,
            "\0charged": _charge_filter,
            "\0joined": _join_filter,
            "\0worked": _work_filter,
        }
        self.tests = {name: _charging("", test) for name, test in self.tests.items()}
        del self.globals["lipsum"]
        self.globals |= {
            "raise_exception": raise_exception,
            "strftime_now": strftime_now,
            "namespace": TemplateNamespace,
        }

    @staticmethod
    def concat(pieces: Iterable[str]) -> str:
        """Return the joined `pieces` of text that a macro or a block has written, and charge them."""
        written = list(pieces)
        current_meter().charge(written)
        return "".join(written)

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """Return the syntax tree of the template `source`, with meters in it.

        Raises:
            TemplateError: The template is malformed, or has too many nodes.
            RecursionError: It is nested too deeply.
        """
        template = _BoundedParser(self, source, name, filename).parse()
        _check_size(template)
        return _with_meters(template)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Return the result of an operator that can make much of little, and charge it."""
        charge_operator(operator, left, right)
        return current_meter().charge_and_return(super().call_binop(context, operator, left, right))

    def is_safe_callable(self, obj: Any) -> bool:
        """Return whether a template may call `obj`: of the methods of values, those in `_METHODS`."""
        owner, name = _method(obj)
        if owner is None:
            return super().is_safe_callable(obj)
        return any(isinstance(owner, kind) and name in known for kind, known in _METHODS)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Look up an element, as the filters do for each piece of a path."""
        if not isinstance(obj, (dict, list)):  # it is not immediate
            current_meter().spend(_CALL)
        return super().getitem(obj, argument)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805
        """Call an object for a template: a macro, a method, a loop."""
        meter = current_meter()
        meter.spend(_CALL)
        args = tuple(list(meter.counted(each)) if isinstance(each, Iterator) else each for each in args)
        meter.charge(args)
        if not __self.is_safe_callable(__obj):
            raise SecurityError(f"a chat template may not call {getattr(__obj, '__name__', __obj)!r:.60}")
        owner, name = _method(__obj)
        if isinstance(owner, str):
            meter.charge(owner)
            charge_growth(f"str.{name}", owner, args, kwargs)
        meter.enter()
        try:
            return meter.charge_and_return(super().call(__context, __obj, *args, **kwargs))
        finally:
            meter.leave()


def tojson(
    value: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False
) -> str:
    """Return `value` as JSON text, as chat templates expect it: without the escapes of HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def raise_exception(message: str) -> None:
    """Raise `TemplateError` with `message`: templates call this function to refuse a conversation."""
    raise TemplateError(message)


def strftime_now(format: str) -> str:
    """Return the current time in the local zone, written in `format`."""
    return datetime.now().astimezone().strftime(format[:200])


def _method(obj: Any) -> tuple[Any, str]:
    """Return the value to which the method `obj` is bound, and the name of the method.

    Return None and an empty name if `obj` is not a method of a value, but a macro, a loop or a function.

    Texts that are marked as safe have methods written in Python, which wrap those of plain texts.
    """
    for each in (obj, getattr(obj, "__wrapped__", None)):
        if isinstance(each, BuiltinMethodType):
            return each.__self__, each.__name__
        if isinstance(each, MethodType) and isinstance(each.__self__, (str, dict, list, tuple)):
            return each.__self__, each.__name__
    return None, ""


def _charge_shown(value: Any) -> Any:
    """Charge `value`, which the template writes out, and return it, or a new iterator for an iterator.

    Raise `OverBudgetError` if it costs more than is left.
    """
    return current_meter().charge_and_return(value)


def _charging(name: str, function: Any) -> Callable[..., Any]:
    """Return the filter or test `function` in a form that charges its arguments and its result.

    Args:
        name: The name of the filter, by which `charge_growth` knows it; empty for a test.
        function: The filter or the test.
    """
    first = getattr(getattr(function, "jinja_pass_arg", None), "name", "")

    @pass_context  # this also keeps the compiler from computing it beforehand
    def metered(context: Context, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Charge the arguments, apply `function` to them, charge its result, and return it.

        Raise `OverBudgetError` if the budget is used up.
        """
        meter = current_meter()
        meter.spend(_CALL)
        if name == "join" and isinstance(value, Iterator):
            value = list(meter.counted(value))
        meter.charge((value, args, kwargs))
        charge_growth(name, value, args, kwargs)
        passed = {"context": context, "eval_context": context.eval_ctx, "environment": context.environment}
        before = (passed[first],) if first else ()
        return meter.charge_and_return(function(*before, value, *args, **kwargs))

    return metered


@pass_context
def _count_filter(context: Context, values: Any) -> Iterator[Any]:
    """Return an iterator over `values` that charges a step for each, or raises `OverBudgetError`.

    `_with_meters` applies this filter to the values of loops.
    """
    return current_meter().counted(iter(values))


@pass_context
def _charge_filter(context: Context, value: Any) -> Any:
    """Charge `value`, and return it, or a new iterator for an iterator; may raise `OverBudgetError`.

    `_with_meters` applies this filter to expressions.
    """
    return current_meter().charge_and_return(value)


@pass_context
def _join_filter(context: Context, values: list[Any]) -> str:
    """Return the texts of `values` joined, and charge both; this filter replaces the operator `~`.

    Raise `OverBudgetError` if they cost more than is left.
    """
    meter = current_meter()
    meter.charge(values)
    joined = "".join(map(str, values))
    meter.charge(joined)
    return joined


@pass_context
def _work_filter(context: Context, size: int) -> None:
    """Charge `size` units, and return None; raise `OverBudgetError` if fewer are left.

    `_with_meters` applies this filter at the beginning of each body that may run again.
    """
    current_meter().spend(size)


def _check_size(template: nodes.Template) -> None:
    """Check that `template` can be compiled: the compiler calls itself for each node within another.

    Raises:
        RecursionError: The template is nested too deeply.
        TemplateError: The template has too many nodes.
    """
    level: list[nodes.Node] = [template]
    size = depth = 0
    while level:
        size, depth = size + len(level), depth + 1
        if depth > _DEEPEST:
            raise RecursionError
        if size > _MOST_NODES:
            raise TemplateError(f"it has more than {_MOST_NODES} parts")
        level = [child for node in level for child in node.iter_child_nodes()]


def _with_meters(template: nodes.Template) -> nodes.Template:
    """Put filters that charge the `Meter` into `template`, and return the same template.

    They go on each loop, macro and block, and on each expression that makes or compares something.
    """
    for loop in template.find_all(nodes.For):
        loop.iter = _filter(loop.iter, "\0counted")
    for again in template.find_all((nodes.For, nodes.Macro, nodes.CallBlock, nodes.Block)):
        body = dict(again.iter_fields())["body"]
        body.insert(0, nodes.ExprStmt(_filter(nodes.Const(_body_cost(again)), "\0worked")))
    for node in list(template.find_all((nodes.Node,))):
        for field, value in node.iter_fields():
            if isinstance(value, nodes.Node):
                setattr(node, field, _with_meter(value, node))
            elif isinstance(value, list):
                value[:] = [_with_meter(each, node) if isinstance(each, nodes.Node) else each for each in value]
    return template


def _with_meter(node: nodes.Node, parent: nodes.Node) -> nodes.Node:
    """Return `node`, a child of `parent`, within a filter that charges its value.

    Return `node` itself if its value needs no charge. A concatenation is replaced by a filter that joins and charges.
    """
    if isinstance(node, nodes.Concat):
        return _filter(nodes.List(node.nodes, lineno=node.lineno), "\0joined")
    made = isinstance(node, (nodes.List, nodes.Dict)) or (isinstance(node, nodes.Tuple) and node.ctx == "load")
    cut = isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Slice)
    compared = isinstance(node, nodes.Expr) and isinstance(parent, (nodes.Compare, nodes.Operand))
    looked_up = (
        isinstance(parent, nodes.Getitem) and node is parent.arg and not isinstance(node, (nodes.Const, nodes.Slice))
    )
    already = isinstance(parent, nodes.Filter) and parent.name.startswith("\0")
    return _filter(node, "\0charged") if (made or cut or compared or looked_up) and not already else node


def _body_cost(again: nodes.Node) -> int:
    """Return the units for running the body of `again`, a loop, macro or block, once.

    Each look-up costs a unit, every eight other nodes one, and each argument twelve. Other costs are charged as they arise.
    """
    lookups = (nodes.Getattr, nodes.Getitem)
    arguments = len(getattr(again, "args", ()))
    return 12 * arguments + sum(8 if isinstance(node, lookups) else 1 for node in again.find_all(nodes.Node)) // 8


def _filter(node: nodes.Node, name: str) -> nodes.Filter:
    """Return the node that applies the filter `name` to `node`."""
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


def variables_of(template: nodes.Template) -> set[str]:
    """Return the names of the variables that `template` reads."""
    return {name.name for name in template.find_all(nodes.Name) if name.ctx == "load"}


# --- Operations that make much of little ---

_WIDEST: Final = 10_000
_MOST_BITS: Final = 20_000
"""The largest size of a whole number; arithmetic is slow beyond that."""

_PERCENT_WIDTH: Final = re.compile(r"\d{4,}|\*")
_FIELD_WIDTH: Final = re.compile(r"\d{4,}|\{[^{}]*\{")
_WIDE: Final = re.compile(r"\d{3}")


def charge_growth(name: str, value: Any, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> None:
    """Charge the size of the result of the filter `name`, or of a method of a text, `str.NAME`.

    This happens before the filter or the method runs.

    Raises:
        OverBudgetError: The result would cost more than is left.
    """
    if any(isinstance(each, int) and abs(each) > _WIDEST for each in (*arguments, *named.values())):
        raise OverBudgetError  # a number that no conversation needs
    if (charge := _CHARGES.get(name)) is not None:
        charge(current_meter(), value, (*arguments, *named.values()))


def charge_operator(operator: str, left: Any, right: Any) -> None:
    """Charge `operator` for the size of its result, before it runs.

    Raises:
        OverBudgetError: The result would cost more than is left.
    """
    if operator == "%" and isinstance(left, str):
        _charge_percent(current_meter(), left, (right,))
    elif isinstance(left, int) and isinstance(right, int):
        bits = {"*": left.bit_length() + right.bit_length(), "**": left.bit_length() * max(right, 0)}
        if bits.get(operator, 0) > _MOST_BITS:
            raise OverBudgetError
        current_meter().spend(left.bit_length() * right.bit_length() >> 19)  # each digit is combined with each
    elif operator == "*":
        sized, times = (right, left) if isinstance(left, int) else (left, right)
        if isinstance(times, int):
            current_meter().spend(current_meter().charge(sized) * max(times, 0))


def _charge_replacing(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    """Charge replacing: an eighth of the new text's length for each occurrence of the old text in `value`.

    With fewer than two arguments, charge nothing. As below, `OverBudgetError` is raised if the budget is used up.
    """
    if len(arguments) >= 2:
        meter.spend(str(value).count(str(arguments[0])) * len(str(arguments[1])) // 8)


def _charge_join_filter(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    """Charge the filter `join` by `_charge_separators`: `value` is the texts, an argument the separator."""
    _charge_separators(meter, value, arguments[0] if arguments else "")


def _charge_join_method(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    """Charge `str.join` by `_charge_separators`: `value` is the separator, an argument the texts."""
    for values in arguments:
        _charge_separators(meter, values, value)


def _charge_separators(meter: Meter, values: Any, separator: Any) -> None:
    """Charge, for each item of `values`, one unit and one more for each 8 characters of `separator`.

    If `values` has no length, charge nothing.
    """
    if hasattr(values, "__len__"):
        meter.spend(len(values) * (1 + len(str(separator)) // 8))


def _charge_padding(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    """Charge padding: the sum of all whole numbers among `arguments`, without their signs."""
    meter.spend(sum(abs(one) for one in arguments if isinstance(one, int)))


def _charge_indenting(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    """Charge indenting: an eighth of the width for each line of `value`.

    The width is the first argument, a number, or a text whose length counts; 4 by default.
    """
    width = arguments[0] if arguments else 4
    meter.spend((1 + str(value).count("\n")) * (len(width) if isinstance(width, str) else int(width)) // 8)


def _charge_json(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    """Charge writing JSON: for each argument, the weight of `value`, and the weight times size times 4.

    The size of a positive integer is the integer itself, that of a text, or of a list or tuple of texts, the number of characters, and any other
    size zero.
    """
    for one in arguments:
        if isinstance(one, (str, int)):
            size = len(one) if isinstance(one, str) else int(one)
        else:
            size = sum(map(len, one)) if isinstance(one, (list, tuple)) and all(isinstance(s, str) for s in one) else 0
        meter.spend(meter.charge(value) * max(size, 0) * 4)


def _charge_percent(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    """Charge `%` of the text `value`: the arguments' weight, once and for each `%`, and the widths.

    Raise `OverBudgetError` if `value` has a number of four digits or more, or a width that is an argument.
    """
    if _PERCENT_WIDTH.search(str(value)):
        raise OverBudgetError
    meter.spend(str(value).count("%") * sum(meter.charge(one) for one in arguments))
    _charge_widths(meter, value)


def _charge_format(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    """Charge `str.format` of `value`: the arguments' weight, twice and for each `{`, and the widths.

    Raise `OverBudgetError` if `value` has a number of four digits or more, or a width that is an argument.
    """
    if _FIELD_WIDTH.search(str(value)):
        raise OverBudgetError
    meter.spend((1 + str(value).count("{")) * sum(meter.charge(one) for one in arguments))
    _charge_widths(meter, value)


def _charge_widths(meter: Meter, value: Any) -> None:
    """Charge 125 units for each number of three digits in the format `value`, since it may be a width."""
    meter.spend(sum(125 for _ in _WIDE.finditer(str(value))))


def _charge_search(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    """Charge stripping, or searching from the right, which compare each character with each.

    The charge is the product of the lengths of `value` and of the texts in `arguments`, divided by 128.
    """
    meter.spend(len(str(value)) * sum(len(one) for one in arguments if isinstance(one, str)) // 128)


def _refuse_lists(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    """Raise `OverBudgetError` if any of `arguments` is a list or tuple: adding lists up copies each sum."""
    if any(isinstance(one, (list, tuple)) for one in arguments):
        raise OverBudgetError


_CHARGES: Final[Mapping[str, Callable[[Meter, Any, tuple[Any, ...]], None]]] = {
    "replace": _charge_replacing,
    "join": _charge_join_filter,
    "batch": _charge_padding,
    "center": _charge_padding,
    "slice": _charge_padding,
    "indent": _charge_indenting,
    "tojson": _charge_json,
    "format": _charge_percent,
    "sum": _refuse_lists,
    "trim": _charge_search,
    "str.replace": _charge_replacing,
    "str.join": _charge_join_method,
    "str.format": _charge_format,
    "str.ljust": _charge_padding,
    "str.rjust": _charge_padding,
    "str.center": _charge_padding,
    "str.zfill": _charge_padding,
    **dict.fromkeys((f"str.{name}" for name in ("strip", "lstrip", "rstrip")), _charge_search),
    **dict.fromkeys((f"str.{name}" for name in ("rfind", "rindex", "rsplit", "rpartition")), _charge_search),
}
"""Filter, or method of a text -> the function that charges it."""

# --- The budget ---

_BASE: Final = 1_000_000
"""The units for any template: about a second of work, and at most eight million characters."""

_PER_INPUT: Final = 50
"""The additional units for each unit of the conversation."""

_ELEMENT: Final = 4
_STEP: Final = 8
_CALL: Final = 32
_DEEPEST: Final = 200
"""Levels of a template, such as brackets in brackets, and of a value."""

_DEEPEST_CALL: Final = 100
"""Levels of calls, such as of macros in macros."""

_SCALARS: Final = (type(None), bool, float)
_HOLDERS: Final[tuple[type[Iterable[Any]], ...]] = (list, tuple, type({}.keys()), type({}.values()), type({}.items()))


class OverBudgetError(Exception):
    """Raised if the budget is used up."""


class Meter:
    """The rest of the budget of one rendering.

    Args:
        given: The values that the template gets: a longer conversation allows more work.
    """

    def __init__(self, *given: Any) -> None:
        self._left = _BASE
        self._depth = 0
        for value in given:
            self._left += _PER_INPUT * _weight(value, 2**62)

    def spend(self, units: int) -> None:
        """Take units off the budget.

        Raises:
            OverBudgetError: There are not enough left.
        """
        self._left -= units
        if self._left < 0:
            raise OverBudgetError

    def enter(self) -> None:
        """Count a call within calls, until `leave`.

        Python's own limit may be so high that the machine's stack overflows first.

        Raises:
            RecursionError: The calls are nested too deeply.
        """
        if self._depth >= _DEEPEST_CALL:
            raise RecursionError
        self._depth += 1

    def leave(self) -> None:
        """End what `enter` began."""
        self._depth -= 1

    def charge(self, value: Any) -> int:
        """Charge the weight of `value`, and return the weight."""
        weight = _weight(value, self._left)
        self.spend(weight)
        return weight

    def charge_and_return(self, value: Any) -> Any:
        """Charge the weight of `value`, and return `value`.

        An iterator is exhausted at once, and one over its items is returned: nested iterators would nest each of their steps.
        """
        if isinstance(value, Iterator):
            return iter(list(self.counted(value)))
        if not isinstance(value, range):  # a range holds no items yet
            self.charge(value)
        return value

    def counted(self, values: Iterable[Any]) -> Iterator[Any]:
        """Yield `values`, and charge a step for each of them."""
        for value in values:
            self.spend(_STEP)
            yield value


_CURRENT: ContextVar[Meter] = ContextVar("meter")


def current_meter() -> Meter:
    """Return the meter of the current rendering."""
    return _CURRENT.get()


def render_metered(meter: Meter, pieces: Iterator[str]) -> str:
    """Return the joined `pieces` of a rendering, charged to `meter`.

    Raises:
        ChatTemplateError: The budget is used up.
    """
    token = _CURRENT.set(meter)
    try:
        written = []
        for piece in pieces:
            meter.charge(piece)
            written.append(piece)
        return "".join(written)
    except OverBudgetError:
        raise ChatTemplateError(
            "the chat template was stopped: it works or writes far more than its input needs. "
            "Nothing was rendered; use a template that you trust"
        ) from None
    finally:
        _CURRENT.reset(token)


def _weight(value: Any, most: int) -> int:
    """Return the weight of `value` with all that is in it, in units of the budget.

    Counting stops as soon as the weight exceeds `most`. Raise `OverBudgetError` for a value that is nested too deeply, or a number of too many
    bits.
    """
    if isinstance(value, str):
        return 1 + len(value) // 8
    total, waiting = 0, [(value, 0)]
    while waiting and total <= most:
        one, depth = waiting.pop()
        if depth > _DEEPEST:
            raise OverBudgetError
        total += _ELEMENT if isinstance(one, _SCALARS) else _own_weight(one)
        if isinstance(one, Mapping):
            waiting += [(each, depth + 1) for pair in one.items() for each in pair]
        elif isinstance(one, _HOLDERS):
            waiting += [(each, depth + 1) for each in one]
    return total


def _own_weight(value: Any) -> int:
    """Return the weight of `value`, in units of the budget, without that of the values in it.

    Raise `OverBudgetError` for a number of too many bits.
    """
    if isinstance(value, str):
        return _ELEMENT + len(value) // 8
    if isinstance(value, range):
        return _ELEMENT * (1 + len(value))
    if not isinstance(value, int):
        return _ELEMENT
    if value.bit_length() > _MOST_BITS:
        raise OverBudgetError
    return _ELEMENT + value.bit_length() // 64
