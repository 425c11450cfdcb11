"""What do prompts say where no template is given? The parts that a prompt is put together of, as templates."""

from __future__ import annotations

from typing import Final

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
