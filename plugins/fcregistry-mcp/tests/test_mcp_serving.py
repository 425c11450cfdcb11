"""What do other programs get of tools that are served? All of them a client of the protocol would, over a real pipe."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fcregistry import Executor
from fcregistry.execution import Progress

from fcregistry_mcp import McpServer, make_server

from .test_mcp_connection import LONG, until

TOOLS = '''
import os
import sys
from dataclasses import dataclass
from typing import Literal

from fcregistry import Context, fc_register
from fcregistry.errors import ToolError
from fcregistry.execution import Content

print("the module prints")


@dataclass
class Point:
    x: int
    y: int = 0


@fc_register(read_only=True, title="Adder")
def add(a: int, b: Literal[1, 2] = 1) -> int:
    """Add two numbers."""
    print("the tool prints")
    os.system("echo its child prints")
    return a + b


@fc_register
def point(x: int) -> Point:
    """Make a point."""
    return Point(x)


@fc_register
def draw() -> list[str | Content]:
    """Draw."""
    return ["here:", Content.image(b"\\x89PNG\\r\\n\\x1a\\n" + bytes(16))]


@fc_register(requires_approval=True)
def delete(name: str) -> str:
    """Delete something."""
    return f"deleted {name}"


@fc_register(description="Give half \\ud800 of a pair.")
def half(context: Context) -> str:
    context.progress(0.5, "half \\ud800")
    return "half \\ud800"


@fc_register
def fail() -> str:
    """Fail."""
    raise ToolError("there is no more paper")


@fc_register
def wait(context: Context, path: str) -> str:
    """Wait until it is cancelled, and note that."""
    context.progress(0.5, "half")
    with open(path, "a") as file:
        file.write("begun ")
    context.cancellation.wait(60)
    with open(path, "a") as file:
        file.write("ended")
    return "waited"
'''

COMMAND = [
    sys.executable,
    "-W",
    "error",
    "-c",
    "from fcregistry_mcp._command import main; main(prog_name='fcregistry-mcp')",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("served")
    (made / "served_tools.py").write_text(TOOLS)
    return made


def environment(folder: Path) -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join(sys.path), "FCREGISTRY_CACHE_DIR": str(folder / "cache"), "PYTHONUTF8": "1"}


def served(folder: Path, *words: str) -> McpServer:
    return McpServer.stdio(
        *COMMAND, *words, "-m", "served_tools", name="ours", env=environment(folder), cwd=folder, trusted=True
    )


@pytest.fixture(scope="module")
def ours(folder: Path) -> Iterator[McpServer]:
    words = ("add", "point", "draw", "delete", "fail", "half", "wait")
    with served(folder, *words) as server:
        yield server


def test_the_command_of_fcregistry_serves_the_same(folder: Path) -> None:
    """The package adds it: `fcregistry mcp serve`."""
    words = ("-W", "error", "-m", "fcregistry", "-m", "served_tools", "mcp", "serve", "add")
    with McpServer.stdio(sys.executable, *words, name="same", env=environment(folder), cwd=folder) as server:
        assert Executor(server.tools()).call("add", a=1).content == "2"


def test_tools_are_described_with_all_that_the_protocol_has(ours: McpServer) -> None:
    tools = ours.tools()
    assert list(tools) == ["add", "delete", "draw", "fail", "half", "point", "wait"]
    add = tools["add"]
    assert (add.title, add.description, add.options.read_only) == ("Adder", "Add two numbers.", True)
    assert add.parameters == {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "enum": [1, 2], "default": 1}},
        "required": ["a"],
        "additionalProperties": False,
    }


def test_calls_give_text_objects_and_images_whatever_the_tool_prints(ours: McpServer) -> None:
    executor = Executor(ours.tools())
    assert [executor.call("add", a=number).content for number in (1, 2)] == ["2", "3"]
    assert executor.call("point", x=3).value == {"x": 3, "y": 0}
    assert [part.kind for part in executor.call("draw").parts] == ["text", "image"]


def test_a_text_that_cannot_be_sent_does_not_end_the_server(ours: McpServer) -> None:
    executor = Executor(ours.tools())
    assert ours.tools()["half"].description == "Give half ? of a pair."
    told, result = executor.stream({"name": "half", "arguments": {}})
    assert (told.message, result.content) == ("half ?", "half ?")
    assert executor.call("add", a=1).ok


def test_failures_are_reported_as_a_model_reads_them(ours: McpServer) -> None:
    executor = Executor(ours.tools())
    assert executor.call("fail").content == "there is no more paper"
    assert executor.call("delete", name="a").content.startswith("delete requires approval, and there is no approver")


def test_arguments_are_validated_by_the_server(folder: Path) -> None:
    """Clients need not: the SDK's own does not."""
    import asyncio

    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def asked() -> tuple[Any, Any]:
        words = [*COMMAND[1:], "add", "-m", "served_tools"]
        program = StdioServerParameters(command=COMMAND[0], args=words, env=environment(folder), cwd=folder)
        with Path(os.devnull).open("w") as nowhere:
            async with Client(stdio_client(program, errlog=nowhere)) as client:
                return await client.call_tool("add", {"a": "x"}), await client.call_tool("ad", {})

    wrong, unknown = asyncio.run(asked())
    assert (wrong.is_error, unknown.is_error) == (True, True)
    assert wrong.content[0].text.splitlines()[1] == '- $.a: must be an integer, not "x"'
    assert "did you mean 'add'?" in unknown.content[0].text


