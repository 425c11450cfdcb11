"""Writes are exact and whole, keep the form of a file, and refuse what the model has not seen."""

from __future__ import annotations

import codecs
import errno
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from fcregistry import Executor, ToolCall
from fcregistry.execution import Policy

from fcregistry_files import Root, Trash, file_tools


def test_a_new_file_never_replaces_another(place: Any, call: Any) -> None:
    assert call("write_file", path="a/b/c.txt", content="one\n").content == "wrote a/b/c.txt: 1 line, 4 characters"
    assert call("write_file", path="a/b/c.txt", content="two\n").content == (
        "'a/b/c.txt' exists already; nothing was changed. To change a part of it, use edit_file; "
        "to replace it, read it first, then pass overwrite=true."
    )
    assert (place.root / "a/b/c.txt").read_bytes() == b"one\n"


def test_a_file_is_replaced_once_it_was_read(place: Any, call: Any) -> None:
    file = place.write("a.txt", "one\n")
    replace = {"path": "a.txt", "content": "two\n", "overwrite": True}
    assert call("write_file", **replace).content == (
        "'a.txt' was not read yet; nothing was changed. Read it first, then overwrite it."
    )
    call("read_file", path="a.txt")
    file.write_text("by another\n")
    assert "has changed since it was read" in call("write_file", **replace).content
    call("read_file", path="a.txt", lines=1)
    assert call("write_file", **replace).content == "replaced a.txt: 1 line, 4 characters"
    assert call("write_file", **replace).ok, "the model knows what it wrote"
    assert call("write_file", path="new.txt", content="", overwrite=True).ok, "there was nothing to replace"


@pytest.mark.parametrize("change", ["edit_file", "apply_patch", "write_file", "delete"])
def test_a_file_that_changed_since_it_was_read_is_left_alone(place: Any, call: Any, change: str) -> None:
    file = place.write("a.txt", "one\n")
    call("read_file", path="a.txt")
    file.write_text("one\ntwo\n")
    result = call(
        change,
        **{
            "edit_file": {"path": "a.txt", "old": "one", "new": "1"},
            "apply_patch": {"patch": "*** Begin Patch\n*** Update File: a.txt\n-one\n+1\n*** End Patch"},
            "write_file": {"path": "a.txt", "content": "1\n", "overwrite": True},
            "delete": {"path": "a.txt"},
        }[change],
    )
    assert result.content == "'a.txt' has changed since it was read; nothing was changed. Read it again first."
    assert file.read_text() == "one\ntwo\n"


def test_a_change_between_the_check_and_the_rename_is_noticed(place: Any, root: Root, monkeypatch: Any) -> None:
    file = place.write("a.txt", "one\n")
    fsync = os.fsync

    def change_and_sync(descriptor: int) -> None:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            file.write_text("by another\n")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", change_and_sync)
    result = Executor(file_tools(root, write=True)).call("edit_file", path="a.txt", old="one", new="two")
    assert result.content == "'a.txt' was changed by another program just now; nothing was changed. Read it again."
    assert file.read_text() == "by another\n"
    assert [each.name for each in place.root.iterdir()] == ["a.txt"]


@pytest.mark.parametrize(
    ("content", "old", "new", "expected"),
    [
        ("a\nb\nc\n", "b", "B", "a\nB\nc\n"),
        ("a\nb\nc\n", "b\n", "", "a\nc\n"),
        ("a\r\nb\r\nc\r\n", "a\nb", "A\nB\nB", "A\r\nB\r\nB\r\nc\r\n"),
        ("a\r\nb\r\nc\r\n", "a\r\nb", "A\r\nB", "A\r\nB\r\nc\r\n"),
        ("a\r\nb\nc\r\nd", "b\nc", "B\nC", "a\r\nB\r\nC\r\nd"),
        ("a\r\nb\nc\r\nd\n", "d", "D", "a\r\nb\nc\r\nD\n"),
        (codecs.BOM_UTF8 + b"a\n", "a", "b", codecs.BOM_UTF8 + b"b\n"),
        (
            codecs.BOM_UTF16_BE + "a\r\nb".encode("utf-16-be"),
            "b",
            "ü",
            codecs.BOM_UTF16_BE + "a\r\nü".encode("utf-16-be"),
        ),
    ],
)
def test_an_edit_changes_nothing_else(
    place: Any, call: Any, content: str | bytes, old: str, new: str, expected: str | bytes
) -> None:
    """Neither other line ends, nor the byte order mark, nor the permissions."""
    file = place.write("a.txt", content)
    file.chmod(0o755)
    result = call("edit_file", path="a.txt", old=old, new=new)
    assert result.ok, result.content
    assert file.read_bytes() == (expected if isinstance(expected, bytes) else expected.encode())
    assert sys.platform == "win32" or stat.S_IMODE(file.stat().st_mode) == 0o755


