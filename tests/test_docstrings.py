from __future__ import annotations

from textwrap import dedent

import docstring_parser
import pytest

from fcregistry._base.docstrings import Documentation, DocumentedParameter, read_docstring

GOOGLE = """Get the weather.

    Of one place, now.

    Args:
        city (str): The city: and state,
            e.g. San Francisco, CA.

            Or abroad.
        unit (str, optional): The unit.
        *days (int): Which days.
        **extra: Anything else.

    Returns:
        dict: What it is like.

    Raises:
        KeyError: No such place.
    """
NUMPY = """Get the weather.

    Of one place, now.

    Parameters
    ----------
    city : str
        The city.
    low, high : int
        The bounds.
    *days : int
        Which days.

    Returns
    -------
    dict
        What it is like.
    """
REST = """Get the weather.

    Of one place, now.

    :param str city: The city,
        and state.
    :param unit: The unit.
    :type unit: str
    :returns: What it is like.
    """
EPYDOC = """Get the weather.

    Of one place, now.

    @param city: The city.
    @type city: str
    @return: What it is like.
    """


def described(text: str) -> dict[str, str]:
    return {name: parameter.description for name, parameter in read_docstring(text).parameters.items()}


def types(text: str) -> dict[str, str | None]:
    return {name: parameter.type for name, parameter in read_docstring(text).parameters.items()}


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, REST, EPYDOC])
def test_every_style_gives_summary_description_and_result(text: str) -> None:
    read = read_docstring(text)
    assert read.summary == "Get the weather."
    assert read.description == "Get the weather.\n\nOf one place, now."
    assert read.returns == "What it is like."
    assert read.unread == ()


def test_google_style() -> None:
    assert described(GOOGLE) == {
        "city": "The city: and state,\ne.g. San Francisco, CA.\n\nOr abroad.",
        "unit": "The unit.",
        "days": "Which days.",
        "extra": "Anything else.",
    }
    assert types(GOOGLE) == {"city": "str", "unit": "str", "days": "int", "extra": None}


def test_numpy_style_with_several_names_on_a_line() -> None:
    assert described(NUMPY) == {
        "city": "The city.",
        "low": "The bounds.",
        "high": "The bounds.",
        "days": "Which days.",
    }
    assert types(NUMPY) == {"city": "str", "low": "int", "high": "int", "days": "int"}


def test_rest_style() -> None:
    assert described(REST) == {"city": "The city,\nand state.", "unit": "The unit."}
    assert types(REST) == {"city": "str", "unit": "str"}


def test_epydoc_style() -> None:
    assert described(EPYDOC) == {"city": "The city."}
    assert types(EPYDOC) == {"city": "str"}


HEADERS = [
    "Args", "Arguments", "Parameters", "Params", "Keyword Args", "Keyword Arguments", "Other Parameters", "Keyword arguments", "ARGS"
]  # fmt: skip


@pytest.mark.parametrize("header", HEADERS)
def test_google_names_the_section_of_parameters_in_several_ways(header: str) -> None:
    assert described(f"Get.\n\n{header}:\n    city: The city.\n") == {"city": "The city."}


@pytest.mark.parametrize("header", ["Parameters", "Other Parameters", "Args"])
@pytest.mark.parametrize("line", ["---", "----------", "================"])
def test_numpy_titles_have_a_line_of_any_length_below(header: str, line: str) -> None:
    assert described(f"Get.\n\n{header}\n{line}\ncity : str\n    The city.\n") == {"city": "The city."}


@pytest.mark.parametrize("text", [None, "", "   \n  "])
def test_no_docstring_documents_nothing(text: str | None) -> None:
    assert read_docstring(text) == Documentation("", "", {}, None, (), {})


def test_a_docstring_that_is_not_text_documents_nothing() -> None:
    """A callable object's `__doc__` may be anything."""
    assert read_docstring(5) == read_docstring(None)  # type: ignore[arg-type]


# --- entries -----------------------------------------------------------------------------------------------------

