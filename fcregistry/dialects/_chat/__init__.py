"""How does a conversation become the one text that a model reads? By the row of a known format, or by the model's own template."""

from __future__ import annotations

from fcregistry._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fcregistry.dialects._chat._format import ChatFormat
    from fcregistry.dialects._chat._formats import chat_format, chat_format_names
    from fcregistry.dialects._chat._template import ChatTemplate

__all__ = ["ChatFormat", "ChatTemplate", "chat_format", "chat_format_names"]

# Name -> the module it lives in, imported when it is used.
_HOMES: dict[str, str] = {
    "ChatFormat": "._format",
    "ChatTemplate": "._template",
    "chat_format": "._formats",
    "chat_format_names": "._formats",
}

__getattr__, __dir__ = lazy_names(globals(), _HOMES)
