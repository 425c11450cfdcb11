"""What is secret of what a server is given: variables of its environment, headers, and parts of its URL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import SplitResult, parse_qsl, unquote

from fcregistry.execution import Secrets

_NAMED_SECRET: Final = ("AUTH", "CREDENTIAL", "KEY", "PASS", "SECRET", "SIGNATURE", "TOKEN")
"""What the name of a variable, or of a part of a query, has in it whose value is nobody's business."""
_NO_SECRETS: Final = ("accept", "content-", "user-agent")
"""How the names of headers begin whose values are none."""


def environment_secrets(env: Mapping[str, str]) -> Secrets:
    """Return the values of the variables that are named as secrets are."""
    return Secrets(*(value for name, value in env.items() if _is_named_secret(name)))


def request_secrets(url: SplitResult, headers: Mapping[str, str]) -> Secrets:
    """Return what is secret of requests: values of headers, the password of the URL, and what its query names as secrets are named."""
    sent = [value for name, value in headers.items() if not name.lower().startswith(_NO_SECRETS)]
    asked = [value for name, value in parse_qsl(url.query) if _is_named_secret(name)]
    return Secrets(*sent, *asked, unquote(url.password or ""))


def _is_named_secret(name: str) -> bool:
    return any(word in name.upper() for word in _NAMED_SECRET)
