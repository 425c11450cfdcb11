"""A syntax that writes a tag around each value, with unescaped text in it: `<function=name><parameter=key>text</parameter></function>`.

The text of a value is not escaped ("bare"), so the tag that ends a value may occur inside the value, too. The reader takes it for the end of
the value only if the text after it, without white space, can follow a value there. If it is written again before such text, the first one ends
the value, unless the value has the tag in it elsewhere. If the value is blank, it is unclear, and the executor refuses the call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import unescape
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal

from fcregistry._base.call import ToolCall, UnreadArguments
from fcregistry.dialects._dialect import json_text
from fcregistry.dialects._json_text import FAILED, RefusedText, Shapes, json_value, read_value
from fcregistry.dialects._parsed import Calls, Syntax
from fcregistry.dialects._source import TextMarks, TextSource, none_of
from fcregistry.dialects._syntax_json import arguments_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from fcregistry.dialects._parsed import CallReader, CallWriter
    from fcregistry.dialects._source import Reading

_END: Final[dict[str, str]] = {}
"""Represents the tag that closes a call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TagSyntax:
    """The tags with which a family of models writes calls.

    If a tag ends with `=`, the name follows, as in `<function=name>`; in any other tag, the attribute `name` contains the name.

    Attributes:
        opens: The marks that open a section of calls; the writer uses the first.
        closes: The marks that close a section; the writer uses the first.
        call: The tags that open and close a call.
        parameter: The tags that open and close a value.
        before: Text that may precede a call; the writer writes all of it.
        after: Text that may follow a call; the writer uses the first.
        apart: Whether the writer puts each call in a section of its own.
        trims: Whether a line break after the opening tag of a value, and one before its closing tag, are not part of the value.
        framed: Whether the writer always writes these line breaks. If not, the reader removes them only if both are there.
        tells_strings: Whether the writer adds the attribute `string`, which says whether the value is a string or JSON. Every reader reads it.
        has_entities: Whether the reader replaces HTML entities in a value, such as `&amp;`.
        takes_objects: Whether a call may contain one JSON object with all arguments, instead of tags.
        around_object: The marks around such an object.
        has_cdata: Whether a value may be in an XML CDATA section.
        names: The attributes with the name of a call and of a parameter.
        type: The attribute with the type of a value, such as `string`; empty if there is none.
        end: The end of a tag.
        escapes_names: Whether `&amp;` and `&quot;` in a name represent their characters.
        has_namespaces: Whether a name may follow a namespace: `get_weather.get_weather` is the tool `get_weather`, and `time.now` the tool `now`,
            `time_now` or `time-now`, if only one of these is a tool.
        unnamed: Reads a call whose tag has no name, from the end of the opening tag to the end of the closing tag.
    """

    opens: tuple[str, ...]
    closes: tuple[str, ...]
    call: tuple[str, str]
    parameter: tuple[str, str]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    apart: bool = False
    trims: bool = False
    framed: bool = False
    tells_strings: bool = False
    has_entities: bool = False
    takes_objects: bool = False
    around_object: tuple[str, str] = ("", "")
    has_cdata: bool = False
    names: tuple[str, str] = ("name", "name")
    type: str = ""
    end: str = ">"
    escapes_names: bool = False
    has_namespaces: bool = False
    unnamed: Callable[[TextSource], Reading[ToolCall | None]] | None = None

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks that open a section, or a call: so the reader finds the second call of a section."""
        return (*self.opens, *self.before[:1], self.call[0])

    @property
    def words(self) -> str:
        """The pattern of what follows a mark, and is neither a value nor the end of a call."""
        opened = re.escape(self.call[0])
        inside = self.around_object[0] or "{" if self.takes_objects else "<tool_name>" if self.unnamed else ""
        begun = none_of(self.parameter[0], self.call[1], *self.closes, *([inside] if inside else []))
        tag = rf"[^<>\n]*+(?:{none_of(self.end)}|{re.escape(self.end)}\s*+{begun})"
        no_call = none_of(self.call[0], *self.before)
        return rf"(?:(?:(?<={opened})|\s*+{opened}){tag}|(?<!{opened})\s*+{no_call})"

    @property
    def ending(self) -> Ending:
        """The marks that end a value."""
        return Ending(
            self.parameter[1],
            self.parameter[0],
            self.call,
            (self.parameter[0], self.call[1], *self.closes),
            (*self.closes, *self.after, *self.before, self.call[0]),
            end=self.end,
        )


class _TagReader:
    """Reads one call, and the marks that close the call or its section.

    Args:
        tags: The tags of the call.
    """

    __slots__ = ("_tags", "ending")

    def __init__(self, tags: TagSyntax) -> None:
        self._tags = tags
        self.ending: Final = tags.ending

    def __call__(self, source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
        tags = self._tags
        about = yield from self._start(source, mark)
        if about is None:
            return None
        call = yield from (self._body(source, about) if about or tags.unnamed is None else tags.unnamed(source))
        if call is None:
            return None
        yield from _skip_marks(source, tags.after)
        yield from source.take(*tags.closes)
        return [call]

    def _start(self, source: TextSource, mark: str) -> Reading[dict[str, str] | None]:
        """Take the tag that opens a call, and return its attributes, or None if there is no such tag.

        White space and the marks of `before` may precede it. If `mark` is the beginning of the tag, only the rest is taken.
        """
        opened = self._tags.call[0]
        if mark != opened:
            yield from _skip_marks(source, self._tags.before)
            if not (yield from source.take(opened)):
                return None
        return (yield from take_tag(source, opened, self._tags.end))

    def _name(self, attributes: dict[str, str], key: str) -> str:
        """Return the value of the attribute `key`, a name, or an empty string if there is none.

        `&quot;` and `&amp;` in it are replaced if the syntax says so.
        """
        name = attributes.get(key, "")
        return name.replace("&quot;", '"').replace("&amp;", "&") if self._tags.escapes_names else name

    def _body(self, source: TextSource, about: dict[str, str]) -> Reading[ToolCall | None]:
        """Take the content and the closing tag of a call whose opening tag has the attributes `about`.

        Return the call, or None if the text is not a call, or is cut off.
        """
        name = self._name(about, self._tags.names[0]).strip()
        if self._tags.has_namespaces and "." in name and name not in source.shapes:
            namespace, _, last = name.rpartition(".")
            others = (last, name.replace(".", "_"), name.replace(".", "-"))
            name = last if namespace == last else source.shapes.resolve(name, others, source.repairs)
        if self._tags.takes_objects and name:
            yield from source.space()
            opens = self._tags.around_object[0]
            if (yield from (source.take(opens) if opens else source.is_next("{"))):
                return (yield from self._object(source, name))
        return (yield from self._values(source, name))

    def _object(self, source: TextSource, name: str) -> Reading[ToolCall | None]:
        """Take the arguments of a call of `name`, one JSON object, and the closing tag; return the call.

        Return None if the object or the tag is missing, malformed or cut off. Arguments that are refused for their content remain text.
        """
        value = yield from json_value(source, "{")
        yield from source.space()
        closes = self._tags.around_object[1]
        if closes and not (yield from source.take(closes)):
            return None
        if value is FAILED or not (yield from source.take(self._tags.call[1])):
            return None
        return ToolCall(name, value.text if isinstance(value, RefusedText) else value)

    def _values(self, source: TextSource, name: str) -> Reading[ToolCall | None]:
        """Take the arguments of a call of `name`, each in a tag, and the closing tag; return the call.

        Return None if `name` is empty, or the text is malformed or cut off. If closing tags of values are missing, and it is certain where the
        values end, the call is returned with a repair.
        """
        arguments: dict[str, Any] = {}
        unclear = ""
        while name:
            parameter = yield from self._parameter(source)
            if parameter is _END:
                arguments = source.shapes.unwrapped(name, arguments, source.repairs)
                return call_with(name, arguments, unclear, self.ending.mark)
            if not parameter or not parameter.get(self._tags.names[1]):
                return None
            if self._tags.has_cdata and (yield from source.take("<![CDATA[")):
                inside, _ = yield from source.until(_END_OF_CDATA)
                if not (yield from source.take(self._tags.parameter[1])):
                    return None
                yield from source.space()
                yield from take_more_ends(source, self._tags.parameter[1])
                key = self._name(parameter, self._tags.names[1])
                add_argument(arguments, key, source.shapes.value(name, key, inside), source)
                continue
            known = source.shapes.of(name).get("properties")
            value = Value(known if isinstance(known, Mapping) else None, self._tags.end, self._tags.names[1])
            text = yield from self.ending.value(source, value)
            if text is None:
                return None
            if self.ending.is_written_again(text):
                unclear = self._name(parameter, self._tags.names[1])
            for attributes, each in ((parameter, text), *value.others):
                self._add(arguments, name, attributes, each, source)
            if value.others:
                source.repairs.append(
                    "the closing tag of a parameter was missing: the parameter ends where the next one begins"
                )
                return call_with(name, arguments, unclear, self.ending.mark)
        return None

    def _add(
        self, arguments: dict[str, Any], name: str, parameter: dict[str, str], text: str, source: TextSource
    ) -> None:
        """Add to `arguments` of the tool `name` the value of `text`, whose tag has the attributes `parameter`.

        The type in the tag decides, or else the tool's schema. A parameter that is given again gets the last value, and a repair says so.
        """
        key, text = self._name(parameter, self._tags.names[1]), self._unframed(text)
        kind = parameter.get(self._tags.type)
        string = parameter.get("string") if kind is None else str(kind == "string").lower()
        value = _declared_value(string, text, source.repairs) if string else FAILED
        add_argument(arguments, key, source.shapes.value(name, key, text) if value is FAILED else value, source)

    def _unframed(self, text: str) -> str:
        """Return `text`, a value, without one line break at each end, and with its HTML entities replaced.

        Each is done only if the syntax says so.
        """
        if self._tags.framed:
            text = text.removeprefix("\n").removesuffix("\n")
        elif self._tags.trims and len(text) > 1 and text[0] == text[-1] == "\n":
            text = text[1:-1]
        return unescape(text) if self._tags.has_entities and "&" in text else text

    def _parameter(self, source: TextSource) -> Reading[dict[str, str] | None]:
        """Take white space and the tag that opens a value; return its attributes.

        Return `_END` if the call ends here: its closing tag is taken, that of the section is not. Return None if neither comes next, or the tag
        is malformed.
        """
        opens = self._tags.parameter[0]
        yield from source.space()
        if (yield from source.take(self._tags.call[1])) or (yield from source.is_next(*self._tags.closes)):
            return _END
        return (yield from take_tag(source, opens, self._tags.end)) if (yield from source.take(opens)) else None


def _skip_marks(source: TextSource, marks: tuple[str, ...]) -> Reading[None]:
    """Take white space, and any of `marks`, in any order and number."""
    yield from source.space()
    while marks and (yield from source.take(*marks)):
        yield from source.space()


def _declared_value(string: str, text: str, repairs: list[str]) -> Any:
    """Return `text` itself if the attribute `string` is "true", or its JSON value if that is "false".

    Return `FAILED` for any other attribute, and for JSON that is malformed or refused. `repairs` gets the slips that were corrected.
    """
    if string == "true":
        return text
    value = read_value(text.strip(), repairs) if string == "false" else FAILED
    return FAILED if isinstance(value, RefusedText) else value


def tag_syntax(written: TagSyntax, *others: TagSyntax) -> Syntax:
    """Return a syntax that writes calls with tags, and reads them.

    Args:
        written: The tags for reading and writing.
        *others: Further tags, for reading only.
    """
    syntaxes = (written, *others)
    sections = tuple(Calls(opens=tags.marks, read=tag_reader(tags), words=tags.words) for tags in syntaxes)
    marks = [(*tags.opens, *tags.closes, *tags.call, *tags.parameter, *tags.before, *tags.after) for tags in syntaxes]
    return Syntax(sections, _writer(written), tuple(chain.from_iterable(marks)))


tag_reader: Final = cache(_TagReader)
"""Returns the reader for a `TagSyntax`; the writer uses the same reader for its check."""

# --- Writing tags ---


def _writer(tags: TagSyntax) -> CallWriter:
    """Return a writer of calls with `tags`.

    It raises `ValueError` for a call that the reader would read differently.
    """
    read = tag_reader(tags)

    def write(calls: Sequence[ToolCall]) -> str:
        """Return `calls` in tags, in one section, or each in its own; an empty text without calls.

        Raises:
            ValueError: A call would be read differently.
        """
        if not tags.opens:
            return "\n".join(check_readable(_call_text(call, tags, read.ending), call, read, "") for call in calls)
        texts = [check_readable(_call_text(call, tags, read.ending), call, read, tags.opens[0]) for call in calls]
        sections = texts if tags.apart else ["\n".join(texts)] if texts else []
        return "\n".join(f"{tags.opens[0]}\n{text}\n{tags.closes[0]}" for text in sections)

    return write


def _call_text(call: ToolCall, tags: TagSyntax, ending: Ending) -> str:
    """Return `call` as text with `tags`, without the marks of a section; `ending` ends its values.

    Raises:
        ValueError: The arguments are text that is not a JSON object.
    """
    values = [_parameter_text(key, value, tags, ending) for key, value in arguments_of(call).items()]
    before, after = "".join(tags.before), "".join(tags.after[:1])
    attributes = {tags.names[0]: call.name}
    return "\n".join([f"{before}{_tag_text(tags, tags.call[0], attributes)}", *values, f"{tags.call[1]}{after}"])


def _parameter_text(key: str, value: Any, tags: TagSyntax, ending: Ending) -> str:
    """Return the argument `key` with its tags and the text of `value` between them, as `tags` says.

    `ending` is the end of a value. Depending on the syntax, the opening tag also has the type, line breaks frame the text, `&` is escaped, or a
    string with `<`, `&` or a line break is in a CDATA section.
    """
    text = bare_text(value, ending)
    if tags.has_cdata and isinstance(value, str) and not {"<", "&", "\n"}.isdisjoint(text) and "]]>" not in text:
        return f"{_tag_text(tags, tags.parameter[0], {tags.names[1]: key})}<![CDATA[{text}]]>{tags.parameter[1]}"
    if tags.has_entities and unescape(text) != text:
        text = text.replace("&", "&amp;")
    frame = "\n" if tags.framed or (tags.trims and (text.startswith("\n") or text.endswith("\n"))) else ""
    attributes = {tags.names[1]: key}
    if tags.tells_strings:
        attributes["string"] = str(isinstance(value, str)).lower()
    if tags.type:
        attributes[tags.type] = "null" if value is None else _JSON_TYPES.get(type(value), "number")
    return f"{_tag_text(tags, tags.parameter[0], attributes)}{frame}{text}{frame}{tags.parameter[1]}"


_JSON_TYPES: Final = {str: "string", bool: "boolean", list: "array", dict: "object"}


def _tag_text(tags: TagSyntax, opening: str, attributes: Mapping[str, str]) -> str:
    """Return the tag that begins with `opening`, with `attributes` in it, escaped if the syntax says so.

    If `opening` ends with `=`, only the value of the first attribute follows, unescaped.
    """
    if opening.endswith("="):
        return f"{opening}{next(iter(attributes.values()))}>"
    if tags.escapes_names:
        attributes = {name: value.replace("&", "&amp;").replace('"', "&quot;") for name, value in attributes.items()}
    written = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f"{opening}{written}{tags.end}"


# --- Values as bare text ---

BARE_TEXT_LIMITS: Final = (
    "Nothing is escaped. It cannot express a value that contains its own end mark followed by text that can follow a value, one that ends with "
    "this mark, nor one that contains only the beginning or only the end of a call. Values get their types from the tools' schemas; without a "
    "schema, they are strings."
)
"""What syntaxes with bare text cannot express."""


@dataclass(slots=True, eq=False)
class Ending:
    """The end of a value.

    A value may quote a whole call; the marks of the quoted call do not end the value. If the tags of the quoted call do not match, the end of
    the value is unknown. All text that follows may then be part of the quote, so the reader reads no further calls.

    Attributes:
        mark: The mark that ends a value.
        opens: The mark that opens a value.
        call: The marks that open and close a call.
        followed: The marks that can follow the end of a value.
        abandoned: The marks that can follow the end of a call. If a call ends there inside a value, the model has omitted the mark that ends
            the value. The reader then returns no value, because it would extend into the next call.
        space: Takes the white space that may follow the marks.
        end: The end of a tag.
    """

    mark: str
    opens: str
    call: tuple[str, str]
    followed: tuple[str, ...]
    abandoned: tuple[str, ...]
    space: Callable[[TextSource], Reading[str]] = TextSource.space
    end: str = ">"
    _marks: TextMarks = field(init=False)

    def __post_init__(self) -> None:
        self._marks = TextMarks(self.mark, self.opens, *self.call)

    def is_written_again(self, text: str) -> bool:
        """Return whether the value `text` is nothing but the end mark, written again after a blank value."""
        return self.mark in text and not text.replace(self.mark, "").strip()

    def occurs_in(self, text: str) -> bool:
        """Return whether `text` contains a mark that may end a value, or a mark of a call."""
        return self._marks.find(text, 0) is not None

    def value(self, source: TextSource, taken: Value | None = None) -> Reading[str | None]:
        """Take a value, its end mark and the white space after it, and return the value.

        Return None if the value has no end.

        Args:
            source: The text.
            taken: The value that is filled: if the end mark is missing, the method adds the parameters that follow to it, and takes the end of
                the call, too.
        """
        pieces: list[str] = []
        nesting = _Nesting()
        taken = taken or Value(())
        while True:
            text, mark = yield from source.until(self._marks)
            pieces.append(text)
            if not mark:
                return None
            if mark in (self.opens, self.call[0]):
                head, is_tag = yield from _take_head(source, mark, self.end)
                if is_tag and mark == self.opens and not nesting.calls:
                    taken.open(pieces, head, mark)
                pieces += (mark, head)
                if is_tag:
                    nesting.open(is_call=mark != self.opens)
                continue
            space, end = (yield from self.space(source)), len(pieces)
            while mark == self.mark and not nesting.tags and (yield from source.take(mark)):
                pieces += (mark, space)
                space = yield from self.space(source)
            is_followed = bool((yield from source.is_next(*(self.followed if mark == self.mark else self.abandoned))))
            value = "".join(pieces[:end]) if is_followed and end < len(pieces) else self.mark
            if value.strip() and self.mark not in value:
                source.repairs.append(written_again(self.mark))
                return value
            if not nesting.calls and taken.close(pieces, is_call=mark != self.mark, is_followed=is_followed):
                return taken.split(pieces)
            place = nesting.close(is_call=mark != self.mark, is_followed=is_followed)
            if place == "outside":
                return "".join(pieces) if mark == self.mark else None
            if place == "nowhere":
                yield from source.rest()
                return None
            pieces += (mark, space)


_TOKEN: Final = re.compile("<[|｜]")
"""The beginning of marks with tokens in them."""


@dataclass(slots=True)
class Value:
    """A value; if its end mark is missing, also the parameters that its text contains.

    Attributes:
        known: The names of the tool's parameters; None if they are not known.
        end: The end of a tag.
        name: The attribute with a parameter's name.
        others: For each parameter after the value, the attributes of its tag, and its text.
    """

    known: Container[str] | None
    end: str = ">"
    name: str = "name"
    others: list[tuple[dict[str, str], str]] = field(default_factory=list)
    _places: list[tuple[dict[str, str], int, int]] = field(default_factory=list)
    """For each parameter, the attributes of its tag, the position of the tag, and the position of its end; -1 if it has no end."""

    def open(self, pieces: list[str], head: str, mark: str) -> None:
        """Record that the tag of a parameter comes next, after `pieces`.

        `mark` is the beginning of the tag, and `head` the rest of it. The tag counts if it begins a line, if the names of the parameters are
        known and it comes directly after a word, or if it is a token, which texts do not quote.
        """
        attributes = parse_head(head, mark) or {}
        before = pieces[-1].rpartition("\n")
        begins_line = (bool(before[1]) or bool(self._places)) and not before[2].strip()
        follows_word = self.known is not None and not before[2][-1:].isspace()
        if begins_line or follows_word or _TOKEN.match(mark):
            is_known = self.known is None or attributes.get(self.name, "") in self.known
            self._end(len(pieces))
            self._places.append((attributes if is_known else {}, len(pieces), -1))

    def close(self, pieces: list[str], *, is_call: bool, is_followed: bool) -> bool:
        """Record a tag that closes a parameter or the call, after `pieces`.

        Return whether the tag ends the call and the parameters in it are complete.
        """
        if not is_followed:
            return False
        if not is_call:
            self._end(len(pieces))
            return False
        return bool(self._places) and self._fill(pieces)

    def _end(self, place: int) -> None:
        """Note that the last parameter ends at `place`, an index of pieces; do nothing if its end is known."""
        if self._places and self._places[-1][2] < 0:
            self._places[-1] = (*self._places[-1][:2], place)

    def _fill(self, pieces: list[str]) -> bool:
        """Put the parameters into `others`; return whether they are complete.

        They are not if one is unknown or has no end, or there is text between two; `others` then has those before it.
        """
        nexts = [begin for _, begin, _ in self._places[1:]] + [len(pieces)]
        for (attributes, begin, end), following in zip(self._places, nexts, strict=True):
            if not attributes or end < 0 or "".join(pieces[end + (end < following) : following]).strip():
                return False
            self.others.append((attributes, "".join(pieces[begin + 2 : end]).removeprefix(self.end)))
        return True

    def split(self, pieces: list[str]) -> str:
        """Return the text of `pieces` before the first of the parameters."""
        return "".join(pieces[: self._places[0][1]])


class _Nesting:
    """The tags of quoted calls that are open within a value."""

    __slots__ = ("calls", "tags")

    def __init__(self) -> None:
        self.tags: list[Literal["name", "call", "value"]] = []
        self.calls = 0  # how many calls are open

    def open(self, *, is_call: bool) -> None:
        """Open a call or a value. A call without a value may only mention the tag."""
        if not is_call and self.tags and self.tags[-1] == "name":
            self.tags[-1] = "call"
        self.tags.append("name" if is_call else "value")
        self.calls += is_call

    def close(self, *, is_call: bool, is_followed: bool) -> Literal["inside", "outside", "nowhere"]:
        """Close a call or a value.

        Return whether the closing tag is inside a quoted call or outside; "nowhere" if it does not match an open tag.

        Args:
            is_call: Whether the tag closes a call.
            is_followed: Whether text that can follow such a tag comes next. If not, the text may only mention the tag.
        """
        while is_followed and not is_call and self.tags and self.tags[-1] == "name":
            self.tags.pop()
            self.calls -= 1
        if not self.tags:
            return "outside" if is_followed else "inside"
        if (self.tags[-1] != "value") == is_call:
            self.tags.pop()
            self.calls -= is_call
            return "inside"
        return "nowhere" if is_followed else "inside"


def _take_head(source: TextSource, mark: str, end: str) -> Reading[tuple[str, bool]]:
    """Take the text after the beginning `mark` of a tag, up to a `<`, a `>` or a line break.

    Return the text, and whether it makes the tag one that opens a call or a value: it must have a name, `end` must follow it, and it must not be
    closed by `/`. A `mark` that ends with `>` is such a tag by itself: then the text is empty.
    """
    if mark.endswith(">"):
        return "", True
    head = yield from source.run(IN_HEAD)
    is_named = bool(head) and (mark.endswith("=") or head[0].isspace() or bool(_JOINED.match(head)))
    return head, is_named and not head.endswith("/") and bool((yield from source.is_next(end)))


def take_more_ends(source: TextSource, mark: str) -> Reading[None]:
    """Take the end mark of a value, which was taken, once more, or more often; then a repair says so."""
    if (yield from source.is_next(mark)):
        source.repairs.append(written_again(mark))
    while (yield from source.take(mark)):
        yield from source.space()


def written_again(mark: str) -> str:
    """Return the sentence of a repair for an end mark that was written more than once."""
    return f"{mark} was written more than once: the first one ends the value"


def call_with(name: str, arguments: dict[str, Any], unclear: str, mark: str) -> ToolCall:
    """Return a call; if the argument `unclear` may be blank, or the end mark, the executor refuses it."""
    if not unclear:
        return ToolCall(name, arguments)
    reason = f"the value of {unclear!r} is unclear, because {mark} was written more than once; send the call again"
    return ToolCall(name, UnreadArguments(json_text(arguments), reason))


def add_argument(arguments: dict[str, Any], key: str, value: Any, source: TextSource) -> None:
    """Add the argument `key` with `value` to `arguments`.

    If a call gives a parameter twice, the last value counts, as in the published parsers, and a repair says so.
    """
    if key in arguments:
        source.repairs.append(f"the parameter {key!r} was given twice: the last one is taken")
    arguments[key] = value


def bare_text(value: Any, ending: Ending) -> str:
    """Return `value` as text between tags, whose end is `ending`.

    A string is returned unchanged. Any other value is written as JSON; if that contains a tag of the syntax, such as `</parameter>`, the JSON
    escape of `<` replaces each `<`.
    """
    if isinstance(value, str):
        return value
    text = json_text(value)
    return text.replace("<", "\\u003c") if ending.occurs_in(text) else text


def check_readable(text: str, call: ToolCall, read: CallReader, mark: str) -> str:
    """Return `text`, after checking that the reader reads the same call from it.

    Args:
        text: The text that follows the opening mark of the call.
        call: The call.
        read: The reader.
        mark: The opening mark.

    Raises:
        ValueError: The reader does not read the same call.
    """
    arguments = json.loads(json_text(arguments_of(call)))
    kinds = {key: {"const": value} for key, value in arguments.items()}
    source = TextSource(Shapes([{"name": call.name, "parameters": {"properties": kinds}}]))
    source.add(text)
    source.ended = True
    try:
        next(read(source, mark))
    except StopIteration as end:
        if end.value == [ToolCall(call.name, arguments)] and source.place == len(text):
            return text
    raise ValueError(
        f"the call of {call.name!r} cannot be written as bare text: "
        "a name contains a character that ends names, or a value contains the mark that ends values, followed by text that can follow one"
    )


# --- The head of a tag ---

IN_HEAD: Final = re.compile(r"[^<>\n]*")
"""The text between the beginning of a tag and its end."""

_END_OF_CDATA: Final = TextMarks("]]>")
_ATTRIBUTE: Final = re.compile(r"""\s+([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=]+))""")
_JOINED: Final = re.compile(r"\AĠ?(?=name=)")
"""The place before a first attribute whose space is lost, or is the sign of a tokenizer for a space."""
_QUOTED: Final = re.compile(r"""(["'])(.*)\1""")


def take_tag(source: TextSource, tag: str, end: str = ">") -> Reading[dict[str, str] | None]:
    """Take the rest of the opening tag that begins with `tag`, and the mark `end`.

    Return the attributes of the tag, or None if the text is not a tag.
    """
    text = yield from source.run(IN_HEAD)
    return parse_head(text, tag) if (yield from source.take(end)) else None


def parse_head(text: str, tag: str) -> dict[str, str] | None:
    """Return the attributes in `text`, the rest of a tag that begins with `tag`.

    Return None if `text` contains anything else.

    The only attribute of a tag that ends with `=` is called `name`.
    """
    if tag.endswith("="):
        name = text.strip()
        quoted = _QUOTED.fullmatch(name)
        return {"name": quoted[2] if quoted else name}
    found: dict[str, str] = {}
    place = 0
    text = _JOINED.sub(" ", text, count=1)
    while each := _ATTRIBUTE.match(text, place):
        found[each[1]] = next((value for value in each.groups()[1:] if value is not None), "")
        place = each.end()
    return None if text[place:].strip() else found
