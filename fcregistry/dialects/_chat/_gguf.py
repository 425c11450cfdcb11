"""The header of a GGUF file: key-value pairs about the model, and what each tensor is called and how large it is.

The values of tensors are not read. Every count and length is checked against a limit and against the size of the file.

Source: GGUF specification (ggml documentation, "GGUF"), versions 2 and 3, of either byte order.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Container
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

_STRING: Final = 8
_ARRAY: Final = 9
_NUMBERS: Final = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
"""Type of a value -> how `struct` calls it."""

_MOST_PAIRS: Final = 65_536
_MOST_ELEMENTS: Final = 4_000_000
_MOST_BYTES: Final = 256 * 2**20
_LONGEST_KEY: Final = 65_535
_DEEPEST: Final = 4
_MOST_TENSORS: Final = 65_536
_LONGEST_NAME: Final = 64
_MOST_DIMENSIONS: Final = 4
_MOST_PER_BYTE: Final = 8
"""Elements of a tensor that a byte of the file can hold; the smallest types of ggml take more than a bit for each."""

_BUFFER: Final = 2**18


class GGUFError(ValueError):
    """A file that is not a GGUF file, is cut off, or claims what cannot be; the message does not name the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What a GGUF file says of its model.

    Attributes:
        values: Key -> value: numbers, texts, and the arrays that were asked for.
        lengths: Key -> number of elements, for each array.
    """

    values: dict[str, Any]
    lengths: dict[str, int]


def read_metadata(path: str | os.PathLike[str], wanted: Container[str], prefix: str = "\0") -> dict[str, Any]:
    """Return some of the key-value pairs of a GGUF file.

    Args:
        path: The file.
        wanted: The keys to return; the values of others are passed over.
        prefix: Keys that begin with it are returned too.

    Raises:
        GGUFError: It is not a GGUF file, is cut off, or claims what cannot be.
        OSError: It cannot be read.
    """
    with Path(path).open("rb", buffering=_BUFFER) as file:
        return _Reader(file).pairs(lambda key: key in wanted or key.startswith(prefix))


def read_header(path: str | os.PathLike[str], wanted: Container[str]) -> Header:
    """Return what a GGUF file says of its model, after all of its header was read and is possible.

    Args:
        path: The file.
        wanted: The keys of the tokenizer whose values are returned. Others of the tokenizer are passed over, as they are long.

    Raises:
        GGUFError: It is not a GGUF file, is cut off, or claims what cannot be.
        OSError: It cannot be read.
    """
    with Path(path).open("rb", buffering=_BUFFER) as file:
        reader = _Reader(file)
        values = reader.pairs(lambda key: key in wanted or not key.startswith("tokenizer."))
        reader.check_tensors()
        return Header(values=values, lengths=reader.lengths)


class _Reader:
    """Reads values in the order in which they stand; every length is checked against what is left of the file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._left = self._size = min(os.fstat(file.fileno()).st_size, 2**62)
        self._kept = self._elements = self._tensors = 0
        self._order = "<"
        self._endian: Literal["little", "big"] = "little"
        self.lengths: dict[str, int] = {}

    def pairs(self, is_wanted: Callable[[str], bool]) -> dict[str, Any]:
        if self._size < 24 or self._take(4) != b"GGUF":
            raise GGUFError("it is not a GGUF file")
        version = self._number("I")
        if version > 0xFFFF:  # written by a machine of the other byte order
            self._order, self._endian, version = ">", "big", int.from_bytes(version.to_bytes(4, "little"), "big")
        if version not in (2, 3):
            raise GGUFError(f"GGUF of version {version} is not known; 2 and 3 are")
        self._tensors = self._number("Q")
        count = self._number("Q")
        if count > _MOST_PAIRS:
            raise GGUFError(f"it claims to have {count} key-value pairs")
        found = {}
        for _ in range(count):
            key = self._text(_LONGEST_KEY).decode("utf-8", "replace")
            value = self._value(self._number("I"), keep=is_wanted(key), key=key)
            if value is not None:
                found[key] = value
        return found

    def check_tensors(self) -> None:
        """Read what each tensor is said to be, which stands after the pairs.

        Raises:
            GGUFError: One cannot be.
        """
        if self._tensors > _MOST_TENSORS:
            raise GGUFError(f"it claims to have {self._tensors} tensors")
        for _ in range(self._tensors):
            name = ascii(self._text(_LONGEST_NAME).decode("utf-8", "replace"))
            dimensions = self._number("I")
            if dimensions > _MOST_DIMENSIONS:
                raise GGUFError(f"the tensor {name} claims to have {dimensions} dimensions")
            elements = prod(self._number("Q") for _ in range(dimensions))
            if elements > self._size * _MOST_PER_BYTE:
                raise GGUFError(f"the tensor {name} claims to have {elements} elements, more than the file can hold")
            self._number("I")  # its type
            start = self._number("Q")
            if start > self._size:
                raise GGUFError(f"the tensor {name} claims to begin at byte {start}, after the end of the file")

    def _value(self, kind: int, *, keep: bool, key: str = "", depth: int = 0) -> Any:
        if kind == _STRING:
            text = self._text(keep=keep)
            return text.decode("utf-8", "replace") if keep else ""
        if kind in _NUMBERS:
            return self._number(_NUMBERS[kind])
        if kind == _ARRAY and depth < _DEEPEST:
            return self._array(keep=keep, key=key, depth=depth)
        raise GGUFError(f"a value has the type {kind}, which is not known, or is nested too deep")

    def _array(self, *, keep: bool, key: str, depth: int) -> list[Any] | None:
        kind, count = self._number("I"), self._number("Q")
        if depth == 0:
            self.lengths[key] = count
        if (form := _NUMBERS.get(kind)) is not None:
            size = struct.calcsize(form) * count
            if not keep:
                self._skip(size)
                return None
            self._few(count)
            return list(struct.unpack(f"{self._order}{count}{form}", self._take(self._counted(size))))
        if kind == _STRING:
            return self._texts(self._few(count), keep=keep)
        values = [self._value(kind, keep=keep, depth=depth + 1) for _ in range(self._few(count))]
        return values if keep else None

    def _texts(self, count: int, *, keep: bool) -> list[str] | None:
        """Read the texts of an array as `_text` does, in one loop: a vocabulary has more than 100,000."""
        read, endian, left, texts = self._file.read, self._endian, self._left, []
        for _ in range(count):
            size = int.from_bytes(read(8), endian)
            left -= 8 + size
            if left < 0 or size > _MOST_BYTES:
                raise GGUFError(f"it is cut off, or a text claims to be {size} bytes long")
            text = read(size)
            if keep:
                self._counted(size)
                texts.append(text.decode("utf-8", "replace"))
        self._left = left
        return texts if keep else None

    def _few(self, count: int) -> int:
        if count > _MOST_ELEMENTS:
            raise GGUFError(f"an array claims to have {count} elements")
        self._elements += count
        if self._elements > _MOST_ELEMENTS:
            raise GGUFError(f"its arrays claim to have more than {_MOST_ELEMENTS} elements")
        return count

    def _text(self, most: int = _MOST_BYTES, *, keep: bool = True) -> bytes:
        size = self._number("Q")
        if size > most:
            raise GGUFError(f"a text claims to be {size} bytes long")
        if keep:
            return self._take(self._counted(size))
        self._skip(size)
        return b""

    def _counted(self, size: int) -> int:
        """Count bytes that are kept, and return how many."""
        self._kept += size
        if self._kept > _MOST_BYTES:
            raise GGUFError(f"its texts and arrays are longer than {_MOST_BYTES} bytes")
        return size

    def _number(self, form: str) -> Any:
        return struct.unpack(self._order + form, self._take(struct.calcsize(form)))[0]

    def _take(self, size: int) -> bytes:
        self._pass(size)
        taken = self._file.read(size)
        if len(taken) < size:
            raise GGUFError("it is cut off")
        return taken

    def _skip(self, size: int) -> None:
        self._pass(size)
        self._file.seek(size, os.SEEK_CUR)

    def _pass(self, size: int) -> None:
        if size > self._left:
            raise GGUFError(f"it is cut off: {size} bytes are due at byte {self._size - self._left}")
        self._left -= size
