"""Makes a site with many plugins: a thousand distributions as an installer leaves them, with five tools each.

Three plugins of ten share a helper package; every tool has a docstring and three parameters. All is compiled.
"""

from __future__ import annotations

import compileall
from collections.abc import Iterable
from pathlib import Path

DISTRIBUTIONS = 1000
TOOLS_EACH = 5
TOOLS = DISTRIBUTIONS * TOOLS_EACH

HELPERS = 10
PREFIX = "many_"
"""What the import packages of all plugins begin with, and nothing else that is imported does."""

THINGS = (
    *("invoice", "customer", "shipment", "parcel", "order", "ticket", "meeting", "contract", "machine", "sensor"),
    *("patient", "recipe", "flight", "train", "hotel", "lecture", "student", "account", "payment", "weather_report"),
)
VERBS = ("get", "find", "create", "update", "delete")
assert len(VERBS) == TOOLS_EACH

TOOL = '''
@fc_register("tool", tags=("{thing}",))
def {verb}_{thing}_{number:04d}(reference: str, status: Literal["open", "closed"] | None = None, limit: int = 10) -> dict[str, Any]:
    """{Verb} the {words} that a reference names, in the books of office {number}.

    What is closed stays readable for ten years; ask for it by its status.

    Args:
        reference: The reference of the {words}, such as {number}-2026.
        status: Only those that are open, or closed.
        limit: The most to return; from 1 to 100.

    Returns:
        The {words}, with its history.
    """
    return {{"reference": reference, "status": status, "limit": limit}}
'''

METADATA = """Metadata-Version: 2.4
Name: {name}
Version: 1.{minor}.0
Summary: Tools for the {words}s of office {number}
Author: The office
License-Expression: MIT
Classifier: Programming Language :: Python :: 3
Requires-Python: >=3.11
Requires-Dist: fcregistry

# {name}

Tools to get, find, create, update and delete {words}s.
"""


def make_site(folder: Path) -> None:
    """Write all distributions into an empty folder, and compile them."""
    for number in range(HELPERS):
        _helper(folder, number)
    for number in range(DISTRIBUTIONS):
        _plugin(folder, number)
    compileall.compile_dir(folder, quiet=1, workers=1)


def tool_name(number: int) -> str:
    """Return the name of a tool that only one plugin has."""
    return f"get_{_thing(number)}_{number:04d}"


def _thing(number: int) -> str:
    return THINGS[number % len(THINGS)]


def _plugin(folder: Path, number: int) -> None:
    package = f"{PREFIX}{number:04d}"
    shared = f"from {PREFIX}helper_{number % HELPERS} import check\n" if number % 10 < 3 else ""
    facts = {"number": number, "thing": _thing(number), "words": _thing(number).replace("_", " ")}
    tools = "".join(TOOL.format(verb=verb, Verb=verb.title(), **facts) for verb in VERBS)
    head = f"from typing import Any, Literal\n\nfrom fcregistry import fc_register\n{shared}\n"
    code = {"__init__.py": f'"""Tools of office {number}."""\n', "tools.py": head + tools}
    _write(folder / package, code)
    name = package.replace("_", "-")
    entry_points = f"[fcregistry]\n{facts['thing']} = {package}.tools\n"
    metadata = METADATA.format(name=name, minor=number % 7, **facts)
    _installed(
        folder, name, f"1.{number % 7}.0", {"METADATA": metadata, "entry_points.txt": entry_points}, f"{package}/", code
    )


def _helper(folder: Path, number: int) -> None:
    package = f"{PREFIX}helper_{number}"
    functions = "".join(f"def check_{part}(value: str) -> str:\n    return value.strip()\n\n" for part in range(50))
    _write(folder / package, {"__init__.py": f"import json\nimport re\n\n{functions}check = check_0\n"})
    name = package.replace("_", "-")
    _installed(folder, name, "1.0", {"METADATA": f"Metadata-Version: 2.4\nName: {name}\nVersion: 1.0\n"})


def _installed(
    folder: Path, name: str, version: str, files: dict[str, str], package: str = "", code: Iterable[str] = ()
) -> None:
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    wheel = "Wheel-Version: 1.0\nGenerator: hatchling\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    own = [f"{info.name}/{each}" for each in (*files, "WHEEL", "INSTALLER", "RECORD")]
    record = "".join(f"{each},,\n" for each in (*own, *(f"{package}{each}" for each in code)))
    _write(info, {**files, "WHEEL": wheel, "INSTALLER": "pip\n", "RECORD": record})


def _write(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