@pytest.mark.parametrize(
    ("old", "message"),
    [
        (
            "x = 1",
            "the old text is in 'a.py' 2 times, at the lines 2, 6; nothing was changed. Repeat more of the lines around",
        ),
        (
            "def two():\n  x = 2",
            "The nearest text is in lines 3-4. It differs in white space only.\ndef two():\n    x = 2",
        ),
        (
            "    y = 3\n    return z",
            "the old text is not in 'a.py'; nothing was changed. The nearest text is in lines 7-8.\n    y = 3\n    return y",
        ),
        (
            "something else entirely",
            "the old text is not in 'a.py'; nothing was changed. No text in the file is similar.",
        ),
    ],
)
def test_an_edit_that_does_not_fit_shows_the_nearest_text(place: Any, call: Any, old: str, message: str) -> None:
    text = "def one():\n    x = 1\ndef two():\n    x = 2\ndef three():\n    x = 1\n    y = 3\n    return y\n"
    file = place.write("a.py", text)
    assert message in call("edit_file", path="a.py", old=old, new="").content
    assert file.read_text() == text


def test_an_edit_keeps_the_encoding_or_says_what_it_cannot_write(place: Any, call: Any) -> None:
    file = place.write("a.txt", "grün\n".encode("latin-1"))
    assert call("edit_file", path="a.txt", old="grün", new="Öl", encoding="latin-1").ok
    assert file.read_bytes() == "Öl\n".encode("latin-1")
    assert call("edit_file", path="a.txt", old="Öl", new="a\n5 €", encoding="latin-1").content == (
        "the text cannot be written as latin-1: line 2 has the character '€'; nothing was changed"
    )
    assert call("edit_file", path="a.txt", old="Öl", new="Öl", encoding="latin-1").content == (
        "old and new are the same text; nothing was changed"
    )


def test_a_replaced_file_keeps_its_line_ends(place: Any, call: Any) -> None:
    file = place.write("a.txt", "a\r\nb\r\n")
    call("read_file", path="a.txt")
    assert call("write_file", path="a.txt", content="c\nd\n", overwrite=True).ok
    assert file.read_bytes() == b"c\r\nd\r\n"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_changes_nothing(place: Any, call: Any, monkeypatch: Any, code: int) -> None:
    file = place.write("a.txt", "one\n")

    def fail(descriptor: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fail)
    message = "'a.txt' cannot be written: there is no space left; nothing was changed"
    assert call("edit_file", path="a.txt", old="one", new="two").content == message
    assert file.read_text() == "one\n"
    assert [each.name for each in place.root.iterdir()] == ["a.txt"]


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX systems")
def test_a_file_that_the_system_does_not_let_grow_changes_nothing(limited: Any, attacked: Any) -> None:
    """The process may write 600 KiB into a file."""
    attacked.write("a.txt", "one\n")
    assert limited("read_file", path="a.txt")[0]
    message = "'a.txt' cannot be written: there is no space left; nothing was changed"
    assert limited("write_file", path="a.txt", content="x" * 900_000, overwrite=True) == (False, message)
    assert {path.name: path.read_text() for path in attacked.root.iterdir()} == {"a.txt": "one\n"}


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX systems")
def test_a_patch_whose_second_file_does_not_fit_on_the_disk_changes_nothing(limited: Any, attacked: Any) -> None:
    """The process may write 600 KiB into a file."""
    attacked.write("a.txt", "one\n")
    large = "\n".join(["+" + "x" * 1_000] * 700)
    patch = f"*** Begin Patch\n*** Update File: a.txt\n-one\n+two\n*** Add File: b.txt\n{large}\n*** Add File: c.txt\n+c\n*** End Patch"
    message = "'b.txt' cannot be written: there is no space left; nothing was changed"
    assert limited("apply_patch", patch=patch) == (False, message)
    assert {path.name: path.read_text() for path in attacked.root.iterdir()} == {"a.txt": "one\n"}


