"""A docstring is read back as what it was written from, in every style."""

from __future__ import annotations

import re
from dataclasses import dataclass

import docstring_parser
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcregistry._base.docstrings import DocumentedParameter, read_docstring

TYPES = (
    "int",
    "list[str]",
    "dict[str, tuple[int, int]]",
    "int | None",
    "Callable[[int, str], bool]",
    "Literal['a:b', \"c)\"]",
)
HEADERS = ("Args", "Arguments", "Parameters", "Params", "Keyword Args", "Keyword Arguments", "Other Parameters")
LETTERS = "abcxyzäß漢"


def paragraphs_of(text: str) -> str:
    """Return a text as it is read: one blank line between its paragraphs."""
    return re.sub(r"\n{3,}", "\n\n", text).strip()


@dataclass(frozen=True)
class Entry:
    """What is said of one parameter: its text is a first line, which may be empty, and others with their indentation."""

    name: str
    stars: str
    type: str | None
    optional: bool
    text: tuple[str, ...]

    @property
    def read(self) -> DocumentedParameter:
        return DocumentedParameter(self.name, paragraphs_of("\n".join(self.text)), self.type)


names = st.text(LETTERS + "_1", min_size=1, max_size=6).filter(str.isidentifier)
# A line of prose: it begins with a letter, so it is no bullet and no fence, and has all that is written in docstrings.
lines = st.text(LETTERS + " .,:;-()[]{}'\"`*_#@\\>=", max_size=30).map(lambda text: f"a{text.rstrip()}")
more = st.lists(st.one_of(st.just(""), lines, lines.map("- {}: b".format), lines.map("    {}".format)), max_size=4)
texts = st.tuples(st.one_of(st.just(""), lines), lines, more).map(lambda parts: (parts[0], parts[1], *parts[2]))
entries = st.builds(
    Entry, names, st.sampled_from(("", "*", "**")), st.sampled_from((None, *TYPES)), st.booleans(), texts
)
many_entries = st.lists(entries, min_size=1, max_size=4, unique_by=lambda entry: entry.name)
paragraphs = st.lists(lines, min_size=1, max_size=3).map("\n".join)


def indented(text: tuple[str, ...], by: str) -> str:
    return "\n".join(f"{by}{line}".rstrip() for line in text)


def google(entry: Entry, indent: str) -> str:
    optional = ", optional" if entry.optional else ""
    type_ = f" ({entry.type}{optional})" if entry.type else ""
    head = f"{indent}{entry.stars}{entry.name}{type_}: {entry.text[0]}".rstrip()
    return f"{head}\n{indented(entry.text[1:], indent * 2)}"


def numpy(entry: Entry) -> str:
    type_ = f" : {entry.type}{', optional' if entry.optional else ''}" if entry.type else ""
    return f"{entry.stars}{entry.name}{type_}\n{indented(entry.text, '    ')}"


def fields(entry: Entry, mark: str) -> str:
    inside = entry.type is not None and entry.optional  # the type stands in the field, or in one of its own
    type_ = f"{entry.type} " if inside else ""
    field = f"{mark}param {type_}{entry.name}: {entry.text[0]}\n{indented(entry.text[1:], '    ')}"
    return f"{field}\n{mark}type {entry.name}: {entry.type}" if entry.type and not inside else field


@given(st.data(), paragraphs, many_entries, paragraphs, st.sampled_from(("  ", "    ")))
def test_google_style_is_read_back(
    data: st.DataObject, summary: str, said: list[Entry], result: str, indent: str
) -> None:
    """In one section of parameters or two, in any order with the others, and with prose between them."""
    parted = data.draw(st.integers(0, len(said)))
    header = st.sampled_from(HEADERS)
    sections = [
        f"{data.draw(header)}:\n" + "\n".join(google(entry, indent) for entry in some)
        for some in (said[:parted], said[parted:])
        if some
    ]
    returns = indented(tuple(f"dict[str, int]: {result}".split("\n")), indent)
    others = [f"Returns:\n{returns}", f"Raises:\n{indent}KeyError: No.", f"Example:\n{indent}Args:"]
    prose = data.draw(st.lists(paragraphs, max_size=2))
    body = data.draw(st.permutations([*sections, *others, *prose]))
    read = read_docstring("\n\n".join([summary, *body]))
    assert read.parameters == {entry.name: entry.read for entry in said}
    assert read.returns == result
    assert read.description == "\n\n".join([summary, *(part for part in body if part in prose)])
    assert read.summary == " ".join(summary.split())
    assert read.unread == ()


@given(st.data(), paragraphs, many_entries)
def test_numpy_style_is_read_back(data: st.DataObject, summary: str, said: list[Entry]) -> None:
    title = data.draw(st.sampled_from(("Parameters", "Other Parameters")))
    section = f"{title}\n{'-' * len(title)}\n" + "\n".join(numpy(entry) for entry in said)
    others = [
        "Returns\n-------\nint\n    It is.",
        "Raises\n------\nKeyError\n    No.",
        "Examples\n--------\n>>> f()\n1",
    ]
    body = data.draw(st.permutations([section, *others]))
    read = read_docstring("\n\n".join([summary, *body]))
    assert read.parameters == {entry.name: entry.read for entry in said}
    assert (read.description, read.returns, read.unread) == (summary, "It is.", ())


