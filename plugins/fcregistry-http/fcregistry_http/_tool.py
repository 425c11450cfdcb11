"""Makes a tool of an endpoint."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Any, Final

import httpx2
from fcregistry import Tool
from fcregistry.errors import DefinitionError, ToolError
from fcregistry.execution import Secrets

from fcregistry_http._answers import IDEMPOTENT, Returns, value_of
from fcregistry_http._endpoint import Endpoint, Request, shown
from fcregistry_http._headers import FromEnv, Headers, header_problems, headers_now

_RETURNS: Final = ("text", "json", "content")
_ENOUGH_TO_SHOW: Final = 16_384
"""Bytes that are read of an error's body in any case: what is secret is found whole before the text is cut."""
_LOGGERS: Final = (
    "httpx2",
    *(f"httpcore2.{part}" for part in ("connection", "http11", "http2", "proxy", "socks")),
)
"""The client's loggers: of URLs, and of the headers of answers."""


def http_tool(
    method: str,
    url: str,
    *,
    like: Callable[..., Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    name: str | None = None,
    description: str | None = None,
    query: Collection[str] = (),
    headers: Headers | None = None,
    returns: Returns = "text",
    timeout: float = 30.0,
    max_bytes: int = 1_000_000,
    client: Callable[[], httpx2.AsyncClient] | None = None,
    **options: Any,
) -> Tool:
    """Return a tool that asks an HTTP endpoint.

    An argument stands in the path where the URL has its name in brackets, as one percent-encoded segment. The others make up the query
    of a GET or DELETE, and the JSON body of a POST, PUT or PATCH. Redirects are not followed, so only this host is asked.

    Args:
        method: `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
        url: Such as `https://api.acme.example/cities/{city}/weather`.
        like: A function whose signature and docstring are the tool's; it is never called.
        parameters: In its place, the JSON Schema of the arguments.
        name: The tool's name; by default, that of `like`.
        description: What a model is told; by default, what the docstring of `like` says.
        query: Names of arguments that stand in the query though there is a body.
        headers: Sent with each request; `FromEnv("ACME_TOKEN", "Bearer {}")` where they are secret.
        returns: What is made of the answer: `text`, `json` or `content`, an image, a sound or a file.
        timeout: Seconds that a request may take, its answer included.
        max_bytes: The most bytes of an answer; one that has more is a failure.
        client: Makes the client of a request: for proxies, certificates, authentication.
        **options: Further options of a tool. By default, a GET is `read_only`, a GET, PUT or DELETE `idempotent`, a DELETE `destructive`
            (RFC 9110, 9.2), and all are `open_world`.

    Raises:
        DefinitionError: It cannot be one; names everything that is wrong.
    """
    schema, name, description = _described(like, parameters, name, description)
    sent = dict(headers or {})
    problems = [*header_problems(sent), *_setting_problems(returns, query, timeout, max_bytes)]
    if problems:
        raise DefinitionError(f"{method} {shown(url)} cannot be a tool:", problems)
    endpoint = Endpoint.of(method, url, schema, query)
    asking = _Asking(
        endpoint=endpoint, headers=sent, returns=returns, timeout=timeout, most=max_bytes, client=client or _client
    )
    also = options.pop("requires_env", ())
    required = {value.variable for value in sent.values() if isinstance(value, FromEnv)}
    required |= {also} if isinstance(also, str) else set(also)
    told = {**_hints(method), **({"requires_env": sorted(required)} if required else {}), **options}
    return Tool.from_function(asking, name=name, description=description, parameters=schema, **told)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asking:
    """What the tool calls: a value, so that the tool can go where its endpoint can be reached."""

    endpoint: Endpoint
    headers: Headers
    returns: Returns
    timeout: float
    most: int
    client: Callable[[], httpx2.AsyncClient]

    async def __call__(self, **arguments: Any) -> Any:
        request = self.endpoint.request(arguments)
        headers, secrets = headers_now(self.headers)
        try:
            with secrets.hide_in_logs(*_LOGGERS):
                async with self.client() as client:
                    response, data = await self._answered(client, request, headers)
        except (TimeoutError, httpx2.InvalidURL, httpx2.HTTPError) as error:
            failure = self._failure(error, secrets)
        else:
            return value_of(response, data, self.returns, self.endpoint.host, secrets)
        raise failure  # outside of the `except`, so that it does not carry the client's own, which holds the request

    async def _answered(
        self, client: httpx2.AsyncClient, request: Request, headers: dict[str, str]
    ) -> tuple[httpx2.Response, bytes]:
        """Return the response, and its body as far as it may go.

        Raises:
            ToolError: The body is too large.
        """
        sent: dict[str, Any] = {"headers": headers, "params": list(request.query) or None, "json": request.body}
        async with (
            asyncio.timeout(self.timeout),
            client.stream(self.endpoint.method, request.url, follow_redirects=False, **sent) as response,
        ):
            most = self.most if response.is_success else max(self.most, _ENOUGH_TO_SHOW)
            data = bytearray()
            async for piece in response.aiter_bytes():
                data += piece
                if len(data) > most and not response.is_success:
                    break  # it is the status that counts, and its text is cut
                if len(data) > most:
                    raise ToolError(f"{self.endpoint.host} answers with more than {most} bytes, which are not read")
            return response, bytes(data)

    def _failure(self, error: Exception, secrets: Secrets) -> ToolError:
        """Return what is raised where there is no answer. Its cause is of the client's class, without the request and what is secret."""
        host, again = self.endpoint.host, self.endpoint.method in IDEMPOTENT
        said, kind = secrets.hide(str(error)), type(error)
        if isinstance(error, TimeoutError):
            failure = ToolError(f"{host} did not answer within {self.timeout:g} seconds", retryable=again)
        elif isinstance(error, httpx2.InvalidURL):
            failure = ToolError(f"the URL for {host} cannot be asked: {said}")
        elif isinstance(error, httpx2.ConnectError):  # nothing was sent
            failure = ToolError(f"{host} cannot be reached", retryable=True)
        else:
            failure = ToolError(f"{host} gives no answer that can be read ({kind.__name__})", retryable=again)
        failure.__cause__ = kind.__new__(kind, said)  # some of these classes want a request
        return failure


def _setting_problems(returns: object, query: object, timeout: object, max_bytes: object) -> list[str]:
    problems = []
    if returns not in _RETURNS:
        problems.append(f"returns= is one of {', '.join(_RETURNS)}, not {returns!r}")
    if isinstance(query, str):
        problems.append(f"query= takes names, such as [{query!r}]")
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 < timeout < inf:
        problems.append(f"timeout= takes seconds, a finite number above 0, not {timeout!r}")
    if isinstance(max_bytes, bool) or not isinstance(max_bytes, int) or max_bytes < 1:
        problems.append(f"max_bytes= takes a whole number above 0, not {max_bytes!r}")
    return problems


def _hints(method: str) -> dict[str, bool]:
    """Return what HTTP says of a method (RFC 9110, 9.2)."""
    hints = {"read_only": method == "GET", "idempotent": method in IDEMPOTENT, "destructive": method == "DELETE"}
    return {"open_world": True, **{hint: True for hint, holds in hints.items() if holds}}


def _described(
    like: Callable[..., Any] | None, parameters: Mapping[str, Any] | None, name: str | None, description: str | None
) -> tuple[dict[str, Any], str, str]:
    if (like is None) == (parameters is None):
        raise DefinitionError("an endpoint takes like=, a function, or parameters=, a schema")
    if like is not None:
        described = Tool.from_function(like)
        return described.parameters, name or described.name, description or described.description
    if not name or not description:
        raise DefinitionError("an endpoint with parameters= takes name= and description= too")
    return dict(parameters or {}), name, description


def _client() -> httpx2.AsyncClient:
    # No proxies of the environment: one of plain HTTP would read the secrets of the headers.
    return httpx2.AsyncClient(verify=_certificates(), timeout=None, trust_env=False)


@cache
def _certificates() -> ssl.SSLContext:
    return httpx2.create_ssl_context()  # made once: reading them takes longer than a request nearby
