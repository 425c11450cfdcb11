"""The tools, toolsets and servers of other libraries, made by the libraries themselves, and what to give in their place.

Each library has an environment of its own, in the session `foreign` of nox; here, those that are not installed are skipped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

import pytest

from fcregistry import Executor, FunctionCall, Registry, Tool, fc_register, formats
from tests.foreign.cases import CASES, Case, plus

pytestmark = pytest.mark.filterwarnings("ignore")

Made = tuple[Any, Any]
"""An object of a library, and what its error says to give in its place; None if that depends on the object."""


def langchain_core() -> dict[str, Made]:
    from langchain_core.runnables import RunnableLambda
    from langchain_core.tools import BaseTool, BaseToolkit, tool

    class Plus(BaseTool):
        name: str = "plus"
        description: str = "Add."

        def _run(self, a: int, b: int) -> int:
            return a + b

    class Kit(BaseToolkit):
        def get_tools(self) -> list[Any]:
            return [Plus()]

    async def aplus(a: int, b: int) -> int:
        """Add."""
        return a + b

    add = RunnableLambda(lambda given: given["a"] + given["b"])
    from_schema = add.as_tool(name="plus", description="Add.", arg_types={"a": int, "b": int})
    schema = from_schema.args_schema.model_json_schema()
    return {
        "decorated": (decorated := tool(plus), decorated.func),
        "decorated-async": (a_decorated := tool("plus")(aplus), a_decorated.coroutine),
        "from-schema": (from_schema, Tool.from_function(from_schema.func, name="plus", description="Add.", parameters=schema)),
        "derived": (Plus(), through(lambda a, b: Plus().invoke({"a": a, "b": b}))),
        "class": (Plus, through(lambda a, b: Plus().invoke({"a": a, "b": b}))),
        "toolkit": (Kit(), [through(lambda a, b, tool=each: tool.invoke({"a": a, "b": b})) for each in Kit().get_tools()]),
    }  # fmt: skip


def agents() -> dict[str, Made]:
    from agents import ShellTool, WebSearchTool, function_tool
    from agents.mcp import MCPServerStdio

    server = MCPServerStdio({"command": "true"}, name="files")
    return {
        "decorated": (function_tool(plus), plus),
        "own": (ShellTool(executor=lambda request: ""), None),
        "hosted": (WebSearchTool(), None),
        "server": (server, None),
    }


def pydantic_ai() -> dict[str, Made]:
    import pydantic_ai as library
    from pydantic_ai.native_tools import WebSearchTool
    from pydantic_ai.toolsets import FunctionToolset

    tool = library.Tool(plus)
    numbers = {"a": {"type": "integer"}, "b": {"type": "integer"}}
    schema = {"type": "object", "properties": numbers, "required": ["a", "b"]}
    from_schema = library.Tool.from_schema(lambda **given: sum(given.values()), "plus", "Add.", schema)
    toolset = FunctionToolset([plus])
    return {
        "tool": (tool, tool.function),
        "from-schema": (from_schema, Tool.from_function(from_schema.function, name="plus", description="Add.", parameters=schema)),
        "toolset": (toolset, [tool.function for tool in toolset.tools.values()]),
        "prefixed-toolset": (toolset.prefixed("my"), [tool.function for tool in toolset.tools.values()]),
        "hosted": (WebSearchTool(), None),
    }  # fmt: skip


def autogen_core() -> dict[str, Made]:
    from autogen_core import CancellationToken
    from autogen_core.tools import BaseTool, FunctionTool, StaticWorkbench
    from pydantic import BaseModel

    class Numbers(BaseModel):
        a: int
        b: int

    class Plus(BaseTool[Numbers, int]):  # type: ignore[misc, type-var]
        def __init__(self) -> None:
            super().__init__(Numbers, int, "plus", "Add.")

        async def run(self, args: Numbers, cancellation_token: CancellationToken) -> int:
            return args.a + args.b

    async def derived(a: int, b: int) -> Any:
        return await Plus().run_json({"a": a, "b": b}, CancellationToken())

    async def of_workbench(a: int, b: int) -> Any:
        result = await workbench.call_tool("plus", {"a": a, "b": b})
        return int(result.to_text())

    workbench = StaticWorkbench([FunctionTool(plus, "Add.")])
    return {
        "function": (FunctionTool(plus, "Add."), plus),
        "derived": (Plus(), derived),
        "class": (Plus, derived),
        "workbench": (workbench, of_workbench),
    }


def agent_framework() -> dict[str, Made]:
    from agent_framework import MCPStdioTool, tool

    decorated = tool(plus)
    return {"decorated": (decorated, decorated.func), "server": (MCPStdioTool(name="files", command="true"), None)}


def llama_index() -> dict[str, Made]:
    from llama_index.core.tools import BaseTool, FunctionTool, ToolMetadata, ToolOutput
    from llama_index.core.tools.tool_spec.base import BaseToolSpec

    class Plus(BaseTool):
        @property
        def metadata(self) -> Any:
            return ToolMetadata(name="plus", description="Add.")

        def __call__(self, a: int, b: int) -> Any:
            return ToolOutput(content=str(a + b), tool_name="plus", raw_input={}, raw_output=a + b)

    class Spec(BaseToolSpec):
        spec_functions = ["plus"]  # noqa: RUF012

        def plus(self, a: int, b: int) -> int:
            """Add."""
            return a + b

    async def aplus(a: int, b: int) -> int:
        """Add."""
        return a + b

    function = FunctionTool.from_defaults(plus)
    a_function = FunctionTool.from_defaults(async_fn=aplus, name="plus")
    return {
        "function": (function, function.real_fn),
        "async-function": (a_function, a_function.real_fn),
        "derived": (Plus(), through(lambda a, b: int(Plus()(a, b).content))),
        "spec": (Spec(), [Spec().plus]),
    }


def smolagents() -> dict[str, Made]:
    from smolagents import Tool as Base
    from smolagents import ToolCollection
    from smolagents import tool as decorate

    class Plus(Base):  # type: ignore[misc]
        name = "plus"
        description = "Add."
        inputs = {"a": {"type": "integer", "description": "A."}, "b": {"type": "integer", "description": "B."}}  # noqa: RUF012
        output_type = "integer"

        def forward(self, a: int, b: int) -> int:
            return a + b

    decorated = decorate(plus)
    collection = ToolCollection([Plus()])
    return {
        "decorated": (decorated, through(lambda a, b: decorated(a=a, b=b))),
        "derived": (Plus(), through(lambda a, b: Plus()(a=a, b=b))),
        "class": (Plus, through(lambda a, b: Plus()(a=a, b=b))),
        "collection": (collection, [through(lambda a, b, tool=each: tool(a=a, b=b)) for each in collection.tools]),
    }


def llm() -> dict[str, Made]:
    import llm as library

    class Notes(library.Toolbox):  # type: ignore[misc]
        def plus(self, a: int, b: int) -> int:
            """Add."""
            return a + b

    tool = library.Tool.function(plus)
    return {
        "tool": (tool, tool.implementation),
        "toolbox": (Notes(), [Notes().plus]),
        "toolbox-class": (Notes, [Notes().plus]),
    }


def google_adk() -> dict[str, Made]:
    from google.adk.tools import BaseTool, FunctionTool, google_search
    from google.adk.tools.base_toolset import BaseToolset

    class Plus(BaseTool):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(name="plus", description="Add.")

        async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> int:
            return int(args["a"]) + int(args["b"])

    class Kit(BaseToolset):  # type: ignore[misc]
        async def get_tools(self, readonly_context: Any = None) -> list[Any]:
            return [function]

    async def derived(a: int, b: int) -> Any:
        return await Plus().run_async(args={"a": a, "b": b}, tool_context=None)

    async def functions() -> list[Any]:
        return [tool.func for tool in await Kit().get_tools()]

    function = FunctionTool(plus)
    return {
        "function": (function, function.func),
        "derived": (Plus(), derived),
        "hosted": (google_search, None),
        "toolset": (Kit(), asyncio.run(functions())),
    }


def strands() -> dict[str, Made]:
    from strands import tool
    from strands.tools.mcp import MCPClient
    from strands.tools.tools import PythonAgentTool

    class Calculator:
        @tool
        def plus(self, a: int, b: int) -> int:
            """Add."""
            return a + b

    decorated, method = tool(plus), Calculator().plus
    spec = {"name": "plus", "description": "Add.", "inputSchema": {"json": {}}}
    return {
        "decorated": (decorated, decorated.__wrapped__),
        "method": (method, method.__wrapped__),
        "python": (PythonAgentTool("plus", spec, lambda tool, **given: None), None),
        "server": (MCPClient(lambda: None), None),
    }


def dspy() -> dict[str, Made]:
    import dspy as library

    class Plus(library.Module):  # type: ignore[misc]
        def forward(self, a: int, b: int) -> int:
            return a + b

    tool = library.Tool(plus)
    return {"tool": (tool, tool.func), "module": (Plus(), through(lambda a, b: Plus()(a=a, b=b)))}


def haystack() -> dict[str, Made]:
    from haystack import component
    from haystack.tools import ComponentTool, Toolset, tool

    @component
    class Plus:
        @component.output_types(sum=int)
        def run(self, a: int, b: int) -> dict[str, int]:
            return {"sum": a + b}

    decorated = tool(plus)
    of_component = ComponentTool(Plus(), name="plus", description="Add.")
    toolset = Toolset([decorated])
    return {
        "decorated": (decorated, decorated.function),
        "component": (of_component, through(lambda a, b: of_component.invoke(a=a, b=b)["sum"])),
        "toolset": (toolset, [tool.function for tool in toolset]),
    }


def crewai() -> dict[str, Made]:
    from crewai.tools import BaseTool, tool

    class Plus(BaseTool):  # type: ignore[misc]
        name: str = "plus"
        description: str = "Add."

        def _run(self, a: int, b: int) -> int:
            return a + b

    decorated = tool(plus)
    return {
        "decorated": (decorated, decorated.func),
        "derived": (Plus(), through(lambda a, b: Plus().run(a=a, b=b))),
        "class": (Plus, through(lambda a, b: Plus().run(a=a, b=b))),
    }


def fastmcp() -> dict[str, Made]:
    from fastmcp import Client, FastMCP
    from fastmcp.tools import Tool as FastTool

    server = FastMCP("calculator")
    served = server.tool(plus)
    tool = FastTool.from_function(plus)
    return {"tool": (tool, tool.fn), "server": (server, served), "client": (Client(server, name="calculator"), None)}


def mcp() -> dict[str, Made]:
    from mcp import Tool as Description
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.tools import Tool as ServerTool

    server = MCPServer("calculator")
    served = server.tool()(plus)
    tool = ServerTool.from_function(plus)
    return {
        "tool": (tool, tool.fn),
        "description": (Description(name="plus", inputSchema={"type": "object"}), None),
        "server": (server, served),
    }


def through(add: Callable[[int, int], Any]) -> Callable[[int, int], int]:
    """Return a function like one that a user writes to call another library's tool."""

    def plus(a: int, b: int) -> int:
        """Add two numbers."""
        result: int = add(a, b)
        return result

    return plus


