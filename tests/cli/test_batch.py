"""`fcregistry call --batch`: JSON lines in, JSON lines out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site


def batch(site: Site, *lines: str | bytes, words: tuple[str, ...] = ()) -> tuple[int, list[Any]]:
    """Run lines from standard input, and return the status and the results."""
    given = b"\n".join(line.encode() if isinstance(line, str) else line for line in lines)
    done = site.cli("call", *words, "--batch", stdin=given)
    assert "Traceback" not in done.stderr
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_each_call_has_a_result_in_order(shop: Site) -> None:
    """In whichever provider's shape it came; ids are kept."""
    status, results = batch(
        shop,
        '{"name": "text", "arguments": {"value": "one"}, "id": "1"}',
        '{"id": "2", "type": "function", "function": {"name": "text", "arguments": "{\\"value\\": \\"two\\"}"}}',
        '{"type": "tool_use", "id": "3", "name": "nested", "input": {}}',
        '{"name": "acme-shop:text", "arguments": {"value": "☃"}}',
    )
    assert status == 0
    assert results == [
        {"ok": True, "id": "1", "name": "text", "content": "one"},
        {"ok": True, "id": "2", "name": "text", "content": "two"},
        {"ok": True, "id": "3", "name": "nested", "content": '{"a": [1, {"b": null}]}'},
        {"ok": True, "id": None, "name": "text", "content": "☃"},
    ]


def test_a_line_that_fails_takes_no_other_with_it(shop: Site) -> None:
    """Malformed lines are told with their number, everything else with its code; the status is 1."""
    good = '{"name": "text", "arguments": {"value": "fine"}, "id": "g"}'
    status, results = batch(
        shop,
        good,
        "",
        '{"name": "text"',
        b"\xff\xfe",
        "[]",
        '{"arguments": {}, "id": "nameless"}',
        '{"name": "nix"}',
        '{"name": "lookup"}',
        '{"name": "text", "arguments": {"value": 5}}',
        '{"name": "text", "arguments": {"value": "a", "value": "b"}}',
        '{"name": "text", "arguments": {"value": NaN}}',
        '{"name": "fails"}',
        '{"name": "danger", "arguments": {"path": "x"}}',
        "[" * 100_000,
        good,
    )
    assert status == 1
    assert [result["ok"] for result in results] == [True, *[False] * 12, True]
    errors = [(result["error"]["code"], result["error"]["message"]) for result in results[1:-1]]
    assert [code for code, _ in errors] == [
        *["malformed_call"] * 4,
        *["unknown_tool"] * 2,
        "invalid_arguments",
        *["malformed_call"] * 2,
        *["tool_failed", "approval_required", "malformed_call"],
    ]
    messages = [message for _, message in errors]
    assert messages[0] == "line 3 is not valid JSON: Expecting ',' delimiter: line 1 column 16 (char 15)"
    assert messages[1].startswith("line 4 is not valid JSON: 'utf-8' codec can't decode")
    assert messages[2].startswith("line 5: a list is not a tool call: a tool call is")
    assert messages[3].startswith("line 6: ")
    assert results[4]["id"] == "nameless"
    assert messages[4].startswith("there is no tool 'nix'")
    assert messages[5].startswith("'lookup' may be any of ")
    assert messages[7] == 'line 10 is not valid JSON: the name "value" occurs twice in one object'
    assert messages[8] == "line 11 is not valid JSON: NaN is not a JSON number"
    assert messages[9] == "RuntimeError: it broke badly"
    assert messages[11].startswith("line 14 is not valid JSON: ")


def test_tools_of_one_name_are_called_by_their_ids(shop: Site) -> None:
    """The calls of one batch need no names of their own."""
    status, results = batch(
        shop,
        '{"name": "acme-shop:search.web.lookup", "arguments": {"query": "a"}}',
        '{"name": "other:search.web.lookup", "arguments": {"query": "b"}}',
        '{"name": "acme-shop:search.web.lookup", "arguments": {"query": "c"}}',
    )
    assert status == 0
    assert [result["content"] for result in results] == ["a", "other b", "c"]


