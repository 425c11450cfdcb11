"""The values in a model's answer, of JSON or YAML, and the calls among them.

An answer may be a bare value, or contain values in code blocks or among prose. Brackets and fences inside strings are text. A JSON value
reaches from its first bracket to the one that closes it and is never completed. A value that does not end may contain all text that follows, so
no value is read in that text; only a code block that begins on its own line shows that the bracket was part of prose. A YAML code block
that is not closed ends with the answer: YAML itself does not show that it was cut off, so `repairs` says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from json import dumps
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

from fcregistry._base.call import ToolCall
from fcregistry._base.json import MAX_DEPTH, SLIPS, ArgumentsError, NotJsonError, read_lenient_json
from fcregistry._base.wording import show
from fcregistry._base.yaml import NotYamlError, read_yaml
from fcregistry.formats import MalformedCallError, is_like_arguments, read_call, read_field

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from fcregistry._base.call import Problem
    from fcregistry._tools.tool import Toolset
    from fcregistry.execution import ToolLike

# --- The result of reading an answer ---

T = TypeVar("T")


_HEADING: Final = "Your answer is not of the form that was asked for:"
_ADVICE: Final = "Write all of it again."


def problems_in(text: str) -> str:
    """Return the text of an `OutputError` without the lines around its problems, which are for the model.

    Args:
        text: The text; another text is returned as it is.
    """
    return text.removeprefix(f"{_HEADING}\n").removesuffix(f"\n{_ADVICE}")


class OutputError(ValueError):
    """An answer that does not have the form that was asked for.

    The message is worded for the model, so that it can be sent back.

    Attributes:
        problems: Everything that is wrong with the answer, sorted by path.
    """

    __module__ = "fcregistry.prompts"  # tracebacks show the public name

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        lines = [f"- {problem}" for problem in problems]
        super().__init__("\n".join([_HEADING, *lines, _ADVICE]))
        self.problems = problems


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedAnswer(Generic[T]):
    """The result of reading a model's answer.

    Attributes:
        value: The value; None if there is none.
        problems: What is wrong with the answer, sorted by path; empty if there is a value.
        repairs: What was corrected in order to read it: a sentence each, sorted.
    """

    value: T | None = None
    problems: tuple[Problem, ...] = ()
    repairs: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is a value."""
        return not self.problems

    @property
    def error(self) -> OutputError | None:
        """The error to send back to the model, as an exception; None if there is a value."""
        return OutputError(self.problems) if self.problems else None

    def unwrap(self) -> T:
        """Return the value.

        Raises:
            OutputError: There is none.
        """
        if self.problems:
            raise OutputError(self.problems)
        return self.value  # type: ignore[return-value]  # None is a value too, where the type has it


def checked_text(answer: object) -> str:
    """Return `answer` after checking that it is text.

    The content of a message that only makes calls is None.

    Raises:
        TypeError: `answer` is not text.
    """
    if not isinstance(answer, str):
        raise TypeError(f"an answer is the text that a model wrote, not {answer!r:.80}")
    return answer


class FoundValue(NamedTuple):
    """A value in an answer.

    Attributes:
        value: The JSON value.
        repairs: What was corrected in order to read it, a sentence each.
        fenced: Whether it is in a code block.
    """

    value: Any
    repairs: tuple[str, ...] = ()
    fenced: bool = True


class Rejected(NamedTuple):
    """Something in an answer that begins like a value and is not one.

    Attributes:
        reason: What is wrong, worded for the model.
        fenced: Whether it is in a code block.
        open: Whether it does not end, so that what follows may be a part of it.
    """

    reason: str
    fenced: bool = True
    open: bool = False


Found: TypeAlias = FoundValue | Rejected

# --- The calls in a value ---


ArgumentsField: TypeAlias = "str | tuple[str, str] | None"
"""The field of a call's arguments, those of arguments by position and by name, or None for the usual fields."""


