"""Which JSON values stand in a model's answer? Bare, in code blocks, or among prose; brackets and fences inside of strings are text.

A value is read from its first bracket to the one that closes it, and never completed. What does not close may hold all that follows, so
nothing is taken out of it; only a code block that begins on a line of its own after it shows that it was a bracket of prose.

MERGED: What was read of a model's answer? A value, or what is wrong with it.
MERGED: Which YAML stands in a model's answer? A whole answer, or what its code blocks hold; a block that is not closed ends with the answer.

That YAML is cut off cannot be told from the YAML itself, so a block that is not closed is said to be so.
MERGED: Which of the values in a model's answer is the answer? One that is valid; where there are several, none.
MERGED: What may be found in a model's answer? Values, and what would be one but for something that is wrong with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from json import dumps
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

from fcregistry._base.json import MAX_DEPTH, SLIPS, ArgumentsError, NotJsonError, read_lenient_json
from fcregistry._base.messages import show
from fcregistry._base.yaml import NotYamlError, read_yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fcregistry._base.call import Problem

# --- prompts._json_answer ---

_ALLOWED: Final = SLIPS - {"fences"}  # which are read here, where their language counts
_JSON_ANSWER_LANGUAGES: Final = frozenset({"", "json", "json5", "jsonc"})
_JSON_ANSWER_OPENING: Final = re.compile(r"`{3,}+(?:json[5c]?)?(?=[\s{\[])", re.IGNORECASE)
_MARK: Final = re.compile(
    r"""
    ^[ \t]* (?P<fence>`{3,}) [ \t]* (?P<language>[\w+.-]*)
    # A bracket that a value begins with, and not one of prose.
    | (?P<bracket>[{\[]) (?= \s* (?: ["'{\[}\]\d-] | // | /\* | \# | (?:true|false|null|True|False|None)\b | [\w$-]+ \s* : ) )
    """,
    re.MULTILINE | re.VERBOSE,
)
_PART: Final = re.compile(
    r""" "[^"\\]*+(?:\\.[^"\\]*+)*+" | '[^'\\]*+(?:\\.[^'\\]*+)*+' | //[^\n]* | \#[^\n]* | /\*(?:.*?\*/)? | [{}\[\]"'] """,
    re.DOTALL | re.VERBOSE,
)
_SINGULAR: Final = {"are": "is", "hold": "holds"}
_CLOSING: Final = {"{": "}", "[": "]"}
_MOST: Final = 100
"""Values of one answer: to look at more is of no use, and takes time."""

_CUT_OFF: Final = "is cut off before it is complete; write all of it again, shorter if need be"


def json_values(text: str, exact: bool) -> list[Found]:
    """Return the JSON values of an answer, and what would be one, in their order.

    Args:
        text: The answer.
        exact: Whether numbers keep the digits they are written with, as `ExactFloat`s.
    """
    whole = text.strip()
    opening = _JSON_ANSWER_OPENING.match(whole) if whole.endswith("```") else None
    if opening is not None:
        whole = whole[opening.end() :].rstrip("`")
    found = _json_answer_read(whole, exact, fenced=opening is not None)
    if isinstance(found, Value):  # also a number or a text by itself, which could not be told from prose
        return [found]
    values = list(islice(_scanned(text, exact), _MOST + 1))
    if len(values) > _MOST:
        return [Wrong(f"has more than {_MOST} JSON values; write one", open=True)]
    return values


def _scanned(text: str, exact: bool) -> Iterator[Found]:
    """Yield what is found from the left to the right; each character is looked at a few times at most."""
    place, fenced = 0, False
    while mark := _MARK.search(text, place):
        place = mark.end()
        if mark["fence"]:
            language = mark["language"].lower()
            fenced = language in _JSON_ANSWER_LANGUAGES and (not fenced or bool(language))
            if language not in _JSON_ANSWER_LANGUAGES:
                place = _end_of_block(text, place, mark["fence"])
            continue
        start = mark.start("bracket")
        end, reason = _extent(text, start)
        if not reason:
            yield _json_answer_read(text[start:end], exact, fenced)
            place = end
            continue
        yield Wrong(reason, fenced, open=True)
        after = next((each for each in _MARK.finditer(text, place) if _opens_json(each)), None)
        if after is None:
            return
        place, fenced = after.start(), False


def _opens_json(mark: re.Match[str]) -> bool:
    return bool(mark["fence"] and mark["language"] and mark["language"].lower() in _JSON_ANSWER_LANGUAGES)


def _end_of_block(text: str, place: int, fence: str) -> int:
    """Return where a code block of another language ends: at a fence as long on a line of its own, or with the text."""
    end = re.compile(rf"^[ \t]*{fence}`*[ \t]*$", re.MULTILINE).search(text, place)
    return len(text) if end is None else end.end()


class _Extent(NamedTuple):
    """How far a bracket reaches.

    Attributes:
        end: Where the value ends.
        reason: Why it does not; empty if it does.
    """

    end: int
    reason: str = ""


def _extent(text: str, start: int) -> _Extent:
    """Find the bracket that closes one, past strings and comments."""
    awaited: list[str] = []
    for part in _PART.finditer(text, start):
        sign = part[0]
        if sign in _CLOSING:
            awaited.append(_CLOSING[sign])
            if len(awaited) > MAX_DEPTH:
                return _Extent(part.end(), f"is nested too deeply: at most {MAX_DEPTH} levels")
        elif sign in ("}", "]"):
            if sign != awaited.pop():
                near = show(text[max(start, part.start() - 20) : part.end()])
                return _Extent(part.end(), f"has brackets that do not match: a {sign} comes too early, near {near}")
            if not awaited:
                return _Extent(part.end())
        elif sign in ('"', "'", "/*"):  # of a string or a comment without an end
            break
    return _Extent(len(text), _CUT_OFF)


def _json_answer_read(text: str, exact: bool, fenced: bool) -> Found:
    """Return the value of a text, or what is wrong with it."""
    try:
        value, repairs = read_lenient_json(text, exact, _ALLOWED, "the JSON")
    except NotJsonError as error:
        near = show(text[max(0, error.place - 20) : error.place + 20])
        return Wrong(f"is no valid JSON: {error.reason} at character {error.place + 1}, near {near}", fenced)
    except ArgumentsError as error:
        verb, _, rest = str(error).removeprefix("the arguments ").partition(" ")  # it speaks of arguments
        return Wrong(f"{_SINGULAR.get(verb, verb)} {rest}", fenced)
    return Value(value, repairs, fenced)


# --- prompts._reading ---

T = TypeVar("T")


class OutputError(ValueError):
    """An answer that is not what was asked for; the message is worded for the model, so that it can be sent back.

    Attributes:
        problems: Everything that is wrong with the answer, sorted by path.
    """

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        lines = [f"- {problem}" for problem in problems]
        super().__init__(
            "\n".join(["Your answer is not of the form that was asked for:", *lines, "Write all of it again."])
        )
        self.problems = problems


def written(answer: object) -> str:
    """Return what a model wrote, if it is text: a message that only calls has None for its content.

    Raises:
        TypeError: It is not.
    """
    if not isinstance(answer, str):
        raise TypeError(f"an answer is the text that a model wrote, not {answer!r:.80}")
    return answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading(Generic[T]):
    """What was read of a model's answer.

    Attributes:
        value: The value; None where there is none.
        problems: What is wrong with the answer, sorted by path; nothing where there is a value.
        repairs: What was put right to read it: a sentence each, sorted.
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
        """What to send back to the model, as the text of an exception; None where there is a value."""
        return OutputError(self.problems) if self.problems else None

    def unwrap(self) -> T:
        """Return the value.

        Raises:
            OutputError: There is none.
        """
        if self.problems:
            raise OutputError(self.problems)
        return self.value  # type: ignore[return-value]  # None is a value too, where the type has it


# --- prompts._yaml_answer ---

_YAML_ANSWER_LANGUAGES: Final = frozenset({"", "yaml", "yml", "json"})
_YAML_ANSWER_OPENING: Final = re.compile(
    r"^(?P<indent>[ \t]*)(?P<fence>`{3,})[ \t]*(?P<language>[\w+.-]*)[ \t]*$", re.MULTILINE
)
_UNCLOSED: Final = "the code block was not closed: taken up to the end"


def yaml_values(text: str, exact: bool) -> list[Found]:
    """Return the YAML values of an answer, and what would be one, in their order.

    Args:
        text: The answer.
        exact: Whether numbers keep the digits they are written with, as `ExactFloat`s.
    """
    blocks = list(_blocks(text))
    if not blocks:
        return [_yaml_answer_read(text, exact, ())]
    return [_yaml_answer_read(inner, exact, () if closed else (_UNCLOSED,)) for inner, closed in blocks]


def _blocks(text: str) -> Iterator[tuple[str, bool]]:
    """Yield what stands in each code block that may hold YAML, and whether the block is closed."""
    place = 0
    while opening := _YAML_ANSWER_OPENING.search(text, place):
        # A fence that is indented otherwise is text inside of the block.
        closing = re.compile(rf"^{opening['indent']}{opening['fence']}`*[ \t]*$", re.MULTILINE)
        end = closing.search(text, opening.end())
        if opening["language"].lower() in _YAML_ANSWER_LANGUAGES:
            yield text[opening.end() : None if end is None else end.start()], end is not None
        if end is None:
            return
        place = end.end()


def _yaml_answer_read(text: str, exact: bool, repairs: tuple[str, ...]) -> Found:
    try:
        return Value(read_yaml(text, exact), repairs)
    except NotYamlError as error:
        return Wrong(str(error))


# --- prompts._choosing ---

_SAID_OF_ONE = "the answer was one item where an array is due: taken as an array of it"
_SAID_OF_SEVERAL = "the answer was several items where an array is due: taken as an array of them"


def chosen(
    found: Sequence[Found], problems: Callable[[Any], tuple[Problem, ...]], *, takes_list: bool, syntax: str
) -> Found:
    """Return the value that is meant, or why none is.

    Values in code blocks come before those in prose. What is wrong in a code block, or does not end, makes all of the answer wrong: it may be
    the value that was meant.

    Args:
        found: What was found, in its order.
        problems: Says what is wrong with a value.
        takes_list: Whether the answer is an array, whatever its items are.
        syntax: What the model was to write.
    """
    if any(each.fenced for each in found if isinstance(each, Value)):
        found = [each for each in found if each.fenced]
    values = [each for each in found if isinstance(each, Value)]
    wrong = [each for each in found if isinstance(each, Wrong)]
    decisive = [each for each in wrong if each.fenced or each.open or not values]
    if decisive:
        return decisive[0]
    if not values:
        return Wrong(f"has no {syntax.upper()}; write the answer as {syntax.upper()}")
    valid = {dumps(each.value, sort_keys=True): each for each in values if not problems(each.value)}
    if len(valid) > 1:
        return Wrong(f"has {len(valid)} values, and each could be the answer; write one")
    if valid:
        return next(iter(valid.values()))
    if takes_list and not any(isinstance(each.value, list) for each in values):
        said = _SAID_OF_ONE if len(values) == 1 else _SAID_OF_SEVERAL
        repairs = {repair for each in values for repair in each.repairs} | {said}
        return Value([each.value for each in values], tuple(sorted(repairs)))
    return values[-1]


# --- prompts._found ---


class Value(NamedTuple):
    """A value that stands in an answer.

    Attributes:
        value: The JSON value.
        repairs: What was put right to read it, a sentence each.
        fenced: Whether it stands in a code block.
    """

    value: Any
    repairs: tuple[str, ...] = ()
    fenced: bool = True


class Wrong(NamedTuple):
    """Something in an answer that begins as a value does, and is none.

    Attributes:
        reason: What is wrong, worded for the model.
        fenced: Whether it stands in a code block.
        open: Whether it does not end, so that what follows may be a part of it.
    """

    reason: str
    fenced: bool = True
    open: bool = False


Found: TypeAlias = Value | Wrong