@given(st.data(), paragraphs, many_entries, st.sampled_from((":", "@")))
def test_fields_are_read_back(data: st.DataObject, summary: str, said: list[Entry], mark: str) -> None:
    written = [*(fields(entry, mark) for entry in said), f"{mark}return: It is.", f"{mark}raise KeyError: No."]
    run = "\n".join(data.draw(st.permutations(written)))
    read = read_docstring(f"{summary}\n\n{run}\n\nAnd more.")
    assert read.parameters == {entry.name: entry.read for entry in said}
    assert (read.description, read.returns, read.unread) == (f"{summary}\n\nAnd more.", "It is.", ())


MALFORMED = ("this is malformed", "this is: malformed", "malformed", "]: [", "a b (int): malformed", "漢 漢")
UNCLOSED = ("x (int", "(", "x (list[int: malformed")  # a type may go on in the next line, if that is indented


@given(many_entries, st.sampled_from(MALFORMED + UNCLOSED), st.integers(1, 4), st.data())
def test_a_malformed_line_loses_at_most_itself(
    said: list[Entry], malformed: str, depth: int, data: st.DataObject
) -> None:
    """Wherever it stands among the entries, and however it is indented: what is said before and after it is read."""
    written = [google(entry, "    ") for entry in said]
    place = data.draw(st.integers(0, len(written)))
    read = read_docstring("\n".join(["Get.", "", "Args:", *written[:place], " " * depth + malformed, *written[place:]]))
    assert read.parameters == {entry.name: entry.read for entry in said}
    assert read.unread == (malformed,)


@given(many_entries, st.sampled_from(("this is malformed", "this is: malformed", "]: [", "漢 漢")), st.data())
def test_a_malformed_line_of_numpy_style_loses_at_most_itself(
    said: list[Entry], malformed: str, data: st.DataObject
) -> None:
    written = [numpy(entry) for entry in said]
    place = data.draw(st.integers(0, len(written) - 1))
    read = read_docstring("\n".join(["Get.", "", "Args", "----", *written[:place], malformed, *written[place:]]))
    assert read.parameters == {entry.name: entry.read for entry in said}
    assert read.unread == (malformed,)


@given(many_entries, st.integers(0), st.sampled_from(MALFORMED))
def test_a_malformed_line_inside_an_entry_cuts_that_one_short(said: list[Entry], where: int, malformed: str) -> None:
    written = "\n".join(google(entry, "    ") for entry in said).split("\n")
    place = where % len(written)
    read = read_docstring("\n".join(["Get.", "", "Args:", *written[:place], f"    {malformed}", *written[place:]]))
    changed = [entry for entry in said if read.parameters[entry.name] != entry.read]
    assert len(changed) <= 1
    assert all(entry.read.description.startswith(read.parameters[entry.name].description) for entry in changed)
    assert read.unread == (malformed,)


@given(many_entries)
def test_what_docstring_parser_reads_is_read_alike(said: list[Entry]) -> None:
    """Of what it can read: no colon in a type. It flattens text that is indented, so words are compared."""
    said = [entry for entry in said if ":" not in (entry.type or "")]
    text = "\n".join(["Get.", "", "Args:", *(google(entry, "    ") for entry in said)] if said else ["Get."])
    theirs = docstring_parser.parse(text, docstring_parser.DocstringStyle.GOOGLE).params
    assert [(each.name, each.description.split(), each.type) for each in read_docstring(text).parameters.values()] == [
        (each.arg_name.lstrip("*"), (each.description or "").split(), each.type_name) for each in theirs
    ]


PIECES = "Args:|Returns:|Note:|Attributes:|Parameters|Returns|----------|```|::|>>>|:param|@type|:param x:|x (int):|x : int|x|y:|- |*|(|)"
OTHERS = ("[", "'", '"', "\\", ":", "\n", "\n", "\n\n", "\r\n", "\t", "    ", "  ", "\0", "\ud800", "\u2028", "é", " ")


@given(st.lists(st.sampled_from((*PIECES.split("|"), *OTHERS)), max_size=40).map("".join))
def test_any_text_at_all_is_read(text: str) -> None:
    read = read_docstring(text)
    assert read == read_docstring(text)
    assert all(name == entry.name and name for name, entry in {**read.parameters, **read.attributes}.items())
    assert all(line.strip() for line in read.unread)


LONG = 100_000
BEFORE = (
    "",
    "Get.\n\nArgs:\n    ",
    "Get.\n\nArgs:\n    x (",
    "Get.\n\nArgs:\n    x: ",
    "Get.\n\nReturns:\n    x[",
    "Get.\n\nParameters\n----------\nx",
    "Get.\n\nParameters\n----------\nx : int\n    ",
    "Get.\n\nReturns\n-------\nx",
    "Get.\n\n:param x",
    "Get.\n\n@param x: ",
)
HOSTILE = ("(", "[", " ", "\n", ":", "\t", "'", "x: ", "default ", "    x (\n", "Args:\n", "```\n", ":param x:\n")


@pytest.mark.parametrize("before", BEFORE)
def test_time_grows_no_faster_than_a_docstring(before: str) -> None:
    """A step that looks at the rest of 100 kB for each of its characters would take minutes: nobody would wait for this test."""
    for unit in HOSTILE:
        assert read_docstring(before + unit * (LONG // len(unit)) + "\nx") is not None
