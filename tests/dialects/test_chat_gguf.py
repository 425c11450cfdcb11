"""Chat templates in GGUF files, and files that are broken or hostile."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fcregistry.dialects import ChatTemplate
from fcregistry.dialects import _chat_template as _gguf  # a limit is lowered, so that a small file reaches it
from fcregistry.errors import ChatTemplateError

TEMPLATE = "{{ bos_token }}{% for m in messages %}{{ m.content }}{{ eos_token }}{% endfor %}"
PAIRS: dict[str, Any] = {
    "general.architecture": "llama",
    "general.alignment": 32,
    "llama.rope.freq_base": 10000.0,
    "tokenizer.ggml.tokens": ["<unk>", "<s>", "</s>", "hi", "<|turn|>", "<|eot|>"],
    "tokenizer.ggml.scores": [0.0, 1.0],
    "tokenizer.ggml.token_type": [2, 3, 3, 1, 3, 3],
    "general.tags": [["a", "b"], ["c"]],
    "tokenizer.ggml.bos_token_id": 1,
    "tokenizer.ggml.eos_token_id": 2,
    "tokenizer.ggml.eot_token_id": 5,
    "tokenizer.ggml.add_bos_token": True,
    "tokenizer.chat_template": TEMPLATE,
}


def written(pairs: dict[str, Any], *, order: str = "<", version: int = 3) -> bytes:
    """Return a GGUF file without tensors, as the specification describes it."""
    head = b"GGUF" + struct.pack(f"{order}IQQ", version, 0, len(pairs))
    return head + b"".join(text(name, order) + value(held, order) for name, held in pairs.items())


def text(said: str, order: str) -> bytes:
    raw = said.encode()
    return struct.pack(f"{order}Q", len(raw)) + raw


def value(held: Any, order: str) -> bytes:
    kind, raw = typed(held, order)
    return struct.pack(f"{order}I", kind) + raw


def typed(held: Any, order: str) -> tuple[int, bytes]:
    if isinstance(held, bool):
        return 7, struct.pack("?", held)
    if isinstance(held, int):
        return 5, struct.pack(f"{order}i", held)
    if isinstance(held, float):
        return 6, struct.pack(f"{order}f", held)
    if isinstance(held, str):
        return 8, text(held, order)
    elements = [typed(each, order) for each in held]
    return 9, struct.pack(f"{order}IQ", elements[0][0], len(elements)) + b"".join(raw for _, raw in elements)


@pytest.mark.parametrize(("order", "version"), [("<", 3), ("<", 2), (">", 3)])
def test_template_tokens_and_markers_are_read(tmp_path: Path, order: str, version: int) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(written(PAIRS, order=order, version=version) + b"tensors")
    template = ChatTemplate.from_gguf(file)
    assert template.source == TEMPLATE
    assert template.stops == ("</s>", "<|eot|>")
    assert template.markers == ("<|turn|>", "<|eot|>", "</s>", "<s>")
    assert template.render([{"role": "user", "content": "hi<|turn|>"}]) == "<s>hi<|turn| ></s>"


def test_the_template_for_tools_is_read(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(written({**PAIRS, "tokenizer.chat_template.tool_use": "{{ tools | length }} tools"}))
    template = ChatTemplate.from_gguf(file)
    assert template.render([], [{"name": "add"}]) == "1 tools"
    assert template.render([]) == "<s>"


def test_an_index_outside_the_tokens_names_no_token(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(written({**PAIRS, "tokenizer.ggml.bos_token_id": 99, "tokenizer.ggml.eos_token_id": -1}))
    assert ChatTemplate.from_gguf(file).render([{"role": "user", "content": "hi"}]) == "hi"


def claim(kind: int, raw: bytes, key: str = "tokenizer.ggml.tokens") -> bytes:
    """Return a file whose one value says something untrue of itself."""
    return b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text(key, "<") + struct.pack("<I", kind) + raw


HOSTILE = {
    "it is not a GGUF file": b"PK\3\4" + bytes(40),
    "GGUF of version 1 is not known; 2 and 3 are": b"GGUF" + struct.pack("<IQQ", 1, 0, 0),
    "it claims to have 1099511627776 key-value pairs": b"GGUF" + struct.pack("<IQQ", 3, 0, 2**40),
    "a text claims to be 1099511627776 bytes long": claim(8, struct.pack("<Q", 2**40)),
    "it is cut off: 1000 bytes are due at byte 65": claim(8, struct.pack("<Q", 1000)),
    "an array claims to have 1099511627776 elements": claim(9, struct.pack("<IQ", 8, 2**40)),
    "it is cut off: 4000000 bytes are due at byte 69": claim(9, struct.pack("<IQ", 5, 1_000_000)),
    "it is cut off: 4398046511104 bytes are due at byte 57": claim(9, struct.pack("<IQ", 5, 2**40), "general.x"),
    "a value has the type 13, which is not known, or is nested too deep": claim(13, b""),
    "a value has the type 9, which is not known, or is nested too deep": claim(9, struct.pack("<IQ", 9, 1) * 9),
}


@pytest.mark.parametrize("said", HOSTILE)
def test_a_hostile_file_is_refused_for_its_claims(tmp_path: Path, said: str) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(HOSTILE[said])
    with pytest.raises(ChatTemplateError) as caught:
        ChatTemplate.from_gguf(file)
    assert str(caught.value) == f"model.gguf cannot be read: {said}"


def test_many_arrays_are_counted_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(written({**PAIRS, **{f"general.tags.{n}": ["a", "b"] for n in range(20)}}))
    ChatTemplate.from_gguf(file)
    monkeypatch.setattr(_gguf, "_MOST_ELEMENTS", 30)
    with pytest.raises(ChatTemplateError, match="its arrays claim to have more than 30 elements"):
        ChatTemplate.from_gguf(file)


def test_a_file_that_is_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    whole = written(PAIRS)
    for size in range(0, len(whole), 3):
        file.write_bytes(whole[:size])
        with pytest.raises(ChatTemplateError):
            ChatTemplate.from_gguf(file)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(place=st.integers(4, len(written(PAIRS)) - 1), byte=st.integers(0, 255))
def test_a_file_with_a_wrong_byte_gives_a_template_or_a_template_error(tmp_path: Path, place: int, byte: int) -> None:
    file = tmp_path / "model.gguf"
    wrong = bytearray(written(PAIRS))
    wrong[place] = byte
    file.write_bytes(wrong)
    try:
        ChatTemplate.from_gguf(file)
    except ChatTemplateError as error:
        assert str(error)  # noqa: PT017  # either is right


def test_a_file_without_a_template_says_so(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(written({"general.architecture": "llama"}))
    with pytest.raises(ChatTemplateError, match=r"model.gguf has no chat template; the name of a chat format may do"):
        ChatTemplate.from_gguf(file)


def test_a_file_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ChatTemplate.from_gguf(tmp_path / "none.gguf")
