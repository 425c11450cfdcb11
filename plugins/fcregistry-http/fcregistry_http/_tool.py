"""Makes a tool from an HTTP endpoint."""

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
from fcregistry.execution import Secrets, tls_problem

from fcregistry_http._answers import IDEMPOTENT, Returns, value_of
from fcregistry_http._endpoint import Endpoint, Request, hide_credentials
from fcregistry_http._headers import FromEnv, Headers, header_problems, headers_now

_RETURNS: Final = ("text", "json", "content")
_ENOUGH_TO_SHOW: Final = 16_384
"""Bytes that are always read of an error's body, so that secrets are found whole before the text is cut."""
_LOGGERS: Final = (
    "httpx2",
    *(f"httpcore2.{part}" for part in ("connection", "http11", "http2", "proxy", "socks")),
)
"""The client's loggers, which log URLs and the headers of answers."""


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
    """Return a tool that calls an HTTP endpoint.

    An argument whose name is in the URL's path, in brackets, is inserted there as one percent-encoded segment. The others become the query
    of a GET or DELETE, and the JSON body of a POST, PUT or PATCH. Redirects are not followed, so requests go to this host only.

    Args:
        method: `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
        url: The URL, such as `https://api.acme.example/cities/{city}/weather`.
        like: A function whose signature and docstring describe the tool. It is never called. Pass either `like` or `parameters`.
        parameters: The JSON Schema of the arguments, instead of `like`. It needs `name` and `description` too.
        name: The tool's name; by default, the name of `like`.
        description: The tool's description, which the model reads; by default, from the docstring of `like`.
        query: Names of the arguments that go to the query although the method has a body.
        headers: Headers that are sent with each request. Use `FromEnv("ACME_TOKEN", "Bearer {}")` for secrets.
        returns: How the answer is returned: as `text`, as `json`, or as `content` (an image, a sound or a file).
        timeout: Seconds that a request may take, until the whole answer is read.
        max_bytes: The most bytes that an answer may have; a longer one is a failure.
        client: Returns the client for a request, with proxies, certificates or authentication of your own.
        **options: Further options of the tool, as `fc_register` takes them. By default, a GET is
            `read_only`, a GET, PUT or DELETE `idempotent`, a DELETE `destructive`
            (RFC 9110, 9.2), and every tool is `open_world`.

    Raises:
        DefinitionError: The arguments do not make a tool; the message lists every problem.
    """
    schema, name, description = _describe(like, parameters, name, description)
    sent = dict(headers or {})
    problems = [*header_problems(sent), *_setting_problems(returns, query, timeout, max_bytes)]
    if problems:
        raise DefinitionError(f"{method} {hide_credentials(url)} cannot be a tool:", problems)
    endpoint = Endpoint.of(method, url, schema, query)
    request = _EndpointCall(
        endpoint=endpoint, headers=sent, returns=returns, timeout=timeout, most=max_bytes, client=client or _client
    )
    also = options.pop("requires_env", ())
    own = [also] if isinstance(also, str) else list(also)
    used = {value.variable for value in sent.values() if isinstance(value, FromEnv)} - {*filter(None, own)}
    required = [*own, *sorted(used)]
    all_options = {**_hints(method), **({"requires_env": required} if required else {}), **options}
    return Tool.from_function(request, name=name, description=description, parameters=schema, **all_options)


