"""Whether the docstring of every public callable describes every argument it takes."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from enum import Enum
from functools import reduce
from pathlib import Path
from types import ModuleType
from typing import Any

import docstring_parser
import pytest

import fcregistry

SUBMODULES = [name for name in fcregistry.__all__ if isinstance(getattr(fcregistry, name), ModuleType)]
ROOT = Path(__file__).parents[1]
LIKE_TWIN = re.compile(r"Like `(\w+)`, [^\n]+\.")
SENT_ELSEWHERE = re.compile(
    r"\b(?:As|as) (?:for|in|with|of) every|^See [`A-Z]|^As (?:for|of|in) `|\bas there\b", re.MULTILINE
)


def public_objects() -> Iterator[tuple[str, Any]]:
    """Yield every public object with the name that users import it by, each object once."""
    seen: set[int] = set()
    for module in [fcregistry, *(importlib.import_module(f"fcregistry.{name}") for name in SUBMODULES)]:
        for name in module.__all__:
            value = getattr(module, name)
            if id(value) not in seen and not isinstance(value, ModuleType):
                seen.add(id(value))
                yield f"{module.__name__.removeprefix('fcregistry').lstrip('.')}.{name}".lstrip("."), value


def public_callables() -> Iterator[tuple[str, Any, Any]]:
    """Yield the name, the function and the owning class of every public function, constructor and method."""
    for name, value in public_objects():
        if inspect.isfunction(value):
            yield name, value, None
        elif inspect.isclass(value) and value.__module__.startswith("fcregistry"):
            if "__init__" in vars(value) and not issubclass(value, Enum) and not getattr(value, "_is_protocol", False):
                yield name, vars(value)["__init__"], value
            for attribute, member in sorted(vars(value).items()):
                function = inspect.unwrap(getattr(member, "__func__", member))
                if inspect.isfunction(function) and not attribute.startswith("_"):
                    yield f"{name}.{attribute}", function, None


def beside(function: Any, name: str) -> Any:
    """Return the function *name* of the class or module that defines *function*."""
    path = function.__qualname__.split(".")[:-1]
    return getattr(reduce(getattr, path, sys.modules[function.__module__]), name)


def methods(classes: dict[str, ast.ClassDef], name: str) -> set[str]:
    """Return the names of the methods of a class, and of its bases among *classes*."""
    if name not in classes:
        return set()
    own = {each.name for each in classes[name].body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
    return own.union(*(methods(classes, ast.unparse(base).partition("[")[0]) for base in classes[name].bases))


def async_forms() -> Iterator[tuple[str, str, str | None]]:
    """Yield the place, the name of the sync form and the docstring of each async form in the package and the plugins."""
    files = [*ROOT.glob("fcregistry/**/*.py"), *ROOT.glob("plugins/*/fcregistry_*/**/*.py")]
    trees = {file.relative_to(ROOT): ast.parse(file.read_text(encoding="utf-8")) for file in sorted(files)}
    nodes = [(file, node) for file, tree in trees.items() for node in ast.walk(tree)]
    classes = {node.name: node for _, node in nodes if isinstance(node, ast.ClassDef)}
    for file, scope in nodes:
        if isinstance(scope, ast.Module | ast.ClassDef):
            functions = [each for each in scope.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
            names = {each.name for each in functions}
            names |= methods(classes, scope.name) if isinstance(scope, ast.ClassDef) else set()
            for function in functions:
                twin = "__call__" if function.name == "acall" else function.name[1:]
                if function.name.startswith("a") and twin in names:
                    yield f"{file}:{function.lineno} {function.name}", twin, ast.get_docstring(function)


def described(text: str | None) -> set[str]:
    """Return the names that a Google docstring describes, without their stars."""
    parsed = docstring_parser.parse(text or "", style=docstring_parser.DocstringStyle.GOOGLE)
    return {
        part.strip().lstrip("*")
        for item in parsed.params
        if (item.description or "").strip()
        for part in item.arg_name.split(",")
    }


@pytest.mark.parametrize(
    ("name", "function", "owner"), [pytest.param(*found, id=found[0]) for found in public_callables()]
)
def test_every_argument_of_a_public_callable_is_described(name: str, function: Any, owner: Any) -> None:
    """``help()`` of it is complete by itself: arguments are described where they are, or in the class that takes them."""
    parameters = [
        one for one in inspect.signature(function).parameters if one not in ("self", "cls") and not one.startswith("_")
    ]
    texts = [inspect.getdoc(each) or "" for each in (function, owner) if each is not None]
    if twin := LIKE_TWIN.fullmatch(texts[0]):
        texts.append(inspect.getdoc(beside(function, twin[1])) or "")
    missing = [one for one in parameters if not any(one in described(text) for text in texts)]
    assert inspect.getdoc(function) or owner, f"{name} has no docstring"
    assert not missing, f"the docstring of {name} does not describe {', '.join(missing)}"
    assert not any(SENT_ELSEWHERE.search(text) for text in texts), f"the docstring of {name} sends its reader elsewhere"


def test_an_async_form_is_documented_in_one_line_that_names_its_sync_form() -> None:
    """What both forms do is described once, at the sync form. An override needs no docstring."""
    wrong = [
        f"{place}: write one line that begins with: Like `{twin}`,"
        for place, twin, text in async_forms()
        if text is not None and ((like := LIKE_TWIN.fullmatch(text)) is None or like[1] != twin)
    ]
    assert not wrong, "\n".join(wrong)


def test_docstrings_name_pages_of_the_documentation_and_not_files_that_a_wheel_lacks() -> None:
    package = Path(fcregistry.__file__).parent
    for file in sorted(package.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        for name in re.findall(r"\bdocs/[\w/-]+\.md\b", text):
            assert "_templates" in file.parts, f"{file}: write the title of the page, not {name}"


def test_every_page_that_a_docstring_names_exists() -> None:
    docs = Path(__file__).parent.parent / "docs"
    titles = {page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ") for page in docs.rglob("*.md")}
    package = Path(fcregistry.__file__).parent
    named = {
        title
        for file in package.rglob("*.py")
        for title in re.findall(r'\bpage "([^"]+)"', file.read_text(encoding="utf-8"))
    }
    assert named
    assert named <= titles