ENTRIES = [
    ("limits (dict[str, tuple[int, int]], optional): text: with colons", "limits", "dict[str, tuple[int, int]]", "text: with colons"),
    ("call (Callable[[int], str]): It.", "call", "Callable[[int], str]", "It."),
    ("pair (tuple(int, (str, str))): It.", "pair", "tuple(int, (str, str))", "It."),
    ("face (Literal[':)', \"a:b\"]): It.", "face", "Literal[':)', \"a:b\"]", "It."),
    ("size (int, default 5): It.", "size", "int", "It."),
    ("size (optional): It.", "size", None, "It."),
    ("long (dict[str,\n        int]): It.", "long", "dict[str, int]", "It."),
    ("long\n        (int): It.", "long", "int", "It."),
    ("size: (see below): It.", "size", None, "(see below): It."),
    ("size:", "size", None, ""),
    ("size (int):", "size", "int", ""),
    ("size:\n        Below.", "size", None, "Below."),
    ("size:\n\n        Below.\n          Hanging.\n        Back.", "size", None, "Below.\n  Hanging.\nBack."),
    ("size: One of\n        - 1: small\n            - 0: tiny\n\n        or 2.", "size", None, "One of\n- 1: small\n    - 0: tiny\n\nor 2."),
    ("size: One of\n    - 1: small\n    - 2", "size", None, "One of\n- 1: small\n- 2"),
    ("size: As in\n        ```\n        Args:\n            x: 1\n        ```", "size", None, "As in\n```\nArgs:\n    x: 1\n```"),
    ("config: It.\n        key (int): Its key.", "config", None, "It.\nkey (int): Its key."),
    ("*args: Any.", "args", None, "Any."),
    ("**kwargs (str): Any.", "kwargs", "str", "Any."),
    (r"\*\*kwargs: Any.", "kwargs", None, "Any."),
    (r"my\_size (int): It.", "my_size", "int", "It."),
    ("`size` (int): It.", "size", "int", "It."),
    ("**size**: It.", "size", None, "It."),
    ("'size': It.", "size", None, "It."),
    ("größe (int): Größe.", "größe", "int", "Größe."),
    ("size -- It.", "size", None, "It."),
    ("size (int) - It - and: more.", "size", "int", "It - and: more."),
    ("example:\n        It.", "example", None, "It."),
    ("note: It.", "note", None, "It."),
]  # fmt: skip


@pytest.mark.parametrize(("entry", "name", "type_", "description"), ENTRIES)
def test_an_entry_of_google_style(entry: str, name: str, type_: str | None, description: str) -> None:
    last = DocumentedParameter("last", "L.", None)
    for text in (f"Get.\n\nArgs:\n    {entry}\n    last: L.\n", f"Get.\n\nArgs:\n    last: L.\n    {entry}\n"):
        read = read_docstring(text)
        assert read.parameters == {name: DocumentedParameter(name, description, type_), "last": last}
        assert read.unread == ()


def test_entries_may_be_bullets() -> None:
    text = "Get.\n\nArgs:\n    - city: The city.\n    * `unit` (str): The unit.\n        - C\n        - F\n"
    assert described(text) == {"city": "The city.", "unit": "The unit.\n- C\n- F"}


def test_a_line_of_several_names_documents_each_of_them() -> None:
    for text in (
        "Get.\n\nArgs:\n    a (str): A.\n    a, b:\n",
        "Get.\n\nParameters\n---\na : str\n    A.\na, b\n",
    ):
        assert described(text) == {"a": "A.", "b": ""}
        assert types(text) == {"a": "str", "b": None}


@pytest.mark.parametrize(
    "type_",
    ["int, optional", "int , optional", "int (optional)", "int, default 5", "int (default: 5)"],
)
def test_a_type_is_read_without_the_note_that_it_is_optional(type_: str) -> None:
    assert types(f"Get.\n\nParameters\n---\na : {type_}\n    A.\n") == {"a": "int"}


