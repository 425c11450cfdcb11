"""References of an external schema: into it, to the standard's own schemas, and never without end."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from referencing.exceptions import Unresolvable

from fcregistry._schema.validator import Validator

from .both_engines import ENGINES, URIS, Engine, of, problem_of, problems_by_both, published

NUMBER = {"type": "number"}


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": NUMBER}},
        {"properties": {"a": {"$ref": "#/definitions/n"}}, "definitions": {"n": NUMBER}},
        {"properties": {"a": {"$ref": "#/properties/b"}, "b": NUMBER}},
        {"properties": {"a": {"$ref": "#/components/schemas/N"}}, "components": {"schemas": {"N": NUMBER}}},
        {"properties": {"a": {"$ref": "#/$defs/a~1b~0c%25d"}}, "$defs": {"a/b~c%d": NUMBER}},
        {"properties": {"a": {"$ref": "#/$defs/list/anyOf/1"}}, "$defs": {"list": {"anyOf": [{}, NUMBER]}}},
        {"properties": {"a": {"$ref": "#n"}}, "$defs": {"n": {"$anchor": "n", **NUMBER}}},
        {"properties": {"a": {"$dynamicRef": "#n"}}, "$defs": {"n": {"$dynamicAnchor": "n", **NUMBER}}},
        {"properties": {"a": {"$ref": "urn:example:n"}}, "$defs": {"n": {"$id": "urn:example:n", **NUMBER}}},
        {
            "$id": "https://example.org/schemas/top",
            "properties": {"a": {"$ref": "n"}},
            "$defs": {"n": {"$id": "/schemas/n", "$ref": "#/$defs/m", "$defs": {"m": NUMBER}}},
        },
        {"properties": {"a": {"$ref": "#/$defs/one"}}, "$defs": {"one": {"$ref": "#/$defs/two"}, "two": NUMBER}},
        of("7", {"properties": {"a": {"$ref": "#n"}}, "definitions": {"n": {"$id": "#n", **NUMBER}}}),
        of("4", {"properties": {"a": {"$ref": "other"}}, "definitions": {"n": {"id": "other", **NUMBER}}}),
    ],
)
def test_a_reference_leads_to_any_place_of_the_schema(schema: dict[str, Any]) -> None:
    assert problem_of(schema) is None
    assert problems_by_both(schema, {"a": 1}) == []
    assert problems_by_both(schema, {"a": "1"}) == ['$.a: must be a number, not "1"']


@pytest.mark.parametrize("own", URIS)
@pytest.mark.parametrize("other", URIS)
def test_a_reference_may_lead_to_the_standards_own_schemas(own: str, other: str) -> None:
    schema = of(own, {"properties": {"schema": {"$ref": URIS[other]}}})
    assert problem_of(schema) is None
    assert problems_by_both(schema, {"schema": {"type": ["string", "null"], "properties": {"a": {"minimum": 3}}}}) == []
    assert problems_by_both(schema, {"schema": {"properties": {"a": {"minimum": "3"}}}}) == [
        '$.schema.properties.a.minimum: must be a number, not "3"'
    ]


def test_a_schema_may_lead_to_itself_for_a_part_of_the_value() -> None:
    schema = {
        "properties": {"name": {"type": "string"}, "below": {"items": {"$ref": "#"}}},
        "required": ["name"],
        "additionalProperties": False,
    }
    assert problem_of(schema) is None
    deep: dict[str, Any] = {"name": "leaf"}
    for _ in range(30):
        deep = {"name": "branch", "below": [deep]}
    assert problems_by_both(schema, deep) == []
    assert problems_by_both(schema, {"name": "a", "below": [{"name": "b", "below": [{"nam": 1}]}]}) == [
        '$.below[0].below[0].nam: is not a known name; did you mean "name"?',
        "$.below[0].below[0].name: is required",
    ]


@pytest.mark.parametrize(
    "top",
    [
        {"properties": {"below": {"$ref": "#"}, "x": {}}, "minProperties": 1},
        {"properties": {"below": {"anyOf": [{"$ref": "#"}]}}, "minProperties": 1},
        {"type": ["object", "null", "array"], "properties": {"below": {"$ref": "#"}}, "minProperties": 1},
        {"properties": {"below": {"$ref": "#top"}}, "$anchor": "top", "minProperties": 1, "$defs": {"anything": False}},
        {"$id": "urn:example:top", "properties": {"below": {"$ref": "urn:example:top"}}, "minProperties": 1},
        {"$id": "https://example.org/a/top", "$ref": "#/$defs/b", "$defs": {"b": {
            "$id": "/b", "properties": {"below": {"$ref": "/a/top"}}, "minProperties": 1}}},
        of("7", {"properties": {"below": {"$ref": "#"}}, "minProperties": 1}),
        of("4", {"id": "https://example.org/top#", "properties": {"below": {"$ref": "top"}}, "minProperties": 1}),
    ],
)  # fmt: skip
def test_a_reference_to_the_top_accepts_what_the_given_top_accepts(top: dict[str, Any]) -> None:
    schema = published(top)
    assert schema["type"] == "object"
    for value in ({"below": None}, {"below": []}, {"below": {"below": None}}):
        assert problems_by_both(schema, value) == []
    assert [problem.split(":")[0] for problem in problems_by_both(schema, {"below": {"below": {}}})] == [
        "$.below.below"
    ]
    assert published(schema) == schema


def test_a_reference_to_the_top_of_an_object_is_left_as_it_is() -> None:
    top = {"type": "object", "properties": {"below": {"$ref": "#"}}}
    assert published(top) == top


# --- nowhere -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reference", "problem"),
    [
        ("#/$defs/missing", "there is no such place in the schema"),
        ("#missing", "there is no such place in the schema"),
        ("#/required/first", "there is no such place in the schema"),
        ("#/required/7", "there is no such place in the schema"),
        ("#/title", "what is there is not a schema"),
        ("#/required", "what is there is not a schema"),
        ("https://example.org/s.json", 'that is outside the schema and is not fetched: copy it under "$defs", and refer to it there'),
        ("other.json#/a", 'that is outside the schema and is not fetched: copy it under "$defs", and refer to it there'),
        ("file:///etc/passwd", 'that is outside the schema and is not fetched: copy it under "$defs", and refer to it there'),
    ],
)  # fmt: skip
def test_a_reference_that_leads_nowhere_is_reported_with_its_place_and_what_to_do(reference: str, problem: str) -> None:
    schema = {"title": "t", "required": ["a"], "properties": {"a": {"items": {"$ref": reference}}}}
    assert problem_of(schema) == f"$.properties.a.items['$ref'] is \"{reference}\", and {problem}"


def test_the_advice_names_where_the_draft_keeps_its_definitions() -> None:
    assert 'copy it under "definitions"' in str(problem_of(of("7", {"properties": {"a": {"$ref": "x.json"}}})))


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("http://[", "is outside the schema and is not fetched"),
        ("::", "is outside the schema and is not fetched"),
        ("#/%zz", "there is no such place in the schema"),
        ("#/a b", "there is no such place in the schema"),
    ],
)
def test_a_reference_of_any_form_gives_an_answer(reference: str, said: str) -> None:
    assert said in str(problem_of({"properties": {"a": {"items": {"$ref": reference}}}}))


def test_a_reference_that_is_not_a_text_is_refused() -> None:
    # Draft 4's own schema says nothing of `$ref`.
    assert problem_of(of("4", {"properties": {"a": {"$ref": 5}}})) == (
        "$.properties.a['$ref'] is 5, and there is no such place in the schema"
    )


def test_an_empty_reference_leads_to_the_top() -> None:
    schema = {"type": "object", "properties": {"below": {"$ref": ""}}}
    assert problems_by_both(schema, {"below": {"below": {}}}) == []
    assert problems_by_both(schema, {"below": {"below": 1}}) == ["$.below.below: must be an object, not 1"]


def test_an_id_that_is_not_a_uri_is_refused() -> None:
    problem = str(problem_of({"$id": "http://[", "properties": {"a": {"$ref": "#"}}}))
    assert problem.startswith("$['$id'] is \"http://[\", which is not a URI: ")
    assert "$.properties.a['$id'] is" in str(problem_of({"properties": {"a": {"$id": "//["}}}))


def test_the_target_of_a_reference_must_be_a_schema() -> None:
    schema = {"properties": {"a": {"$ref": "#/components/N"}}, "components": {"N": {"type": "nope"}}}
    problem = str(problem_of(schema))
    assert problem.startswith(
        "$.properties.a['$ref'] leads to $.components.N, which is not a schema: $.type: must be one of "
    )


def test_an_unused_definition_may_refer_to_anything() -> None:
    schema = {
        "properties": {"a": {"type": "null"}},
        "then": {"$ref": "#/nowhere"},
        "$defs": {"far": {"$ref": "https://example.org/far.json"}, "gone": {"$ref": "#/nowhere"}, "loop": {"$ref": "#/$defs/loop"}},
    }  # fmt: skip
    assert problem_of(schema) is None
    assert problems_by_both(schema, {"a": 1}) == ["$.a: must be null, not 1"]


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_is_fetched(engine: Engine) -> None:
    asked: list[str] = []

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, format: str, *args: Any) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        problem = problem_of({"properties": {"a": {"$ref": f"{address}/x.json"}}})
        assert problem_of({"$schema": f"{address}/dialect"}) is None
        with pytest.raises(Unresolvable):
            Validator({"$schema": f"{address}/dialect", "$ref": f"{address}/x.json"}, engine=engine).problems(1)
        server.shutdown()
    assert f"{address}/x.json" in str(problem)
    assert asked == []


# --- without end -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "named"),
    [
        ({"$ref": "#"}, "the schema"),
        ({"allOf": [{"$ref": "#"}]}, "the schema"),
        ({"anyOf": [{"required": ["a"]}, {"$ref": "#"}]}, "the schema"),
        ({"not": {"$ref": "#"}}, "the schema"),
        ({"if": {"$ref": "#"}}, "the schema"),
        ({"if": {}, "else": {"$ref": "#"}}, "the schema"),
        ({"dependentSchemas": {"a": {"$ref": "#"}}}, "the schema"),
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, "the schema at $.properties.a"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}, "the schema at $['$defs'].a"),
        ({"$dynamicAnchor": "n", "oneOf": [{"$dynamicRef": "#n"}]}, "the schema"),
        (of("2019-09", {"$recursiveAnchor": True, "allOf": [{"$recursiveRef": "#"}]}), "the schema"),
        (of("4", {"dependencies": {"a": {"$ref": "#"}}}), "the schema"),
    ],
)  # fmt: skip
def test_a_schema_that_leads_back_to_itself_for_the_same_value_is_refused(schema: dict[str, Any], named: str) -> None:
    assert problem_of(schema) == (
        f"{named} applies itself to the same value again, without end: what refers to itself does so below a keyword for "
        'parts of the value, such as "properties" or "items"'
    )


def test_references_that_multiply_are_refused() -> None:
    def doubling(times: int) -> dict[str, Any]:
        defs: dict[str, Any] = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(times)}
        return {"$ref": "#/$defs/d0", "$defs": {**defs, f"d{times}": {"type": "object"}}}

    assert problem_of(doubling(10)) is None
    assert problems_by_both(doubling(10), {}) == []
    assert problem_of(doubling(60)) == (
        "the schema at $['$defs'].d45 applies more than 100000 schemas to one value, for its references multiply"
    )


def test_references_in_a_row_are_bounded() -> None:
    def chain(links: int) -> dict[str, Any]:
        defs: dict[str, Any] = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(links)}
        return {"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": {**defs, f"d{links}": {"type": "null"}}}

    assert problem_of(chain(90)) is None
    assert problems_by_both(chain(90), {"a": 1}) == ["$.a: must be null, not 1"]
    assert "refers to one that refers to another, and so on, more than 100 deep" in str(problem_of(chain(5_000)))
