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
    from fcregistry.types._codec import Codec, Named, Refusal, SchemaWriter, UnsupportedType
    from fcregistry.types._codec import codec_schema as codec_schema
    from fcregistry.types._codec import show_type as show_type
    from fcregistry.types._codec import walk_codecs as walk_codecs
    from fcregistry.types._constraints import is_multiple as is_multiple
    from fcregistry.types._containers import DictCodec as DictCodec
    from fcregistry.types._containers import ListCodec as ListCodec
    from fcregistry.types._containers import TupleCodec as TupleCodec
    from fcregistry.types._containers import are_unique as are_unique
    from fcregistry.types._containers import json_key as json_key
    from fcregistry.types._names import AliasCodec as AliasCodec
    from fcregistry.types._names import holds_text as holds_text
    from fcregistry.types._names import resolve_texts as resolve_texts
    from fcregistry.types._names import type_parameters as type_parameters
    from fcregistry.types._names import unpacked_typed_dict as unpacked_typed_dict
    from fcregistry.types._records import MISSING as MISSING
    from fcregistry.types._records import Field as Field
    from fcregistry.types._records import RecordCodec as RecordCodec
    from fcregistry.types._records import add_default as add_default
    from fcregistry.types._scalars import ANY_CODEC as ANY_CODEC
    from fcregistry.types._scalars import EncodingError, to_json, to_json_text
    from fcregistry.types._strings import STRING_FORMATS as STRING_FORMATS
    from fcregistry.types._strings import DecimalCodec as DecimalCodec
    from fcregistry.types._strings import TextCodec as TextCodec
    from fcregistry.types._table import Family as Family
    from fcregistry.types._table import TypeReader, codec_of, schema_of
    from fcregistry.types._table import codec_of_class as codec_of_class
    from fcregistry.types._table import make_reader as make_reader

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

# Public name -> its module, imported on first use.
_HOMES: dict[str, str] = {
    "Codec": "._codec",
    "EncodingError": "._scalars",
    "Named": "._codec",
    "Refusal": "._codec",
    "SchemaWriter": "._codec",
    "TypeReader": "._table",
    "UnsupportedType": "._codec",
    "codec_of": "._table",
    "schema_of": "._table",
    "to_json": "._scalars",
    "to_json_text": "._scalars",
}

# Names for other rooms; not public.
_FOR_OTHER_ROOMS: dict[str, str] = {
    "ANY_CODEC": "._scalars",
    "AliasCodec": "._names",
    "ChoiceCodec": "._choices",
    "DecimalCodec": "._strings",
    "DictCodec": "._containers",
    "Family": "._table",
    "Field": "._records",
    "ListCodec": "._containers",
    "MISSING": "._records",
    "RecordCodec": "._records",
    "STRING_FORMATS": "._strings",
    "TextCodec": "._strings",
    "TupleCodec": "._containers",
    "add_default": "._records",
    "are_unique": "._containers",
    "codec_of_class": "._table",
    "codec_schema": "._codec",
    "holds_text": "._names",
    "is_multiple": "._constraints",
    "json_key": "._containers",
    "make_reader": "._table",
    "resolve_texts": "._names",
    "show_type": "._codec",
    "type_parameters": "._names",
    "unpacked_typed_dict": "._names",
    "walk_codecs": "._codec",
}

__getattr__, __dir__ = lazy_names(globals(), {**_HOMES, **_FOR_OTHER_ROOMS})
