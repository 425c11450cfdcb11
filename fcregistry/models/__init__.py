"""Which models can be asked, and how? `resolve("openai:gpt-5")` gives a `Model`; its records are messages and completions.

A provider's client is one file in this folder; what it needs from elsewhere is an extra, imported at its first use. Models of installed
extensions are resolved by their prefix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._lazy import lazy_names

if TYPE_CHECKING:
    from fcregistry.models._anthropic import AnthropicMessages
    from fcregistry.models._callable import CallableModel
    from fcregistry.models._messages import Message, MessageLike, messages_of
    from fcregistry.models._model import (
        Completion,
        Delta,
        FinishReason,
        Model,
        ToolCallDelta,
        ToolChoice,
        Usage,
        offered,
    )
    from fcregistry.models._openai import OpenAIChat, OpenAIResponses
    from fcregistry.models._resolve import ModelLike, resolve
    from fcregistry.models._text import TextModel

__all__ = [
    "AnthropicMessages",
    "CallableModel",
    "Completion",
    "Delta",
    "FinishReason",
    "Message",
    "MessageLike",
    "Model",
    "ModelLike",
    "OpenAIChat",
    "OpenAIResponses",
    "TextModel",
    "ToolCallDelta",
    "ToolChoice",
    "Usage",
    "messages_of",
    "offered",
    "resolve",
]

# Public name -> the module it lives in, imported when it is used.
_HOMES: Final = {
    "AnthropicMessages": "._anthropic",
    "CallableModel": "._callable",
    "Completion": "._model",
    "Delta": "._model",
    "FinishReason": "._model",
    "Message": "._messages",
    "MessageLike": "._messages",
    "Model": "._model",
    "ModelLike": "._resolve",
    "OpenAIChat": "._openai",
    "OpenAIResponses": "._openai",
    "TextModel": "._text",
    "ToolCallDelta": "._model",
    "ToolChoice": "._model",
    "Usage": "._model",
    "messages_of": "._messages",
    "offered": "._model",
    "resolve": "._resolve",
}

__getattr__, __dir__ = lazy_names(globals(), _HOMES)
