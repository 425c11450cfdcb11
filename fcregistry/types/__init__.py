"""How do Python types look in JSON?

`codec_of(annotation)` gives the codec of a type: its schema, and how values are decoded and encoded. `schema_of(annotation)` gives its
schema alone. The families are listed in `_table.py`, in the order in which they are asked; `Codec`, `TypeReader` and `SchemaWriter` are for
those who write a family of their own.
"""

from fcregistry.types._core import Codec, Named, Refusal, UnsupportedType
from fcregistry.types._reader import TypeReader
from fcregistry.types._schemas import schema_of
from fcregistry.types._table import codec_of
from fcregistry.types._values import EncodingError, to_json, to_json_text
from fcregistry.types._writer import SchemaWriter

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
