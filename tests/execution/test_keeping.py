"""How the whole of a result that is too long for a model is kept in a folder."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from fcregistry import Executor, ToolResult

TEXT = "a long text" * 100
NAME = f"{sha256(TEXT.encode()).hexdigest()[:16]}.txt"


def repeat(text: str) -> str:
    """Repeat a text."""
    return text


def told(folder: Path, text: str = TEXT) -> ToolResult:
    """Return the result of a call whose text is kept in a folder."""
    return Executor(repeat, max_characters=400, keep=folder).call("repeat", text=text)


def test_a_file_is_named_by_its_digest_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "results"
    path = folder / NAME

    assert f"the whole is kept in {path}" in told(folder).content
    assert path.read_text() == TEXT
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(folder.stat().st_mode)) == (0o600, 0o700)


def test_equal_texts_have_one_file_and_different_texts_have_different_files(tmp_path: Path) -> None:
    for text in ("a" * 1000, "a" * 1000, "b" * 1000):
        told(tmp_path, text)

    assert {path.read_text()[0] for path in tmp_path.iterdir()} == {"a", "b"}
    assert len(list(tmp_path.iterdir())) == 2


def test_many_threads_that_store_the_same_text_leave_it_whole(tmp_path: Path) -> None:
    text = "x" * 100_000
    with ThreadPoolExecutor(8) as pool:
        told_texts = {each.content for each in pool.map(lambda _: told(tmp_path, text), range(40))}

    (path,) = tmp_path.iterdir()
    assert path.read_text() == text
    assert len(told_texts) == 1


def test_a_link_in_place_of_the_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    path = tmp_path / "results" / NAME
    path.parent.mkdir()
    path.symlink_to(victim)
    told(path.parent)

    assert (path.is_symlink(), path.read_text(), victim.read_text()) == (False, TEXT, "untouched")


@pytest.mark.parametrize("in_the_way", ["the folder", "the file"])
def test_a_text_that_cannot_be_written_is_reported_and_leaves_no_file(tmp_path: Path, in_the_way: str) -> None:
    folder = tmp_path / "results"
    if in_the_way == "the folder":
        folder.touch()
    else:
        (folder / NAME).mkdir(parents=True)
    result = told(folder)

    assert f"the whole could not be kept in {folder} (" in result.content
    assert result.content.count("result.whole") == 1
    assert result.whole == TEXT
    assert in_the_way == "the folder" or [path.name for path in folder.iterdir()] == [NAME]
