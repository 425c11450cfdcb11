"""How do pydantic's own types look in JSON, such as URLs, secrets, and dates in the past?

Written for pydantic 2.7 and later. Nothing of it is imported before a type comes from it. Pydantic says which texts such a type takes; those
that are dates have the texts of this package, and pydantic's check after decoding.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Final

from fcregistry.errors import said_by
from fcregistry.types._core import Codec, Refusal, UnsupportedType, show_type
from fcregistry.types._marks import Marks
from fcregistry.types._pydantic_markers import REFUSED, read_pydantic
from fcregistry.types._refusals import refusal_of

if TYPE_CHECKING:
    from fcregistry.types._core import Reader
    from fcregistry.types._writer import SchemaWriter


class PydanticTextCodec(Codec):
    """A type that is text in JSON: pydantic says which texts.

    Args:
        annotation: The type.
        adapter: Pydantic's adapter of it.
    """

    kinds = frozenset({"string"})

    def __init__(self, annotation: Any, adapter: Any) -> None:
        self._shown = show_type(annotation)
        self._adapter = adapter
        self.unsaid: tuple[str, ...] = (
            f"{self._shown}: which texts it takes is pydantic's to say, and no schema does",
        )

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return {"type": "string"}

    def accepts(self, value: object) -> bool:
        return type(value) is str

    def decode(self, value: Any) -> Any:
        try:
            return self._adapter.validate_python(value)
        except Exception as error:  # pydantic's own error, or whatever a class of the author raises
            raise refusal_of(error, self._shown) from error

    def handles(self, value: object) -> bool:
        try:
            self._adapter.validate_python(value)
        except Exception:  # noqa: BLE001  # as above: it is none of these
            return False
        return True

    def encode(self, value: Any) -> Any:
        return self._adapter.dump_python(self._adapter.validate_python(value), mode="json")  # a default may be a text


class SecretCodec(PydanticTextCodec):
    """A secret: written as asterisks, and never given as such."""

    withholds = True

    def __init__(self, annotation: Any, adapter: Any) -> None:
        super().__init__(annotation, adapter)
        self.unsaid = (f"{self._shown}: a secret can be given, and is written as asterisks",)

    def decode(self, value: Any) -> Any:
        if value == _MASK:
            raise Refusal("is what hides a secret, and not the secret")
        return super().decode(value)

    def handles(self, value: object) -> bool:
        return False  # what is written of it is not its JSON: no default of it is published


_MASK: Final = "**********"
_DATES: Final[dict[str, type]] = {"date": date, "date-time": datetime}
_SECRETS: Final = ("SecretStr", "SecretBytes")


def read(annotation: Any, cls: type, reader: Reader) -> Codec | None:
    """Return the codec of a type of pydantic's own, or of a class that tells pydantic how it is read.

    Raises:
        UnsupportedType: It is no text in JSON.
    """
    name, own = cls.__name__, cls.__module__.partition(".")[0] in ("pydantic", "pydantic_core")
    if own and name in REFUSED:
        raise UnsupportedType(f"{show_type(annotation)}: {REFUSED[name]}")
    adapter, schema = _adapted(annotation)
    if own and name in _SECRETS:
        return SecretCodec(annotation, adapter)
    if (known := _DATES.get(schema.get("format", ""))) is not None and own:
        marks = Marks(reader.read(known), known, lambda marker, marks: None)
        read_pydantic(name, cls, marks)
        return marks.applied()
    if schema.get("type") == "string":
        return PydanticTextCodec(annotation, adapter)
    if own:
        raise UnsupportedType(
            f"{show_type(annotation)} is a type of pydantic's that is no text in JSON; take the plain type, with Field(…) for its bounds"
        )
    return None


def _adapted(annotation: Any) -> tuple[Any, dict[str, Any]]:
    from pydantic import TypeAdapter  # it is loaded: the type comes from it

    try:
        adapter: Any = TypeAdapter(annotation)
        return adapter, adapter.json_schema()
    except Exception as error:  # pydantic raises many things for what it cannot build
        raise UnsupportedType(f"{show_type(annotation)} cannot be read: {said_by(error).splitlines()[0]}") from error
