"""May a schema that others wrote be the schema of a tool's arguments?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from fcregistry._base.messages import json_path
from fcregistry._validation._dialects import DRAFTS, NEWEST, Draft, declared_draft
from fcregistry._validation._ending import check_end
from fcregistry._validation._errors import SchemaError
from fcregistry._validation._gate import is_installed
from fcregistry._validation._graph import Node, graph_of
from fcregistry._validation._notes import notes_of
from fcregistry._validation._record import check_schema, is_schema
from fcregistry._validation._texts import doubtful_patterns
from fcregistry._validation._top import Arguments, arguments_of, check_takes_objects
from fcregistry._validation._widening import refers_to_its_top, widen

MOST_LEVELS: Final = 200
"""How deep its JSON may nest: far beyond any that is read by people, and within what both engines can walk."""


class ForeignSchema:
    """A JSON Schema of the arguments of a tool that its author, or a server, brought along.

    Attributes:
        schema: The schema as the tool publishes it: what was given, with `"type": "object"` (also in place of a list of types) and with
            `properties`. One that names no draft, and that only an older one takes, has the `$schema` of that draft. References to a top
            that takes more than objects lead to a copy of it in the definitions.
        arguments: The arguments that it speaks of.
    """

    __slots__ = ("_nodes", "arguments", "schema")

    def __init__(self, schema: dict[str, Any], nodes: list[Node]) -> None:
        self.schema = schema
        self.arguments: Arguments = arguments_of(nodes[0])
        self._nodes = nodes

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> ForeignSchema:
        """Read a schema.

        Raises:
            SchemaError: It is no JSON, no schema, or not one of an object; its references lead nowhere, or without end; or it has a pattern,
                and there is no engine for it.
        """
        copied = _json_copy(given)
        schema = _of_object(copied)
        draft = _draft_of(
            copied
        )  # as it was given: `_of_object` puts another type in place of a list that may hold anything
        if draft is not NEWEST and declared_draft(schema) is None:
            schema = {"$schema": draft.uri} | schema | {"$schema": draft.uri}
        nodes = graph_of(schema, draft)
        check_end(nodes)
        if copied.get("type") != "object" and refers_to_its_top(nodes):
            widen(nodes, copied, draft)
            nodes = graph_of(schema, draft)
        check_takes_objects(nodes[0])
        if not is_installed():
            doubtful_patterns(schema)  # any pattern needs the gate's engine, and says so
        return cls(schema, nodes)

    @property
    def notes(self) -> tuple[str, ...]:
        """What of it is accepted and not enforced, a sentence each with its path."""
        return notes_of(self._nodes)


def schema_problem(schema: Mapping[str, Any]) -> str | None:
    """Return why a schema cannot be that of a tool's arguments, or None if it can."""
    try:
        ForeignSchema.read(schema)
    except SchemaError as error:
        return str(error)
    return None


def schema_notes(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what of a schema is accepted and not enforced, a sentence each with its path; nothing for one that has a problem."""
    try:
        return ForeignSchema.read(schema).notes
    except SchemaError:
        return ()


def _of_object(schema: Any) -> dict[str, Any]:
    """Return a schema that says that it is one of an object."""
    if not isinstance(schema, dict):
        raise SchemaError(f'the schema of the parameters is an object with "type": "object", not {json.dumps(schema)}')
    said = schema.get("type", "object")
    if said != "object" and not (isinstance(said, list) and "object" in said):
        raise SchemaError(
            f'the parameters of a tool are an object, so its schema says "type": "object", not {json.dumps(said)}'
        )
    return {"type": "object", "properties": {}, **schema} | {"type": "object"}


def _draft_of(schema: dict[str, Any]) -> Draft:
    """Return the draft that a schema names, or else the newest that takes it.

    Raises:
        SchemaError: It is no schema of that draft; or of none, and then it is told what is wrong by the newest.
    """
    declared = declared_draft(schema)
    taking = None if declared else next((draft for draft in DRAFTS if is_schema(schema, draft)), None)
    if taking is None:
        check_schema(schema, declared or NEWEST)
    return declared or taking or NEWEST


def _json_copy(given: Any) -> Any:
    """Return JSON as it would arrive elsewhere, sharing nothing with what was given.

    Raises:
        SchemaError: It is no JSON.
    """
    try:
        copied = _copy(given, ())
        json.dumps(copied, ensure_ascii=False).encode()
    except SchemaError:
        raise
    except UnicodeEncodeError:
        raise SchemaError("it is no JSON: it holds half of a surrogate pair, which no text can carry") from None
    except ValueError as error:  # a number of more digits than Python writes
        raise SchemaError(f"it is no JSON: {error}") from None
    return copied


def _copy(value: Any, path: tuple[str | int, ...]) -> Any:
    if len(path) > MOST_LEVELS:
        raise SchemaError(f"it is nested too deeply: at most {MOST_LEVELS} levels")
    if isinstance(value, Mapping):
        return {_name(name, path): _copy(each, (*path, _name(name, path))) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copy(each, (*path, place)) for place, each in enumerate(value)]
    if value is None or type(value) in (bool, int, str) or (type(value) is float and value - value == 0):
        return value
    what = value if isinstance(value, float) else f"a Python {type(value).__name__}"
    raise SchemaError(f"it is no JSON: {json_path(path)} is {what}")


def _name(name: object, path: tuple[str | int, ...]) -> str:
    if not isinstance(name, str):
        raise SchemaError(f"it is no JSON: {json_path(path)} has a name that is no string: {name!r:.60}")
    return name
