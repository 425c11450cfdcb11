"""How much of a result a model reads, and what it reads about the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcregistry import Executor, ToolResult
from fcregistry.execution import Content, ToolOutput

PNG = b"\x89PNG\r\n\x1a\n"


def told(value: object, characters: int | None = 200, media_bytes: int | None = None, keep: Any = None) -> ToolResult:
    """Return the result of a tool that returns a value."""

    def work() -> Any:
        """Work."""
        return value

    result = Executor(work, max_characters=characters, max_bytes=media_bytes, keep=keep).run({"name": "work"})
    assert result.ok, result.content
    return result


def cut(value: object, characters: int | None = 200, media_bytes: int | None = None, keep: Any = None) -> ToolResult:
    """Return the result of a tool that returns something that is too long."""
    result = told(value, characters, media_bytes, keep)
    assert result.whole is not None
    return result


def test_a_result_that_is_short_enough_is_not_changed() -> None:
    parts = [Content.text("x" * 200), Content.image(PNG)]

    for result in (told("x" * 200), told("x" * 10_000, None, 1)):
        assert (result.content, result.whole) == (result.value, None)
    short = told(parts, 200, 8)
    assert (short.parts, short.whole) == (tuple(parts), None)


def test_a_long_text_is_cut_in_the_middle_with_a_line_that_says_how_much_and_where_the_whole_is() -> None:
    text = "".join(f"{number:03} " for number in range(250))
    output = cut(text)

    assert output.content == (
        "000 001 002 003 004 005 006 007 008 009 010 011 012 013 014 0\n"
        "[… 879 of 1000 characters are left out here; the whole is in result.whole …]\n"
        "235 236 237 238 239 240 241 242 243 244 245 246 247 248 249 "
    )
    assert (output.value, output.parts, output.whole) == (text, (Content.text(output.content),), text)


def test_the_whole_is_kept_in_a_folder_if_there_is_one(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    output = cut(["東京" + "x" * 1000], 400, keep=folder)
    (path,) = folder.iterdir()

    assert path.suffix == ".json"
    assert path.read_text("utf-8") == output.whole == '["東京' + "x" * 1000 + '"]'
    assert f"characters are left out here; the whole is kept in {path} …]" in output.content

    text = cut("\ud800" * 500, 400, keep=folder)
    (other,) = set(folder.iterdir()) - {path}
    assert other.suffix == ".txt"
    assert other.read_text("utf-8") == "\\ud800" * 500
    assert text.whole == "\ud800" * 500


def test_several_texts_are_cut_as_one() -> None:
    output = cut(
        [
            Content.text("a" * 200),
            Content.image(PNG),
            Content.text("b" * 200),
            Content.file(b"c" * 200, name="c.txt"),
        ]
    )
    line = "[… 477 of 600 characters are left out here; the whole is in result.whole …]"

    assert [str(part) for part in output.parts] == [
        f"{'a' * 62}\n{line}\n",
        "[image: image/png, 8 bytes]",
        f"[file: c.txt, text/plain, 200 bytes]\n{'c' * 61}",
    ]
    assert output.content == "\n".join(map(str, output.parts))
    assert isinstance(output.whole, tuple)
    assert [len(part.data) for part in output.whole] == [200, 8, 200, 200]


def test_a_cut_between_two_texts_has_one_line() -> None:
    output = cut([Content.text("a" * 62), Content.text("b" * 538)], 200)

    assert output.content.count("left out here") == 1
    assert str(output.parts[0]) == "a" * 62


def test_a_text_file_in_the_middle_is_named_although_all_of_it_is_cut(tmp_path: Path) -> None:
    output = cut(
        [Content.text("a" * 100), Content.file(b"b" * 900, name="b.csv"), Content.text("c" * 100)], keep=tmp_path
    )

    assert str(output.parts[1]) == "[file: b.csv, text/csv, 900 bytes]"
    (path,) = tmp_path.iterdir()
    assert path.read_text() == "\n".join(("a" * 100, "b" * 900, "c" * 100))


def test_media_that_are_too_large_are_replaced_by_a_text_and_kept(tmp_path: Path) -> None:
    large, small = Content.image(PNG + b"\0" * 100), Content.audio(b"OggS")
    output = cut([Content.text("a"), large, small], None, 50, tmp_path)
    (path,) = tmp_path.iterdir()

    assert path.suffix == ".png"
    assert path.read_bytes() == large.data
    assert [part.kind for part in output.parts] == ["text", "text", "audio"]
    assert str(output.parts[1]) == (
        "[image: image/png, 108 bytes, is left out: a result has at most 50 bytes of media; "
        f"the whole is kept in {path}]"
    )
    assert output.whole == (Content.text("a"), large, small)
    assert str(cut([large], None, 0).parts[0]) == (
        "[image: image/png, 108 bytes, is left out: a result has at most 0 bytes of media; the whole is in result.whole]"
    )


def test_texts_that_replace_media_are_not_cut() -> None:
    output = cut([Content.text("a" * 300), Content.image(PNG)], 200, 0)

    assert str(output.parts[1]).endswith("the whole is in result.whole]")


@given(text=st.text(st.characters(codec=None), min_size=201, max_size=600), most=st.integers(200, 300))
def test_no_text_is_longer_than_its_limit(text: str, most: int) -> None:
    content = told(text, most).content

    assert len(content) <= max(most, 200)
    assert (content == text) == (len(text) <= most)


@given(st.lists(st.text(st.characters(codec=None), max_size=300) | st.just(PNG), max_size=6), st.integers(200, 400))
def test_no_texts_together_are_longer_than_their_limit(given_parts: list[str | bytes], most: int) -> None:
    parts = [Content.text(part) if isinstance(part, str) else Content.image(part) for part in given_parts]
    result = told(ToolOutput(content=parts), most, 16)

    texts = [part.plain or "" for part in result.parts if not (part.plain or "").startswith("[image")]
    assert sum(map(len, texts)) <= most
    assert sum(len(part.data) for part in result.parts if part.kind == "image") <= 16


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"max_characters": 199}, ValueError, "a limit of characters must be at least 200, not 199"),
        ({"max_bytes": -1}, ValueError, "a limit of bytes must be at least 0, not -1"),
        ({"max_characters": "1000"}, TypeError, "a limit of characters must be a whole number or None, not '1000'"),
        ({"max_characters": True}, TypeError, "a limit of characters must be a whole number or None, not True"),
        ({"keep": "results"}, ValueError, "keep=… stores what is cut: give max_characters or max_bytes, too"),
    ],
)
def test_limits_that_are_not_valid_are_refused(given: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        Executor(cut, **given)
    assert str(caught.value) == message
