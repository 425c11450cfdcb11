"""Only text is read that was signed with the same key and has not changed in any character."""

from __future__ import annotations

import hashlib
import hmac
import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcregistry import Executor, Tool, ToolCall
from fcregistry.errors import ApprovalError
from fcregistry.execution import PreparedCalls


def note(value: Any) -> None:
    """Note a value."""


EXECUTOR = Executor([Tool.from_function(note, requires_approval=True)])


def prepared(value: Any) -> PreparedCalls:
    """Return a prepared call that notes a value."""
    return EXECUTOR.prepare([ToolCall("note", {"value": value}, "a")])


def read(text: Any, key: bytes) -> Any:
    """Return the calls that wait for a decision."""
    return [each.to_json() for each in PreparedCalls.from_json(text, key=key).waiting]


KEY = b"0123456789abcdef"
TEXT = prepared([1.5, "ä", "\ud800"]).to_json(key=KEY)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=40)
@given(JSON, st.binary(min_size=16, max_size=64))
def test_signed_calls_are_read_again(value: Any, key: bytes) -> None:
    calls = prepared(value)
    text = calls.to_json(key=key)
    assert [each["arguments"] for each in read(text, key)] == [{"value": value}]
    assert text.isascii()
    assert calls.to_json(key=key) == text


@given(st.integers(0, len(TEXT) - 1), st.characters())
def test_no_character_of_the_signed_text_can_be_changed(place: int, character: str) -> None:
    """The JSON around it may be written differently: a database may put the names in another order."""
    changed = TEXT[:place] + character + TEXT[place + 1 :]
    try:
        assert read(changed, KEY) == read(TEXT, KEY)
    except ApprovalError:
        return
    assert json.loads(changed)["payload"] == json.loads(TEXT)["payload"]


def test_a_store_that_reorders_the_json_does_not_break_the_signature() -> None:
    reordered = json.dumps(dict(sorted(json.loads(TEXT).items(), reverse=True)), indent=2)
    assert read(reordered, KEY) == read(TEXT, KEY)


def test_the_signature_is_hmac_sha_256_of_the_format_and_the_payload() -> None:
    given = json.loads(TEXT)
    message = f"{given['format']}\n{given['payload']}".encode()
    assert given["signature"] == hmac.new(KEY, message, hashlib.sha256).hexdigest()


@pytest.mark.parametrize("key", [b"another key, long enough", KEY + b"0", KEY[:-1] + b"F"])
def test_a_text_signed_with_another_key_is_refused(key: bytes) -> None:
    with pytest.raises(ApprovalError) as caught:
        read(TEXT, key)
    assert str(caught.value) == "these prepared calls were signed with another key, or changed since; nothing was run"


def changed(**parts: Any) -> str:
    return json.dumps({**json.loads(TEXT), **parts})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this is not the text of prepared calls: pass the text that to_json returned, whole and unchanged"),
        ("null", "this is not the text of prepared calls"),
        ("{}", "this is not the text of prepared calls"),
        (TEXT[:-1], "this is not the text of prepared calls"),
        ("[" * 100_000, "this is not the text of prepared calls"),
        ('{"format": NaN}', "these prepared calls have the format 'nan'"),
        (
            changed(format="fcregistry prepared calls, 2"),
            "have the format 'fcregistry prepared calls, 2', but this version of fcregistry reads 'fcregistry prepared calls, 1'; prepare",
        ),
        (changed(payload=None), "this is not the text of prepared calls"),
        (changed(signature=7), "this is not the text of prepared calls"),
        (changed(signature=""), "signed with another key, or changed since"),
        (changed(signature="\ud800é"), "signed with another key, or changed since"),
        (changed(payload="{}"), "signed with another key, or changed since"),
    ],
)
def test_a_text_that_is_not_signed_is_refused(text: str, message: str) -> None:
    with pytest.raises(ApprovalError) as caught:
        read(text, KEY)
    assert message in str(caught.value)


@pytest.mark.parametrize("size", [0, 1, 15])
def test_a_key_that_can_be_guessed_is_refused(size: int) -> None:
    for use in (prepared(None).to_json, partial(PreparedCalls.from_json, TEXT)):
        with pytest.raises(ApprovalError) as caught:
            use(key=b"k" * size)
        assert str(caught.value) == (
            f"the key has {size} bytes and could be guessed: use at least 16, such as secrets.token_bytes(32)"
        )


@pytest.mark.parametrize("key", ["0123456789abcdef", None, 16, bytearray(16)])
def test_a_key_that_is_not_bytes_is_refused(key: Any) -> None:
    with pytest.raises(TypeError, match=r"the key must be bytes, such as secrets\.token_bytes\(32\), not "):
        prepared(None).to_json(key=key)


def test_a_text_that_is_not_a_string_is_refused() -> None:
    with pytest.raises(TypeError, match="from_json takes the text that to_json returned, not bytes"):
        read(TEXT.encode(), KEY)