def test_several_names_on_a_line_share_their_text() -> None:
    for text in ("Get.\n\nArgs:\n    a, b (int): It.", "Get.\n\nParameters\n---\na, b, ... : int\n    It."):
        assert described(text) == {"a": "It.", "b": "It."}
        assert types(text) == {"a": "int", "b": "int"}


@pytest.mark.parametrize(
    ("field", "type_", "text"),
    [
        (":param dict[str, int] x: text: with\n    colons", "dict[str, int]", "text: with\ncolons"),
        (":param x: It.\n:type x: int or None", "int or None", "It."),
        (":type x: int\n:param x: It.", "int", "It."),
        (":keyword Literal['a:b'] x: It.", "Literal['a:b']", "It."),
        (":param x: It is\n:class:`X` or so.", None, "It is\n:class:`X` or so."),
        (":param x:\n    It.\n\n    And more.", None, "It.\n\nAnd more."),
        (r":param \*x: It.", None, "It."),
        ("@param x: see param y: it", None, "see param y: it"),
        ("@type x: int", "int", ""),
    ],
)
def test_a_field_of_rest_or_epydoc(field: str, type_: str | None, text: str) -> None:
    read = read_docstring(f"Get.\n\n{field}\n")
    assert read.parameters == {"x": DocumentedParameter("x", text, type_)}
    assert read.unread == ()


def test_an_entry_of_numpy_style() -> None:
    text = """Get.

    Parameters
    ----------
        x : {'a', 'b'}, optional
            It: the x.

            - more
        **kw
        y: int, default 5
            Default 5.
    """
    assert described(text) == {"x": "It: the x.\n\n- more", "kw": "", "y": "Default 5."}
    assert types(text) == {"x": "{'a', 'b'}", "kw": None, "y": "int"}


@pytest.mark.parametrize(
    "text",
    [
        "P.\n\nAttributes:\n    x (int): X.\n    y: Y.\n\n    z (str, optional): Z.\n",
        "P.\n\nAttributes\n----------\nx : int\n    X.\ny\n    Y.\nz : str, optional\n    Z.\n",
        "P.\n\n:ivar int x: X.\n:var y: Y.\n:cvar z: Z.\n:vartype z: str\n",
        "P.\n\n@ivar x: X.\n@vartype x: int\n@var y: Y.\n@attribute str z: Z.\n",
    ],
)
def test_attributes_are_kept_apart_from_parameters(text: str) -> None:
    read = read_docstring(text)
    assert read.attributes == {
        "x": DocumentedParameter("x", "X.", "int"),
        "y": DocumentedParameter("y", "Y.", None),
        "z": DocumentedParameter("z", "Z.", "str"),
    }
    assert (read.parameters, read.description) == ({}, "P.")


# --- results -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "returns"),
    [
        ("dict[str, tuple[int, int]]: A: b.", "A: b."),
        ("str | None: A.", "A."),
        ("bool:`True` or not.", "`True` or not."),
        ("dict:\n        A.\n          - b\n        c", "A.\n  - b\nc"),
        ("The weather: as a dict.", "The weather: as a dict."),
        ("A list of [x]: all.", "A list of [x]: all."),
        ("https://example: see there", "https://example: see there"),
        ("dict", "dict"),
        ("", None),
    ],
)
def test_a_type_before_the_text_of_a_result_is_left_out(body: str, returns: str | None) -> None:
    for header in ("Returns", "Return", "Yields"):
        assert read_docstring(f"Get.\n\n{header}:\n    {body}\n").returns == returns


def test_what_is_yielded_is_a_result() -> None:
    yields = (
        "Yields:\n    int: Numbers.",
        "Yields\n------\nint\n    Numbers.",
        ":yields: Numbers.",
        "@yield: Numbers.",
    )
    assert [read_docstring(f"Get.\n\n{text}").returns for text in yields] == ["Numbers."] * 4
    assert read_docstring("Get.\n\nYields:\n    Numbers.\n\nReturns:\n    All.").returns == "All."


def test_several_results_of_numpy_style_are_named() -> None:
    text = "Get.\n\nReturns\n-------\nlow : int\n    The low.\nint\n    The high.\n"
    assert read_docstring(text).returns == "low: The low.\nint: The high."


