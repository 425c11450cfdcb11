"""Tool sources: tools that are not Python functions of an installed package, such as those of a server.

A source describes its tools and answers calls; fcregistry makes the tools. Their owner is `kind+name`, as in the canonical id
`mcp+github:create_issue`; no distribution can have such a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from fcregistry._tools.declaration import DEFAULT_GROUP, Declaration
from fcregistry._tools.described import Described
from fcregistry._tools.selectors import normalized
from fcregistry.errors import PluginError, ToolChangedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fcregistry._tools.record import ToolRecord
    from fcregistry.discovery._found import FoundPlugin, PluginKey


class SourceTool(NamedTuple):
    """A tool as a source describes it.

    Attributes:
        name: The name of the tool.
        description: The description for the model.
        parameters: The JSON Schema of its arguments.
        options: Options of `fc_register` that are data: `title`, `tags` and the hints.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    options: Mapping[str, Any] = {}


class Source(Protocol):
    """The interface of a tool source.

    Attributes:
        kind: The kind of source, such as `mcp`.
        name: The name that the user gave it.
        version: The version that it had when its tools were described.
        digest: The digest of its definition, for locks.
    """

    @property
    def kind(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def digest(self) -> str: ...

    def described(self) -> Iterable[SourceTool]:
        """Return the tools as they were described last, without starting or contacting anything."""

    def open(self) -> Iterable[SourceTool]:
        """Connect, unless the source is open, and return the tools as they are now."""

    def call(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool of the open source.

        Args:
            name: The name of the tool.
            arguments: The arguments, which are valid.
        """


class SourceOwner(NamedTuple):
    """A source as the owner of tools, as a plugin is.

    Attributes:
        distribution: Its kind and name, `kind+name`.
        version: Its version.
        digest: The digest of its definition.
        entry_point: Empty.
    """

    distribution: str
    version: str
    digest: str
    entry_point: str = ""

    @property
    def project(self) -> str:
        """`kind+name`, normalized as the names of distributions are."""
        return normalized(self.distribution)

    @property
    def key(self) -> PluginKey:
        """What identifies the owner in a process."""
        return (self.distribution, self.entry_point)

    @property
    def label(self) -> str:
        """`kind+name`, as messages show it."""
        return self.distribution


Shipper: TypeAlias = "FoundPlugin | SourceOwner"
"""The owner of a described tool: a plugin or a source."""


class KnownSource(NamedTuple):
    """A source, and the tools that it described.

    Attributes:
        source: The source.
        owner: The source as the owner of its tools.
        tools: Its tools.
        records: Their records, in the same order.
    """

    source: Source
    owner: SourceOwner
    tools: tuple[Described, ...]
    records: tuple[ToolRecord, ...]

    @classmethod
    def of(cls, source: Source) -> KnownSource:
        """Return `source` with the tools that it describes without being opened."""
        from fcregistry.discovery._describe import row_of  # makes descriptions: most processes have no source

        owner = SourceOwner(f"{source.kind}+{source.name}", source.version, source.digest)
        records = tuple(_record_of(each, source, owner) for each in source.described())
        rows = (row_of(each, owner.distribution)[:5] for each in records)
        return cls(source, owner, tuple(Described(owner.key, number, *row) for number, row in enumerate(rows)), records)

    def described(self) -> Iterator[tuple[Described, SourceOwner]]:
        """Yield its tools, each with the source as its owner."""
        return ((each, self.owner) for each in self.tools)

    def resolved(self, described: Described) -> Declaration:
        """Open the source, and return the declaration of a tool as the source describes it now.

        Args:
            described: The tool, as it was described before.

        Raises:
            PluginError: The source cannot be opened.
            ToolChangedError: The source does not have the tool any more.
        """
        label = self.owner.label
        try:
            tools = tuple(self.source.open())
        except Exception as error:  # external code: it may raise anything, and only its tools cannot be called then
            raise PluginError(f"{label} cannot be opened: {type(error).__name__}: {error}") from error
        for each in tools:
            if each.name == described.name:
                return _declaration(each, self.source, self.owner)
        raise ToolChangedError(f"{label} does not have {described.name} any more (schema_changed)")


def _record_of(tool: SourceTool, source: Source, owner: SourceOwner) -> ToolRecord:
    """Return the record of a tool of a source; its `qualname` is the tool's name, its file and line None."""
    from fcregistry._tools.indexed import record_of  # with all of `types`: most processes have no source
    from fcregistry._tools.tool import Tool

    record = record_of(Tool(_declaration(tool, source, owner), owner))
    return {**record, "qualname": tool.name, "file": None, "line": None}


def _declaration(tool: SourceTool, source: Source, owner: SourceOwner) -> Declaration:
    """Return the declaration of a tool of a source, whose function passes each call to the source."""

    def call(**arguments: Any) -> Any:
        return source.call(tool.name, arguments)

    options = {**tool.options, "description": tool.description, "parameters": tool.parameters}
    return Declaration(call, tool.name, DEFAULT_GROUP, owner.distribution, options, None, owner.key)
