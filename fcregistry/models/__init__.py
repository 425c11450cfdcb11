"""Models and their records: `resolve("openai:gpt-5")` gives a `Model`, which answers messages.

A provider's client has its own files in this folder; its SDK is an extra, imported at its first use. Models of installed
extensions are resolved by their prefix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._lazy import lazy_names

if TYPE_CHECKING:
    from fcregistry.models._anthropic import AnthropicMessages
    from fcregistry.models._callable import CallableModel
    from fcregistry.models._callable import check_is_message as check_is_message
    from fcregistry.models._messages import Message, MessageLike, messages_of
    from fcregistry.models._messages import arguments_text as arguments_text
    from fcregistry.models._messages import call_as_chat_json as call_as_chat_json
    from fcregistry.models._model import (
        Completion,
        Delta,
        FinishReason,
        Model,
        ToolCallDelta,
        ToolChoice,
        Usage,
        offered_tools,
    )
    from fcregistry.models._model import checked_completion as checked_completion
    from fcregistry.models._model import stream_sync as stream_sync
    from fcregistry.models._openai import OpenAIChat, OpenAIResponses
    from fcregistry.models._resolve import ModelLike, resolve
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
    "messages_of",
    "offered_tools",
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
    "offered_tools": "._model",
    "resolve": "._resolve",
}

# What other rooms use; not public.
_FOR_OTHER_ROOMS: Final = {
    "arguments_text": "._messages",
    "call_as_chat_json": "._messages",
    "check_is_message": "._callable",
    "checked_completion": "._model",
    "model_prefixes": "._resolve",
    "stream_sync": "._model",
}

lazy_names(globals(), {**_HOMES, **_FOR_OTHER_ROOMS})
