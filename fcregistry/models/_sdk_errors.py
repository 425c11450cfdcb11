"""What does the exception of a provider's SDK say to whoever asked the model? What failed, what to do, whether to try again.

The SDKs of OpenAI and Anthropic name their exceptions alike, and HTTPX names its own, so they are told by these names: no SDK is imported
here. Sources: OpenAI guide "Error codes"; Anthropic API reference, "Errors"; RFC 9110, 10.2.3 (`Retry-After`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from fcregistry.errors import ModelError, said_by
from fcregistry.models._http_limits import RefusedAnswerError
from fcregistry.models._surrogates import joined

_MOST_SAID: Final = 500
"""Characters that are kept of what a provider says."""

_MOST_CAUSES: Final = 5
"""Exceptions that are named, of those that one comes from."""

_SHORTEST_SECRET: Final = 8
"""Characters. What is shorter opens nothing: it is a word given to a server that looks at no key, and stands in other words."""

_URL = re.compile(r"""(?<![a-z0-9+.-])[a-z0-9+.-]++://[^\s"'<>)\]]+""", re.IGNORECASE)
_KEY = re.compile(r"\b(?:sk|pk|rk|gsk|hf|xai|org|proj)[-_](?=[\w*-]*[\d*])[\w*-]{4,}|\bAIza[\w-]{10,}|(?<=Bearer )\S+")
"""Keys of OpenAI, Anthropic, Groq, Hugging Face, xAI and Google, also where a provider has starred most of one."""

_STATUSES: Final[Mapping[int, tuple[str, str]]] = {
    400: ("refuses the request", "change what it names"),
    401: ("does not accept the key", "set {variable} to a key of that provider, or give api_key"),
    402: ("wants to be paid first", "look at the account of the key in {variable}"),
    403: ("does not allow that with this key", "look at what the key in {variable} may use, and from where"),
    404: ("does not know it", "look at the model's name, {model!r}, and where base_url leads"),
    408: ("waited too long for the request", "try again"),
    409: ("has another request in the way", "try again"),
    413: ("takes no request of that size", "send fewer messages, or smaller images and files"),
    422: ("cannot work with the request", "change what it names"),
    429: ("takes no more requests for now", "try again {later}, and ask less often"),
    500: ("has failed", "try again {later}"),
    502: ("cannot be reached behind its gateway", "try again {later}"),
    503: ("is not available now", "try again {later}"),
    504: ("did not answer its gateway in time", "try again {later}"),
    529: ("is overloaded", "try again {later}"),
}
"""HTTP status -> what the provider does, and what to do about it."""

_RETRYABLE: Final = frozenset({408, 409, 429})
"""Beside all of 500 and above."""

_SPENT: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
"""Codes of a 429 that no waiting ends."""

_PASSING: Final = frozenset(
    {
        *("server_error", "internal_server_error", "internal_error", "api_error"),
        *("overloaded_error", "overloaded", "service_unavailable"),
        *("rate_limit_error", "rate_limit_exceeded", "timeout_error", "timeout"),
    }
)
"""Types and codes, of an error that is told without a status, that may pass."""


def model_error(
    error: BaseException, *, model: str, provider: str, variable: str, secrets: Iterable[str | None] = ()
) -> ModelError:
    """Return what is raised for an exception of an SDK, with a copy of that exception in words as its cause.

    The exception itself holds the request, and with it the key and the conversation: raise this where it is not being handled, since what
    is raised there would refer to it.

    Args:
        error: What the SDK, or the HTTP library under it, raised.
        model: The name of the model at its provider: `gpt-5`.
        provider: The prefix of the model: `openai`.
        variable: The environment variable that holds the key.
        secrets: What must not be shown: the key, wherever it came from.
    """
    if isinstance(error, RefusedAnswerError):
        return error.error
    hidden = [each.strip() for each in secrets if each and len(each.strip()) >= _SHORTEST_SECRET]
    if isinstance(error, ModelError):  # of what was read, which may quote a secret; so may what its traceback holds
        for secret in hidden:
            error.args = (str(error).replace(secret, "…"),)
        return error.with_traceback(None)
    worded = _worded(error, f"{provider}:{model}", model, variable, hidden)
    worded.__cause__ = SdkError(_described(error, hidden))
    return worded


