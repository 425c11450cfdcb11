"""Content that a tool may return beside text, and arguments that are refused."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fcregistry.execution import Content, ToolOutput
from fcregistry.types import EncodingError

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 8


def test_a_text_is_shown_as_it_is() -> None:
    content = Content.text("It is 21 °C.")

    assert (content.kind, content.plain, content.media_type) == ("text", "It is 21 °C.", "text/plain")
    assert (content.data, content.label, str(content)) == ("It is 21 °C.".encode(), "", "It is 21 °C.")


def test_json_is_encoded_when_the_content_is_made() -> None:
    value = {"a": [1, None]}
    content = Content.json(value)
    value["a"].append(2)

    assert (content.kind, str(content)) == ("text", '{"a": [1, null]}')


def test_half_a_pair_of_surrogates_has_bytes_too() -> None:
    assert Content.text("\ud800").data == b"\xed\xa0\x80"


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x04\0\0\0WEBP", "image/webp"),
    ],
)
def test_an_image_is_recognized_by_its_first_bytes(data: bytes, media_type: str) -> None:
    content = Content.image(data)

    assert (content.kind, content.media_type, content.data, content.plain) == ("image", media_type, data, None)
    assert str(content) == f"[image: {media_type}, {len(data)} bytes]"


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (b"RIFF\x04\0\0\0WAVE", "audio/wav"),
        (b"OggS", "audio/ogg"),
        (b"fLaC", "audio/flac"),
        (b"ID3\x04", "audio/mpeg"),
        (b"\xff\xfb\x90", "audio/mpeg"),
    ],
)
def test_a_sound_is_recognized_by_its_first_bytes(data: bytes, media_type: str) -> None:
    content = Content.audio(data)

    assert (content.kind, content.media_type, content.data) == ("audio", media_type, data)
    assert str(content) == f"[audio: {media_type}, {len(data)} bytes]"


def test_a_media_type_is_recognized_by_bytes_or_name_or_given(tmp_path: Path) -> None:
    path = tmp_path / "drawing.svg"
    path.write_text("<svg/>")

    assert Content.image(path).media_type == "image/svg+xml"
    assert Content.image(b"<svg/>", media_type="image/SVG+xml").media_type == "image/svg+xml"


def test_a_path_is_read_at_once(tmp_path: Path) -> None:
    path = tmp_path / "chart.png"
    path.write_bytes(PNG)
    content = Content.image(path)
    path.write_bytes(b"something else")

    assert content.data == PNG
    assert Content.image(bytearray(PNG)) == Content.image(memoryview(PNG)) == content


def test_a_text_file_is_content_with_its_text(tmp_path: Path) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("item,price\ntea,3\n")
    content = Content.file(path)

    assert (content.kind, content.media_type, content.name) == ("file", "text/csv", "prices.csv")
    assert (content.plain, content.data) == ("item,price\ntea,3\n", path.read_bytes())
    assert str(content) == "[file: prices.csv, text/csv, 17 bytes]\nitem,price\ntea,3\n"
    assert content.uri == "file:///prices.csv", "no folder of the machine is told"


@pytest.mark.parametrize(
    ("data", "given", "media_type", "name"),
    [
        (b"%PDF-1.7", {}, "application/pdf", "file.pdf"),
        (b"\0\1", {}, "application/octet-stream", "file.bin"),
        (b"\0\1", {"name": "data"}, "application/octet-stream", "data"),
        (b"x", {"name": "Ärger.DOCX"}, f"application/vnd.{'openxmlformats-officedocument.wordprocessingml.document'}", "Ärger.DOCX"),
        (b"a: 1", {"name": "a.yaml"}, "application/yaml", "a.yaml"),
        (b"# a", {"name": "a.md"}, "text/markdown", "a.md"),
        (b"{}", {"media_type": "application/json"}, "application/json", "file.json"),
        (b"{}", {"media_type": "application/ld+json"}, "application/ld+json", "file.bin"),
        (b"", {"name": "empty.txt"}, "text/plain", "empty.txt"),
        (b"x", {"media_type": "x-acme/thing"}, "x-acme/thing", "file.bin"),
        (b"x", {"uri": "acme://a/b%20c.txt"}, "text/plain", "b c.txt"),
    ],
)  # fmt: skip
def test_a_file_has_a_name_and_a_media_type(data: bytes, given: dict[str, str], media_type: str, name: str) -> None:
    content = Content.file(data, **given)

    assert (content.media_type, content.name, content.data) == (media_type, name, data)


@pytest.mark.parametrize(
    "media_type", ["text/x-acme", "application/json", "application/ld+json", "image/svg+xml", "application/yaml"]
)
def test_a_file_with_a_media_type_of_text_is_text(media_type: str) -> None:
    assert Content.file(b"a", media_type=media_type).plain == "a"
    assert Content.file(b"a", media_type="application/pdf").plain is None


def test_bytes_of_a_text_media_type_that_are_not_utf_8_stay_bytes() -> None:
    content = Content.file(b"\xff\xfe", media_type="text/plain")

    assert (content.plain, content.data) == (None, b"\xff\xfe")


def test_a_link_has_an_address_and_a_name() -> None:
    content = Content.link(
        "https://example.org/a/report%202.html?x=1", media_type="text/html", description="The report"
    )

    assert (content.kind, content.name, content.data) == ("link", "report 2.html", b"")
    assert str(content) == "[link: report 2.html, https://example.org/a/report%202.html?x=1, text/html, The report]"
    assert Content.link("mailto:ann@example.org").name == "ann@example.org"
    assert Content.link("https://example.org").name == "https://example.org"


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Content.text(5), TypeError, "Content.text takes a string, not int; Content.json takes any JSON value"),
        (lambda: Content.json(object()), EncodingError, "a value of type builtins.object has no JSON form"),
        (
            lambda: Content.image("chart.png"),
            TypeError,
            "Content.image takes bytes or a Path, not str; pass Path(…) for a path, or .encode() for a text",
        ),
        (lambda: Content.audio(None), TypeError, "Content.audio takes bytes or a Path, not NoneType"),
        (
            lambda: Content.image(b""),
            ValueError,
            "Content.image takes image data of at least one byte, not an empty source",
        ),
        (
            lambda: Content.image(b"x"),
            ValueError,
            "Content.image does not recognize these bytes; give media_type='image/…'",
        ),
        (
            lambda: Content.image(b"%PDF-"),
            ValueError,
            "Content.image takes a media type image/…, not application/pdf; Content.file takes all",
        ),
        (
            lambda: Content.image(PNG, media_type="image/jpeg"),
            ValueError,
            "Content.image was given the media type image/jpeg, but the bytes are image/png",
        ),
        (
            lambda: Content.audio(b"x", media_type="image/png"),
            ValueError,
            "Content.audio takes a media type audio/…, not image/png; Content.file takes all",
        ),
        (
            lambda: Content.file(b"x", media_type="text/csv; charset=utf-8"),
            ValueError,
            "media_type is of the form 'image/png', without parameters, not 'text/csv; charset=utf-8'",
        ),
        (
            lambda: Content.file(b"x", media_type=5),
            TypeError,
            "media_type is a string such as 'image/png', not int",
        ),
        (
            lambda: Content.file(b"x", name="a\nb"),
            ValueError,
            r"name must be a text of one line, and not empty, not 'a\nb'",
        ),
        (lambda: Content.file(b"x", name=""), ValueError, "name must be a text of one line, and not empty, not ''"),
        (lambda: Content.file(b"x", name=5), TypeError, "name is a string, not int"),
        (
            lambda: Content.link("report.pdf"),
            ValueError,
            "uri must begin with a scheme, as 'file:///report.pdf' does, not 'report.pdf'",
        ),
        (lambda: Content.link(5), TypeError, "uri is a string, not int"),
        (
            lambda: ToolOutput(content=[5]),
            TypeError,
            "the content of a ToolOutput is text, Content, or a list of them, and contains int; Content.json takes any JSON value",
        ),
        (
            lambda: ToolOutput(content=5),
            TypeError,
            "the content of a ToolOutput is text, Content, or a list of them, and contains int; Content.json takes any JSON value",
        ),
    ],
)
def test_wrong_arguments_of_content_raise(make: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        make()
    assert str(caught.value) == message


@pytest.mark.parametrize("media_type", ["", "image", "image/", "/png", "image/p ng", "image/png;a=b", "image/a/b"])
def test_an_invalid_media_type_is_refused(media_type: str) -> None:
    with pytest.raises(ValueError, match="is of the form"):
        Content.file(b"x", media_type=media_type)


def test_a_missing_file_raises_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Content.file(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("a", ["a"]),
        (Content.text("a"), ["a"]),
        (["a", Content.text("b")], ["a", "b"]),
        ((each for each in "ab"), ["a", "b"]),
        ([], []),
    ],
)
def test_an_output_has_one_piece_of_content_or_several(content: Any, text: list[str]) -> None:
    output = ToolOutput(value=5, content=content)

    assert (output.value, [str(each) for each in output.content]) == (5, text)


def test_content_compares_by_value_and_is_immutable() -> None:
    content = Content.image(PNG)

    assert content == Content.image(PNG) != Content.image(PNG + b"\0")
    assert content != "image"
    assert {content, Content.image(PNG)} == {content}
    assert pickle.loads(pickle.dumps(content)) == copy.deepcopy(content) == content
    for record, name in ((content, "data"), (content, "new"), (ToolOutput(content=""), "value")):
        with pytest.raises(AttributeError):
            setattr(record, name, b"other")


def test_content_is_shown_without_its_bytes() -> None:
    assert repr(Content.image(PNG)) == "<Content [image: image/png, 16 bytes]>"
    assert repr(Content.text("a\nb")) == "<Content [text: 'a\\nb']>"
    assert repr(ToolOutput(value=1, content="a")) == "ToolOutput(value=1, content=(<Content [text: 'a']>,))"
