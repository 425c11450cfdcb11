"""Secret values, and how they are removed from texts, JSON values, bytes and logs."""

from __future__ import annotations

import re
from binascii import a2b_base64, b2a_base64
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from logging import LogRecord

_MARK: Final = "…"
_MIN_LENGTH: Final = 4
_MIN_BASE64_LENGTH: Final = 8
"""Shortest base64 text that is searched inside longer base64: a shorter one occurs in an image by chance."""
_AUTHORIZATION: Final = re.compile(r"(basic|bearer|token|apikey) +(\S+)", re.IGNORECASE)
_HTML: Final = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}
_ESCAPED: Final = {"\t": "t", "\n": "n", "\r": "r", "\b": "b", "\f": "f"}
"""Character -> the letter that JSON and Python's `repr` write after a backslash."""
_WIDE: Final = (("utf-16-le", 2), ("utf-16-be", 2), ("utf-32-le", 4), ("utf-32-be", 4))
"""Encodings that do not extend ASCII, and the number of bytes of the shortest character in each."""

_hidden: ContextVar[tuple[Secrets, ...]] = ContextVar("fcregistry_hidden_secrets", default=())


class Secrets:
    """Values that are replaced by `…` wherever an external answer repeats them.

    It finds a value as it is, percent-encoded or escaped (JSON, HTML; also twice), in hex, and in base64, also in lines and as a part of a
    longer encoded text, as in Basic authentication. It does not replace a value of fewer than 4 characters: answers would lose much that is
    not secret. It finds no other spelling: upper case, a part of the value, or its reverse.

    Args:
        *values: The values. Of an `Authorization` header, such as `Bearer …`, the credentials are found by themselves, too; of `Basic …`
            (RFC 7617), also the decoded credentials and the password in them.
    """

    __slots__ = ("_texts",)

    def __init__(self, *values: str) -> None:
        texts = {part.strip() for value in values for part in (value, *_credentials(value))}
        self._texts = frozenset(value for value in texts if len(value) >= _MIN_LENGTH)

    def hide(self, text: str) -> str:
        """Return a text without the values.

        Args:
            text: The text.
        """
        if not self._texts:
            return text
        kinds = _kinds_in(self._texts, "utf-8", text.encode("utf-8", "surrogatepass"))
        return _pattern_of_text(self._texts, kinds).sub(_MARK, text) if kinds else text

    def hide_in_bytes(self, data: bytes) -> bytes:
        """Return bytes without the values.

        Args:
            data: Text in an encoding that extends ASCII, in UTF-16 or in UTF-32; or other bytes that may contain such text.
        """
        if not self._texts:
            return data
        data = self._hide_encoded(data, "utf-8", _MARK.encode())
        if b"\0" not in data and all(map(str.isascii, self._texts)):
            return data
        # First at positions where a character begins if the text is all of the data: one byte later, UTF-16 of the other byte order looks the same.
        for step in (True, False):
            for encoding, width in _WIDE:
                mark = _MARK.encode(encoding)
                data = self._hide_encoded(
                    data,
                    encoding,
                    lambda found: found[0] if step and found.start() % width else mark,  # noqa: B023  # called at once
                )
        return data

    def _hide_encoded(self, data: bytes, encoding: str, new: bytes | Callable[[re.Match[bytes]], bytes]) -> bytes:
        """Return `data`, in which `new`, as `re.sub` takes it, replaces the values in `encoding`."""
        kinds = _kinds_in(self._texts, encoding, data)
        return _pattern_of_bytes(self._texts, encoding, kinds).sub(new, data) if kinds else data

    def hide_in_json(self, value: Any) -> Any:
        """Return a JSON value without the values, in texts, names and numbers.

        A number that contains one becomes the text `…`.

        Args:
            value: The JSON value, as Python has it: `None`, a bool, number, str, list or dict.

        Raises:
            RecursionError: The JSON value is nested too deeply.
        """
        if not self._texts:
            return value
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, dict):
            return {self.hide(name): self.hide_in_json(part) for name, part in value.items()}
        if isinstance(value, list):
            return [self.hide_in_json(part) for part in value]
        if isinstance(value, (int, float)) and not isinstance(value, bool) and self._is_in_number(value):
            return _MARK
        return value

    def _is_in_number(self, value: float) -> bool:
        """Return whether `value`, as Python writes it, contains a secret.

        False if it has more digits than Python writes.
        """
        try:
            return any(each in str(value) for each in self._texts)
        except ValueError:  # it has more digits than Python writes
            return False

    @contextmanager
    def hide_in_logs(self, *loggers: str) -> Iterator[None]:
        """Remove the values from log records of other packages' loggers.

        This applies to records of this context, and of tasks that start in it.

        Args:
            *loggers: Names of the loggers; the loggers below them are included.
        """
        from logging import getLogger, root  # not needed before a request is sent

        if self._texts:
            below = tuple(f"{name}." for name in loggers)
            for name in (*loggers, *(name for name in list(root.manager.loggerDict) if name.startswith(below))):
                getLogger(name).addFilter(_FILTER)  # logging keeps one, however often it is added
        token = _hidden.set((*_hidden.get(), self))
        try:
            yield
        finally:
            _hidden.reset(token)

    def __repr__(self) -> str:
        return f"<Secrets: {len(self._texts)}>"

    def __reduce__(self) -> Any:
        raise TypeError("secrets are not pickled")


