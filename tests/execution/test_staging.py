"""Input and output files of calls: names checked, calls kept in order, and files sent to workers that do not have them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from fcregistry import Executor, Tool, ToolCall
from fcregistry.errors import DefinitionError
from fcregistry.execution._wire import (
    FileProblem,
    FileRoot,
)  # the folder alone, with paths that an executor cannot make

if TYPE_CHECKING:
    from tests.conftest import Site

TOOLS = """
import os
from pathlib import Path
from fcregistry import fc_register

@fc_register(input_files=["path"], output_files=["out"])
def upper(path: str, out: Path) -> str:
    "Write a text in upper case."
    assert not Path("here").exists(), "this runs where the files are"
    Path(out).write_text(Path(path).read_text().upper())
    return f"wrote {out}"

@fc_register(input_files=["paths"])
def join(paths: list[str]) -> list[str]:
    "Read texts."
    return [Path(path).read_text() for path in paths]

@fc_register(input_files=["path"], output_files=["path"])
def edit(path: str) -> None:
    "Add a line."
    with open(path, "a") as file:
        file.write("more")

@fc_register(input_files=["path"])
def fails(path: str) -> None:
    "Fail."
    raise ValueError(f"cannot use {path}")

@fc_register(output_files=["out"])
def idle(out: str) -> None:
    "Write nothing."

@fc_register(output_files=["out"])
def links(out: str) -> None:
    "Make a link."
    os.symlink("/etc/passwd", out)
"""

ELSEWHERE = """
import os
from concurrent.futures import Executor as Pool, ProcessPoolExecutor
from multiprocessing import get_context
from fcregistry import Executor

class Elsewhere(Pool):
    "A pool on another machine, as far as files go: its worker has another working folder."

    def __init__(self, folder):
        self.pool = ProcessPoolExecutor(1, get_context("spawn"), os.chdir, (folder,))

    def submit(self, *given):
        return self.pool.submit(*given)

def run(name, arguments, **options):
    with_files = Executor(["acme-files:*"], pool=pool, file_root=os.getcwd(), **options)
    result = with_files.run({"name": name, "arguments": arguments})
    return [result.ok, result.content, result.error and result.error.code]

if __name__ == "__main__":
    os.makedirs("there")
    open("here", "w").close()
    pool = Elsewhere("there")
"""


@pytest.fixture(scope="module")
def site(make_site: Callable[..., Site]) -> Site:
    site = make_site()
    site.install("acme-files", {"tools": "acme_files"}, {"acme_files.py": TOOLS})
    return site


@pytest.fixture(scope="module")
def answers(site: Site) -> Any:
    """The outcomes of calls on a pool whose worker has none of the files."""
    code = f"""{ELSEWHERE}
    from pathlib import Path
    os.makedirs("data/deep")
    Path("data/a.txt").write_text("alpha")
    Path("data/deep/b.txt").write_text("beta")
    Path("outside").mkdir()
    Path("data/link.txt").symlink_to("a.txt")
    Path("data/away").symlink_to("/etc")
    os.mkfifo("data/fifo")
    absolute = os.path.abspath("data/a.txt")
    answer = {{
        "upper": run("upper", {{"path": "data/a.txt", "out": "data/deep/big.txt"}}),
        "written": Path("data/deep/big.txt").read_text(),
        "join": run("join", {{"paths": ["data/a.txt", absolute, "data/deep/b.txt", "data/a.txt"]}}),
        "edit": run("edit", {{"path": "data/a.txt"}}),
        "edited": Path("data/a.txt").read_text(),
        "fails": run("fails", {{"path": "data/a.txt"}}),
        "idle": [run("idle", {{"out": "data/none.txt"}}), Path("data/none.txt").exists()],
        "links": [run("links", {{"out": "data/new.txt"}}), Path("data/new.txt").exists()],
        "missing": run("join", {{"paths": ["data/a.txt", "data/c.txt"]}}),
        "folder": run("join", {{"paths": ["data"]}}),
        "fifo": run("join", {{"paths": ["data/fifo"]}}),
        "link": run("join", {{"paths": ["data/link.txt"]}}),
        "through": run("join", {{"paths": ["data/away/passwd"]}}),
        "up": run("join", {{"paths": ["../x"]}}),
        "absolute": run("join", {{"paths": ["/etc/passwd"]}}),
        "out_up": run("idle", {{"out": "../x"}}),
        "no_folder": run("upper", {{"path": "data/a.txt", "out": "nowhere/x"}}),
        "leftovers": [name for name in os.listdir("data") if name.startswith(".")],
    }}
    try:
        Executor(["acme-files:*"], pool=pool)
    except Exception as error:
        answer["refused"] = [type(error).__name__, str(error)]
    pool.pool.shutdown()
"""
    return site.ask(code)


def test_files_go_to_the_worker_and_come_back(answers: Any) -> None:
    """The tool's own paths are not seen."""
    assert answers["upper"] == [True, "wrote data/deep/big.txt", None]
    assert answers["written"] == "ALPHA"
    assert answers["join"] == [True, '["alpha", "alpha", "beta", "alpha"]', None]
    assert (answers["edit"][0], answers["edited"]) == (True, "alphamore")


