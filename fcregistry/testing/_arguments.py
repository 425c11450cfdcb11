"""Which argument objects does a tool's schema accept, and which nearly?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from fcregistry.testing._mutations import Mutations
from fcregistry.testing._schemas import Document
from fcregistry.testing._strategies import Values

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool


def arguments_of(
    tool: Tool, *, formats: Mapping[str, st.SearchStrategy[str]] | None = None
) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy of argument objects that a tool's schema accepts.

    They are made of the schema, keyword by keyword; the examples that the tool declares are among them. Names come in any order.

    Args:
        tool: The tool.
        formats: Format -> strings of it, for formats that only you know.
    """
    document = Document(tool.parameters)
    is_valid = tool.validator("jsonschema").is_valid
    made: st.SearchStrategy[dict[str, Any]] = Values(document, formats or {}).of(document.schema)
    examples = [dict(example) for example in tool.options.examples if is_valid(dict(example))]
    if examples:
        made = st.one_of(made, made, st.sampled_from(examples))
    return made.filter(is_valid).flatmap(_in_any_order)


def _in_any_order(arguments: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.permutations(list(arguments.items())).map(dict)


def nearly_arguments_of(
    tool: Tool, *, formats: Mapping[str, st.SearchStrategy[str]] | None = None
) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy of argument objects that differ in one place from such as the tool's schema accepts; most are wrong, some are not."""
    return Mutations(tool.parameters).of(arguments_of(tool, formats=formats))


def wrong_arguments_of(
    tool: Tool, *, formats: Mapping[str, st.SearchStrategy[str]] | None = None
) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy of argument objects that a tool's schema does not accept, for being wrong in one place.

    Each is one that the schema accepts, with one thing changed: another type, a missing or unknown name, a limit overstepped, a word misspelt.

    Args:
        tool: The tool.
        formats: As for `arguments_of`.
    """
    is_valid = tool.validator("jsonschema").is_valid
    return nearly_arguments_of(tool, formats=formats).filter(lambda arguments: not is_valid(arguments))
