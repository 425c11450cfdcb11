"""Errors of providers in words, with what to do about them, and without the key or the conversation.

The SDKs of OpenAI and Anthropic name their exceptions alike, and HTTPX names its own, so these names distinguish exceptions: neither an SDK nor
an HTTP library is imported here. An exception of an SDK holds the request, and with it the key and the conversation; what is raised refers to none.

Sources: OpenAI guide "Error codes"; Anthropic API reference, "Errors"; RFC 9110, 10.2.3 (`Retry-After`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from fcregistry._base.wording import seconds_text
from fcregistry.errors import ModelError, exception_message
from fcregistry.models._messages import join_surrogates

_MAX_TEXT: Final = 500
"""Characters of a provider's text that are kept."""

_MAX_CAUSES: Final = 5
"""The number of causes of an exception that are named."""

MIN_SECRET: Final = 8
"""Characters. A shorter text is not a key: it is a word for a server that checks none, and occurs within other words."""

_URL = re.compile(r"""(?<![a-z0-9+.-])[a-z0-9+.-]++://[^\s"'<>)\]]+""", re.IGNORECASE)
_KEY = re.compile(r"\b(?:sk|pk|rk|gsk|hf|xai|org|proj)[-_](?=[\w*-]*[\d*])[\w*-]{4,}|\bAIza[\w-]{10,}|(?<=Bearer )\S+")
"""Keys of OpenAI, Anthropic, Groq, Hugging Face, xAI and Google, also where a provider has starred most of one."""

