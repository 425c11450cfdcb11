"""What is a schema while it is being rewritten?"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from fcregistry._schema.document import Place


@dataclass(slots=True)
class Node:
    """A schema while it is rewritten.

    Attributes:
        schema: What is written so far.
        path: Where it stands in the original.
        lost: What was taken out of it, for its description.
    """

    schema: dict[str, Any]
    path: Place
    lost: dict[str, Any] = field(default_factory=dict)

    def is_a(self, kind: str) -> bool:
        """Tell whether the schema names a JSON type among those it takes."""
        named = self.schema.get("type")
        return named == kind or (isinstance(named, list) and kind in named)


def distinct(schemas: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return schemas without those that are the same as JSON, in which true is not 1."""
    return list({json.dumps(schema, sort_keys=True): schema for schema in schemas}.values())
