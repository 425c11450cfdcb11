"""What is a format?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from fcregistry.errors import DefinitionError
from fcregistry.formats._definition import Definition, TextDefinition
from fcregistry.formats._kept import KeptDefinitions

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool
    from fcregistry.formats._names import Alphabet
    from fcregistry.formats._profile import Profile
    from fcregistry.formats._transform import OnRecursion

_KEPT: Final = KeptDefinitions()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """What a format makes its definition of.

    Attributes:
        tool: The tool.
        name: What it is called on the wire.
        text: What a model is told of it; may be empty.
        parameters: The schema of its parameters, as the provider takes it.
        strict: Whether the provider is to hold the model to it.
    """

    tool: Tool
    name: str
    text: str
    parameters: dict[str, Any]
    strict: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Format:
    """A wire shape, or a text, in which tools are described.

    Attributes:
        name: What it is asked for by.
        source: The specification or provider page it follows.
        render: Makes the definition of one tool.
        join: Makes what is sent of the rendered tools; a list by default.
        profile: Which schemas it takes; None for all of JSON Schema, which are said as they are.
        strict_profile: Which it takes in its strict mode; None where it has no such mode.
        alphabet: Which names it takes; None where it takes all of ours.
        parse: Reads the calls of a model's message; None where the format has no messages of its own.
        report: Makes the messages that tell the model of results; None likewise.
    """

    name: str
    source: str
    render: Callable[[Rendering], dict[str, Any] | TextDefinition]
    join: Callable[[list[Any]], Any] = list
    profile: Profile | None = None
    strict_profile: Profile | None = None
    alphabet: Alphabet | None = None
    parse: Callable[[Any], list[ToolCall]] | None = None
    report: Callable[[Sequence[ToolResult]], list[dict[str, Any]]] | None = None

    def describe(self, tools: Iterable[Tool], *, strict: bool = False, recursion: OnRecursion = "refuse") -> Any:
        """Render tools, in the order given.

        Args:
            tools: The tools.
            strict: Whether the provider is to hold the model to the schemas, in its strict mode.
            recursion: What to do with a type that refers to itself, where the provider does not take that: `refuse`, or `cut` it off.

        Raises:
            DefinitionError: The format has no strict mode, a tool cannot be said in it, or they are too many for one request.
            TypeError: One is no `Tool`: a function, say, or a name.
        """
        self._profile(strict)  # that there is none is said once, and not of every tool
        rendered, errors = [], []
        for tool in tools:
            try:
                rendered.append(self._render(tool, strict, recursion))
            except DefinitionError as error:
                errors.append(error)
        if errors:
            raise errors[0] if len(errors) == 1 else _together(errors)
        self._check_limits([schema for _, schema in rendered], strict)
        return self.join([definition for definition, _ in rendered])

    def describe_one(
        self, tool: Tool, *, strict: bool = False, recursion: OnRecursion = "refuse"
    ) -> Definition | TextDefinition:
        """Render one tool; see `describe`.

        Raises:
            DefinitionError: The format has no strict mode, or the tool cannot be said in it; says every path, and what to do.
        """
        return self._render(tool, strict, recursion)[0]

    def _render(
        self, tool: Tool, strict: bool, recursion: OnRecursion
    ) -> tuple[Definition | TextDefinition, dict[str, Any]]:
        """Return the definition of a tool, and the schema in it."""
        if recursion not in ("refuse", "cut"):
            raise ValueError(f"recursion is 'refuse' or 'cut', not {recursion!r}")
        how = (self, strict, recursion)
        kept = _KEPT.get(tool, how)
        if kept is None:
            kept = self._rendered(tool, strict, recursion)
            _KEPT.put(tool, how, *kept)
        return kept

    def _rendered(
        self, tool: Tool, strict: bool, recursion: OnRecursion
    ) -> tuple[Definition | TextDefinition, dict[str, Any]]:
        from fcregistry._tools.tool import Tool  # these two are not needed to read calls and report results
        from fcregistry.formats._transform import Unsayable, transformed

        if not isinstance(tool, Tool):
            raise TypeError(
                f"{tool!r:.80} is no Tool: Tool.from_function(…) makes one of a function, and registry.get(…) returns one by its name"
            )
        profile, schema = self._profile(strict), tool.parameters
        name = self.alphabet.wire_name(tool.name) if self.alphabet else tool.name
        try:
            parameters, dropped = (schema, ()) if profile is None else transformed(schema, profile, recursion)
            made = self.render(Rendering(tool=tool, name=name, text=told(tool), parameters=parameters, strict=strict))
        except Unsayable as unsayable:
            raise self._refusal(tool, strict, unsayable.problems) from None
        except RecursionError:
            raise self._refusal(tool, strict, ("$: is nested too deeply",)) from None
        if isinstance(made, TextDefinition):
            return TextDefinition(made, (*dropped, *made.dropped)), parameters
        return Definition(made, dropped), parameters

    def _refusal(self, tool: Tool, strict: bool, problems: tuple[str, ...]) -> DefinitionError:
        mode = " with strict=True" if strict else ""
        return DefinitionError(f"the tool {tool.id} cannot be described in the format {self.name!r}{mode}:", problems)

    def _check_limits(self, schemas: list[dict[str, Any]], strict: bool) -> None:
        """Look whether the schemas of one request are too many.

        Raises:
            DefinitionError: They are.
        """
        from fcregistry.formats._limits import excesses_together  # as above

        profile = self._profile(strict)
        problems = excesses_together(schemas, profile) if profile is not None else []
        if problems:
            headline = f"these tools cannot be described together in the format {self.name!r} with strict=True:"
            raise DefinitionError(headline, tuple(problems))

    def _profile(self, strict: bool) -> Profile | None:
        if not strict:
            return self.profile
        if self.strict_profile is None:
            from fcregistry.formats._table import strict_names  # the table is made of formats

            raise DefinitionError(
                f"the format {self.name!r} has no strict mode; these have one: {', '.join(strict_names())}"
            )
        return self.strict_profile


def _together(errors: list[DefinitionError]) -> DefinitionError:
    """Return one error of several tools."""
    headlines = [str(error).split("\n", 1)[0].removesuffix(":") for error in errors]
    problems = [f"{headline}: {'; '.join(error.problems)}" for headline, error in zip(headlines, errors, strict=True)]
    return DefinitionError(f"{len(errors)} tools cannot be described:", tuple(problems))


def told(tool: Tool) -> str:
    """Return what a model is told of a tool: its description, and whether it is deprecated."""
    deprecated = tool.options.deprecated
    if not deprecated:
        return tool.description
    notice = "Deprecated." if deprecated is True else f"Deprecated: {deprecated}"
    return f"{tool.description}\n\n{notice}".strip()