def calls_of(
    value: Any, *, arguments_field: ArgumentsField = None, tools: ToolLike | Iterable[Any] = ()
) -> tuple[ToolCall, ...]:
    """Return the calls in a value that was read from a model's answer, for an executor.

    A call is a dict or an object with the tool's name as `name` and its arguments as `arguments`; whatever else it has, such as a thought, is
    not part of the call. An item of a list that is not a call is left out: an answer may hold calls or something else.

    Args:
        value: A call, or a list of calls.
        arguments_field: The field that holds the arguments, if it is not `arguments`: `kwargs`, say. No other field is then read for them. A list
            in it is arguments by position. If two fields hold arguments, it is the one of those by position and the one of those by name:
            `("args", "kwargs")`.
        tools: The tools, whose parameters give arguments by position their names.

    Raises:
        MalformedCallError: A call holds arguments in another field, they are neither an object nor, in an `arguments_field`, a list, or
            arguments by position do not fit the tool.
    """
    values = value if isinstance(value, (list, tuple)) else [value]
    known = cache(partial(_toolset, tools))
    return tuple(call for each in values if (call := _call(each, arguments_field, known)) is not None)


def _toolset(tools: ToolLike | Iterable[Any]) -> Toolset:
    """Return the tools that a caller passed, by wire name."""
    from fcregistry.execution import toolset_of  # few calls have arguments by position

    return toolset_of(tools, None)


def _call(value: Any, arguments_field: ArgumentsField, tools: Callable[[], Toolset]) -> ToolCall | None:
    """Return the call that `value` represents, or None if it is not a call.

    Args:
        value: A dict or an object.
        arguments_field: The only fields that are read for arguments, or None for the usual ones.
        tools: Returns the tools, for arguments by position.

    Raises:
        MalformedCallError: It is a call with arguments that cannot be read, or that are in a field that is not read.
    """
    first, named = arguments_field if isinstance(arguments_field, tuple) else (None, arguments_field)
    try:
        return read_call(value, arguments_field=named)
    except MalformedCallError as error:
        by_place = error.arguments if isinstance(arguments_field, str) else None
        if first is not None and error.unread == (first,):
            by_place = read_field(value, first)
        if isinstance(by_place, (list, tuple)):
            by_name = {} if by_place is error.arguments else read_field(value, named or "") or {}
            return _call_by_place(error, by_place, by_name, tools)
        if error.arguments is not None or any(map(is_like_arguments, error.unread)):
            raise  # still a call: without it, the answer would be taken for one without calls
        return None


def _call_by_place(
    read: MalformedCallError, by_place: Sequence[Any], by_name: Any, tools: Callable[[], Toolset]
) -> ToolCall:
    """Return a call whose arguments `by_place` have the names of the parameters that Python would give them.

    Args:
        read: The error with the name and id of the call.
        by_place: The arguments by position.
        by_name: The arguments by name.
        tools: Returns the tools.

    Raises:
        MalformedCallError: No tool has the name, there are too many arguments, or an argument is given twice.
    """
    known = tools()
    tool = known.get(read.name)
    names, star = ([], None) if tool is None else tool.signature.names_by_position(tool.parameters)
    given = dict(zip(names, by_place, strict=False))
    if star is not None and len(by_place) > len(names):
        given[star] = list(by_place[len(names) :])
    twice = [] if not isinstance(by_name, Mapping) else [each for each in given if each in by_name]
    problem = None
    if not known:
        problem = "the tools are not known: pass them to calls_of as tools=…"
    elif tool is None:
        from fcregistry.execution import unknown_tool  # only on the way to an error

        problem = unknown_tool(read.name, known).message
    elif star is None and len(by_place) > len(names):
        problem = f"it has {len(by_place)}, and the parameters by position are {', '.join(names) or 'none'}"
    elif twice:
        problem = f"{', '.join(map(repr, twice))} is given by position and by name"
    if problem is not None:
        message = f"the arguments by position of the call of {read.name[:64]!r} cannot be read: {problem}"
        raise MalformedCallError(message, read.id, read.name, list(by_place))
    if not isinstance(by_name, Mapping):  # reading it says what is wrong
        return read_call({"id": read.id, "name": read.name, "arguments": by_name})
    return ToolCall(read.name, {**given, **by_name}, read.id)