class SdkError(Exception):
    """What an SDK raised, in words that hold no secret: the types of its exceptions, the status, the id of the request, what was said."""


def _worded(error: BaseException, asked: str, model: str, variable: str, hidden: Sequence[str]) -> ModelError:
    kinds = _kinds(error)
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status >= 400:
        return _of_status(error, status, _said(error, hidden), asked=asked, model=model, variable=variable)
    if kinds & {"APITimeoutError", "TimeoutException", "TimeoutError"}:
        return ModelError(
            f"{asked} did not answer in time: try again, or give a client with a longer timeout", retryable=True
        )
    if kinds & {"APIConnectionError", "TransportError", "RequestError", "OSError"}:
        return _of_connection(error, asked, variable)
    if "APIError" in kinds and "APIResponseValidationError" not in kinds:
        return told_error(getattr(error, "body", None) or said_by(error), asked, hidden)
    if "UnicodeEncodeError" in kinds:
        return ModelError(
            f"{asked} cannot be asked: the conversation holds text that is no Unicode, a surrogate without its pair; "
            "replace it, as text.encode('utf-8', 'replace') does"
        )
    if "RecursionError" in kinds:
        return unreadable(asked, "its JSON is nested too deeply")
    if kinds & {"ValueError", "APIResponseValidationError"}:  # JSON that is none, or text that is no UTF-8, among them
        return unreadable(asked, _said(error, hidden))
    return ModelError(f"{asked} cannot be asked: {type(error).__name__}: {_said(error, hidden)}")


def unreadable(asked: str, why: str) -> ModelError:
    """Return what is raised where an answer is not in the provider's shape.

    Args:
        asked: The model with its provider: `openai:gpt-5`.
        why: What is wrong with the answer.
    """
    return ModelError(f"{asked} answered what cannot be read: {why}; look where base_url leads")


def broken_off(asked: str, *, has_begun: bool = True) -> ModelError:
    """Return what is raised where an answer ends before it says that it does.

    Args:
        asked: The model with its provider: `openai:gpt-5`.
        has_begun: Whether anything of it came: a page, or an answer that is not streamed, is no piece of one.
    """
    hint = (
        "" if has_begun else ", or look where base_url leads, and whether that server streams: not a piece of it came"
    )
    return ModelError(f"{asked}: the answer broke off before it was complete; try again{hint}", retryable=True)


def told_error(body: object, asked: str, secrets: Iterable[str] = ()) -> ModelError:
    """Return what is raised for an error that a provider tells in the place of an answer, or in its middle, where no status can be told any more.

    Args:
        body: The error, as the provider writes it.
        asked: The model with its provider.
        secrets: What must not be shown.
    """
    codes = _codes(body)
    passing = bool(codes & _PASSING) or any(code in _RETRYABLE or code >= 500 for code in map(_number, codes))
    advice = "try again" if passing else "the same request would fail again"
    said = bounded(_message(body) or "it does not say why", secrets)
    return ModelError(f"{asked} failed while it answered: {said}; {advice}", retryable=passing)


def _of_status(error: BaseException, status: int, said: str, *, asked: str, model: str, variable: str) -> ModelError:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    wait = _retry_after(headers)
    what, advice = _STATUSES.get(status) or _STATUSES[500 if status >= 500 else 400]
    retryable = status in _RETRYABLE or status >= 500
    if _codes(getattr(error, "body", None)) & _SPENT:
        retryable, what, advice = False, "has no credit left for this key", _STATUSES[402][1]
    if (told := headers.get("x-should-retry")) in ("true", "false"):  # the word of both providers for it
        retryable = told == "true"
    later = "later" if wait is None else f"in {wait:g} s"
    advice = advice.format(variable=variable, model=model, later=later)
    return ModelError(
        f"{asked}: the provider {what} (HTTP {status}){f': {said}' if said else ''}; {advice}",
        status=status,
        retryable=retryable,
        retry_after=wait if retryable else None,
    )


