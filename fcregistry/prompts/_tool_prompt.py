"""`ToolPrompt`: a system prompt that shows a model its tools, and the reader of the model's reply.

It serves models whose provider has no wire format for tools.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from fcregistry import formats
from fcregistry._base.call import Problem, ToolCall
from fcregistry._base.json import ArgumentsError, read_json
from fcregistry.errors import DefinitionError, FormatNotFoundError
from fcregistry.execution import toolset_of
from fcregistry.formats import Format, MalformedCallError
from fcregistry.prompts._extract import OutputError, calls_of, checked_text
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


class ToolPrompt:
    """A system prompt with tools, and the reader of the model's reply.

    Immutable; `str(prompt)` is the text.

    The same tools and settings give the same text, byte for byte: tools and variables are listed in the order of their names.

    Args:
        tools: Names, selectors, functions, tools, toolsets, or a list of these, as for an executor.
        format: The format of the tools' descriptions: `json`, or any of `fcregistry.formats.names()`, such as `text`, `typescript` or `yaml`.
        many: Whether the model may ask for several calls at once, in an array.
        examples: Calls to show, such as `tool.make_call(…)` gives; if `many` is true, also lists of calls that belong together.
        output: The form of the answer, if it is more than a call. It then decides about several calls and examples, not `many` and `examples`.
        context: Variables that the prompt describes to the model: name -> value. The model sees their names and types.
        shown: The names of the variables whose values the model sees too, as JSON of at most 500 characters.
        template: The text, with a placeholder for each thing that was given: `$tools`, `$context`, `$examples`, `$output`, and those of `texts`.
        texts: Placeholder -> text, for placeholders of your own in the template.
        registry: The registry in which names are looked up; by default, the process's registry.

    Raises:
        DefinitionError: The template, an example or a variable is wrong, or a tool cannot be described.
        FormatNotFoundError: There is no format of that name.
        MissingDependencyError: The format needs a package that is not installed.
        ToolNotFoundError: A name or selector matches no tool.
        AmbiguousToolError: A name matches several tools.
        DuplicateToolError: Two tools have one wire name.
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
        self._tools = toolset_of(tools, registry)
        self._many, self._output = many, output
        fillings = {"tools": describe_tools(self._tools.values(), format)}
        if context or shown:
            fillings["context"] = describe_variables(context or {}, {shown} if isinstance(shown, str) else set(shown))
        if examples:
            fillings["examples"] = self._examples(examples)
        if output is not None:
            from fcregistry.prompts._output_format import OutputFormat  # a caller with an instance has loaded it

            if not isinstance(output, OutputFormat):
                raise TypeError(f"output is an OutputFormat, such as OutputFormat(int), not {output!r:.80}")
            fillings["output"] = output.instructions()
        self._template = self._own_template(fillings) if template is None else template
        _check_texts(texts)
        self._text = fill_template(self._template, {**fillings, **texts})

    @property
    def tools(self) -> Toolset:
        """The tools."""
        return self._tools

    @property
    def template(self) -> str:
        """The prompt's template, with its placeholders. Copy and change it to write a template of your own."""
        return self._template

    def parse(self, text: str) -> Parsed:
        """Return the calls in an answer, for an executor, and the text beside them.

        Without `output`, the answer is read as the dialect `json` reads it. With `output`, the calls are those that `calls_of` finds in the
        value, by the output's `arguments_field`; if it finds none, the answer itself is the content.

        Args:
            text: What the model wrote.

        Raises:
            OutputError: The answer does not have the form that `output` asks for, or a call in it cannot be read; the text of the error can be
                sent back to the model.
            TypeError: It is not text.
        """
        from fcregistry import dialects  # only reading an answer needs them

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
            problems.append(f"{call!r:.80} is not a ToolCall: tool.make_call(…) makes one")
            return {}
        tool = self._tools.get(call.name)
        if tool is None:
            problems.append(f"{call.name!r} is not one of the tools; there are {', '.join(self._tools) or 'none'}")
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


_RESERVED: Final = ("tools", "context", "examples", "output")


def _check_texts(texts: Mapping[str, object]) -> None:
    """Raise if the texts for the caller's own placeholders cannot be used."""
    problems = [f"${name} has a meaning of its own; choose another name" for name in texts if name in _RESERVED]
    problems += [
        f"${name} stands for a text, not {text!r:.60}" for name, text in texts.items() if not isinstance(text, str)
    ]
    if problems:
        raise DefinitionError("texts: these placeholders cannot be used:", tuple(problems))


# --- Describing tools and variables ---

_LONGEST_VALUE: Final = 500
"""The number of characters of a variable's value that are shown."""


def describe_tools(tools: Iterable[Tool], format: str) -> str:
    """Return the descriptions of tools in a format: text as it is, JSON with one tool on each line.

    Raises:
        FormatNotFoundError: There is no format of that name.
        DefinitionError: The format cannot express a tool.
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
    """Return a line for each variable, sorted by name.

    It has the type of the variable, and its value if that is to be shown.

    Args:
        variables: Name -> value.
        shown: The names of the variables whose values are shown.

    Raises:
        DefinitionError: A name in `shown` has no variable, or a value has no JSON form.
    """
    problems = [f"there is no variable {name!r} to be shown" for name in sorted(shown) if name not in variables]
    lines = []
    for name in sorted(variables):
        value = variables[name]
        line = f"- {name}: {show_type(type(value))}"
        if name in shown:
            try:
                text = to_json_text(value)
                is_long = len(text) > _LONGEST_VALUE
                line += f" = {text[:_LONGEST_VALUE]}… ({len(text)} characters)" if is_long else f" = {text}"
            except ValueError as error:
                problems.append(f"the value of {name!r} cannot be shown: {error}")
        lines.append(line)
    if problems:
        raise DefinitionError("the context of the prompt cannot be shown:", tuple(problems))
    return "\n".join(lines)