# --- Choosing among the values ---

MISSING_QUOTES: Final = "missing-quotes"
ITEMS_AS_ARRAY: Final = "items-as-array"
_OPEN_BLOCK: Final = "open-block"
REPAIRS_OF_ANSWERS: Final = SLIPS - {"fences"} | {MISSING_QUOTES, ITEMS_AS_ARRAY, _OPEN_BLOCK}
"""The names of the repairs of an answer; fences around it are not a mistake."""

_ONE_AS_ARRAY = "the answer was one item where an array is due: taken as an array of it"
_SEVERAL_AS_ARRAY = "the answer was several items where an array is due: taken as an array of them"


def choose_value(
    found: Sequence[Found],
    problems: Callable[[Any], tuple[Problem, ...]],
    *,
    answer: str,
    syntax: str,
    takes_items: bool,
) -> Found:
    """Return the value that is meant, or a `Rejected` with the reason why there is none.

    Values in code blocks come before those in prose. A malformed or unfinished value in a code block makes the whole answer wrong, since it may
    be the value that was meant.

    Args:
        found: The values, and the texts that only begin like values, in order.
        problems: Returns the problems of a value.
        answer: The answer, for a message.
        syntax: The syntax that the model was asked for.
        takes_items: Whether the answer is an array, whatever its items are, and items alone may be taken as one.
    """
    if any(each.fenced for each in found if isinstance(each, FoundValue)):
        found = [each for each in found if each.fenced]
    values = [each for each in found if isinstance(each, FoundValue)]
    rejected = [each for each in found if isinstance(each, Rejected)]
    decisive = [each for each in rejected if each.fenced or each.open or not values]
    if decisive:
        return decisive[0]
    if not values:
        only = f", only {show(answer)}" if answer else ""
        return Rejected(f"has no {syntax.upper()}{only}; write the answer as {syntax.upper()}")
    valid = {dumps(each.value, sort_keys=True): each for each in values if not problems(each.value)}
    if len(valid) > 1:
        return Rejected(f"has {len(valid)} values, and each could be the answer; write one")
    if valid:
        return next(iter(valid.values()))
    if takes_items and not any(isinstance(each.value, list) for each in values):
        repair = _ONE_AS_ARRAY if len(values) == 1 else _SEVERAL_AS_ARRAY
        repairs = {each for value in values for each in value.repairs} | {repair}
        return FoundValue([each.value for each in values], tuple(sorted(repairs)))
    return values[-1]


# --- JSON ---

_JSON_LANGUAGES: Final = frozenset({"", "json", "json5", "jsonc"})
_JSON_FENCE: Final = re.compile(r"`{3,}+(?:json[5c]?)?(?=[\s{\[])", re.IGNORECASE)
_MARK: Final = re.compile(
    r"""
    ^[ \t]* (?P<fence>`{3,}) [ \t]* (?P<language>[\w+.-]*)
    # A bracket that a value begins with, and not one of prose.
    | (?P<bracket>[{\[]) (?= \s* (?: ["'{\[}\]\d-] | // | /\* | \# | (?:true|false|null|True|False|None)\b | [\w$-]+ \s* : ) )
    """,
    re.MULTILINE | re.VERBOSE,
)
# A string in double or single quotes, a comment, a bracket, or a quote that no other quote closes
_PART: Final = re.compile(
    r""" "[^"\\]*+(?:\\.[^"\\]*+)*+" | '[^'\\]*+(?:\\.[^'\\]*+)*+' | //[^\n]* | \#[^\n]*
    | /\*[^*]*+(?:\*(?!/)[^*]*+)*+(?P<closes>\*/)? | [{}\[\]"'] """,
    re.DOTALL | re.VERBOSE,
)
_SINGULAR: Final = {"are": "is", "hold": "holds"}
_CLOSING: Final = {"{": "}", "[": "]"}
_MOST_VALUES: Final = 100
"""The most values of one answer."""

