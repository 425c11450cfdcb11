"""Content as JSON blocks, which read as the same content."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcregistry.execution import Content

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(
    ("content", "block"),
    [
        (Content.text("a"), {"type": "text", "text": "a"}),
        (Content.image(PNG), {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}),
        (Content.audio(b"OggS"), {"type": "audio", "data": "T2dnUw==", "mimeType": "audio/ogg"}),
        (
            Content.file(b"a,b", name="my prices.csv"),
            {"type": "resource", "resource": {"uri": "file:///my%20prices.csv", "mimeType": "text/csv", "text": "a,b"}},
        ),
        (
            Content.file(b"%PDF-", uri="acme://report"),
            {
                "type": "resource",
                "resource": {"uri": "acme://report", "mimeType": "application/pdf", "blob": "JVBERi0="},
            },
        ),
        (
            Content.link("acme://r/1", name="One", media_type="text/html", description="The first"),
            {
                "type": "resource_link",
                "uri": "acme://r/1",
                "name": "One",
                "description": "The first",
                "mimeType": "text/html",
            },
        ),
    ],
)
def test_content_as_a_block(content: Content, block: dict[str, Any]) -> None:
    assert content.to_block() == block
    assert json.loads(json.dumps(block)) == block


names = st.text(min_size=1).filter(lambda name: name.strip() and name.isprintable() and "/" not in name)
media_types = st.sampled_from(["image/png", "text/csv", "application/json", "application/x-acme", "application/pdf"])
contents = st.one_of(
    st.builds(Content.text, st.text()),
    st.builds(Content.json, st.dictionaries(st.text(), st.integers())),
    st.builds(Content.image, st.binary().map(b"\0".__add__), media_type=st.just("image/x-acme")),
    st.builds(Content.audio, st.binary(min_size=1), media_type=st.just("audio/x-acme")),
    st.builds(Content.file, st.binary(), media_type=media_types, name=names),
    st.builds(Content.link, st.just("acme://a/b"), name=names, description=st.none() | names),
)


@given(content=contents)
def test_a_block_that_is_read_is_the_content_again(content: Content) -> None:
    assert Content.from_block(json.loads(json.dumps(content.to_block()))) == content


def test_further_fields_and_wrong_media_types_of_a_server_are_ignored() -> None:
    block = {"type": "text", "text": "a", "annotations": {"audience": ["user"]}, "_meta": {}}
    resource = {"uri": "acme://a.txt", "mimeType": "text/plain; charset=utf-8", "text": "a"}

    assert Content.from_block(block) == Content.text("a")
    assert Content.from_block({"type": "resource", "resource": resource}).media_type == "text/plain"
    assert Content.from_block({"type": "resource", "resource": {"uri": "acme://a", "text": "a"}}).plain == "a"
    mistaken = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/jpeg"}
    assert Content.from_block(mistaken) == Content.image(PNG)
    assert Content.from_block({"type": "resource_link", "uri": "acme://a/b", "name": "b"}).kind == "link"


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("text", "a content block is an object with a type, not str"),
        ({}, "a content block must have one of the types text, image, audio, resource, resource_link, not None"),
        ({"type": ["text"]}, "a content block must have one of the types text, image, audio, resource, resource_link, not ['text']"),
        ({"type": "text"}, "a content block of the type text cannot be read: 'text' is missing"),
        (
            {"type": "text", "text": 5},
            "a content block of the type text cannot be read: Content.text takes a string, not int; Content.json takes any JSON value",
        ),
        (
            {"type": "image", "data": "%", "mimeType": "image/png"},
            "a content block of the type image cannot be read: its data is not base64: Only base64 data is allowed",
        ),
        (
            {"type": "resource", "resource": {"uri": "acme://a"}},
            "a content block of the type resource cannot be read: 'blob' is missing",
        ),
        (
            {"type": "resource_link", "uri": "a"},
            "a content block of the type resource_link cannot be read: uri must begin with a scheme, as 'file:///report.pdf' does, not 'a'",
        ),
    ],
)  # fmt: skip
def test_the_error_for_a_malformed_block_says_what_is_wrong(block: Any, message: str) -> None:
    with pytest.raises(ValueError, match=r"^a content block") as caught:
        Content.from_block(block)
    assert str(caught.value) == message


words = st.sampled_from(["text", "image", "audio", "resource", "resource_link"]) | st.text()
insides = st.sampled_from(["uri", "text", "blob", "mimeType"])
values = st.recursive(
    st.none() | st.booleans() | words, lambda inner: st.dictionaries(insides, inner) | st.lists(inner), max_leaves=5
)
places = st.sampled_from(["type", "text", "data", "mimeType", "resource", "uri", "name"])


@given(block=st.dictionaries(places, values))
def test_any_block_is_read_or_raises_value_error(block: dict[str, Any]) -> None:
    with suppress(ValueError):
        assert isinstance(Content.from_block(block), Content)
