"""Is what is too long for a model kept as a whole, for its owner alone?"""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fcregistry.execution._limits import keep


def test_a_file_is_named_after_what_is_in_it_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "results"
    path = keep(folder, b"a long text", ".txt")

    assert path.parent == folder
    assert path.read_bytes() == b"a long text"
    assert path.name == "3593f87b3ed8cc5d227bf3cb02dda0ec.txt"
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(folder.stat().st_mode)) == (0o600, 0o700)


def test_the_same_has_one_file_and_others_have_others(tmp_path: Path) -> None:
    first = keep(tmp_path, b"a", ".txt")

    assert keep(tmp_path, b"a", ".txt") == first != keep(tmp_path, b"b", ".txt")
    assert len(list(tmp_path.iterdir())) == 2


def test_many_threads_that_keep_the_same_leave_it_whole(tmp_path: Path) -> None:
    data = b"x" * 100_000
    with ThreadPoolExecutor(8) as pool:
        paths = set(pool.map(lambda _: keep(tmp_path, data, ".txt"), range(40)))

    (path,) = paths
    assert path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_that_lies_in_wait_is_replaced_and_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    path = keep(tmp_path / "results", b"a", ".txt")
    path.unlink()
    path.symlink_to(victim)

    assert keep(tmp_path / "results", b"a", ".txt") == path
    assert (path.is_symlink(), path.read_bytes(), victim.read_text()) == (False, b"a", "untouched")


def test_what_cannot_be_written_is_an_error_and_leaves_nothing_behind(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(OSError, match="exists"):
        keep(file, b"a", ".txt")

    folder = tmp_path / "results"
    (folder / "3593f87b3ed8cc5d227bf3cb02dda0ec.txt").mkdir(parents=True)
    with pytest.raises(OSError, match="directory"):
        keep(folder, b"a long text", ".txt")
    assert [path.name for path in folder.iterdir()] == ["3593f87b3ed8cc5d227bf3cb02dda0ec.txt"]
