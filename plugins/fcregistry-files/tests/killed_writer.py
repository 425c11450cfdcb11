"""Kills writing processes before each system call that may change files, and checks the files after each kill.

Argument: the root. Prints for each kind of change how many writers were killed, how many of them had made their change by then, and how many
had left an unfinished file, or an entry of the trash without anything in it.

A writer is a child process that makes one change with a tool: the first writer of a kind is killed before its first such call, the next one before
its second, until one ends by itself. Files change by system calls alone, so a kill at another moment leaves nothing else. Each line of a document
has its name and the version, so that a mixture of two versions, a missing line and a lost document are all noticed.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import sys
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

from fcregistry import Executor

from fcregistry_files import Trash, file_tools

NAMES = ("replaced", "edited", "patched", "moved", "deleted")
KINDS = (*NAMES, "restored")
LINES = 400
PART = ".fcregistry-part-"
SYSTEM = ("posix", "fcntl", "_io", "_ctypes")
"""The modules whose functions and methods make system calls; the tools rename with ctypes."""
LOOKING = {
    *("access", "fstat", "geteuid", "is_dir", "listdir", "lstat", "read", "scandir", "stat"),
    *("_path_splitroot_ex", "fspath", "text_encoding"),  # no system calls at all
}
"""Those of their functions and methods that change nothing."""


def document(name: str, version: int) -> str:
    return f"{name} {version:012d}\n" * LINES


def check_whole(path: Path, name: str) -> None:
    text = path.read_text()
    lines = text.splitlines(keepends=True)
    if name in ("edited", "patched"):  # their first line alone changes
        lines = lines[1:] if len(lines) == LINES + 1 else []
    assert len(lines) == LINES, f"{path} has {len(lines)} lines"
    assert len(set(lines)) == 1, f"{path} has a mixture of versions"
    assert lines[0].startswith(name), f"{path} is not {name}"
    assert text.endswith("\n")
    assert path.stat().st_nlink == 1


class Documents:
    """One document for each kind of change, and the tools that change them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "sub").mkdir(parents=True)
        for name in NAMES:
            head = "version 0\n" if name in ("edited", "patched") else ""
            (root / f"{name}.txt").write_text(head + document(name, 0))
        self.executor = Executor(file_tools(root, write=True), approve=lambda tool, call: True)
        self.trash = Trash(root)
        self.versions = itertools.count(1)
        self.dead_part = root / f"{PART}killed"

    def parts(self) -> list[Path]:
        return list(self.root.rglob(f"{PART}*"))

    def call(self, name: str, **arguments: object) -> None:
        result = self.executor.run({"name": name, "arguments": arguments})
        assert result.ok, result.content

    def prepare(self, kind: str) -> None:
        """Bring the document into the state from which it is changed; each time, one unfinished file is there to be removed."""
        for part in self.parts():
            part.unlink()
        self.dead_part.touch()
        is_there = (self.root / "deleted.txt").exists()
        if kind in ("replaced", "edited", "patched"):
            self.call("read_file", path=f"{kind}.txt", lines=1)
        elif kind == "moved" and not (self.root / "moved.txt").exists():
            self.call("move", source="sub/moved.txt", target="moved.txt")
        elif kind == "restored":
            if is_there:
                self.call("delete", path="deleted.txt")
            self.deleted = self.trash.entries()[0].id
        elif kind == "deleted" and not is_there:
            self.trash.restore(self.trash.entries()[0].id)

    def change(self, kind: str, version: int) -> None:
        if kind == "replaced":
            self.call("write_file", path="replaced.txt", content=document(kind, version), overwrite=True)
        elif kind == "edited":
            self.call("edit_file", path="edited.txt", old=self.first_line(kind), new=f"version {version}")
        elif kind == "patched":
            change = f"-{self.first_line(kind)}\n+version {version}"
            self.call("apply_patch", patch=f"*** Begin Patch\n*** Update File: patched.txt\n{change}\n*** End Patch")
        elif kind == "moved":
            self.call("move", source="moved.txt", target="sub/moved.txt")
        elif kind == "deleted":
            self.call("delete", path="deleted.txt")
        else:
            self.trash.restore(self.deleted)

    def first_line(self, name: str) -> str:
        return (self.root / f"{name}.txt").read_text().split("\n")[0]

    def places(self, name: str) -> list[Path]:
        found = [self.root / f"{name}.txt", self.root / "sub" / f"{name}.txt", *self.trash.path.glob("*/item")]
        return [path for path in found if path.exists() and path.read_text().splitlines()[-1].startswith(name)]

    def empty_entries(self) -> list[Path]:
        return [path for path in self.trash.path.iterdir() if not (path / "item").exists()]

    def state(self, kind: str) -> tuple[str, str]:
        """Return what a change of this kind changes: the place and the text of its document."""
        (place,) = self.places("deleted" if kind == "restored" else kind)
        return str(place), place.read_text()


def kill_before(number: int) -> None:
    """Have this process killed before a system call of this number, of any thread."""

    def count(frame: object, event: str, called: Any) -> None:
        nonlocal left
        owner = getattr(called, "__self__", None)  # a module, or the object of a method
        module = getattr(owner, "__name__", type(owner).__module__)
        if event == "c_call" and module in SYSTEM and called.__name__ not in LOOKING:
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)

    left = number
    threading.setprofile(count)
    sys.setprofile(count)


def is_killed(documents: Documents, kind: str, number: int) -> bool:
    """Start a writer, and return whether it was killed; otherwise it has made its change with fewer system calls."""
    documents.prepare(kind)
    version = next(documents.versions)
    child = os.fork()
    if child == 0:
        try:
            kill_before(number)
            documents.change(kind, version)
            os._exit(0)
        except BaseException as error:  # noqa: BLE001  # a child of fork must never return
            os.write(2, f"{kind}, system call {number}: {type(error).__name__}: {error}\n".encode())
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL), f"the writer ended with status {status}"
    return status == signal.SIGKILL


def main() -> None:
    documents = Documents(Path(sys.argv[1]))
    for kind in KINDS:  # everything that a change imports is imported once
        documents.prepare(kind)
        documents.change(kind, next(documents.versions))
    counted = {kind: {"killed": 0, "changed": 0, "unfinished": 0} for kind in KINDS}
    for kind, seen in counted.items():
        for number in itertools.count(1):
            documents.prepare(kind)
            before = documents.state(kind)
            if not is_killed(documents, kind, number):
                break
            seen["killed"] += 1
            for name in NAMES:
                (place,) = documents.places(name)  # neither lost nor there twice
                check_whole(place, name)
            seen["changed"] += documents.state(kind) != before
            seen["unfinished"] += documents.parts() not in ([], [documents.dead_part]) or bool(
                documents.empty_entries()
            )
            assert documents.trash.empty(older_than=timedelta(days=1)) == 0
            assert not documents.empty_entries(), "emptying the trash removes what a killed writer left behind"
    documents.call("write_file", path="last.txt", content="")
    assert not documents.parts(), "the next writer removes what a killed one left behind"
    print(json.dumps(counted))  # noqa: T201


if __name__ == "__main__":
    main()
