"""Public names are the same in ``__all__``, on import, and on the page docs/reference/names.md."""

from __future__ import annotations

import importlib
import inspect
import pickle
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import fcregistry

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "names.md"
CODE = re.compile(r"`([^`\n]+)`")


def public_submodules() -> list[str]:
    """Return the submodules among the names of the package."""
    return sorted(name for name in fcregistry.__all__ if isinstance(getattr(fcregistry, name), ModuleType))


SUBMODULES = public_submodules()


def public_names() -> list[str]:
    """Return every public name as a user writes it after ``fcregistry.``: ``Tool``, ``errors.ToolError``."""
    below = [f"{module}.{name}" for module in SUBMODULES for name in getattr(fcregistry, module).__all__]
    return [*sorted(fcregistry.__all__), *sorted(below)]


def documented_names() -> set[str]:
    """Return every name that the reference page shows as code, each also without its module and its arguments."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.is_file() else ""
    shown = {code.partition("(")[0].removeprefix("fcregistry.") for code in CODE.findall(text)}
    return shown | {name.rpartition(".")[2] for name in shown}


@pytest.mark.parametrize("name", public_names())
def test_every_public_name_can_be_imported(name: str) -> None:
    """What ``__all__`` names is there."""
    module, _, attribute = f"fcregistry.{name}".rpartition(".")
    assert hasattr(importlib.import_module(module), attribute)


@pytest.mark.parametrize("name", public_names())
def test_every_public_name_has_a_line_in_the_reference(name: str) -> None:
    """A name that is not described is not public: describe it, or take it out of ``__all__``."""
    assert name.rpartition(".")[2] in documented_names(), f"{PAGE.name} does not show `{name}`"


@pytest.mark.parametrize("name", public_names())
def test_every_public_name_has_a_docstring(name: str) -> None:
    """``help()`` says something of our own about each class, function and module."""
    module, _, attribute = f"fcregistry.{name}".rpartition(".")
    value = getattr(importlib.import_module(module), attribute)
    if inspect.isroutine(value) or inspect.isclass(value) or inspect.ismodule(value):
        assert value.__doc__


@pytest.mark.parametrize("module", ["fcregistry", *(f"fcregistry.{name}" for name in SUBMODULES)])
def test_dunder_all_is_sorted_and_without_doubles(module: str) -> None:
    """It is read by people too: constants first, as the linter sorts it."""
    names = importlib.import_module(module).__all__
    assert list(names) == sorted(set(names), key=lambda name: (not name.isupper(), name))


def test_completion_offers_what_is_public() -> None:
    """``dir(fcregistry)`` has all public names, also those that nobody has used yet."""
    shown = subprocess.run(
        [sys.executable, "-I", "-c", "import fcregistry; print(*dir(fcregistry))"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(fcregistry.__all__) <= set(shown.stdout.split())


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    """So that ``hasattr`` works and ``from fcregistry import nothing`` says so."""
    with pytest.raises(AttributeError, match="module 'fcregistry' has no attribute 'nothing'"):
        fcregistry.nothing  # noqa: B018 - the access is the test
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        exec("from fcregistry import nothing")


def test_tracebacks_show_public_names() -> None:
    hidden = []
    for name in public_names():
        module, _, attribute = f"fcregistry.{name}".rpartition(".")
        value = getattr(importlib.import_module(module), attribute)
        if inspect.isclass(value) and issubclass(value, BaseException):
            assert pickle.loads(pickle.dumps(value)) is value
            hidden += [value] if "._" in value.__module__ else []
    assert hidden == []
