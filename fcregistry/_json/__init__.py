"""How is JSON read that a model wrote? Strictly; where it is told so, also but for slips that leave one reading."""

from fcregistry._json._loose import SLIPS, read_text
from fcregistry._json._strict import ArgumentsError, NotJsonError, read_json

__all__ = ["SLIPS", "ArgumentsError", "NotJsonError", "read_json", "read_text"]
