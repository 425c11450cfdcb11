"""Which dialects are there? One row of the table a family, in the file of its syntax."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from fcregistry.errors import DialectNotFoundError

if TYPE_CHECKING:
    from fcregistry.dialects._dialect import Dialect

_FAMILIES: Final = {
    "_arrays": ("apertus", "command-r", "granite", "hunyuan", "jamba", "nemotron", "phi4"),
    "_named": ("deepseek-r1", "deepseek-v3", "deepseek-v3.1", "glm-4", "kimi-k2", "llama3", "mistral", "qwen-flower"),
    "_objects": ("ernie-4.5", "granite4", "hermes", "internlm2", "json", "longcat", "xlam"),
    "_invocations": ("claude-xml", "deepseek-v3.2", "minimax-m2", "step3"),
    "_tags": ("glm-4.5", "mimo", "qwen3-coder", "seed-oss"),
    "_braces": ("functiongemma", "gemma4"),
    "_channels": ("harmony",),
    "_python": ("lfm2", "minicpm", "olmo3", "pythonic"),
    "_react": ("react",),
}
"""File in `_families` -> the names of its dialects. The files are imported when one of theirs is asked for."""

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
        from fcregistry.dialects._auto import auto  # which needs all families

        return auto()
    home = _HOMES.get(name)
    if home is None:
        from fcregistry._tools.names import nearest  # only on the way to an error

        close = nearest(str(name), _HOMES)
        meant = f"did you mean {' or '.join(close)}? " if close else ""
        raise DialectNotFoundError(f"there is no dialect {name!r}; {meant}the dialects are auto, {', '.join(names())}")
    rows: tuple[Dialect, ...] = import_module(f"fcregistry.dialects._families_json.{home}").ROWS
    return next(row for row in rows if row.name == name)