@dataclass(frozen=True, slots=True, kw_only=True)
class _EndpointCall:
    """The function of the tool: a picklable object, so that other processes can run the tool."""

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
                    response, data = await self._send(client, request, headers)
        except (TimeoutError, httpx2.InvalidURL, httpx2.HTTPError) as error:
            failure = self._failure(error, secrets)
        else:
            return value_of(response, data, self.returns, self.endpoint.host, secrets)
        raise failure  # outside of the `except`: the client's exception holds the request, and the secrets in it

    async def _send(
        self, client: httpx2.AsyncClient, request: Request, headers: dict[str, str]
    ) -> tuple[httpx2.Response, bytes]:
        """Send `request` with `client`, and return the response and its body.

        Raises:
            ToolError: The body of a success is too large.
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
                    break  # the status says enough: the text of an error is cut
                if len(data) > most:
                    raise ToolError(
                        f"the answer of {self.endpoint.host} has more than {most} bytes, the most that this tool reads"
                    )
            return response, bytes(data)

    def _failure(self, error: Exception, secrets: Secrets) -> ToolError:
        """Return the error for a request without an answer, for the client's exception `error`.

        Its cause has the class of the client's exception, but neither the request nor any secret.
        """
        host, again = self.endpoint.host, self.endpoint.method in IDEMPOTENT
        message, kind = secrets.hide(str(error)), type(error)
        if isinstance(error, TimeoutError):
            limit = f"{self.timeout:g} second{'' if self.timeout == 1 else 's'}"
            failure = ToolError(f"{host} did not answer within {limit}", retryable=again)
        elif isinstance(error, httpx2.InvalidURL):
            failure = ToolError(f"the URL for {host} is not valid: {message}")
        elif isinstance(error, httpx2.ConnectError) and (problem := tls_problem(error)):
            failure = ToolError(f"{host}: {secrets.hide(problem)}")
        elif isinstance(error, httpx2.ConnectError):  # nothing was sent, so any method may be tried again
            failure = ToolError(f"{host} cannot be reached", retryable=True)
        else:
            failure = ToolError(f"the answer of {host} cannot be read ({kind.__name__})", retryable=again)
        failure.__cause__ = kind.__new__(
            kind, message
        )  # not kind(message): some of these classes' constructors require the request
        return failure


def _setting_problems(returns: object, query: object, timeout: object, max_bytes: object) -> list[str]:
    """Return messages about arguments of `http_tool` that are not valid."""
    problems = []
    if returns not in _RETURNS:
        problems.append(f"returns= must be one of {', '.join(_RETURNS)}, not {returns!r}")
    if isinstance(query, str):
        problems.append(f"query= takes a list of names, such as [{query!r}]")
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 < timeout < inf:
        problems.append(f"timeout= takes seconds, a finite number above 0, not {timeout!r}")
    if isinstance(max_bytes, bool) or not isinstance(max_bytes, int) or max_bytes < 1:
        problems.append(f"max_bytes= takes a whole number above 0, not {max_bytes!r}")
    return problems


def _hints(method: str) -> dict[str, bool]:
    """Return the options of a tool that follow from its HTTP `method` (RFC 9110, 9.2)."""
    hints = {"read_only": method == "GET", "idempotent": method in IDEMPOTENT, "destructive": method == "DELETE"}
    return {"open_world": True, **{hint: True for hint, holds in hints.items() if holds}}


def _describe(
    like: Callable[..., Any] | None, parameters: Mapping[str, Any] | None, name: str | None, description: str | None
) -> tuple[dict[str, Any], str, str]:
    """Return the schema, name and description of the tool, from `like` or the other arguments.

    Raises:
        DefinitionError: One of the arguments is missing, or there is one too many.
    """
    if (like is None) == (parameters is None):
        raise DefinitionError("http_tool takes either like= (a function) or parameters= (a JSON Schema)")
    if like is not None:
        described = Tool.from_function(like)
        return described.parameters, name or described.name, description or described.description
    if not name or not description:
        raise DefinitionError("http_tool with parameters= needs name= and description= too")
    return dict(parameters or {}), name, description


def _client() -> httpx2.AsyncClient:
    """Return the default client.

    It ignores the proxies that the environment names: a proxy for plain HTTP could read the secrets in the headers.
    """
    return httpx2.AsyncClient(verify=_certificates(), timeout=None, trust_env=False)


@cache
def _certificates() -> ssl.SSLContext:
    """Return the certificates of the system, or those that `SSL_CERT_FILE` or `SSL_CERT_DIR` names.

    They are cached, since reading them takes longer than a local request. Raise `ToolError` if they cannot be read.
    """
    try:
        return httpx2.create_ssl_context()
    except OSError as error:
        raise ToolError(tls_problem(error) or f"the certificates to trust cannot be read: {error.strerror}") from error
