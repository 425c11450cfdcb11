"""Definitions from the index, and records of tools.

The plugin of a described tool is imported when its function is needed, or anything else that the index does not have.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from fcregistry._tools.definition import ToolDefinition, wanted_strictness
from fcregistry._tools.described import BROKEN, CONTEXT, DEPS, Described, discovery
from fcregistry._tools.record import ToolRecord, changed_part, digest_of, is_computed, option_json
from fcregistry._tools.tool import Tool
from fcregistry.errors import DefinitionError, ToolChangedError

if TYPE_CHECKING:
    from fcregistry._tools.declaration import Owner
    from fcregistry._tools.details import Options, Origin
    from fcregistry._tools.signature import Signature


def _doctor_hint(described: Described) -> str:
    """Return which command compares the plugin of a described tool with its manifest; empty for a tool of a source."""
    distribution = described.plugin[0] if described.plugin else ""
    return (
        f" (`fcregistry doctor {distribution}` shows what differs)" if distribution and "+" not in distribution else ""
    )


class DescribedDefinition(ToolDefinition):
    """A definition from the index.

    It imports the tool's plugin when the function is needed, and uses the definition of the function from then on.
    """

    __slots__ = ("_described", "_resolved")

    def __init__(self, declaration: Described) -> None:
        super().__init__(declaration, strict=False)
        self._described = declaration
        self._resolved: ToolDefinition | None = None

    @property
    def is_loaded(self) -> bool:
        """Whether the function can be called without importing anything."""
        return self._resolved is not None

    @property
    def known_record(self) -> ToolRecord | None:
        """The record of the tool."""
        return self._described.record

    def loaded(self) -> ToolDefinition:
        """Return the definition of the function, after a check that the index describes it as it is.

        Raises:
            PluginError: The plugin does not load.
            ToolChangedError: The tool differs from its description.
        """
        if self._resolved is None:
            described = self._described
            declared = discovery().resolved(described)
            if self._resolved is not None:  # the import itself asked for it
                return self._resolved  # type: ignore[unreachable]  # it is set while the plugin is imported
            resolved = ToolDefinition(declared, wanted_strictness(declared.module))
            assert described.tool is not None
            now = record_of(Tool._of(resolved, resolved.declaration.name, described.tool._owner))
            # Selectors and policies rely on options that the digest lacks, so the options are compared too
            if (
                now["digest"] != described.digest
                or not described.options == described.record["options"] == now["options"]
            ):
                discovery().forget(described)
                raise ToolChangedError(
                    f"{described.tool.id} has changed since the index described it (schema_changed): "
                    f"its {changed_part(described.record, now)} differs; look it up again{_doctor_hint(described)}"
                )
            declared.tool = described.tool  # one tool, however it is looked up
            self._resolved = resolved
            self.declaration, self.strict = declared, resolved.strict
        return self._resolved

    @property
    def asks_for_context(self) -> bool:
        """Whether the function is given the context of its call."""
        return bool(self._described.flags & CONTEXT)

    @property
    def asks_for_deps(self) -> bool:
        """Whether it asks for an object of the application in that context."""
        return bool(self._described.flags & DEPS)

    @property
    def options(self) -> Options:
        """The options that the tool was declared with; calling a function among them imports the plugin."""
        if self._resolved is not None:
            return self._resolved.options
        if self._options is None:
            given = self._described.options
            if any(is_computed(value) and name not in _DEFERRED for name, value in given.items()):
                return (
                    self.loaded().options
                )  # a value without a JSON form, such as one in `meta`: only the plugin has it
            from fcregistry._tools.details import Options  # which listing tools does not need

            self._options = Options.of({name: self._option(name, value) for name, value in given.items()})
        return self._options

    def _option(self, name: str, value: Any) -> Any:
        """Return the value of an option in the index, or a proxy if the index has only its name.

        For `cache`, the proxy is a cache, otherwise a function; it imports the plugin when it is used.

        Args:
            name: The option.
            value: The value that the index has.
        """
        if not is_computed(value):
            return value
        if name == "cache":
            return _DeferredCache(self)

        def deferred(*arguments: Any) -> Any:
            """Import the plugin, call the function in the option with `arguments`, and return its value."""
            return getattr(self.loaded().options, name)(*arguments)

        return deferred

    @property
    def description(self) -> str:
        """The description for the model."""
        self._check()
        return self._described.record["description"]

    @property
    def summary(self) -> str:
        """The first paragraph of the description, as one line."""
        self._check()
        return self._described.summary

    def origin(self, owner: Owner | None) -> Origin:
        """Return where the tool came from."""
        from fcregistry._tools.details import Origin  # as above

        record = self._described.record
        return Origin.of(owner, record["module"], record["qualname"], record["file"], record["line"])

    @property
    def error(self) -> DefinitionError | None:
        """The error that says why the tool cannot be defined, or None if it can."""
        if not self._described.flags & BROKEN:
            return None
        problems = self._described.record.get("problems", ())
        return DefinitionError(f"{self._described.place} cannot be a tool:", tuple(problems))

    def _check(self) -> None:
        """Raise the tool's `DefinitionError` if it cannot be defined; otherwise do nothing."""
        if (error := self.error) is not None:
            raise error

    @property
    def signature(self) -> Signature:
        """The signature as JSON sees it; the plugin is imported for it.

        Raises:
            DefinitionError: The function cannot be used; the message names all problems.
            PluginError: The plugin does not load.
            ToolChangedError: The tool differs from its description.
        """
        self.define()
        return self.loaded().signature

    def define(self) -> None:
        """Import the plugin, unless that is done, and define the tool of its function.

        Raises:
            DefinitionError: The function cannot be used; the message names all problems.
            PluginError: The plugin does not load.
            ToolChangedError: The tool differs from its description.
        """
        self._check()
        self.loaded().define()

    @property
    def parameters(self) -> dict[str, Any]:
        """The schema of the arguments. A copy."""
        self._check()
        parameters: dict[str, Any] = _copy_json(self._described.record["parameters"])
        return parameters

    @property
    def returns(self) -> dict[str, Any] | None:
        """The schema of the result, or None if there is none. A copy."""
        self._check()
        returns: dict[str, Any] | None = _copy_json(self._described.record["returns"])
        return returns