class _HidingFilter:
    """A logging filter that rewrites records with a secret of the context; other records do not change."""

    def filter(self, record: LogRecord) -> bool:
        from logging import Formatter

        for secrets in _hidden.get():
            message = record.getMessage()
            if (hidden := secrets.hide(message)) != message:
                record.msg, record.args = hidden, ()
            traceback = record.exc_text or (Formatter().formatException(record.exc_info) if record.exc_info else "")
            if (hidden := secrets.hide(traceback)) != traceback:
                record.exc_info, record.exc_text = None, hidden  # a formatter shows the text as it is
        return True


_FILTER: Final = _HidingFilter()


def _credentials(value: str) -> tuple[str, ...]:
    """Return the secrets in `value`, the value of an `Authorization` header, or an empty tuple.

    It is empty if `value` is not of a known scheme. Otherwise it has the credentials after the scheme, and for `Basic` the decoded pair and the
    password in it, both of which are empty texts for other schemes or invalid base64.
    """
    found = _AUTHORIZATION.fullmatch(value.strip())
    if found is None:
        return ()
    scheme, credentials = found.groups()
    try:
        pair = a2b_base64(credentials).decode() if scheme.lower() == "basic" else ""
    except ValueError:  # it is not base64, or does not encode text
        pair = ""
    return (credentials, pair, pair.partition(":")[2])


# --- Which spellings may be in a text ---

# Compiling the pattern of all spellings of a value takes up to 0.1 s, and most texts contain none of them. So a quick search first rules out kinds of
# spellings, and the pattern has only the others. It may leave kinds that are not in the text, but never rules out one that is.

_Kind: TypeAlias = Literal["plain", "escaped", "hex", "base64"]
"""The kinds of spellings: `plain` is a value without escapes, and `escaped` one with and without them."""

_ESCAPES: Final = (b"%", b"\\", b"&")
"""Every escape of a character has one of these, in each encoding."""

_BLOCK: Final = 6
"""The number of characters that are searched together: enough to be rare in other texts."""

_ALIKE: Final = bytes.maketrans(b"_", b"/")
_LEFT_OUT: Final = b"\0\t\n\r +-"
"""Bytes that a spelling may have, lack or exchange, such as white space in base64, and the zeros of wide characters."""


def _comparable(data: bytes) -> bytes:
    """Return `data` without the differences between spellings that have no escapes."""
    return data.translate(_ALIKE, _LEFT_OUT).lower()


