"""Secret values, and how texts, JSON values, bytes and logs are kept free of them."""

from __future__ import annotations

import re
from binascii import a2b_base64, b2a_base64
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from logging import LogRecord

_MARK: Final = "…"
_SHORTEST: Final = 4
_SHORTEST_INNER: Final = 8
"""Characters of base64 that are taken for a part of a longer one: fewer are found in an image by chance."""
_AUTHORIZATION: Final = re.compile(r"(basic|bearer|token|apikey) +(\S+)", re.IGNORECASE)
_HTML: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
_ESCAPED: Final = {
    "\\": r"\\{1,4}",
    **{char: rf"\\{{1,3}}{letter}" for char, letter in zip("\"'/\t\n\r\b\f", "\"'/tnrbf", strict=True)},
}
"""What JSON, and Python's `repr`, write for a character; up to twice, as JSON within a JSON string."""

_hidden: ContextVar[tuple[Secrets, ...]] = ContextVar("fcregistry_hidden_secrets", default=())


class Secrets:
    """Values that are replaced by `…` wherever a stranger repeats them.

    A value is found as it is, percent-encoded, in base64 (also as a part of what was encoded, as in Basic authentication), and escaped as
    JSON or HTML escape it. One of fewer than 4 characters is not replaced: answers would lose much that is no secret.

    Args:
        *values: The values. Of an `Authorization` header, such as `Bearer …`, the credentials are found by themselves, too; of `Basic …`
            (RFC 7617), what they encode and the password in it.
    """

    __slots__ = ("_bytes", "_text", "_texts")

    def __init__(self, *values: str) -> None:
        meant = {part.strip() for value in values for part in (value, *_credentials(value))}
        kept = {value for value in meant if len(value) >= _SHORTEST}
        forms = {*kept, *(form for value in kept for form in _base64_forms(value))}
        pattern = "|".join("".join(map(_spelling, form)) for form in sorted(forms, key=len, reverse=True))
        self._texts = kept
        self._text = re.compile(pattern) if kept else None
        self._bytes = re.compile(pattern.encode("utf-8", "surrogatepass")) if kept else None

    def hide(self, text: str) -> str:
        """Return a text without the values."""
        return text if self._text is None else self._text.sub(_MARK, text)

    def hide_in_bytes(self, data: bytes) -> bytes:
        """Return bytes without the values, where these are written in an encoding that extends ASCII."""
        return data if self._bytes is None else self._bytes.sub(_MARK.encode(), data)

    def hide_in_json(self, value: Any) -> Any:
        """Return a JSON value without the values: in texts and names, and in numbers, of which a text is left.

        Raises:
            RecursionError: It is nested too deeply.
        """
        if self._text is None:
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
        try:
            return any(each in str(value) for each in self._texts)
        except ValueError:  # more digits than Python writes
            return False

    @contextmanager
    def hide_in_logs(self, *loggers: str) -> Iterator[None]:
        """Keep the values out of what this context, and tasks that begin in it, log through other packages' loggers.

        Args:
            *loggers: Names of the loggers; those below them are meant, too.
        """
        from logging import getLogger, root  # not before a request is sent

        if self._text is not None:
            below = tuple(f"{name}." for name in loggers)
            for name in (*loggers, *(name for name in list(root.manager.loggerDict) if name.startswith(below))):
                getLogger(name).addFilter(_FILTER)  # which is there once, however often it is added
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
    """Rewrites log records that show a secret of the context; every other record stays as it is."""

    def filter(self, record: LogRecord) -> bool:
        from logging import Formatter

        for secrets in _hidden.get():
            said = record.getMessage()
            if (hidden := secrets.hide(said)) != said:
                record.msg, record.args = hidden, ()
            raised = record.exc_text or (Formatter().formatException(record.exc_info) if record.exc_info else "")
            if (hidden := secrets.hide(raised)) != raised:
                record.exc_info, record.exc_text = None, hidden  # a formatter shows the text as it is
        return True


_FILTER: Final = _HidingFilter()


def _credentials(value: str) -> tuple[str, ...]:
    found = _AUTHORIZATION.fullmatch(value.strip())
    if found is None:
        return ()
    scheme, credentials = found.groups()
    try:
        pair = a2b_base64(credentials).decode() if scheme.lower() == "basic" else ""
    except ValueError:  # it is not base64, or not of a text
        pair = ""
    return (credentials, pair, pair.partition(":")[2])


def _base64_forms(value: str) -> Iterator[str]:
    """Yield a value in base64, and what is the same of it wherever it begins in a longer text that is encoded."""
    data = value.encode("utf-8", "surrogatepass")
    yield b2a_base64(data, newline=False).decode()
    for before in range(3):
        encoded = b2a_base64(bytes(before) + data, newline=False).decode()
        same = encoded[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        if len(same) >= _SHORTEST_INNER:
            yield same


def _spelling(char: str) -> str:
    """Return a pattern for a character in each of its spellings; nobody escapes letters and digits."""
    if char.isascii() and char.isalnum():
        return char
    units = char.encode("utf-16-be", "surrogatepass").hex()
    ways = [table[char] for table in (_ESCAPED, _HTML) if char in table]
    ways += [
        "".join(f"%{octet:02X}" for octet in char.encode("utf-8", "surrogatepass")),
        "".join(rf"\\{{1,2}}u{units[place : place + 4]}" for place in range(0, len(units), 4)),
        f"&#0*{ord(char)};",
        f"&#x0*{ord(char):x};",
        *{" ": [r"\+"], "+": ["-"], "/": ["_"]}.get(char, []),  # in a query; in base64 for URLs
        re.escape(char),  # the last, since others begin with it
    ]
    return f"(?i:{'|'.join(ways)})"
