"""The secrets among the environment variables, headers and URL parts that a server is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import SplitResult, parse_qsl, unquote

from fcregistry.execution import Secrets

_NAMED_SECRET: Final = ("AUTH", "CREDENTIAL", "KEY", "PASS", "SECRET", "SIGNATURE", "TOKEN")
"""Words in the name of a variable or query parameter that mean that its value is secret."""
_NO_SECRETS: Final = ("accept", "content-", "user-agent")
"""Beginnings of the names of headers whose values are not secret."""


def environment_secrets(env: Mapping[str, str]) -> Secrets:
    """Return the secrets in `env`: the values of the variables whose names suggest a secret."""
    return Secrets(*(value for name, value in env.items() if _is_named_secret(name)))


def request_secrets(url: SplitResult, headers: Mapping[str, str]) -> Secrets:
    """Return the secrets in requests: values of `headers`, and parts of `url`.

    These are its password, and secret parameters of its query.
    """
    sent = [value for name, value in headers.items() if not name.lower().startswith(_NO_SECRETS)]
    asked = [value for name, value in parse_qsl(url.query) if _is_named_secret(name)]
    return Secrets(*sent, *asked, unquote(url.password or ""))


def _is_named_secret(name: str) -> bool:
    """Return whether `name`, of a variable or a parameter, suggests that its value is secret."""
    return any(word in name.upper() for word in _NAMED_SECRET)
