"""The dialect `auto`, and `detect`: reading a text whose dialect is not known, in the dialect of the call that begins first in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from fcregistry.dialects._auto_marks import (
    BEGUN_AFTER,
    FENCE,
    MORE_THOUGHTS,
    PLAIN,
    QUOTE,
    TICK,
    TILDES,
    TOKEN,
    candidates_before_call,
    candidates_of,
    match_of,
    owners_of_marks,
)
from fcregistry.dialects._dialect import LONGEST_PLAIN_MARK, Dialect, DialectStream
from fcregistry.dialects._parsed import NOTHING, Calls, EndOfThoughts, Parsed, TrimmedText, Words
from fcregistry.dialects._source import TextMarks
from fcregistry.dialects._syntax_react import has_input, read_action
from fcregistry.dialects._table import names, row_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fcregistry._base.call import ToolCall
    from fcregistry.dialects._auto_marks import Candidates, Match, Owner
    from fcregistry.dialects._json_text import ToolShape
    from fcregistry.dialects._parsed import Section
    from fcregistry.dialects._source import Reading

# --- The dialect `auto` ---


@cache
def auto() -> Dialect:
    """Return the dialect `auto`."""
    json = {each.name: getattr(row_of("json"), each.name) for each in fields(Dialect) if each.init}
    return AutoDialect(
        **{
            **json,
            "name": "auto",
            "models": "any, where its dialect is not known",
            "source": "the dialects of this table, in the order of their marks",
            "limits": "`glm-4` and `functionary`, which have no marks of their own, are not found. Tools are shown, and calls written, as in "
            f"`json`. {json['limits']}".strip(),
        }
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class AutoDialect(Dialect):
    """The dialect of texts whose dialect is not known.

    It is shown and written as `json`, and read as the dialect that is found.
    """

    def stream(self, tools: Iterable[ToolShape] | None = None) -> DialectStream:
        """Return a reader of text that arrives in pieces.

        It passes words on up to the first mark of any dialect, and everything else at the end.

        Args:
            tools: The tools that may be called, or their definitions, if they are known.
        """
        return AutoStream(self, tools)

    def detect(self, text: str) -> bool:
        """Return whether a text makes a call in any dialect.

        Args:
            text: What the model wrote.
        """
        return detect(text) is not None


class AutoStream(DialectStream):
    """Reads a text whose dialect is not known as it comes.

    It passes on words up to the first mark of any dialect, and the rest when the text ends.

    Args:
        dialect: The dialect `auto`.
        tools: The tools that may be called, or their definitions, if they are known.
    """

    __slots__ = ("_begun", "_head", "_is_held", "_pieces", "_tail", "_tools", "_whole", "_words")

    def __init__(self, dialect: Dialect, tools: Iterable[ToolShape] | None = None) -> None:
        super().__init__(dialect)
        self._tools = tuple(tools) if tools is not None else None
        self._pieces: list[str] = []
        self._head: list[str] = []  # what may become the header of a message
        self._begun = ""  # its first characters, after white space
        self._tail = ""  # what may become a mark
        self._is_held = False
        self._words = TrimmedText()
        self._whole: Parsed | None = None

    def feed(self, chunk: str) -> Parsed:
        """Add a piece of the text; return the words that certainly do not belong to a call or a thought.

        Args:
            chunk: The piece.

        Raises:
            ValueError: The text was closed.
            RuntimeError: Another thread uses the stream.
        """
        with self._in_use:
            if self._whole is not None:
                raise ValueError("the text was closed: another one needs a stream of its own")
            self._pieces.append(chunk)
            if self._is_held:
                return NOTHING
            text = self._tail + chunk
            marks = _family_marks()
            found = marks.find(text)
            first = min((each.start() for each in (found, marks.beginning(text)) if each), default=len(text))
            self._is_held = found is not None and found.start() == first
            self._tail = text[first:]
            self._head.append(text[:first])
            if self._words.is_blank and self._may_be_header(text[:first]):
                return NOTHING
            self._words.add("".join(self._head))
            self._head.clear()
            new = self._words.take_new()
            return Parsed(new) if new else NOTHING

    def _may_be_header(self, more: str) -> bool:
        """Return whether the text so far may be a message's header, such as `to=name`, if a mark follows.

        All earlier calls must have returned True. The first characters of the text are kept in `_begun`.

        Args:
            more: The text that was added since the last call of this method.
        """
        if len(self._begun) < len(_BEGUN_RECIPIENT):
            begun = self._begun + more
            self._begun = begun.lstrip()[: len(_BEGUN_RECIPIENT)]
            return _RECIPIENT.fullmatch(begun) is not None
        return _NAME.fullmatch(more) is not None

    def close(self) -> Parsed:
        """End the text, and return all of its content. Closing again changes nothing.

        Raises:
            RuntimeError: Another thread uses the stream.
        """
        with self._in_use:
            if self._whole is None:
                self.dialect, whole = recognize("".join(self._pieces), self._tools)
                self._whole = whole
                content = whole.content.removeprefix(self._words.text())
                self.rest = Parsed(content, whole.reasoning, whole.tool_calls, whole.repairs)
            return self._whole

    def whole(self, text: str) -> Parsed:
        """Read a whole text, and return its content.

        Args:
            text: The text.
        """
        self._pieces.append(text)
        return self.close()


@cache
def _family_marks() -> TextMarks:
    """Return a `TextMarks` of the marks that open sections in any dialect, and of all special tokens.

    The tokens are those of the dialects' `marks` that begin with `<|` or `<｜`. The marks of `MORE_THOUGHTS` are included.
    """
    marks = {mark for section in MORE_THOUGHTS for mark in section.opens}
    marks.update(mark for name in names() for mark in row_of(name).openers.marks.texts)
    marks.update(mark for name in names() for mark in row_of(name).marks if TOKEN.match(mark))
    return TextMarks(*marks, whole=True)


# --- Recognizing the dialect of a whole text ---


def detect(text: str, tools: Iterable[ToolShape] | None = None) -> Dialect | None:
    """Return the dialect in which a text makes calls, or None if it makes none.

    It is the dialect of the call that begins first. Calls inside a call, a thought, code or a block quote of Markdown do not count. After a
    call that was begun and is malformed or cut off, only calls of its own dialect count. `glm-4` and `functionary`, which have no marks of
    their own, are never found.

    Args:
        text: What the model wrote.
        tools: The tools that may be called, if they are known.
    """
    return recognize(text, tuple(tools) if tools is not None else None)[0]


def recognize(text: str, tools: tuple[ToolShape, ...] | None) -> tuple[Dialect | None, Parsed]:
    """Return the dialect in which `text` makes calls, or None if it makes none, and the content of `text`."""
    may_be: frozenset[str] = frozenset()
    for skips_quoted in (True, False):
        reader = _AnyStream(tools, may_be, skips_quoted=skips_quoted)
        parsed = reader.whole(text)
        may_be = reader.may_be
        if reader.found:
            if reader.may_differ_in(reader.found):
                parsed = _AnyStream(tools, skips_quoted=skips_quoted, only=reader.found).whole(text)
            if parsed.tool_calls:
                return row_of(reader.found), parsed
            break
        if not reader.has_skipped:
            break
    ends = _stops_backwards().match(parsed.content[::-1])
    return None, replace(parsed, content=parsed.content[: -ends.end()].rstrip()) if ends else parsed


@cache
def _stops_backwards() -> re.Pattern[str]:
    """Return the pattern of one or more stop marks of any dialect, reversed, to match a reversed text.

    Each may have white space after it. So a match with the reversed text covers all stop marks at the end of the text.
    """
    stops = sorted({stop[::-1] for name in names() for stop in row_of(name).stops}, key=len, reverse=True)
    return re.compile(rf"(?:\s*+(?:{'|'.join(map(re.escape, stops))}))++")


_MARKDOWN: Final = (FENCE, TILDES, TICK, QUOTE)
_FENCED_JSON: Final = re.compile(r"[\w+\-]*+\s*+[\[{/#]")
_ACTION: Final = "Action:"
_ACTION_FOLLOWS: Final = re.compile(rf"\s*+{_ACTION}\s*+[`{{\[]").match
_FENCED: Final = ("json", "react-json")
"""The dialects whose calls are read in code fences, if the dialect is not known."""
_PREFERRED: Final = ("hermes", "lfm2", "claude-xml", "qwen3-coder")
"""The dialect that is taken if several read the same call; the others follow by name."""

_FENCE_LINE: Final = re.compile(r"(`{3,})[^`\n]*|(~{3,})[^\n]*")
_TICKS: Final = re.compile("`+")
_NAME: Final = re.compile(r"[\w.\-]*+")
_BEGUN_RECIPIENT: Final = "to="
_RECIPIENT: Final = re.compile(rf"\s*+(?:{_BEGUN_RECIPIENT})?+{_NAME.pattern}")
"""The word that a text may begin with as the header of a message, if a mark follows it."""
_CALL_BEGUN: Final = re.compile(
    r"[\s:]{0,9}+(?:```\w*+\s{0,9}+)?(?:\{|<(?!/)|\[\s{0,9}+(?:\{|[\w.\-]{1,80}+\()|[\w.:\-]{1,80}+\s{0,9}+[{<(\[✿])"
)
"""What follows a mark where a call was begun, in any syntax, and not where prose names the mark."""
_PLAIN_CALL_BEGUN: Final = re.compile(
    rf"\{{{BEGUN_AFTER['{']}|\[{BEGUN_AFTER['[']}|Action:[^\n]*+\n\s{{0,9}}+Action Input:"
)
"""The same for calls whose marks any text may hold, with the mark."""
_LONGEST_NAME: Final = 80
_NAMED_ABOVE: Final = re.compile(r"^[ \t]*+([\w.\-]++)\r?\n\Z", re.MULTILINE)
"""The name on the line above a place, which is the only mark that `glm-4` has."""


class _Attempt(NamedTuple):
    """The outcome of reading what follows a mark in one dialect.

    Attributes:
        found: `calls` that count, or the answer, if the model wrote that as a call; `skipped calls`, which are treated as words; the `header` of
            a message, or of a section of calls; a `label` of a plain dialect, without a call; or only `words`.
        calls: The calls; none for the answer.
    """

    found: Literal["calls", "skipped calls", "header", "label", "words"]
    calls: Sequence[ToolCall] = ()


class _AnyStream(DialectStream):
    """Reads a whole text, in the dialect of the call that begins first in it.

    Args:
        tools: The tools that may be called, or their definitions, if they are known.
        may_be: The dialects that the text may be in; empty for any.
        skips_quoted: Whether calls in code fences, and lists of calls within a sentence, count as words.
        only: The dialect whose calls count; by default, any.

    Attributes:
        found: The dialect of the calls; empty if there are none.
        has_skipped: Whether a call was treated as words.
    """

    __slots__ = (
        "_begins",
        "_has_restarted",
        "_is_after_action",
        "_is_in_fence",
        "_known",
        "_may_be_at_first",
        "_only",
        "_ordered",
        "_ranks",
        "_skips_quoted",
        "found",
        "has_skipped",
    )

    def __init__(
        self,
        tools: tuple[ToolShape, ...] | None,
        may_be: frozenset[str] = frozenset(),
        *,
        skips_quoted: bool = False,
        only: str = "",
    ) -> None:
        super().__init__(row_of("json"), tools)
        self._source.is_assumed = True
        self._not_thoughts = []
        self._may_be_at_first = may_be
        self._only = only
        self._skips_quoted = skips_quoted
        self._ranks: dict[str, int] = {}
        self.has_skipped = False
        self._begins = 0  # the place of the first call
        self._has_restarted = False
        self._begin()

    def _begin(self) -> None:
        """Set `found` to an empty name, leave any code fence, and look for calls as at the text's start."""
        self.found = ""
        self._is_in_fence = False
        self._is_after_action = False  # whether the last call was an action after its label, or a fence beside one
        self._use_candidates(candidates_before_call(self._may_be_at_first, self._only))

    def may_differ_in(self, name: str) -> bool:
        """Return whether a reader of dialect `name` alone could read the text before the calls differently."""
        openers = row_of(name).openers
        before = self._source.text[: self._begins]
        return self._has_restarted or openers.leading is not None or openers.marks.find(before) is not None

    @property
    def may_be(self) -> frozenset[str]:
        """The dialects that the text may be in; empty for any."""
        return self._known.may_be

    def _use_candidates(self, known: Candidates) -> None:
        """Look for the marks of the `Candidates` `known` from now on, and clear the cache of `_in_order`."""
        self._known, self._openers = known, known.openers
        self._ordered: dict[str, list[tuple[Owner, object, Match | None]]] = {}

    def _read_section(self, section: Section, mark: str) -> Reading[None]:
        """Read `section`, which `mark` has opened, into the content, the thoughts or the calls.

        Before the first call, a section of calls is tried in each dialect that has the mark. Code and quotes of Markdown are content, apart from
        calls in a fence. A mark that ends thoughts turns all text so far into thoughts, and the search starts again. A token that opens other
        text limits the search to the dialects that have it.
        """
        if isinstance(section, Calls) and not self.found and mark not in _MARKDOWN:
            if not self._read_marked_words(mark):
                yield from self._read_any_calls(mark)
        elif mark in (FENCE, TILDES):
            yield from self._read_fence()
        elif mark == TICK:
            self._read_code()
        elif mark == QUOTE:
            self._read_quote()
        elif isinstance(section, EndOfThoughts) and self._not_thoughts is not None:
            self._take_for_thoughts()  # so no call before it counts
            self._has_restarted = True
            self._begin()
        else:
            if isinstance(section, Words) and section.kind != "reasoning" and TOKEN.search(mark):
                self._narrow(each.dialect for each in self._known.owners[mark])
            yield from super()._read_section(section, mark)

    def _narrow(self, may_be: Iterable[str]) -> None:
        """Look only for calls of the dialects `may_be` from now on; do nothing if a call was found.

        If `may_be` is empty, calls of all dialects are looked for.
        """
        names = frozenset(may_be)
        if not self.found and names != self.may_be:
            self._use_candidates(candidates_before_call(names, self._only))

    def _in_order(self, mark: str) -> list[tuple[Owner, object, Match | None]]:
        """Return the owners of `mark` whose section holds calls, in the order in which they are tried.

        Each item is a tuple: the `Owner`; a key that is equal for owners that read alike; and the function that matches the text after the mark
        if no call follows it, or None if only the reader can tell. The list is cached for each mark.
        """
        if mark not in self._ordered:
            self._ordered[mark] = [
                (owner, (owner.section.read, owner.mark), match_of(self._known.pattern_of_words(owner)))
                for owner in sorted(self._known.owners[mark], key=self._rank)
                if isinstance(owner.section, Calls)
            ]
        return self._ordered[mark]

    def _read_marked_words(self, mark: str) -> bool:
        """Return True after adding `mark` and the words after it to the content, if surely no call follows.

        Otherwise return False, with nothing taken. If a malformed call begins at the mark, the search is limited to the dialects that read
        furthest.
        """
        source = self._source
        begin = source.place - len(mark)
        text, end = source.text, source.place
        furthest: frozenset[str] = frozenset()
        for words, length, dialects in self._known.words(mark):
            found = words(text, begin + length) if words else None
            if not found:
                return False
            reached = found.end()
            if not furthest or reached > end:
                furthest, end = dialects, reached
            elif reached == end:
                furthest |= dialects
        source.place = end
        self._narrow_to_begun(begin, mark, furthest)
        self._add_content(text[begin:end])
        return True

    def _read_any_calls(self, mark: str) -> Reading[None]:
        """Read the calls after `mark` in the first dialect that finds calls there, and accept them.

        If dialects only find a header of a message, the header is dropped, and the search is limited to these dialects. If no dialect finds
        anything, all text that any of them read is content, and a malformed call limits the search as `_narrow_to_begun` says. `has_skipped`
        becomes true if calls were found that do not count.
        """
        source = self._source
        begin, repairs = source.place - len(mark), len(source.repairs)
        taken: list[tuple[int, str]] = [(source.place, "")]
        headers: list[tuple[int, str]] = []
        has_skipped = False
        failed: dict[object, int] = {}  # a reader of several dialects is tried once
        for owner, reader, words in self._in_order(mark):
            if reader not in failed and (found := words(source.text, begin + len(owner.mark)) if words else None):
                failed[reader] = found.end()
            if reader in failed:
                taken.append((failed[reader], owner.dialect))
                continue
            attempt = yield from self._try_owner(owner, begin)
            if attempt.found == "calls":
                return self._commit(owner.dialect, attempt.calls, begin)
            if attempt.found == "header":
                headers.append((source.place, owner.dialect))
                continue
            self._forget(repairs)
            if attempt.found != "label":  # the text behind a label is not part of it
                taken.append((source.place, owner.dialect))
            if attempt.found == "skipped calls":
                self.has_skipped = has_skipped = True
            elif attempt.found == "words":
                failed[reader] = source.place
        end = source.place = max(headers or taken)[0]
        if headers:
            return self._narrow(name for _, name in headers)
        source.begin(begin)
        if not has_skipped:
            self._narrow_to_begun(begin, mark, (name for place, name in taken if name and place == end))
        self._add_content(source.since())
        return None

    def _narrow_to_begun(self, begin: int, mark: str, furthest: Iterable[str]) -> None:
        """Look only for calls of `furthest` from now on, if a malformed or cut-off call begins at `begin`.

        If there is none and `mark` is `{`, look only for calls of `glm-4`, provided that a known tool's name is on the line above.

        Args:
            begin: The place.
            mark: The mark at `begin`.
            furthest: The dialects that read furthest from `begin`.
        """
        source, names = self._source, frozenset(furthest)
        if names == self.may_be and mark != "{":
            return
        if _has_begun_call(source.text, begin, mark, source.place):
            self._narrow(names)
        elif mark == "{":
            above = _NAMED_ABOVE.search(source.text, max(begin - _LONGEST_NAME, 0), begin)
            if above and above[1] in source.shapes:
                self._narrow(["glm-4"])

    def _try_owner(self, owner: Owner, begin: int) -> Reading[_Attempt]:
        """Read calls in the dialect of `owner`, whose mark begins at `begin`; return an `_Attempt`.

        Nothing is added to the content or the calls. The source stays at the place where reading stopped.
        """
        assert isinstance(owner.section, Calls)
        source = self._source
        source.begin(begin)
        source.dropped.clear()
        source.place = begin + len(owner.mark)
        calls = yield from owner.section.read(source, owner.mark)
        if calls is None:
            is_label = owner.section.read is read_action and not has_input(source.text, begin + len(owner.mark))
            return _Attempt("label" if is_label else "words")
        if calls:
            return _Attempt("calls" if self._is_call_of_text(owner) else "skipped calls", calls)
        if source.left:
            return _Attempt("calls")
        return _Attempt("header" if owner.dialect not in PLAIN or owner.dialect == self._only else "label")

    def _forget(self, repairs: int) -> None:
        """Drop all repairs but the first `repairs`, a number, and the text that was read after failed calls."""
        del self._source.repairs[repairs:]
        self._source.left = ""

    def _is_call_of_text(self, owner: Owner) -> bool:
        """Return whether calls that were read in the dialect of `owner` count as calls, and not as words.

        They do not if only another dialect's calls count (`_only`), or if quoted calls are skipped and a `pythonic` list begins within a line.
        """
        if self._skips_quoted and owner.dialect == "pythonic" and not self._is_blank_line:
            return False
        return owner.dialect == self._only if self._only else True

    def _commit(self, name: str, calls: Sequence[ToolCall], begin: int) -> None:
        """Accept `calls`, keep the text that was read for them, and read on only in their dialect, `name`.

        If no call was accepted before, `begin` is noted as the place where the calls begin.
        """
        if not self.found:
            self._begins = begin
        self.found = name
        self._is_after_action = name == "react-json" and self._source.text.startswith(_ACTION, begin)
        self._use_candidates(candidates_of(name))
        self._content.cut()
        self._keep("".join([*self._source.dropped, self._source.since()]))
        self._accept(calls)
        self._is_blank_line = True

    def _rank(self, owner: Owner) -> tuple[int, int, int, str]:
        """Return the sort key of `owner`: the owner with the smallest key is tried first.

        That is the owner with the longest mark, then the one with the most marks of its dialect in the text, then the preferred dialect,
        then the first name.
        """
        name = owner.dialect
        if name not in self._ranks:
            self._ranks[name] = sum([mark in self._source.text for mark in _own_marks(name)])
        preference = _PREFERRED.index(name) if name in _PREFERRED else len(_PREFERRED)
        return -len(owner.mark), -self._ranks[name], preference, name

    # Code fences, code and quotes

    def _read_fence(self) -> Reading[None]:
        """Read a code fence: accept its calls if it begins with calls that count; else, all of it is content.

        Calls count if quoted calls are not skipped, or they are among actions, and the text may be in their dialect; `has_skipped` becomes true if
        any were found. Only the mark is content if it closes a fence whose calls were accepted, or if its line contains a mark that ends thoughts.
        """
        source = self._source
        begin = source.place - len(FENCE)  # as long as that of tildes
        line = _FENCE_LINE.match(source.text, begin)
        assert line
        if self._is_in_fence or _thought_ends()(line[0]):
            self._is_in_fence = False
            self._add_content(source.since())
            return
        source.begin(begin)
        source.dropped.clear()
        repairs = len(source.repairs)
        has_json = line[1] == FENCE and _FENCED_JSON.match(source.text, source.place) is not None
        calls, name = (yield from self._read_fenced_calls()) if has_json else (None, "")
        is_found = calls is not None and bool(calls or source.left)
        is_closed = is_found and source.text.endswith(FENCE, 0, source.place)
        self.has_skipped = self.has_skipped or is_found
        may_be = self._known.may_be or (self.found or self._only or name,)
        counts = not self._skips_quoted or (name == "react-json" and self._is_among_actions())
        if calls is not None and is_found and counts and name in may_be:
            is_among_actions = self._is_after_action
            self._is_in_fence = not is_closed
            self._commit(name, calls, begin)
            self._is_after_action = is_among_actions
            return
        self._forget(repairs)
        if not is_closed:
            source.place = self._end_of_fence(line, max(source.place, line.end()))
        source.begin(begin)
        self._add_content(source.since())

    def _is_among_actions(self) -> bool:
        """Return whether a fence that was read is one of several actions.

        It is if no words are between it and an action before it that has the label, or if the text begins with it and the label follows.
        """
        if self.found:
            return self._is_after_action and self._content.is_cut
        return self._content.is_blank and _ACTION_FOLLOWS(self._source.text, self._source.place) is not None

    def _read_fenced_calls(self) -> Reading[tuple[list[ToolCall] | None, str]]:
        """Read calls after the ticks that open a fence; return them, and the name of their dialect.

        The calls are an empty list if the fence contains a final answer. If it contains no calls, they are None, and the name is empty; the source
        is then at the furthest place that was read.
        """
        source = self._source
        begin, furthest = source.place, source.place
        known = self.found or self._only
        for name in (known, *_FENCED) if known else _FENCED:
            section = row_of(name).openers.sections.get(FENCE)
            if isinstance(section, Calls):
                words = match_of(section.words)
                if words and (other := words(source.text, begin)):
                    furthest = max(furthest, other.end())
                    continue
                source.place = begin
                calls = yield from section.read(source, FENCE)
                if calls is not None:
                    return calls, name
                furthest = max(furthest, source.place)
        source.place = furthest
        return None, ""

    def _read_code(self) -> None:
        """Add inline code of Markdown to the content: text between two equally long sequences of back-ticks.

        If it is not closed before a blank line or the end, only the opening back-ticks are added.
        """
        source = self._source
        begin = source.place - len(TICK)
        opened = _TICKS.match(source.text, begin)
        assert opened
        closed = _search(rf"(?<!`){opened[0]}(?!`)|\n[ \t]*+\n")(source.text, opened.end())
        source.place = closed.end() if closed and closed[0] == opened[0] else opened.end()
        source.begin(begin)
        self._add_content(source.since())

    def _read_quote(self) -> None:
        """Add the mark `>` and the rest of its line, without the line break, to the content."""
        source = self._source
        end = source.text.find("\n", source.place)
        source.place = end if end >= 0 else len(source.text)
        self._add_content(source.since())

    def _end_of_fence(self, line: re.Match[str], place: int) -> int:
        """Return the place after the end of the fence with the first line `line`, searching from `place` on.

        It ends as in CommonMark, or else before the mark that ends the thoughts in which it was left open, or with the text. If back-ticks follow
        in its first line, it is code within a line, and ends after at least as many back-ticks, or with the line.
        """
        text, fence = self._source.text, line[1] or line[2]
        if line[1] and line.end() < len(text) and text[line.end()] == "`":  # code within a line
            closed = _search(rf"`{{{len(fence)},}}|\n")(text, place)
        else:
            closed = _search(rf"^[ \t]*{fence[0]}{{{len(fence)},}}[ \t]*$")(text, place)
            if closed is None and self._not_thoughts is not None and (ends := _thought_ends()(text, place)):
                return ends.start()
        return closed.end() if closed else len(text)


