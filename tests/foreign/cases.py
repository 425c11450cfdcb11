"""The tools, toolsets and servers of other libraries, by the names of their classes, with the error that refuses each.

`tests/test_external_tools.py` makes stand-ins of these names; `test_real_tools.py` makes the objects themselves, with the libraries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SERVER = "server.tools() of a McpServer, from the package fcregistry-mcp"
SAME = "a function of your own that does the same"


def plus(a: int, b: int) -> int:
    """Add two numbers.

    Args:
        a: The first number.
        b: The second number.
    """
    return a + b


def plus_any(**arguments: int) -> int:
    """Add numbers."""
    return sum(arguments.values())


class Metadata:
    """Where LlamaIndex has the name of a tool."""

    def __init__(self, name: str) -> None:
        self.name = name


@dataclass(frozen=True, slots=True)
class Case:
    """One kind of object.

    Attributes:
        package: The package that is imported.
        label: What the object is.
        classes: The classes of its library that it has in its MRO; those of users come before them.
        what: What the error calls it.
        give: What the error says to give in its place.
        holds: Its attributes that the error depends on.
        calls: Whether it can be called.
        users: The name of the class that a user derived, if any.
        as_class: Whether the object is the class itself.
    """

    package: str
    label: str
    classes: tuple[str, ...]
    what: str
    give: str
    holds: Mapping[str, object] = field(default_factory=dict)
    calls: bool = False
    users: str | None = None
    as_class: bool = False

    @property
    def id(self) -> str:
        """The name of the case in a report."""
        return f"{self.package}-{self.label}"

    @property
    def message(self) -> str:
        """The error."""
        shown = self.users or self.classes[0].rpartition(".")[2]
        if self.as_class:
            return f"{shown} is the class of {self.what}, not a function: give {self.give}"
        metadata = self.holds.get("_metadata")
        names = (self.holds.get(key) for key in ("name", "_name", "_tool_name"))
        name = metadata.name if isinstance(metadata, Metadata) else next(filter(None, names), None)
        return f"{shown}{f' {name!r}' if name else ''} is {self.what}, not a function: give {self.give}"


LANGCHAIN = "a tool of LangChain"
OPENAI = "a tool of the OpenAI Agents SDK"
LANGCHAIN_BASE = ("langchain_core.tools.base.BaseTool", "pydantic.main.BaseModel")
STRUCTURED = ("langchain_core.tools.structured.StructuredTool", *LANGCHAIN_BASE)
INVOKES = "a function that returns tool.invoke({…})"
DECORATES = f"the function that @function_tool decorates, or {SAME}"
FUNCTIONS = "the functions of its tools"
AUTOGEN = ("autogen_core.tools._base.BaseTool", "autogen_core.tools._base.Tool")
LLAMA = ("llama_index.core.tools.types.BaseTool",)
STRANDS = ("strands.types.tools.AgentTool",)
ADK = ("google.adk.tools.base_tool.BaseTool",)
RUN_JSON = "an async function that returns await tool.run_json({…}, CancellationToken())"
RUN_ASYNC = "an async function that returns await tool.run_async(args={…}, tool_context=None)"
ANY = ", name=…, description=…, parameters=…), since its function takes **kwargs"
TOOLBOX = "its methods, such as [toolbox.search, toolbox.read]"
SERVES = f"the functions that it serves, or {SERVER}"

CASES = [
    Case(
        "langchain_core", "decorated", STRUCTURED, LANGCHAIN, "its function, tool.func", {"name": "plus", "func": plus}
    ),
    Case(
        "langchain_core",
        "decorated-async",
        STRUCTURED,
        LANGCHAIN,
        "its function, tool.coroutine",
        {"name": "plus", "func": None, "coroutine": plus},
    ),
    Case(
        "langchain_core",
        "from-schema",
        STRUCTURED,
        LANGCHAIN,
        "Tool.from_function(tool.func" + ANY,
        {"name": "plus", "func": plus_any},
    ),
    Case("langchain_core", "derived", LANGCHAIN_BASE, LANGCHAIN, INVOKES, {"name": "plus"}, users="Plus"),
    Case("langchain_core", "class", LANGCHAIN_BASE, LANGCHAIN, INVOKES, users="Plus", as_class=True),
    Case(
        "langchain_core",
        "toolkit",
        ("langchain_core.tools.base.BaseToolkit", "pydantic.main.BaseModel"),
        "a toolkit of LangChain",
        "for each tool of toolkit.get_tools() a function that returns tool.invoke({…})",
        users="Kit",
    ),
    Case("agents", "decorated", ("agents.tool.FunctionTool",), OPENAI, DECORATES, {"name": "plus"}),
    Case("agents", "own", ("agents.tool.ShellTool",), OPENAI, SAME, {"name": "shell"}),
    Case("agents", "hosted", ("agents.tool.WebSearchTool",), "a hosted tool of the OpenAI Agents SDK", SAME),
    Case(
        "agents",
        "server",
        ("agents.mcp.server.MCPServerStdio", "agents.mcp.server.MCPServer"),
        "a server of the OpenAI Agents SDK",
        SERVER,
        {"_name": "files"},
    ),
    Case(
        "pydantic_ai",
        "tool",
        ("pydantic_ai.tools.Tool",),
        "a tool of pydantic-ai",
        "its function, tool.function",
        {"name": "plus", "function": plus},
    ),
    Case(
        "pydantic_ai",
        "from-schema",
        ("pydantic_ai.tools.Tool",),
        "a tool of pydantic-ai",
        "Tool.from_function(tool.function" + ANY,
        {"name": "plus", "function": plus_any},
    ),
    Case(
        "pydantic_ai",
        "toolset",
        ("pydantic_ai.toolsets.function.FunctionToolset", "pydantic_ai.toolsets.abstract.AbstractToolset"),
        "a toolset of pydantic-ai",
        "the functions of its tools, [tool.function for tool in toolset.tools.values()]",
    ),
    Case(
        "pydantic_ai",
        "prefixed-toolset",
        ("pydantic_ai.toolsets.prefixed.PrefixedToolset", "pydantic_ai.toolsets.abstract.AbstractToolset"),
        "a toolset of pydantic-ai",
        FUNCTIONS,
    ),
    Case(
        "pydantic_ai",
        "hosted",
        ("pydantic_ai.native_tools.WebSearchTool", "pydantic_ai.native_tools.AbstractNativeTool"),
        "a hosted tool of pydantic-ai",
        SAME,
    ),
    Case(
        "autogen_core",
        "function",
        ("autogen_core.tools._function_tool.FunctionTool", *AUTOGEN),
        "a tool of AutoGen",
        "the function that it was made of",
        {"_name": "plus"},
    ),
    Case("autogen_core", "derived", AUTOGEN, "a tool of AutoGen", RUN_JSON, {"_name": "plus"}, users="Plus"),
    Case("autogen_core", "class", AUTOGEN, "a tool of AutoGen", RUN_JSON, users="Plus", as_class=True),
    Case(
        "autogen_core",
        "workbench",
        ("autogen_core.tools._static_workbench.StaticWorkbench", "autogen_core.tools._workbench.Workbench"),
        "a workbench of AutoGen",
        "for each of its tools an async function that awaits workbench.call_tool(name, {…})",
    ),
    Case(
        "agent_framework",
        "decorated",
        ("agent_framework._tools.FunctionTool",),
        "a tool of Agent Framework",
        "its function, tool.func",
        {"name": "plus", "func": plus},
        calls=True,
    ),
    Case(
        "agent_framework",
        "server",
        ("agent_framework._mcp.MCPStdioTool", "agent_framework._mcp.MCPTool"),
        "a server of Agent Framework",
        SERVER,
        {"name": "files"},
    ),
    Case(
        "llama_index",
        "function",
        ("llama_index.core.tools.function_tool.FunctionTool", *LLAMA),
        "a tool of LlamaIndex",
        "its function, tool.real_fn",
        {"real_fn": plus, "_metadata": Metadata("plus")},
        calls=True,
    ),
    Case(
        "llama_index",
        "async-function",
        ("llama_index.core.tools.function_tool.FunctionTool", *LLAMA),
        "a tool of LlamaIndex",
        "its function, tool.real_fn",
        {"real_fn": plus, "_metadata": Metadata("plus")},
        calls=True,
    ),
    Case(
        "llama_index",
        "derived",
        LLAMA,
        "a tool of LlamaIndex",
        "a function that returns tool(…).content",
        calls=True,
        users="Plus",
    ),
    Case(
        "llama_index",
        "spec",
        ("llama_index.core.tools.tool_spec.base.BaseToolSpec",),
        "a list of tools of LlamaIndex",
        "its methods, such as [spec.search, spec.read]",
        users="Spec",
    ),
    Case(
        "smolagents",
        "decorated",
        ("smolagents.tools.Tool", "smolagents.tools.BaseTool"),
        "a tool of smolagents",
        "a function that returns tool(…)",
        {"name": "plus"},
        calls=True,
        users="SimpleTool",
    ),
    Case(
        "smolagents",
        "derived",
        ("smolagents.tools.Tool", "smolagents.tools.BaseTool"),
        "a tool of smolagents",
        "a function that returns tool(…)",
        {"name": "plus"},
        calls=True,
        users="Plus",
    ),
    Case(
        "smolagents",
        "class",
        ("smolagents.tools.Tool", "smolagents.tools.BaseTool"),
        "a tool of smolagents",
        "a function that returns tool(…)",
        users="Plus",
        as_class=True,
    ),
    Case(
        "smolagents",
        "collection",
        ("smolagents.tools.ToolCollection",),
        "a list of tools of smolagents",
        "for each tool of collection.tools a function that returns tool(…)",
    ),
    Case(
        "llm",
        "tool",
        ("llm.models.Tool",),
        "a tool of llm",
        "its function, tool.implementation",
        {"name": "plus", "implementation": plus},
    ),
    Case("llm", "toolbox", ("llm.models.Toolbox",), "a toolbox of llm", TOOLBOX, users="Notes"),
    Case("llm", "toolbox-class", ("llm.models.Toolbox",), "a toolbox of llm", TOOLBOX, users="Notes", as_class=True),
    Case(
        "google.adk",
        "function",
        ("google.adk.tools.function_tool.FunctionTool", *ADK),
        "a tool of ADK",
        "its function, tool.func",
        {"name": "plus", "func": plus},
    ),
    Case("google.adk", "derived", ADK, "a tool of ADK", RUN_ASYNC, {"name": "plus"}, users="Plus"),
    Case(
        "google.adk",
        "hosted",
        ("google.adk.tools.google_search_tool.GoogleSearchTool", *ADK),
        "a hosted tool of ADK",
        SAME,
        {"name": "google_search"},
    ),
    Case(
        "google.adk",
        "toolset",
        ("google.adk.tools.base_toolset.BaseToolset",),
        "a toolset of ADK",
        "the functions of its tools, [tool.func for tool in await toolset.get_tools()]",
        users="Kit",
    ),
    Case(
        "strands",
        "decorated",
        ("strands.tools.decorator.DecoratedFunctionTool", *STRANDS),
        "a tool of Strands",
        "its function, tool.__wrapped__",
        {"_tool_name": "plus", "__wrapped__": plus},
        calls=True,
    ),
    Case(
        "strands",
        "method",
        ("strands.tools.decorator.DecoratedFunctionTool", *STRANDS),
        "a tool of Strands",
        "its function, tool.__wrapped__",
        {"_tool_name": "plus", "__wrapped__": plus},
        calls=True,
    ),
    Case(
        "strands",
        "python",
        ("strands.tools.tools.PythonAgentTool", *STRANDS),
        "a tool of Strands",
        SAME,
        {"_tool_name": "plus"},
    ),
    Case(
        "strands",
        "server",
        ("strands.tools.mcp.mcp_client.MCPClient", "strands.tools.tool_provider.ToolProvider"),
        "a server of Strands",
        SERVER,
    ),
    Case(
        "dspy",
        "tool",
        ("dspy.adapters.types.tool.Tool", "pydantic.main.BaseModel"),
        "a tool of DSPy",
        "its function, tool.func",
        {"name": "plus", "func": plus},
        calls=True,
    ),
    Case(
        "dspy",
        "module",
        ("dspy.primitives.module.Module",),
        "a module of DSPy",
        "a function that returns module(…)",
        calls=True,
        users="Plus",
    ),
    Case(
        "haystack",
        "decorated",
        ("haystack.tools.tool.Tool",),
        "a tool of Haystack",
        "its function, tool.function",
        {"name": "plus", "function": plus},
    ),
    Case(
        "haystack",
        "component",
        ("haystack.tools.component_tool.ComponentTool", "haystack.tools.tool.Tool"),
        "a tool of Haystack",
        "a function that returns tool.invoke(…)",
        {"name": "plus", "function": plus_any},
    ),
    Case(
        "haystack",
        "toolset",
        ("haystack.tools.toolset.Toolset",),
        "a toolset of Haystack",
        "the functions of its tools, [tool.function for tool in toolset]",
    ),
    Case(
        "crewai",
        "decorated",
        ("crewai.tools.base_tool.Tool", "crewai.tools.base_tool.BaseTool", "pydantic.main.BaseModel"),
        "a tool of CrewAI",
        "its function, tool.func",
        {"name": "plus", "func": plus},
    ),
    Case(
        "crewai",
        "derived",
        ("crewai.tools.base_tool.BaseTool", "pydantic.main.BaseModel"),
        "a tool of CrewAI",
        "a function that returns tool.run(…)",
        {"name": "plus"},
        users="Plus",
    ),
    Case(
        "crewai",
        "class",
        ("crewai.tools.base_tool.BaseTool", "pydantic.main.BaseModel"),
        "a tool of CrewAI",
        "a function that returns tool.run(…)",
        users="Plus",
        as_class=True,
    ),
    Case(
        "fastmcp",
        "tool",
        ("fastmcp.tools.base.Tool", "pydantic.main.BaseModel"),
        "a tool of FastMCP",
        "its function, tool.fn",
        {"name": "plus", "fn": plus},
        users="FunctionTool",
    ),
    Case("fastmcp", "server", ("fastmcp.server.server.FastMCP",), "a server of FastMCP", SERVES),
    Case("fastmcp", "client", ("fastmcp.client.client.Client",), "a client of FastMCP", SERVER, {"name": "calculator"}),
    Case(
        "mcp",
        "tool",
        ("mcp.server.mcpserver.tools.base.Tool", "pydantic.main.BaseModel"),
        "a tool of the MCP SDK",
        "its function, tool.fn",
        {"name": "plus", "fn": plus},
    ),
    Case(
        "mcp",
        "description",
        ("mcp_types._types.Tool", "pydantic.main.BaseModel"),
        "a tool of the MCP SDK",
        SERVER,
        {"name": "plus"},
    ),
    Case("mcp", "server", ("mcp.server.mcpserver.server.MCPServer",), "a server of the MCP SDK", SERVES),
]

BEFORE = [
    Case(
        "mcp",
        "tool-of-version-1",
        ("mcp.server.fastmcp.tools.base.Tool", "pydantic.main.BaseModel"),
        "a tool of the MCP SDK",
        "its function, tool.fn",
        {"name": "plus", "fn": plus},
    ),
    Case("mcp", "server-of-version-1", ("mcp.server.fastmcp.server.FastMCP",), "a server of the MCP SDK", SERVES),
    Case(
        "mcp",
        "description-of-version-1",
        ("mcp.types.Tool", "pydantic.main.BaseModel"),
        "a tool of the MCP SDK",
        SERVER,
        {"name": "plus"},
    ),
    Case(
        "agent_framework",
        "function-of-version-0",
        ("agent_framework._tools.AIFunction",),
        "a tool of Agent Framework",
        "its function, tool.func",
        {"name": "plus", "func": plus},
        calls=True,
    ),
    Case(
        "pydantic_ai",
        "hosted-of-version-1",
        ("pydantic_ai.builtin_tools.WebSearchTool", "pydantic_ai.builtin_tools.AbstractBuiltinTool"),
        "a hosted tool of pydantic-ai",
        SAME,
    ),
]
"""Kinds of objects that only earlier versions of the libraries have."""
