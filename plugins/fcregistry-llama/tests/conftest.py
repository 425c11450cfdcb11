"""The models that these tests ask: SmolLM2, fetched once for all runs on a machine, and a tiny one that is written here, whose header is any."""

from __future__ import annotations

import os
import struct
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fcregistry_llama import LlamaModel, fetch_smollm2


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """The file of SmolLM2 in the cache of the user who runs the tests: nobody wants 93 MB fetched again for every run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("FCREGISTRY_CACHE_DIR", raising=False)  # other tests have a cache of their own
        if given := os.environ.get("FCREGISTRY_TEST_CACHE_DIR"):
            patch.setenv("FCREGISTRY_CACHE_DIR", given)
        return fetch_smollm2()


@pytest.fixture(scope="session")
def model(smollm2: Path) -> Iterator[LlamaModel]:
    """SmolLM2; one thread computes, as the machine has others to run."""
    with LlamaModel(smollm2, threads=1, context=4096, max_tokens=300) as model:
        yield model


WIDTH = 32
CHARACTERS = [*range(33, 127), *range(161, 173), *range(174, 256)]
TOKENS = [
    "<s>",
    "</s>",
    "<think>",
    "</think>",
    *map(chr, CHARACTERS),
    *(chr(256 + n) for n in range(256 - len(CHARACTERS))),
]
"""Some marks, and a token for each byte, as GPT-2 writes bytes."""

CONTROL, USUAL = 3, 1
HEADER: dict[str, Any] = {
    "general.architecture": "llama",
    "llama.block_count": 1,
    "llama.context_length": 512,
    "llama.embedding_length": WIDTH,
    "llama.feed_forward_length": WIDTH,
    "llama.attention.head_count": 2,
    "llama.attention.layer_norm_rms_epsilon": 1e-5,
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "default",
    "tokenizer.ggml.tokens": TOKENS,
    "tokenizer.ggml.token_type": [CONTROL if token in TOKENS[:4] else USUAL for token in TOKENS],
    "tokenizer.ggml.merges": ["a b"],
    "tokenizer.ggml.bos_token_id": 0,
    "tokenizer.ggml.eos_token_id": 1,
    "tokenizer.chat_template": "{% for m in messages %}<s>{{ m.role }}: {{ m.content }}{% endfor %}",
}
TENSORS: dict[str, tuple[int, ...]] = {
    "token_embd.weight": (WIDTH, len(TOKENS)),
    "output_norm.weight": (WIDTH,),
    **{f"blk.0.{name}.weight": (WIDTH,) for name in ("attn_norm", "ffn_norm")},
    **{
        f"blk.0.{name}.weight": (WIDTH, WIDTH)
        for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
    },
}


@pytest.fixture
def write_model(tmp_path: Path) -> Callable[..., Path]:
    """Writes the file of a tiny llama, which answers nonsense, with some keys of its header changed or, with None, left out."""

    def write(changes: dict[str, Any] | None = None, tensors: dict[str, tuple[int, ...]] | None = None) -> Path:
        path = tmp_path / "tiny.gguf"
        header = {key: value for key, value in {**HEADER, **(changes or {})}.items() if value is not None}
        path.write_bytes(_gguf(header, TENSORS if tensors is None else tensors))
        return path

    return write


def _gguf(header: dict[str, Any], tensors: dict[str, tuple[int, ...]]) -> bytes:
    """Return a file as the GGUF specification describes it; of every tensor that claims to be huge, nothing is there."""
    said = b"".join(
        _text(key) + struct.pack("<I", _typed(value)[0]) + _typed(value)[1] for key, value in header.items()
    )
    values = b""
    for name, shape in tensors.items():
        said += _text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(values))
        values += _weights(shape)
    whole = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(header)) + said
    return whole + bytes(-len(whole) % 32) + values


def _weights(shape: tuple[int, ...]) -> bytes:
    size = shape[0] * shape[-1] if len(shape) > 1 else shape[0]
    return array("f", ((n * 7919 % 101 - 50) / 100 for n in range(size))).tobytes() if size < 2**20 else b""


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _typed(value: Any) -> tuple[int, bytes]:
    if isinstance(value, bool):
        return 7, struct.pack("?", value)
    if isinstance(value, int):
        return (4, struct.pack("<I", value)) if value < 2**32 else (10, struct.pack("<Q", value))
    if isinstance(value, float):
        return 6, struct.pack("<f", value)
    if isinstance(value, str):
        return 8, _text(value)
    if isinstance(value[0], int):  # signed, as the types of tokens have to be, where they fit
        kind, form = (5, "i") if max(value) < 2**31 else (4, "I")
        return 9, struct.pack(f"<IQ{len(value)}{form}", kind, len(value), *value)
    return 9, struct.pack("<IQ", 8, len(value)) + b"".join(map(_text, value))
