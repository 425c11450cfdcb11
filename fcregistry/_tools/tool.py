"""`Tool`, a callable with a name, a description and schemas, and `Toolset`, the tools that one executor or agent may call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

from fcregistry._base import slots
from fcregistry._base.source import check_callable, default_name, underlying
from fcregistry._tools.declaration import DEFAULT_GROUP, Declaration, canonical_id
from fcregistry._tools.decorator import find_enclosing_locals
from fcregistry._tools.definition import ToolDefinition, first_paragraph
from fcregistry._tools.options import check_options, checks_of, missing_variables, name_problem, not_set_text
from fcregistry.errors import DefinitionError, DuplicateToolError, exception_message

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from fcregistry._base.call import ToolCall
    from fcregistry._schema.validator import Engine, Validator
    from fcregistry._tools.declaration import Owner
    from fcregistry._tools.details import Options, Origin, Provenance
    from fcregistry._tools.options import ToolOptions
    from fcregistry._tools.selectors import SelectorSubject
    from fcregistry._tools.signature import Signature


class Tool:
    """A Python callable with a name, a description and a JSON Schema for its parameters. Immutable.

    Made by the registry from declarations, or by `Tool.from_function`. Calling it calls the function.

    Args:
        declaration: The function, with its name, group and options.
        owner: The plugin or source that ships it, or None for the application.
        strict: The policy for a parameter without a type: True or `"error"` for an error, False or `"warn"` for a warning.
    """

    __slots__ = ("__weakref__", "_definition", "_description", "_name", "_owner", "_rendered")

    _definition: ToolDefinition
    _name: str
    _owner: Owner | None
    _description: str | None
    _rendered: tuple[tuple[Any, ...], ...]
    """Its definitions in formats, since a model is sent the same ones in every round. `formats` writes them as bytes: each caller gets a copy."""

    def __init__(self, declaration: Declaration, owner: Owner | None = None, *, strict: object = False) -> None:
        _set_slots(self, ToolDefinition(declaration, strict), declaration.name, owner, None)

    @classmethod
    def _of(cls, definition: ToolDefinition, name: str, owner: Owner | None, description: str | None = None) -> Tool:
        """Return a tool of an existing definition, without reading its function.

        Args:
            definition: The definition, which may be shared.
            name: The wire name.
            owner: The plugin or source that ships it; None for the application.
            description: The text in place of the definition's own; None for that.
        """
        made = object.__new__(cls)
        _set_slots(made, definition, name, owner, description)
        return made

    @classmethod
    def from_function(cls, function: Callable[..., Any], **options: Unpack[ToolOptions]) -> Tool:
        """Make a tool of a callable without registering it.

        It is a tool of the application, also if the function is a plugin's. Use `described` and `renamed` for views of a plugin's tool that
        stay the plugin's.

        Args:
            function: A function, coroutine function, generator, bound method, `functools.partial`, or an object whose class has a `__call__`
                with annotated or documented parameters; any callable object with `name`, `description` and `parameters`.
            **options: The options of `fc_register`, `name` included, with the same meaning; `help(fc_register)` describes each.

        Raises:
            DefinitionError: It cannot be a tool, or the name or an option is invalid.
        """
        if options:
            check_options(options, function)
        given = options.get("name")
        check_callable(function, given, options)
        name = default_name(function) if given is None else given
        if problem := name_problem(name):
            raise DefinitionError(f"{function!r} cannot be a tool: {problem}")
        module = getattr(underlying(function), "__module__", None) or "__main__"
        return cls(Declaration(function, name, DEFAULT_GROUP, module, dict(options), find_enclosing_locals(function)))

    @property
    def name(self) -> str:
        """The wire name, which models use."""
        return self._name

    @property
    def declared_name(self) -> str:
        """The name it was registered under, also in a renamed view."""
        return self._definition.declaration.name

    @property
    def group(self) -> str:
        """The group it was registered in."""
        return self._definition.declaration.group

    @property
    def id(self) -> str:
        """The canonical id, `distribution:group.name`.

        The default group is left out, and for tools of the application the distribution.
        """
        return canonical_id(self._definition.declaration, self._owner)

    @property
    def function(self) -> Callable[..., Any]:
        """The function itself."""
        return self._definition.declaration.function

    @property
    def is_async(self) -> bool:
        """Whether calling it returns a coroutine or an asynchronous generator.

        The plugin of a described tool is imported to find out.
        """
        from fcregistry._tools.parameters import kind_of_function  # which a tool that is only listed does not need

        return kind_of_function(self.function).startswith("async")

    @property
    def options(self) -> Options:
        """The options that it was declared with."""
        return self._definition.options

    @property
    def title(self) -> str | None:
        """A name for people, or None."""
        return self.options.title

    @property
    def summary(self) -> str:
        """The first paragraph of the description, as one line."""
        return self._definition.summary if self._description is None else first_paragraph(self._description)

    @property
    def description(self) -> str:
        """The description for the model: that of `described`, the option, or the docstring up to its sections."""
        return self._definition.description if self._description is None else self._description

    @property
    def signature(self) -> Signature:
        """The signature as JSON sees it."""
        return self._definition.signature

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON Schema of its arguments: an object, even without properties. A copy.

        Its draft is 2020-12, unless the tool has an external schema that names an older one in `$schema`.
        """
        return self._definition.parameters

    @property
    def returns(self) -> dict[str, Any] | None:
        """The JSON Schema of its result, or None if that is not annotated or has no JSON form. A copy."""
        return self._definition.returns

    @property
    def origin(self) -> Origin:
        """Where it came from."""
        return self._definition.origin(self._owner)

    @property
    def schema_digest(self) -> str:
        """The SHA-256 of `parameters`, in hexadecimal: the same in every process and on every Python."""
        return self._definition.schema_digest

    @property
    def provenance(self) -> Provenance:
        """Its identity and version, for results, logs and spans."""
        from fcregistry._tools.details import Provenance  # which a tool that is only listed does not need

        owner = self._owner
        distribution, version = (owner.distribution, owner.version) if owner else (None, None)
        return Provenance(self.id, distribution, version, self.schema_digest)

    @property
    def is_loaded(self) -> bool:
        """Whether its function can be called without an import; a described tool's is imported then."""
        return self._definition.is_loaded

    @property
    def definition_error(self) -> DefinitionError | None:
        """The error that says why it cannot be defined, or None if it can. Patterns skip such a tool."""
        return self._definition.error

    @property
    def missing_env(self) -> tuple[str, ...]:
        """The required variables that the environment lacks. Alternatives are one text, such as `A or B`."""
        return missing_variables(self._definition.declaration.options.get("requires_env"))

    @property
    def unavailable(self) -> str:
        """The reason it is hidden and cannot be called here; empty if it is available.

        A variable of its `requires_env` is not set, or its `available` does not return True. If the index describes the tool, `available`
        is called only once the plugin is imported.
        """
        if missing := self.missing_env:
            return not_set_text(missing)
        ask = self._definition.declaration.options.get("available")
        if not callable(ask):  # there is none, or only the index's record of it is known
            return ""
        for check in checks_of(ask):
            try:
                answer: object = check()
            except Exception as error:  # noqa: BLE001  # the author's function may raise anything, and has not returned True then
                return f"its check {default_name(check)} raised {type(error).__name__}: {exception_message(error)}"
            if answer is not True:
                return f"its check {default_name(check)} returned {answer!r:.80}"
        return ""

    def validator(self, engine: Engine = "jsonschema-rs") -> Validator:
        """Return the validator of its arguments. It is compiled at the first call and cached.

        Args:
            engine: The library that validates: `jsonschema-rs` or `jsonschema`.
        """
        return self._definition.validator(engine)

    def result_validator(self, engine: Engine = "jsonschema-rs", *, nulls: bool = False) -> Validator | None:
        """Return a validator of its results, or None if it has no schema for them.

        Args:
            engine: The library that validates: `jsonschema-rs` or `jsonschema`.
            nulls: Whether each number may be null, since null is written for NaN.
        """
        return self._definition.result_validator(engine, nulls=nulls)

    def make_call(self, /, *args: Any, **kwargs: Any) -> ToolCall:
        """Return the call that a model would write for these Python arguments.

        Args:
            *args: Positional arguments of the function.
            **kwargs: Keyword arguments of the function.

        Raises:
            TypeError: The function does not accept them, or one is not of its parameter's type.
        """
        from fcregistry._base.call import ToolCall  # lists of tools do without it

        try:
            return ToolCall(self._name, self._definition.signature.binding.encode(args, kwargs))
        except TypeError as error:
            raise TypeError(f"{self._name} {error}") from None

    def definition(self, format: str, *, strict: bool = False, recursion: Literal["refuse", "cut"] = "refuse") -> Any:
        """Render it in a format, such as `openai` or `text`; `fcregistry.formats.names()` lists them.

        Args:
            format: The format's name.
            strict: Whether to use the strict mode, in which the provider makes the model follow the schema.
            recursion: What to do with a type that refers to itself, if the provider does not accept that: `refuse`, or `cut` it off.

        Returns:
            A dict for a JSON format, a str for a text format. Either has the attribute `dropped`: what it leaves out of the schema.

        Raises:
            FormatNotFoundError: There is no such format.
            DefinitionError: The format has no strict mode, or cannot express the tool; the message names every path and the fix.
        """
        return slots.describe_tool(self, format, strict, recursion)

    def renamed(self, name: str) -> Tool:
        """Return a view of it under another wire name.

        Args:
            name: The new name: 1 to 64 ASCII letters, digits, `_` and `-`.

        Raises:
            DefinitionError: The name cannot be a tool's.
        """
        if problem := name_problem(name):
            raise DefinitionError(f"{self._name} cannot be renamed: {problem}")
        return Tool._of(self._definition, name, self._owner, self._description)

    def described(self, description: str) -> Tool:
        """Return a view of it with another description.

        Its id, origin and options stay, so policies see the same tool.

        Args:
            description: The description for the model.

        Raises:
            DefinitionError: The description is not a string.
        """
        if not isinstance(description, str):
            raise DefinitionError(
                f"{self._name} cannot be described: a description is a string, not {description!r:.80}"
            )
        return Tool._of(self._definition, self._name, self._owner, description)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call the function directly, without validation."""
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


# --- For other rooms ---


def definition_of(tool: Tool) -> ToolDefinition:
    """Return the definition that all views of a tool share."""
    return tool._definition


def owner_of(tool: Tool) -> Owner | None:
    """Return the plugin or source that ships a tool, or None for the application."""
    return tool._owner


def distribution_of(tool: Tool) -> str | None:
    """Return the name of the distribution that ships a tool, or None for the application."""
    return None if tool._owner is None else tool._owner.distribution


def is_same_tool(tool: Tool, other: Tool) -> bool:
    """Return whether two tools are views of one tool with the same description; their names may differ."""
    return tool._definition is other._definition and tool._description == other._description


def with_function(tool: Tool, function: Callable[..., Any]) -> Tool:
    """Return a tool with the signature of `tool` and no options that calls `function`, for tests."""
    return Tool._of(tool._definition.with_function(function), tool._name, tool._owner, tool._description)


def rendered_by_formats(tool: Tool) -> tuple[tuple[Any, ...], ...]:
    """Return the entries that `keep_rendered` added."""
    return tool._rendered


def keep_rendered(tool: Tool, entry: tuple[Any, ...]) -> None:
    """Keep a definition of a tool in a format: a model is sent the same definitions in every round.

    Args:
        tool: The tool.
        entry: The definition, as `formats` stores it.
    """
    object.__setattr__(tool, "_rendered", (*tool._rendered, entry))


def subject(tool: Tool) -> SelectorSubject:
    """Return the facts of a tool that selectors look at."""
    from fcregistry._tools.selectors import subject_of  # not needed to define a tool

    return subject_of(tool._definition.declaration, tool._owner)


def subject_with_all_names(tool: Tool) -> SelectorSubject:
    """Return the facts of a tool that selectors look at; the name of a renamed view is one of the aliases.

    So a rule about that name applies too.
    """
    renamed = () if tool.name == tool.declared_name else (tool.name,)
    return subject(tool)._replace(aliases=(*tool.options.aliases, *renamed))


def _set_slots(tool: Tool, definition: ToolDefinition, name: str, owner: Owner | None, description: str | None) -> None:
    """Set the attributes of a new tool, past its `__setattr__`: it is immutable afterwards."""
    write = object.__setattr__
    write(tool, "_definition", definition)
    write(tool, "_name", name)
    write(tool, "_owner", owner)
    write(tool, "_description", description)
    write(tool, "_rendered", ())


_SHOWN: Final = 60
"""The most characters of a view's description in its `repr`."""


