"""Models and their records: `resolve("openai:gpt-5")` gives a `Model`, which answers messages.

A provider's client has its own files in this folder; its SDK is an extra, imported at its first use. Models of installed
extensions are resolved by their prefix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._lazy import lazy_names

if TYPE_CHECKING:
    from fcregistry.formats import FinishReason
    from fcregistry.models._anthropic import AnthropicMessages
    from fcregistry.models._callable import CallableModel
    from fcregistry.models._callable import check_is_message as check_is_message
    from fcregistry.models._messages import CallIds as CallIds
    from fcregistry.models._messages import Message, MessageLike, messages_of
    from fcregistry.models._messages import arguments_text as arguments_text
    from fcregistry.models._messages import call_as_chat_json as call_as_chat_json
    from fcregistry.models._messages import derived as derived
    from fcregistry.models._model import (
        Completion,
        Delta,
        Model,
        ToolCallDelta,
        ToolChoice,
        Usage,
        best_tools,
        offered_tools,
    )
    from fcregistry.models._model import checked_completion as checked_completion
    from fcregistry.models._model import stream_sync as stream_sync
    from fcregistry.models._openai import OpenAIChat, OpenAIResponses
    from fcregistry.models._resolve import ModelLike, resolve
    from fcregistry.models._resolve import built_in_providers as built_in_providers
    from fcregistry.models._resolve import is_like_built_in as is_like_built_in
    from fcregistry.models._resolve import model_prefixes as model_prefixes
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
    "best_tools",
    "messages_of",
    "offered_tools",
    "resolve",
]

_MODULES: Final = {
    "._anthropic": ("AnthropicMessages",),
    "._callable": ("CallableModel", "check_is_message"),
    "._messages": (
        "CallIds",
        "Message",
        "MessageLike",
        "arguments_text",
        "call_as_chat_json",
        "derived",
        "messages_of",
    ),
    "._model": (
        "Completion",
        "Delta",
        "FinishReason",
        "Model",
        "ToolCallDelta",
        "ToolChoice",
        "Usage",
        "best_tools",
        "checked_completion",
        "offered_tools",
        "stream_sync",
    ),
    "._openai": ("OpenAIChat", "OpenAIResponses"),
    "._resolve": ("ModelLike", "built_in_providers", "is_like_built_in", "model_prefixes", "resolve"),
    "._text": ("TextModel",),
}
"""Module, imported on first use -> its names for users and, if they are not in `__all__`, for other rooms."""

lazy_names(globals(), _MODULES)
