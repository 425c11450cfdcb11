"""What do prompts say where no template is given? The parts that a prompt is put together of, as templates.

MERGED: How does a template become a prompt? Its placeholders are filled in once; nothing is evaluated, and no filling is taken for a placeholder.

A placeholder is `$name` or `${name}`, and `$$` is a dollar sign. Source: Python documentation, "string: Template strings".
"""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING, Final

from fcregistry.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Mapping

# --- prompts._wording ---

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
"""How an answer is written -> how it is asked for."""

LIST: Final = "Always write an array, also for one item."
"""What is said where the answer is an array."""

# --- prompts._template ---


def fill_template(template: str, fillings: Mapping[str, str]) -> str:
    """Return a template with its placeholders filled in.

    Args:
        template: The template.
        fillings: Placeholder -> what stands in its place. Each of them is to be there.

    Raises:
        DefinitionError: A placeholder that is unknown or missing, or a dollar sign that is none; all of them.
    """
    if not isinstance(template, str):
        raise DefinitionError(f"a template is a text with placeholders such as $name, not {template!r:.60}")
    read = Template(template)
    there = dict.fromkeys(read.get_identifiers())
    known = ", ".join(f"${name}" for name in fillings)
    problems = [
        f"line {line}: a $ that begins no placeholder; write $$ for a dollar sign" for line in _stray_dollars(read)
    ]
    problems += [f"${name} is not known; here there are {known}" for name in there if name not in fillings]
    problems += [f"${name} is missing: what it stands for would not be shown" for name in fillings if name not in there]
    if problems:
        raise DefinitionError("the template cannot be filled in:", tuple(problems))
    return read.substitute(fillings)


def _stray_dollars(template: Template) -> list[int]:
    """Return the lines with a dollar sign that is no placeholder."""
    text = template.template
    found = template.pattern.finditer(text)
    return [text.count("\n", 0, each.start()) + 1 for each in found if each.group("invalid") is not None]