def test_every_file_of_a_patch_is_on_the_disk_before_the_first_appears(place: Any, call: Any, monkeypatch: Any) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        place.write(name, "one\n")
    fsync, synced = os.fsync, []

    def fail_at_the_second(descriptor: int) -> None:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            synced.append(descriptor)
            if len(synced) == 2:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", fail_at_the_second)
    lines = "\n".join(f"*** Update File: {name}\n-one\n+two" for name in ("a.txt", "b.txt", "c.txt"))
    result = call("apply_patch", patch=f"*** Begin Patch\n{lines}\n*** End Patch")
    assert result.content == "'b.txt' cannot be written: there is no space left; nothing was changed"
    assert {path.name: path.read_text() for path in place.root.iterdir()} == dict.fromkeys(
        ("a.txt", "b.txt", "c.txt"), "one\n"
    )


def test_a_move_never_replaces(place: Any, call: Any) -> None:
    place.write("a.txt", "a\n")
    place.write("d/b.txt", "b\n")
    assert call("move", source="a.txt", target="d/b.txt").content == "'d/b.txt' exists already; nothing was changed"
    assert call("move", source="a.txt", target="d").content == "'d' exists already; nothing was changed"
    assert call("move", source="a.txt", target="new/a.txt").content == "moved a.txt to new/a.txt"
    assert call("move", source="d", target="new/d").ok
    assert (place.root / "new/d/b.txt").read_text() == "b\n"
    assert "does not exist" in call("move", source="a.txt", target="c.txt").content
    assert call("move", source="new", target="new/d/x").content == (
        "'new' cannot be moved to 'new/d/x', which is the same or below it"
    )


PATCH = """\
*** Begin Patch
*** Update File: a.txt
@@ two
-x
+y
@@
-last
+the last
*** Add File: sub/new.txt
+one
+
+two
*** Update File: b.txt
*** Move to: c.txt
 first
+second
*** Delete File: old.txt
*** End Patch
"""


def test_a_patch_changes_several_files(place: Any, call: Any) -> None:
    place.write("a.txt", "one\r\nx\r\ntwo\r\nx\r\nlast\r\n")
    place.write("b.txt", "first\n")
    place.write("old.txt")
    assert call("apply_patch", patch=PATCH).content == (
        "deleted old.txt\nmoved b.txt to c.txt\nupdated a.txt\nupdated b.txt\nwrote sub/new.txt"
    )
    assert {str(path.relative_to(place.root)): path.read_bytes() for path in place.root.rglob("*.txt")} == {
        "a.txt": b"one\r\nx\r\ntwo\r\ny\r\nthe last\r\n",
        "sub/new.txt": b"one\n\ntwo\n",
        "c.txt": b"first\nsecond\n",
    }


def test_a_long_change_of_a_large_file_takes_no_time(place: Any, call: Any) -> None:
    """Comparing the lines with those at each place of the file would take longer than a test may take."""
    place.write("a.txt", "x\n" * 3_000_000 + "y\n")
    patch = "\n".join(["*** Begin Patch", "*** Update File: a.txt", *["-x"] * 30_000, "-y", "+z", "*** End Patch"])
    assert call("apply_patch", patch=patch).content == "updated a.txt"
    assert (place.root / "a.txt").read_text() == "x\n" * 2_970_000 + "z\n"
    assert "are not in 'a.txt'" in call("apply_patch", patch=patch).content
    assert (
        "in 'a.txt' at 100 or more places: the lines 1, 2,"
        in call("apply_patch", patch=patch.replace("-y\n", "")).content
    )
    assert (
        "in 'a.txt' 100 or more times, at the lines 1, 2," in call("edit_file", path="a.txt", old="x", new="y").content
    )


