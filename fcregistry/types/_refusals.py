"""What is a model told when a class, or a validator of its author, refuses a value?"""

from __future__ import annotations

from fcregistry.errors import said_by
from fcregistry.types._core import Refusal


def refusal_of(error: Exception, shown: str) -> Refusal:
    """Return what an exception says of a value; of pydantic's own error without its links, and without the value.

    Args:
        error: What was raised.
        shown: The type, as its author writes it.
    """
    if type(error).__module__.partition(".")[0] != "pydantic_core":
        return Refusal(f"{shown} refuses it: {type(error).__name__}: {said_by(error)}")
    found = error.errors(include_url=False, include_context=False, include_input=False)  # type: ignore[attr-defined]  # pydantic is not imported here
    if len(found) == 1:
        return Refusal(f"{shown} refuses it: {found[0]['msg']}", tuple(found[0]["loc"]))
    said = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}".removeprefix(": ") for each in found)
    return Refusal(f"{shown} refuses it: {said}")
