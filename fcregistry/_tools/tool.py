"""What is a tool?

MERGED: What may one executor or agent call? A frozen set of tools, by wire name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

from fcregistry._base import slots
from fcregistry._base.call import ToolCall
from fcregistry._base.source import default_name, underlying
from fcregistry._tools.declaration import DEFAULT_GROUP, Declaration, local_name
from fcregistry._tools.decorator import find_enclosing_locals
from fcregistry._tools.definition import ToolDefinition, first_paragraph
from fcregistry._tools.options import check_options, name_problem
from fcregistry.errors import DefinitionError, DuplicateToolError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from fcregistry._schema.validator import Engine, Validator
    from fcregistry._tools.declaration import Owner
    from fcregistry._tools.definition import Options, Origin, Provenance
    from fcregistry._tools.options import ToolOptions
    from fcregistry._tools.signature import Signature

# --- _tool ---


class Tool:
    """A Python callable with a name, a description and a JSON Schema for its parameters. Immutable.

    Made by the registry from declarations, or by `Tool.from_function`. Calling it calls the function.
    """

    __slots__ = ("__weakref__", "_definition", "_description", "_name", "_owner")

    _definition: ToolDefinition
    _name: str
    _owner: Owner | None
    _description: str | None

    def __init__(self, declaration: Declaration, owner: Owner | None = None, *, strict: bool = False) -> None:
        _set_slots(self, ToolDefinition(declaration, strict), declaration.name, owner, None)

    @classmethod
    def _of(cls, definition: ToolDefinition, name: str, owner: Owner | None, description: str | None = None) -> Tool:
        made = object.__new__(cls)
        _set_slots(made, definition, name, owner, description)
        return made

    @classmethod
    def from_function(cls, function: Callable[..., Any], **options: Unpack[ToolOptions]) -> Tool:
        """Make a tool of a callable without registering it.

        It is a tool of the application, whoever wrote the function: of a plugin's tool, `described` and `renamed` give one that stays the plugin's.

        Args:
            function: A function, coroutine function, generator, bound method, `functools.partial` or callable object.
            **options: As for `fc_register`.

        Raises:
            DefinitionError: The name or an option cannot be.
        """
        if options:
            check_options(options, repr(function))
        default, given = default_name(function), options.get("name")  # the first checks that it is one
        name = default if given is None else given
        if problem := name_problem(name):
            raise DefinitionError(f"{function!r} cannot be a tool: {problem}")
        module = getattr(underlying(function), "__module__", None) or "__main__"
        return cls(Declaration(function, name, DEFAULT_GROUP, module, dict(options), find_enclosing_locals(function)))

    @property
    def name(self) -> str:
        """The wire name: what a model calls it."""
        return self._name

    @property
    def declared_name(self) -> str:
        """The name it was registered under, whatever a view calls it."""
        return self._definition.declaration.name

    @property
    def group(self) -> str:
        """The group it was registered in."""
        return self._definition.declaration.group

    @property
    def id(self) -> str:
        """The canonical id, `distribution:group.name`, without the default group; without a distribution for the application's."""
        declared = self._definition.declaration
        local = local_name(declared.name, declared.group)
        return local if self._owner is None else f"{self._owner.distribution}:{local}"

    @property
    def function(self) -> Callable[..., Any]:
        """The function itself."""
        return self._definition.declaration.function

    @property
    def options(self) -> Options:
        """What it was declared with."""
        return self._definition.options

    @property
    def title(self) -> str | None:
        """A name for people, if it was given one."""
        return self.options.title

    @property
    def summary(self) -> str:
        """The first paragraph of the description, as one line."""
        return self._definition.summary if self._description is None else first_paragraph(self._description)

    @property
    def description(self) -> str:
        """What the model is told of it: what `described` was given, the option, or what the docstring says before its sections."""
        return self._definition.description if self._description is None else self._description

    @property
    def signature(self) -> Signature:
        """The signature as JSON sees it."""
        return self._definition.signature

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON Schema of its arguments: an object, even of nothing. A copy.

        It is of draft 2020-12, unless the tool was given a schema: that may name an older draft in its `$schema`.
        """
        return self._definition.parameters

    @property
    def returns(self) -> dict[str, Any] | None:
        """The JSON Schema of its result, or None if that is not annotated, or has none. A copy."""
        return self._definition.returns

    @property
    def origin(self) -> Origin:
        """Where it came from."""
        return self._definition.origin(self._owner)

    @property
    def schema_digest(self) -> str:
        """The SHA-256 of `parameters`, in hexadecimal: the same in every process and on every Python, another for another schema."""
        return self._definition.schema_digest

    @property
    def provenance(self) -> Provenance:
        """Which tool it is, of which version: what results, logs and spans say of it."""
        from fcregistry._tools.definition import Provenance  # which a tool that is only listed does not need

        return Provenance.of(self._owner, self.id, self.schema_digest)

    @property
    def is_loaded(self) -> bool:
        """Whether its function can be called without importing anything; one that the index describes is imported at its first call."""
        return self._definition.is_loaded

    @property
    def definition_error(self) -> DefinitionError | None:
        """Why it cannot be defined, or None: what globs and `list` skip it for."""
        return self._definition.error

    @property
    def missing_env(self) -> tuple[str, ...]:
        """The variables that it requires and the environment does not have."""
        required = self._definition.declaration.options.get("requires_env")
        if not required:
            return ()
        return tuple(name for name in self.options.requires_env if not os.environ.get(name))

    def validator(self, engine: Engine = "jsonschema-rs") -> Validator:
        """Return the validator of its arguments; compiled at the first call, and kept."""
        return self._definition.validator(engine)

    def result_validator(self, engine: Engine = "jsonschema-rs") -> Validator | None:
        """Return a validator of its results, or None if it says nothing of them."""
        return self._definition.result_validator(engine)

    def make_call(self, /, *args: Any, **kwargs: Any) -> ToolCall:
        """Return the call that a model would have written for these Python arguments.

        Raises:
            TypeError: The function does not take them, or one is not of its parameter's type.
        """
        try:
            return ToolCall(self._name, self._definition.signature.binding.encode(args, kwargs))
        except TypeError as error:
            raise TypeError(f"{self._name} {error}") from None

    def definition(self, format: str, *, strict: bool = False, recursion: Literal["refuse", "cut"] = "refuse") -> Any:
        """Render it in a format, such as `openai`, `gemini` or `text`; `fcregistry.formats.names()` lists them.

        Args:
            format: The format's name.
            strict: Whether the provider is to hold the model to the schema, in its strict mode.
            recursion: What to do with a type that refers to itself, where the provider does not take that: `refuse`, or `cut` it off.

        Returns:
            A dict for a format of JSON, a str for one of text. Either has `dropped`: what of the schema it leaves unsaid.

        Raises:
            FormatNotFoundError: There is no such format.
            DefinitionError: It has no strict mode, or the tool cannot be said in it; names every path, and what to do.
        """
        return slots.describe_tool(self, format, strict, recursion)

    def renamed(self, name: str) -> Tool:
        """Return a view of it under another wire name.

        Raises:
            DefinitionError: The name cannot be a tool's.
        """
        if problem := name_problem(name):
            raise DefinitionError(f"{self._name} cannot be renamed: {problem}")
        return Tool._of(self._definition, name, self._owner, self._description)

    def described(self, description: str) -> Tool:
        """Return a view of it with another description. Its id, origin and options stay, so policies see the same tool.

        Args:
            description: What the model is told of it.

        Raises:
            DefinitionError: The description is not a string.
        """
        if not isinstance(description, str):
            raise DefinitionError(
                f"{self._name} cannot be described: a description is a string, not {description!r:.80}"
            )
        return Tool._of(self._definition, self._name, self._owner, description)

    def _is_same_as(self, other: Tool) -> bool:
        """Return whether another tool is the same one with the same description, whatever the views call it."""
        return self._definition is other._definition and self._description == other._description

    def _with_function(self, function: Callable[..., Any]) -> Tool:
        """Return a tool of the same signature and without options that calls another function: how tests try calls and run none."""
        return Tool._of(self._definition.with_function(function), self._name, self._owner, self._description)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call the function, past validation: what Python code does with it."""
        return self._definition.declaration.function(*args, **kwargs)

    def __copy__(self) -> Tool:
        return self

    def __deepcopy__(self, memo: object) -> Tool:
        return self

    def __reduce__(self) -> tuple[Callable[..., Tool], tuple[Any, ...]]:
        if self._owner is not None:
            return slots.registered_tool, (self.id, self._name, self._description)
        return Tool._of, (self._definition, self._name, None, self._description)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Tool is immutable: {name} cannot be set; register it again with other options")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Tool is immutable: {name} cannot be deleted")

    def __repr__(self) -> str:
        renamed = "" if self._name == self._definition.declaration.name else f" as {self._name}"
        described = "" if self._description is None else ", described as " + repr(_shorten(self.summary))
        return f"<Tool {self.id}{renamed}{described}>"