def _shorten(text: str) -> str:
    """Return `text`, cut to `_SHOWN` characters, the last of them `…`, if it is longer."""
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


class Toolset(Mapping[str, Tool]):
    """A frozen mapping from wire name to tool, sorted by name.

    It holds the tools that one executor or agent may call.

    Args:
        tools: The tools. The key of each is its wire name.

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
            elif not is_same_tool(other, tool):
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
        """Return the same tools with a prefix before each name.

        Args:
            prefix: The text before each wire name, such as `acme_`.
        """
        return Toolset(tool.renamed(prefix + name) for name, tool in self._tools.items())

    def described(self, descriptions: Mapping[str, str]) -> Toolset:
        """Return the same tools, some with other descriptions.

        Their ids, origins and options stay, so policies see the same tools.

        Args:
            descriptions: Wire name -> the new description.

        Raises:
            KeyError: There is no tool of a name; names the nearest.
            DefinitionError: A description is not a string.
        """
        self._check_known(descriptions, "describe")
        return Toolset(
            tool.described(descriptions[name]) if name in descriptions else tool for name, tool in self._tools.items()
        )

    def filtered(self, predicate: Callable[[Tool], bool]) -> Toolset:
        """Return the tools for which a predicate is true.

        Args:
            predicate: Takes a tool and returns whether to keep it.
        """
        return Toolset(tool for tool in self._tools.values() if predicate(tool))

    def _check_known(self, names: Iterable[str], purpose: str) -> None:
        """Check that each of `names` is the wire name of a tool in this toolset.

        Args:
            names: The names.
            purpose: The verb for the message, such as `rename`.

        Raises:
            KeyError: A name is not; the message has all unknown names, the nearest names, and the first tools.
        """
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


_LISTED: Final = 20
"""The most names of tools that an error lists."""
