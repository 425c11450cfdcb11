"""Nothing that a model writes, and nothing that lies in the root, leads out of the root: in a process with limits."""

from __future__ import annotations

import ctypes
import os
import socket
import sys
import threading
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and limits of POSIX systems")

SECRET = "the-secret-outside"

Place: TypeAlias = Any
Limited: TypeAlias = Any
Calls: TypeAlias = list[tuple[str, dict[str, Any]]]


def every_tool(path: str) -> Calls:
    """Return calls of all tools that take a path."""
    return [
        ("read_file", {"path": path}),
        ("list_directory", {"path": path}),
        ("file_info", {"path": path}),
        ("find_files", {"pattern": "**/*", "path": path}),
        ("search_files", {"pattern": ".", "path": path}),
        ("edit_file", {"path": path, "old": "secret", "new": "changed"}),
        ("write_file", {"path": path, "content": "changed\n", "overwrite": True}),
        ("apply_patch", {"patch": f"*** Begin Patch\n*** Update File: {path}\n-{SECRET}\n+changed\n*** End Patch"}),
        ("apply_patch", {"patch": f"*** Begin Patch\n*** Delete File: {path}\n*** End Patch"}),
        ("move", {"source": path, "target": "stolen"}),
        ("delete", {"path": path}),
    ]


PATHS = {
    "parent": "../outside/secret.txt",
    "parent in the middle": "a/../../outside/secret.txt",
    "parent that stays inside": "a/../b.txt",
    "parent after a dot": "./../outside/secret.txt",
    "parent at the end": "a/b/../../..",
    "parent alone": "..",
    "parent before a slash": "../",
    "many parents": "../" * 40 + "etc/passwd",
    "absolute": "{outside}/secret.txt",
    "absolute, of the root": "{root}/a",
    "absolute with two slashes": "/{outside}/secret.txt",
    "slash alone": "/",
    "/proc/self/root": "/proc/self/root{outside}/secret.txt",
    "/proc/self/cwd": "/proc/self/cwd/secret.txt",
    "/proc/self/environ": "/proc/self/environ",
    "/proc/self/fd": "/proc/self/fd/3",
    "/dev/fd": "/dev/fd/0",
    "device": "/dev/zero",
    "home": "~/secret.txt",
    "home alone": "~",
    "NUL at the end": "../outside/secret.txt\0.csv",
    "NUL in the middle": "a\0/../../outside/secret.txt",
    "line feed": "a\n../outside/secret.txt",
    "escape sequence": "\x1b[2Ka.txt",
    "right-to-left override": "a\u202etxt.exe",
    "line separator": "a\u2028b",
    "lone surrogate": "a\udcff",
    "long name": "x" * 300,
    "long path": "a/" * 3_000 + "b",
    "many names": "a/" * 70 + "b",
    "very long path": "x" * 900_000,
    "our unfinished files": ".fcregistry-part-0123456789abcdef",
    "our trash": ".fcregistry-trash-root",
    "our trash in capitals": ".FCREGISTRY-TRASH-root/a",
    "our trash with an invisible character": ".fcregis\u200ctry-trash-root",
    "our trash with a long s": ".fcregi\u017ftry-trash-root",
    "our trash in wide letters": "".join(chr(ord(mark) + 0xFEE0) for mark in ".fcregistry-") + "trash",
}


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_a_path_that_leaves_the_root_is_refused_by_every_tool(attacked: Place, limited: Limited, path: str) -> None:
    attacked.write("b.txt")
    attacked.write("a/b/c.txt")
    path = path.replace("{outside}", str(attacked.outside)).replace("{root}", str(attacked.root))
    check_all_refused(attacked, limited, every_tool(path))


