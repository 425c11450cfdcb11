"""YAML text: reading it as a JSON value, as strictly as JSON is read, and writing a JSON value.

Source: YAML 1.2, "10.3 Core Schema": only `true` is a boolean, and `no`, `12:30` and `2026-01-31` are texts. PyYAML parses the structure, and
the types are decided here. Text that can be read in two ways is refused. Needs the extra `fcregistry[yaml]`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.install import install_command
from fcregistry._base.json import MAX_DEPTH, ExactFloat
from fcregistry._base.wording import show
from fcregistry.errors import MissingDependencyError

if TYPE_CHECKING:
    from types import ModuleType

MAX_LENGTH: Final = 200_000
"""Characters of the longest text that is read: PyYAML takes some seconds for it."""


class NotYamlError(ValueError):
    """Text that is not valid YAML, or has more than one reading; the message is for a model."""


def read_yaml(text: str, exact: bool) -> Any:
    """Return the JSON value of YAML text.

    Args:
        text: The text.
        exact: Whether numbers keep all their digits, as `ExactFloat`s.

    Raises:
        NotYamlError: The text is malformed, too long or too deep, or has an alias, a tag, a name twice or a number that is not finite.
        MissingDependencyError: PyYAML is not installed.
    """
    yaml = pyyaml()
    if len(text) > MAX_LENGTH:
        raise NotYamlError(f"is too long: at most {MAX_LENGTH} characters of YAML are read")
    try:
        node = yaml.compose(text, Loader=_loader(yaml))
    except yaml.YAMLError as error:
        raise NotYamlError(f"is not valid YAML: {_error_text(error)}") from None
    return None if node is None else _value(node, exact)


def write_yaml(value: Any, what: str = "YAML") -> str:
    """Return a JSON value as YAML text that `read_yaml` reads as the same value.

    Args:
        value: The value.
        what: The feature that needs PyYAML, for the error.

    Raises:
        MissingDependencyError: PyYAML is not installed.
    """
    yaml = pyyaml(what)
    dumper = type("Dumper", (yaml.SafeDumper,), {"ignore_aliases": lambda self, value: True})
    dumper.add_representer(str, _represent_text)  # type: ignore[attr-defined]  # SafeDumper has it
    text: str = yaml.dump(value, Dumper=dumper, sort_keys=False, allow_unicode=True, width=1_000_000)
    return text.removesuffix("...\n") if text.endswith("\n...\n") else text  # PyYAML ends a bare scalar with this line


def _represent_text(dumper: Any, text: str) -> Any:
    """Return PyYAML's node for `text`, in double quotes if `read_yaml` would else read another value.

    It is also quoted if it has a line end of YAML 1.1 that PyYAML does not escape. `dumper` is PyYAML's dumper.
    """
    quoted = _BREAKS.search(text) or _plain_value(text, exact=False) is not text
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if quoted else None)


def pyyaml(what: str = "YAML") -> ModuleType:
    """Return PyYAML.

    Args:
        what: The feature that needs it, for the error.

    Raises:
        MissingDependencyError: It is not installed.
    """
    try:
        import yaml  # an extra
    except ImportError as error:
        raise MissingDependencyError(f"{what} needs PyYAML: {install_command('fcregistry[yaml]')}") from error
    return yaml


def _loader(yaml: ModuleType) -> Any:
    """Return a new loader class of PyYAML that refuses aliases, tags and deep nesting at once.

    It refuses them before they cost time. `yaml` is the module PyYAML.
    """

    class Loader(yaml.SafeLoader):  # type: ignore[name-defined, misc]  # PyYAML is imported when it is needed
        depth = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            """Return the next node.

            Raises:
                NotYamlError: It has an alias or a tag, or nests too deeply.
            """
            event = self.peek_event()
            if self.check_event(yaml.AliasEvent):
                raise NotYamlError(f"has an alias at {_place(event)}; write the value itself")
            if event.tag:
                raise NotYamlError(f"has the tag {show(event.tag)} at {_place(event)}; write the value without a tag")
            if self.depth > MAX_DEPTH:
                raise NotYamlError(f"is nested too deeply: at most {MAX_DEPTH} levels")
            self.depth += 1
            node = super().compose_node(parent, index)
            self.depth -= 1
            return node

    return Loader


def _value(node: Any, exact: bool) -> Any:
    """Return the JSON value of `node`, a node of PyYAML, with all values in it; a mapping becomes a dict.

    A scalar in quotes is text, and so is each name. `exact` says whether numbers keep all their digits, as `ExactFloat`s.

    Raises:
        NotYamlError: A name is a sequence or a mapping, or occurs twice in one mapping, or a number is not finite.
    """
    if node.id == "sequence":
        return [_value(item, exact) for item in node.value]
    if node.id == "scalar":
        return node.value if node.style else _scalar(node, exact)
    read: dict[str, Any] = {}
    for key, item in node.value:
        if key.id != "scalar":
            raise NotYamlError(f"has a name that is not text at {_place(key)}")
        if key.value in read:
            raise NotYamlError(f"has the name {show(key.value)} twice in one mapping at {_place(key)}")
        read[key.value] = _value(item, exact)
    return read


_NULL: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_WHOLE: Final = re.compile(r"[-+]?[0-9]{1,1000}")
_JSON_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_BREAKS: Final = re.compile("[\x85\u2028\u2029]")  # line ends in YAML 1.1, which PyYAML does not escape
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


def _scalar(node: Any, exact: bool) -> Any:
    """Return the value of `node`, a scalar without quotes; `exact` is as for `_value`.

    Raise `NotYamlError` if it is a number that is not finite.
    """
    value = _plain_value(node.value, exact)
    if isinstance(value, float) and value - value != 0:
        raise NotYamlError(f"has a number that is not finite at {_place(node)}")
    return value


def _plain_value(text: str, exact: bool) -> Any:
    """Return the value of the scalar `text` without quotes: None, a truth value, a number, or text.

    A number may be infinite; `exact` is as for `_value`.
    """
    if text in _NULL:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if not _FLOAT.fullmatch(text):
        return text
    return ExactFloat(text) if exact and _JSON_NUMBER.fullmatch(text) else float(text)


def _place(part: Any) -> str:
    """Return the line at which `part`, a node or an event of PyYAML, begins, as `line 3`."""
    return f"line {part.start_mark.line + 1}"


def _error_text(error: Any) -> str:
    """Return the message of `error`, a PyYAML error, in one line, with its line and column if known."""
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
    return f"{problem} at line {mark.line + 1}, column {mark.column + 1}" if mark is not None else str(problem)
