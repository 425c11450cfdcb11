"""The distribution ships tools for the folder that the environment names, a manifest, and commands for the trash."""

from __future__ import annotations

import gc
import json
import os
import pickle
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from fcregistry import Executor
from fcregistry.testing import check_tool

from fcregistry_files import Root, Trash, file_tools
from fcregistry_files.__main__ import main
from fcregistry_files.tools import TOOLS

PROJECT = Path(__file__).parent.parent
WRITING = {"apply_patch", "delete", "edit_file", "move", "write_file"}


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ROOT", "WRITE", "TRASH"):
        monkeypatch.delenv(f"FCREGISTRY_FILES_{name}", raising=False)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_rule_is_kept(tool: Any) -> None:
    """Every rule of `pytest --fcregistry`."""
    report = check_tool(tool)
    assert report.remarks == ()


def test_the_entry_point_and_the_manifest_name_the_tools() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"] == {"fcregistry": {"files": "fcregistry_files.tools:TOOLS"}}
    (plugin,) = json.loads((PROJECT / "fcregistry_files" / "fcregistry.json").read_text(encoding="utf-8"))["plugins"]
    assert sorted(tool["name"] for tool in plugin["tools"]) == sorted(tool.name for tool in TOOLS)
    assert (PROJECT / "fcregistry_files" / "py.typed").is_file()
    assert all(
        import_module("fcregistry_files").__getattribute__(name) for name in import_module("fcregistry_files").__all__
    )


def test_the_manifest_is_up_to_date() -> None:
    """Otherwise run `fcregistry manifest build` in the folder of the plugin."""
    done = subprocess.run(
        [sys.executable, "-m", "fcregistry", "manifest", "build", "--check"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_tools_of_the_environment_need_its_variables(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write("a.txt")
    executor = Executor(TOOLS, approve=lambda tool, call: True)

    def error(name: str, **arguments: Any) -> str:
        return executor.call(name, **arguments).content

    missing = "read_file is not available here: the environment variable FCREGISTRY_FILES_ROOT is not set"
    assert error("read_file", path="a.txt") == missing
    monkeypatch.setenv("FCREGISTRY_FILES_ROOT", str(place.root))
    assert executor.call("read_file", path="a.txt").value == "inside\n"
    assert "FCREGISTRY_FILES_WRITE is not set" in error("delete", path="a.txt")
    monkeypatch.setenv("FCREGISTRY_FILES_WRITE", "0")
    assert not executor.call("delete", path="a.txt").ok
    monkeypatch.setenv("FCREGISTRY_FILES_WRITE", "1")
    (place.root.parent / "bin").mkdir(mode=0o700)
    monkeypatch.setenv("FCREGISTRY_FILES_TRASH", str(place.root.parent / "bin"))
    assert executor.call("delete", path="a.txt").ok
    assert [each.path for each in Trash(place.root, place.root.parent / "bin").entries()] == ["a.txt"]
    monkeypatch.setenv("FCREGISTRY_FILES_ROOT", "root")
    assert "must be an absolute path" in error("list_directory")
    monkeypatch.setenv("FCREGISTRY_FILES_ROOT", str(place.root / "missing"))
    assert "does not name a folder that can be opened: No such file or directory" in error("list_directory")
    assert {tool.name for tool in TOOLS if not tool.options.read_only} == WRITING


def test_the_operator_lists_restores_and_empties(place: Any, call: Any, capsys: pytest.CaptureFixture[str]) -> None:
    root = str(place.root)
    assert main(["list", root]) == "the trash is empty"
    for name in ("a.txt", "b.txt", "c.txt"):
        place.write(name)
        call("delete", path=name)
    first, second, third = (line.split("  ") for line in main(["list", root]).splitlines())
    assert [first[1], second[1], third[1]] == ["a.txt", "b.txt", "c.txt"]
    assert main(["restore", root, first[0]]) == "restored a.txt"
    assert main(["restore", root, second[0], "--to", "d/b.txt"]) == "restored d/b.txt"
    assert sorted(str(path.relative_to(place.root)) for path in place.root.rglob("*.txt")) == ["a.txt", "d/b.txt"]
    assert main(["empty", root, "--days", "1"]) == "removed 0"
    assert main(["empty", root]) == "removed 1"
    with pytest.raises(SystemExit):
        main(["restore", root])
    assert "the following arguments are required: id" in capsys.readouterr().err


def test_a_command_that_fails_says_why(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fcregistry_files", "list", str(tmp_path / "missing")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Error: ")
    assert "Traceback" not in done.stderr


def test_a_root_and_a_trash_can_be_sent_to_another_process(place: Any) -> None:
    place.write("a.txt")
    root, trash = pickle.loads(pickle.dumps((Root(place.root), Trash(place.root))))
    with root.open_to_read("a.txt") as file:
        assert file.read() == b"inside\n"
    assert trash.entries() == []


def test_hard_links_are_read_if_the_operator_allows_it(place: Any) -> None:
    (place.root / "a.txt").hardlink_to(place.outside / "secret.txt")
    executor = Executor(file_tools(place.root, write=True, hard_links=True))
    assert executor.call("read_file", path="a.txt").value == "the-secret-outside\n"
    assert executor.call("edit_file", path="a.txt", old="secret", new="public").ok
    assert (place.outside / "secret.txt").read_text() == "the-secret-outside\n", "an edit makes a file of its own"


def test_writers_of_several_threads_and_toolsets_lose_no_edit(place: Any) -> None:
    """Each edit succeeds or is refused: none is overwritten by another."""
    file = place.write("a.txt", "".join(f"line {number}: 0\n" for number in range(8)))
    executors = [Executor(file_tools(place.root, write=True)) for _ in range(8)]

    def edit(number: int) -> int:
        done = 0
        while done < 10:
            old, new = f"line {number}: {done}\n", f"line {number}: {done + 1}\n"
            result = executors[number].call("edit_file", path="a.txt", old=old, new=new)
            if result.ok:
                done += 1
            else:
                assert "Read it again" in result.content
                executors[number].call("read_file", path="a.txt")
        return done

    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(edit, range(8))) == 80
    assert file.read_text() == "".join(f"line {number}: 10\n" for number in range(8))


@pytest.mark.skipif(sys.platform == "win32" or not Path("/dev/fd").is_dir(), reason="counts open files")
def test_no_descriptor_is_left_open(place: Any, call: Any) -> None:
    place.write("a/b/c.txt", "one\n")
    place.write("d.txt", "one\n")
    Path(place.root, "link").symlink_to("d.txt")

    def use_everything() -> None:
        for path in ("a/b/c.txt", "d.txt", "link", "missing/x", "a"):
            call("read_file", path=path)
            call("file_info", path=path)
            call("list_directory", path=path)
            call("search_files", pattern="one", path=path)
            call("edit_file", path=path, old="nothing", new="x")
            call("write_file", path=f"{path}/new", content="")
            call("delete", path=f"{path}/new")
        call("apply_patch", patch="*** Begin Patch\n*** Add File: x\n+x\n*** Delete File: x\n*** End Patch")

    use_everything()
    gc.collect()  # the roots of other tests
    before = len(os.listdir("/dev/fd"))  # noqa: PTH208
    for _ in range(3):
        use_everything()
    gc.collect()
    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208