LIBRARIES: dict[str, Callable[[], dict[str, Made]]] = {
    each.__name__.replace("google_", "google."): each
    for each in (
        langchain_core, agents, pydantic_ai, autogen_core, agent_framework, llama_index, smolagents, llm, google_adk, strands, dspy,
        haystack, crewai, fastmcp, mcp,
    )
}  # fmt: skip


def is_installed(package: str) -> bool:
    try:
        return find_spec("mcp.server.mcpserver" if package == "mcp" else package) is not None  # version 2 of mcp
    except ImportError:  # `google` is not there either
        return False


def test_each_library_has_cases_here_and_among_the_stand_ins() -> None:
    assert {case.package for case in CASES} == set(LIBRARIES)


@cache
def made(package: str) -> dict[str, Made]:
    """Return the objects of a library by their label; making them takes seconds."""
    return LIBRARIES[package]()


TAKERS: list[Callable[[Any], object]] = [
    Executor,
    lambda tool: Executor([tool]),
    lambda tool: FunctionCall(lambda messages, tools: "", tool),
    lambda tool: FunctionCall(lambda messages, tools: "", [tool]),
    Registry().register,
    lambda tool: Registry().register([tool]),
    fc_register("external"),
    lambda tool: formats.get("openai").describe([tool]),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_an_object_is_refused_by_name_and_what_the_error_says_works(case: Case) -> None:
    if not is_installed(case.package):
        pytest.skip(f"{case.package} is not installed here")
    theirs, replacement = made(case.package)[case.label]
    cls = theirs if case.as_class else type(theirs)
    names = [f"{base.__module__}.{base.__qualname__}" for base in cls.__mro__]
    assert [name for name in names if name in case.classes] == list(case.classes)
    for take in TAKERS:
        with pytest.raises(TypeError) as caught:
            take(theirs)
        assert str(caught.value) == case.message
    if replacement is not None:
        executor = Executor(replacement)
        (name,) = executor.tools
        assert executor.tools[name].parameters["required"] == ["a", "b"]
        call = {"name": name, "arguments": {"a": 1, "b": 2}}
        assert asyncio.run(executor.arun(call)).value == 3
