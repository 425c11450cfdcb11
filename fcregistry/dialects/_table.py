"""Which dialects are there? One row of the table a family, in the file of its syntax."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from fcregistry.errors import DialectNotFoundError

if TYPE_CHECKING:
    from fcregistry.dialects._dialect import Dialect

_FAMILIES: Final = {
    "_families_json": (
        "apertus",
        "command-r",
        "deepseek-r1",
        "deepseek-v3",
        "deepseek-v3.1",
        "ernie-4.5",
        "glm-4",
        "granite",
        "granite4",
        "hermes",
        "hunyuan",
        "internlm2",
        "jamba",
        "json",
        "kimi-k2",
        "llama3",
        "longcat",
        "mistral",
        "nemotron",
        "phi4",
        "qwen-flower",
        "xlam",
    ),
    "_families_text": (
        "claude-xml",
        "deepseek-v3.2",
        "functiongemma",
        "gemma4",
        "glm-4.5",
        "harmony",
        "lfm2",
        "mimo",
        "minicpm",
        "minimax-m2",
        "olmo3",
        "pythonic",
        "qwen3-coder",
        "react",
        "seed-oss",
        "step3",
    ),
}
"""Module -> the names of its dialects. A module is imported when one of its dialects is asked for."""

_HOMES: Final = {name: file for file, names in _FAMILIES.items() for name in names}


def names() -> tuple[str, ...]:
    """Return the names of all dialects, sorted; `auto` is beside them."""
    return tuple(sorted(_HOMES))


def get(name: str) -> Dialect:
    """Return a dialect.

    Args:
        name: Its name.

    Raises:
        DialectNotFoundError: There is none of that name; says which there are.
    """
    if name == "auto":
        made: Dialect = import_module("fcregistry.dialects._auto").auto()  # which reads all the others
        return made
    home = _HOMES.get(name)
    if home is None:
        from fcregistry._tools.selectors import nearest  # only on the way to an error

        close = nearest(str(name), _HOMES)
        meant = f"did you mean {' or '.join(close)}? " if close else ""
        raise DialectNotFoundError(f"there is no dialect {name!r}; {meant}the dialects are auto, {', '.join(names())}")
    rows: tuple[Dialect, ...] = import_module(f"fcregistry.dialects.{home}").ROWS
    return next(row for row in rows if row.name == name)