def _of_connection(error: BaseException, asked: str, variable: str) -> ModelError:
    """Word a connection that could not be made, or broke: what the SDK raised does not say which, its causes do."""
    kinds = set[str]().union(*map(_kinds, _causes(error)))
    if kinds & {"ReadError", "RemoteProtocolError", "ConnectionResetError"}:
        return broken_off(asked)
    if kinds & {"LocalProtocolError", "UnsupportedProtocol"}:
        return ModelError(
            f"{asked} cannot be asked: base_url does not begin with http or https, or the key of {variable} has a line end in it"
        )
    return ModelError(
        f"{asked}: the provider cannot be reached; look at base_url, at the network, and whether the server runs",
        retryable=True,
    )


def _described(error: BaseException, hidden: Sequence[str]) -> str:
    """Describe an exception of an SDK, and those that it comes from."""
    status, request = getattr(error, "status_code", None), getattr(error, "request_id", None)
    facts = [
        f"HTTP {status}" if isinstance(status, int) else "",
        f"request {request}" if isinstance(request, str) else "",
    ]
    # What HTTP libraries say may quote the header with the key, in any escaping; the system's own errors know of no header.
    said = [_said(error, hidden) if isinstance(status, int) else ""]
    said += [bounded(said_by(each), hidden) for each in _causes(error) if isinstance(each, OSError)]
    kinds = [f"{type(each).__module__.partition('.')[0]}.{type(each).__name__}" for each in _causes(error)]
    described = "; ".join(filter(None, [" from ".join(kinds[:_MOST_CAUSES]), *facts, *said[:_MOST_CAUSES]]))
    return bounded(described, hidden)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _kinds(error: BaseException) -> set[str]:
    return {each.__name__ for each in type(error).__mro__}


def _codes(body: object) -> set[str]:
    """Return the types and codes that an error carries, wherever it has them."""
    places = [body, body.get("error")] if isinstance(body, Mapping) else []
    found = [place.get(name) for place in places if isinstance(place, Mapping) for name in ("type", "code")]
    return {str(code) for code in found if isinstance(code, (str, int))}


def _number(code: str) -> int:
    return int(code) if code.isdecimal() else 0


def _said(error: BaseException, secrets: Iterable[str]) -> str:
    """Return what an exception says: the provider's own words, where it has some."""
    has_status = hasattr(error, "status_code")  # without words of the provider, its text is no more than the status
    return bounded(_message(getattr(error, "body", None)) or ("" if has_status else said_by(error)), secrets)


def _message(body: object) -> str:
    """Return the words in the body of an error, in the shapes that servers write; a page of HTML has none for us."""
    found: Any = body
    for name in ("error", "message", "detail"):
        if isinstance(found, Mapping) and found.get(name):
            found = found[name]
    if isinstance(found, str):
        return "" if found.lstrip().startswith("<") else found
    return repr(found) if isinstance(found, (list, Mapping)) and found else ""


def bounded(text: str, secrets: Iterable[str]) -> str:
    """Return a text of a provider on one line, without URLs and keys."""
    # All that words results comes with it, and only what failed needs it here
    from fcregistry.execution._messages import scrub

    secrets = [each for each in secrets if len(each) >= _SHORTEST_SECRET]
    text = " ".join(_KEY.sub("…", _URL.sub("…", scrub(joined(text), secrets))).split()).rstrip(".;: ")
    return text if len(text) <= _MOST_SAID else f"{text[:_MOST_SAID]}…"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a reply says to wait, in milliseconds as OpenAI does, in seconds, or as a date; None where it does not say."""
    milliseconds, given = _seconds(headers.get("retry-after-ms")), headers.get("retry-after")
    if milliseconds is not None:
        return milliseconds / 1000
    return _seconds(given) if _seconds(given) is not None else _until(given)


def _seconds(text: str | None) -> float | None:
    try:
        seconds = float(text or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _until(date: str | None) -> float | None:
    """Return the seconds until a date of HTTP; none of one that is over."""
    from email.utils import parsedate_to_datetime  # these only where a date is given
    from time import time

    try:
        return max(0.0, parsedate_to_datetime(date or "").timestamp() - time())
    except (ValueError, OverflowError):
        return None
