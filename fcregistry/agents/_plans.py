"""Which steps does the text of a plan have? What it numbers, or lists; a text that does neither is one step.

The marks are told from one another, so that a list within a step stays in it: the steps are what has the mark that stands first in the table
below and is indented least. What comes before the first step, and a paragraph after the last one, belong to none.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_CHINESE: Final = "[一二三四五六七八九十百]{1,4}"
_STOPS: Final = ".):、．："  # noqa: RUF001  # what stands after a number, in Chinese too
_WORDS: Final = "step|task|phase|schritt|étape|etape|paso|passo|etapa|шаг|步骤|第"
_COUNTED: Final = "one|two|three|four|five|six|seven|eight|nine|ten"

_MARKS: Final = {
    "step": rf"(?:{_WORDS})\s*(?:\d{{1,3}}|{_CHINESE}|{_COUNTED})\s*步?(?:\s*[{_STOPS},，–—-]|(?=[\s*_])|$)",  # noqa: RUF001  # as above
    "number": rf"(?:[(\[（]\s*\d{{1,3}}\s*[)\]）]|\d{{1,3}}\s?[{_STOPS}](?!\d))",  # noqa: RUF001  # as above
    "chinese": rf"(?:[(（]\s*{_CHINESE}\s*[)）]|{_CHINESE}\s?[{_STOPS}，])",  # noqa: RUF001  # as above
    "circled": "[①-⑳]",
    "bullet": r"(?:[-+•–—‣◦]|\*(?!\*))(?=\s)",  # noqa: RUF001  # what models write for bullets
    "letter": r"\(?(?:[A-Z]|[IVX]{2,5})[.)](?=\s)",
    "dashed": r"\d{1,3}\s+[-–—](?=\s)",  # noqa: RUF001  # as above
}
"""How steps are marked, the surest first."""

_NOT_ALONE: Final = frozenset({"letter", "dashed"})
"""What marks steps only where several lines have it: a sentence may begin with `I.`, and a sum with `20 - 3`."""

_LINE: Final = re.compile(
    r"(?P<indent>\s*)(?:[-+*•]\s+)?(?P<heading>#{1,6}\s+)?(?P<bold>\*\*|__)?"
    rf"(?:{'|'.join(f'(?P<{kind}>{mark})' for kind, mark in _MARKS.items())})"
    r"\s*(?P<text>.*)",
    re.IGNORECASE | re.DOTALL,
)
_LABEL: Final = re.compile(r"(?:[*_#\s]*plan[*_\s]*[:：][*_\s]*)?", re.IGNORECASE)  # noqa: RUF001  # as above
_FENCE: Final = "```"


class _Mark(NamedTuple):
    """The beginning of a step, perhaps."""

    line: int
    kind: str
    indent: int
    text: str
    is_title: bool


def steps_of(text: str) -> tuple[str, ...]:
    """Return the steps of a plan, without their marks; none if it says nothing.

    Args:
        text: What a planner wrote.
    """
    lines = text.expandtabs(4).splitlines()
    marks = _steps_among([mark for number, line in enumerate(lines) if (mark := _mark(number, line))])
    if not marks:
        prose = _LABEL.sub("", text, count=1).strip()
        return (prose,) if prose else ()
    ends = [mark.line for mark in marks[1:]]
    steps = [_joined(mark, lines[mark.line + 1 : end]) for mark, end in zip(marks, ends, strict=False)]
    last = marks[-1]
    rest = lines[last.line + 1 :]
    steps.append(_joined(last, rest if last.is_title else _without_closing(rest, last.indent)))
    return tuple(filter(None, steps))


def _mark(number: int, line: str) -> _Mark | None:
    found = _LINE.match(line)
    if found is None or found.lastgroup is None:
        return None
    kind = next(kind for kind in _MARKS if found[kind])
    text = found["text"].strip()
    is_title = bool(found["heading"])
    if found["bold"]:
        is_title = is_title or text.endswith(found["bold"])
        text = text.replace(found["bold"], "", 1).lstrip(f"{_STOPS}–—- ").rstrip()  # noqa: RUF001  # as above
    return _Mark(number, kind, len(found["indent"]), text, is_title)


def _steps_among(marks: list[_Mark]) -> list[_Mark]:
    """Return the marks that begin steps: of the surest kind there is, and indented least."""
    for kind in _MARKS:
        found = [mark for mark in marks if mark.kind == kind]
        least = min((mark.indent for mark in found), default=0)
        found = [mark for mark in found if mark.indent <= least + 1]
        if found and (len(found) > 1 or kind not in _NOT_ALONE):
            return found
    return []


def _joined(mark: _Mark, lines: list[str]) -> str:
    step = "\n".join([mark.text, *(line.rstrip() for line in lines)]).strip()
    if step.count(_FENCE) % 2:  # the end of a fence around the plan
        step = step.removesuffix(_FENCE).rstrip()
    return step


def _without_closing(lines: list[str], indent: int) -> list[str]:
    """Return the lines of the last step: up to the first paragraph that is indented no more than the step itself."""
    for number, line in enumerate(lines):
        after_blank = number > 0 and not lines[number - 1].strip()
        if after_blank and line.strip() and len(line) - len(line.lstrip()) <= indent and not _LINE.match(line):
            return lines[:number]
    return lines
