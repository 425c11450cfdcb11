"""What does a GGUF file say of its model? Some of the key-value pairs at its start; the tensors after them are not read.

Source: GGUF specification (ggml documentation, "GGUF"), versions 2 and 3, of either byte order.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Container
from pathlib import Path
from typing import Any, BinaryIO, Final

from fcregistry.errors import ChatTemplateError

_STRING: Final = 8
_ARRAY: Final = 9
_NUMBERS: Final = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
"""Type of a value -> how `struct` calls it."""

_MOST_PAIRS: Final = 65_536
_MOST_ELEMENTS: Final = 4_000_000
_MOST_BYTES: Final = 256 * 2**20
_LONGEST_KEY: Final = 65_535
_DEEPEST: Final = 4


def read_metadata(path: str | os.PathLike[str], wanted: Container[str], prefix: str = "\0") -> dict[str, Any]:
    """Return some of the key-value pairs of a GGUF file.

    Args:
        path: The file.
        wanted: The keys to return; the values of others are passed over.
        prefix: Keys that begin with it are returned too.

    Raises:
        ChatTemplateError: It is no GGUF file, is cut off, or says what cannot be.
        OSError: It cannot be read.
    """
    with Path(path).open("rb") as file:
        return _Reader(file, Path(path).name).pairs(wanted, prefix)


class _Reader:
    """Reads values in the order in which they stand; every length is checked against what is left of the file."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self._name = file, name
        self._left = self._size = min(os.fstat(file.fileno()).st_size, 2**62)
        self._kept = 0
        self._order = "<"

    def pairs(self, wanted: Container[str], prefix: str) -> dict[str, Any]:
        if self._size < 24 or self._take(4) != b"GGUF":
            raise self._error("it is no GGUF file")
        version = self._number("I")
        if version > 0xFFFF:  # written by a machine of the other byte order
            self._order, version = ">", int.from_bytes(version.to_bytes(4, "little"), "big")
        if version not in (2, 3):
            raise self._error(f"GGUF of version {version} is not known; 2 and 3 are")
        self._number("Q")  # how many tensors there are
        count = self._number("Q")
        if count > _MOST_PAIRS:
            raise self._error(f"it claims to have {count} key-value pairs")
        found = {}
        for _ in range(count):
            key = self._text(_LONGEST_KEY).decode("utf-8", "replace")
            value = self._value(self._number("I"), keep=key in wanted or key.startswith(prefix))
            if value is not None:
                found[key] = value
        return found

    def _value(self, kind: int, *, keep: bool, depth: int = 0) -> Any:
        if kind in _NUMBERS:
            return self._number(_NUMBERS[kind])
        if kind == _STRING:
            return self._text(keep=keep).decode("utf-8", "replace")
        if kind == _ARRAY and depth < _DEEPEST:
            return self._array(keep=keep, depth=depth)
        raise self._error(f"a value has the type {kind}, which is not known, or is nested too deep")

    def _array(self, *, keep: bool, depth: int) -> list[Any] | None:
        kind, count = self._number("I"), self._number("Q")
        if (form := _NUMBERS.get(kind)) is not None:
            size = struct.calcsize(form) * count
            if not keep:
                self._skip(size)
                return None
            return list(struct.unpack(f"{self._order}{self._few(count)}{form}", self._take(size)))
        values = [self._value(kind, keep=keep, depth=depth + 1) for _ in range(self._few(count))]
        return values if keep else None

    def _few(self, count: int) -> int:
        if count > _MOST_ELEMENTS:
            raise self._error(f"an array claims to have {count} elements")
        return count

    def _text(self, most: int = _MOST_BYTES, *, keep: bool = True) -> bytes:
        size = self._number("Q")
        if size > most:
            raise self._error(f"a text claims to be {size} bytes long")
        if keep:
            return self._take(size)
        self._skip(size)
        return b""

    def _number(self, form: str) -> Any:
        return struct.unpack(self._order + form, self._take(struct.calcsize(form)))[0]

    def _take(self, size: int) -> bytes:
        self._pass(size)
        self._kept += size if size > 16 else 0
        if self._kept > _MOST_BYTES:
            raise self._error(f"its texts and arrays are longer than {_MOST_BYTES} bytes")
        taken = self._file.read(size)
        if len(taken) < size:
            raise self._error("it is cut off")
        return taken

    def _skip(self, size: int) -> None:
        self._pass(size)
        self._file.seek(size, os.SEEK_CUR)

    def _pass(self, size: int) -> None:
        if size > self._left:
            raise self._error(f"it is cut off: {size} bytes are due at byte {self._size - self._left}")
        self._left -= size

    def _error(self, what: str) -> ChatTemplateError:
        return ChatTemplateError(f"{self._name} cannot be read: {what}")
