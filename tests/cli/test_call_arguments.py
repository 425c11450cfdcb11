"""Words on the command line as arguments of a tool, by its schema."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site


def called(site: Site, *words: str, **settings: Any) -> Any:
    """Call a tool that must go well, and return its result."""
    done = site.cli("call", *words, **settings)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def refused(site: Site, *words: str, **settings: Any) -> str:
    """Call a tool with what must be refused, and return what is said of it."""
    done = site.cli("call", *words, **settings)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    return done.stderr


def test_options_are_made_from_the_schema(shop: Site) -> None:
    """Numbers, booleans, enums, dates, records, lists and unions arrive as the Python values that the function asks for."""
    words = [
        "--customer",
        "Zoë ☃",
        "--num-days",
        "5",
        "--ratio",
        "-0.25",
        "--express",
        "--colour",
        "dark_red",
        "--unit",
        "a_b",
    ]
    words += [
        "--day",
        "2024-02-29",
        "--item",
        '{"name": "nail", "count": 2}',
        "--items",
        '[{"name": "a"}, {"name": "b"}]',
    ]
    words += [
        "--tags",
        "a b",
        "--tags",
        "c,d",
        "--numbers",
        "-1",
        "--numbers",
        "2",
        "--level",
        "low",
        "--mixed",
        "7",
        "--pair",
        '[1, "x"]',
    ]
    assert called(shop, "order", *words) == {
        "customer": "'Zoë ☃'",
        "num_days": "5",
        "ratio": "-0.25",
        "tags": "['a b', 'c,d']",
        "numbers": "[-1, 2]",
        "express": "True",
        "colour": "<Colour.DARK_RED: 'dark_red'>",
        "unit": "'a_b'",
        "day": "datetime.date(2024, 2, 29)",
        "item": "Item(name='nail', count=2)",
        "items": "[Item(name='a', count=1), Item(name='b', count=1)]",
        "level": "'low'",
        "mixed": "7",
        "pair": "(1, 'x')",
    }


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--num_days", "5"], {"num_days": "5"}),
        (["--num-days=5"], {"num_days": "5"}),
        (["--num-days", "-5"], {"num_days": "-5"}),
        (["--no-express"], {"express": "False"}),
        (["--no_express"], {"express": "False"}),
        (["--unit", "a-b"], {"unit": "'a-b'"}),
        (["--level", "5"], {"level": "5"}),
        (["--level", "null"], {"level": "None"}),
        (["--mixed", "seven"], {"mixed": "'seven'"}),
        (["--mixed", '"7"'], {"mixed": "'7'"}),
        (["--tags", "[1]"], {"tags": "['[1]']"}),
        (["--tags", ""], {"tags": "['']"}),
        (["--arg", "tags=[]"], {"tags": "[]"}),
        (["--arg", 'item={"name": "a=b"}'], {"item": "Item(name='a=b', count=1)"}),
        (["--arg", "num_days=8", "--num-days", "5"], {"num_days": "8"}),
        (['{"num_days": 9, "ratio": 2}', "--num-days", "5"], {"num_days": "5", "ratio": "2.0"}),
        (["--num-days", "5", '{"num_days": 9}'], {"num_days": "5"}),
        (['{"num_days": 9}', "--arg", "num_days=7"], {"num_days": "7"}),
    ],
)
def test_one_argument_may_be_written_in_several_ways(shop: Site, words: list[str], expected: dict[str, str]) -> None:
    """Options before JSON, `--arg` before both; a dash and an underscore are one, except in a value."""
    assert called(shop, "order", "--customer", "x", *words).items() >= expected.items()


def test_a_value_may_look_like_an_option(shop: Site) -> None:
    """What stands where a value is due is the value."""
    assert called(shop, "order", "--customer", "--help")["customer"] == "'--help'"


def test_parameters_whose_names_clash_go_by_arg(shop: Site) -> None:
    """`help`, `arg` and what a boolean's `--no-…` has taken; names that differ in case alone, and `json` and `h`, have options."""
    words = [
        "--arg",
        'help="me"',
        "--arg",
        "arg=1",
        "--arg",
        "no_flag=true",
        "--no-flag",
        "--json",
        "null",
        "--name",
        "n",
    ]
    words += ["--h", "2", "--Foo", "3", "--foo", "4", "--arg", "_hidden=5", "--arg", "größe=6", "--self-", "7"]
    assert called(shop, "odd", *words) == {
        "help": "me",
        "arg": 1,
        "no_flag": True,
        "flag": False,
        "json": None,
        "name": "n",
        "h": 2,
        "Foo": 3,
        "foo": 4,
        "_hidden": 5,
        "größe": 6,
        "self_": 7,
    }