# Names that another program could read as something else. Here they are names like all others, of files that do not exist.
STRANGE = {
    "percent-encoded": "%2e%2e/outside/secret.txt",
    "percent-encoded slash": "..%2foutside%2fsecret.txt",
    "backslashes": "..\\outside\\secret.txt",
    "Windows drive": "C:\\outside\\secret.txt",
    "network share": "\\\\server\\share\\secret.txt",
    "file URL": "file:{outside}/secret.txt",
    "variable": "$HOME/secret.txt",
    "command": "$(cat secret.txt)",
    "three dots": ".../outside/secret.txt",
    "dots and a space": ".. /outside/secret.txt",
    "dots and a semicolon": "..;/outside/secret.txt",
    "wide dots": "\uff0e\uff0e/outside/secret.txt",
    "two-dot leader": "\u2025/outside/secret.txt",
    "division slash": "..\u2215outside\u2215secret.txt",
    "wide slash": "..\uff0foutside\uff0fsecret.txt",
    "dots with a combining mark": "..\u0301/outside/secret.txt",
    "option": "--file=/etc/passwd",
    "glob": "../*"[1:] + "*/secret.txt",
    "decomposed form": unicodedata.normalize("NFD", "é") + "/secret.txt",
}


@pytest.mark.parametrize("path", STRANGE.values(), ids=STRANGE)
def test_a_strange_name_means_itself(attacked: Place, limited: Limited, path: str) -> None:
    path = path.replace("{outside}", str(attacked.outside).lstrip("/"))
    before = attacked.state_outside()
    for name, arguments in every_tool(path):
        _, content = limited(name, **arguments)
        assert SECRET not in content
    written = [each for each in attacked.root.rglob("*") if each.is_file()]
    assert all(each.read_text() == "changed\n" for each in written)
    assert attacked.state_outside() == before


def check_all_refused(attacked: Place, limited: Limited, calls: Calls) -> None:
    before = attacked.state_outside()
    for name, arguments in calls:
        ok, content = limited(name, **arguments)
        assert SECRET not in content, name
        assert not ok, (name, content)
        assert len(content) < 2_000
        assert str(attacked.root) not in content or str(attacked.root) in str(arguments)
    assert attacked.state_outside() == before


def link_to(target: str) -> Callable[[Place], None]:
    return lambda place: (place.root / "a").symlink_to(target.replace("{outside}", str(place.outside)))


def make_hard_link(place: Place) -> None:
    (place.root / "a").hardlink_to(place.outside / "secret.txt")


def make_fifo(place: Place) -> None:
    os.mkfifo(place.root / "a")


def make_socket(place: Place) -> None:
    here = Path.cwd()
    os.chdir(place.root)  # the path of a socket may have 100 bytes
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("a")
    finally:
        os.chdir(here)