_MOST_OPEN: Final = 3
"""The most values of one answer that do not end: each may be searched up to the end of the answer."""

_CUT_OFF: Final = "is cut off before it is complete; write all of it again, shorter if need be"


def json_values(text: str, exact: bool, allowed: Collection[str]) -> list[Found]:
    """Return the JSON values in the answer `text`, in order.

    Among them is a `Rejected` for each text that only begins like a value.

    Args:
        text: The answer.
        exact: Whether numbers keep the digits with which they are written, as `ExactFloat`s.
        allowed: The names of the repairs that may be made.
    """
    whole = text.strip()
    opening = _JSON_FENCE.match(whole) if whole.endswith("```") else None
    if opening is not None:
        whole = whole[opening.end() :].rstrip("`")
    found = _read_json(whole, exact, opening is not None, allowed)
    if isinstance(found, FoundValue):  # also a number or a string by itself, which among prose would not stand out
        return [found]
    values = list(islice(_scan(text, exact, allowed), _MOST_VALUES + 1))
    if len(values) > _MOST_VALUES:
        return [Rejected(f"has more than {_MOST_VALUES} JSON values; write one", open=True)]
    return values


def _scan(text: str, exact: bool, allowed: Collection[str]) -> Iterator[Found]:
    """Yield the JSON values in `text`, as `FoundValue`s, and a `Rejected` for what only begins like one.

    They come from left to right, in linear time; code blocks in other languages than JSON are skipped. A value that does not end ends the search,
    unless a code block that names JSON follows and the value is not in a code block itself. Too many of them end it with one more `Rejected`.
    `exact` says whether numbers keep their digits; `allowed` names the slips that are corrected.
    """
    place, fenced, count = 0, False, 0
    while mark := _MARK.search(text, place):
        place = mark.end()
        if mark["fence"]:
            language = mark["language"].lower()
            fenced = language in _JSON_LANGUAGES and (not fenced or bool(language))
            if language not in _JSON_LANGUAGES:
                place = _end_of_block(text, place, mark["fence"])
            continue
        start = mark.start("bracket")
        end, reason = _end_of_value(text, start)
        if not reason:
            yield _read_json(text[start:end], exact, fenced, allowed)
            place = end
            continue
        yield Rejected(reason, fenced, open=True)
        count += 1
        if fenced:  # no text that follows makes the answer right
            return
        if count > _MOST_OPEN:
            yield Rejected(f"has more than {_MOST_OPEN} JSON values that do not end; write one", open=True)
            return
        # Only a code block that names JSON shows that the bracket was part of prose.
        named = (each for each in _MARK.finditer(text, place) if each["fence"] and each["language"])
        after = next((each for each in named if each["language"].lower() in _JSON_LANGUAGES), None)
        if after is None:
            return
        place, fenced = after.start(), False


def _end_of_block(text: str, place: int, fence: str) -> int:
    """Return the place after the end of the code block with the fence `fence`, searching from `place`.

    It ends with a line with at least as long a fence, or with the text.
    """
    end = re.compile(rf"^[ \t]*{fence}`*[ \t]*$", re.MULTILINE).search(text, place)
    return len(text) if end is None else end.end()