def test_positional_and_further_names_are_given_by_list_and_by_arg(shop: Site) -> None:
    """A `*args` parameter is an option that repeats; what `**kwargs` takes has no option of its own."""
    assert called(shop, "anything", "--numbers", "1", "--numbers", "2", "--arg", 'x="y"') == {
        "numbers": [1, 2],
        "more": {"x": "y"},
    }
    assert "--x" in refused(shop, "anything", "--x", "y")


def test_arguments_come_as_one_json_word_from_stdin_or_from_a_file(shop: Site, tmp_path: Path) -> None:
    """All three mean the same."""
    text = '{"customer": "Zoë", "num_days": 2}'
    (tmp_path / "arguments.json").write_text(text, encoding="utf-8")
    word = called(shop, "order", text)
    assert word["customer"] == "'Zoë'"
    assert called(shop, "order", "-", stdin=text) == word
    assert called(shop, "order", "@arguments.json", cwd=tmp_path) == word
    assert called(shop, "nothing") is called(shop, "nothing", "{}") is None


def test_empty_input_is_not_taken_for_no_arguments(shop: Site, tmp_path: Path) -> None:
    """The command that should have written the arguments failed."""
    (tmp_path / "empty.json").write_text(" \n", encoding="utf-8")
    assert "standard input is empty: write {} for no arguments\n" in refused(shop, "text", "-")
    assert "empty.json is empty: write {} for no arguments\n" in refused(shop, "text", "@empty.json", cwd=tmp_path)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "- --customer: is required"),
        (['{"customer": 5}'], "- $.customer: must be a string, not 5"),
        (['{"customer": "x", "num_day": 5}'], "num_day"),
        (["--customer", "x", "--item", '{"name": 5}'], "- --item (.name): must be a string, not 5"),
        (
            ["--customer", "x", "--day", "tomorrow"],
            '- --day: must be a string of the format "date" (such as "2026-01-31"), not "tomorrow"',
        ),
        (["--customer", "x", "--ratio", "nan"], "$.ratio is nan, which is not a JSON number"),
        (['{"customer": "x"'], "the arguments are cut off"),
        (['{"customer": "x", "customer": "y"}'], 'the name "customer" occurs twice in one object'),
        (['{"customer": NaN}'], "NaN is not a JSON number"),
        (["[1]"], "the arguments must be a JSON object, got an array"),
        (['"Tokyo"'], "the arguments must be a JSON object, got "),
    ],
)
def test_invalid_arguments_are_errors_with_their_place(shop: Site, words: list[str], message: str) -> None:
    """Nothing runs; the last line says where the options are explained."""
    said = refused(shop, "order", *words)
    assert said.startswith("Error: ")
    assert message in said
    assert said.endswith("(fcregistry call order --help lists the tool's options)\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--num-days", "3.5"], "Invalid value for '--num-days': must be an integer, not \"3.5\""),
        (["--ratio", "much"], "Invalid value for '--ratio': must be a number, not \"much\""),
        (["--colour", "pink"], 'Invalid value for \'--colour\': must be one of "dark_red", "blue", not "pink"'),
        (["--unit", "a b"], 'must be one of "a_b", "a-b", "c", not "a b"'),
        (
            ["--item", "nail"],
            "Invalid value for '--item': 'nail' is not valid JSON: Expecting value: line 1 column 1 (char 0)",
        ),
        (["--item", '{"name": "a", "name": "b"}'], 'is not valid JSON: the name "name" occurs twice in one object'),
        (["--item", "[" * 100_000], "is not valid JSON: "),
        (["--num-days"], "requires an argument"),
        (["--num-dais", "3"], "--num-dais"),
        (["--arg", "customer"], "--arg takes NAME=JSON, not 'customer'"),
        (
            ["--arg", "customer=Zoë"],
            "--arg customer: 'Zoë' is not valid JSON (Expecting value: line 1 column 1 (char 0)); write a string in quotes: --arg 'customer=\"…\"'",
        ),
        (["--num-days", "3", "--num-days", "3"], "--num-days is given 2 times, but takes one value\n"),
        (["--num-days", "3", "--num_days", "4", "--num-days=5"], "--num-days is given 3 times, but takes one value\n"),
        (["--colour", "blue", "--colour", "dark_red"], "--colour is given 2 times, but takes one value\n"),
        (
            ["--items", '{"name": "a"}', "--items", '{"name": "b"}'],
            "--items is given 2 times, but takes one value; give one JSON value\n",
        ),
        (
            ["Tokyo"],
            "'Tokyo' is not a JSON object; give arguments as options, such as --customer Tokyo\n",
        ),
        (["Tokyo", "--num-days", "3"], "'Tokyo' is not a JSON object; give arguments as options"),
        (["{}", "{}"], "Got unexpected extra argument ({})"),
        (['{"customer"', "--num-days", "3"], "the arguments are not valid JSON: "),
        (["[1]", "--num-days", "3"], "the arguments are not a JSON object"),
        (["@nowhere.json"], "cannot read nowhere.json: No such file or directory"),
        (["--batch"], "No such option"),
    ],
)
def test_the_error_for_words_that_are_not_arguments_shows_the_usage_of_the_tool(
    shop: Site, words: list[str], message: str
) -> None:
    """What is wrong with which word."""
    said = refused(shop, "order", *words)
    assert said.startswith("Usage: fcregistry call order [OPTIONS] [JSON|-|@FILE]\nError: ")
    assert message in said


