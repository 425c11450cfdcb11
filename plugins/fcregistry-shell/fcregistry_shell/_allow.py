"""Which commands may run: rules that the operator writes, and the program that a word means."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
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
        DefinitionError: A rule is not a text, is empty, or has a quote that is not closed.
    """

    def __init__(self, rules: Iterable[str] | None) -> None:
        if isinstance(rules, str):
            raise DefinitionError(f"allow= takes a list of rules, as in allow=[{rules!r}]")
        wrong: list[str] = []
        self.texts: tuple[str, ...] | None = None if rules is None else tuple(rules)
        self._rules: list[list[str]] = []
        for rule in self.texts or ():
            try:
                words = shlex.split(rule)
            except (ValueError, AttributeError, TypeError) as error:
                wrong.append(f"allow={rule!r:.80}: {error}")
                continue
            if not words or words[0] in (ANY, "..."):
                wrong.append(f"allow={rule!r:.80}: a rule begins with the name of a program")
            self._rules.append(words)
        if wrong:
            raise DefinitionError("these rules allow nothing:", wrong)

    def check(self, words: Sequence[str]) -> None:
        """Check that a command may run.

        Raises:
            ToolError: No rule allows it; the model reads which rules there are.
        """
        if self.texts is None or any(_matches(rule, words) for rule in self._rules):
            return
        shown = "\n".join(f"- {rule}" for rule in self.texts[:_MOST_SHOWN]) or "- none"
        raise ToolError(
            f"{shlex.join(words)[:200]} is not allowed here; nothing was run. The commands that are allowed:\n{shown}"
        )


def _matches(rule: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether `rule` allows the command `words`."""
    if rule[-1] in (ANY, "..."):
        rule, words = rule[:-1], words[: len(rule) - 1]
    return (
        len(rule) == len(words)
        and rule[0] == words[0]
        and all(_glob(pattern).fullmatch(word) for pattern, word in zip(rule[1:], words[1:], strict=True))
    )


_PARTS: Final = re.compile(r"\*\*|\*|\?|\[!?[^\]]+\]|.", re.DOTALL)


@lru_cache(maxsize=512)
def _glob(pattern: str) -> re.Pattern[str]:
    """Return the compiled regular expression of the glob `pattern`."""
    return re.compile("".join(map(_part, _PARTS.findall(pattern))), re.DOTALL)


def _part(part: str) -> str:
    """Return `part`, a character, a wildcard or a set of a glob, as a regular expression."""
    known = {"**": ".*", "*": "[^/]*", "?": "[^/]"}.get(part)
    if known is not None:
        return known
    if len(part) > 1:
        inner = part[1:-1].removeprefix("!")
        return f"[{'^/' if part[1] == '!' else ''}{inner.replace(chr(92), chr(92) * 2).replace('^', chr(92) + '^')}]"
    return re.escape(part)


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
