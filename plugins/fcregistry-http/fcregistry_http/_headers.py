"""The header of a request, and the secrets in it."""

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
    """A header that is read from an environment variable at each call. The tool requires the variable.

    Its value is replaced by `…` in whatever the endpoint answers and in the client's logs, unless it has fewer than 4 characters.

    Attributes:
        variable: The name of the variable.
        form: What is sent: `{}` stands for the value, as in `Bearer {}`.
    """

    variable: str
    form: str = "{}"

    def value(self) -> str:
        """Return what is sent now."""
        return self.sent()[0]

    def sent(self) -> tuple[str, tuple[str, ...]]:
        """Return what is sent now, and what of it is secret: the variable's value, and all of it."""
        given = os.environ.get(self.variable, "")
        sent = self.form.replace("{}", given)
        return sent, (given, sent) if given.strip() else ()


Headers: TypeAlias = Mapping[str, "str | FromEnv"]


def header_problems(headers: Mapping[Any, object]) -> list[str]:
    """Return what is wrong with headers as they were given."""
    problems = []
    for name, value in headers.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            problems.append(f"{name!r} is no name of a header")
        if not isinstance(value, (str, FromEnv)):
            problems.append(f"the header {name} is a string or FromEnv('VARIABLE'), not {type(value).__name__}")
        elif not _can_be_sent(value if isinstance(value, str) else value.form):
            problems.append(f"the header {name} holds a character that cannot be sent")
    return problems


def headers_now(headers: Headers) -> tuple[dict[str, str], Secrets]:
    """Return headers as they are sent, and what is secret of them.

    Raises:
        ToolError: A variable holds what cannot be sent; it is not shown.
    """
    now: dict[str, str] = {}
    secret: list[str] = []
    for name, value in headers.items():
        now[name], hidden = (value, ()) if isinstance(value, str) else value.sent()
        secret += hidden
        if not _can_be_sent(now[name]):
            raise ToolError(f"the header {name} cannot be sent: its variable holds a character that headers have not")
    return now, Secrets(*secret)


def _can_be_sent(value: str) -> bool:
    return bool(_VALUE.fullmatch(value)) and value.isascii()
