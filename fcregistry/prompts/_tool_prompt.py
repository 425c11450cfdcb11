"""`ToolPrompt`: writes a system prompt that describes tools to a model, and reads the model's answers.

Use it for models whose provider has no wire format for tools.
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
from fcregistry.prompts._template import CALLS, CONTEXT, EXAMPLES, ONE_CALL, OUTPUT, TOOLS, fill_jinja, fill_template
from fcregistry.types import show_type, to_json_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from fcregistry._registry import Registry
    from fcregistry._tools.tool import Tool, Toolset
    from fcregistry.dialects import Parsed
    from fcregistry.execution import ToolLike
    from fcregistry.prompts._output_format import OutputFormat


class ToolPrompt:
    """A system prompt that describes tools.

    `str(prompt)` is its text, and `prompt.parse` reads the model's answers.

    A prompt is immutable. The same tools and settings give the same text, byte for byte: the prompt lists tools and variables in the order
    of their names.

    Args:
        tools: Names, selectors, functions, tools, toolsets, or a list of these, as for an executor. The text does not describe those that are
            not available here when the prompt is made.
        format: The format of the tools' descriptions: `json`, or any of `fcregistry.formats.names()`, such as `text`, `typescript` or `yaml`.
        many: Whether the model may make several calls in one answer, as a JSON array.
        examples: Calls to show to the model, such as `tool.make_call(…)` returns; if `many` is true, also lists of calls for one answer.
        output: The form of the answer, if the answer is more than calls. Set `many` and `examples` in the `OutputFormat` then, not here.
        context: Variables that the prompt describes to the model: name -> value. The model sees their names and types.
        shown: The names of the variables whose values the model sees too, as JSON of at most 500 characters.
        template: A text of your own, with a placeholder for each argument that you pass: `$tools`, `$context`, `$examples`, `$output`, and
            those in `texts`.
        texts: Placeholder -> text, for placeholders of your own in the template.
        jinja: Whether the template is written in Jinja. Its variable `tools` is a list of objects with the `name`, `description`, `summary` and
            `parameters` of each tool, and its `text` in `format`; `context`, `examples`, `output` and those in `texts` are texts, empty if they
            are not passed. Needs the extra `fcregistry[templates]`.
        registry: The registry in which names are looked up; by default, the process's registry.

    Raises:
        DefinitionError: The template, an example or a variable is wrong, or a tool cannot be described.
        FormatNotFoundError: There is no format of that name.
        MissingDependencyError: The format, or Jinja, needs a package that is not installed.
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
        jinja: bool = False,
        registry: Registry | None = None,
    ) -> None:
        self._tools = toolset_of(tools, registry)
        self._many, self._output = many, output
        offered = [tool for tool in self._tools.values() if not tool.unavailable]
        fillings = {"tools": describe_tools(offered, format)}
        if context or shown:
            fillings["context"] = describe_variables(context or {}, {shown} if isinstance(shown, str) else set(shown))
        if examples:
            fillings["examples"] = self._examples(examples)
        if output is not None:
            from fcregistry.prompts._output_format import OutputFormat  # a caller with an instance has loaded it

            if not isinstance(output, OutputFormat):
                raise TypeError(f"output must be an OutputFormat, such as OutputFormat(int), not {output!r:.80}")
            fillings["output"] = output.instructions()
        self._template = self._own_template(fillings) if template is None else template
        _check_texts(texts)
        fillings |= texts
        if jinja:
            if not isinstance(template, str):
                raise DefinitionError(f"with jinja=True, pass the text of a template, not {template!r:.60}")
            variables = {**dict.fromkeys(_RESERVED, ""), **fillings, "tools": _described(offered, format)}
            self._text = fill_jinja(template, variables, fillings)
        else:
            self._text = fill_template(self._template, fillings)

    @property
    def tools(self) -> Toolset:
        """The tools."""
        return self._tools

    @property
    def template(self) -> str:
        """The prompt's template, with its placeholders. Copy and change it to write a template of your own."""
        return self._template

    def parse(self, text: str) -> Parsed:
        """Return the calls in a model's answer, and the text around them.

        Without `output`, the dialect `json` reads the answer. With `output`, the `OutputFormat` reads the answer, and `calls_of` finds the
        calls in the value, by the format's `arguments_field`; if there are none, the content is the whole answer.

        Args:
            text: What the model wrote.

        Raises:
            OutputError: The answer does not have the form that `output` requires, or a call in it is malformed. You can send the text of the
                error back to the model.
            TypeError: `text` is not a string.
        """
        from fcregistry import dialects  # only reading an answer needs them

        if self._output is None:
            return dialects.get("json").parse(checked_text(text), list(self._tools.values()))
        reading = self._output.read(text)
        try:
            field = self._output.arguments_field
            calls = calls_of(reading.unwrap(), arguments_field=field, tools=self._tools)
        except MalformedCallError as error:
            raise OutputError((Problem("$", str(error)),)) from None
        return dialects.Parsed("" if calls else text.strip(), tool_calls=calls, repairs=reading.repairs)

    def _own_template(self, fillings: Mapping[str, str]) -> str:
        """Return the default template: the parts for tools and for calls, joined by blank lines.

        The context and the examples have parts only if they are in `fillings`; an output there replaces the part for calls.
        """
        parts = [TOOLS]
        if "context" in fillings:
            parts.append(CONTEXT)
        parts.append(OUTPUT if "output" in fillings else CALLS if self._many else ONE_CALL)
        if "examples" in fillings:
            parts.append(EXAMPLES)
        return "\n\n".join(parts)

    def _examples(self, examples: Sequence[ToolCall | Sequence[ToolCall]]) -> str:
        """Return `examples` as text: each a code block of JSON with a call, or a list of calls if `many`.

        Raises:
            DefinitionError: An example is not a valid call, or not allowed here; lists all such.
        """
        problems = []
        if self._output is not None:
            problems.append("with an output, pass the examples to it: OutputFormat(…, examples=[…])")
        batches: list[list[object]] = [list(each) if isinstance(each, (list, tuple)) else [each] for each in examples]
        if not self._many and any(len(batch) != 1 for batch in batches):
            problems.append("with many=False, each example must be one call")
        shown = [[self._example(call, problems) for call in batch] for batch in batches]
        if problems:
            raise DefinitionError("the examples of the prompt cannot be shown:", tuple(problems))
        texts = [to_json_text(batch if self._many else batch[0]) for batch in shown]
        return "\n\n".join(f"```json\n{text}\n```" for text in texts)

    def _example(self, call: object, problems: list[str]) -> dict[str, Any]:
        """Return the example `call` as the JSON object that a model would write: its name and arguments.

        If it is not valid, a message is added to `problems`, and the object may be empty.
        """
        if not isinstance(call, ToolCall):
            problems.append(f"{call!r:.80} is not a ToolCall: tool.make_call(…) makes one")
            return {}
        tool = self._tools.get(call.name)
        if tool is None:
            problems.append(
                f"{call.name!r} is not a tool of the prompt; its tools are {', '.join(self._tools) or 'none'}"
            )
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
    """Check that `texts`, placeholder -> text of the caller, can be used; return None.

    Raises:
        DefinitionError: A placeholder is reserved, or a text is not a string.
    """
    problems = [f"${name} is reserved; choose another name" for name in texts if name in _RESERVED]
    problems += [
        f"the value of ${name} must be a string, not {text!r:.60}"
        for name, text in texts.items()
        if not isinstance(text, str)
    ]
    if problems:
        raise DefinitionError("texts: these placeholders cannot be used:", tuple(problems))


