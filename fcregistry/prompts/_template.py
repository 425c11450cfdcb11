"""How does a template become a prompt? Its placeholders are filled in once; nothing is evaluated, and no filling is taken for a placeholder.

A placeholder is `$name` or `${name}`, and `$$` is a dollar sign. Source: Python documentation, "string: Template strings".
"""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING

from fcregistry.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Mapping


def filled(template: str, fillings: Mapping[str, str]) -> str:
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
    problems = [f"line {line}: a $ that begins no placeholder; write $$ for a dollar sign" for line in _strays(read)]
    problems += [f"${name} is not known; here there are {known}" for name in there if name not in fillings]
    problems += [f"${name} is missing: what it stands for would not be shown" for name in fillings if name not in there]
    if problems:
        raise DefinitionError("the template cannot be filled in:", tuple(problems))
    return read.substitute(fillings)


def _strays(template: Template) -> list[int]:
    """Return the lines with a dollar sign that is no placeholder."""
    text = template.template
    found = template.pattern.finditer(text)
    return [text.count("\n", 0, each.start()) + 1 for each in found if each.group("invalid") is not None]
