"""Resources, prompts and completions of a server, as records and content.

Source: Model Context Protocol specification, "Server features": Resources, Prompts, and "Utilities: Completion".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from fcregistry.execution import Content
from mcp import Client, MCPError
from mcp import types as protocol

from fcregistry_mcp._answers import part_of
from fcregistry_mcp._connection import all_pages
from fcregistry_mcp._errors import unsendable, without_invisible

_LONGEST: Final = 1000
"""Characters of a title, a description or a completion."""
_LONGEST_URI: Final = 10_000
_MOST_CHARACTERS: Final = 16_000_000
"""Characters of what is read of a resource or a prompt, base64 included."""
_MOST_COMPLETIONS: Final = 100


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource of a server, such as a file, or a template of the URIs of several.

    Attributes:
        uri: The URI. That of a template has `{…}` where a value belongs.
        name: The server's name of it.
        title: A name for people, or None.
        description: What it is; may be empty.
        media_type: Its media type, or None.
        size: Its size in bytes, or None if that is not known.
        is_template: Whether `uri` is a template.
    """

    uri: str
    name: str
    title: str | None = None
    description: str = ""
    media_type: str | None = None
    size: int | None = None
    is_template: bool = False


@dataclass(frozen=True, slots=True)
class PromptArgument:
    """An argument of a prompt; its value is a text.

    Attributes:
        name: Its name.
        description: What it is; may be empty.
        required: Whether the prompt needs it.
    """

    name: str
    description: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt of a server, which people choose.

    Attributes:
        name: Its name.
        title: A name for people, or None.
        description: What it is for; may be empty.
        arguments: Its arguments.
    """

    name: str
    title: str | None = None
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """A message of a prompt.

    Attributes:
        role: The message's role.
        content: Its content; `str(content)` is the text for a model.
    """

    role: Literal["user", "assistant"]
    content: Content


async def list_resources(client: Client) -> list[Resource]:
    """Return the server's resources, and the templates of others."""
    if client.server_capabilities.resources is None:
        return []
    listed = await all_pages(client.list_resources, lambda page: page.resources, "resources")
    resources = [_resource(each, each.uri, each.size) for each in listed]
    try:
        templates = await all_pages(
            client.list_resource_templates, lambda page: page.resource_templates, "templates of resources"
        )
    except MCPError as error:
        if error.code != protocol.METHOD_NOT_FOUND:
            raise
        return resources  # many servers have none, and do not know the method
    return [*resources, *(_resource(each, each.uri_template, None, is_template=True) for each in templates)]


def _resource(
    given: protocol.Resource | protocol.ResourceTemplate, uri: str, size: int | None, *, is_template: bool = False
) -> Resource:
    """Return the record of a resource or a template."""
    title = _text(given.title) if given.title else None
    return Resource(
        str(uri)[:_LONGEST_URI], _text(given.name), title, _text(given.description), given.mime_type, size, is_template
    )


async def list_prompts(client: Client) -> list[Prompt]:
    """Return the server's prompts."""
    if client.server_capabilities.prompts is None:
        return []
    listed = await all_pages(client.list_prompts, lambda page: page.prompts, "prompts")
    return [
        Prompt(
            each.name,
            _text(each.title) if each.title else None,
            _text(each.description),
            tuple(
                PromptArgument(argument.name, _text(argument.description), bool(argument.required))
                for argument in each.arguments or ()
            ),
        )
        for each in listed
    ]


def read_request(uri: str) -> Callable[[Client], Awaitable[tuple[Content, ...]]]:
    """Return a function that reads a resource with a client: texts, images, sounds and files as content.

    Raises:
        TypeError: The URI is not a text.
        ValueError: The URI cannot be sent.
    """
    _check_texts({"uri": uri})

    async def read(client: Client) -> tuple[Content, ...]:
        """Read the resource."""
        result = await client.read_resource(uri)
        blocks = [each.model_dump(by_alias=True, exclude_none=True, mode="json") for each in result.contents]
        _check_size([each.get("text") or each.get("blob") or "" for each in blocks])
        return tuple(map(_content, blocks))

    return read


def _content(resource: dict[str, Any]) -> Content:
    """Return the contents of a resource: an image or a sound as such, anything else as an embedded file."""
    kind = resource.get("mimeType", "").partition("/")[0]
    if "blob" in resource and kind in ("image", "audio"):
        return part_of({"type": kind, "data": resource["blob"], "mimeType": resource["mimeType"]})
    return part_of({"type": "resource", "resource": resource})


def prompt_request(name: str, arguments: Mapping[str, str]) -> Callable[[Client], Awaitable[tuple[PromptMessage, ...]]]:
    """Return a function that gets the messages of a prompt with a client.

    Raises:
        TypeError: The name or an argument is not a text.
        ValueError: The name or an argument cannot be sent.
    """
    _check_texts({"name": name})
    _check_texts(arguments)  # one of them may be called `name`, too

    async def get(client: Client) -> tuple[PromptMessage, ...]:
        """Get the messages."""
        result = await client.get_prompt(name, dict(arguments))
        given = [
            (each.role, each.content.model_dump(by_alias=True, exclude_none=True, mode="json"))
            for each in result.messages
        ]
        _check_size([str(block.get("text") or block.get("data") or block.get("resource") or "") for _, block in given])
        return tuple(PromptMessage(role, part_of(block)) for role, block in given)

    return get


def complete_request(
    argument: str, value: str, prompt: str | None, uri: str | None, given: Mapping[str, str]
) -> Callable[[Client], Awaitable[list[str]]]:
    """Return a function that completes an argument of a prompt, or a value of a template of URIs, with a client.

    Raises:
        TypeError: Not exactly one of `prompt` and `uri` is given, or a value is not a text.
        ValueError: A value cannot be sent.
    """
    reference: protocol.PromptReference | protocol.ResourceTemplateReference
    _check_texts({"argument": argument, "value": value, "prompt": prompt or "", "uri": uri or ""})
    _check_texts(given)
    if prompt is not None and uri is None:
        reference = protocol.PromptReference(type="ref/prompt", name=prompt)
    elif uri is not None and prompt is None:
        reference = protocol.ResourceTemplateReference(type="ref/resource", uri=uri)
    else:
        raise TypeError("complete takes either prompt=, the name of a prompt, or uri=, a template of URIs")

    async def complete(client: Client) -> list[str]:
        """Complete the value."""
        if client.server_capabilities.completions is None:
            return []
        asked = {"name": argument, "value": value}
        result = await client.complete(reference, asked, dict(given) if given else None)
        return [_text(each) for each in result.completion.values[:_MOST_COMPLETIONS]]

    return complete


def _check_texts(values: Mapping[str, Any]) -> None:
    """Check that each of `values`, by name, is a text that can be sent.

    Raises:
        TypeError: A value is not a text.
        ValueError: A text or a name has half of a surrogate pair.
    """
    for name, value in values.items():
        if not isinstance(value, str):
            raise TypeError(f"{name!r} takes a text, not {value!r:.80}")
        if problem := unsendable([name, value]):
            raise ValueError(f"{name!r} cannot be sent: {problem}")


def _check_size(texts: list[str]) -> None:
    """Check how much the server sent.

    Raises:
        ValueError: There are more than `_MOST_CHARACTERS` characters.
    """
    if sum(map(len, texts)) > _MOST_CHARACTERS:
        raise ValueError(f"it has more than {_MOST_CHARACTERS} characters")


def _text(text: str | None) -> str:
    """Return a text that a server wrote, without invisible characters, and cut if it is long."""
    return without_invisible(text or "", _LONGEST)
