"""Log messages that a server sends over the protocol, in the logger `fcregistry_mcp`.

Source: Model Context Protocol specification, "Server features: Utilities: Logging".
"""

from __future__ import annotations

import json
import logging
from typing import Final

from mcp.types import LoggingLevel, LoggingMessageNotificationParams

from fcregistry_mcp._stderr import LONGEST, printable

_LEVELS: Final[dict[LoggingLevel, int]] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "notice": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "critical": logging.CRITICAL,
    "alert": logging.CRITICAL,
    "emergency": logging.CRITICAL,
}
"""The protocol's levels, from the lowest."""


async def log_message(server: str, message: LoggingMessageNotificationParams) -> None:
    """Log a message of a server, with the server's name."""
    log, level = logging.getLogger("fcregistry_mcp"), _LEVELS[message.level]
    if not log.isEnabledFor(level):
        return
    text = message.data if isinstance(message.data, str) else json.dumps(message.data, ensure_ascii=False, default=str)
    part = f"{message.logger}: " if message.logger else ""
    log.log(level, "%s: %s", server, printable(f"{part}{text}"[: 2 * LONGEST])[:LONGEST])


def wanted_level() -> LoggingLevel:
    """Return the lowest level that the logger handles.

    Since 2026-07-28, a server sends messages only to a client that asks for a level.
    """
    log = logging.getLogger("fcregistry_mcp")
    return next((name for name, level in _LEVELS.items() if log.isEnabledFor(level)), "emergency")
