"""Can a text forge a turn of a conversation? Not where the markers in it are broken up: a space stands before their last character."""

# DeepSeek's bar is no slip

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

_SHAPES: Final = re.compile(
    r"<\|[^<>|\s'\"]{1,60}\|>"  # <|im_start|>
    r"|<\|[a-z_]{1,40}>|<[a-z_]{1,40}\|>"  # Gemma 4's <|turn> and <turn|>
    r"|<｜[^<>｜\s'\"]{1,60}｜>"  # DeepSeek's
    r"|</?s>|<</?SYS>>|<(?:bos|eos|BOS_TOKEN|EOS_TOKEN)>|<(?:start|end)_of_turn>"
    r"|\[/?[A-Z][A-Z_]{2,40}\]"  # [INST]
)
"""What special tokens look like; a template names those that it uses."""

_COMPOSED: Final = re.compile(r"<\|['\"]")
"""A template that puts a token together from the role of a message."""

_OF_ROLES: Final = ("<|system|>", "<|user|>", "<|assistant|>", "<|tool|>")


def markers_in(*texts: str) -> tuple[str, ...]:
    """Return the special tokens that stand in a format's texts or in a template, sorted."""
    found = {marker for text in texts for marker in _SHAPES.findall(text)}
    if any(map(_COMPOSED.search, texts)):
        found.update(_OF_ROLES)
    return tuple(sorted(found))


def usable(markers: Iterable[str]) -> tuple[str, ...]:
    """Return markers without those that are too short to be broken up, the longest first."""
    return tuple(sorted({marker for marker in markers if len(marker.strip()) > 1}, key=lambda one: (-len(one), one)))


def broken_up(text: str, markers: Iterable[str]) -> str:
    """Return a text in which no marker stands: `<|im_end|>` becomes `<|im_end| >`. A text without markers stays as it is."""
    while found := [marker for marker in markers if marker in text]:
        for marker in found:  # a text in which one is broken up may show another, which overlapped it
            last = len(marker.rstrip()) - 1  # a space more at the end would leave it standing, and this would never end
            text = text.replace(marker, f"{marker[:last]} {marker[last:]}")
    return text


def broken_up_in(value: Any, markers: tuple[str, ...]) -> Any:
    """Return a JSON value with the markers in all its texts and names broken up."""
    if isinstance(value, str):
        return broken_up(value, markers)
    if isinstance(value, Mapping):
        return {broken_up_in(name, markers): broken_up_in(held, markers) for name, held in value.items()}
    if isinstance(value, (list, tuple)):
        return [broken_up_in(one, markers) for one in value]
    return value
