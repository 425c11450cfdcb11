"""What does a tag tell that opens a call or a value? A name, behind its beginning or in an attribute, and whether the value is a string."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fcregistry.dialects._waking import one_of

if TYPE_CHECKING:
    from fcregistry.dialects._source import Reading, Source

HEAD: Final = r"[^<>\n]*"
"""The pattern of what stands behind the beginning of a tag."""

IN_HEAD: Final = re.compile(HEAD)
AFTER_HEAD: Final = one_of("<>\n")
_ATTRIBUTE: Final = re.compile(r"""\s+([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=]+))""")
_QUOTES: Final = ("'", '"')
_QUOTED: Final = re.compile(r"""(["'])(.*)\1""")


def usual_head(tag: str) -> str:
    """Return the pattern of what most tags hold that open a value, behind their beginning: groups for the name and the attribute `string`."""
    if tag.endswith("="):
        return r"""([^\s<>"']++)()"""
    return r"""[^\S\n]+name="([^"<>\n]++)"(?:[^\S\n]+string="(true|false)")?"""


def attributes(source: Source, tag: str) -> Reading[dict[str, str] | None]:
    """Take the rest of an opening tag; return what it tells, or None where it is none."""
    text = yield from source.run(IN_HEAD, AFTER_HEAD)
    return told(tag, text) if (yield from source.take(">")) else None


def told(tag: str, text: str) -> dict[str, str] | None:
    """Return what an opening tag tells behind its beginning; None where that is no tag."""
    if tag.endswith("="):
        name = text.strip()
        quoted = _QUOTED.fullmatch(name) if name[:1] in _QUOTES else None
        return {"name": quoted[2] if quoted else name}
    found: dict[str, str] = {}
    place = 0
    while each := _ATTRIBUTE.match(text, place):
        found[each[1]] = next((value for value in each.groups()[1:] if value is not None), "")
        place = each.end()
    return None if text[place:].strip() else found
