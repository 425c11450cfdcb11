"""The schema of a tool's results, and results by it.

A server that returns a value which is not an object wraps it in one, `{"result": 3}`, because the protocol accepted no other results
before 2026-07-28.

Source: Model Context Protocol specification, "Server features: Tools", sections "Output Schema" and "Structured Content".
"""

from __future__ import annotations

import json
from functools import cached_property
from logging import getLogger
from typing import Any, Final

from fcregistry import Tool

from fcregistry_mcp._errors import cut

_MOST_CHARACTERS: Final = 100_000
_MOST_SHOWN: Final = 500
_MARK: Final = "x-fastmcp-wrap-result"
"""The keyword by which FastMCP says that it wraps the results."""
_RESULT: Final = "result"
_SCALARS: Final = frozenset({"boolean", "integer", "null", "number", "string"})


class Returns:
    """The results of a server's tool. Everything is made at first use: most of many tools are not called.

    Args:
        given: The schema that the server gives them: any JSON value, or None if it gives none.
        server: The server's name, for the log.
        tool: The server's name of the tool, for the log.
    """

    def __init__(self, given: Any, server: str, tool: str) -> None:
        self._given = given
        self._place = f"{server}: the tool {tool!r}"

    def schema(self) -> dict[str, Any] | None:
        """Return the schema of the results, unwrapped; None if there is none, or if it cannot be used, which is logged once."""
        return self._checked[0]

    def _unwrapped(self) -> dict[str, Any] | None:
        """Return the schema of the results, unwrapped, which may not be valid; None if there is none."""
        given = self._usable
        if given is None or self._wrapped is None:
            return given
        inner = self._wrapped if isinstance(self._wrapped, dict) else {}
        return {**inner, **{name: given[name] for name in ("$schema", "$defs", "definitions") if name in given}}

    def value(self, structured: Any, text: str | None) -> Any:
        """Return a structured result, unwrapped if the server has wrapped it. A warning is logged if it does not fit the schema.

        Args:
            structured: The structured content.
            text: The text beside it, or None if there is other content.
        """
        if isinstance(structured, dict) and [*structured] == [_RESULT] and self._wrapped is not None:
            inner = structured[_RESULT]
            if self._is_marked or _is_text_of(text, inner):
                structured = inner
        if (checker := self._checked[1]) is not None and (problems := checker.problems(structured)):
            self._warn("; ".join(f"{each.path} {each.message}" for each in problems))
        return structured

    def missing(self) -> None:
        """Log a warning if a result without structured content should have some."""
        if self._usable is not None:
            self._warn("it has no structured content")

    def _warn(self, problem: str) -> None:
        """Log that a result does not fit the schema."""
        message = "%s: a result does not fit its outputSchema: %s"
        getLogger("fcregistry_mcp").warning(message, self._place, cut(problem))

    @cached_property
    def _usable(self) -> dict[str, Any] | None:
        """The schema as the server gives it, or None if there is none, or if it is not usable, which is logged."""
        if self._given is None:
            return None
        problem = _size_problem(self._given)
        if problem:
            getLogger("fcregistry_mcp").warning("%s: its outputSchema is left out: %s", self._place, problem)
        return None if problem else self._given

    @cached_property
    def _is_marked(self) -> bool:
        """Whether the server says that it wraps the results."""
        return self._usable is not None and self._usable.get(_MARK) is True

    @cached_property
    def _wrapped(self) -> Any:
        """The schema of what the server wraps, or None if it wraps nothing, as far as the schema shows."""
        schema = self._usable
        properties = None if schema is None else schema.get("properties")
        if schema is None or not isinstance(properties, dict) or _RESULT not in properties:
            return None
        inner = properties[_RESULT]
        is_alone = [*properties] == schema.get("required") == [_RESULT] and schema.get("type") == "object"
        return inner if self._is_marked or (is_alone and _is_scalar(inner)) else None

    @cached_property
    def _checked(self) -> tuple[dict[str, Any] | None, Any]:
        """The schema of the results and their validator, both None if there is no schema that can be used."""
        if (schema := self._unwrapped()) is None:
            return None, None
        lender = Tool.from_function(_nothing, returns=schema)
        if (error := lender.definition_error) is None:
            return schema, lender.result_validator()
        reason = cut(" ".join(error.problems).removeprefix("returns=…: "))
        getLogger("fcregistry_mcp").warning("%s: its outputSchema is left out: %s", self._place, reason)
        return None, None


def _nothing() -> None:
    """Do nothing: the function of a tool that only lends its validator of results."""


def _size_problem(schema: Any) -> str:
    """Return the reason not to read a schema of results; empty if it may be read."""
    if not isinstance(schema, dict):
        return f"it is not an object but {json.dumps(schema)[:_MOST_SHOWN]}"
    try:
        size = len(json.dumps(schema, ensure_ascii=False))
    except (ValueError, RecursionError):  # a number that is too long, or too many levels
        return "it cannot be written as JSON"
    return f"it has {size} characters, more than {_MOST_CHARACTERS}" if size > _MOST_CHARACTERS else ""


def _is_scalar(schema: Any) -> bool:
    """Return whether `schema` accepts only texts, numbers, booleans and null, as far as its types show."""
    if not isinstance(schema, dict):
        return False
    if isinstance(choices := schema.get("anyOf"), list) and choices:
        return all(map(_is_scalar, choices))
    kinds = schema.get("type")
    named = kinds if isinstance(kinds, list) else [kinds]
    return bool(named) and all(isinstance(kind, str) and kind in _SCALARS for kind in named)


def _is_text_of(text: str | None, value: Any) -> bool:
    """Return whether `text`, beside a structured result, is the text or the JSON of a scalar; for null, it may be empty."""
    if text is None or isinstance(value, (dict, list)):
        return False
    if text == value or (text == "" and value is None):
        return True
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return type(read) is type(value) and bool(read == value)
