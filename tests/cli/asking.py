"""The model of the tests of `ask`, in an extension, and tools for it to call."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from tests.forking import RUN

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site

MODELS = r"""
import asyncio
import json

from fcregistry import hookimpl
from fcregistry.models import CallableModel, Completion, Delta, Message

CALLS = {
    "multiplier": [("multiply", {"a": 12, "b": 13})],
    "both": [("danger", {"path": "/x\r\x1b[2Ksafe"}), ("multiply", {"a": 2, "b": 3})],
    "hidden": [("danger", {"path": "/x\u200b\u2062\u00ad\U000e0041\ufe0f"})],
    "wiper": [("wipe", {})],
    "sleeper": [("sleepy", {})],
    "evil": [("evil", {"text": "\x1b[2J\u202e"}), ("none\nof\x1b[2Jthese", {})],
    "endless": [("multiply", {"a": 1, "b": 1})],
}


def written(place, name, arguments):
    return {"id": str(place), "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


async def stubborn(messages):
    print("I go on, whatever anybody says")
    for _ in range(60):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            continue


def model(name):
    def answer(messages, tools):
        if name == "broken":
            raise ValueError("no \x1b[2Jlight")
        if name == "echo":
            offered = ",".join(sorted(each["function"]["name"] for each in tools))
            instructions = "".join(f"[{each['content']}] " for each in messages if each["role"] == "system")
            yield f"{instructions}{messages[-1]['content']} with {offered or 'nothing'}"
            return
        if name == "expression":
            yield 'danger(path="/x")' if sum(each["role"] == "user" for each in messages) == 1 else "Done."
            return
        results = [each["content"].partition("\n\nTool-call")[0] for each in messages if each["role"] == "tool"]
        yield Delta(reasoning="Let me \x1b[2Jthink.")
        if results and name != "endless":
            yield "It is "
            yield f"{' and '.join(results)}."
            return
        yield f"I call\x1b[2J {len(CALLS[name])}."
        calls = [written(place, *call) for place, call in enumerate(CALLS[name])]
        yield Completion(message=Message.of({"role": "assistant", "content": "I call.", "tool_calls": calls}))

    return CallableModel(stubborn if name == "stubborn" else answer, f"script:{name}")


@hookimpl
def fc_resolve_model(name):
    print("a model is made")
    return model(name) if name in (*CALLS, "broken", "echo", "expression", "stubborn") else None
"""

TOOLS = r'''
import pathlib
import time

from fcregistry import fc_register


@fc_register
def multiply(a: int, b: int) -> int:
    """Multiply two numbers."""
    print("noise")
    return a * b


@fc_register(requires_approval=True)
def danger(path: str) -> str:
    """Remove a folder."""
    pathlib.Path("ran").touch()
    return f"removed {path}"


@fc_register(destructive=True)
def wipe() -> str:
    """Wipe the disk clean."""
    return "wiped"


@fc_register
def sleepy() -> str:
    """Sleep for a minute."""
    time.sleep(60)
    return "woke up"


@fc_register
def evil(text: str) -> str:
    """Say something."""
    return f"\x1b[2J\x9b31m{text}\nand more\r\n"


def lamp() -> None:
    """Switch a lamp on."""


for room in "bcdefg":
    fc_register(name=f"lamp_{room}")(lamp)
'''


@cache
def office_of(make_site: Callable[[], Site]) -> Site:
    """Return a site with both, the same for all modules of tests."""
    site = make_site()
    site.install("acme-tools", {"tools": "acme_tools"}, {"acme_tools.py": TOOLS})
    site.install("acme-script", {"script": "acme_script"}, {"acme_script.py": MODELS}, group="fcregistry.extensions")
    return site


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One command.

    Attributes:
        model: The model that is asked; empty for none that is named.
        words: What else the command says.
        stdin: What stands on standard input.
        env: What is in the environment beside.
        config: What the project's configuration file says.
    """

    model: str
    words: tuple[str, ...]
    stdin: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    config: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a command said, which files its tools made, and what it exits with."""

    status: int
    stdout: str
    stderr: str
    made: list[str]


_ASK = """
import contextlib, io, os, tempfile

answer = {}
for name, asked in json.loads(sys.argv[1]).items():
    folder = tempfile.mkdtemp(dir=sys.argv[2])
    os.chdir(folder)
    if asked["config"]:
        with open("fcregistry.toml", "w", encoding="utf-8") as file:
            file.write(asked["config"])
    os.environ.update(asked["env"])
    model = ["--model", "script:" + asked["model"]] if asked["model"] else []
    sys.stdin, out, err = io.StringIO(asked["stdin"]), io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run(["ask", *asked["words"], *model])
    for variable in asked["env"]:
        del os.environ[variable]
    made = [each for each in os.listdir(".") if each != "fcregistry.toml"]
    answer[name] = {"status": status, "stdout": out.getvalue(), "stderr": err.getvalue(), "made": made}
"""


def asked_together(site: Site, questions: Mapping[str, Question], folder: Path) -> dict[str, Said]:
    """Ask several questions in one process, each in a folder of its own: most of the time of a command is its start."""
    told = json.dumps({name: asdict(question) for name, question in questions.items()})
    done = site.run("-c", f"import json, sys\n{RUN}{_ASK}\nprint(json.dumps(answer))", told, str(folder))
    assert done.returncode == 0, done.stderr
    return {name: Said(**said) for name, said in json.loads(done.stdout).items()}
