"""Definitions that servers get wrong, or that need more than this package does."""

from __future__ import annotations

import ast
import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from fcregistry import Executor
from fcregistry.errors import DefinitionError, DuplicateToolError
from mcp import Client
from mcp import types as protocol
from mcp.server.lowlevel import Server

from fcregistry_mcp import McpServer

from .odd_server import LONG

ODD = Path(__file__).with_name("odd_server.py")


@pytest.fixture(scope="module")
def odd() -> Iterator[McpServer]:
    with McpServer.stdio(sys.executable, str(ODD), name="odd") as server:
        yield server


# --- nulls and missing types --------------------------------------------------------------------------


def test_what_is_null_in_a_schema_is_read_as_absent(odd: McpServer) -> None:
    assert odd.tools()["nulls"].parameters == {
        "type": "object",
        "properties": {
            "mode": {"type": "string", "default": None},
            "enum": {"enum": [None, "a"]},
            "list": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"const": None}]},
        },
        "x-order": None,
        "$defs": {"none": {"type": "object"}},
    }
    assert odd.tools()["nulls"].description == "nulls"


def test_a_tool_whose_schemas_have_nulls_or_no_type_is_called(odd: McpServer) -> None:
    """The SDK checks results by the schema of results."""
    executor = Executor(odd.tools())
    assert executor.call("nulls", mode="fast", list=None).value == {"mode": "fast", "list": None}
    assert executor.call("nulls", mode=3).error.code == "invalid_arguments"
    assert executor.call("bare").content == '"bare"'
    assert executor.call("untyped", a=1).value == {"a": 1}
    assert executor.call("untyped").error.code == "invalid_arguments"


def test_what_is_left_out_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "fcregistry_mcp")
    with McpServer.stdio(sys.executable, str(ODD), name="odd"):
        pass
    nulls, bare = (record.getMessage() for record in caplog.records if record.name == "fcregistry_mcp")
    assert nulls == (
        "odd: the tool 'nulls': left out because they are null: ['inputSchema.properties.mode.enum', "
        "'inputSchema.properties.mode.description', 'inputSchema.properties.list.anyOf.0.items.minimum', "
        "'inputSchema.required', 'inputSchema.$defs.none.properties', 'outputSchema.required']"
    )
    assert bare.endswith(": ['inputSchema.properties', 'outputSchema.description']")


# --- tasks --------------------------------------------------------------------------------------------


def test_a_tool_that_runs_only_as_a_task_is_refused(odd: McpServer) -> None:
    tools = odd.tools()
    assert "task" not in tools
    reason = (
        "the tool 'task' of the MCP server odd cannot be called: it runs only as a task of the protocol, "
        "and fcregistry-mcp starts none"
    )
    assert odd.refused["task"] == reason
    assert Executor(tools).call("either").ok
    with pytest.raises(DefinitionError) as raised:
        odd.tools(["task"])
    assert str(raised.value) == reason


# --- names --------------------------------------------------------------------------------------------


def test_tools_of_one_name_here_are_refused_with_the_names_to_write_and_the_others_work(odd: McpServer) -> None:
    tools = odd.tools()
    assert {"ns_find", "ns_find_2"}.isdisjoint(tools)
    assert Executor(tools).call("untyped", a=1).ok
    reasons = {name: reason for name, reason in odd.refused.items() if name.startswith("ns")}
    assert dict.fromkeys(reasons.values()) == {
        "'ns.find', 'ns find' and 'ns_find' of the MCP server odd are all 'ns_find' here: "
        "give all but one of them another name, as in names={'ns find': 'ns_find_2', 'ns_find': 'ns_find_3'}": None
    }
    assert [*reasons] == ["ns.find", "ns find", "ns_find"]

    names = ast.literal_eval(reasons["ns_find"].partition("names=")[2])
    executor = Executor(odd.tools(names=names))
    called = [executor.call(name).content for name in ("ns_find", "ns_find_2", "ns_find_3")]
    assert called == ['"ns.find"', '"ns find"', '"ns_find"']


def test_tools_of_one_name_here_that_a_caller_selects_are_an_error(odd: McpServer) -> None:
    for selected in ({"allowed": ["ns.find", "ns find"]}, {"names": {"untyped": "typed"}}):
        with pytest.raises(DuplicateToolError, match=r"'ns.find'.* are (both|all) 'ns_find' here: give .* names=\{"):
            odd.tools(**selected)
    assert list(odd.tools(["ns.find"])) == ["ns_find"]


def test_names_that_are_too_long_keep_digits_of_their_digest(odd: McpServer) -> None:
    tools = odd.tools()
    long = [name for name in tools if name.startswith("aaa")]
    assert [(len(name), name[:55]) for name in long] == [(64, "a" * 55)] * 3
    assert {Executor(tools).call(name).content for name in long} == {f'"{LONG}{end}"' for end in ("", "1", "2")}
    assert LONG in long
    assert [name for name in odd.tools() if name.startswith("aaa")] == long


# --- very many tools ----------------------------------------------------------------------------------


class CountedName(str):
    """A name that counts how often it is compared."""

    __slots__ = ()
    comparisons = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        CountedName.comparisons += 1
        return str.__eq__(self, other)


@pytest.mark.parametrize("is_selected", [False, True], ids=["all", "selected by name"])
def test_a_name_is_not_compared_with_all_others(is_selected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 200
    schema = {"type": "object", "properties": {}}
    names = [CountedName(f"tool_{number}") for number in range(count)]
    listed = [protocol.Tool.model_construct(name=name, input_schema=schema) for name in names]

    async def list_tools(client: Client, **options: Any) -> protocol.ListToolsResult:
        return protocol.ListToolsResult.model_construct(tools=listed)

    async def transport(stack: AsyncExitStack, stderr: Any) -> Any:
        return Server("many")

    monkeypatch.setattr(Client, "list_tools", list_tools)
    with McpServer("many", transport) as many:
        CountedName.comparisons = 0
        assert len(many.tools([CountedName(name) for name in names] if is_selected else None)) == count
    assert CountedName.comparisons < 20 * count


# --- an old SDK ---------------------------------------------------------------------------------------

OLD = """
import sys
import fcregistry_mcp
from fcregistry_mcp._command import main
try:
    fcregistry_mcp.McpServer
except ImportError as error:
    print(type(error).__name__, error)
from fcregistry import fc_register
@fc_register
def read(): "Read."
main(["read"])
"""


def test_an_sdk_before_version_2_is_named_with_the_command_that_replaces_it(tmp_path: Path) -> None:
    """Parts of the package can be imported with it."""
    record = tmp_path / "mcp-1.30.0.dist-info"
    record.mkdir()
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: mcp\nVersion: 1.30.0\n")
    (tmp_path / "mcp.py").write_text("")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}){OLD}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    line = 'fcregistry-mcp needs mcp 2 or later, and mcp 1.30.0 is installed: pip install "mcp>=2"\n'
    assert done.stdout == f"MissingDependencyError {line}"
    assert (done.stderr, done.returncode) == (f"Error: {line}", 1)
