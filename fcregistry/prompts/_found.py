"""What may be found in a model's answer? Values, and what would be one but for something that is wrong with it."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias


class Value(NamedTuple):
    """A value that stands in an answer.

    Attributes:
        value: The JSON value.
        repairs: What was put right to read it, a sentence each.
        fenced: Whether it stands in a code block.
    """

    value: Any
    repairs: tuple[str, ...] = ()
    fenced: bool = True


class Wrong(NamedTuple):
    """Something in an answer that begins as a value does, and is none.

    Attributes:
        reason: What is wrong, worded for the model.
        fenced: Whether it stands in a code block.
        open: Whether it does not end, so that what follows may be a part of it.
    """

    reason: str
    fenced: bool = True
    open: bool = False


Found: TypeAlias = Value | Wrong
