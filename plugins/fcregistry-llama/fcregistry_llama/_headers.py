"""The header of a GGUF file, checked before llama.cpp reads it: impossible numbers crash llama.cpp.

Source: GGUF specification (ggml documentation, "GGUF"), "Standardized key-value pairs".
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from fcregistry.dialects import GGUFHeader
from fcregistry.errors import ModelError

from fcregistry_llama._files import check_file

_LIMITS: Final = {
    "block_count": (1, 512),  # LLAMA_MAX_LAYERS
    "context_length": (1, 2**28),
    "embedding_length": (1, 2**18),
    "feed_forward_length": (0, 2**22),
    "attention.head_count": (0, 2**16),
    "attention.head_count_kv": (0, 2**16),
    "attention.key_length": (0, 2**16),
    "attention.value_length": (0, 2**16),
    "attention.sliding_window": (0, 2**28),
    "expert_count": (0, 2**12),
    "expert_used_count": (0, 2**12),
    "rope.dimension_count": (0, 2**16),
    "vocab_size": (1, 2**24),
}
"""Key of an architecture -> the smallest and largest number that a model can have, the largest far above published models."""

_REQUIRED: Final = ("block_count", "context_length", "embedding_length")
_ALIGNMENTS: Final = tuple(2**power for power in range(3, 17))
_TOKENS: Final = "tokenizer.ggml.tokens"
_BOS: Final = "tokenizer.ggml.bos_token_id"
_BESIDE_TOKENS: Final = ("tokenizer.ggml.scores", "tokenizer.ggml.token_type")
_TEMPLATES: Final = ("tokenizer.chat_template", "tokenizer.chat_template.tool_use")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelHeader:
    """The parts of a header that are used.

    Attributes:
        bos: The id and the text of the token that starts a text, if the file names one.
        has_template: Whether the file has a chat template.
    """

    bos: tuple[int, str] | None
    has_template: bool


def check_header(path: Path) -> ModelHeader:
    """Check the whole header of a file, and return the parts that are used.

    Raises:
        ModelError: The header is damaged, or has values that no model has.
        ModelNotFoundError: There is no such file, or it is not a GGUF file.
    """
    check_file(path)
    try:
        header = GGUFHeader.read(path, {_TOKENS, _BOS})
        wrong = next(_impossible_values(header), None)
    except (ValueError, OSError) as error:
        wrong = str(error)
    if wrong is not None:
        raise ModelError(
            f"the model file {path} was not loaded: {wrong}; it is damaged or malicious:"
            " download it again, from a source that you trust"
        )
    return ModelHeader(bos=_bos(header), has_template=any(key in header.values for key in _TEMPLATES))


def _bos(header: GGUFHeader) -> tuple[int, str] | None:
    """Return the id and the text of the token that starts a text, or None if the file names none."""
    tokens, place = header.values.get(_TOKENS), header.values.get(_BOS)
    if not isinstance(tokens, list) or not isinstance(place, int) or not 0 <= place < len(tokens):
        return None
    return (place, tokens[place]) if tokens[place] and isinstance(tokens[place], str) else None


def _impossible_values(header: GGUFHeader) -> Iterator[str]:
    """Yield a message for each value in `header` that no model has."""
    values = header.values
    architecture = values.get("general.architecture")
    if not isinstance(architecture, str) or not 0 < len(architecture) <= 64:
        yield "its header names no architecture"
        return
    for key in _REQUIRED:
        if f"{architecture}.{key}" not in values:
            yield f"its header has no {ascii(architecture)[1:-1]}.{key}"
    for key, (least, most) in _LIMITS.items():
        for value in _numbers(values.get(f"{architecture}.{key}")):
            if not isinstance(value, int) or not least <= value <= most:
                yield f"its header says that {key} is {value!r:.40}, and models have {least} to {most}"
    for key, value in values.items():
        if any(isinstance(each, float) and not math.isfinite(each) for each in _numbers(value)):
            yield f"its header says that {ascii(key)[1:-1]:.80} is {value!r:.40}"
    if (alignment := values.get("general.alignment", 32)) not in _ALIGNMENTS:
        yield f"its header says that general.alignment is {alignment!r:.40}, which is not a power of two from 8 to 65536"
    for key in _BESIDE_TOKENS:  # llama.cpp reads as many of these as there are tokens
        if key in header.lengths and header.lengths[key] < header.lengths.get(_TOKENS, 0):
            yield f"its header has {header.lengths[_TOKENS]} tokens, but {header.lengths[key]} elements of {key}"


def _numbers(value: Any) -> list[Any]:
    """Return the numbers in `value`: none for None, one for each layer for a list, or else `value` itself."""
    return [] if value is None else value if isinstance(value, list) else [value]
