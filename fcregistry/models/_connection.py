"""The base of the models of providers with an SDK: their requests, answers, clients and errors.

Answers of an SDK are turned into plain JSON, so that any version of it will do. The SDKs' own accumulators of streams are not used: they complete the
arguments of a call that was cut off (anthropic), or take each call for one that follows OpenAI's protocol to the letter (openai).
"""

from __future__ import annotations

import asyncio
import os
import sys
import weakref
from abc import abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from importlib.util import find_spec
from operator import methodcaller
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Protocol, TypeVar, cast
from urllib.parse import urlsplit, urlunsplit

from fcregistry import formats
from fcregistry._base.install import install_command
from fcregistry._base.source import callback_problem
from fcregistry.errors import MissingDependencyError, ModelError
from fcregistry.execution import Secrets, background_loop
from fcregistry.models._http_limits import HttpLimits, limit_responses, send
from fcregistry.models._messages import copied_json, messages_of
from fcregistry.models._model import Completion, Delta, Model, SurrogateJoiner
from fcregistry.models._provider_errors import (
    MIN_SECRET,
    AnswerError,
    RefusedAnswerError,
    bounded_text,
    incomplete_answer,
    model_error,
)

if TYPE_CHECKING:
    from fcregistry._base.call import CancellationToken
    from fcregistry._tools.tool import Tool
    from fcregistry.models._messages import Message, MessageLike
    from fcregistry.models._model import ToolChoice, ToolOrDefinition

T = TypeVar("T")

_RESERVED: Final = frozenset({"model", "messages", "input", "stream"})
"""Fields that every request sets itself, which settings cannot have."""

_SDK_SETTINGS: Final = ("timeout", "extra_headers", "extra_query")
"""Settings that are not fields of a request, but arguments of the SDK."""

_LOGGERS: Final = (
    *("openai", "anthropic", "httpx", "httpx2", "hpack"),
    *(
        f"{library}.{part}"
        for library in ("httpcore", "httpcore2")
        for part in ("connection", "http11", "http2", "proxy", "socks")  # some are imported when they are first used
    ),
)
"""The loggers of the SDKs, and of the HTTP libraries under them."""

_NO_KEY: Final = "none"
"""Sent to a user's own server, which checks no key; the SDK requires one."""


class StreamReader(Protocol):
    """Puts an answer together from the pieces, or events, that are streamed."""

    def add(self, piece: Mapping[str, Any], /) -> Delta | None:
        """Take the next piece, and return what is new in it, or None if there is nothing to show.

        Raises:
            ValueError: The piece has an unknown shape, or is an error.
        """

    def completion(self) -> Completion | None:
        """Return the whole answer, or None if its end has not come.

        Raises:
            ValueError: The pieces do not fit together.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Sdk:
    """A provider's SDK.

    Attributes:
        package: The name of the package, and of fcregistry's extra.
        variable: The environment variable of the key.
        address: Returns the URL of the API that the environment names; or the default URL of a local server.
        start: What to do if a local server does not run.
        other_variable: The environment variable of another credential, which the SDK reads itself.
        finds_keys: Whether the SDK looks for a key in other places too.
        make_client: Makes a client from the URL and the key; None is the SDK's default.
    """

    package: str
    variable: str
    address: Callable[[], str | None]
    start: str = ""
    other_variable: str | None = None
    finds_keys: bool = False
    make_client: Callable[[str | None, str | None], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """What the models of a built-in provider need here.

    Attributes:
        prefix: The beginning of their names.
        package: The package of the provider's SDK, and fcregistry's extra for it.
        is_installed: Whether that package is installed.
        variables: The environment variables of which one has the key; empty if the user's own server answers, which may need none.
        has_key: Whether such a variable is set.
        address: The URL of the server, without credentials; None for the provider's own.
    """

    prefix: str
    package: str
    is_installed: bool
    variables: tuple[str, ...]
    has_key: bool
    address: str | None


def provider_of(model: HostedModel, prefix: str) -> Provider:
    """Return what a model needs, without importing its SDK.

    Args:
        model: The model.
        prefix: The beginning of its name.
    """
    from importlib.util import find_spec  # a model that is asked does without

    sdk = model._sdk
    try:
        address = sdk.address() or None
    except ValueError:  # a variable has no valid URL
        address = _NOT_VALID
    variables = tuple(filter(None, (sdk.variable, sdk.other_variable)))
    return Provider(
        prefix=prefix,
        package=sdk.package,
        is_installed=getattr(find_spec(sdk.package), "origin", None) is not None,  # a folder of that name has none
        variables=() if _is_own_server(address, sdk) else variables,
        has_key=any(os.environ.get(each) for each in variables),
        address=None if address is None else _without_credentials(address),
    )


def _is_own_server(address: str | None, sdk: Sdk) -> bool:
    """Return whether a URL is that of a server of the user's own, and not of the provider."""
    return address is not None and f"api.{sdk.package}.com" not in address


