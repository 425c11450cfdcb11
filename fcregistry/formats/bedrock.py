"""Amazon Bedrock's format: the Converse API.

Sources: Amazon Bedrock API reference, "ToolSpecification", "ToolUseBlock", "ToolResultBlock", "ImageBlock" and "DocumentBlock"; Amazon Bedrock
user guide, "Call a tool with the Converse API" and "Get validated JSON results from models".

An empty description is left out, because the API refuses it. `status` is sent only for a failed call: not every model accepts it, and a result
without it is a success. Images and documents are bytes, as the AWS SDKs take them; a caller that sends JSON without an SDK encodes them in base64.
Strict mode accepts what Anthropic's accepts, except `default` and `pattern`, which the guide does not list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats import anthropic
from fcregistry.formats._finish import parse_message
from fcregistry.formats._format import Format, call_id, encode_content
from fcregistry.formats._profile import COMPOSITION, Profile

if TYPE_CHECKING:
    from fcregistry._results.content import Content
    from fcregistry._results.result import ToolResult
    from fcregistry.formats._format import RenderInput


LOOSE: Final = Profile(provider="Bedrock", top_without=COMPOSITION)
"""API reference, "ToolInputSchema": the top is an object. Anthropic's models accept nothing else there."""

STRICT: Final[Profile] = replace(
    anthropic.STRICT,
    provider="Bedrock's strict mode",
    keywords=(anthropic.STRICT.keywords or frozenset()) - {"default", "pattern"},
    pattern_without=None,
    names=None,
    names_rule="",
    limits={},
)
"""User guide, "Get validated JSON results from models", section "Supported JSON Schema features"."""


def render(rendering: RenderInput) -> dict[str, Any]:
    """Return `{"toolSpec": {name, description, inputSchema: {json}, strict}}`."""
    described = rendering.named("inputSchema")
    described["inputSchema"] = {"json": rendering.parameters}
    if rendering.strict:
        described["strict"] = True
    return {"toolSpec": described}


def report(results: Sequence[ToolResult]) -> list[dict[str, Any]]:
    """Return one user message with a `toolResult` block for each result; nothing for no results."""
    blocks, documents = [], _Documents()
    for result in results:
        content = encode_content(result, _text_block, documents.media) or [_text_block(result.content)]
        block: dict[str, Any] = {"toolUseId": call_id(result), "content": content}
        blocks.append({"toolResult": block if result.ok else {**block, "status": "error"}})
    return [{"role": "user", "content": blocks}] if blocks else []


IMAGES: Final = {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp"}
"""API reference, "ImageBlock"."""

_OFFICE: Final = "application/vnd.openxmlformats-officedocument."
DOCUMENTS: Final = {
    "application/pdf": "pdf",
    "text/csv": "csv",
    "application/msword": "doc",
    f"{_OFFICE}wordprocessingml.document": "docx",
    "application/vnd.ms-excel": "xls",
    f"{_OFFICE}spreadsheetml.sheet": "xlsx",
    "text/html": "html",
    "text/plain": "txt",
    "text/markdown": "md",
}
"""API reference, "DocumentBlock"."""


class _Documents:
    """Makes the blocks of one message, in which each document has its own name."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def media(self, part: Content) -> dict[str, Any] | None:
        """Return `part` as a block if it is an image or a document that the API accepts, else None."""
        source = {"bytes": part.data}
        if part.kind == "image" and part.media_type in IMAGES:
            return {"image": {"format": IMAGES[part.media_type], "source": source}}
        if part.kind == "file" and part.media_type in DOCUMENTS and part.data:
            name = self._name(part.name or "")
            return {"document": {"format": DOCUMENTS[part.media_type], "name": name, "source": source}}
        return None

    def _name(self, given: str) -> str:
        """Return a name for the file `given` that the API accepts, unique in the message; note it as used.

        The API accepts letters, digits, hyphens, brackets and single spaces. The ending of the file is left out, at most 56 characters of the
        rest are kept, and a name that is in use gets a number. Without such characters, the name is "document".
        """
        stem = given.rpartition(".")[0] or given
        name = first = " ".join(_NOT_IN_NAMES.sub(" ", stem).split())[:56].strip() or "document"
        while name in self._names:
            name = f"{first} ({len(self._names) + 1})"
        self._names.add(name)
        return name


_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9()\[\] -]")


def _text_block(text: str) -> dict[str, Any]:
    """Return a block with `text` under the key `text`."""
    return {"text": text}


FORMAT = Format(
    name="bedrock",
    source="Amazon Bedrock API reference, Converse",
    render=render,
    profile=LOOSE,
    strict_profile=STRICT,
    parse=parse_message,
    report=report,
)
