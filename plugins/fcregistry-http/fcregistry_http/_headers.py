"""The headers of a request, and the secrets in them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from fcregistry.errors import ToolError
from fcregistry.execution import Secrets

_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # a token (RFC 9110, 5.6.2)
_VALUE: Final = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f]*")  # no control character but the tab (RFC 9110, 5.5)


@dataclass(frozen=True, slots=True)
class FromEnv:
    """A header whose value is read from an environment variable, which the tool requires, at each call.

    Wherever the value appears in the endpoint's answers or in the client's logs, it is replaced by `…`, unless it has fewer than 4 characters.

    Attributes:
        variable: The name of the variable.
        form: The text of the header, with `{}` where the value goes: `Bearer {}`.
    """

    variable: str
    form: str = "{}"

    def value(self) -> str:
        """Return the text of the header, with the variable's current value."""
        return self.sent()[0]

    def sent(self) -> tuple[str, tuple[str, ...]]:
        """Return the text of the header, and the secrets in it: the variable's value, and the whole text."""
        given = os.environ.get(self.variable, "")
        sent = self.form.replace("{}", given)
        return sent, (given, sent) if given.strip() else ()


Headers: TypeAlias = Mapping[str, "str | FromEnv"]


def header_problems(headers: Mapping[Any, object]) -> list[str]:
    """Return messages about `headers`, the argument of `http_tool`, that are not valid."""
    problems = []
    for name, value in headers.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            problems.append(f"{name!r} is not a valid header name")
        if not isinstance(value, (str, FromEnv)):
            problems.append(f"the header {name} must be a string or FromEnv('VARIABLE'), not {type(value).__name__}")
        elif not _can_be_sent(value if isinstance(value, str) else value.form):
            problems.append(f"the header {name} contains a character that headers cannot have")
    return problems


def headers_now(headers: Headers) -> tuple[dict[str, str], Secrets]:
    """Return `headers` as they are sent now, and the secrets in them.

    Raises:
        ToolError: The value of a variable cannot be sent. The message does not show it.
    """
    now: dict[str, str] = {}
    secret: list[str] = []
    for name, value in headers.items():
        now[name], hidden = (value, ()) if isinstance(value, str) else value.sent()
        secret += hidden
        if not _can_be_sent(now[name]):
            raise ToolError(
                f"the header {name} cannot be sent: its variable contains a character that headers cannot have"
            )
    return now, Secrets(*secret)


def _can_be_sent(value: str) -> bool:
    """Return whether `value` can be the value of a header."""
    return bool(_VALUE.fullmatch(value)) and value.isascii()
