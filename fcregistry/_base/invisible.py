r"""Characters that a terminal obeys, and characters that nobody sees, written out where a person reads the text of a model or a plugin.

A model reads all of them: a description with U+200B or U+E0041 in it says more to the model than to the person who approves its calls.

Sources: Unicode Character Database, the general category `Cf` and the property `Default_Ignorable_Code_Point`; Unicode Technical Standard 51,
"Unicode Emoji"; the Unicode Standard, 23.2, "Layout Controls".
"""

from __future__ import annotations

import re
from typing import Final

# Patterns as text: they are compiled when first needed
_CONTROL: Final = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff"
_UNSEEN: Final = (
    r"\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2028\u2029\u2060-\u2065\u206a-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0"
    r"\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Characters without a place of their own on a screen, and fillers, which look like a space."""

CONTROL: Final = f"[{_CONTROL}]"
"""Control characters except tab and line end, direction marks, and halves of surrogate pairs."""

INVISIBLE: Final = f"[{_CONTROL}{_UNSEEN}]"
"""All characters that a person does not see: for what is approved, which has to be shown exactly."""

_EMOJI: Final = (
    r"\u00a9\u00ae\u203c\u2049\u2122-\u27bf\u2934\u2935\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_JOINED: Final = r"\u0600-\u08ff\u0900-\u109f\u1780-\u17ff\u1800-\u18af"
"""Scripts in which a joiner between two letters changes their shapes."""

HIDDEN: Final = (
    r"(?!(?<=\w)\u00ad(?=\w)"
    rf"|(?<=[{_JOINED}])[\u200c\u200d](?=[{_JOINED}])"
    rf"|(?<=[{_EMOJI}])\ufe0f|(?<=[0-9#*])\ufe0f(?=\u20e3)"
    rf"|(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])"
    rf")[{_UNSEEN}]"
)
"""Those of the characters that nobody sees which do nothing where they are: for descriptions, which may contain words and emoji of any script."""


def escape(text: str, pattern: str = INVISIBLE) -> str:
    r"""Return `text` with the characters that `pattern` finds written out, such as `\x1b` or `\u200b`.

    Args:
        text: The text.
        pattern: The characters, as a regular expression: a constant of this module.
    """
    if text.isascii() and text.isprintable():
        return text
    return re.sub(pattern, lambda found: found[0].encode("unicode_escape").decode(), text)
