"""What is the JSON Schema of a type by itself?"""

from __future__ import annotations

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
    return codec_schema(codec_of(annotation))


def codec_schema(codec: Codec, *, results: bool = False) -> dict[str, Any]:
    """Return the schema of a codec, with the `$defs` it refers to; of what it writes rather than what it takes, if so wished."""
    writer = SchemaWriter([codec], results=results)
    schema = writer.write(codec)
    return {**schema, "$defs": writer.defs} if writer.defs else schema