@pytest.mark.parametrize(
    ("text", "lines", "expected"),
    [
        ("a\nb", ["-b", "+c"], "a\nc"),
        ("a\nb", ["-b"], "a\n"),
        ("a\nb", ["@@ b", "+c"], "a\nb\nc"),
        ("a\nb", [" b", "+c", "*** End of File"], "a\nb\nc"),
        ("a\nb\n", ["@@ b", "+c"], "a\nb\nc\n"),
        ("", ["+a"], "a\n"),
        ("\n", ["+a", "*** End of File"], "\na\n"),
        ("a\na\n", ["-a", "+b", "*** End of File"], "a\nb\n"),
        ("ab\nb\n", ["-b", "+c"], "ab\nc\n"),
        ("a\n  b \na\n", ["@@ b", "-a", "+c"], "a\n  b \nc\n"),
        ("b\r\na\nb\r\nc\r\n", [" a", "-b", "+d"], "b\r\na\r\nd\r\nc\r\n"),
        ("a\r\n\r\n\nb\n\r\nc\n", ["-b"], "a\r\n\r\n\n\r\nc\n"),
    ],
)
def test_a_patch_changes_only_its_lines(place: Any, call: Any, text: str, lines: list[str], expected: str) -> None:
    place.write("a.txt", text)
    patch = "\n".join(["*** Begin Patch", "*** Update File: a.txt", *lines, "*** End Patch"])
    assert call("apply_patch", patch=patch).ok
    assert (place.root / "a.txt").read_bytes() == expected.encode()


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["*** Update File: a.txt", "-nothing"], "the lines to change are not in 'a.txt'; nothing was changed."),
        (["*** Update File: a.txt", "-x", "+y"], "the lines to change are in 'a.txt' at 2 places: the lines 2, 4;"),
        (["*** Update File: a.txt", "@@ three", "-x"], "'a.txt' has no line 'three'; nothing was changed."),
        (["*** Update File: a.txt", "+new"], "adds lines and does not say where"),
        (["*** Update File: a.txt"], "the patch says nothing about what to change in 'a.txt'"),
        (["*** Update File: missing.txt", "-x"], "'missing.txt' does not exist"),
        (["*** Add File: a.txt", "+x"], "'a.txt' exists already; nothing was changed"),
        (["*** Add File: new.txt", "x"], "line 5 of the patch, 'x', is not expected there; nothing was changed."),
        (["*** Delete File: missing.txt"], "'missing.txt' does not exist"),
        (["*** Update File: b.txt", "-b", "+B"], "the patch names 'b.txt' twice"),
        (["*** Update File: ../x", "-b"], "'../x' cannot be used: '..' is not allowed"),
        (
            ["diff --git a/x b/x"],
            "line 4 of the patch, 'diff --git a/x b/x', is not expected there; nothing was changed.",
        ),
    ],
)
def test_a_patch_that_does_not_fit_changes_nothing(place: Any, call: Any, lines: list[str], message: str) -> None:
    place.write("a.txt", "one\nx\ntwo\nx\n")
    place.write("b.txt", "b\n")
    patch = ["*** Begin Patch", "*** Update File: b.txt", "-b", *lines, "*** End Patch"]
    result = call("apply_patch", patch="\n".join(patch))
    assert not result.ok
    assert message in result.content
    assert {path.name: path.read_text() for path in place.root.iterdir()} == {
        "a.txt": "one\nx\ntwo\nx\n",
        "b.txt": "b\n",
    }