@cache
def _labels() -> frozenset[str]:
    """Return the opening marks of the dialect `react`, which are plain words such as `Action:`."""
    return frozenset(row_of("react").openers.sections)


@lru_cache(maxsize=64)
def _search(pattern: str) -> Match:
    """Return the function that searches a text for `pattern`, in which `^` and `$` match at each line."""
    return re.compile(pattern, re.MULTILINE).search


@cache
def _own_marks(name: str) -> tuple[str, ...]:
    """Return the marks that open sections in dialect `name`, without those of at most three characters."""
    return tuple(mark for mark in row_of(name).openers.marks.texts if len(mark) > LONGEST_PLAIN_MARK)


def _has_begun_call(text: str, begin: int, mark: str, end: int) -> bool:
    """Return whether the text from `begin`, which starts with `mark`, looks like the beginning of a call.

    Otherwise it is prose or other data. After a mark that plain text may hold, it must also not end, at `end`, with a closing bracket.
    """
    if len(mark) > LONGEST_PLAIN_MARK and mark not in _labels():
        return _CALL_BEGUN.match(text, begin + len(mark)) is not None
    return text[end - 1] not in "]}" and _PLAIN_CALL_BEGUN.match(text, begin) is not None


@cache
def _thought_ends() -> Callable[..., re.Match[str] | None]:
    """Return the function that finds the first mark, from a place on, that closes thoughts in any dialect.

    The function returns a match, or None.
    """
    return TextMarks(
        *dict.fromkeys(each.mark for each in owners_of_marks() if isinstance(each.section, EndOfThoughts))
    ).find
