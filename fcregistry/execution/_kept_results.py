"""Results of which a model saw only a part: where they are kept, and the tool `read_result` that reads them.

An executor with `keep=…` has the tool, but does not list it. A run, or a conversation, has its own `KeptResults`; once there is a result in it,
the model is offered the tool. No run can read what another one kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

from annotated_types import Interval

from fcregistry._base import slots
from fcregistry._results.context import Context
from fcregistry._tools.tool import Tool
from fcregistry.errors import ToolError
from fcregistry.execution._limits import READ_RESULT, kept_name, kept_text

if TYPE_CHECKING:
    from fcregistry._results.result import ToolResult

_SHOWN_IDS: Final = 5


class KeptResults:
    """The results of one run, or one conversation, of which the model saw only a part.

    Attributes:
        texts: The whole texts, by the ids that the model reads in place of what was cut.
    """

    __slots__ = ("texts",)

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self.texts)

    def note(self, results: Iterable[ToolResult]) -> None:
        """Keep the whole of each result that was cut, if the model has read its id."""
        for result in results:
            if result.whole is None:
                continue
            text, ending = kept_text(result.whole, result.value)
            name = kept_name(text.encode("utf-8", "backslashreplace"), ending)
            if name in result.content:  # not if only an image was left out, or the folder could not be written
                self.texts[name] = text

    def with_deps(self, deps: Sequence[Any]) -> Sequence[Any]:
        """Return the `deps` of calls, with these results if there are any."""
        return (*deps, self) if self.texts else deps

    def find(self, id: str) -> str:
        """Return the text of an id, or of the path of its file.

        Raises:
            ToolError: No result of this id was kept.
        """
        text = self.texts.get(id.replace("\\", "/").rpartition("/")[2])
        if text is None:
            known = ", ".join(list(self.texts)[-_SHOWN_IDS:]) or "none"
            raise ToolError(f"no result is kept under the id {id!r:.80}; the ids of this run: {known}")
        return text


class ResultReader:
    """The function of the tool `read_result`.

    Args:
        most: The most characters that a result may have.
    """

    def __init__(self, most: int) -> None:
        self.most = most

    def __call__(
        self,
        id: str,
        offset: Annotated[int, Interval(ge=0)] = 0,
        limit: Annotated[int, Interval(ge=1)] | None = None,
        pattern: str = "",
        *,
        context: Context[KeptResults],
    ) -> str:
        """Read more of a result of which you saw only a part.

        Give offset to read on from a place, or pattern to find lines.

        Args:
            id: The file name in the line that says how many characters are left out.
            offset: The character to begin with; 0 is the first.
            limit: The most characters to read.
            pattern: A regular expression, without look-around and back-references. Only lines that match it are returned, each after its
                offset.
            context: The call, with the results of its run.
        """
        text = context.deps.find(id)
        longest = _last_line(len(text), len(text), len(text) + 1)
        room = max(self.most - len(longest), 1)
        room = room if limit is None else min(limit, room)
        if offset >= len(text):
            raise ToolError(f"offset {offset} is behind the end: the result has {len(text)} characters")
        if not pattern:
            end = min(offset + room, len(text))
            return text[offset:end] + _last_line(offset, end, len(text))
        found, end = _matching_lines(text, offset, room, _matcher(pattern))
        return (found or "no line matches") + _last_line(offset, end, len(text))


def result_reader(most: int) -> Tool:
    """Return the tool that reads kept results.

    Args:
        most: The most characters that a result may have.
    """
    return Tool.from_function(ResultReader(most), name=READ_RESULT, read_only=True, idempotent=True, open_world=False)


def _last_line(begin: int, end: int, total: int) -> str:
    more = f"; read on with offset={end}" if end < total else ""
    return f"\n[characters {begin} to {end} of {total}{more}]"


def _matching_lines(text: str, offset: int, room: int, matches: Callable[[str], bool]) -> tuple[str, int]:
    """Return the lines that match, each after its offset, and the offset of the first character that was not looked at.

    Args:
        text: The text.
        offset: The character to begin with.
        room: How many characters may be returned. A longer first line is cut.
        matches: Whether a line matches.
    """
    found = ""
    for begin, line in _lines(text, offset):
        if not matches(line):
            continue
        shown = f"{begin}: {line}\n"
        if len(found) + len(shown) - 1 > room:
            return (found or shown[:room]).rstrip("\n"), begin if found else begin + len(line)
        found += shown
    return found.rstrip("\n"), len(text)


def _lines(text: str, offset: int) -> Iterator[tuple[int, str]]:
    """Yield lines with their offsets, without their ends."""
    while offset < len(text):
        end = text.find("\n", offset)
        end = len(text) if end < 0 else end
        yield offset, text[offset:end].removesuffix("\r")
        offset = end + 1


def _matcher(pattern: str) -> Callable[[str], bool]:
    """Return the check of a pattern, in linear time: a model wrote it.

    Raises:
        ToolError: It is not a pattern.
    """
    from fcregistry._schema.drafts import SchemaError  # heavy

    try:
        return slots.pattern_matcher(pattern)
    except SchemaError as error:
        raise ToolError(str(error)) from None
