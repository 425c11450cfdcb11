"""An endpoint: its method and URL, and where the arguments go in a request.

Sources: RFC 3986 (path segments, percent-encoding), RFC 9110 (methods).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import SplitResult, quote, urlsplit

from fcregistry.errors import DefinitionError, ToolError

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
_WITHOUT_BODY: Final = ("GET", "DELETE")
_PLACE: Final = re.compile(r"\{([^{}]*)\}")
_DOTS: Final = (".", "..")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request: its URL, the pairs of its query, and its body, or None if it has no body."""

    url: str
    query: tuple[tuple[str, str], ...]
    body: dict[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A method, and a URL whose path may contain arguments.

    Attributes:
        method: One of `METHODS`.
        origin: Scheme, host and port, which no argument can change.
        path: The path, with `{name}` where an argument is inserted.
        query: Names of the arguments that go to the query although the method has a body.
    """

    method: str
    origin: str
    path: str
    query: frozenset[str]

    @classmethod
    def of(cls, method: str, url: str, schema: Mapping[str, Any], query: Collection[str]) -> Endpoint:
        """Return the endpoint.

        Args:
            method: The HTTP method.
            url: The URL, with `{name}` in its path for each argument that is inserted there.
            schema: The JSON Schema of the arguments.
            query: Names of the arguments that go to the query although the method has a body.

        Raises:
            DefinitionError: The method, the URL or the arguments do not fit; the message lists every problem.
        """
        parts = _parts(url)
        if parts is None:
            raise DefinitionError(f"{method} {hide_credentials(url)} cannot be a tool:", ["the URL cannot be read"])
        problems = [*_url_problems(parts), *_argument_problems(parts.path, schema, query)]
        if method not in METHODS:
            problems.append(f"the method must be one of {', '.join(METHODS)}, not {method!r}")
        if problems:
            raise DefinitionError(f"{method} {hide_credentials(url)} cannot be a tool:", problems)
        return cls(
            method=method, origin=f"{parts.scheme}://{parts.netloc}", path=parts.path or "/", query=frozenset(query)
        )

    @property
    def host(self) -> str:
        """The host, with its port if the URL has one."""
        return self.origin.partition("://")[2]

    def request(self, arguments: Mapping[str, Any]) -> Request:
        """Return the request for a call.

        Args:
            arguments: Arguments that are valid against the schema.

        Raises:
            ToolError: An argument cannot be put into the URL, or cannot be sent.
        """
        try:
            json.dumps(arguments, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            raise ToolError(
                "the arguments cannot be sent: a text has half of a surrogate pair, or a number is too long"
            ) from error
        left = dict(arguments)
        path = _PLACE.sub(lambda place: _in_path(place[1], left.pop(place[1], None)), self.path)
        in_query = [name for name in left if self.method in _WITHOUT_BODY or name in self.query]
        pairs = tuple(pair for name in in_query for pair in _in_query(name, left.pop(name)))
        body = None if self.method in _WITHOUT_BODY else left
        return Request(url=f"{self.origin}{path}", query=pairs, body=body)


def hide_credentials(url: str) -> str:
    """Return `url` with its credentials, if it has any, replaced by `…`."""
    return re.sub(r"//[^/?#]*@", "//…@", url)


def _parts(url: str) -> SplitResult | None:
    """Return the parts of `url`, or None if it is not valid.

    It is not valid with a bad port, an unclosed bracket, or white space.
    """
    if any(char.isspace() or not char.isprintable() for char in url):
        return None
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises ValueError if the port is not valid
    except ValueError:
        return None
    return parts


def _url_problems(parts: SplitResult) -> list[str]:
    """Return messages about a URL with `parts` that cannot be that of an endpoint."""
    problems = []
    if parts.scheme not in ("http", "https") or not parts.hostname:
        problems.append("the URL must begin with https:// or http:// and a host")
    if "@" in parts.netloc:
        problems.append("the URL contains credentials; pass them as headers, with FromEnv")
    if any(mark in part for part in (parts.scheme, parts.netloc, parts.query, parts.fragment) for mark in "{}"):
        problems.append("only the path can have {name}; the other arguments go to the query or the body")
    if parts.query or parts.fragment:
        problems.append("the URL has a query or a fragment; the query is made of the arguments")
    return problems


def _argument_problems(path: str, schema: Mapping[str, Any], query: Collection[str]) -> list[str]:
    """Return messages about names in `path` and `query` that do not fit the parameters in `schema`."""
    properties = schema.get("properties", {})
    required = schema.get("required", ())
    places = _PLACE.findall(path)
    problems = [f"the path has {{{name}}} twice" for name in dict.fromkeys(places) if places.count(name) > 1]
    for name in dict.fromkeys(places):
        if name not in properties:
            problems.append(f"the path has {{{name}}}, but there is no parameter {name!r}")
        elif name not in required:
            problems.append(f"the parameter {name!r} is in the path, so it must be required")
        elif (kinds := _kinds(properties[name])) and kinds <= {"array", "object"}:
            problems.append(f"the parameter {name!r} is in the path, so it cannot be an {' or '.join(sorted(kinds))}")
    if any(mark in _PLACE.sub("", path) for mark in "{}"):
        problems.append("the path has a { or } that is not part of a {name}")
    problems += [f"query= names {name!r}, but there is no such parameter" for name in query if name not in properties]
    return problems


def _kinds(schema: Any) -> set[str]:
    """Return the JSON types that `schema` names; an empty set if it names none."""
    kinds = schema.get("type", ()) if isinstance(schema, Mapping) else ()
    return {kinds} if isinstance(kinds, str) else set(kinds)


def _in_path(name: str, value: Any) -> str:
    """Return `value`, the argument `name`, as a part of one path segment.

    Raises:
        ToolError: The value would change the path.
    """
    text = _text(name, value)
    if not text or text in _DOTS:
        raise ToolError(f"{name} is part of the URL's path and cannot be {text!r}")
    return quote(text, safe="")


def _in_query(name: str, value: Any) -> list[tuple[str, str]]:
    """Return `value`, the argument `name`, as pairs of a query.

    There is a pair for each item of an array, and none for null.
    """
    if value is None:
        return []
    items = value if isinstance(value, list) else [value]
    return [(name, _text(name, item)) for item in items if item is not None]


def _text(name: str, value: Any) -> str:
    """Return `value`, the argument `name`, as text; raise `ToolError` if it is an array or an object."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return str(value)
    raise ToolError(f"{name} is part of the URL, so it must be a string, a number or a boolean")
