"""Reads the types of acme_units."""

from itertools import count
from typing import Any

from acme_units import Doubled, Even, Misspelt, Numbered, Stripped, Unmarked

from fcregistry import hookimpl
from fcregistry.types import Codec

_numbers = count()


class _Text(Codec):
    """A string; what each of the others differs from in one thing."""

    kinds = frozenset({"string"})

    def schema(self, writer: Any) -> dict[str, Any]:
        return {"type": "string"}

    def accepts(self, value: object) -> bool:
        return isinstance(value, str)

    def handles(self, value: object) -> bool:
        return isinstance(value, str)


class _Misspelt(_Text):
    def schema(self, writer: Any) -> dict[str, Any]:
        return {"type": "strnig"}


class _Numbered(_Text):
    def schema(self, writer: Any) -> dict[str, Any]:
        return {"type": "string", "title": f"number {next(_numbers)}"}


class _Unmarked(_Text):
    def handles(self, value: object) -> bool:
        return isinstance(value, Unmarked)


class _Even(Codec):
    kinds = frozenset({"number"})

    def schema(self, writer: Any) -> dict[str, Any]:
        return {"type": "integer"}

    def accepts(self, value: object) -> bool:
        return type(value) is int and value % 2 == 0

    def handles(self, value: object) -> bool:
        return type(value) in (int, float)


class _Doubled(_Even):
    def accepts(self, value: object) -> bool:
        return type(value) is int or (type(value) is float and value.is_integer())

    def encode(self, value: Any) -> Any:
        return value * 2


class _Stripped(Codec):
    kinds = frozenset({"object"})

    def schema(self, writer: Any) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": {"type": "boolean"}}

    def accepts(self, value: object) -> bool:
        return isinstance(value, dict) and all(isinstance(each, bool) for each in value.values())

    def decode(self, value: Any) -> Any:
        return {name: value.pop(name) for name in list(value)}

    def handles(self, value: object) -> bool:
        return isinstance(value, dict)


_CODECS = {
    Misspelt: _Misspelt(),
    Numbered: _Numbered(),
    Even: _Even(),
    Unmarked: _Unmarked(),
    Stripped: _Stripped(),
    Doubled: _Doubled(),
}


@hookimpl
def fc_register_types(types: Any) -> None:
    """Add the one family there is."""
    types.add(lambda annotation, reader: _CODECS.get(annotation))