# --- sections and prose ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Get.\n    Args:\n        x: X.\n    Returns:\n        R.",
        "Get.\nMore.\n\n  Args:\n    x: X.\n    Returns:\n      R.\n    Raises:\n      E: e.",
        "Get.\r\n\r\nArgs:\r\n\tx: X.\r\n\r\nReturns:\r\n\tR.\r\n",
        "Get.\rArgs:\r\tx: X.\rReturns:\r\tR.",
        "Get.\nArgs:\nx: X.\nReturns:\nR.\n",
        "Get.\n\nReturns:\n    R.\n\nRaises:\n\nArgs:   \n\n    x: X.\n",
        "Get.\n\nArgs:\n  x: X.\n\n:returns: R.\n",
        "Get.\n\nReturns\n-------\nobject\n    R.\nArgs:\n    x: X.\n",
        "Get.\n\nArgs:\n    x: old.\n\nReturns:\n    R.\n\nArgs:\n    x: X.\n",
        "Get.\n\nExample:\n    Args:\n        x: example\n\nArgs:\n    x: X.\n\nReturns:\n    R.\n",
        "Get.\n\n    Args:\n        x: X.\n\n    Returns: R is text here.\n\nReturns:\n    R.\n",
    ],
)
def test_sections_are_found_however_they_are_laid_out(text: str) -> None:
    assert described(text) == {"x": "X."}
    assert read_docstring(text).returns == "R."


def test_two_sections_of_one_title_are_one() -> None:
    text = "Get.\n\nArgs:\n    x: X.\n\nKeyword Args:\n    y: Y.\n\nArgs:\n    z: Z.\n"
    assert described(text) == {"x": "X.", "y": "Y.", "z": "Z."}


SHOWN = [
    "Use it so::\n\n    Args:\n        x: shown",
    "Use it so:\n    :param x: shown",
    ".. code-block:: python\n\n    Args:\n        x: shown",
    "```python\nArgs:\n    x: shown\n```",
    "~~~\n:param x: shown\n~~~",
    "It takes some Args: and says\nReturns: nothing.",
    "About :param: and @param nothing is said.",
    ":class:`X` is one.",
]


@pytest.mark.parametrize("prose", SHOWN)
def test_prose_that_looks_like_a_section_is_prose(prose: str) -> None:
    for text in (
        f"Get.\n\n{prose}",
        f"Get.\n\n{prose}\n\nArgs:\n    y: Y.\n",
        f"Get.\n\nArgs:\n    y: Y.\n\n{prose}\n",
    ):
        read = read_docstring(text)
        assert read.description == f"Get.\n\n{prose}"
        assert set(read.parameters) <= {"y"}
        assert (read.returns, read.unread) == (None, ())


def test_a_fence_that_is_never_closed_hides_nothing() -> None:
    assert described("Get.\n\n```\ncode\n\nArgs:\n    x: X.\n") == {"x": "X."}


def test_prose_without_sections_is_all_description() -> None:
    read = read_docstring("Get\n    the weather.\n\n\n    >>> get()\n    Of *one* place — now.\n    ")
    assert read.summary == "Get the weather."
    assert read.description == "Get\nthe weather.\n\n>>> get()\nOf *one* place — now."
    assert read.parameters == {}


@pytest.mark.parametrize(
    "section",
    [
        "Args:\n    x: X.\n",
        "Args:\nx: X.\n",
        "Parameters\n----------\nx : int\n    X.\n",
        ":param x: X.\n    More of it.\n",
        "Raises:\n    KeyError: No.\n",
        "Example:\n    >>> get()\n    1\n",
        "Examples\n--------\n>>> get()\n1\n\nMore.\n\nReferences\n----------\nA book.\n",
        "Todo:\n    * Mend it.\n",
        "See Also:\n    other\n",
    ],
)
def test_prose_before_and_after_the_sections_is_the_description(section: str) -> None:
    before, after = "Get\nit.\n\nNow.", "And this\nis said."
    read = read_docstring(f"{before}\n\n{section}\n{after if 'References' not in section else ''}")
    assert read.summary == "Get it."
    assert read.description == (f"{before}\n\n{after}" if "References" not in section else before)
    assert read.unread == ()


