"""What does an exception say, to one who sees nothing of it but a text? Its message, and what it carries beside that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fcregistry.errors import ToolError, said_by

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_INNER: Final = 5
_STATUS_NAMES: Final = ("status_code", "status")


def told_by(exception: BaseException) -> str:
    """Return what an exception says, with the HTTP status that it carries, and with what those say that it is a group of (PEP 654).

    A `ToolError` has said all that its author wants said.
    """
    said = said_by(exception)
    if isinstance(exception, ToolError):
        return said
    if isinstance(exception, BaseExceptionGroup):
        inner = list(_inner(exception))
        more = f"; and {len(inner) - _MOST_INNER} more" if len(inner) > _MOST_INNER else ""
        return f"{said}: {'; '.join(map(_typed, inner[:_MOST_INNER]))}{more}"
    status = _http_status(exception)
    if status is None or str(status) in said:
        return said
    return f"{said} (HTTP {status})" if said else f"HTTP {status}"


def _inner(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    """Yield the exceptions that a group and the groups within hold, in their order."""
    waiting: list[BaseException] = [group]
    while waiting:
        each = waiting.pop()
        if isinstance(each, BaseExceptionGroup):
            waiting += reversed(each.exceptions)
        else:
            yield each


def _typed(exception: BaseException) -> str:
    said = told_by(exception)
    if isinstance(exception, ToolError) and said:
        return said
    return f"{type(exception).__name__}: {said}" if said else type(exception).__name__


def _http_status(exception: BaseException) -> int | None:
    """Return the status of the failed request that an exception is about, as clients for HTTP keep it: on it, or on its response."""
    for holder in (exception, _attribute(exception, "response")):
        for name in _STATUS_NAMES:
            status = _attribute(holder, name)
            if isinstance(status, int) and 400 <= status <= 599:
                return int(status)
    return None


def _attribute(value: object, name: str) -> Any:
    try:
        return getattr(value, name, None)
    except Exception:  # a property of a foreign exception may raise anything; then it does not say  # noqa: BLE001
        return None
