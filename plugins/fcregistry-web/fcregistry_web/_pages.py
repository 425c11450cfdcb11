"""Web pages as Markdown or text, with the right encoding.

The door of trafilatura and lxml, which are imported with the first page, in the process of `_page_worker.py`. It imports nothing of
fcregistry, for that process to start fast. Sources: WHATWG's Encoding and HTML standards (labels, sniffing).
"""

from __future__ import annotations

import codecs
import logging
import re
from configparser import ConfigParser
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Form: TypeAlias = Literal["markdown", "text"]

HTML: Final = ("text/html", "application/xhtml+xml")
_TEXTS: Final = (
    "application/json",
    "application/xml",
    "application/javascript",
    "application/yaml",
    "application/x-yaml",
)
_META: Final = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE | re.ASCII)
_MOST_SNIFFED: Final = 4_096
_MARKS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_LATIN: Final = ("iso8859-1", "ascii")  # what calls itself so is windows-1252, which has all of their characters
_NO_CHARSETS: Final = ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7")
"""Python codecs that are not charsets of pages. Decoding with some of them takes quadratic time."""
_MOST_ELEMENTS: Final = 30_000
"""A page of more elements is not searched for its main part, since that could take half a minute."""
_SHORTEST_MAIN_PART: Final = 50
_MUCH_MORE: Final = 3
"""A note says so if a page has this many times the text of its main part."""
_HIDDEN: Final = ("script", "style", "template", "noscript", "svg", "head", "iframe", "object")
_INLINE: Final = (
    *(
        "a",
        "abbr",
        "b",
        "bdi",
        "bdo",
        "cite",
        "code",
        "data",
        "dfn",
        "em",
        "font",
        "i",
        "kbd",
        "label",
        "mark",
        "q",
        "s",
        "samp",
    ),
    *("small", "span", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
)
_UNSEEN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\U000e0000-\U000e007f]")
_LONGEST_TITLE: Final = 300
_CELLS: Final = ("td", "th")


def clean(text: str) -> str:
    """Return `text` without invisible characters.

    These are control characters, and Unicode's tags, which can hide instructions from people.
    """
    return _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def is_text(media_type: str) -> bool:
    """Return whether `media_type` is a type of text, which is returned unchanged."""
    return media_type.startswith("text/") or media_type in _TEXTS or media_type.endswith(("+json", "+xml", "+yaml"))


def is_html(media_type: str, data: bytes) -> bool:
    """Return whether a body is HTML, by its `media_type`.

    If that is empty, the first bytes of `data` decide.
    """
    if media_type:
        return media_type in HTML
    return data[:512].lstrip().lower().startswith((b"<!doctype html", b"<html"))


def prepare(form: Form | None) -> None:
    """Import the modules that `read` needs.

    Args:
        form: `markdown` or `text` for a page of HTML; None for a body of text.
    """
    if form is not None:
        import lxml.html  # type: ignore[import-untyped]  # noqa: F401
    if form == "markdown":
        import trafilatura  # noqa: F401


def read(data: bytes, charset: str | None, form: Form | None, url: str) -> tuple[str, str]:
    """Return the title and the text of a body.

    Args:
        data: The body.
        charset: The charset that the header names.
        form: For a page: `markdown` for its main part with links; `text` for all that can be seen, with menus and footers.
            None for a body of text, which is returned as it is.
        url: The URL of the page, for its relative links.

    Raises:
        MemoryError: The page needs more memory than this process may have.
    """
    if form is None:
        return "", clean(_decode(data, charset))
    title, text = _convert(_decode(data, charset), form, url)
    return title, clean(text)


