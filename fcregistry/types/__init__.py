"""How do Python types look in JSON?

`codec_of(annotation)` gives the codec of a type: its schema, and how values are decoded and encoded. `schema_of(annotation)` gives its
schema alone. The families are listed in `_table.py`, in the order in which they are asked; `Codec`, `TypeReader` and `SchemaWriter` are for
those who write a family of their own.
"""

from __future__ import annotations

from fcregistry._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fcregistry.types._codec import Codec, Named, Refusal, SchemaWriter, UnsupportedType
    from fcregistry.types._reader import TypeReader
    from fcregistry.types._scalars import EncodingError, to_json, to_json_text
    from fcregistry.types._table import codec_of, schema_of

__all__ = [
    "Codec",
    "EncodingError",
    "Named",
    "Refusal",
    "SchemaWriter",
    "TypeReader",
    "UnsupportedType",
    "codec_of",
    "schema_of",
    "to_json",
    "to_json_text",
]

# Name -> the module it lives in, imported when it is used.
_HOMES: dict[str, str] = {
    "Codec": "._codec",
    "EncodingError": "._scalars",
    "Named": "._codec",
    "Refusal": "._codec",
    "SchemaWriter": "._codec",
    "TypeReader": "._reader",
    "UnsupportedType": "._codec",
    "codec_of": "._table",
    "schema_of": "._table",
    "to_json": "._scalars",
    "to_json_text": "._scalars",
}

__getattr__, __dir__ = lazy_names(globals(), _HOMES)