def make_device(place: Place) -> None:
    try:
        os.mknod(place.root / "a", 0o20666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root makes devices")


# What the entry `a` of the root is, and the paths by which it is tried.
ENTRIES: dict[str, tuple[Callable[[Place], object], list[str]]] = {
    "link to a file": (link_to("{outside}/secret.txt"), ["a", "./a", "a/.", "a/"]),
    "relative link": (link_to("../outside/secret.txt"), ["a"]),
    "link to a folder": (link_to("{outside}"), ["a", "a/secret.txt", "a/sub/secret.txt", "a/new.txt"]),
    "link to the parent": (link_to(".."), ["a", "a/outside/secret.txt"]),
    "link to the root of the system": (link_to("/"), ["a", "a/etc/passwd"]),
    "link to itself": (link_to("a"), ["a", "a/a"]),
    "link to the root": (link_to("."), ["a", "a/b.txt", "a/a/a/b.txt"]),
    "link to nothing": (link_to("{outside}/new.txt"), ["a"]),
    "link into a folder that is missing": (link_to("{outside}/new/new.txt"), ["a", "a/b"]),
    "link to /proc/self/root": (link_to("/proc/self/root"), ["a", "a/etc/passwd"]),
    "link to /proc/self/cwd": (link_to("/proc/self/cwd"), ["a", "a/pyproject.toml"]),
    "link to /proc/self/fd": (link_to("/proc/self/fd"), ["a", "a/0"]),
    "link to /proc/self/environ": (link_to("/proc/self/environ"), ["a"]),
    "link to /dev/zero": (link_to("/dev/zero"), ["a"]),
    "link to /dev/stdin": (link_to("/dev/stdin"), ["a"]),
    "hard link": (make_hard_link, ["a", "./a"]),
    "pipe": (make_fifo, ["a", "a/b"]),
    "socket": (make_socket, ["a"]),
    "device": (make_device, ["a"]),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_that_leads_out_of_the_root_is_refused(attacked: Place, limited: Limited, entry: str) -> None:
    """Only its own name can be deleted, and that of a hard link moved: both leave the other file alone."""
    make, paths = ENTRIES[entry]
    make(attacked)
    attacked.write("b.txt")
    for path in paths:
        calls = [
            (name, arguments)
            for name, arguments in every_tool(path)
            if name not in ("file_info", "move", "delete") and "Delete File" not in str(arguments)
        ]
        check_all_refused(attacked, limited, calls)
        check_nothing_leaks(attacked, limited, [("file_info", {"path": path})])
    check_nothing_leaks(
        attacked,
        limited,
        [
            ("list_directory", {}),
            ("find_files", {"pattern": "**/*secret*"}),
            ("search_files", {"pattern": "secret|root:"}),
            ("move", {"source": "a", "target": "stolen"}),
            ("read_file", {"path": "stolen"}),
            ("move", {"source": "b.txt", "target": "a/b.txt"}),
            ("write_file", {"path": "a/new.txt", "content": "new"}),
            ("delete", {"path": "a"}),
        ],
    )


def check_nothing_leaks(attacked: Place, limited: Limited, calls: Calls) -> None:
    before = attacked.state_outside()
    for name, arguments in calls:
        _, content = limited(name, **arguments)
        assert SECRET not in content, name
        assert "root:" not in content, name
    after = attacked.state_outside()
    # a hard link that is deleted counts no more; its file is the same
    assert {path: (state[0], state[1], state[3]) for path, state in after.items()} == {
        path: (state[0], state[1], state[3]) for path, state in before.items()
    }


PATTERNS = {
    "parent": ("find_files", {"pattern": "../**/*"}),
    "parent in the middle": ("find_files", {"pattern": "a/../../outside/*"}),
    "absolute": ("find_files", {"pattern": "/etc/*"}),
    "too many alternatives": ("find_files", {"pattern": "{a,b}" * 40}),
    "pattern that takes exponential time": ("search_files", {"pattern": "^(a|a)*$", "files": "slow.txt"}),
    "pattern that takes all memory": ("search_files", {"pattern": "(((a{100}){100}){100}){100}"}),
    "pattern that remembers every character": ("search_files", {"pattern": "(a|ab)*(?=[cd])", "files": "long.txt"}),
    "edit that is hard to compare": ("edit_file", {"path": "long.txt", "old": "ab" * 10_000, "new": "c"}),
    "edit of many lines": ("edit_file", {"path": "lines.txt", "old": "x\n" * 20_000 + "y", "new": "c"}),
    "pattern that is not one": ("search_files", {"pattern": "(" * 200}),
    "filter that leaves the root": ("search_files", {"pattern": "secret", "files": "../**/*"}),
    "patch that adds outside": (
        "apply_patch",
        {"patch": "*** Begin Patch\n*** Add File: ../outside/x\n+x\n*** End Patch"},
    ),
    "patch that moves outside": (
        "apply_patch",
        {"patch": "*** Begin Patch\n*** Update File: b.txt\n*** Move to: ../outside/x\n*** End Patch"},
    ),
    "move out": ("move", {"source": "b.txt", "target": "../outside/b.txt"}),
    "move in": ("move", {"source": "../outside/secret.txt", "target": "c.txt"}),
    "move onto the trash": ("move", {"source": "b.txt", "target": ".fcregistry-trash-root/b.txt"}),
    "move into itself": ("move", {"source": "d", "target": "d/e"}),
    "delete the root": ("delete", {"path": "."}),
    "huge file": ("read_file", {"path": "huge.bin"}),
    "huge file, edited": ("edit_file", {"path": "huge.bin", "old": "a", "new": "b"}),
    "codec that is not for text": ("read_file", {"path": "b.txt", "encoding": "zip"}),
    "codec that takes quadratic time": ("read_file", {"path": "b.txt", "encoding": "punycode"}),
}


@pytest.mark.parametrize("attack", PATTERNS)
def test_a_pattern_a_patch_or_a_size_does_no_harm(
    attacked: Place, limited: Limited, attack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, arguments = PATTERNS[attack]
    attacked.write("b.txt")
    attacked.write("d/f.txt")
    attacked.write("slow.txt", "a" * 40 + "b")
    attacked.write("long.txt", "a" * 4_000_000)
    attacked.write("lines.txt", "x\n" * 1_000_000)
    with attacked.write("huge.bin").open("wb") as file:
        file.truncate(2**40)
    before = attacked.state_outside()
    ok, content = limited(name, **arguments)
    assert not ok, content[:200]
    assert SECRET not in content
    assert attacked.state_outside() == before
    assert sorted(path.name for path in attacked.root.iterdir()) == [
        "b.txt",
        "d",
        "huge.bin",
        "lines.txt",
        "long.txt",
        "slow.txt",
    ]


def test_a_glob_of_many_stars_takes_no_time(attacked: Place, limited: Limited) -> None:
    attacked.write("/".join(["a" * 60] * 15) + "/" + "a" * 200)
    """Trying each way in which the stars can match would take longer than a test may take."""
    assert limited("find_files", pattern="/".join(["**/*a*a*a*a*a*a*a*a*a*b"] * 15))[0]


def test_a_deleted_folder_does_not_take_what_its_links_lead_to(attacked: Place, limited: Limited) -> None:
    attacked.write("a/b.txt")
    (attacked.root / "a" / "link").symlink_to(attacked.outside)
    before = attacked.state_outside()
    assert limited("delete", path="a")[0]
    assert attacked.state_outside() == before
    assert not (attacked.root / "a").exists()


def exchange(one: Path, other: Path) -> None:
    """Let two entries change places at once, so that each name always exists (`renameat2` with `RENAME_EXCHANGE`)."""
    rename = ctypes.CDLL(None, use_errno=True).renameat2
    if rename(-100, os.fsencode(one), -100, os.fsencode(other), 2):
        raise OSError(ctypes.get_errno(), "exchange", str(one))


# What another program puts in the place of a folder, or of the file in it.
SWAPS: dict[str, tuple[str, Callable[[Path, Place], object]]] = {
    "folder and link": ("a", lambda other, place: other.symlink_to(place.outside / "sub")),
    "folder and link to the parent": ("a", lambda other, place: other.symlink_to("../outside/sub")),
    "file and link": ("a/secret.txt", lambda other, place: other.symlink_to(place.outside / "secret.txt")),
    "file and hard link": ("a/secret.txt", lambda other, place: other.hardlink_to(place.outside / "secret.txt")),
    "file and pipe": ("a/secret.txt", lambda other, place: os.mkfifo(other)),
    "file and link to a device": ("a/secret.txt", lambda other, place: other.symlink_to("/dev/zero")),
}


TRIES = 160
"""Calls while a thread swaps, and swaps while tools are called."""


@pytest.mark.skipif(sys.platform != "linux", reason="exchanges entries with a call of Linux")
@pytest.mark.parametrize("swap", SWAPS)
def test_no_race_gets_out(attacked: Place, limited: Limited, swap: str) -> None:
    """While a thread swaps what is at a path, every tool sees what is inside, or fails."""
    name, make = SWAPS[swap]
    attacked.write("a/secret.txt", "inside\n")
    other = attacked.root.parent / "other"
    make(other, attacked)
    stop = threading.Event()
    swapped = 0

    def run() -> None:
        nonlocal swapped
        while not stop.is_set():
            try:
                exchange(attacked.root / name, other)
                swapped += 1
            except FileNotFoundError:  # a tool has moved or deleted it
                attacked.write("a/secret.txt", "inside\n")

    def bytes_outside() -> dict[str, Any]:
        return {path: state[3] for path, state in attacked.state_outside().items()}

    before = bytes_outside()
    thread = threading.Thread(target=run)
    thread.start()
    answers = []
    try:
        while len(answers) < TRIES or swapped < TRIES:
            for tool, arguments in (
                ("read_file", {"path": "a/secret.txt"}),
                ("write_file", {"path": "a/secret.txt", "content": "inside\n", "overwrite": True}),
                ("edit_file", {"path": "a/secret.txt", "old": "secret", "new": "changed"}),
                ("list_directory", {"path": "a"}),
                ("search_files", {"pattern": ".", "path": "a"}),
                ("write_file", {"path": "a/new.txt", "content": "inside\n"}),
                ("move", {"source": "a/new.txt", "target": "a/newer.txt"}),
                ("delete", {"path": "a/newer.txt"}),
            ):
                ok, content = limited(tool, **arguments)
                answers.append(ok)
                assert SECRET not in content, tool
    finally:
        stop.set()
        thread.join()
    assert bytes_outside() == before
    assert any(answers)
