"""The origin and provenance of tools and results, which are the same in every process."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Annotated, Any

from fcregistry import Executor, Tool

if TYPE_CHECKING:
    from tests.conftest import Site


def greet(name: str, punctuation: str = "!") -> str:
    """Greet somebody."""
    return f"Hello {name}{punctuation}"


TOOL = Tool.from_function(greet)

DIGEST = "f5fffdbab574326816078ea085d300aef23537d85dcd155523ac9566cab48f75"
"""Of its schema, on every Python and in every process."""


def test_the_digest_is_the_sha_256_of_the_canonical_json_of_the_parameters() -> None:
    canonical = json.dumps(TOOL.parameters, sort_keys=True, separators=(",", ":"))
    assert TOOL.schema_digest == hashlib.sha256(canonical.encode()).hexdigest() == DIGEST


def test_a_view_of_a_tool_has_the_same_digest_and_other_arguments_have_another() -> None:
    def differently(name: str, punctuation: str = "?") -> str:
        """Greet somebody."""
        return name + punctuation

    assert TOOL.renamed("say_hello").schema_digest == DIGEST
    assert Tool.from_function(differently).schema_digest != DIGEST


def test_the_order_of_names_in_a_schema_makes_no_difference() -> None:
    def take(**arguments: Any) -> None:
        """Take anything."""

    properties = {"b": {"type": "string"}, "a": {"type": "integer"}}
    schema = {"type": "object", "properties": properties}
    turned = {"properties": dict(reversed(properties.items())), "type": "object"}
    digests = {Tool.from_function(take, parameters=each).schema_digest for each in (schema, turned)}
    assert len(digests) == 1


def test_a_schema_with_half_a_surrogate_pair_has_a_digest_too() -> None:
    def take(text: Annotated[str, "half of a pair: \ud800"] = "\udfff") -> None:
        """Take a text."""

    assert len(Tool.from_function(take).schema_digest) == 64


def test_a_tool_and_its_results_have_its_provenance() -> None:
    provenance = TOOL.provenance
    assert provenance._asdict() == {"id": "greet", "distribution": None, "version": None, "schema_digest": DIGEST}
    executor = Executor([TOOL])
    assert executor.run({"name": "greet", "arguments": {"name": "Ann"}}).provenance == provenance
    assert executor.run({"name": "greet", "arguments": {}}).provenance == provenance
    assert executor.run({"name": "nobody"}).provenance is None


def test_the_tool_of_a_plugin_has_its_distribution_and_version(site: Site) -> None:
    """Whatever its name is, and in every process."""
    code = "from fcregistry import fc_register\n@fc_register('talk')\ndef greet(name: str, punctuation: str = '!') -> str: ...\n"
    site.install("acme-talk", {"talk": "acme_talk"}, {"acme_talk.py": code}, version="2.1")
    answer = site.ask(
        """
        from fcregistry import registry
        answer = registry.get("greet").renamed("say_hello").provenance._asdict()
        """
    )
    assert answer == {
        "id": "acme-talk:talk.greet",
        "distribution": "acme-talk",
        "version": "2.1",
        "schema_digest": DIGEST,
    }