_NOT_VALID: Final = "an address that is not a valid URL"


def _without_credentials(url: str) -> str:
    """Return a URL without a user's name, a password, a query and a fragment."""
    try:
        parts = urlsplit(url)
    except ValueError:  # such as a bracket that is not closed
        return _NOT_VALID
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


class HostedModel(Model):
    """The base of the models that are reached through a provider's SDK."""

    _sdk: Sdk
    _provider: ClassVar[str]
    _choices: ClassVar[Mapping[str, Any]]
    """The values of the API for `auto`, `required` and `none`; None if the field is left out."""

    _must_call: Callable[[str], Any]
    """Returns the value of the API for the choice of one tool, whose name it gets."""

    _create: Callable[[Any], Any]
    """Returns the method of a client that creates an answer."""

    _read: Callable[[Mapping[str, Any]], Completion]
    """Returns the completion of a whole answer; raises ValueError if it has another shape, or is an error."""

    _reader: Callable[[Sequence[Tool]], StreamReader]
    """Returns the reader of a streamed answer, for the tools that the model may call."""

    _only_streams = False
    """Whether also a whole answer is streamed."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None,
        api_key: str | None,
        client: Any,
        max_answer_bytes: int,
        settings: Mapping[str, Any] | None,
        sdk: Sdk | None = None,
        prefix: str | None = None,
    ) -> None:
        self._sdk = sdk or self._sdk
        self._prefix = prefix or self._provider
        self._model = model
        self._settings = dict(settings or {})
        if wrong := sorted(_RESERVED & self._settings.keys()):
            raise ValueError(f"settings of {self.name} cannot have {', '.join(wrong)}: every request sets its own")
        if client is not None and (base_url is not None or api_key is not None):
            raise ValueError("give base_url and api_key, or a client, which has its own")
        self._base_url = base_url
        self._api_key = api_key
        if type(max_answer_bytes) is not int or max_answer_bytes < 1:
            raise ValueError(f"max_answer_bytes must be a whole number above 0, not {max_answer_bytes!r:.80}")
        self._max_answer_bytes = max_answer_bytes
        self._is_given_client = client is not None
        if client is None or callable(client):
            if problem := "" if client is None else callback_problem(client):
                raise TypeError(f"client {problem}")
            make = client or self._make_client
            self._clients: PerLoop[Any] = PerLoop(lambda: _checked_async(make()), methodcaller("close"))
        else:  # its owner closes it
            given = _checked_async(client)
            self._clients = PerLoop(lambda: given)

    @property
    def name(self) -> str:
        """The name of the model with its provider: `openai:gpt-5`."""
        return f"{self._prefix}:{self._model}"

    def close(self) -> None:
        """Close the connections, but not a client that the caller gave. The next request opens new ones."""
        if self._clients.held:
            background_loop.run(self._clients.aclose)

    async def aclose(self) -> None:
        """Like `close`, on the running event loop."""
        await self._clients.aclose()

    async def acomplete(
        self,
        messages: MessageLike | Iterable[MessageLike],
        tools: Sequence[ToolOrDefinition] = (),
        *,
        tool_choice: ToolChoice = "auto",
        cancellation: CancellationToken | None = None,  # `Model` ends the request
    ) -> Completion:
        """Like `complete`, on the running event loop."""
        if self._only_streams:
            *_, last = [piece async for piece in self.astream(messages, tools, tool_choice=tool_choice)]
            assert isinstance(last, Completion)
            return last
        request = self._request(messages, tools, tool_choice)
        client = await self._guarded(self._clients.get())

        async def ask() -> Completion:
            """Send the request, and return the completion of the answer."""
            return self._read(_as_json(await self._send(client, request)))

        return await self._guarded(ask(), client)

    async def astream(
        self,
        messages: MessageLike | Iterable[MessageLike],
        tools: Sequence[ToolOrDefinition] = (),
        *,
        tool_choice: ToolChoice = "auto",
        cancellation: CancellationToken | None = None,  # `Model` ends the request
    ) -> AsyncGenerator[Delta | Completion]:
        """Like `stream`, on the running event loop."""
        request = self._request(messages, tools, tool_choice)
        async with aclosing(self._stream(request, formats.tools_of(tools))) as pieces:
            async for piece in pieces:
                yield piece

    @abstractmethod
    def _conversation(self, messages: Sequence[Message]) -> dict[str, Any]:
        """Return the fields of a request that contain the conversation `messages`, by their names in the API."""

    def _request(
        self, messages: MessageLike | Iterable[MessageLike], tools: Sequence[ToolOrDefinition], tool_choice: ToolChoice
    ) -> dict[str, Any]:
        """Return the keyword arguments for the SDK's method that creates an answer.

        The tools of the settings follow `tools`, and a `tool_choice` of the settings takes the place of `auto`. Settings other than `timeout`,
        `extra_headers`, `extra_query` and `tools` are in `extra_body`, without those that the request sets itself.

        A caller's own client may change what it gets, such as to mask texts: it gets a copy of the conversation, which is kept for later requests.

        Raises:
            TypeError, ValueError: As `messages_of`, `tools_of` and `_choice` raise them.
            DefinitionError: A tool cannot be described to the provider.
        """
        settings, offered_tools = dict(self._settings), formats.tools_of(tools)
        for_sdk: dict[str, Any] = {name: settings.pop(name) for name in _SDK_SETTINGS if name in settings}
        own_tools = settings.pop("tools", None) or ()
        extra = settings.pop("extra_body", None) or {}
        body = {**settings, **extra}
        conversation = self._conversation(messages_of(messages))
        fields = {"model": self._model, **(copied_json(conversation) if self._is_given_client else conversation)}
        if offered := [*formats.get(self._provider).describe(offered_tools), *own_tools]:
            fields["tools"] = offered
        names = [*(tool.name for tool in offered_tools), *(each["name"] for each in own_tools if "name" in each)]
        choice = self._choice(tool_choice, names, bool(offered))
        if choice is not None and not (tool_choice == "auto" and "tool_choice" in body):
            fields["tool_choice"] = choice
        body = {name: value for name, value in body.items() if name not in fields}
        return {**fields, **for_sdk, **({"extra_body": body} if body else {})}

    def _choice(self, tool_choice: ToolChoice, names: Sequence[str], any_offered: bool) -> Any:
        """Return the value of the API for `tool_choice`, or None if the request must not have the field.

        Args:
            tool_choice: The choice: `auto`, `required`, `none`, or the name of a tool.
            names: The names of the tools of the request.
            any_offered: Whether the request has tools. Without tools, the result is None for `auto` and `none`.

        Raises:
            ValueError: The choice is neither known nor one of `names`, or it is `required`, and there are no tools.
        """
        if tool_choice in self._choices and (any_offered or tool_choice != "required"):
            return self._choices[tool_choice] if any_offered else None
        if tool_choice in names:
            return self._must_call(tool_choice)
        raise ValueError(
            f"tool_choice is {tool_choice!r}; it must be auto, required, none or the name of a tool that is offered: "
            + (", ".join(names) or "there is none")
        )

    async def _stream(self, request: Mapping[str, Any], tools: Sequence[Tool]) -> AsyncGenerator[Delta | Completion]:
        """Send `request`, and yield the pieces of the answer, and its completion last.

        Raise `ModelError` if the request fails, or the answer breaks off before its end. Closing the generator closes the connection.
        """
        reader, joiner, has_begun = self._reader(tools), SurrogateJoiner(), False
        end, delta = object(), cast("Any", None)
        client = await self._guarded(self._clients.get())
        deltas = self._deltas(client, request, reader)
        try:
            try:
                while (delta := await self._guarded(anext(deltas, end), client)) is not end:
                    has_begun = True
                    if delta is not None and (joined := joiner.add(delta)) is not None:
                        yield joined
            finally:
                await self._guarded(deltas.aclose(), client)
        except ModelError:
            # An answer that breaks off after its end is complete.
            if await self._guarded(_end_of(reader), client) is None:
                raise
        completion = await self._guarded(_end_of(reader), client)
        if completion is None:
            raise incomplete_answer(self.name, has_begun=has_begun)
        if (rest := joiner.rest()) is not None:
            yield rest
        yield completion

    async def _deltas(
        self, client: Any, request: Mapping[str, Any], reader: StreamReader
    ) -> AsyncGenerator[Delta | None]:
        """Send `request`, and yield what `reader` returns for each piece of the answer: a `Delta`, or None.

        Exceptions of the SDK, of `_as_json` and of `reader` pass through.
        """
        async with (
            await self._send(client, {**request, "stream": True}) as stream,
            aclosing(stream.__aiter__()) as received,
        ):
            async for piece in received:
                yield reader.add(_as_json(piece))

    async def _guarded(self, result: Awaitable[T], client: Any = None) -> T:
        """Await `result` and return its value; its exception becomes a `ModelError`.

        Only `MissingDependencyError`, cancellations and interrupts pass through.

        Args:
            result: The awaitable of the SDK.
            client: The client that sends, whose key the error does not show.
        """
        try:
            return await result
        except MissingDependencyError:
            raise
        except (Exception, RefusedAnswerError) as error:  # the SDK lets through exceptions of any library under it  # noqa: BLE001
            # The SDK looks for a key when it sends, and has no exception of its own for a missing one
            if isinstance(error, TypeError) and "authentication" in str(error):
                error = self._no_key()
            seconds = self._settings.get("timeout")
            failed = [
                model_error(error, self.name, self._sdk.variable, self._secrets(client), self._sdk.start, seconds)
            ]
        # Raised outside the handler, it does not refer to the SDK's exception, which holds the key; popped, it does not refer to itself.
        raise failed.pop()

    async def _send(self, client: Any, request: Mapping[str, Any]) -> Any:
        """Send `request` with `client`, and return the SDK's object for the response, or for its stream.

        The keys are not in the logs of the HTTP client, which log the headers of responses: a server may repeat a key there. Raise
        `RefusedAnswerError` if the response exceeds the limits of HTTP, and otherwise what the SDK raises.
        """
        keys = self._secrets(client)
        limits = HttpLimits(full_name=self.name, answer=self._max_answer_bytes, secrets=keys)
        with Secrets(*(key for key in keys if len(key) >= MIN_SECRET)).hide_in_logs(*_LOGGERS):
            return await send(self._create(client), client, request, limits)

    def _secrets(self, client: Any) -> list[str]:
        """Return the keys that an error must not show.

        They are those of the arguments, of the environment and of `client` that are text; the list may be empty.
        """
        variables = filter(None, (self._sdk.variable, self._sdk.other_variable))
        held = (getattr(client, name, None) for name in ("api_key", "auth_token"))
        return [each for each in (self._api_key, *map(os.environ.get, variables), *held) if isinstance(each, str)]

    def _no_key(self) -> ModelError:
        """Return the `ModelError` for a missing key, which says where to set one."""
        return ModelError(
            f"{self.name} cannot be asked without a key: set {self._sdk.variable}, "
            f"or for a server of your own {self._sdk.package.upper()}_BASE_URL; in Python, pass api_key or base_url"
        )

    def _no_package(self, more: str = "") -> MissingDependencyError:
        """Return the error for an SDK that is not installed, which says how to install it; `more` follows."""
        package = self._sdk.package
        return MissingDependencyError(
            f"{self.name} needs the package {package}: {install_command(f'fcregistry[{package}]')}{more}"
        )

    def _make_client(self) -> Any:
        """Return a new client of the SDK, made from the arguments and the environment.

        A server of the user's own needs no key: a placeholder is sent, unless the environment has another credential of the SDK.

        Raises:
            MissingDependencyError: The SDK is not installed.
            ModelError: There is no key for the provider's own API, and the SDK does not look for one elsewhere; or the client cannot use the
                proxy of the environment.
        """
        package = self._sdk.package
        base_url = self._base_url or self._sdk.address() or None
        key = self._api_key or os.environ.get(self._sdk.variable) or None
        is_own_server = _is_own_server(None if base_url is None else str(base_url), self._sdk)
        if not key and is_own_server and not os.environ.get(self._sdk.other_variable or ""):
            key = _NO_KEY
        if not (key or is_own_server or self._sdk.finds_keys):
            no_key = self._no_key()
            raise no_key if find_spec(package) else self._no_package(f"; {no_key}")
        try:
            return self._sdk.make_client(base_url, key)
        except ImportError as error:
            raise self._no_package() from error
        except UnusableProxyError as error:
            raise ModelError(f"{self.name} cannot be asked: {error}") from None


# --- HTTP clients ---


class UnusableProxyError(Exception):
    """Raised if an HTTP client cannot use the proxy that the environment names; the text says why."""


def http_client(make: type[T], base_url: str | None) -> T:
    """Return a new HTTP client for an SDK, whose responses are limited.

    It uses the proxies of the environment, unless the server is on this machine: a proxy could not reach it, and would read the conversation and
    the key.

    Args:
        make: The SDK's class of HTTP clients, derived from one of HTTPX or httpx2.
        base_url: The URL of the server; None for the provider's own.

    Raises:
        UnusableProxyError: The client cannot use the proxy that the environment names.
    """
    options: dict[str, Any] = {}
    if base_url is not None and is_loopback(str(base_url)):
        library = next(each.__module__.partition(".")[0] for each in make.__mro__ if each.__name__ == "AsyncClient")
        # The SSL context reads SSL_CERT_FILE, which the client would not now. Anthropic's older clients trust the environment all the same.
        options = {
            "trust_env": False,
            "verify": sys.modules[library].create_ssl_context(),
            "mounts": dict.fromkeys(("all://", "http://", "https://")),
        }
    try:
        return cast("T", limit_responses(make(**options)))
    except Exception as error:  # each HTTP library has errors of its own
        problem = _proxy_problem(error)
        if problem is None:
            raise
        raise UnusableProxyError(
            f"the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: {problem}"
        ) from None


def _proxy_problem(error: Exception) -> str | None:
    """Return what an exception of an HTTP library says about a proxy; None for any other exception.

    The text of an `InvalidURL` quotes parts of the URL, such as a password, and is not in the result.
    """
    if type(error).__name__ == "InvalidURL":  # of HTTPX or httpx2
        return (
            "its URL, or a name in NO_PROXY, is not valid; in a user name or a password, characters such as / and # "
            "must be percent-encoded"
        )
    if isinstance(
        error, (ImportError, ValueError)
    ):  # SOCKS without its package; a scheme that the library does not know
        return bounded_text(str(error), ())
    return None


def is_loopback(url: str) -> bool:
    """Return whether the host of `url` is this machine.

    That is `localhost`, a name below it, or a loopback address.
    """
    import socket  # loaded by then: a client is about to be made
    from ipaddress import IPv6Address, ip_address

    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
        if host == "localhost" or host.endswith(".localhost"):  # RFC 6761, 6.3
            return True
        address = ip_address(host if ":" in host else socket.inet_aton(host))  # also 127.1, as the resolver reads it
    except (ValueError, OSError):  # not a URL; not an address
        return False
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    return address.is_loopback or address.is_unspecified  # a connection to 0.0.0.0 leads to this machine


async def _end_of(reader: StreamReader) -> Completion | None:
    """Return the completion of `reader`, or None if the answer has not ended, as a coroutine.

    Raise `ValueError` if the pieces do not fit together.
    """
    return reader.completion()


def _checked_async(client: T) -> T:
    """Return `client`, or raise `TypeError` if it is a sync client of an SDK, which would block the loop."""
    if any(each.__name__ == "SyncAPIClient" for each in type(client).__mro__):
        name = type(client).__name__
        raise TypeError(f"the client is of the class {name}, which cannot be awaited: give an Async{name}")
    return client


def _as_json(value: Any) -> Mapping[str, Any]:
    """Return `value`, an object of the SDK or a mapping, as a JSON object.

    Fields that the SDK does not know are kept.

    Raises:
        ValueError: It is not a JSON object.
        AnswerError: It is an error that the provider sent.
    """
    # Without warnings: an answer with a type that the SDK does not expect is read nevertheless.
    read = value.to_dict(mode="json", warnings=False) if hasattr(value, "to_dict") else value
    if not isinstance(read, Mapping):
        raise ValueError(f"it is not a JSON object: {read!r:.80}")  # noqa: TRY004  # from JSON
    if read.get("error") or read.get("type") == "error":
        raise AnswerError(read)
    return read


# --- A client for each event loop: its connections belong to the loop on which they were made ---


class PerLoop(Generic[T]):
    """Keeps a client for every event loop, and closes it when the loop ends, or this object is freed.

    A client is held by an asynchronous generator that waits at its `yield`. A loop closes the generators that began on it before it ends, as
    `asyncio.run` does, and a generator that is dropped is closed on its loop.

    Args:
        make: Makes a client.
        close: Closes a client of `make`; without it, no client is closed. It must not refer to the owner of this object, which would never be
            freed.
    """

    def __init__(self, make: Callable[[], T], close: Callable[[T], Awaitable[object]] | None = None) -> None:
        self._make = make
        self._close = close
        self.held: dict[asyncio.AbstractEventLoop, tuple[T, AsyncGenerator[T]]] = {}
        # `finalize` refers to the clients, so that they are still whole when this object is garbage: a collector that finds connections and
        # generators together finalises them in any order, and a connection that is finalised first is still open.
        weakref.finalize(self, self.held.clear).atexit = False

    async def aclose(self) -> None:
        """Close the client of the running loop; clients of other loops are dropped, and closed on their loops."""
        held = self.held.pop(asyncio.get_running_loop(), None)
        self.held.clear()
        if held is not None:
            await held[1].aclose()

    async def get(self) -> T:
        """Return the client of the running loop; the first call on a loop makes it."""
        loop = asyncio.get_running_loop()
        held = self.held.get(loop)
        if held is None:
            for other in [each for each in list(self.held) if each.is_closed()]:
                self.held.pop(other, None)
            holder = _hold_client(self._make(), self._close)
            held = self.held[loop] = (await anext(holder), holder)
        return held[0]


async def _hold_client(client: T, close: Callable[[T], Awaitable[object]] | None) -> AsyncGenerator[T]:
    """Yield `client` once; close it with `close`, unless that is None, when the generator is closed."""
    try:
        yield client
    finally:
        if close is not None:
            await close(client)
