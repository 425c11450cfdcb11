"""A file appears at once and complete, or not at all."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from fcregistry.errors import ToolError

from fcregistry_files import Root


@pytest.fixture
def root(tmp_path: Path) -> Root:
    (tmp_path / "root").mkdir()
    return Root(tmp_path / "root")


def test_a_file_appears_when_the_block_ends(root: Root) -> None:
    path = Path(root.path, "a", "b.bin")
    with root.open_to_write("a/b.bin") as file:
        file.write(b"one")
        file.flush()
        assert not path.exists()
    assert path.read_bytes() == b"one"
    assert [each.name for each in path.parent.iterdir()] == ["b.bin"]


def test_a_block_that_raises_leaves_nothing(root: Root) -> None:
    def write() -> None:
        with root.open_to_write("b.bin") as file:
            file.write(b"one")
            raise ConnectionError("lost")

    with pytest.raises(ConnectionError, match="lost"):
        write()
    assert list(Path(root.path).iterdir()) == []


def test_without_overwrite_nothing_is_replaced(root: Root) -> None:
    path = Path(root.path, "b.bin")
    with pytest.raises(ToolError, match=r"'b.bin' exists already; nothing was changed"), root.open_to_write("b.bin"):
        path.write_bytes(b"another writer")  # after the first look
    assert path.read_bytes() == b"another writer"
    with pytest.raises(ToolError, match="exists already"), root.open_to_write("b.bin"):
        pytest.fail("the block must not run")


def test_a_replaced_file_passes_its_permissions_on(root: Root) -> None:
    path = Path(root.path, "b.sh")
    path.write_bytes(b"old")
    path.chmod(0o750)
    with root.open_to_write("b.sh", overwrite=True) as file:
        (part,) = (each for each in path.parent.iterdir() if each != path)
        assert stat.S_IMODE(part.stat().st_mode) == 0o600
        file.write(b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o750


def test_a_closed_root_is_not_used(root: Root) -> None:
    root.close()
    with pytest.raises(ValueError, match="closed"), root.open_to_read("a"):
        pass
