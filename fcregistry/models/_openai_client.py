"""How is a request sent to OpenAI's APIs, or to a server that speaks them? Through the official SDK; what it raises is worded here.

Answers come out of here as plain JSON, whichever version of the SDK has read them.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from fcregistry.errors import MissingDependencyError, ModelError
from fcregistry.models._http_limits import MAX_ANSWER_BYTES, Limits, RefusedAnswerError, checked_size, send, watched
from fcregistry.models._per_loop import PerLoop
from fcregistry.models._sdk_errors import model_error

if TYPE_CHECKING:
    from openai import AsyncOpenAI

T = TypeVar("T")

VARIABLE: Final = "OPENAI_API_KEY"

Clients: TypeAlias = "AsyncOpenAI | Callable[[], AsyncOpenAI] | None"
"""A client of the SDK, or a function that makes one for each event loop."""

_NO_KEY: Final = "none"
"""Sent to a server of one's own, which looks at no key; the SDK wants one."""

_HOSTED: Final = "api.openai.com"


class Connection:
    """Sends the requests of one model.

    Args:
        model: Its name at the provider.
        provider: The prefix of its name with us.
        create: The function of a client that makes what is asked for: `client.chat.completions.create`.
        base_url: Where the API is; that of OpenAI where it is not given.
        api_key: The key for it.
        client: Takes the place of both.
        max_answer_bytes: The most bytes of one answer that are read.

    Raises:
        ValueError: A client and what it has already are both given.
        TypeError: The client is the SDK's for plain code.
    """

    def __init__(
        self,
        *,
        model: str,
        provider: str,
        create: Callable[[AsyncOpenAI], Callable[..., Any]],
        base_url: str | None,
        api_key: str | None,
        client: Clients,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
    ) -> None:
        if client is not None and (base_url is not None or api_key is not None):
            raise ValueError("give base_url and api_key, or a client, which has its own")
        self.model = model
        self.provider = provider
        self._create = create
        self._base_url = base_url
        self._api_key = api_key
        self._max_answer_bytes = checked_size(max_answer_bytes)
        if client is None or callable(client):
            make = client or self._made
            self._clients = PerLoop(lambda: _asynchronous(make()), _close)
        else:  # it stays its owner's to close
            given = _asynchronous(client)
            self._clients = PerLoop(lambda: given)

    @property
    def asked(self) -> str:
        """The model with its provider."""
        return f"{self.provider}:{self.model}"

    async def answer(self, request: Mapping[str, Any], read: Callable[[object], T]) -> T:
        """Send a request, and return what is read of the whole answer.

        Args:
            request: What the SDK is given.
            read: Reads the answer, which is JSON.

        Raises:
            ModelError: There is none.
            MissingDependencyError: The SDK is not installed.
        """
        client = await self._client()
        try:
            return read(_plain(await self._send(client, request)))
        except (Exception, RefusedAnswerError) as error:  # the SDK lets through whatever the libraries under it raise  # noqa: BLE001
            failed = [self._error(error, client)]
        # Raised outside the handler, it does not refer to the SDK's exception, which holds the key; popped, it does not refer to itself.
        raise failed.pop()

    async def pieces(self, request: Mapping[str, Any], read: Callable[[object], T]) -> AsyncGenerator[T]:
        """Send a request, and yield what is read of each piece of the answer as it comes. Whoever stops listening hangs up.

        Args:
            request: As for `answer`.
            read: Reads a piece, which is JSON.

        Raises:
            ModelError, MissingDependencyError: As for `answer`.
        """
        client = await self._client()
        try:
            async with (
                await self._send(client, {**request, "stream": True}) as stream,
                aclosing(stream.__aiter__()) as all_,
            ):
                async for piece in all_:
                    yield read(_plain(piece))
        except (Exception, RefusedAnswerError) as error:  # as above  # noqa: BLE001
            failed = [self._error(error, client)]
        else:
            return
        raise failed.pop()  # as above

    async def _client(self) -> AsyncOpenAI:
        try:
            return await self._clients.get()
        except (ModelError, MissingDependencyError):
            raise
        except Exception as error:  # what an SDK says of a URL or a variable that it cannot use  # noqa: BLE001
            failed = [self._error(error, None)]
        raise failed.pop()  # as above

    async def _send(self, client: Any, request: Mapping[str, Any]) -> Any:
        limits = Limits(asked=self.asked, answer=self._max_answer_bytes, secrets=self._secrets(client))
        return await send(self._create(client), client, request, limits)

    def _error(self, error: BaseException, client: AsyncOpenAI | None) -> ModelError:
        secrets = self._secrets(client)
        return model_error(error, model=self.model, provider=self.provider, variable=VARIABLE, secrets=secrets)

    def _secrets(self, client: AsyncOpenAI | None) -> list[str]:
        held = getattr(client, "api_key", None)  # of Azure's client, a placeholder while a token is used
        return [key for key in (self._api_key, os.environ.get(VARIABLE), held) if isinstance(key, str)]

    def _made(self) -> AsyncOpenAI:
        """Make a client, of what was given and what the environment says.

        Raises:
            MissingDependencyError: The SDK is not installed.
            ModelError: OpenAI's own API is meant, and there is no key.
        """
        try:
            # 0.7 s, and an extra: only whoever asks such a model pays for it
            from openai import AsyncOpenAI, DefaultAsyncHttpxClient
        except ImportError as error:
            raise MissingDependencyError(
                f'{self.asked} needs the package openai: pip install "fcregistry[openai]"'
            ) from error
        base_url = self._base_url or os.environ.get("OPENAI_BASE_URL") or None
        key = self._api_key or os.environ.get(VARIABLE)
        if not key and (base_url is None or _HOSTED in str(base_url)):
            raise ModelError(
                f"{self.asked} cannot be asked without a key: set {VARIABLE}, or give api_key; for a server of your own, give base_url"
            )
        http = watched(DefaultAsyncHttpxClient())
        return AsyncOpenAI(base_url=base_url, api_key=key or _NO_KEY, http_client=http)


def _asynchronous(client: AsyncOpenAI) -> AsyncOpenAI:
    """Return a client that can be awaited; the other kind would ask, and block the loop, before that is noticed."""
    if any(each.__name__ == "SyncAPIClient" for each in type(client).__mro__):
        name = type(client).__name__
        raise TypeError(f"the client is an {name}, which cannot be awaited: give an Async{name}")
    return client


async def _close(client: AsyncOpenAI) -> None:
    await client.close()


def _plain(answer: Any) -> object:
    """Return an object of the SDK as the JSON that it was read from; anything else as it is."""
    # Without warnings: a server that writes another type than the SDK expects is read all the same.
    return answer.to_dict(warnings=False) if hasattr(answer, "to_dict") else answer