def _kinds_in(values: frozenset[str], encoding: str, data: bytes) -> frozenset[_Kind]:
    """Return the kinds of spellings of `values` that may be in `data`, a text in `encoding`; often none.

    Of some blocks of a value, one is in the text as it is, or each has an escape: so one block more than there are escapes says enough.
    """
    shortest, spellings = _blocks_of(values, encoding)
    if len(data) < shortest:
        return _NONE
    text, escapes = _comparable(data), sum(map(data.count, _ESCAPES))
    found: list[_Kind] = []
    for kind, blocks in spellings:
        if kind == "plain" and escapes >= len(blocks):
            found.append("escaped")
            continue
        for block in blocks[: escapes + 1]:
            if block in text:
                found.append("escaped" if kind == "plain" and escapes else kind)
                break
    return frozenset(found) if found else _NONE


_NONE: Final[frozenset[_Kind]] = frozenset()


@lru_cache(maxsize=128)
def _blocks_of(values: frozenset[str], encoding: str) -> tuple[int, list[tuple[_Kind, tuple[bytes, ...]]]]:
    """Return the least number of bytes that a spelling of `values` has, and the kind of each spelling with blocks of it.

    The blocks do not overlap. They are in `encoding`, as `_comparable` returns them.
    """

    def block(text: str) -> bytes:
        return _comparable(text.encode(encoding, "surrogatepass"))

    found: list[tuple[_Kind, tuple[bytes, ...]]] = []
    for form, kind in _spellings(values).items():
        if kind == "plain":
            starts = range(
                max(len(form) - _BLOCK, 0), -1, -_BLOCK
            )  # from its end: the beginning may be that of many keys
            found.append((kind, tuple(block(form[start : start + _BLOCK]) for start in starts)))
        else:  # letters and digits are not escaped
            found.append((kind, (block(max(re.findall("[A-Za-z0-9]*", form), key=len)),)))
    return min(map(len, values)), found  # base64 that is shorter than its value is not searched


def _spellings(values: Iterable[str]) -> dict[str, _Kind]:
    """Return the texts as which each of `values` is spelled, without escapes, and the kind of each."""
    spelled: dict[str, _Kind] = {}
    for value in values:
        spelled[value] = "plain"
        octets = value.encode("utf-8", "surrogatepass")
        spelled.setdefault(octets.hex(), "hex")
        twice = b2a_base64(b2a_base64(octets, newline=False), newline=False).decode()
        for form in (*_base64_forms(octets), twice):
            spelled.setdefault(form, "base64")
    return spelled


# --- Patterns ---


@lru_cache(maxsize=64)  # a client makes the same secrets for each request
def _pattern_of_text(values: frozenset[str], kinds: frozenset[_Kind]) -> re.Pattern[str]:
    """Return the cached pattern that finds each of `values` in a text, in its spellings of the kinds `kinds`."""
    return re.compile(_pattern(values, kinds, re.escape))


@lru_cache(maxsize=128)
def _pattern_of_bytes(values: frozenset[str], encoding: str, kinds: frozenset[_Kind]) -> re.Pattern[bytes]:
    """Return the cached pattern that finds each of `values` in bytes in `encoding`, in its spellings of the kinds `kinds`."""

    def literal(text: str) -> str:
        return re.escape(text.encode(encoding, "surrogatepass").decode("latin-1"))

    return re.compile(_pattern(values, kinds, literal).encode("latin-1"))


