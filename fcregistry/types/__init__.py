"""Python types seen from JSON.

`codec_of(annotation)` returns the codec of a type: its schema, and how values are decoded and encoded. `schema_of(annotation)` returns only the
schema. `_table.py` lists the families of types in the order in which they are asked. `Codec`, `TypeReader` and `SchemaWriter` are for authors of
further families.
"""

from __future__ import annotations

from fcregistry._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fcregistry.types._choices import ChoiceCodec as ChoiceCodec
    from fcregistry.types._choices import EnumCodec as EnumCodec
    from fcregistry.types._codec import Codec, Named, Refusal, SchemaWriter, UnsupportedType
    from fcregistry.types._codec import codec_schema as codec_schema
    from fcregistry.types._codec import show_type as show_type
    from fcregistry.types._codec import walk_codecs as walk_codecs
    from fcregistry.types._constraints import KEYWORD_CHECKS as KEYWORD_CHECKS
    from fcregistry.types._containers import DictCodec as DictCodec
    from fcregistry.types._containers import ListCodec as ListCodec
    from fcregistry.types._containers import TupleCodec as TupleCodec
    from fcregistry.types._containers import are_equal as are_equal
    from fcregistry.types._containers import are_unique as are_unique
    from fcregistry.types._containers import json_key as json_key
    from fcregistry.types._names import AliasCodec as AliasCodec
    from fcregistry.types._names import holds_text as holds_text
    from fcregistry.types._names import resolve_texts as resolve_texts
    from fcregistry.types._names import type_parameters as type_parameters
    from fcregistry.types._names import unpacked_typed_dict as unpacked_typed_dict
    from fcregistry.types._pydantic_markers import read_field_default as read_field_default
    from fcregistry.types._records import MISSING as MISSING
    from fcregistry.types._records import Field as Field
    from fcregistry.types._records import RecordCodec as RecordCodec
    from fcregistry.types._records import add_default as add_default
    from fcregistry.types._scalars import ANY_CODEC as ANY_CODEC
    from fcregistry.types._scalars import EncodingError, to_json, to_json_text
    from fcregistry.types._scalars import NotFiniteError as NotFiniteError
    from fcregistry.types._scalars import encode_as as encode_as
    from fcregistry.types._scalars import write_non_finite as write_non_finite
    from fcregistry.types._strings import STRING_FORMATS as STRING_FORMATS
    from fcregistry.types._strings import DecimalCodec as DecimalCodec
    from fcregistry.types._strings import TextCodec as TextCodec
    from fcregistry.types._table import Family as Family
    from fcregistry.types._table import TypeReader, codec_of, schema_of
    from fcregistry.types._table import codec_of_class as codec_of_class

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

_MODULES = {
    "._choices": ("ChoiceCodec", "EnumCodec"),
    "._codec": (
        *("Codec", "Named", "Refusal", "SchemaWriter", "UnsupportedType"),
        *("codec_schema", "show_type", "walk_codecs"),
    ),
    "._constraints": ("KEYWORD_CHECKS",),
    "._containers": ("DictCodec", "ListCodec", "TupleCodec", "are_equal", "are_unique", "json_key"),
    "._names": ("AliasCodec", "holds_text", "resolve_texts", "type_parameters", "unpacked_typed_dict"),
    "._pydantic_markers": ("read_field_default",),
    "._records": ("MISSING", "Field", "RecordCodec", "add_default"),
    "._scalars": (
        *("ANY_CODEC", "EncodingError", "NotFiniteError"),
        *("encode_as", "to_json", "to_json_text", "write_non_finite"),
    ),
    "._strings": ("STRING_FORMATS", "DecimalCodec", "TextCodec"),
    "._table": ("Family", "TypeReader", "codec_of", "codec_of_class", "schema_of"),
}
"""Module, imported on first use -> its names for users and, if they are not in `__all__`, for other rooms."""

lazy_names(globals(), _MODULES)
