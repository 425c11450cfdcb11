"""Records of tools, and the checks of records that others wrote."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from fcregistry import Tool
from fcregistry._tools.indexed import record_of
from fcregistry._tools.record import COMPUTED, ToolRecord, digest_of, read_record


@dataclass
class Cache:
    """A cache of the author's own class, whose content JSON could express."""

    kept: dict[str, Any] = field(default_factory=dict)

    def get(self, key: str, default: Any = None) -> Any:
        return self.kept.get(key, default)

    def set(self, key: str, value: Any) -> None:
        self.kept[key] = value


def station_of(arguments: Any) -> str:
    """Return which station a call is about."""
    return str(arguments["station"])


def read_temperature(station: str) -> float:
    """Read the temperature."""
    return 0.0


ALL = {
    "title": "Temperature",
    "examples": [{"station": "Oslo"}],
    "tags": {"weather"},
    "aliases": ["temperature"],
    "deprecated": "use forecast",
    "meta": {"acme.team": "maps"},
    "read_only": True,
    "requires_approval": lambda arguments: True,
    "always_ask": lambda arguments: None,
    "requires_env": "ACME_KEY",
    "timeout": 5,
    "isolation": "process",
    "reads": station_of,
    "writes": ["log"],
    "exclusive": True,
    "cache": Cache(),
}


def record(**changes: Any) -> dict[str, Any]:
    """Return a record as an external file has it, with the right digest."""
    written: dict[str, Any] = json.loads(json.dumps({**record_of(Tool.from_function(read_temperature)), **changes}))
    written["digest"] = digest_of(written)  # type: ignore[arg-type]
    return written


def taking(schema: Any) -> dict[str, Any]:
    """Return the record of a tool with an argument of a schema."""
    return record(parameters={"type": "object", "properties": {"a": schema}})


@pytest.mark.parametrize(
    "options",
    [{}, ALL, {"meta": {"acme.team": object()}, "examples": [{"station": object()}]}, {"cache": True, "blocking": "caller"}],
    ids=["none", "all", "without JSON", "more"],
)  # fmt: skip
def test_the_record_of_a_tool_can_be_written_and_read_again(options: dict[str, Any]) -> None:
    """Whatever its options are: a value without a JSON form is written by its name."""
    written = record_of(Tool.from_function(read_temperature, **options))
    assert read_record(json.loads(json.dumps(written))) == written


def test_a_record_names_the_class_of_a_cache_whatever_is_in_it() -> None:
    """Otherwise the record would have the contents of one moment."""
    told = record_of(Tool.from_function(read_temperature, cache=Cache()))["options"]["cache"]
    assert told == {COMPUTED: f"{Cache.__module__}.Cache"}


@pytest.mark.parametrize("name", sorted(set(ToolRecord.__annotations__) - {"problems"}))
def test_a_record_with_a_field_missing_or_of_another_type_is_refused(name: str) -> None:
    """A new field of the record needs a row here."""
    without = {key: value for key, value in record().items() if key != name}
    for wrong in (without, {**without, name: object()}, {**without, name: [1]}):
        with pytest.raises(ValueError, match=rf"^has no {name}$"):
            read_record(wrong)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (None, "is not an object"),
        ([], "is not an object"),
        (record(line=True), "has no line"),
        (record(problems="no"), "has no problems"),
        (record(name='x"}, {"id": "other:y'), 'cannot be used: \'x"}, {"id": "other:y\' is not a tool name'),
        (record(group="a..b"), "cannot be used: 'a..b' is not a group name"),
        (record(options={"aliases": 5}), "cannot be used: option 'aliases' takes a sequence of strings, not 5"),
        (record(options={"aliases": ["a b"]}), "cannot be used: alias: 'a b' is not a tool name"),
        (record(options={"tags": 5}), "cannot be used: option 'tags' takes"),
        (record(options={"title": 5}), "cannot be used: option 'title' takes"),
        (record(options={"title": {"computed": "a.b"}}), "cannot be used: option 'title' takes"),
        (record(options={"reads": {"computed": 5}}), "cannot be used: option 'reads' takes"),
        (record(options={"requires_env": 5}), "cannot be used: option 'requires_env' takes"),
        (record(options={"timeout": "soon"}), "cannot be used: option 'timeout' takes"),
        (record(options={"cache": {"kept": {}}}), "cannot be used: option 'cache' takes"),
        (record(options={"nonsense": 1}), "cannot be used: unknown option 'nonsense'"),
        (record(parameters={}), "cannot be used: parameters is not the schema of an object with properties"),
        (
            record(parameters={"type": ["object"], "properties": {}}),
            "cannot be used: parameters is not the schema of an",
        ),
        (taking(5), "cannot be used: parameters is not a JSON Schema: the value at $.properties.a is of a wrong kind"),
        (
            taking({"type": [5]}),
            "cannot be used: parameters is not a JSON Schema: the value at $.properties.a.type is of",
        ),
        (
            record(returns={"anyOf": [{}, None]}),
            "cannot be used: returns is not a JSON Schema: the value at $.anyOf[1] is of",
        ),
        ({**record(), "description": "Nice."}, "was changed by hand: the digest is another"),
    ],
)
def test_a_record_of_a_tool_that_cannot_be_declared_is_refused_with_the_reason(written: Any, message: str) -> None:
    """Otherwise a list, a search or a call that reads it would fail, for other tools too."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # its message is compared
        read_record(written)
    assert str(caught.value).startswith(message)


def test_the_reason_stays_short() -> None:
    """It is shown in one line, and the invalid value comes from an external file."""
    with pytest.raises(ValueError, match="cannot be used") as caught:
        read_record(record(options={"title": ["x" * 100_000]}))
    assert len(str(caught.value)) < 400


def test_a_record_that_is_nested_too_deeply_is_refused() -> None:
    """Otherwise reading it would raise RecursionError."""
    deep: Any = {}
    for _ in range(100_000):
        deep = {"items": deep}
    with pytest.raises(ValueError, match="is nested too deeply"):
        read_record({**record(), "parameters": deep})


def test_unknown_fields_of_a_record_are_left_out() -> None:
    """Its distribution is known from its plugin, and no field may contradict that."""
    assert read_record({**record(), "id": "other:transfer", "distribution": "other"}) == record()