def test_options_of_the_command_may_follow_the_name_of_a_tool_that_has_no_such_option(
    shop: Site, tmp_path: Path
) -> None:
    """Otherwise they are the tool's, and its help shows its own options only."""
    assert shop.cli("call", "danger", "--yes", "--path", "x").stdout == '"deleted x"\n'
    assert 'acme_shop/tools.py", line ' in shop.cli("call", "fails", "-v").stderr
    assert shop.cli("call", "blob", "--output", "bytes", cwd=tmp_path).returncode == 0
    assert (tmp_path / "bytes").read_bytes() == b"\x00\xff\n"
    odd = json.loads(shop.cli("call", "odd", "--json", "2").stdout)
    assert odd["json"] == 2
    assert "--yes" not in shop.cli("call", "danger", "--help").stdout


def test_standard_input_and_files_that_are_not_text_are_refused(shop: Site, tmp_path: Path) -> None:
    """Named, with the byte that is wrong."""
    (tmp_path / "binary").write_bytes(b"\xff{}")
    assert "cannot read binary: 'utf-8' codec can't decode byte 0xff" in refused(shop, "order", "@binary", cwd=tmp_path)
    assert f"cannot read {tmp_path}: Is a directory" in refused(shop, "order", f"@{tmp_path}")
    # With PYTHONUTF8, bytes of stdin that are no UTF-8 become lone surrogates, which no JSON is made of.
    assert "the arguments must be valid JSON" in refused(shop, "order", "-", stdin=b"\xff{}")


def test_the_help_of_a_call_has_the_docstring_and_every_parameter(shop: Site) -> None:
    """With type, default, description, and whether it is required."""
    done = shop.cli("call", "order", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    text = " ".join(done.stdout.split())
    assert text.startswith(
        "Usage: fcregistry call order [OPTIONS] [JSON|-|@FILE] Order something. It is sent to the customer. Options:"
    )
    for part in (
        "--customer STRING Who pays for it. [required]",
        "--num-days INTEGER Within how many days. [default: 3]",
        "--express / --no-express [default: false]",
        '--colour [dark_red|blue] [default: "blue"]',
        "--unit [a_b|a-b|c]",
        "--tags STRING...",
        "--numbers INTEGER...",
        "--day DATE",
        "--item JSON:{name:string,count:integer=1}",
        "--arg NAME=JSON Give any argument by its name.",
    ):
        assert part in text
    assert "_given" not in text


def test_the_help_of_a_call_names_what_has_no_option(shop: Site) -> None:
    """With its type, since it has no line of its own."""
    text = " ".join(shop.cli("call", "odd", "-h").stdout.split())
    assert (
        "These arguments have no option of their own: help (string); arg (integer); no_flag (boolean); _hidden (integer); größe (integer)."
        in text
    )


def test_a_decimal_number_is_taken_as_it_is_typed(site: Site) -> None:
    """No digit is lost on the way, whether it is given alone or several times; what is none is told."""
    tools = """
        from decimal import Decimal
        from fcregistry import fc_register

        @fc_register
        def pay(amount: Decimal, rates: list[Decimal]) -> list[Decimal]:
            "Pay."
            return [amount, *rates]
        """
    site.install("acme-pay", {"pay": "acme_pay"}, {"acme_pay.py": tools})
    digits = "0.1000000000000000000000000001"
    assert called(site, "pay", "--amount", digits, "--rates", "-1.50", "--rates", "2") == [digits, "-1.50", "2"]
    assert '--amount: must be a string of the format "decimal"' in refused(site, "pay", "--amount", "x", "--rates", "1")
    assert "--rates DECIMAL..." in site.cli("call", "pay", "--help").stdout
