"""The default templates of prompts, and filling in a template.

A template has placeholders, or is written in Jinja. A placeholder is `$name` or `${name}`, and `$$` is a dollar sign. Placeholders are filled
in once: nothing is evaluated, and a placeholder inside a filling stays text. Source: Python documentation, "string: Template strings".
"""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING, Any, Final

from fcregistry.errors import ChatTemplateError, DefinitionError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

# --- Filling in a template ---


def fill_template(template: str, fillings: Mapping[str, str]) -> str:
    """Return `template` with its placeholders filled in.

    Args:
        template: The template.
        fillings: Placeholder -> its text. The template must contain each placeholder.

    Raises:
        DefinitionError: A placeholder is unknown or missing, or a dollar sign does not begin one; the message lists all of them.
    """
    if not isinstance(template, str):
        raise DefinitionError(f"a template is a text with placeholders such as $name, not {template!r:.60}")
    read = Template(template)
    there = dict.fromkeys(read.get_identifiers())
    known = ", ".join(f"${name}" for name in fillings)
    stray = (each.start() for each in read.pattern.finditer(template) if each.group("invalid") is not None)
    lines = [template.count("\n", 0, start) + 1 for start in stray]
    problems = [f"line {line}: a $ that does not begin a placeholder; write $$ for a dollar sign" for line in lines]
    problems += [f"${name} is not known; here there are {known}" for name in there if name not in fillings]
    problems += [f"${name} is missing: its text would not be shown" for name in fillings if name not in there]
    if problems:
        raise DefinitionError("the template cannot be filled in:", tuple(problems))
    return read.substitute(fillings)


def fill_jinja(template: str, variables: Mapping[str, Any], passed: Collection[str]) -> str:
    """Return the text that a Jinja template makes of `variables`.

    It runs in the sandbox of chat templates. The texts of tools are values in it, and never templates.

    Args:
        template: The template.
        variables: Name -> value.
        passed: The variables that the template must use, since the caller passed something for them.

    Raises:
        DefinitionError: The template cannot be read or rendered, or does not use a variable in `passed`; the message names the line, if it can.
        MissingDependencyError: Jinja is not installed.
    """
    from fcregistry.dialects import render_template  # imports Jinja, an extra

    try:
        text, names = render_template(template, variables)
    except ChatTemplateError as error:
        problem = str(error).replace("the chat template", "it", 1)
        raise DefinitionError("the template cannot be filled in:", (problem,)) from error
    if problems := [
        f"{{{{ {name} }}}} is missing: its text would not be shown" for name in passed if name not in names
    ]:
        raise DefinitionError("the template cannot be filled in:", tuple(problems))
    return text


# --- The parts of the default templates ---

TOOLS: Final = """\
You can call these tools:

$tools"""

CONTEXT: Final = """\
These variables are known:

$context"""

ONE_CALL: Final = """\
To call a tool, write a JSON object with the name of the tool and its arguments in a code block, and nothing else:

```json
{"name": "the name of the tool", "arguments": {"the name of a parameter": "its value"}}
```

Call one tool at a time, only tools that are listed, and only where one is needed. Otherwise answer in plain text."""

CALLS: Final = """\
To call tools, write a JSON array of calls in a code block, and nothing else. Each call has the name of the tool and its arguments:

```json
[{"name": "the name of the tool", "arguments": {"the name of a parameter": "its value"}}]
```

Always write an array, also for one call. Call only tools that are listed, and only where one is needed. Otherwise answer in plain text."""

EXAMPLES: Final = """\
For example:

$examples"""

OUTPUT: Final = "$output"

ANSWER: Final = {
    "json": """\
Answer with JSON that is valid against this JSON Schema:

```json
$schema
```

Write the JSON itself, not its schema, in a code block that begins with ```json, and nothing else.""",
    "yaml": """\
Answer with YAML that is valid against this JSON Schema:

```yaml
$schema
```

Write the YAML itself, not its schema, in a code block that begins with ```yaml, and nothing else. \
Put a text in quotes where it could be read as a number, as true or false, or as null.""",
}
"""Syntax of the answer -> the request for it."""

LIST: Final = "Always write an array, also for one item."
"""Added where the answer is an array."""