_DEFERRED: Final = ("always_ask", "available", "cache", "reads", "requires_approval", "writes")
"""The options that may be functions or caches: objects that import the plugin when they are used take their place."""


class _DeferredCache:
    """A proxy of a tool's own cache: the plugin is imported when a result is looked up or stored."""

    def __init__(self, definition: DescribedDefinition) -> None:
        self._definition = definition

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of `key`, or `default` if it has none."""
        return self._definition.loaded().options.cache.get(key, default)

    def set(self, key: str, value: Any) -> object:
        """Store `value` under `key`; return what the cache returns."""
        return self._definition.loaded().options.cache.set(key, value)


def _copy_json(value: Any) -> Any:
    """Return a deep copy of a JSON value; tuples become lists."""
    return json.loads(json.dumps(value))


# --- Records ---


def record_of(tool: Tool) -> ToolRecord:
    """Return the record of a tool; it contains the problems of a tool that cannot be defined.

    The plugin of a described tool is not imported. A view under another name or with another description has the record of the tool itself:
    locks and the index are about what a plugin ships.
    """
    if (known := tool._definition.known_record) is not None:
        return known
    from fcregistry.types import show_type  # with all of `types`, which reading records does not need

    error = tool.definition_error
    origin = tool.origin
    context = None if error else tool.signature.context
    record = ToolRecord(
        name=tool.declared_name,
        group=tool.group,
        summary="" if error else tool._definition.summary,
        description="" if error else tool._definition.description,
        parameters={} if error else tool.parameters,
        returns=None if error else tool.returns,
        options={name: option_json(name, value) for name, value in tool.options.given().items()},
        context=context is not None,
        deps=show_type(context.deps) if context is not None and context.deps is not None else None,
        module=origin.module,
        qualname=origin.qualname,
        file=origin.file,
        line=origin.line,
        digest="",
    )
    record["digest"] = digest_of(record)
    if error is not None:
        record["problems"] = list(error.problems) or [str(error)]
    return record
