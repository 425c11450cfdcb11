"""How is JSON read that a model wrote? Strictly; where it is told so, also but for slips that leave one reading."""

from __future__ import annotations

from fcregistry._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fcregistry._json._loose import SLIPS, read_text
    from fcregistry._json._strict import ArgumentsError, NotJsonError, read_json

__all__ = ["SLIPS", "ArgumentsError", "NotJsonError", "read_json", "read_text"]

# Name -> the module it lives in, imported when it is used.
_HOMES: dict[str, str] = {
    "SLIPS": "._loose",
    "ArgumentsError": "._strict",
    "NotJsonError": "._strict",
    "read_json": "._strict",
    "read_text": "._loose",
}

__getattr__, __dir__ = lazy_names(globals(), _HOMES)
