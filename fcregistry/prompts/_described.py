"""How are tools and variables shown in a prompt?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fcregistry import formats
from fcregistry.errors import DefinitionError, FormatNotFoundError
from fcregistry.formats import Format
from fcregistry.types import to_json_text
from fcregistry.types._codec import show_type

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from fcregistry._tools.tool import Tool
    from fcregistry.formats._format import Rendering

_LONGEST: Final = 500
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


def _render(rendering: Rendering) -> dict[str, Any]:
    described: dict[str, Any] = {"name": rendering.name}
    if rendering.text:
        described["description"] = rendering.text
    return {**described, "parameters": rendering.parameters}


_JSON: Final = Format(name="json", source="fcregistry's own: what the format yaml says, as JSON", render=_render)


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
                line += f" = {_bounded(to_json_text(value))}"
            except ValueError as error:
                problems.append(f"the value of {name!r} cannot be shown: {error}")
        lines.append(line)
    if problems:
        raise DefinitionError("the context of the prompt cannot be shown:", tuple(problems))
    return "\n".join(lines)


def _bounded(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"