_STATUSES: Final[Mapping[int, tuple[str, str]]] = {
    400: ("refuses the request", "change what it names"),
    401: (
        "does not accept the key",
        "set {variable} to a key of that provider; in Python, you can pass api_key instead",
    ),
    402: ("wants to be paid first", "look at the account of the key in {variable}"),
    403: ("does not allow that with this key", "look at what the key in {variable} may use, and from where"),
    404: ("does not know it", "check the model's name, {model!r}, and base_url"),
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

_NO_CREDIT_CODES: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
"""Codes of a 429 that waiting does not end."""

_TRANSIENT_CODES: Final = frozenset(
    {
        *("server_error", "internal_server_error", "internal_error", "api_error"),
        *("overloaded_error", "overloaded", "service_unavailable"),
        *("rate_limit_error", "rate_limit_exceeded", "timeout_error", "timeout"),
    }
)
"""Types and codes of errors without a status that may pass."""


def model_error(
    error: BaseException,
    full_name: str,
    variable: str,
    secrets: Iterable[str],
    start: str = "",
    seconds: object = None,
) -> ModelError:
    """Return the error for an exception of an SDK, with a description of that exception as its cause.

    The exception itself refers to the request, and so to the key and the conversation. Raise the returned error outside the handler of the
    exception; otherwise it would refer to the exception.

    Args:
        error: The exception of the SDK, or of the HTTP library under it.
        full_name: The name of the model with its provider: `openai:gpt-5`.
        variable: The environment variable that holds the key.
        secrets: Texts that must not be shown: the key, from any source.
        start: What to do if the server, which is a local one, does not run.
        seconds: The `timeout` in the settings of the model, or None.
    """
    if isinstance(error, RefusedAnswerError):
        return error.error
    hidden = [each.strip() for each in secrets if len(each.strip()) >= MIN_SECRET]
    if isinstance(error, ModelError):  # its text may quote a secret; so may its traceback
        for secret in hidden:
            error.args = (str(error).replace(secret, "…"),)
        return error.with_traceback(None)
    worded = _model_error(error, full_name, variable, hidden, start, seconds)
    worded.__cause__ = SdkError(_describe(error, hidden))
    return worded


class SdkError(Exception):
    """The description of an SDK's exception, without secrets: types, status, id of the request, texts."""


class AnswerError(ValueError):
    """An error that a provider sends in place of an answer, or in the middle of it, after the HTTP status.

    Attributes:
        body: The error, as the provider writes it.
    """

    def __init__(self, body: object) -> None:
        super().__init__("the provider sent an error")
        self.body = body


class RefusedAnswerError(BaseException):
    """Raised to stop reading an answer.

    It is not an `Exception`: the SDKs would take it for a failed connection, and send the request again.

    Attributes:
        error: The error for the caller.
    """

    def __init__(self, error: ModelError) -> None:
        super().__init__(str(error))
        self.error = error


def _within(seconds: object) -> str:
    """Return the end of the message about a request that took too long, with the `timeout` in the settings, if any."""
    if seconds is None:
        return 'in time: try again, or allow more seconds with settings={"timeout": …}'
    within = f"within {seconds_text(seconds)}" if isinstance(seconds, (int, float)) else "in time"
    return f'{within}: try again, or allow more than settings={{"timeout": {seconds!r:.80}}}'


def _model_error(
    error: BaseException, full_name: str, variable: str, hidden: Sequence[str], start: str, seconds: object
) -> ModelError:
    """Return the `ModelError` for `error`, by its HTTP status or the names of its classes.

    The arguments are those of `model_error`. An exception of an unknown class becomes an error that says its class and its text.
    """
    kinds = _kinds(error)
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status >= 400:
        return _status_error(error, status, _error_text(error, hidden), full_name, variable)
    if kinds & {"APITimeoutError", "TimeoutException", "TimeoutError"}:
        return ModelError(f"{full_name} did not answer {_within(seconds)}", retryable=True)
    if kinds & {"APIConnectionError", "TransportError", "RequestError", "OSError"}:
        return _connection_error(error, full_name, variable, start)
    if isinstance(error, AnswerError):
        return _error_in_answer(error.body, full_name, hidden)
    if "APIError" in kinds and "APIResponseValidationError" not in kinds:
        return _error_in_answer(getattr(error, "body", None) or exception_message(error), full_name, hidden)
    if "UnicodeEncodeError" in kinds:
        return ModelError(
            f"{full_name} cannot be asked: the conversation has text that is not valid Unicode, a surrogate without its pair; "
            "replace it, as text.encode('utf-8', 'replace') does"
        )
    if kinds & {
        "ValueError",
        "APIResponseValidationError",
        "RecursionError",
    }:  # invalid JSON and invalid UTF-8 among them
        why = "its JSON is nested too deeply" if "RecursionError" in kinds else _error_text(error, hidden)
        return ModelError(
            f"{full_name} sent an answer that cannot be read: {why}; check that base_url is the provider's API"
        )
    return ModelError(f"{full_name} cannot be asked: {type(error).__name__}: {_error_text(error, hidden)}")


def incomplete_answer(full_name: str, *, has_begun: bool = True) -> ModelError:
    """Return the error for an answer that ends without its last event.

    Args:
        full_name: The name of the model with its provider: `openai:gpt-5`.
        has_begun: Whether the server sent a part of the streamed answer. A web page, or an answer that is not streamed, does not count.
    """
    hint = "" if has_begun else ", or check base_url, and whether that server can stream: it sent no part of the answer"
    return ModelError(f"{full_name}: the answer broke off before it was complete; try again{hint}", retryable=True)


def _error_in_answer(body: object, full_name: str, secrets: Iterable[str]) -> ModelError:
    """Return the `ModelError` for `body`, an error that the provider sent in place of an answer.

    It is `retryable` if a code in `body` says so; the texts `secrets` are left out.
    """
    codes = _codes(body)
    is_transient = bool(codes & _TRANSIENT_CODES) or any(
        code in _RETRYABLE or code >= 500 for code in map(_code_number, codes)
    )
    advice = "try again" if is_transient else "the same request would fail again"
    text = bounded_text(_message(body) or "it does not say why", secrets)
    return ModelError(f"{full_name} failed while it answered: {text}; {advice}", retryable=is_transient)


def _status_error(error: BaseException, status: int, text: str, full_name: str, variable: str) -> ModelError:
    """Return the `ModelError` for the HTTP `status`, with the provider's `text` and advice.

    It is `retryable` by its status, its codes and the header `x-should-retry`; if so, it has the seconds to wait that the response asks for.
    """
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    wait = _retry_after(headers)
    what, advice = _STATUSES.get(status) or _STATUSES[500 if status >= 500 else 400]
    retryable = status in _RETRYABLE or status >= 500
    if _codes(getattr(error, "body", None)) & _NO_CREDIT_CODES:
        retryable, what, advice = False, "has no credit left for this key", _STATUSES[402][1]
    if (advised := headers.get("x-should-retry")) in ("true", "false"):  # a header of both providers
        retryable = advised == "true"
    later = "later" if wait is None else f"in {wait:g} s"
    advice = advice.format(variable=variable, model=full_name.partition(":")[2], later=later)
    return ModelError(
        f"{full_name}: the provider {what} (HTTP {status}){f': {text}' if text else ''}; {advice}",
        status=status,
        retryable=retryable,
        retry_after=wait if retryable else None,
    )


def _connection_error(error: BaseException, full_name: str, variable: str, start: str) -> ModelError:
    """Return the `ModelError` for a connection that could not be made, or broke off.

    The causes of `error` show which of the two happened, or that the URL, the key or the certificate is not valid, which alone is not
    `retryable`.
    """
    # Late, as in `bounded_text`
    from fcregistry._base.certificates import tls_problem

    kinds = set[str]().union(*map(_kinds, _causes(error)))
    if kinds & {"ReadError", "RemoteProtocolError", "ConnectionResetError"}:
        return incomplete_answer(full_name)
    if kinds & {"LocalProtocolError", "UnsupportedProtocol"}:
        return ModelError(
            f"{full_name} cannot be asked: base_url does not begin with http or https, or the key of {variable} has a line end in it"
        )
    if problem := tls_problem(error):
        return ModelError(f"{full_name}: {problem}")
    if "ProxyError" in kinds:
        return ModelError(
            f"{full_name}: the proxy refuses to connect to the provider; look at HTTPS_PROXY, or name the provider's host in NO_PROXY",
            retryable=True,
        )
    return ModelError(
        f"{full_name}: the server cannot be reached; {start}"
        if start
        else f"{full_name}: the provider cannot be reached; look at base_url, at the network, and whether the server runs",
        retryable=True,
    )


def _describe(error: BaseException, hidden: Sequence[str]) -> str:
    """Return a description of `error` and its causes: types, HTTP status, id of the request, texts.

    The texts are that of an HTTP error and those of `OSError`s; the texts `hidden` are left out of them. At most `_MAX_CAUSES` types and
    texts are named.
    """
    status, request = getattr(error, "status_code", None), getattr(error, "request_id", None)
    facts = [
        f"HTTP {status}" if isinstance(status, int) else "",
        f"request {request}" if isinstance(request, str) else "",
    ]
    # Texts of HTTP libraries may quote the header with the key, in any escaping; the system's own errors do not know headers.
    texts = [_error_text(error, hidden) if isinstance(status, int) else ""]
    texts += [bounded_text(exception_message(each), hidden) for each in _causes(error) if isinstance(each, OSError)]
    kinds = [f"{type(each).__module__.partition('.')[0]}.{type(each).__name__}" for each in _causes(error)]
    described = "; ".join(filter(None, [" from ".join(kinds[:_MAX_CAUSES]), *facts, *texts[:_MAX_CAUSES]]))
    return bounded_text(described, hidden)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield `error`, and then the exceptions that it was raised from, or while handling, the latest first."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _kinds(error: BaseException) -> set[str]:
    """Return the names, without modules, of the class of `error` and of all its base classes."""
    return {each.__name__ for each in type(error).__mro__}


def _codes(body: object) -> set[str]:
    """Return the values of `type` and `code` in `body`, an error of a provider, and in its field `error`.

    Numbers become text; the set is empty if there are none.
    """
    places = [body, body.get("error")] if isinstance(body, Mapping) else []
    found = [place.get(name) for place in places if isinstance(place, Mapping) for name in ("type", "code")]
    return {str(code) for code in found if isinstance(code, (str, int))}


def _code_number(code: str) -> int:
    """Return the number that `code` writes in digits, or 0 if it is anything else."""
    return int(code) if code.isdecimal() else 0


def _error_text(error: BaseException, secrets: Iterable[str]) -> str:
    """Return the provider's text in `error`, or else that of the exception, without `secrets`.

    It is empty for an HTTP error without a text of the provider.
    """
    has_status = hasattr(error, "status_code")  # then the text of the exception says no more than the status
    return bounded_text(
        _message(getattr(error, "body", None)) or ("" if has_status else exception_message(error)), secrets
    )


def _message(body: object) -> str:
    """Return the text in `body`, the body of an error as servers write it.

    It is empty if there is none, or if it is HTML. An object or a list that is found in place of a text is returned as its `repr`.
    """
    found: Any = body
    for name in ("error", "message", "detail"):
        if isinstance(found, Mapping) and found.get(name):
            found = found[name]
    if isinstance(found, str):
        return "" if found.lstrip().startswith("<") else found
    return repr(found) if isinstance(found, (list, Mapping)) and found else ""


def bounded_text(text: str, secrets: Iterable[str]) -> str:
    """Return `text`, which a provider wrote, on one line of limited length.

    URLs, keys and `secrets` are replaced.
    """
    # Late: it comes with the wording of results, and only errors need it here
    from fcregistry.execution import scrub

    secrets = [each for each in secrets if len(each) >= MIN_SECRET]
    text = " ".join(_KEY.sub("…", _URL.sub("…", scrub(join_surrogates(text), secrets))).split()).rstrip(".;: ")
    return text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}…"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait that `headers` ask for, or None if they ask for none, or are not valid.

    The header `retry-after-ms` has milliseconds; `retry-after` has seconds, or a date, of which a past one is 0.
    """
    from email.utils import parsedate_to_datetime  # only for replies with a date
    from time import time

    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):  # the first is OpenAI's own
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        return seconds if 0 <= seconds < float("inf") else None
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time())
    except (ValueError, OverflowError):
        return None
