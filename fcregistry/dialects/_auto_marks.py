"""The marks that the dialect `auto` looks for, and the dialects that have them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from fcregistry.dialects._dialect import LONGEST_PLAIN_MARK
from fcregistry.dialects._parsed import Calls, EndOfThoughts, Openers, Words
from fcregistry.dialects._syntax_react import (
    LABEL_ALONE,
    NO_ACTION_LINE,
    read_action,
    read_label,
    read_labelled_object,
    read_rest,
)
from fcregistry.dialects._table import names, row_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from fcregistry.dialects._parsed import Section

    Match: TypeAlias = Callable[[str, int], re.Match[str] | None]


_NO_PATTERNS: Final[dict[str, str]] = {}


class Owner(NamedTuple):
    """A dialect, with a section that a mark opens in it."""

    dialect: str
    section: Section
    mark: str


@dataclass(frozen=True, slots=True)
class Candidates:
    """The marks that may open a section, with the dialects that have them.

    `may_be` names the dialects in which the text may be; it is empty for any. `only` is the dialect that it is in, if that is known.
    """

    openers: Openers
    owners: dict[str, list[Owner]]
    may_be: frozenset[str] = frozenset()
    only: str = ""
    _words: dict[str, list[_MarkedWords]] = field(default_factory=dict)

    def words(self, mark: str) -> list[_MarkedWords]:
        """Return the patterns of the words that follow `mark` where no call follows it."""
        if mark not in self._words:
            by_pattern: dict[tuple[str, int], list[str]] = {}
            for owner in self.owners[mark]:
                if isinstance(owner.section, Calls):
                    by_pattern.setdefault((self.pattern_of_words(owner), len(owner.mark)), []).append(owner.dialect)
            found = [
                _MarkedWords(match_of(words), length, frozenset(each)) for (words, length), each in by_pattern.items()
            ]
            self._words[mark] = found
        return self._words[mark]

    def pattern_of_words(self, owner: Owner) -> str:
        """Return the pattern of the words after the mark of `owner` where no call follows; may be empty.

        The label `Action:` alone is words, too, unless the text is known to be in the dialect that has it. The line of a label is not: calls of
        other dialects may be on it.
        """
        assert isinstance(owner.section, Calls)
        if owner.section.read is read_action:
            return NO_ACTION_LINE
        is_label = owner.section.read is read_labelled_object and owner.dialect != self.only
        return LABEL_ALONE if is_label else owner.section.words


class _MarkedWords(NamedTuple):
    """A pattern of the words that follow a mark where no call follows it.

    Attributes:
        match: Matches the words; None if only a reader can tell whether a call follows.
        length: The length of the mark.
        dialects: The dialects that have the mark.
    """

    match: Match | None
    length: int
    dialects: frozenset[str]


def _candidates(
    owners: Iterable[Owner],
    may_be: frozenset[str] = frozenset(),
    only: str = "",
    shown_words: Mapping[str, str] = _NO_PATTERNS,
) -> Candidates:
    """Return `Candidates` with the marks of `owners`, and of code and quotes in Markdown.

    After a mark that begins with a shorter one, calls of the shorter mark are looked for, too.

    Args:
        owners: The sections that may be opened, with their dialects and marks.
        may_be: The dialects in which the text may be; empty for any. The result has them; they leave out none of `owners`.
        only: The dialect that the text is in, if that is known. Then the section that a text in this dialect may begin with is a candidate, too.
        shown_words: Mark -> the pattern of code that certainly contains no call.
    """
    by_mark: dict[str, list[Owner]] = {}
    for owner in owners:
        by_mark.setdefault(owner.mark, []).append(owner)
    sections = (_joined_section(mark, owners) for mark, owners in by_mark.items())
    read = _json_fence().read
    shown = Calls(opens=(FENCE, TICK), read=read), Calls(opens=(TILDES, QUOTE), read=read, at="line")
    leading = row_of(only).openers.leading if only else None
    calls = {mark: [each for each in owners if isinstance(each.section, Calls)] for mark, owners in by_mark.items()}
    words = {mark: _words_of(mark, calls[mark], len(may_be) == 1) for mark in _BRACKETS if calls.get(mark)}
    openers = Openers(
        (*sections, *shown, *([leading] if leading else [])), whole=True, words={**words, **_MARKDOWN, **shown_words}
    )
    shorter = {mark: [each for each in calls if each != mark and mark.startswith(each)] for mark in by_mark}
    return Candidates(
        openers,
        {
            mark: [*owners, *(each for other in shorter[mark] for each in calls[other])]
            for mark, owners in by_mark.items()
        },
        may_be,
        only,
    )


def _words_of(mark: str, owners: list[Owner], is_settled: bool) -> str:
    """Return the pattern of the text after the bracket `mark` where it opens no call of `owners`.

    `is_settled` says that the dialect is known. Unless it is, the pattern does not match broken calls either, since they show the dialect. It
    never matches after the bracket of a call in `glm-4`, which is on the line after the name of the tool.
    """
    patterns = sorted({each.section.words for each in owners if isinstance(each.section, Calls)}, key=len)
    *others, longest = patterns
    above = rf"(?<![\w.\-]\n{re.escape(mark)})(?<![\w.\-]\r\n{re.escape(mark)})"
    shown = longest if is_settled else rf"(?:(?!{BEGUN_AFTER[mark]}){longest}|{longest}(?<=[\]}}]))"
    return "".join([above, *(f"(?={each})" for each in others), shown])


def _joined_section(mark: str, owners: list[Owner]) -> Section:
    """Return a copy of the section of the first of `owners`, with `mark` as its only opening mark.

    If it is a section of words, the `before` marks of all owners' sections end it.
    """
    section = owners[0].section
    if not isinstance(section, Words):
        return replace(section, opens=(mark,))
    before = dict.fromkeys(end for each in owners if isinstance(each.section, Words) for end in each.section.before)
    return replace(section, opens=(mark,), before=tuple(before))


def owners_of_marks() -> Iterator[Owner]:
    """Yield an owner for each mark of each dialect, and for each mark of thoughts that no dialect has."""
    for name in names():
        for mark, section in row_of(name).openers.sections.items():
            yield Owner(name, section, mark)
    for section in MORE_THOUGHTS:
        for mark in section.opens:
            yield Owner(_NO_DIALECT, section, mark)


def _is_thought(section: Section) -> bool:
    """Return whether `section` is one of thoughts, or one of marks that end thoughts."""
    return isinstance(section, EndOfThoughts) or (isinstance(section, Words) and section.kind == "reasoning")


@cache
def candidates_before_call(may_be: frozenset[str], only: str) -> Candidates:
    """Return the marks that count before a call is found.

    They open thoughts of any dialect, or show which dialect the text is in.

    Args:
        may_be: The dialects that the text may be in; empty for any.
        only: The dialect that it is in, if that is known; else empty.
    """

    def counts(name: str, section: Section, mark: str) -> bool:
        """Return whether `mark`, which opens `section` in dialect `name`, counts before a call is found."""
        if _is_thought(section) or (name == only and not isinstance(section, Calls)):
            return True
        if (may_be and name not in may_be) or mark == FENCE or (mark in row_of(name).stops and not may_be):
            return False
        if name != only and isinstance(section, Calls) and section.read in (read_label, read_rest):
            return False  # labels, which contain no call
        return (
            len(mark) > LONGEST_PLAIN_MARK or name in PLAIN if isinstance(section, Calls) else bool(TOKEN.search(mark))
        )

    owners = sorted(owners_of_marks(), key=lambda each: each.dialect != only)
    return _candidates((each for each in owners if counts(*each)), may_be, only, _FENCED_WORDS)


@cache
def candidates_of(name: str) -> Candidates:
    """Return the marks that count once a call of a dialect is found.

    These are its own, and those of thoughts in any dialect but the plain ones.
    """
    own = (each for each in owners_of_marks() if each.dialect == name and each.mark != FENCE)
    thoughts = (each for each in owners_of_marks() if _is_thought(each.section) and each.dialect not in PLAIN)
    return _candidates((*own, *thoughts))


@cache
def _json_fence() -> Calls:
    """Return the section of calls that a code fence opens in the dialect `json`."""
    section = row_of("json").openers.sections[FENCE]
    assert isinstance(section, Calls)
    return section


@cache
def match_of(pattern: str) -> Match | None:
    """Return the function that matches `pattern` at a place of a text, or None if `pattern` is empty."""
    return re.compile(pattern).match if pattern else None


_BRACKETS: Final = ("{", "[")
PLAIN: Final = ("react", "json", "pythonic", "react-json")
"""The dialects whose marks any text may hold. Other dialects' calls between bare braces or brackets are read by `json` too."""
TOKEN: Final = re.compile("<[|｜]")
"""The beginning of marks that are tokens of their own, and occur in no other text."""
FENCE: Final = "```"
TILDES: Final = "~~~"
TICK: Final = "`"
QUOTE: Final = ">"
_MARKDOWN: Final = {TICK: "(?!`)[^`\n]++`(?!`)", QUOTE: r"(?<=\n>)[^\n]*+"}
"""Mark -> the pattern of what is code or a quote with it, in most texts."""
_IN_CODE: Final = """[^`~\n"':<◁]*+"""
"""The pattern of code in a line that neither contains nor ends a call or a thought: arguments have a colon, and thoughts end with a tag."""
_FENCED_WORDS: Final = {
    FENCE: rf"(?!`)(?:{_IN_CODE}`{{3,}}+|(?:{_IN_CODE}\n)++[ \t]*+`{{3,}}+[ \t]*+(?=\n|\Z))",
    TILDES: rf"(?<=\n~~~)(?!~)(?:{_IN_CODE}\n)++[ \t]*+~{{3,}}+[ \t]*+(?=\n|\Z)",
}
"""Mark -> the pattern of a fence with such code."""
_THOUGHTS: Final = tuple(
    Words(opens=opens, closes=closes, kind="reasoning", nests=True)
    for opens, closes in (
        (("<THINK>", "<Think>", "< think >"), ("</think>", "</THINK>", "</Think>", "</ think >", "< /think >")),
        (("<THINKING>", "<Thinking>"), ("</thinking>", "</THINKING>", "</Thinking>")),
        (("<thought>", "<Thought>"), ("</thought>", "</Thought>")),
        (("<reasoning>", "<Reasoning>"), ("</reasoning>", "</Reasoning>")),
        (("<scratchpad>", "<Scratchpad>"), ("</scratchpad>", "</Scratchpad>")),
        (("◁think▷",), ("◁/think▷",)),
        (("<unused94>",), ("<unused95>",)),
    )
)
"""Marks of thoughts that no dialect of the table has, with the ways in which models misspell them."""
MORE_THOUGHTS: Final[tuple[Words | EndOfThoughts, ...]] = (
    *_THOUGHTS,
    *(EndOfThoughts(opens=each.closes) for each in _THOUGHTS),
)
_NO_DIALECT: Final = ""
_MEMBER: Final = r"\s{0,9}+[\"'](?:name|tool_name|function|type|id|action)[\"']\s{0,9}+:"
BEGUN_AFTER: Final = {"{": _MEMBER, "[": rf"(?:[\[\s]{{0,8}}+\{{{_MEMBER}|\s{{0,9}}+[\w.\-]++\()"}
"""Bracket -> the pattern of what follows it where a call was begun, and not where prose or other data has it."""