_SHOWN: Final = 60
"""Characters of a view's description that its `repr` shows."""


def _shorten(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _set_slots(tool: Tool, definition: ToolDefinition, name: str, owner: Owner | None, description: str | None) -> None:
    write = object.__setattr__
    write(tool, "_definition", definition)
    write(tool, "_name", name)
    write(tool, "_owner", owner)
    write(tool, "_description", description)


# --- _toolset ---

_LISTED: Final = 20
"""Names of tools that an error lists."""


class Toolset(Mapping[str, Tool]):
    """A frozen mapping from wire name to tool, sorted by name: what one executor or agent may call.

    Args:
        tools: The tools; each stands under its wire name.

    Raises:
        DuplicateToolError: Two tools have one wire name.
    """

    __slots__ = ("_tools",)

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        by_name: dict[str, Tool] = {}
        clashes = []
        for tool in tools:
            other = by_name.setdefault(tool.name, tool)
            if other._definition is not tool._definition:
                clashes.append(f"{tool.name!r} is {other.id} ({other.origin}) and {tool.id} ({tool.origin})")
            elif not other._is_same_as(tool):
                clashes.append(f"{tool.name!r} is {other.id} ({other.origin}) with two descriptions")
        if clashes:
            raise DuplicateToolError(
                f"two tools have one name: {'; '.join(clashes)}. Leave one out, or use .renamed({{…}}) or .prefixed(…) on a toolset"
            )
        self._tools = dict(sorted(by_name.items()))

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def renamed(self, names: Mapping[str, str]) -> Toolset:
        """Return the same tools, some under other names.

        Args:
            names: Old wire name -> new one.

        Raises:
            KeyError: There is no tool of an old name; names the nearest.
        """
        self._check_known(names, "rename")
        return Toolset(tool.renamed(names[name]) if name in names else tool for name, tool in self._tools.items())

    def prefixed(self, prefix: str) -> Toolset:
        """Return the same tools with a prefix before each name."""
        return Toolset(tool.renamed(prefix + name) for name, tool in self._tools.items())

    def described(self, descriptions: Mapping[str, str]) -> Toolset:
        """Return the same tools, some with other descriptions. Their ids, origins and options stay, so policies see the same tools.

        Args:
            descriptions: Wire name -> what the model is told of the tool.

        Raises:
            KeyError: There is no tool of a name; names the nearest.
            DefinitionError: A description is not a string.
        """
        self._check_known(descriptions, "describe")
        return Toolset(
            tool.described(descriptions[name]) if name in descriptions else tool for name, tool in self._tools.items()
        )

    def filtered(self, predicate: Callable[[Tool], bool]) -> Toolset:
        """Return the tools that a predicate holds for."""
        return Toolset(tool for tool in self._tools.values() if predicate(tool))

    def _check_known(self, names: Iterable[str], purpose: str) -> None:
        unknown = sorted(set(names) - set(self._tools))
        if not unknown:
            return
        from fcregistry._tools.selectors import nearest  # only on the way to an error

        near = dict.fromkeys(found for name in unknown for found in nearest(name, self._tools))
        meant = f"did you mean {', '.join(near)}? " if near else ""
        listed = ", ".join(islice(self._tools, _LISTED)) + (", …" if len(self._tools) > _LISTED else "")
        raise KeyError(f"no tool {', '.join(unknown)} to {purpose}; {meant}there are {listed or 'none'}")

    def __repr__(self) -> str:
        return f"Toolset({', '.join(self._tools)})"