def _end_of_value(text: str, start: int) -> tuple[int, str]:
    """Return the place after the JSON value that begins with a bracket at `start`, and an empty reason.

    If the value is cut off, nested too deeply, or its brackets do not match, return the place at which reading stopped, and the reason.
    """
    due: list[str] = []
    for part in _PART.finditer(text, start):
        sign = part[0]
        if sign in _CLOSING:
            due.append(_CLOSING[sign])
            if len(due) > MAX_DEPTH:
                return part.end(), f"is nested too deeply: at most {MAX_DEPTH} levels"
        elif sign in ("}", "]"):
            if sign != due.pop():
                near = show(text[max(start, part.start() - 20) : part.end()])
                return part.end(), f"has brackets that do not match: a {sign} comes too early, near {near}"
            if not due:
                return part.end(), ""
        elif sign in ('"', "'") or (sign.startswith("/*") and not part["closes"]):  # the string or comment has no end
            break
    return len(text), _CUT_OFF


def _read_json(text: str, exact: bool, fenced: bool, allowed: Collection[str]) -> Found:
    """Return the JSON value in `text` as a `FoundValue`, or a `Rejected` that says what is wrong with it.

    The slips in `allowed` are corrected. Numbers keep their digits if `exact`; `fenced` says whether the text is in a code block.
    """
    try:
        value, repairs = read_lenient_json(text, exact, allowed, "the JSON")
    except NotJsonError as error:
        near = show(text[max(0, error.place - 20) : error.place + 20])
        return Rejected(f"is not valid JSON: {error.reason} at character {error.place + 1}, near {near}", fenced)
    except ArgumentsError as error:
        verb, _, rest = str(error).removeprefix("the arguments ").partition(" ")  # its text is about arguments
        return Rejected(f"{_SINGULAR.get(verb, verb)} {rest}", fenced)
    return FoundValue(value, repairs, fenced)


# --- YAML ---

_YAML_LANGUAGES: Final = frozenset({"", "yaml", "yml", "json"})
_BLOCK_OPENING: Final = re.compile(
    r"^(?P<indent>[ \t]*+)(?P<fence>`{3,}+)[ \t]*+(?P<language>[\w+.-]*+)[ \t]*+$", re.MULTILINE
)
_UNCLOSED: Final = "the code block was not closed: taken up to the end"


def yaml_values(text: str, exact: bool, allowed: Collection[str]) -> list[Found]:
    """Return the YAML values in the answer `text`, in order.

    Among them is a `Rejected` for each text that is not valid YAML.

    Args:
        text: The answer.
        exact: Whether numbers keep the digits with which they are written, as `ExactFloat`s.
        allowed: The names of the repairs that may be made.
    """
    blocks = list(_yaml_blocks(text))
    if not blocks:
        return [_read_block(text, exact, ())]
    if _OPEN_BLOCK not in allowed and not blocks[-1][1]:
        return [Rejected("has a code block that is not closed; write all of it again")]
    return [_read_block(inner, exact, () if closed else (_UNCLOSED,)) for inner, closed in blocks]


def _yaml_blocks(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the text of each code block in `text` that may contain YAML, and whether the block is closed.

    These are blocks without a language, and those of YAML and JSON. One that is not closed reaches up to the end, and is the last.
    """
    place = 0
    while opening := _BLOCK_OPENING.search(text, place):
        # A fence with another indentation is text inside the block.
        closing = re.compile(rf"^{opening['indent']}{opening['fence']}`*[ \t]*$", re.MULTILINE)
        end = closing.search(text, opening.end())
        if opening["language"].lower() in _YAML_LANGUAGES:
            yield text[opening.end() : None if end is None else end.start()], end is not None
        if end is None:
            return
        place = end.end()


def _read_block(text: str, exact: bool, repairs: tuple[str, ...]) -> Found:
    """Return the YAML value in `text` as a `FoundValue` with `repairs`, or a `Rejected` if it is invalid.

    Numbers keep their digits if `exact`.
    """
    try:
        return FoundValue(read_yaml(text, exact), repairs)
    except NotYamlError as error:
        return Rejected(str(error))
