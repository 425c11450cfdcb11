"""Which models can be asked, and how? `resolve("openai:gpt-5")` gives a `Model`; its records are messages and completions.

A provider's client is one file in this folder; what it needs from elsewhere is an extra, imported at its first use. Models of installed
extensions are resolved by their prefix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._lazy import lazy_names

if TYPE_CHECKING:
    from fcregistry.models._completion import Completion, Delta, FinishReason, ToolCallDelta, Usage
    from fcregistry.models._messages import Message, MessageLike, messages_of
    from fcregistry.models._model import Model, ToolChoice

__all__ = [
    "Completion",
    "Delta",
    "FinishReason",
    "Message",
    "MessageLike",
    "Model",
    "ToolCallDelta",
    "ToolChoice",
    "Usage",
    "messages_of",
]

# Public name -> the module it lives in, imported when it is used.
_HOMES: Final = {
    "Completion": "._completion",
    "Delta": "._completion",
    "FinishReason": "._completion",
    "Message": "._messages",
    "MessageLike": "._messages",
    "Model": "._model",
    "ToolCallDelta": "._completion",
    "ToolChoice": "._model",
    "Usage": "._completion",
    "messages_of": "._messages",
}

__getattr__, __dir__ = lazy_names(globals(), _HOMES)
