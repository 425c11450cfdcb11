"""Kills writing processes at random moments, and checks the files after each kill.

Arguments: the root, how many kills, and the seed. Prints how many kills hit each kind of change.

The writer is a child process that calls the tools in a loop. It is made by `fork` from this process, which has everything imported, so that
a writer takes milliseconds to start. There are five documents. Each line of a document has its name and the version, so that a mixture of
two versions, a missing line and a lost document are all noticed.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path

from fcregistry import Executor

from fcregistry_files import Trash, file_tools

NAMES = ("replaced", "edited", "patched", "moved", "deleted")
LINES = 400


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


def write_for_ever(root: Path, kind: str, ready: int) -> None:
    """Change one document over and over. Never returns."""
    executor = Executor(file_tools(root, write=True), approve=lambda tool, call: True)
    trash = Trash(root)

    def call(name: str, **arguments: object) -> None:
        result = executor.run({"name": name, "arguments": arguments})
        assert result.ok, result.content

    os.write(ready, b"x")
    version = 0
    while True:
        version += 1
        if kind == "replaced":
            call("read_file", path="replaced.txt", lines=1)
            call("write_file", path="replaced.txt", content=document(kind, version), overwrite=True)
        elif kind == "edited":
            first = (root / "edited.txt").read_text().split("\n")[0]
            call("edit_file", path="edited.txt", old=first, new=f"version {version}-{os.getpid()}")
        elif kind == "patched":
            first = (root / "patched.txt").read_text().split("\n")[0]
            change = f"-{first}\n+version {version}-{os.getpid()}"
            call("apply_patch", patch=f"*** Begin Patch\n*** Update File: patched.txt\n{change}\n*** End Patch")
        elif kind == "moved":
            here, there = (
                ("moved.txt", "sub/moved.txt") if (root / "moved.txt").exists() else ("sub/moved.txt", "moved.txt")
            )
            call("move", source=here, target=there)
        else:
            call("delete", path="deleted.txt")
            trash.restore(trash.entries()[0].id)


def kill_one(root: Path, kind: str, seconds: float) -> None:
    """Start a writer, and kill it some time after its first change began."""
    ready, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            write_for_ever(root, kind, theirs)
        except BaseException as error:  # noqa: BLE001  # a child of fork must never return
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
        os._exit(1)
    os.close(theirs)
    assert os.read(ready, 1) == b"x", "the writer did not start"
    os.close(ready)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the writer had ended before it was killed"


def places_of(root: Path, name: str) -> list[Path]:
    trash = Trash(root).path
    found = [root / f"{name}.txt", root / "sub" / f"{name}.txt", *sorted(trash.glob("*/item"))]
    return [path for path in found if path.exists() and path.read_text().splitlines()[-1].startswith(name)]


def main() -> None:
    root, kills, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(seed)
    (root / "sub").mkdir(parents=True)
    for name in NAMES:
        head = "version 0\n" if name in ("edited", "patched") else ""
        (root / f"{name}.txt").write_text(head + document(name, 0))
    parts = 0
    counted: Counter[str] = Counter()
    for number in range(kills):
        kind = NAMES[number % len(NAMES)]
        kill_one(root, kind, chance.uniform(0, 0.02))
        counted[kind] += 1
        for name in NAMES:
            (place,) = places_of(root, name)  # neither lost nor there twice
            check_whole(place, name)
        parts += len(list(root.glob(".fcregistry-part-*")))
        if not (root / "deleted.txt").exists():
            Trash(root).restore(Trash(root).entries()[0].id)
    executor = Executor(file_tools(root, write=True))
    assert executor.call("write_file", path="last.txt", content="").ok
    assert not list(root.rglob(".fcregistry-part-*")), "the next writer removes what a killed one left behind"
    print(json.dumps({"kills": counted, "unfinished": parts}))  # noqa: T201


if __name__ == "__main__":
    main()