def test_the_error_for_a_text_that_is_not_a_patch_shows_the_form(call: Any) -> None:
    assert call("apply_patch", patch="diff --git a/x b/x").content == (
        "this is not a patch; nothing was changed. A patch begins with '*** Begin Patch', ends with '*** End Patch', and has "
        "between them '*** Add File: path', '*** Delete File: path' or '*** Update File: path'"
    )


def test_what_is_deleted_can_be_restored(place: Any, call: Any) -> None:
    place.write("d/a.txt", "a\n")
    assert call("delete", path="d").content == "deleted d; the user can restore it"
    assert not (place.root / "d").exists()
    trash = Trash(place.root)
    (deleted,) = trash.entries()
    assert deleted.path == "d"
    assert trash.restore(deleted.id, to="e/f") == "e/f"
    assert (place.root / "e/f/a.txt").read_text() == "a\n"
    assert trash.entries() == []


def test_restoring_never_replaces(place: Any, call: Any) -> None:
    place.write("a.txt", "old\n")
    call("delete", path="a.txt")
    place.write("a.txt", "new\n")
    trash = Trash(place.root)
    with pytest.raises(Exception, match=r"'a.txt' exists already; nothing was changed"):
        trash.restore(trash.entries()[0].id)
    assert len(trash.entries()) == 1
    with pytest.raises(Exception, match="'b' is not in the trash"):
        trash.restore("b")
    assert trash.empty() == 1
    assert trash.entries() == []


@pytest.mark.skipif(sys.platform == "win32", reason="only some users of Windows may make links")
@pytest.mark.parametrize("target", ["../outside/secret.txt", "../outside", "b.txt", "missing"])
def test_only_deleting_accepts_a_link_and_takes_the_link_itself(place: Any, call: Any, target: str) -> None:
    place.write("b.txt")
    (place.root / "a").symlink_to(target)
    outside = place.state_outside()
    refused = [
        call("read_file", path="a"),
        call("write_file", path="a", content="x", overwrite=True),
        call("edit_file", path="a", old="inside", new="x"),
        call("move", source="a", target="c"),
    ]
    link = "'a' is a link; links are never followed. Use the path of what it leads to."
    assert [each.content for each in refused] == [link] * 3 + ["'a' is neither a file nor a folder; it was not moved"]
    assert call("delete", path="a").content == "deleted the link a, not what it leads to; the user can restore it"
    trash = Trash(place.root)
    assert trash.restore(trash.entries()[0].id) == "a"
    assert (place.root / "a").readlink() == Path(target)
    assert call("apply_patch", patch="*** Begin Patch\n*** Delete File: a\n*** End Patch").content == "deleted a"
    assert trash.empty() == 1
    assert place.state_outside() == outside
    assert {path.name: path.read_text() for path in place.root.iterdir()} == {"b.txt": "inside\n"}


def test_moving_and_deleting_take_one_name_of_a_file_with_several_hard_links(place: Any, call: Any) -> None:
    secret = place.outside / "secret.txt"
    text = secret.read_text()
    for name in ("a.txt", "b.txt"):
        (place.root / name).hardlink_to(secret)
    refused = [
        call("read_file", path="a.txt"),
        call("write_file", path="a.txt", content="x", overwrite=True),
        call("edit_file", path="a.txt", old="secret", new="x"),
    ]
    assert all(
        "'a.txt' has 3 hard links, so it may belong to a place outside of the folder" in each.content
        for each in refused
    )
    assert call("move", source="a.txt", target="c.txt").ok
    assert call("delete", path="b.txt").ok
    assert [path.name for path in place.root.iterdir()] == ["c.txt"]
    assert Trash(place.root).empty() == 1
    assert (secret.read_text(), secret.stat().st_nlink) == (text, 2)


def test_the_trash_is_outside_of_what_any_tool_reads(place: Any, call: Any) -> None:
    place.write("a.txt", "gone\n")
    call("delete", path="a.txt")
    above = Executor(file_tools(place.root.parent))
    assert above.call("search_files", pattern="gone").value.matches == []
    assert "reserved" in above.call("list_directory", path=".fcregistry-trash-root").content


