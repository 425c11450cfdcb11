"""Which commands may run: rules that the operator writes, and the program that a word means."""

from __future__ import annotations

import fnmatch
import os
import re
import shlex
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fcregistry.errors import DefinitionError, ToolError

ANY: Final = "…"
"""The last word of a rule that allows any further words; three dots mean the same."""

_MOST_SHOWN: Final = 20


class Rules:
    """The rules of the commands that may run.

    Args:
        rules: One rule a command: its words, separated by blanks and quoted as in a POSIX shell. The first word is the program, and is
            compared exactly. Each further word is a glob: `*` and `?` match characters other than `/`, `**` any characters, `[ab]` and `[!ab]` one
            of a set. `…` or `...` as the last word allows any further words. None allows every command.

    Raises:
        DefinitionError: A rule is not a text, is empty, or has a quote that is not closed or a range that is reversed.
    """

    def __init__(self, rules: Iterable[str] | None) -> None:
        if isinstance(rules, str):
            raise DefinitionError(f"allow= takes a list of rules, as in allow=[{rules!r}]")
        wrong: list[str] = []
        self.texts: tuple[str, ...] | None = None if rules is None else tuple(rules)
        self._rules: list[_Rule] = []
        for rule in self.texts or ():
            try:
                self._rules.append(_Rule.of(shlex.split(rule)))
            except (ValueError, AttributeError, TypeError) as error:
                wrong.append(f"allow={rule!r:.80}: {error}")
        if wrong:
            raise DefinitionError("these rules allow nothing:", wrong)

    def check(self, words: Sequence[str]) -> None:
        """Check that a command may run.

        Raises:
            ToolError: No rule allows it; the model reads which rules there are.
        """
        if self.texts is None or any(rule.allows(words) for rule in self._rules):
            return
        shown = "\n".join(f"- {rule}" for rule in self.texts[:_MOST_SHOWN]) or "- none"
        raise ToolError(
            f"{shlex.join(words)[:200]} is not allowed here; nothing was run. The commands that are allowed:\n{shown}"
        )


@dataclass(frozen=True, slots=True)
class _Rule:
    """One rule: the program, the globs of its arguments, and whether any further words may follow."""

    program: str
    globs: tuple[_Glob, ...]
    is_open: bool

    @classmethod
    def of(cls, words: Sequence[str]) -> _Rule:
        """Return the rule with these words; raise `ValueError` if it is not valid."""
        if not words or words[0] in (ANY, "..."):
            raise ValueError("a rule begins with the name of a program")
        is_open = words[-1] in (ANY, "...")
        globs = words[1:-1] if is_open else words[1:]
        return cls(words[0], tuple(_Glob.of(glob) for glob in globs), is_open)

    def allows(self, words: Sequence[str]) -> bool:
        """Return whether the command `words` matches."""
        program, *given = words
        if (
            program != self.program
            or len(given) < len(self.globs)
            or (len(given) > len(self.globs) and not self.is_open)
        ):
            return False
        return all(glob.matches(word) for glob, word in zip(self.globs, given, strict=False))


_PARTS: Final = re.compile(r"\*\*|\*|\[!?+\]?+[^\]]*\]|.", re.DOTALL)
"""The parts of a glob: stars, `?`, sets as `fnmatch` delimits them, and other characters."""


@dataclass(frozen=True, slots=True)
class _Glob:
    """The glob of one word.

    The standard library translates each part. Its translation of a whole glob lets `*` match `/`, so stars are repeated here.

    Attributes:
        parts: For each part, a pattern of one character.
        stars: The indexes of the stars, whose characters may come any number of times, in order.
    """

    parts: tuple[re.Pattern[str], ...]
    stars: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> _Glob:
        """Return the glob `text`; raise `ValueError` if a range in a set is reversed."""
        parts = _PARTS.findall(text)
        stars = tuple(index for index, part in enumerate(parts) if part in ("*", "**"))
        return cls(tuple(_character(part) for part in parts), stars)

    def matches(self, word: str) -> bool:
        """Return whether the glob matches `word`. The time grows at most with the product of their lengths."""
        places = self._skip_stars({0})  # how many parts the characters so far may match
        for character in word:
            found = [place for place in places if place < len(self.parts) and self.parts[place].match(character)]
            places = self._skip_stars({place if place in self.stars else place + 1 for place in found})
        return len(self.parts) in places

    def _skip_stars(self, places: set[int]) -> set[int]:
        """Return `places`, and the place after each star that follows one of them: a star may match nothing."""
        for star in self.stars:
            if star in places:
                places.add(star + 1)
        return places


def _character(part: str) -> re.Pattern[str]:
    """Return a pattern of the characters that `part` of a glob matches.

    Raise `ValueError` if a range in a set is reversed.
    """
    if part == "**":
        return re.compile(".", re.DOTALL)
    is_set = len(part) > 2
    for first, last in re.findall("(.)-(.)", part[1:-1].removeprefix("!"), re.DOTALL) if is_set else ():
        if first > last:
            raise ValueError(f"the range {first}-{last} in {part} is reversed, so that it matches nothing")
    stops = part in ("*", "?") or (is_set and part[1] == "!")
    return re.compile(f"{'(?!/)' if stops else ''}{fnmatch.translate('?' if part == '*' else part)}")


def program_of(word: str, folder: str, environment: Mapping[str, str]) -> str:
    """Return the path of the program that `word`, the first word of a command, names.

    A plain name is looked up in the absolute folders of `PATH`, so never in the working folder. A path is relative to `folder`.

    Raises:
        ToolError: There is no such program.
    """
    if os.sep in word or (os.altsep is not None and os.altsep in word):
        path = Path(folder, word)
        found = str(path) if path.is_file() and os.access(path, os.X_OK) else None
    else:
        places = [each for each in environment.get("PATH", os.defpath).split(os.pathsep) if Path(each).is_absolute()]
        found = shutil.which(word, path=os.pathsep.join(places)) if places else None
    if found is None:
        raise ToolError(f"there is no program {word!r:.200} here; nothing was run")
    return found
