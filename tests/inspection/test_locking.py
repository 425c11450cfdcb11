"""How what is installed differs from what is locked. Said of records, without a distribution."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from fcregistry import Tool
from fcregistry._config.lock import read_lock
from fcregistry._tools.indexed import record_of
from fcregistry._tools.record import ToolRecord
from fcregistry.inspection import Inventory, LockChange, lock_changes, lock_text, write_lock
from fcregistry.inspection._lock import inventory_of  # an inventory is made of records, without a process

if TYPE_CHECKING:
    from pathlib import Path


def look(place: str, times: int = 1) -> list[str]:
    """Look somewhere.

    Args:
        place: Where.
        times: How often.
    """
    return [place] * times


def shipped(**options: Any) -> ToolRecord:
    record = record_of(Tool.from_function(look, **options))
    return {**record, "file": None, "line": None}


def installed(*records: ToolRecord) -> Inventory:
    said = {"version": "1.0", "files": "sha256:abc", "tools": list(records)}
    return Inventory(distributions={"acme": said}, altered={}, misdescribed={}, left_out=())


def compared(path: Path, was: Inventory, now: Inventory) -> list[LockChange]:
    write_lock(path, lock_text(was.distributions))
    return list(lock_changes(read_lock(str(path)), now))


def test_no_change(tmp_path: Path) -> None:
    assert compared(tmp_path / "a.lock", installed(shipped()), installed(shipped())) == []


def test_a_change_is_reported_with_its_path(tmp_path: Path) -> None:
    """Of schemas, as deep as it lies; of options, those that no model is told too."""
    now = shipped(timeout=5.0, destructive=True)
    found = compared(tmp_path / "a.lock", installed(shipped()), installed(now))
    assert found == [
        LockChange(kind="changed", subject="acme:look", part="options.destructive", new=True),
        LockChange(kind="changed", subject="acme:look", part="options.timeout", new=5.0),
    ]
    other: ToolRecord = {
        **shipped(),
        "parameters": json.loads(json.dumps(shipped()["parameters"]).replace('"default": 1', '"default": true')),
    }
    assert compared(tmp_path / "a.lock", installed(shipped()), installed(other)) == [
        LockChange(kind="changed", subject="acme:look", part="parameters.properties.times.default", old=1, new=True)
    ]


def test_a_record_that_was_edited_in_the_lock_is_seen(tmp_path: Path) -> None:
    """Whoever edits what reviewers read, and leaves the digest that is enforced, or the other way round."""
    path = tmp_path / "a.lock"
    write_lock(path, lock_text(installed(shipped()).distributions))
    text = path.read_text()
    path.write_text(
        text.replace('"summary": "Look somewhere."', '"summary": "Look."').replace("Look somewhere.", "Look.")
    )
    assert LockChange(
        kind="changed", subject="acme:look", part="description", old="Look.", new="Look somewhere."
    ) in lock_changes(read_lock(str(path)), installed(shipped()))
    path.write_text(text.replace(shipped()["digest"], "0" * 64))
    assert lock_changes(read_lock(str(path)), installed(shipped())) == (
        LockChange(kind="changed", subject="acme:look", part="digest", old="0" * 64, new=shipped()["digest"]),
    )


def test_two_tools_of_one_name_are_left_out() -> None:
    """Neither can be called."""
    found = inventory_of([], [("acme", shipped()), ("acme", shipped())])
    assert found.distributions == {}


def test_a_lock_is_of_ascii(tmp_path: Path) -> None:
    """Whoever reviews it sees each character that a model is told, also those that turn a text around."""
    path = tmp_path / "a.lock"
    write_lock(path, lock_text(installed(shipped(description="Look \u202esomewhere\u202c, été")).distributions))
    assert b'"Look \\u202esomewhere\\u202c, \\u00e9t\\u00e9"' in path.read_bytes()
    assert path.read_bytes().endswith(b"\n}\n")


def test_a_lock_is_written_aside(tmp_path: Path) -> None:
    """Nothing is left beside it, and it keeps its permissions."""
    path = tmp_path / "a.lock"
    path.touch(mode=0o600)
    write_lock(path, "one\n")
    assert (path.read_text(), path.stat().st_mode & 0o777, list(tmp_path.iterdir())) == ("one\n", 0o600, [path])


def test_a_lock_that_cannot_be_written_leaves_nothing_beside_it(tmp_path: Path) -> None:
    """And the old one as it was."""
    path = tmp_path / "a.lock"
    write_lock(path, "one\n")
    with pytest.raises(UnicodeEncodeError):
        write_lock(path, "é")
    assert (path.read_text(), list(tmp_path.iterdir())) == ("one\n", [path])


def test_a_lock_takes_the_place_of_no_link_and_of_no_device(tmp_path: Path) -> None:
    """A link of a strange repository may point anywhere, and `/dev/stdout` is others' too."""
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe"):
        with pytest.raises(OSError, match="it is a link, or not a file: name a file"):
            write_lock(tmp_path / name, "one\n")
    assert (tmp_path / "file").read_text() == "x"
    assert {each.name for each in tmp_path.iterdir()} == {"file", "link", "pipe"}