def test_the_program_that_starts_the_server_may_allow_calls_that_require_approval(folder: Path) -> None:
    with served(folder, "delete", "--allow", "delete") as server:
        assert Executor(server.tools()).call("delete", name="a").content == "deleted a"


def test_progress_is_reported_and_a_call_that_is_given_up_is_cancelled(ours: McpServer, tmp_path: Path) -> None:
    log = tmp_path / "log"
    events = Executor(ours.tools()).stream({"name": "wait", "arguments": {"path": str(log)}})
    assert next(events) == Progress(fraction=0.5, message="half")
    until(lambda: log.exists() and log.read_text() == "begun ")
    assert Executor(ours.tools()).call("add", a=1).ok  # beside it
    events.close()
    until(lambda: log.read_text() == "begun ended")


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **environment(folder)}
    command = [*COMMAND, *words]
    return subprocess.run(
        command,
        env=env,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "Error: name the tools to serve, such as 'acme-weather:*'; '*' serves all of them"),
        (["ad", "-m", "served_tools"], "there is no tool 'ad'; did you mean 'add'?"),
        (["add", "-m", "no_such_module"], "the module 'no_such_module' cannot be imported: ModuleNotFoundError"),
        (["add", "-m", "served_tools.py"], "-m takes the name of a module, not a file: -m served_tools, not -m"),
        (["add", "-m", "served_tools", "--allow", "nothing"], "the policy names 'nothing'"),
        (["add", "--timeout", "0"], "0.0 is not in the range"),
    ],
)
def test_a_wrong_command_line_gives_an_error_that_says_what_to_write(folder: Path, words: list[str], says: str) -> None:
    done = run(folder, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_it_ends_with_its_input_and_writes_nothing_of_its_own(folder: Path) -> None:
    done = run(folder, "add", "-m", "served_tools")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "the module prints\n")


PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'


@pytest.fixture
def serving(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The command, which has answered once."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    env = {**os.environ, **environment(folder)}
    with subprocess.Popen([*COMMAND, "add", "-m", "served_tools"], env=env, cwd=folder, **pipes) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(PING)
        running.stdin.flush()
        assert b'"id":1' in running.stdout.readline()
        yield running
        running.kill()


def test_an_interrupt_ends_it_quietly(serving: subprocess.Popen[bytes]) -> None:
    serving.send_signal(signal.SIGINT)
    out, err = serving.communicate(timeout=LONG)
    assert (serving.returncode, out, err) == (130, b"", b"the module prints\n")


def test_it_ends_quietly_when_the_client_is_gone(serving: subprocess.Popen[bytes]) -> None:
    assert serving.stdin is not None
    assert serving.stdout is not None
    assert serving.stderr is not None
    serving.stdout.close()
    serving.stdin.write(PING)
    serving.stdin.close()
    assert (serving.wait(LONG), serving.stderr.read()) == (0, b"the module prints\n")


SHIPPED = """
from pathlib import Path

from fcregistry import fc_register

Path(__file__).with_name("imported").touch()


@fc_register
def shout(text: str) -> str:
    '''Say it loudly.'''
    return text.upper()
"""


def test_listing_imports_no_plugin_and_a_call_imports_its_own(tmp_path: Path) -> None:
    info = tmp_path / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[fcregistry]\ntalk = acme_talk\n")
    (tmp_path / "acme_talk.py").write_text(SHIPPED)
    env = environment(tmp_path)
    env["PYTHONPATH"] += f"{os.pathsep}{tmp_path}"

    def acme() -> McpServer:
        return McpServer.stdio(*COMMAND, "acme:*", name="acme", env=env, cwd=tmp_path)

    with acme() as first:  # which describes the plugin
        assert list(first.tools()) == ["shout"]
    (tmp_path / "imported").unlink()
    with acme() as server:
        tools = server.tools()
        assert not (tmp_path / "imported").exists()
        assert Executor(tools).call("shout", text="a").content == "A"
        assert (tmp_path / "imported").exists()


def test_another_transport_takes_the_same_server() -> None:
    def add(a: int, b: int) -> int:
        return a + b

    server = McpServer("inside", _inside(make_server(Executor([add]))))
    with server:
        assert Executor(server.tools()).call("add", a=1, b=2).content == "3"


def _inside(server: Any) -> Any:
    async def transport(stack: Any, words: Any) -> Any:
        return server

    return transport
