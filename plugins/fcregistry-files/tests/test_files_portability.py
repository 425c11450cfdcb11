"""What the tools do where the system has no directory descriptors, or no rename that refuses to replace."""

from __future__ import annotations

import os
from typing import Any

import pytest
from fcregistry import Executor

from fcregistry_files import _folder, _paths, file_tools


@pytest.fixture(params=["no descriptors", "no rename without replacing"])
def poor_system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A system that has less, as Windows has no descriptors of folders, and some file systems no such rename."""
    if request.param == "no descriptors":
        monkeypatch.setattr(_folder, "DESCRIPTORS", False)
        rename = os.rename

        def rename_as_on_windows(source: str, target: str) -> None:
            if os.path.lexists(target):
                raise FileExistsError(17, "File exists", target)
            rename(source, target)

        monkeypatch.setattr(os, "rename", rename_as_on_windows)
    else:
        monkeypatch.setattr(_folder, "_rename_new", lambda *names: False)
    return request.param


def test_the_tools_do_the_same(place: Any, poor_system: str) -> None:
    place.write("a/one.txt", "one\r\n")
    place.write("b.txt", "b\n")
    call = Executor(file_tools(place.root, write=True), approve=lambda tool, call: True).call
    assert call("read_file", path="a/one.txt").value == "one\n"
    assert call("edit_file", path="a/one.txt", old="one", new="two").ok
    assert call("write_file", path="new/c.txt", content="c\n").ok
    assert "exists already" in call("move", source="b.txt", target="new/c.txt").content
    assert "exists already" in call("move", source="new", target="a").content
    assert call("move", source="b.txt", target="new/b.txt").ok
    assert call("move", source="new", target="newer").ok
    assert call("delete", path="newer").ok
    assert call("write_file", path="a/one.txt", content="three\n", overwrite=True).ok
    assert {
        str(path.relative_to(place.root)): path.read_bytes() for path in place.root.rglob("*") if path.is_file()
    } == {"a/one.txt": b"three\r\n"}
    assert call("find_files", pattern="**/*").value.paths == ["a/one.txt"]
    assert len(call("search_files", pattern="three").value.matches) == 1


def test_links_are_refused(place: Any, poor_system: str) -> None:
    (place.root / "file").symlink_to(place.outside / "secret.txt")
    (place.root / "folder").symlink_to(place.outside)
    (place.root / "hard").hardlink_to(place.outside / "secret.txt")
    call = Executor(file_tools(place.root, write=True), approve=lambda tool, call: True).call
    for path in ("file", "folder/secret.txt", "hard"):
        assert not call("read_file", path=path).ok
        assert not call("edit_file", path=path, old="secret", new="x").ok
    assert not call("write_file", path="folder/new.txt", content="x").ok
    assert call("search_files", pattern="secret").value.matches == []
    assert sorted(path.name for path in place.outside.iterdir()) == ["secret.txt", "sub"]


@pytest.mark.parametrize(
    "path",
    [
        "C:/x",
        "c:x",
        "a/NUL",
        "con.txt",
        "a/COM1",
        "lpt9.log",
        "a.txt:stream",
        "a.",
        "a ",
        "PROGRA~1",
        "a<b",
        "..\\x",
        "\\x",
        "\\\\s\\x",
    ],
)
def test_what_windows_reads_as_another_name_is_refused_there(path: str) -> None:
    with pytest.raises(Exception, match=r"is not a plain name on Windows|is not relative|'\.\.' is not allowed"):
        _paths.split_path(path, windows=True)


def test_windows_paths_have_backslashes() -> None:
    assert _paths.split_path("a\\b/c.txt", windows=True) == ("a", "b", "c.txt")
    assert _paths.split_path("a\\b", windows=False) == ("a\\b",)


def test_spellings_of_one_name_have_one_key() -> None:
    names = ["Caf\u00e9.txt", "cafe\u0301.TXT", "CAFE\u0301.txt"]
    assert len({_paths.order_key("/root", [name]) for name in names}) == 1
    assert _paths.order_key("/", ["a"]) == "/a"