def part_of(text: str, start: int, most: int) -> tuple[str, int]:
    """Return a part of a text, and the place at which it ends.

    Args:
        text: The text.
        start: The place at which the part begins.
        most: The most characters of it. It ends at the end of a line, if there is one in its second half.
    """
    end = start + most
    if end < len(text):
        end = text.rfind("\n", start + most // 2, end) + 1 or end
    return text[start:end], min(end, len(text))


def _decode(data: bytes, charset: str | None) -> str:
    """Return the text of the body `data`; characters that cannot be decoded become U+FFFD.

    `charset` is the one that the header names, if any.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    named = _codec(charset) or _codec(_in_page(data))
    if named is not None:
        return data.decode(named, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        is_cut = error.reason == "unexpected end of data"  # the page was longer than what is read
        return data.decode("utf-8" if is_cut else "windows-1252", "replace")


def _convert(html: str, form: Form, url: str) -> tuple[str, str]:
    """Return the title and the text of the page `html`, in `form`.

    Both are empty if there is no element in it.
    """
    tree = _tree(html.encode("utf-8", "replace").replace(b"\x00", b""))
    if tree is None:
        return "", ""
    title = " ".join(clean(tree.findtext("head/title") or "").split())[:_LONGEST_TITLE]
    whole = _all_text(tree)
    main = _main_part(tree, url) if form == "markdown" else ""
    if main and len(main) * _MUCH_MORE < len(whole):
        main += f"\n\n[This is the main part of the page. All of its text has {len(whole)} characters: form=text returns it.]"
    return title, main or whole


def _codec(label: str | None) -> str | None:
    """Return the name of the codec for the charset `label`, or None if it is not a charset of pages."""
    try:
        codec = codecs.lookup(label or "")
    except (LookupError, ValueError):
        return None
    if codec.name in _LATIN:
        return "windows-1252"
    is_charset = codec.name not in _NO_CHARSETS and getattr(codec, "_is_text_encoding", True)
    return codec.name if is_charset else None


def _in_page(data: bytes) -> str | None:
    """Return the charset that the page `data` itself names, or None."""
    found = _META.search(data[:_MOST_SNIFFED])
    label = found[1].decode("ascii") if found else None
    return "utf-8" if label and label.lower().startswith("utf-16") else label  # ASCII was read, so it is not UTF-16


def _tree(data: bytes) -> Any:
    """Return the tree of the page `data`, in UTF-8, or None if it contains neither elements nor text.

    Raises:
        MemoryError: There is not enough memory.
    """
    from lxml import etree
    from lxml import html as lxml_html

    parser = lxml_html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        return lxml_html.document_fromstring(data, parser=parser)
    except (etree.LxmlError, ValueError) as error:
        if getattr(error, "code", None) == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from error
        return None


def _main_part(tree: Any, url: str) -> str:
    """Return the main part of the page `tree` as Markdown.

    It is empty if it is not found, or the page is too large.
    """
    if sum(1 for _ in tree.iter()) > _MOST_ELEMENTS:
        return ""
    import trafilatura
    from lxml.html import tostring
    from trafilatura.settings import DEFAULT_CONFIG

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # it logs each page in which it finds nothing
    copy = _tree(tostring(tree))  # trafilatura changes it
    if copy is None:
        return ""
    copy.make_links_absolute(url, handle_failures="ignore")  # trafilatura would join them with the host alone
    config = ConfigParser()
    config.read_dict(DEFAULT_CONFIG)
    config["DEFAULT"]["MIN_EXTRACTED_SIZE"] = str(
        _SHORTEST_MAIN_PART
    )  # 250 by default: then short pages lose their form
    text = trafilatura.extract(
        copy,
        config=config,
        output_format="markdown",
        fast=True,  # without it, it compares other algorithms, which may take half a minute for a page of 1 MB
        favor_recall=True,
        include_comments=True,
        include_formatting=True,
        include_links=True,
        include_tables=True,
    )
    return "\n".join(line.rstrip() for line in (text or "").strip().split("\n"))


def _all_text(tree: Any) -> str:
    """Return the visible text of the page `tree`, with a line for each block.

    ` | ` is between cells of a table.
    """
    text = "".join(_words(tree))
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line.strip("| ") for line in lines if line.strip("| "))


def _words(tree: Any) -> Iterator[str]:
    """Yield the visible texts of the page `tree`, with line breaks between blocks.

    ` | ` precedes cells of a table.
    """
    from lxml import etree

    hidden = 0
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        tag = element.tag
        if tag in _HIDDEN:
            hidden += 1 if event == "start" else -1
        elif tag in _CELLS:
            yield " | " if event == "start" else ""
        elif tag not in _INLINE:
            yield "\n"
        text = element.text if event == "start" else element.tail
        if text and not hidden:
            yield re.sub(r"\s+", " ", text)
