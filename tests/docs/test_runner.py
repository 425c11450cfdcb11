"""Does the runner of examples notice what is wrong? Each case is a small document."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from . import environments, reader
from .documents import blocks
from .reader import ExampleFailed, reading


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> environments.Environment:
    """One layered environment for all cases; none of them installs anything."""
    return environments.make("layered", tmp_path_factory.mktemp("reader"))


def check(environment: environments.Environment, text: str) -> None:
    """Check a document with this text."""
    document = environment.folder / "page.md"
    document.write_text(text, encoding="utf-8")
    with reading(environment) as somebody:
        for block in blocks(document):
            somebody.check(block)


GOOD = {
    "blocks share their names": "```python\na = 1\n```\n\n```python\nassert a == 1\n```\n",
    "a session's output is compared": "```python\na = 1\n```\n```pycon\n>>> a + 1\n2\n>>> [a] * 9\n[1, ..., 1]\n```\n",
    "commands print": '```console\n$ echo one; echo two >&2\none\ntwo\n$ true\n$ printf "a\\nb\\nc"\na\n...\nc\n```\n',
    "a command without output may print": "```console\n$ echo noise\n```\n",
    "a command may go on": '```console\n$ for x in 1 2; do\n>   echo "$x"\n> done\n1\n2\n```\n',
    "the shell keeps its folder and variables": (
        "```console\n$ mkdir -p a && cd a && export GREETING='hello you'\n```\n"
        '```console\n$ basename "$PWD"; echo "$GREETING"\na\nhello you\n```\n'
    ),
    "a status that is overwritten does not count": "```console\n$ printf 'half done\\r         \\rdone\\n'\ndone\n```\n",
    "a command prints on a terminal": "```console\n$ test -t 1 && test -t 2 && stty size <&1\n24 80\n```\n",
    "a command's input is empty": "```console\n$ cat\n```\n",
    "a failure is shown": '```console\n$ false; echo "exit: $?"\nexit: 1\n```\n',
    "a file is written, and imported": (
        "```python\n# file: pkg/mod.py\n\nSEVEN = 7\n```\n"
        "```python\nfrom pkg.mod import SEVEN\n\nassert SEVEN == 7\n```\n"
    ),
    "a toml file is written": "```toml\n# file: a.toml\n[a]\nb = 1\n```\n```console\n$ cat a.toml\n[a]\nb = 1\n```\n",
    "a block stands in a list": "1. First\n\n   ```console\n   $ echo one\n   one\n   ```\n",
    "the main module is the example": (
        "```python\nimport pickle\n\ndef f(): ...\n\nassert pickle.loads(pickle.dumps(f)) is f\n```\n"
    ),
    "fcregistry is there": "```python\nimport fcregistry\n```\n",
    "json and text are shown": "```json\n{…}\n```\n```text\nanything\n```\n",
}

BAD = {
    "an exception": ("```python\n\n1 / 0\n```\n", r"page.md:2\n(.|\n)*page.md\", line 3(.|\n)*ZeroDivisionError"),
    "an exit": ("```python\nraise SystemExit(0)\n```\n", "SystemExit"),
    "the end of the interpreter": ("```python\nimport os\nos._exit(3)\n```\n", "with status 3"),
    "what it printed is shown": ("```python\nprint('before')\nassert 0\n```\n", "It printed:\nbefore"),
    "a syntax error": ("```python\n1 +\n```\n", "SyntaxError"),
    "another result": ("```pycon\n>>> 1 + 1\n3\n```\n", "Got:\n    2"),
    "another output": ("```console\n$ echo one\ntwo\n```\n", "printed:\none"),
    "output where some other is shown": ("```console\n$ true\none\n```\n", "printed:\n"),
    "a failing command": ("```console\n$ exit 4\n```\n", "exited with status 4"),
    "a failing command behind a good one": ("```console\n$ echo a; false\na\n```\n", "exited with status 1"),
    "output without a command": ("```console\nhello\n```\n", "begins with a command"),
    "an unknown language": ("```pyhton\n1\n```\n", "The language 'pyhton' is none of python, pycon, console"),
    "no language": ("```\n1\n```\n", "The language '' is none of"),
    "words after the language": ("```python skip\n1 / 0\n```\n", "The language 'python skip'"),
    "toml that is none": ("```toml\na = \n```\n", "It is not TOML"),
    "a file elsewhere": ("```python\n# file: ../a.py\n```\n", "outside the document's folder"),
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_a_true_document_passes(environment: environments.Environment, text: str) -> None:
    check(environment, text)


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD)
def test_an_untrue_document_fails_and_says_why(environment: environments.Environment, text: str, message: str) -> None:
    with pytest.raises(ExampleFailed, match=message):
        check(environment, text)


def test_what_waits_for_ever_is_ended(environment: environments.Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a command nor a Python block can hold the run; what the command printed so far is shown."""
    monkeypatch.setattr(reader, "SECONDS", 0.5)
    with pytest.raises(ExampleFailed, match=r"has not ended after 0.5 s and printed:\nstart"):
        check(environment, "```console\n$ echo start; sleep 60\n```\n")
    with pytest.raises(ExampleFailed, match=r"It has not ended after 0.5 s"):
        check(environment, "```python\nimport time\ntime.sleep(60)\n```\n")


PACKAGE = """
```toml
# file: acme/pyproject.toml
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "acme-of-a-document"
version = "1.0"
dependencies = ["fcregistry"]

[project.scripts]
acme = "acme_of_a_document:main"
```

```python
# file: acme/acme_of_a_document.py
def main():
    print("hello from acme")
```

```console
$ python -m pip install --quiet --no-build-isolation ./acme
$ acme
hello from acme
```

```python
from importlib.metadata import version

import acme_of_a_document

assert version("acme-of-a-document") == "1.0"
```
"""


def test_what_a_document_installs_is_there_for_it_alone(tmp_path: Path) -> None:
    """The tutorial builds and installs a real package, finds its requirements met, and leaves nothing behind."""
    check(environments.make("layered", tmp_path), PACKAGE)
    assert find_spec("acme_of_a_document") is None


def test_nothing_of_the_developer_reaches_the_reader(
    environment: environments.Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither fcregistry's own variables nor a configuration in the home directory change what a document shows."""
    monkeypatch.setenv("FCREGISTRY_DISABLE", "*")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    made = environments.variables(Path("/env"), Path("/home/reader"))
    assert made["HOME"] == "/home/reader"
    assert not {"FCREGISTRY_DISABLE", "PYTHONPATH", "XDG_CONFIG_HOME"} & set(made)


@pytest.mark.parametrize("text", ["<!-- env: none -->\n", "<!-- env: layered -->\n<!-- env: checkout -->\n"])
def test_an_unknown_environment_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a document has one of"):
        environments.kind_of(text)
