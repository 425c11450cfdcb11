"""What is the JSON Schema of a type by itself?"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from fcregistry.types._core import Codec
from fcregistry.types._table import codec_of
from fcregistry.types._writer import SchemaWriter


def schema_of(annotation: Any) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of an annotation.

    Args:
        annotation: A type, as it may stand in a tool's signature.

    Raises:
        UnsupportedType: It has no JSON form.
    """
    schema = codec_schema(codec_of(annotation))
    return deepcopy(schema)  # whoever asks may change it, and parts of it stand in other schemas


def codec_schema(codec: Codec, *, results: bool = False) -> dict[str, Any]:
    """Return the schema of a codec, with the `$defs` it refers to; of what it writes rather than what it takes, if so wished.

    It is to be read or packed, not to be changed: parts of it stand in other schemas.
    """
    writer = SchemaWriter([codec], results=results)
    schema = writer.write(codec)
    return {**schema, "$defs": writer.defs} if writer.defs else schema
