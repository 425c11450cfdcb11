"""What is a tool called on a provider's wire, where not every name of ours may stand?

A name that fits stays as it is. In any other, each character that may not stand where it stands becomes `_xHH_`, its code in hexadecimal:
`9lives` is `_x39_lives` to Gemini, and `get-weather` is `get_x2d_weather` in Python. No two names become one:

- In a rewritten name `_x` begins nothing else, since an `x` after `_` is rewritten too; and a name that fits, but holds `_xHH_`, is rewritten
  all the same.
- A name that becomes too long is cut, and ends in `_xz` and a hash of it; a name that ends so by itself is rewritten too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_LIKE_REWRITTEN = re.compile(r"_x[0-9a-f]{2}_|_xz[0-9a-f]{10}\Z")
_HASH = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Alphabet:
    """Which of our names may stand on a provider's wire. All of ours are of ASCII letters, digits, `_` and `-`, up to 64 characters.

    Attributes:
        first: A regular expression of the characters that a name may begin with.
        rest: The same of those that may follow.
        longest: How many characters a name may have; None for any number.
        reserved: Words that are no names.
    """

    first: str
    rest: str
    longest: int | None = None
    reserved: frozenset[str] = frozenset()

    def fits(self, name: str) -> bool:
        """Tell whether a name may stand as it is."""
        is_short = self.longest is None or len(name) <= self.longest
        return is_short and name not in self.reserved and bool(re.fullmatch(f"{self.first}{self.rest}*", name))

    def wire_name(self, name: str) -> str:
        """Return what stands for a name: the same each time, and no other name's."""
        if self.fits(name) and not _LIKE_REWRITTEN.search(name):
            return name
        rewritten = self._rewritten(name)
        if self.longest is None or len(rewritten) <= self.longest:
            return rewritten
        from hashlib import sha256  # rarely needed, and 2 ms

        tail = f"_xz{sha256(name.encode()).hexdigest()[:_HASH]}"
        return rewritten[: self.longest - len(tail)] + tail

    def _rewritten(self, name: str) -> str:
        written = ""
        for character in name:
            fits = re.fullmatch(self.rest if written else self.first, character) is not None
            if not written and name in self.reserved:
                fits = False
            written += (
                character if fits and not (character == "x" and written.endswith("_")) else f"_x{ord(character):02x}_"
            )
        return written


def wire_names(names: Iterable[str], alphabets: Iterable[Alphabet]) -> dict[str, str]:
    """Return which name each wire name stands for, for the names that have others in some alphabet."""
    by_wire: dict[str, str] = {}
    listed = list(names)
    for alphabet in alphabets:
        for name in listed:
            wire = alphabet.wire_name(name)
            if wire != name:
                by_wire.setdefault(wire, name)
    return by_wire