@pytest.mark.parametrize("note", ["Note:\n    In cents.", "Warning:\n    It is lost.", "Notes\n-----\nIn cents."])
def test_notes_and_warnings_are_for_the_caller(note: str) -> None:
    assert read_docstring(f"Pay.\n\nArgs:\n    x: X.\n\n{note}\n\nReturns:\n    R.\n").description == f"Pay.\n\n{note}"


def test_a_docstring_that_is_one_section_has_its_parameters() -> None:
    text = """Args:
        city: The city.

        unit: The unit.
    """
    for written in (text, dedent(text), "Args:\ncity: The city.\nunit: The unit.\n"):  # Python 3.13 dedents the source
        assert described(written) == {"city": "The city.", "unit": "The unit."}


# --- malformed docstrings ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("Get.\n\nArgs:\n    units: U.\n    unit\n    city: C.\n", ("unit",)),
        ("Get.\n\nArgs:\n    units: U.\n    no colon here\n        and more of it\n    city: C.\n", ("no colon here",)),
        ("Get.\n\nArgs:\n  out of line\n    units: U.\n o\n    city: C.\n", ("out of line", "o")),
        ("Get.\n\nArgs:\n    units: U.\n    x (list[int: X.\n    city: C.\n", ("x (list[int: X.",)),
        ("Get.\n\nArgs:\n    units: U.\n    the size: X.\n    city: C.\n", ("the size: X.",)),
        ("Get.\nArgs:\n    units: U.\n    city: C.\nRaises:\n    ValueError\n", ()),
        ("Get.\n\nRaises:\n\nArgs:\n\n    units: U.\n\n    city: C.\n", ()),
        ("Get.\n\nArgs:\n    units: U.\n    'quoted'\n    city: C.\n\nAnd more prose.\n", ("'quoted'",)),
        ("Get.\n\n:param units: U.\n:param: bad\n:param city: C.\n", (":param: bad",)),
        ("Get.\n\n:param units: U.\n:param unit without a colon\n:param city: C.\n", (":param unit without a colon",)),
        ("Get.\n\n:param int|None: U.\n:param units: U.\n:param city: C.\n", (":param int|None: U.",)),
        ("Get.\n\n@param units: U.\n@param unit without\n@param city: C.\n", ("@param unit without",)),
        ("Get.\n\nParameters\n---\nunits : int\n    U.\nnot one : int\n    X.\ncity\n    C.\n", ("not one : int",)),
    ],
)
def test_a_malformed_line_is_reported_and_the_others_are_read(text: str, unread: tuple[str, ...]) -> None:
    read = read_docstring(text)
    assert described(text) == {"units": "U.", "city": "C."}
    assert read.unread == unread
    assert read.summary == "Get."


@pytest.mark.parametrize("nothing", ["None", "None.", "N/A"])
def test_a_section_with_the_word_none_is_empty(nothing: str) -> None:
    read = read_docstring(f"Get.\n\nArgs:\n    {nothing}\n\nReturns:\n    str: The text.\n")
    assert read.parameters == {}
    assert read.returns == "The text."
    assert read.unread == ()


def test_a_docstring_full_of_malformed_lines_is_still_read() -> None:
    lines = "".join(f"    bad {number}\n    p{number}: Good.\n" for number in range(60))
    read = read_docstring(f"Get.\n\nArgs:\n{lines}")
    assert len(read.parameters) == len(read.unread) == 60


def test_a_section_that_the_library_fails_on_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(docstring_parser, "parse", fail)
    read = read_docstring("Get.\n\nParameters\n----------\nx : int\n    X.\n\nArgs:\n    y: Y.\n")
    assert list(read.parameters) == ["y"]
    assert read.unread == ("x : int",)
