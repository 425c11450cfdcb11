"""Which YAML stands in a model's answer? A whole answer, or what its code blocks hold; a block that is not closed ends with the answer.

That YAML is cut off cannot be told from the YAML itself, so a block that is not closed is said to be so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fcregistry._base.yaml import NotYamlError, read_yaml
from fcregistry.prompts._found import Found, Value, Wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

_LANGUAGES: Final = frozenset({"", "yaml", "yml", "json"})
_OPENING: Final = re.compile(r"^(?P<indent>[ \t]*)(?P<fence>`{3,})[ \t]*(?P<language>[\w+.-]*)[ \t]*$", re.MULTILINE)
_UNCLOSED: Final = "the code block was not closed: taken up to the end"


def yaml_values(text: str, exact: bool) -> list[Found]:
    """Return the YAML values of an answer, and what would be one, in their order.

    Args:
        text: The answer.
        exact: Whether numbers keep the digits they are written with, as `ExactFloat`s.
    """
    blocks = list(_blocks(text))
    if not blocks:
        return [_read(text, exact, ())]
    return [_read(inner, exact, () if closed else (_UNCLOSED,)) for inner, closed in blocks]


def _blocks(text: str) -> Iterator[tuple[str, bool]]:
    """Yield what stands in each code block that may hold YAML, and whether the block is closed."""
    place = 0
    while opening := _OPENING.search(text, place):
        # A fence that is indented otherwise is text inside of the block.
        closing = re.compile(rf"^{opening['indent']}{opening['fence']}`*[ \t]*$", re.MULTILINE)
        end = closing.search(text, opening.end())
        if opening["language"].lower() in _LANGUAGES:
            yield text[opening.end() : None if end is None else end.start()], end is not None
        if end is None:
            return
        place = end.end()


def _read(text: str, exact: bool, repairs: tuple[str, ...]) -> Found:
    try:
        return Value(read_yaml(text, exact), repairs)
    except NotYamlError as error:
        return Wrong(str(error))
