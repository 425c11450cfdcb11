from __future__ import annotations

from textwrap import dedent

import pytest

from fcregistry._docstrings import read_docstring

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


@pytest.mark.parametrize("header", ["Args", "Arguments", "Parameters", "Params"])
def test_google_names_the_section_of_parameters_in_several_ways(header: str) -> None:
    assert described(f"Get.\n\n{header}:\n    city: The city.\n") == {"city": "The city."}


@pytest.mark.parametrize("text", [None, "", "   \n  "])
def test_no_docstring_says_nothing(text: str | None) -> None:
    read = read_docstring(text)
    assert (read.summary, read.description, read.parameters, read.returns, read.unread) == ("", "", {}, None, ())


def test_prose_without_sections_is_all_description() -> None:
    read = read_docstring("Get\n    the weather.\n\n    About :param: and @param nothing is said.\n    ")
    assert read.summary == "Get the weather."
    assert read.description == "Get\nthe weather.\n\nAbout :param: and @param nothing is said."
    assert read.parameters == {}


def test_examples_are_no_part_of_the_description() -> None:
    read = read_docstring("Get.\n\nArgs:\n    city: Where.\n\nExample:\n    >>> get('x')\n    1\n")
    assert read.description == "Get."
    assert list(read.parameters) == ["city"]


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
        ("Get.\nArgs:\n    units: U.\n    city: C.\nRaises:\n    ValueError\n", ("ValueError",)),
        ("Get.\n\nRaises:\n\nArgs:\n\n    units: U.\n\n    city: C.\n", ()),
        ("Get.\n\nArgs:\n    units: U.\n    'quoted'\n    city: C.\n\nAnd more prose.\n", ("'quoted'",)),
        ("Get.\n\n:param units: U.\n:param: bad\n:param city: C.\n", (":param: bad",)),
        ("Get.\n\n:param units: U.\n:param unit without a colon\n:param city: C.\n", (":param unit without a colon",)),
        ("Get.\n\n@param units: U.\n@param unit without\n@param city: C.\n", ("@param unit without",)),
    ],
)
def test_a_malformed_line_loses_only_itself_and_is_named(text: str, unread: tuple[str, ...]) -> None:
    read = read_docstring(text)
    assert described(text) == {"units": "U.", "city": "C."}
    assert read.unread == unread
    assert read.summary == "Get."


@pytest.mark.parametrize("nothing", ["None", "None."])
def test_a_section_that_says_none_says_nothing(nothing: str) -> None:
    read = read_docstring(f"Get.\n\nArgs:\n    {nothing}\n\nReturns:\n    str: The text.\n")
    assert read.parameters == {}
    assert read.returns == "The text."
    assert read.unread == ()


def test_a_docstring_full_of_malformed_lines_is_still_read() -> None:
    lines = "".join(f"    bad {number}\n    p{number}: Good.\n" for number in range(60))
    read = read_docstring(f"Get.\n\nArgs:\n{lines}")
    assert len(read.parameters) == len(read.unread) == 60
