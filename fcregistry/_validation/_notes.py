"""What of a foreign schema is accepted and not enforced?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._base.messages import json_path, show
from fcregistry._validation._dialects import ENFORCED, declared_draft
from fcregistry._validation._gate import knows_format
from fcregistry._validation._texts import known_matcher
from fcregistry.types._strings import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fcregistry._validation._graph import Node


def notes_of(nodes: Iterable[Node]) -> tuple[str, ...]:
    """Return what a schema says in vain, a sentence each with its path, sorted.

    Args:
        nodes: The schemas that it applies, itself first.
    """
    own = [node for node in nodes if isinstance(node.schema, dict) and node.path is not None]
    return tuple(sorted({*_of_dialect(own[0]), *(note for node in own for note in _of_schema(node))}))


def _of_dialect(top: Node) -> Iterator[str]:
    named = top.schema.get("$schema")
    if named is not None and declared_draft(top.schema) is None:
        yield f"{json_path(('$schema',))}: {show(named)} is no draft that is known; the schema is read as {top.draft.name}"


def _of_schema(node: Node) -> Iterator[str]:
    said = node.keywords
    for keyword, said_there in node.schema.items():
        place = json_path((*(node.path or ()), keyword))
        if keyword in ENFORCED and keyword not in said:
            yield f'{place}: is not enforced: draft {node.draft.name} ignores what stands beside "$ref"'
        elif keyword in ENFORCED and keyword not in node.draft.keywords:
            yield f"{place}: is not enforced: it is no keyword of draft {node.draft.name}"
        elif keyword in _WITHOUT and not _WITHOUT[keyword] & said.keys():
            yield f"{place}: is not enforced: there is no {show(min(_WITHOUT[keyword]))} beside it"
        elif keyword == "pattern" and known_matcher(said_there) is None:
            yield f"{place}: {show(said_there)} is not enforced: {_NOT_LINEAR}"
        elif keyword == "patternProperties":
            unknown = [pattern for pattern in said_there if known_matcher(pattern) is None]
            yield from (f"{place}: names like {show(each)} are not looked at: {_NOT_LINEAR}" for each in unknown)
        elif keyword == "format" and said_there not in FORMATS and not knows_format(said_there, node.draft):
            yield f"{place}: {show(said_there)} is not enforced: no such format is known"


_NOT_LINEAR: Final = "the linear-time engine does not take it (no look-around, no back-references)"
_WITHOUT: Final = {
    "else": {"if"},
    "maxContains": {"contains"},
    "minContains": {"contains"},
    "then": {"if"},
}
"""Keyword -> one of those that it says nothing without."""
