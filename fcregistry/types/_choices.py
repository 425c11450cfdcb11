"""Codecs of Literal and Enum, which are an `enum` of JSON values, looked up by JSON kind and value."""

from __future__ import annotations

import enum
import types
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, get_args

import typing_extensions

from fcregistry._base.json import kind_of
from fcregistry.types._codec import Codec, UnsupportedType, origin_of, show_type

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry.types._codec import Reader, SchemaWriter


def read_choices(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of a Literal or an Enum; None for any other annotation."""
    if origin_of(annotation) in (Literal, typing_extensions.Literal):
        return _read_literal(annotation)
    if (
        isinstance(annotation, type)
        and issubclass(annotation, enum.Enum)
        and not isinstance(annotation, types.GenericAlias)
    ):
        if issubclass(annotation, enum.Flag):
            raise UnsupportedType(
                f"{show_type(annotation)} is a Flag, whose members combine; take set[…] of an Enum instead"
            )
        return EnumCodec(annotation)
    return None


def _read_literal(annotation: Any) -> Codec:
    """Return the codec of a Literal.

    Raises:
        UnsupportedType: It has no values, or one that has no JSON form.
    """
    values = get_args(annotation)
    if not values:
        raise UnsupportedType("Literal[()] allows no value at all; name the values, as in Literal['a', 'b']")
    return _codec_of_values(*values)


@lru_cache(maxsize=4096, typed=True)  # many tools share a Literal; with the types, 1 differs from True
def _codec_of_values(*values: Any) -> ChoiceCodec:
    """Return the codec of a Literal with `values`, from a cache; a member of an Enum has its JSON value.

    Raises:
        UnsupportedType: A value has no JSON form.
    """
    choices = []
    for value in values:
        encoded = _member_json(value) if isinstance(value, enum.Enum) else value
        if type(encoded) is not str and not is_json_scalar(encoded):
            raise UnsupportedType(
                f"{show_type(Literal[values])} holds {value!r}, which has no JSON form; use strings, numbers, booleans or None"
            )
        choices.append((encoded, value))
    return ChoiceCodec(choices)


class ChoiceCodec(Codec):
    """One of a fixed set of values.

    Args:
        choices: Pairs of JSON value and Python value, in declared order.
    """

    def __init__(self, choices: Iterable[tuple[Any, Any]]) -> None:
        self._by_key: dict[tuple[str, object], tuple[Any, Any]] = {}
        same = True
        for choice in choices:
            encoded, value = choice
            same = same and encoded is value
            self._by_key.setdefault(key_of(encoded), choice)
        self.values: list[Any] = [encoded for encoded, _ in self._by_key.values()]
        self.keys: list[tuple[str, object]] = list(self._by_key)
        self.kinds: frozenset[str] = frozenset([kind for kind, _ in self.keys])
        self.plain: bool = same and "number" not in self.kinds  # 1.0 is accepted for 1, and must become 1

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        names = {_TYPE_NAMES[type(value)] for value in self.values}
        values = list(self.values)
        return {"type": names.pop(), "enum": values} if len(names) == 1 else {"enum": values}

    def accepts(self, value: object) -> bool:
        try:
            return key_of(value) in self._by_key
        except TypeError:  # a list or a dict
            return False

    def decode(self, value: Any) -> Any:
        return self._by_key[key_of(value)][1]

    def handles(self, value: object) -> bool:
        return any(
            value is member or (type(value) is type(member) and value == member) for _, member in self._by_key.values()
        )

    def encode(self, value: Any) -> Any:
        for encoded, member in self._by_key.values():
            if value is member or (type(value) is type(member) and value == member):
                return encoded
        raise ValueError(f"{value!r} is none of {self.values}")


_TYPE_NAMES: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
}


class EnumCodec(ChoiceCodec):
    """An Enum: its members by their value, or by their name if the value is not JSON."""

    def __init__(self, cls: type[enum.Enum]) -> None:
        self.cls = cls
        members = [(_member_json(member), member) for member in cls]
        if not members:
            raise UnsupportedType(f"{cls.__qualname__} has no members")
        super().__init__(members)
        for encoded, member in members if len(self.keys) < len(members) else ():
            other = self._by_key[key_of(encoded)][1]
            if other is not member:
                raise UnsupportedType(
                    f"{cls.__qualname__}.{other.name} and .{member.name} are both {encoded!r} in JSON; rename one"
                )

    def handles(self, value: object) -> bool:
        return isinstance(value, self.cls)


def _member_json(member: enum.Enum) -> Any:
    """Return the JSON value of a member of an Enum: its value if that is a JSON scalar, or else its name.

    A value of a subclass of str, int or float is converted to that class.
    """
    value = member.value
    for plain in (str, int, float):  # the value of `class Level(IntEnum)` may be of a subclass
        if isinstance(value, plain) and not isinstance(value, bool):
            value = plain(value)
            break
    return value if is_json_scalar(value) else member.name


def key_of(value: object) -> tuple[str, object]:
    """Return a key that equal JSON scalars share: kind and value, so 1 equals 1.0 and never true."""
    return ("string", value) if type(value) is str else (kind_of(value) or "", value)


def is_json_scalar(value: object) -> bool:
    """Return whether a Python value is a JSON scalar."""
    kind = kind_of(value)
    return kind in ("null", "boolean", "string") or (kind == "number" and value - value == 0)  # type: ignore[operator]
