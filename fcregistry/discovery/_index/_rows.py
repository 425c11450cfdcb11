"""What is kept of a tool in an index? One row, made where the tool is described, so that whoever writes many has little to do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from fcregistry._tools.declaration import local_name
from fcregistry._tools.indexed import BROKEN, CONTEXT, DEPS
from fcregistry._tools.search import fields_of_record

if TYPE_CHECKING:
    from fcregistry._tools.record import ToolRecord


class Row(NamedTuple):
    """One tool, as an index keeps it.

    Attributes:
        name: Its name.
        group: Its group.
        summary: The first paragraph of its description, as one line.
        options: What it was declared with, as JSON text; empty for nothing.
        flags: What can be told of it in a bit; see `Described`.
        record: Its record, as JSON text.
        id: Its canonical id.
        words: What search looks at; empty for a tool that cannot be defined.
    """

    name: str
    group: str
    summary: str
    options: str
    flags: int
    record: str
    id: str
    words: tuple[str, ...]


def row_of(tool: ToolRecord, distribution: str) -> Row:
    """Return the row of a tool that a distribution ships."""
    flags = ((BROKEN, "problems" in tool), (CONTEXT, tool["context"]), (DEPS, tool["deps"] is not None))
    return Row(
        tool["name"],
        tool["group"],
        tool["summary"].encode("utf-8", "replace").decode(),  # a lone surrogate, which no file takes
        json.dumps(tool["options"]) if tool["options"] else "",
        sum(flag for flag, is_set in flags if is_set),
        json.dumps(tool),
        f"{distribution}:{local_name(tool['name'], tool['group'])}",
        () if "problems" in tool else fields_of_record(tool, distribution),
    )
