"""Which calls did a model make in a conversation?"""

from __future__ import annotations

from typing import Any, Final

from fcregistry.formats import read_calls
from fcregistry.formats._reading import field

_ROLES_OF_MODELS: Final = ("assistant", "model")


def calls_of(message: object) -> list[Any]:
    """Return the calls of one message of a history, unread, if it is a model's; what anybody else wrote is no call.

    Args:
        message: A message in the shape of any provider, as a dict or an SDK object. Items of OpenAI's responses are the model's without a role.
    """
    role = field(message, "role")
    if isinstance(message, (str, list, tuple)) or (isinstance(role, str) and role not in _ROLES_OF_MODELS):
        return []
    return read_calls(message)
