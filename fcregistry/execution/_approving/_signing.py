"""Is a text that comes back from elsewhere one that we wrote?

A message authentication code (RFC 2104, HMAC with SHA-256) over the very characters of what is carried. Nothing of it is read before that
is found to be right.
"""

from __future__ import annotations

import json
from typing import Any, Final

from fcregistry.errors import ApprovalError

PREPARED_CALLS: Final = "fcregistry prepared calls, 1"
RUN_STATE: Final = "fcregistry run state, 1"
"""What may be signed. Each is signed by its name too, so that none can be given for another."""

_SHORTEST: Final = 16


def signed(payload: dict[str, Any], key: bytes, format: str = PREPARED_CALLS) -> str:
    """Return JSON text that carries a JSON object and its signature; the same object and key give the same text.

    Args:
        payload: The object.
        key: At least 16 bytes that nobody else knows.
        format: What it is.

    Raises:
        TypeError: The key is no bytes.
        ApprovalError: It is too short.
    """
    _check_key(key)
    text = json.dumps(payload, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return json.dumps({"format": format, "payload": text, "signature": _signature(text, key, format)})


def unsigned(text: str, key: bytes, format: str = PREPARED_CALLS) -> dict[str, Any]:
    """Return the object that a text of `signed` carries.

    Raises:
        TypeError: The text is no text, or the key no bytes.
        ApprovalError: It is no such text, was signed with another key, or changed since; or the key is too short.
    """
    _check_key(key)
    if not isinstance(text, str):
        raise TypeError(f"{_what(format)} are the text that to_json gave, not {type(text).__name__}")
    carried, signature = _parts(text, format)
    import hmac  # OpenSSL, which most processes need not load

    if not hmac.compare_digest(_bytes(signature), _bytes(_signature(carried, key, format))):
        raise ApprovalError(f"these {_what(format)} were signed with another key, or changed since; nothing was run")
    payload: dict[str, Any] = json.loads(carried)
    return payload


def _what(format: str) -> str:
    return "prepared calls" if format == PREPARED_CALLS else "states of runs"


def _parts(text: str, format: str) -> tuple[str, str]:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict) or "format" not in given:
        raise ApprovalError(f"this is no text of {_what(format)}: give what to_json gave, whole and unchanged")
    if given["format"] != format:
        raise ApprovalError(
            f"these {_what(format)} are written as {str(given['format'])[:60]!r}, and this version of fcregistry reads {format!r}; "
            "prepare the calls again"
        )
    carried, signature = given.get("payload"), given.get("signature")
    if not isinstance(carried, str) or not isinstance(signature, str):
        raise ApprovalError(
            f"this text of {_what(format)} has no payload and signature: give what to_json gave, unchanged"
        )
    return carried, signature


def _signature(text: str, key: bytes, format: str) -> str:
    import hmac  # OpenSSL, which most processes need not load

    return hmac.digest(key, _bytes(f"{format}\n{text}"), "sha256").hex()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # whoever changed the text may have put half a surrogate pair in it


def _check_key(key: bytes) -> None:
    if not isinstance(key, bytes):
        raise TypeError(f"the key is bytes, such as secrets.token_bytes(32), not {type(key).__name__}")
    if len(key) < _SHORTEST:
        raise ApprovalError(
            f"the key has {len(key)} bytes, which can be guessed: at least {_SHORTEST}, such as secrets.token_bytes(32)"
        )
