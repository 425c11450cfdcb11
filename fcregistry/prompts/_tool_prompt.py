"""What is a model told of tools that it cannot be sent through its provider's interface? A system prompt.

MERGED: How are tools and variables shown in a prompt?
MERGED: The tool calls in a value that a model wrote: the value itself, or the items of a list, where they have a name and arguments.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from fcregistry import formats
from fcregistry._base.call import Problem, ToolCall
from fcregistry._base.json import ArgumentsError, read_json
from fcregistry.errors import DefinitionError, FormatNotFoundError
from fcregistry.execution import toolset_of
from fcregistry.formats import Format, MalformedCallError, is_like_arguments, read_call
from fcregistry.prompts._extract import OutputError, checked_text
from fcregistry.prompts._template import CALLS, CONTEXT, EXAMPLES, ONE_CALL, OUTPUT, TOOLS, fill_template
from fcregistry.types import show_type, to_json_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from fcregistry._registry import Registry
    from fcregistry._tools.tool import Tool, Toolset
    from fcregistry.dialects import Parsed
    from fcregistry.execution import ToolLike
    from fcregistry.formats import RenderInput
    from fcregistry.prompts._output_format import OutputFormat

# --- prompts._tool_prompt ---


class ToolPrompt:
    """A system prompt with tools, and the reader of what a model then writes. Immutable; `str(prompt)` is the text.

    The same tools and settings give the same text, byte for byte: tools and variables stand in the order of their names.

    Args:
        tools: Names, selectors, functions, tools, toolsets, or a list of these, as for an executor.
        format: How the tools are described: `json`, or any of `fcregistry.formats.names()`, such as `text`, `typescript` or `yaml`.
        many: Whether the model may ask for several calls at once, in an array.
        examples: Calls that are shown, such as `tool.make_call(…)` gives; where there may be many, also lists of calls that belong together.
        output: The form of the answer, where it is more than a call. Then `many` and `examples` are its own affair.
        context: Variables that the model is told of: name -> value. It reads their names and types.
        shown: The names of the variables whose values it reads too, as JSON of at most 500 characters.
        template: The text, with a placeholder for each thing that was given: `$tools`, `$context`, `$examples`, `$output`, and those of `texts`.
        texts: Placeholder -> text, for placeholders of your own in the template.
        registry: Where names are looked up; by default, the process's registry.

    Raises:
        DefinitionError: The template, an example or a variable is wrong, or a tool cannot be described.
        FormatNotFoundError: There is no such format.
        MissingDependencyError: The format needs a package that is not installed.
        ToolNotFoundError, AmbiguousToolError, DuplicateToolError: As for an executor.
    """

    __slots__ = ("_many", "_output", "_template", "_text", "_tools")

    def __init__(
        self,
        tools: ToolLike | Iterable[Any],
        *,
        format: str = "json",
        many: bool = True,
        examples: Sequence[ToolCall | Sequence[ToolCall]] = (),
        output: OutputFormat[Any] | None = None,
        context: Mapping[str, Any] | None = None,
        shown: Collection[str] = (),
        template: str | None = None,
        texts: Mapping[str, str] = MappingProxyType({}),
        registry: Registry | None = None,
    ) -> None:
        """Put the prompt together."""
        self._tools = toolset_of(tools, registry)
        self._many, self._output = many, output
        fillings = {"tools": describe_tools(self._tools.values(), format)}
        if context or shown:
            fillings["context"] = describe_variables(context or {}, {shown} if isinstance(shown, str) else set(shown))
        if examples:
            fillings["examples"] = self._examples(examples)
        if output is not None:
            fillings["output"] = _checked_output(output).instructions()
        self._template = self._own_template(fillings) if template is None else template
        self._text = fill_template(self._template, fillings | _own_texts(texts))

    @property
    def tools(self) -> Toolset:
        """The tools."""
        return self._tools

    @property
    def template(self) -> str:
        """The text with placeholders: what to begin with when writing another."""
        return self._template

    def parse(self, text: str) -> Parsed:
        """Return the calls that an answer holds, for an executor, and what it says beside them.

        Without `output`, it is read as the dialect `json` reads it. With it, the calls are those that `calls_of` finds in the value, by the
        `arguments_field` of the output, and where it has none, the answer itself is the content.

        Args:
            text: What the model wrote.

        Raises:
            OutputError: The answer is not of the form that `output` asks for, or a call in it cannot be read; the text of the error can be sent
                back to the model.
            TypeError: It is no text.
        """
        from fcregistry import dialects  # a prompt alone needs none

        if self._output is None:
            return dialects.get("json").parse(checked_text(text), list(self._tools.values()))
        reading = self._output.read(text)
        try:
            calls = calls_of(reading.unwrap(), arguments_field=self._output.arguments_field)
        except MalformedCallError as error:
            raise OutputError((Problem("$", str(error)),)) from None
        return dialects.Parsed("" if calls else text.strip(), tool_calls=calls, repairs=reading.repairs)

    def _own_template(self, fillings: Mapping[str, str]) -> str:
        parts = [TOOLS]
        if "context" in fillings:
            parts.append(CONTEXT)
        parts.append(OUTPUT if "output" in fillings else CALLS if self._many else ONE_CALL)
        if "examples" in fillings:
            parts.append(EXAMPLES)
        return "\n\n".join(parts)

    def _examples(self, examples: Sequence[ToolCall | Sequence[ToolCall]]) -> str:
        problems = []
        if self._output is not None:
            problems.append("they belong to the output: OutputFormat(…, examples=[…])")
        batches: list[list[object]] = [list(each) if isinstance(each, (list, tuple)) else [each] for each in examples]
        if not self._many and any(len(batch) != 1 for batch in batches):
            problems.append("with many=False, each is one call")
        shown = [[self._example(call, problems) for call in batch] for batch in batches]
        if problems:
            raise DefinitionError("the examples of the prompt cannot be shown:", tuple(problems))
        texts = [to_json_text(batch if self._many else batch[0]) for batch in shown]
        return "\n\n".join(f"```json\n{text}\n```" for text in texts)

    def _example(self, call: object, problems: list[str]) -> dict[str, Any]:
        """Return an example as a model would write it."""
        if not isinstance(call, ToolCall):
            problems.append(f"{call!r:.80} is no ToolCall: tool.make_call(…) makes one")
            return {}
        tool = self._tools.get(call.name)
        if tool is None:
            problems.append(f"{call.name!r} is none of the tools; there are {', '.join(self._tools) or 'none'}")
            return {}
        try:
            arguments = read_json(call.arguments) if isinstance(call.arguments, str) else dict(call.arguments or {})
            problems += [f"{call.name}: {problem}" for problem in tool.validator().problems(arguments)]
        except ArgumentsError as error:
            problems.append(f"{call.name}: {error}")
            return {}
        return {"name": call.name, "arguments": arguments}

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<ToolPrompt {', '.join(self._tools)}>"


def _checked_output(output: object) -> OutputFormat[Any]:
    """Return the form of the answer.

    Raises:
        TypeError: It is none: the type of the answer, say.
    """
    from fcregistry.prompts._output_format import OutputFormat  # whoever gives one has loaded it

    if not isinstance(output, OutputFormat):
        raise TypeError(f"output is an OutputFormat, such as OutputFormat(int), not {output!r:.80}")
    return output


_RESERVED: Final = ("tools", "context", "examples", "output")


def _own_texts(texts: Mapping[str, object]) -> dict[str, str]:
    """Return the texts for placeholders of the caller's own."""
    problems = [f"${name} has a meaning of its own; choose another name" for name in texts if name in _RESERVED]
    own: dict[str, str] = {}
    for name, text in texts.items():
        if isinstance(text, str):
            own[name] = text
        else:
            problems.append(f"${name} stands for a text, not {text!r:.60}")
    if problems:
        raise DefinitionError("texts: these placeholders cannot be:", tuple(problems))
    return own


