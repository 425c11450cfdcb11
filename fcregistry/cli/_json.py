"""How is JSON read that a person wrote? As strictly as a model's, and with a person's errors."""

from __future__ import annotations

from typing import Any

from fcregistry._base.json import STRICT_DECODER


def read_json(text: str) -> Any:
    """Return the value of JSON text.

    Raises:
        ValueError: It is no JSON, has a name twice in one object, a number that is not finite, or nests too deeply.
    """
    try:
        return STRICT_DECODER.decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