def test_errors_name_the_path_of_the_call(answers: Any) -> None:
    assert answers["fails"] == [False, "ValueError: cannot use data/a.txt", "tool_failed"]


def test_a_tool_that_writes_no_file_leaves_no_file(answers: Any) -> None:
    assert answers["idle"] == [[True, "null", None], False]
    assert answers["leftovers"] == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing", "'data/c.txt' cannot be read: No such file or directory"),
        ("folder", "'data' "),
        ("fifo", "'data/fifo' is not a file"),
        ("link", "'data/link.txt' cannot be read: "),
        ("through", "'data/away/passwd' cannot be reached: "),
        ("up", "'../x' does not lie in the folder of the files"),
        ("absolute", "'/etc/passwd' does not lie in the folder of the files"),
        ("out_up", "'../x' does not lie in the folder of the files"),
        ("no_folder", "'nowhere/x' cannot be reached: No such file or directory"),
    ],
)
def test_the_model_reads_that_a_file_cannot_be_sent(answers: Any, name: str, message: str) -> None:
    ok, content, code = answers[name]
    assert (ok, code) == (False, "invalid_arguments")
    assert message in content


def test_a_link_that_a_worker_leaves_is_not_followed(answers: Any) -> None:
    (ok, content, code), exists = answers["links"]
    assert (ok, exists, code) == (False, False, "tool_failed")
    assert "root:" not in content


def test_a_pool_elsewhere_needs_a_folder_for_the_files(answers: Any) -> None:
    kind, message = answers["refused"]
    assert kind == "DefinitionError"
    assert "give file_root=…, the folder of the files of these tools" in message


def test_workers_of_this_machine_use_the_files_themselves(site: Site) -> None:
    """They are there: the same tools run on a pool of processes without `file_root`."""
    code = """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context
    from pathlib import Path
    from fcregistry import Executor

    if __name__ == "__main__":
        Path("local.txt").write_text("alpha")
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            answer = Executor(["acme-files:join"], pool=pool).call("join", paths=["local.txt"]).value
    """
    assert site.ask(code) == ["alpha"]


# --- Names ---


def convert(path: str, out: Path, count: int = 1, parts: list[Path] | None = None) -> None:
    """Convert a file."""


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"input_files": ["pth"]}, "input_files names 'pth', which is not a parameter; did you mean 'path'?"),
        ({"output_files": ["count"]}, "output_files names 'count', which must be a path or a list of paths"),
        ({"input_files": "path"}, "option 'input_files' takes a sequence of names of parameters, not 'path'"),
        ({"output_files": [1]}, "option 'output_files' takes a sequence of names of parameters, not [1]"),
    ],
)
def test_names_are_checked_against_the_signature(options: Any, problem: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        Executor(Tool.from_function(convert, **options))
    assert problem in str(caught.value)


def test_paths_and_lists_of_paths_are_files() -> None:
    tool = Tool.from_function(convert, input_files=["path", "parts"], output_files=["out"])
    assert (tool.options.input_files, tool.options.output_files) == (("path", "parts"), ("out",))
    assert tool.definition_error is None


def test_calls_of_a_batch_that_access_one_file_keep_their_order() -> None:
    order: list[str] = []
    never = Event()

    def write(out: str) -> None:
        """Write."""
        never.wait(0.2)  # what runs beside it would be first
        order.append("write")

    def read(path: str) -> None:
        """Read."""
        order.append("read")

    tools = [Tool.from_function(write, output_files=["out"]), Tool.from_function(read, input_files=["path"])]
    Executor(tools).run_all([ToolCall("write", {"out": "x/y"}), ToolCall("read", {"path": "x/y"})])
    assert order == ["write", "read"]


# --- The folder ---


@pytest.mark.skipif(os.name != "posix", reason="links are made as POSIX makes them")
def test_a_folder_that_becomes_a_link_is_not_entered(tmp_path: Path) -> None:
    inside, outside = tmp_path / "root", tmp_path / "outside"
    (inside / "a").mkdir(parents=True)
    outside.mkdir()
    root = FileRoot(inside)
    root.write("a/x", b"1")
    (inside / "a").rename(inside / "b")
    (inside / "a").symlink_to(outside)
    with pytest.raises(FileProblem, match="cannot be reached"):
        root.write("a/x", b"2")
    assert list(outside.iterdir()) == []
    assert root.read("b/x") == b"1"


def test_a_file_is_replaced_whole_and_a_link_is_replaced_itself(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"untouched")
    (tmp_path / "link").symlink_to(victim)
    root = FileRoot(tmp_path)
    root.write("link", b"new")
    assert (victim.read_bytes(), root.read("link")) == (b"untouched", b"new")
    with pytest.raises(FileProblem, match="too large"):
        root.read("link", most=2)
    with pytest.raises(FileProblem, match="cannot be written"):
        root.write("x" * 300, b"")
    with pytest.raises(FileProblem, match="null"):
        root.read("x\0y")
    with pytest.raises(NotADirectoryError):
        FileRoot(tmp_path / "nowhere")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link", "victim"]
