"""Which tokens stand between the brackets of a call that Python would read? Told string-aware, of text that comes in pieces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

from fcregistry._base.json import MAX_DEPTH
from fcregistry.dialects._waking import one_of

if TYPE_CHECKING:
    from fcregistry.dialects._source import Reading, Source

Token: TypeAlias = "tuple[str, str]"
"""What a token is, and its text: a `number`, `string` or `word`, a bracket, `,`, `:`, `=` or `**`, or `odd`: what no literal holds."""

_TOKEN: Final = re.compile(
    r"""\s*+(?:
      (?P<mark>[\[\](){},:=]|\*\*)
    | (?P<string>[rRuUbBfF]{0,2}+(?:
          '''(?>[^'\\]+|\\.|'(?!''))*+'''
        | \"\"\"(?>[^"\\]+|\\.|"(?!""))*+\"\"\"
        | '(?!'')(?>[^'\\]+|\\.)*+'
        | "(?!"")(?>[^"\\]+|\\.)*+"))
    | (?P<opened>[rRuUbBfF]{0,2}+['"])
    | (?P<number>[+-]?(?:0[xX][\da-fA-F_]++|0[oO][0-7_]++|0[bB][01_]++
        |(?:(?:0|[1-9][0-9_]*+)(?:\.[0-9_]*+)?|\.[0-9][0-9_]*+)(?:[eE][+-]?[0-9]++)?)(?![\w.'"]))
    | (?P<word>\w[\w.\-]*+(?!['"]))
    | (?P<odd>\w[\w.\-]*+['"]|\S))""",
    re.VERBOSE | re.DOTALL,
).match
_LOOSE: Final = re.compile(r"\s*+[\w.+\-]*+\Z").match
"""Text that more of its kind may follow: a number, or a word, which is not all there."""
_MAY_CLOSE: Final = one_of(")]}")
"""What is waited for: nothing is told before a call is complete."""
_LONGEST_DOUBT: Final = 3
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}

_INSIDE: Final = {
    "'": re.compile(r"(?>[^'\\]+|\\.)*", re.DOTALL),
    '"': re.compile(r'(?>[^"\\]+|\\.)*', re.DOTALL),
}
_AWAITED: Final = {"'": one_of("'"), '"': one_of('"')}
_PREFIX: Final = re.compile("[a-zA-Z]*")


def take_tokens(source: Source) -> Reading[list[Token] | None]:
    """Take text up to the bracket that closes an opened `(`, and return what is between; None where it is never closed.

    An apostrophe within a word opens no string, so that prose in the place of a value hides nothing behind it.
    """
    tokens: list[Token] = []
    open_brackets = [")"]
    while True:
        found = _TOKEN(source.text, source.place)
        if found is None or found.lastgroup == "opened" or found.end() > len(source.text) - _LONGEST_DOUBT:
            found = yield from _certain(source)
            if found is None:
                return None
        kind = found.lastgroup or ""
        source.place = found.start(kind)
        if kind == "opened":
            whole = yield from _string(source)
            if whole is None:
                return None
            tokens.append(("string", whole))
            continue
        text = found[kind]
        source.place = found.end()
        if kind != "mark":
            tokens.append((kind, text))
            continue
        if text in _CLOSING:
            open_brackets.append(_CLOSING[text])
            if len(open_brackets) > MAX_DEPTH + 1:
                return None
        elif text in ")]}":
            if open_brackets.pop() != text:
                return None
            if not open_brackets:
                return tokens
        tokens.append((text, text))


def _certain(source: Source) -> Reading[re.Match[str] | None]:
    """Return the next token once no text that comes can change it; None where there is none."""
    while True:
        found = _TOKEN(source.text, source.place)
        if source.ended or (found and found.lastgroup in ("mark", "opened")):
            return found
        loose = _LOOSE(source.text, source.place)
        if found and found.end() < len(source.text) and not loose:
            return found
        yield _MAY_CLOSE


def _string(source: Source) -> Reading[str | None]:
    """Take a string that is not all there yet, and return it as it is written; None if it is cut off."""
    pieces = [(yield from source.run(_PREFIX))]
    quote = source.text[source.place]
    mark = (yield from source.take(quote * 3)) or quote
    if mark == quote:
        source.place += 1
    pieces.append(mark)
    while True:
        pieces.append((yield from source.run(_INSIDE[quote], _AWAITED[quote], "\\")))
        if (yield from source.take(mark)):
            return "".join([*pieces, mark])
        if not source.text.startswith(quote, source.place):
            return None
        source.place += 1
        pieces.append(quote)
