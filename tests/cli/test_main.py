"""Usage, modules of the user, closed and full streams, and completion, for every command."""

from __future__ import annotations

import ast
import json
import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from fcregistry import __version__

from .commands import COMMANDS, command

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site


def in_bash(site: Site, line: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which `fcregistry` is the command."""
    words = " ".join(f"'{word}'" for word in site.command("-m", "fcregistry"))
    script = f'fcregistry() {{ {words} "$@"; }}; {line}'
    return subprocess.run(
        ["bash", "-c", script],
        env=site.environment(env),
        cwd=site.folder,
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )


def test_the_help_lists_every_command(site: Site) -> None:
    """Each with a line that says what it is for; without any word, the help is on stderr, and the status tells."""
    done = site.cli("--help")
    assert (done.returncode, done.stderr) == (0, "")
    listed = [line.split() for line in done.stdout.partition("Commands:\n")[2].splitlines()]
    assert [words[0] for words in listed] == sorted(COMMANDS)
    assert all(len(words) > 2 and words[-1].endswith(".") and not words[-1].endswith("...") for words in listed)
    bare = site.cli()
    assert (bare.returncode, bare.stdout) == (2, "")
    assert bare.stderr == done.stdout
    assert site.cli("--version").stdout == f"fcregistry, version {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_that_is_listed_is_there_and_says_what_it_is_for(name: str) -> None:
    """What the table says is there; and in its own help it says the same or more."""
    done = CliRunner().invoke(command(name), ["--help"])
    assert (done.exit_code, command(name).name) == (0, name)
    assert "Usage: " in done.output


LIGHT = """
import atexit, sys
from fcregistry.cli import main

def tell():
    ours = {name for name in sys.modules if name.partition(".")[0] == "fcregistry"}
    print(sorted(ours - {"fcregistry.cli._main", "fcregistry.cli._output", "fcregistry.cli", "fcregistry.errors"}), file=sys.stderr)
    heavy = {"dataclasses", "json", "pathlib", "sqlite3", "traceback", "tempfile", "importlib.metadata"}
    print(sorted(heavy & set(sys.modules)), file=sys.stderr)

atexit.register(tell)
main()
"""


def test_the_version_imports_no_command(site: Site) -> None:
    """Nor what commands are made of: a person waits for click, and for hardly more."""
    done = site.run("-c", LIGHT, "--version")
    assert (
        done.stderr
        == "['fcregistry', 'fcregistry._base', 'fcregistry._base.slots', 'fcregistry._lazy', 'fcregistry._version', 'fcregistry._wiring']\n[]\n"
    )


def test_the_help_imports_no_command(site: Site) -> None:
    """Nor more than it takes to read which commands packages have, once that is known."""
    site.cli("--help")
    modules, heavy = site.run("-c", LIGHT, "--help").stderr.splitlines()
    rooms = {name.split(".")[1] for name in ast.literal_eval(modules) if "." in name}
    assert rooms == {"_base", "_config", "_lazy", "_tools", "_version", "_wiring", "discovery"}
    assert heavy == "[]"


PATIENT = """
import atexit, gc
from fcregistry.cli import main

atexit.register(lambda: print(gc.get_threshold()[0], gc.get_freeze_count() > 0))
main()
"""


def test_the_garbage_collector_does_not_slow_the_start(site: Site) -> None:
    """Neither at the start, nor at the end; but code that is not ours may have left it something to do there, so then it has its way."""
    site.write({"mine.py": "import gc\nprint(gc.isenabled())"})
    assert site.run("-c", PATIENT, "--version").stdout.splitlines()[-1] == "100000 True"
    after = site.run("-c", PATIENT, "-m", "mine", "groups", "--help")
    assert (after.stdout.splitlines()[-1], after.stderr) == ("100000 False", "True\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["lst"], "there is no command 'lst'; did you mean 'list'?"),
        (["frobnicate"], f"there is no command 'frobnicate'; the commands are {', '.join(COMMANDS)}"),
        (["--jsn"], "--jsn"),
        (["list", "--jsn"], "--jsn"),
        (["show"], "Missing argument 'NAME'."),
        (["call"], "name the tool to call; fcregistry list shows the tools"),
        (["show", "text", "--format", "xml"], "'xml' is not one of 'anthropic', 'bedrock',"),
    ],
)
def test_wrong_usage_is_an_error_that_shows_the_right_one(shop: Site, words: list[str], message: str) -> None:
    """Status 2, all of it on stderr."""
    done = shop.cli(*words)
    assert (done.returncode, done.stdout) == (2, "")
    usage, error = done.stderr.splitlines()[:2]
    assert usage.startswith("Usage: fcregistry ")
    assert message in error


@pytest.mark.parametrize("words", [["list", "-m", "my_tools"], ["list", "--module=my_tools"], ["groups", "-m", "x"]])
def test_the_error_for_a_module_after_the_command_says_where_it_goes(shop: Site, words: list[str]) -> None:
    """That there is no such option would be of no help: there is, before the command."""
    done = shop.cli(*words)
    assert (done.returncode, done.stdout) == (2, "")
    option = words[1].partition("=")[0]
    assert done.stderr.startswith(f"Error: {option} goes before the command: fcregistry {option} MODULE ")


OWN = """
    from fcregistry import fc_register

    print("imported")

    @fc_register
    def mine(a: int) -> int:
        "My own tool."
        return a + 1
"""


def test_tools_of_a_module_in_the_current_folder_are_there(site: Site, tmp_path: Path) -> None:
    """They are the application's, and win their plain name over a plugin's; what the module prints goes to stderr."""
    type(site)(tmp_path / "work", tmp_path).write(
        {"my_tools.py": OWN, "my_package/part.py": OWN.replace("mine", "other")}
    )
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": OWN})
    listed = site.cli("-m", "my_tools", "-m", "my_package.part", "list", "--json", cwd=tmp_path / "work")
    assert [(tool["id"], tool["distribution"]) for tool in json.loads(listed.stdout)] == [
        ("mine", None),
        ("acme:mine", "acme"),
        ("other", None),
    ]
    assert listed.stderr == "imported\n" * 2
    called = site.cli("-m", "my_tools", "call", "mine", "--a", "1", cwd=tmp_path / "work")
    assert (called.returncode, called.stdout) == (0, "2\n")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("call", "mine", '{"a": "x"}'), "({} call mine --help lists the tool's options)"),
        (("list",), "1 plugin did not load: bad[x] (see: {} doctor)"),
        (("call",), "name the tool to call; {} list shows the tools"),
        (("show", "min*"), "name one tool; {} list 'min*' shows which it matches"),
        (
            ("show", "nothing"),
            "(the plugin bad[x] does not load; `{} doctor nothing` looks for the reason; import the module of yours that declares it",
        ),
    ],
)
def test_a_command_in_a_hint_names_the_modules_that_the_user_named(
    site: Site, words: tuple[str, ...], hint: str
) -> None:
    """Without them, it would answer about other tools."""
    site.write({"my_tools.py": OWN, "more.py": ""})
    site.install("bad", {"x": "bad_tools"}, {"bad_tools.py": "1 / 0"})
    done = site.cli("-m", "my_tools", "--module=more", *words)
    assert hint.format("fcregistry -m my_tools -m more") in done.stderr


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (
            "nowhere",
            "the module 'nowhere' cannot be imported: ModuleNotFoundError: No module named 'nowhere' (looked in what is installed, and in {cwd})",
        ),
        ("raises", "the module 'raises' cannot be imported: ZeroDivisionError: division by zero ({cwd}/raises.py:2)"),
        ("exits", "the module 'exits' cannot be imported: SystemExit: 1 ({cwd}/exits.py:2)"),
        (
            "needs",
            "the module 'needs' cannot be imported: ModuleNotFoundError: No module named 'nowhere' ({cwd}/needs.py:1)",
        ),
        ("garbled", "the module 'garbled' cannot be imported: SyntaxError: "),
        ("raises.py", "-m takes the name of a module, not a file: -m raises, not -m raises.py"),
        ("./package/part.py", "-m takes the name of a module, not a file: -m package.part, not -m ./package/part.py"),
        ("", "-m takes the name of a module, not a file: -m MODULE, not -m "),
    ],
)
def test_a_module_that_cannot_be_imported_is_an_error_with_the_place(site: Site, module: str, message: str) -> None:
    """What it raised and where, without a traceback; a file's name with the module's."""
    site.write(
        {
            "raises.py": "\n1 / 0",
            "exits.py": "import sys\nsys.exit(1)",
            "needs.py": "import nowhere",
            "garbled.py": "def (:",
        }
    )
    done = site.cli("-m", module, "list")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"Error: {message.format(cwd=site.folder)}" in done.stderr
    assert ("looked in" in done.stderr) == (module == "nowhere")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "line", ["list", "list --json", "show order --json", "groups", "plugins", "call text", "--help"]
)
def test_a_reader_that_goes_away_is_no_error_to_talk_about(shop: Site, line: str) -> None:
    """`fcregistry list | head -1`, and a pipe that is closed before anything is written: status 141 and silence."""
    done = in_bash(shop, f"fcregistry {line} | true; echo ${{PIPESTATUS[0]}}")
    assert done.stdout in ("141\n", "0\n")  # 0 where all was written before the reader went
    assert done.stderr == ""


@pytest.mark.parametrize("env", [{}, {"PYTHONUNBUFFERED": "1"}], ids=["buffered", "unbuffered"])
def test_a_long_output_to_a_closed_pipe_ends_with_141(shop: Site, env: dict[str, str]) -> None:
    """More than a pipe holds, so the writer notices for sure."""
    call = json.dumps({"value": "x" * 100_000})
    done = in_bash(shop, f"fcregistry call text '{call}' | head -c 1; echo \" ${{PIPESTATUS[0]}}\"", **env)
    assert (done.stdout, done.stderr) == ('" 141\n', "")


def test_a_full_disk_is_an_error(shop: Site) -> None:
    """In one line; the status is not 0."""
    done = in_bash(shop, "fcregistry list >/dev/full; echo $?")
    assert (done.stdout, done.stderr) == ("1\n", "Error: cannot read or write: No space left on device\n")


def test_a_file_that_cannot_be_written_is_named(shop: Site, tmp_path: Path) -> None:
    """In one line, whichever command it is that writes it."""
    (tmp_path / "file").touch()
    done = shop.cli("new", "acme-sky", "--path", str(tmp_path / "file" / "new"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"Error: cannot read or write {tmp_path}/file/new/")
    assert done.stderr.endswith(": Not a directory\n")


def test_closed_streams_are_no_crash(shop: Site) -> None:
    """As cron jobs and supervisors have them: no stdin, no stdout, no stderr."""
    for line, status in (
        ("list >&-", 0),
        ("call text >&-", 0),
        ("call danger --path x <&-", 3),
        ("call nix 2>&-", 2),
        ("list >&- 2>&- <&-", 0),
    ):
        done = in_bash(shop, f'fcregistry {line}; echo " $?" >{shop.folder}/status')
        assert (shop.folder / "status").read_text() == f" {status}\n"
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("fcregistry call ev", ["evil", "evil_object"]),
        ("fcregistry show sea", ["search.web.lookup"]),
        ("fcregistry call look", ["lookup"]),
        ("fcregistry call other:l", ["other:lookup"]),
        ("fcregistry doctor ord", ["order"]),
        ("fcregistry list tex", ["text"]),
        ("fcregistry show ot", ["other"]),
        ("fcregistry lint ac", ["acme-shop"]),
        ("fcregistry call ot", []),
        ("fcregistry call other:", ["other:search.web.lookup"]),
        ("fcregistry call acme-shop:t", ["acme-shop:text"]),
        ("fcregistry call nix", []),
        ("fcregistry call order --nu", ["--num-days", "--numbers"]),
        ("fcregistry call nix --", []),
        ("fcregistry sh", ["show"]),
        ("fcregistry frob x", []),
    ],
)
def test_the_shell_completes_commands_and_tools(shop: Site, words: str, expected: list[str]) -> None:
    """By plain name, and by id once there is a colon; then its options."""
    env = {"_FCREGISTRY_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = shop.cli(env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == [f"plain,{name}" for name in expected]


def test_the_tools_of_a_module_that_was_named_are_completed(site: Site) -> None:
    """What the module prints, or raises, does not reach the prompt."""
    site.write({"my_tools.py": OWN, "broken.py": "print('hello')\n1 / 0\n"})
    for words, expected in (
        ("fcregistry -m my_tools call mi", ["mine"]),
        ("fcregistry --module=my_tools -m broken call mi", ["mine"]),
        ("fcregistry -m my_tools call mine --", ["--a", "--arg", "--help"]),
    ):
        env = {"_FCREGISTRY_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        done = site.cli(env=env)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.split() == [f"plain,{name}" for name in expected]


def test_list_names_the_tools_of_a_module_that_are_hidden(site: Site) -> None:
    code = f"{OWN}\n    @fc_register(requires_env='ACME_KEY')\n    def locked() -> None:\n        'Do it.'\n"
    site.write({"my_tools.py": code})
    done = site.cli("-m", "my_tools", "list")
    assert "mine" in done.stdout
    assert done.stderr.endswith(
        "\n1 tool is hidden: locked (ACME_KEY is not set) (see: fcregistry -m my_tools doctor)\n"
    )
    assert "locked" not in site.cli("-m", "my_tools", "list", env={"ACME_KEY": "x"}).stderr


def test_completions_of_commands_have_their_purpose(shop: Site) -> None:
    """As zsh does; our own options are completed as well."""
    for typed, expected in (
        ("sho", ["plain", "show", COMMANDS["show"]]),
        ("--vers", ["plain", "--version", "Show the version and exit."]),
    ):
        env = {"_FCREGISTRY_COMPLETE": "zsh_complete", "COMP_WORDS": f"fcregistry {typed}", "COMP_CWORD": "1"}
        assert shop.cli(env=env).stdout.splitlines() == expected


def test_a_bad_plugin_does_not_disturb_completion(site: Site) -> None:
    """Nothing appears on the prompt but what can be completed."""
    site.install("bad", {"x": "bad_tools"}, {"bad_tools.py": "1 / 0"})
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": OWN.replace('print("imported")', "")})
    done = site.cli(env={"_FCREGISTRY_COMPLETE": "bash_complete", "COMP_WORDS": "fcregistry call m", "COMP_CWORD": "2"})
    assert (done.returncode, done.stdout, done.stderr) == (0, "plain,mine\n", "")
    site.write({"fcregistry.toml": "mode = 5"})
    done = site.cli(env={"_FCREGISTRY_COMPLETE": "bash_complete", "COMP_WORDS": "fcregistry call m", "COMP_CWORD": "2"})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), "neither does a file that cannot be read"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_the_shell_is_written(site: Site, shell: str) -> None:
    """Which asks for completions by the variable."""
    done = site.cli("completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"_FCREGISTRY_COMPLETE={'fish' if shell == 'bash' else shell}_complete" in done.stdout


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("fcregistry call order --nu", ["--num-days", "--numbers"]),
        ("fcregistry call acme-shop:te", ["text"]),
        ("fcregistry ask 'what is it?' --tool acme-shop:te", ["text"]),
        ("fcregistry ask --model op", ["openai:", "openai-responses:"]),
        ("fcregistry ask --model mine:b", ["best"]),
        ("fcregistry ask --model=mine:b", ["best"]),
    ],
)
def test_bash_completes_names_with_a_colon_or_after_an_equals_sign(shop: Site, line: str, expected: list[str]) -> None:
    """There bash begins another word, so only the rest of the name is the completion."""
    given = f"COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)} COMP_WORDBREAKS='=:'; compopt() {{ :; }}"
    script = f'. <(fcregistry completion bash); {given}; _fcregistry_completion fcregistry; echo "${{COMPREPLY[*]}}"'
    done = in_bash(shop, script, FCREGISTRY_MODEL="mine:best")
    assert (done.stdout.split(), done.stderr) == (expected, "")


def test_what_an_author_is_warned_of_is_one_line_on_stderr(site: Site) -> None:
    """Without the line of source that Python shows: it is not the user's."""
    source = "from fcregistry import fc_register\n@fc_register\ndef loose(x):\n    return x\n"
    site.write({"own_tools.py": source})
    done = site.run("-W", "default", "-m", "fcregistry", "-m", "own_tools", "list")
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert line.startswith("Warning: own_tools.loose (")
    assert line.endswith("parameter 'x' accepts any JSON value: it has no annotation; annotate it")