# --- Describing tools and variables ---

_LONGEST_VALUE: Final = 500
"""How many characters of a variable's value the model sees."""


def describe_tools(tools: Iterable[Tool], format: str) -> str:
    """Return the descriptions of `tools` in `format`: its text, or its JSON with one tool on each line.

    Raises:
        FormatNotFoundError: There is no format of that name.
        DefinitionError: The format cannot express a tool.
        MissingDependencyError: The format needs a package that is not installed.
    """
    described = _format(format).describe(tools)
    if isinstance(described, str):
        return described.rstrip("\n")
    return "\n".join(map(to_json_text, described if isinstance(described, list) else [described]))


def _described(tools: Iterable[Tool], format: str) -> list[dict[str, Any]]:
    """Return `tools` as objects for a Jinja template."""
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "summary": tool.summary,
            "parameters": tool.parameters,
            "text": describe_tools([tool], format),
        }
        for tool in tools
    ]


def _format(name: str) -> Format:
    """Return the format `name`: one of `fcregistry.formats`, or the one of this module for `json`.

    Raises:
        FormatNotFoundError: There is no format of that name.
    """
    if name == "json":
        return _JSON
    try:
        return formats.get(name)
    except FormatNotFoundError:
        names = ", ".join(sorted([*formats.names(), "json"]))
        raise FormatNotFoundError(f"there is no format {name!r}; the formats of a prompt are {names}") from None


_JSON: Final = Format(
    name="json",
    source="fcregistry's own: what the format yaml says, as JSON",
    render=lambda rendering: rendering.named("parameters"),
)


def describe_variables(variables: Mapping[str, Any], shown: Collection[str]) -> str:
    """Return a line for each variable, sorted by name: its type, and its value if the model may see it.

    Args:
        variables: Name -> value.
        shown: The names of the variables whose values the model sees.

    Raises:
        DefinitionError: There is no variable for a name in `shown`, or a value cannot be written as JSON.
    """
    problems = [
        f"shown names {name!r}, but there is no such variable" for name in sorted(shown) if name not in variables
    ]
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