# --- prompts._described ---

_LONGEST_VALUE: Final = 500
"""Characters of a variable's value that are shown."""


def describe_tools(tools: Iterable[Tool], format: str) -> str:
    """Return the descriptions of tools in a format: text as it is, and JSON with one tool a line.

    Raises:
        FormatNotFoundError: There is no such format.
        DefinitionError: A tool cannot be said in it.
        MissingDependencyError: The format needs a package that is not installed.
    """
    described = _format(format).describe(tools)
    if isinstance(described, str):
        return described.rstrip("\n")
    return "\n".join(map(to_json_text, described if isinstance(described, list) else [described]))


def _format(name: str) -> Format:
    if name == "json":
        return _JSON
    try:
        return formats.get(name)
    except FormatNotFoundError:
        names = ", ".join(sorted([*formats.names(), "json"]))
        raise FormatNotFoundError(f"there is no format {name!r}; the formats of a prompt are {names}") from None


def _render_json(rendering: RenderInput) -> dict[str, Any]:
    described: dict[str, Any] = {"name": rendering.name}
    if rendering.text:
        described["description"] = rendering.text
    return {**described, "parameters": rendering.parameters}


_JSON: Final = Format(name="json", source="fcregistry's own: what the format yaml says, as JSON", render=_render_json)


def describe_variables(variables: Mapping[str, Any], shown: Collection[str]) -> str:
    """Return variables by name, each with its type, and with its value where that is to be shown.

    Args:
        variables: Name -> value.
        shown: The names of those whose values are shown.

    Raises:
        DefinitionError: A name is shown that no variable has, or a value that has no JSON form.
    """
    problems = [f"there is no variable {name!r} to be shown" for name in sorted(shown) if name not in variables]
    lines = []
    for name in sorted(variables):
        value = variables[name]
        line = f"- {name}: {show_type(type(value))}"
        if name in shown:
            try:
                line += f" = {_shorten(to_json_text(value))}"
            except ValueError as error:
                problems.append(f"the value of {name!r} cannot be shown: {error}")
        lines.append(line)
    if problems:
        raise DefinitionError("the context of the prompt cannot be shown:", tuple(problems))
    return "\n".join(lines)


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}… ({len(text)} characters)"


# --- prompts._calls ---


def calls_of(value: Any, *, arguments_field: str | None = None) -> tuple[ToolCall, ...]:
    """Return the calls in a value that was read of a model's answer, for an executor.

    A call is a dict or an object that has the tool's name as `name` and its arguments as `arguments`; what else it has, such as a thought, is
    not part of the call. In a list, an item that is not a call is left out: an answer may be calls or something else.

    Args:
        value: A call, or a list of calls.
        arguments_field: The field that holds the arguments, where it is not `arguments`: `kwargs`, say. No other field is read for them.

    Raises:
        MalformedCallError: A call holds arguments in another field, positional ones in `args`, say, or they are not an object.
    """
    values = value if isinstance(value, (list, tuple)) else [value]
    return tuple(call for each in values if (call := _call(each, arguments_field)) is not None)


def _call(value: Any, arguments_field: str | None) -> ToolCall | None:
    try:
        return read_call(value, arguments_field=arguments_field)
    except MalformedCallError as error:
        if error.arguments is not None or any(map(is_like_arguments, error.unread)):
            raise  # a call all the same: without it, the answer would pass for one that calls nothing
        return None