def test_calls_come_from_a_file_too(shop: Site, tmp_path: Path) -> None:
    """Also one that begins with a byte order mark, and ends lines as Windows does."""
    (tmp_path / "calls.jsonl").write_bytes(b'\xef\xbb\xbf{"name": "noisy"}\r\n\r\n{"name": "noisy"}\r\n')
    done = shop.cli("call", "--batch", "calls.jsonl", cwd=tmp_path)
    assert done.returncode == 0
    assert [json.loads(line)["content"] for line in done.stdout.splitlines()] == ["7", "7"]
    assert done.stderr == "noise\nnoise\n"


def test_more_lines_than_are_run_at_once_keep_their_order(shop: Site) -> None:
    """A batch may be of any length."""
    lines = [json.dumps({"name": "text", "arguments": {"value": str(number)}}) for number in range(1100)]
    status, results = batch(shop, *lines)
    assert status == 0
    assert [result["content"] for result in results] == [str(number) for number in range(1100)]


def test_the_flag_goes_before_the_file(shop: Site) -> None:
    done = shop.cli("call", "calls.jsonl", "--batch")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--batch goes before the file: fcregistry call --batch calls.jsonl\n" in done.stderr


def test_no_calls_are_no_error(shop: Site) -> None:
    """And give no results."""
    assert batch(shop) == (0, [])


def test_approval_may_be_given_for_a_batch(shop: Site) -> None:
    """Beforehand, since its standard input is not a person's."""
    status, results = batch(shop, '{"name": "danger", "arguments": {"path": "x"}}', words=("--yes",))
    assert (status, results[0]["content"]) == (0, "deleted x")


def test_control_characters_of_results_are_escaped(shop: Site) -> None:
    """Lossless: it is still the same JSON."""
    done = shop.cli("call", "--batch", stdin='{"name": "evil"}')
    assert json.loads(done.stdout)["content"] == "\x1b[2Jplain\x9b31m\u202e"
    assert not {"\x1b", "\x9b", "\u202e"} & set(done.stdout)


def test_wrong_usage_is_an_error(shop: Site) -> None:
    """A file that is not there, too many words, and an option that does not go with it."""
    for words, message in (
        (["--batch", "nowhere.jsonl"], "cannot read nowhere.jsonl: No such file or directory"),
        (["--batch", "a", "b"], "--batch takes one file of calls, and no arguments after it: b"),
        (["--batch", "--output", "x"], "--batch writes to standard output: leave --output out"),
    ):
        done = shop.cli("call", *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr


def test_a_feeder_that_waits_for_each_answer_gets_it(shop: Site) -> None:
    """Lines are run as they come, not when the input ends."""
    with shop.started("call", "--batch") as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for value in ("one", "two"):
            running.stdin.write(json.dumps({"name": "text", "arguments": {"value": value}}).encode() + b"\n")
            running.stdin.flush()
            assert json.loads(running.stdout.readline())["content"] == value
        running.stdin.close()
        assert running.wait(60) == 0


NEEDY = """
    from fcregistry import Context, fc_register


    class Shop:
        pass


    @fc_register("tool")
    def orders(context: Context[Shop], customer: str) -> str:
        "List orders."
        return customer


    @fc_register("tool")
    def greet(name: str) -> str:
        "Greet somebody."
        return f"Hello, {name}"
"""


def test_a_tool_that_asks_for_what_only_an_application_has_fails_its_own_line(site: Site) -> None:
    site.install("acme-needy", {"needy": "acme_needy"}, {"acme_needy.py": NEEDY})
    status, results = batch(
        site,
        '{"name": "orders", "arguments": {"customer": "Ada"}, "id": "1"}',
        '{"name": "greet", "arguments": {"name": "Bob"}, "id": "2"}',
    )
    reason = "orders needs Shop, which only an application has: it cannot be called here"
    assert status == 1
    assert results[0]["error"] == {"code": "unavailable", "message": reason, "retryable": False}
    assert results[1] == {"ok": True, "id": "2", "name": "greet", "content": "Hello, Bob"}
    done = site.cli("call", "orders", "--customer", "Ada")
    assert (done.returncode, done.stdout) == (1, "")
    assert reason in done.stderr