@pytest.mark.parametrize("where", ["root/trash", "root", "missing/trash"])
def test_a_trash_that_cannot_be_used_is_refused_at_once(place: Any, where: str) -> None:
    with pytest.raises(Exception, match="pass trash=, a folder of yours on the same file system, outside of the root"):
        file_tools(place.root, write=True, trash=place.root.parent / where)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX systems")
def test_a_trash_that_others_may_write_in_is_refused(place: Any) -> None:
    (place.root.parent / "trash").mkdir()
    (place.root.parent / "trash").chmod(0o777)
    with pytest.raises(Exception, match="others may write in it"):
        file_tools(place.root, write=True, trash=place.root.parent / "trash")


@pytest.mark.parametrize(
    ("name", "arguments", "asks"),
    [
        ("delete", {"path": "a.txt"}, True),
        ("write_file", {"path": "a.txt", "content": "", "overwrite": True}, True),
        ("write_file", {"path": "b.txt", "content": ""}, False),
        ("edit_file", {"path": "a.txt", "old": "inside", "new": "x"}, False),
        ("move", {"source": "a.txt", "target": "b.txt"}, False),
        ("apply_patch", {"patch": "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch"}, True),
        ("apply_patch", {"patch": "*** Begin Patch\n*** Add File: b.txt\n+b\n*** End Patch"}, False),
    ],
)
def test_deletions_and_overwrites_ask_and_name_the_path(
    place: Any, name: str, arguments: dict[str, Any], asks: bool
) -> None:
    place.write("a.txt")
    asked: list[str] = []

    def approve(tool: Any, call: ToolCall) -> bool:
        asked.append(str(call.arguments))
        return False

    result = Executor(file_tools(place.root, write=True), approve=approve).run({"name": name, "arguments": arguments})
    assert bool(asked) == asks
    assert not asks or "a.txt" in asked[0]
    assert result.ok != asks
    assert not asks or (place.root / "a.txt").read_text() == "inside\n"
    alone = Executor(file_tools(place.root, write=True)).run({"name": name, "arguments": arguments})
    assert not asks or (alone.error is not None and alone.error.code == "approval_required")


def test_calls_of_a_batch_that_use_one_path_keep_their_order(place: Any) -> None:
    executor = Executor(file_tools(place.root, write=True))
    tools = executor.tools
    keys = tools["move"].options.writes({"source": "A.txt", "target": "b/c.txt"})
    assert keys == [Root(place.root).key("a.txt"), Root(place.root).key("./b//C.txt")]
    calls = [("write_file", {"path": "a.txt", "content": "0\n"})]
    calls += [("edit_file", {"path": "a.txt", "old": f"{number}\n", "new": f"{number + 1}\n"}) for number in range(20)]
    calls += [("read_file", {"path": "./a.txt"})]
    results = executor.run_all([{"name": name, "arguments": arguments} for name, arguments in calls])
    assert [result.content for result in results if not result.ok] == []
    assert results[-1].value == "20\n"


def test_a_policy_can_make_every_change_ask(place: Any) -> None:
    policy = Policy(ask=["tag=files", "!read_only=true"])
    executor = Executor(file_tools(place.root, write=True), policy=policy)
    result = executor.call("write_file", path="a.txt", content="")
    assert result.error is not None
    assert result.error.code == "approval_required"
    assert executor.call("list_directory").ok


def test_without_write_there_is_no_tool_that_writes(place: Any) -> None:
    assert all(tool.options.read_only for tool in file_tools(place.root).values())


def test_wrong_limits_are_refused_together(place: Any) -> None:
    with pytest.raises(Exception, match="max_bytes=") as caught:
        file_tools(place.root, max_bytes=0, max_characters=True, search_seconds=float("inf"))
    assert str(caught.value).splitlines() == [
        "file_tools cannot make tools:",
        "  - max_bytes= takes a whole number above 0, not 0",
        "  - max_characters= takes a whole number above 0, not True",
        "  - search_seconds= takes seconds, a finite number above 0, not inf",
    ]
    with pytest.raises(FileNotFoundError):
        file_tools(Path(place.root, "missing"))
