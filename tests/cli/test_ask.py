"""Output and exit codes of `fcregistry ask` off a terminal, with models whose answers are known."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import pytest
from click.testing import CliRunner

from .asking import Question, Said, asked_together, office_of
from .commands import command

if TYPE_CHECKING:
    from tests.conftest import Site

MULTIPLY: Final = ("How many?", "--tool", "multiply")
BOTH: Final = ("Clean up", "--tool", "danger", "--tool", "multiply", "--yes-to")
FILE: Final = 'model = "script:none"'
VARIABLE: Final = {"FCREGISTRY_MODEL": "script:echo"}

QUESTIONS: Final = {
    "on standard input": Question(
        model="echo", words=("-", "--tool", "multiply", "--tool", "e*"), stdin="  How\nmany?\n"
    ),
    "with instructions": Question(model="echo", words=("Qwertz?", "--system", "Be brief.")),
    "with instructions in a file": Question(
        model="echo", words=("Qwertz?", "--system", "@fcregistry.toml"), config="# Be kind."
    ),
    "with instructions in no file": Question(model="echo", words=("Qwertz?", "--system", "@none.md")),
    "about a tool": Question(model="echo", words=("Please multiply 2 and 3",)),
    "about many tools": Question(model="echo", words=("Switch a lamp on",)),
    "about nothing": Question(model="echo", words=("Qwertz?",)),
    "to nobody": Question(model="", words=("How many?",)),
    "to the file's": Question(model="", words=MULTIPLY, config=FILE),
    "to the variable's": Question(model="", words=MULTIPLY, config=FILE, env=VARIABLE),
    "to the option's": Question(model="multiplier", words=MULTIPLY, config=FILE, env=VARIABLE),
    "to an unknown one": Question(model="", words=("Qwertz?", "--model", "gpt-5")),
    "as JSON": Question(model="multiplier", words=(*MULTIPLY, "--json")),
    "of danger": Question(model="both", words=(*BOTH, "multiply")),
    "of danger approved": Question(model="both", words=(*BOTH, "dang*", "--json")),
    "of danger misspelt": Question(model="both", words=(*BOTH, "dangr")),
    "as an expression": Question(model="expression", words=("Clean up", "--tool", "danger", "--calls", "expression")),
    "as an expression approved": Question(
        model="expression", words=("Clean up", "--tool", "danger", "--calls", "expression", "--yes-to", "danger")
    ),
    "found to destroy": Question(model="wiper", words=("Wipe the disk",)),
    "named to destroy": Question(model="wiper", words=("Wipe the disk", "--tool", "wipe")),
    "without a call as JSON": Question(model="echo", words=(*MULTIPLY, "--json")),
    "broken": Question(model="broken", words=MULTIPLY),
    "endless": Question(model="endless", words=(*MULTIPLY, "--max-rounds", "2")),
    "repeated": Question(model="endless", words=(*MULTIPLY, "--max-rounds", "9", "--max-repeats", "1")),
    "of one round": Question(model="multiplier", words=(*MULTIPLY, "--agent", "function-call")),
    "streamed": Question(model="evil", words=("Talk", "--tool", "evil", "--stream", "--trace")),
}


@pytest.fixture(scope="module")
def office(make_site: Callable[[], Site]) -> Site:
    """A site with the tools and the models."""
    return office_of(make_site)


@pytest.fixture(scope="module")
def said(office: Site, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Said]:
    """What was said to each question."""
    return asked_together(office, QUESTIONS, tmp_path_factory.mktemp("asked"))


def test_the_answer_alone_is_on_standard_output(office: Site) -> None:
    """What tools and extensions print is elsewhere, and nothing is shown of how the answer came about."""
    done = office.cli("ask", *MULTIPLY, "--model", "script:multiplier")

    assert (done.returncode, done.stdout) == (0, "It is 156.\n")
    assert done.stderr == "a model is made\nnoise\n"


def test_a_question_needs_no_quotes(office: Site) -> None:
    question, *options = MULTIPLY
    done = office.cli("ask", *options, "--model", "script:multiplier", *question.split())
    assert (done.returncode, done.stdout) == (0, "It is 156.\n")


def test_an_answer_that_was_streamed_to_the_same_file_is_not_written_again(office: Site) -> None:
    words = office.command("-m", "fcregistry", "ask", *MULTIPLY, "--model", "script:multiplier", "--stream")
    done = subprocess.run(
        words,
        env=office.environment(),
        cwd=office.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
    )
    assert done.stdout.count("It is 156.") == 1


def test_standard_input_may_have_the_question(said: dict[str, Said]) -> None:
    assert said["on standard input"].stdout == "How\nmany? with evil,multiply\n"


def test_instructions_come_before_the_question(said: dict[str, Said]) -> None:
    """From the command line, or from a file; one that is not there is wrong usage."""
    assert said["with instructions"].stdout == "[Be brief.] Qwertz? with nothing\n"
    assert said["with instructions in a file"].stdout == "[# Be kind.] Qwertz? with nothing\n"
    missing = said["with instructions in no file"]
    assert (missing.status, missing.stdout) == (2, "")
    assert "cannot read none.md: No such file or directory" in missing.stderr


def test_without_selectors_tools_are_searched_for(said: dict[str, Said]) -> None:
    """And said on standard error, five at most; where none has to do with the question, the model answers without."""
    assert said["about a tool"].stdout == "Please multiply 2 and 3 with multiply\n"
    assert "Tools found for the question: multiply\n" in said["about a tool"].stderr
    assert said["about many tools"].stdout == "Switch a lamp on with lamp_b,lamp_c,lamp_d,lamp_e,lamp_f\n"
    assert said["about nothing"].stdout == "Qwertz? with nothing\n"
    assert "No tool matches the question.\n" in said["about nothing"].stderr


def test_an_answer_without_a_call_is_marked_if_tools_were_offered(said: dict[str, Said]) -> None:
    remark = "(the model called no tool: this answer is its own)\n"
    assert said["about a tool"].stderr.endswith(remark)
    for asked in (
        "about nothing",
        "as JSON",
        "without a call as JSON",
        "as an expression approved",
        "broken",
        "of one round",
    ):
        assert remark not in said[asked].stderr, asked


def test_an_unknown_model_is_an_error_before_tools_are_searched(said: dict[str, Said]) -> None:
    done = said["to an unknown one"]
    assert (done.status, done.stdout) == (2, "")
    assert "gpt-5" in done.stderr
    assert "tool" not in done.stderr.partition("Error: ")[0]


def test_the_error_without_a_model_says_how_to_get_one(said: dict[str, Said]) -> None:
    done = said["to nobody"]

    assert (done.status, done.stdout) == (2, "")
    assert "Error: no model is named. Name one with --model, in the variable FCREGISTRY_MODEL" in done.stderr
    assert '--model openai:gpt-5, with OPENAI_API_KEY set, after: pip install "fcregistry[openai]"\n' in done.stderr
    assert "--model llama:smollm2, after: pip install fcregistry-llama\n" in done.stderr


def test_the_variable_goes_before_the_file_and_the_option_before_both(said: dict[str, Said]) -> None:
    assert said["to the file's"].status == 2
    assert "the extension acme-script[script] has no model 'none'" in said["to the file's"].stderr
    assert said["to the variable's"].stdout == "How many? with multiply\n"
    assert said["to the option's"].stdout == "It is 156.\n"


def test_json_has_all_that_came_of_a_run(said: dict[str, Said]) -> None:
    done = said["as JSON"]
    shown = json.loads(done.stdout)

    assert list(shown) == ["answer", "stop_reason", "error", "steps", "messages", "usage", "pending"]
    assert (shown["answer"], shown["stop_reason"]) == ("It is 156.", "answered")
    assert (shown["error"], shown["pending"], shown["usage"]["requests"]) == (None, [], 1)
    assert [step["kind"] for step in shown["steps"]] == ["model", "tools", "model"]
    assert shown["steps"][2]["message"]["reasoning"] == "Let me \x1b[2Jthink."
    [result] = shown["steps"][1]["results"]
    assert (result["name"], result["content"], result["ok"]) == ("multiply", "156", True)
    assert [message["role"] for message in shown["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert "\x1b" not in done.stdout


def test_a_call_that_needs_approval_waits_if_the_user_cannot_be_asked(said: dict[str, Said]) -> None:
    """No call of the message runs, and what waits is told with all of its arguments. What is approved is what was named."""
    done = said["of danger"]

    assert (done.status, done.stdout, done.made) == (3, "", [])
    assert "Error: calls wait for a decision\n" in done.stderr
    assert 'acme-tools:danger {"path": "/x\\r\\u001b[2Ksafe"}\n  the tool requires approval\n' in done.stderr
    assert "--yes-to acme-tools:danger" in done.stderr
    assert "noise" not in done.stderr


def test_what_is_approved_beforehand_runs(said: dict[str, Said]) -> None:
    """The steps before the pause and after it are told as one run."""
    done = said["of danger approved"]
    shown = json.loads(done.stdout)

    assert (done.status, shown["stop_reason"], done.made) == (0, "answered", ["ran"])
    assert [step["kind"] for step in shown["steps"]] == ["model", "tools", "model"]


def test_an_approval_that_names_nothing_is_a_slip(said: dict[str, Said]) -> None:
    done = said["of danger misspelt"]

    assert (done.status, done.stdout, done.made) == (2, "", [])
    assert "did you mean 'danger'" in done.stderr


def test_an_expression_that_was_not_approved_beforehand_is_refused(said: dict[str, Said]) -> None:
    """Nobody waits for a decision about it."""
    refused, approved = said["as an expression"], said["as an expression approved"]

    assert (refused.status, refused.stdout, refused.made) == (0, "Done.\n", [])
    assert (approved.status, approved.stdout, approved.made) == (0, "Done.\n", ["ran"])


def test_a_destructive_tool_that_a_search_found_needs_approval(said: dict[str, Said]) -> None:
    """The question found it; whoever names it has been told what it does."""
    assert said["found to destroy"].status == 3
    assert "acme-tools:wipe {}" in said["found to destroy"].stderr
    assert said["named to destroy"].stdout == "It is wiped.\n"


def test_the_exit_code_says_that_there_is_no_answer(said: dict[str, Said]) -> None:
    broken, endless = said["broken"], said["endless"]

    assert (broken.status, broken.stdout) == (endless.status, endless.stdout) == (1, "")
    assert "Error: the model gave no answer: ValueError: no \\x1b[2Jlight\n" in broken.stderr
    assert "Error: the model was still calling tools in the last round that it was given\n" in endless.stderr
    assert "(--max-rounds gives it more rounds)\n" in endless.stderr


def test_a_model_that_repeats_its_calls_is_stopped_where_the_command_says_so(said: dict[str, Said]) -> None:
    repeated = said["repeated"]

    assert (repeated.status, repeated.stdout) == (1, "")
    assert (
        "Error: the model made the same calls with the same results more often in a row than it may\n"
        in repeated.stderr
    )
    assert "(without --max-repeats, it may repeat them)\n" in repeated.stderr


def test_a_time_that_is_over_ends_the_process_whatever_the_tool_still_does(office: Site) -> None:
    done = office.cli("ask", "Sleep", "--tool", "sleepy", "--model", "script:sleeper", "--timeout", "0.2")

    assert (done.returncode, done.stdout) == (4, "")
    assert "Error: the time budget was used up\n(--timeout gives it more time)\n" in done.stderr


def test_one_round_answers_with_what_came_of_the_calls(said: dict[str, Said]) -> None:
    assert (said["of one round"].status, said["of one round"].stdout) == (0, "156\n")


def test_off_a_terminal_stream_shows_what_happens(said: dict[str, Said]) -> None:
    """What strangers wrote is escaped, and the answer is still alone on standard output."""
    done = said["streamed"]

    assert done.stdout.startswith("It is \\x1b[2J\\x9b31m\\x1b[2J\\u202e\nand more\n and ")
    assert done.stderr.startswith("a model is made\nthinking: Let me \\x1b[2Jthink.\nI call\\x1b[2J 2.\ncall evil {")
    assert "s):\n  \\x1b[2J\\x9b31m\\x1b[2J\\u202e\n  and more\n" in done.stderr
    assert "call none of\\x1b[2Jthese {}\n" in done.stderr
    assert "none of\\x1b[2Jthese (unknown_tool)" in done.stderr
    assert not {"\x1b", "\x9b", "\u202e"} & {*done.stdout, *done.stderr}


def test_a_trace_ends_with_what_was_done_when(said: dict[str, Said]) -> None:
    """In the order in which it began."""
    stderr = said["streamed"].stderr
    timeline = stderr[stderr.index("    START") :].splitlines()

    labels = [line.split("  ")[-1] for line in timeline[1:-1]]
    assert labels == ["start", "script:evil", "evil", "none of\\x1b[2Jthese (unknown_tool)", "script:evil"]
    assert " seconds: the start " in timeline[-1]


def test_a_closed_pipe_ends_it_quietly(office: Site) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    words = ("-m", "fcregistry", "ask", *MULTIPLY, "--model", "script:echo")
    done = subprocess.run(
        office.command(*words), stdout=writing, stderr=subprocess.PIPE, env=office.environment(), text=True
    )
    os.close(writing)

    assert (done.returncode, done.stderr) == (141, "a model is made\n")


WRONG = {
    (" ",): "the question is empty",
    ("How?", "--timeout", "nan"): "must be a number of seconds above 0",
    ("How?", "--timeout", "0"): "must be a number of seconds above 0",
    ("How?", "--timeout", "1e9"): "must be a number of seconds above 0, and at most 100000000",
    ("How?", "--agent", "rewoo", "--max-rounds", "2"): "--max-rounds works only with --agent react or plan-and-solve",
    ("How?", "--agent", "rewoo", "--calls", "expression"): "--calls works only with --agent react or plan-and-solve",
    ("How?", "--agent", "chain"): "'chain' is not one of 'react', 'function-call', 'plan-and-solve', 'rewoo'",
}


@pytest.mark.parametrize("words", WRONG, ids=[" ".join(words) for words in WRONG])
def test_wrong_usage_is_an_error_before_anything_happens(words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(command("ask"), [*words, "--model", "script:echo"])

    assert done.exit_code == 2
    assert WRONG[words] in done.output
