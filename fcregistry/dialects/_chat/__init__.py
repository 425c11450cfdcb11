"""How does a conversation become the one text that a model reads? By the row of a known format, or by the model's own template."""

from fcregistry.dialects._chat._format import ChatFormat
from fcregistry.dialects._chat._formats import chat_format, chat_format_names
from fcregistry.dialects._chat._template import ChatTemplate

__all__ = ["ChatFormat", "ChatTemplate", "chat_format", "chat_format_names"]