def _pattern(values: Iterable[str], kinds: frozenset[_Kind], literal: Callable[[str], str]) -> str:
    """Return a regular expression that matches each of `values` in its spellings of the kinds `kinds`.

    The longest spellings are tried first.

    Args:
        values: The values, none of which is empty.
        kinds: The kinds; `escaped` includes `plain`.
        literal: Returns a regular expression that matches a text exactly.
    """
    spelled: dict[str, str] = {}
    for form, kind in _spellings(values).items():
        if kind == "plain" and "escaped" in kinds:
            spelled[form] = "".join(_character_pattern(char, literal) for char in form)
        elif kind not in kinds:
            continue
        elif kind == "plain":
            spelled[form] = "".join(f"(?:{'|'.join(map(literal, (char, *_in_url(char))))})" for char in form)
        else:
            spelled[form] = f"(?i:{literal(form)})" if kind == "hex" else _base64_pattern(form, literal)
    # The first character rules out nearly every position, which is quicker than trying each spelling.
    first = {*"\\%&+-_", *(case for form in spelled for case in (form[0], form[0].upper()))}
    ways = "|".join(spelled[form] for form in sorted(spelled, key=len, reverse=True))
    return f"(?={'|'.join(map(literal, sorted(first)))})(?:{ways})"


def _base64_forms(octets: bytes) -> Iterator[str]:
    """Yield `octets` in base64, and the parts of it that do not depend on the bytes around them.

    There is one such part for each of the three positions in a group of three bytes, unless it has fewer than `_MIN_BASE64_LENGTH` digits. Four
    digits of 6 bits encode a group, so a digit at either end may have bits of a neighbour.
    """
    yield b2a_base64(octets, newline=False).decode()
    for before in range(3):  # the number of other bytes that precede these in a group
        encoded = b2a_base64(bytes(before) + octets, newline=False).decode()
        first = (before * 8 + 5) // 6  # rounded up: the first digit without bits of the byte before
        end = (before + len(octets)) * 8 // 6  # rounded down: a last digit may have bits of the byte after
        own_digits = encoded[first:end]
        if len(own_digits) >= _MIN_BASE64_LENGTH:
            yield own_digits


def _base64_pattern(form: str, literal: Callable[[str], str]) -> str:
    """Return a regular expression for the base64 text `form` with white space between any two characters.

    Letters and digits are never escaped; other characters are in each of their spellings. `literal` is as for `_pattern`.
    """
    gap = "(?:" + "|".join(map(literal, " \t\r\n")) + ")*"
    return gap.join(literal(char) if char.isalnum() else _character_pattern(char, literal) for char in form)


def _character_pattern(char: str, literal: Callable[[str], str]) -> str:
    """Return a regular expression for the character `char` in each of its spellings.

    They are itself, percent-encoded, and escaped as in JSON or HTML, also twice. `literal` is as for `_pattern`.
    """
    units = char.encode("utf-16-be", "surrogatepass").hex()
    percent = f"{literal('%')}(?:{literal('25')})*"
    escape = f"(?i:{literal(chr(92))}|{percent}{literal('5c')})"
    reference = f"{literal('&')}(?:{literal('amp;')})*"
    zeros = f"{literal('#')}%s(?:{literal('0')})*"
    ways = [
        "".join(percent + literal(f"{octet:02x}") for octet in char.encode("utf-8", "surrogatepass")),
        "".join(f"{escape}{{1,2}}{literal('u' + units[place : place + 4])}" for place in range(0, len(units), 4)),
        f"{reference}{zeros % ''}{literal(f'{ord(char)};')}",
        f"{reference}{zeros % literal('x')}{literal(f'{ord(char):x};')}",
    ]
    if char in _HTML:
        ways.append(reference + literal(_HTML[char] + ";"))
    if char in _ESCAPED:
        ways.append(f"{escape}{{1,3}}{literal(_ESCAPED[char])}")
    if char == chr(92):
        ways.insert(0, f"{escape}{{1,4}}")
    ways += map(literal, _in_url(char))
    spelling = (
        f"(?:(?i:{'|'.join(ways)})|{literal(char)})"  # the character comes last, since other spellings begin with it
    )
    return f"{escape}{{0,3}}{spelling}" if char in "\"'/" else spelling


def _in_url(char: str) -> str:
    """Return the other character that `char` is in a query string, or in base64 for URLs; empty if there is none."""
    return {" ": "+", "+": "-", "/": "_"}.get(char, "")
