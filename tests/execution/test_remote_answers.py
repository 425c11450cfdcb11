"""Answers of a worker that cannot be read, and messages of a worker that the model must not read."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any

import pytest

from fcregistry import Tool
from fcregistry.execution._call_errors import WorkerError  # answers that no worker writes
from fcregistry.execution._remote import PoolRunner  # answers that no worker writes
from fcregistry.execution._wire import Form, WireRefusal, WireReturn, answer_text  # answers that no worker writes

from .workers import ask

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Site


def add(a: int, b: int) -> int:
    return a + b


ADD = Tool.from_function(add)


class Pool(Executor):
    """Answers everything alike."""

    def __init__(self, answer: str | BaseException) -> None:
        self._answer = answer

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if isinstance(self._answer, str):
            future.set_result(self._answer)
        else:
            future.set_exception(self._answer)
        return future


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ValueError


def returned(value: str, form: Any = "json") -> str:
    read: Form = form
    return answer_text(WireReturn(value=value, form=read, seconds=0.1))


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (returned("["), "JSONDecodeError: "),
        (returned("1" * 5000), "ValueError: "),  # more digits than Python reads
        (returned("[1]", "content"), "ValueError: "),
        (returned('{"a": 1}', "output"), "ValueError: "),
        (returned("1", "of tomorrow"), "KeyError: "),
        (answer_text(WireRefusal(reason="of tomorrow")), "KeyError: "),
        (answer_text(WireRefusal(reason="invalid_arguments", problems=(("$.a",),))), "ValueError: "),  # type: ignore[arg-type]
        (SystemExit("a worker that ends"), "SystemExit: a worker that ends"),
        (Unspeakable(), "Unspeakable"),
    ],
)
def test_an_answer_that_cannot_be_read_gives_a_failed_outcome(answer: str | BaseException, why: str) -> None:
    outcome = PoolRunner(Pool(answer)).submit(ADD, {"a": 1, "b": 2}).result(0)
    error = outcome.exception
    assert isinstance(error, WorkerError)
    assert error.error.code == "tool_failed"
    assert str(error).startswith(f"add returned no result: its worker failed; it may have done its work: {why}")


def test_an_interrupt_of_a_worker_is_raised() -> None:
    outcome = PoolRunner(Pool(KeyboardInterrupt())).submit(ADD, {"a": 1, "b": 2}).result(0)
    assert isinstance(outcome.exception, KeyboardInterrupt)


PLACES = """
    from fcregistry import hookimpl
    from fcregistry.types import Codec

    class Place:
        pass

    class PlaceCodec(Codec):
        kinds = frozenset({"string"})

        def schema(self, writer):
            return {"type": "string"}

        def accepts(self, value):
            return isinstance(value, str)

        def decode(self, value):
            raise ConnectionError("no route to db.internal")

        def handles(self, value):
            return False

    @hookimpl
    def fc_register_types(types):
        types.add(lambda annotation, reader: PlaceCodec() if annotation is Place else None)
"""

TOOLS = """
    from collections.abc import Mapping
    from typing import Annotated, Any
    from annotated_types import Predicate
    from acme_places import Place
    from fcregistry import fc_register

    class Broken(Mapping):
        def __init__(self, error):
            self.error = error

        def __getitem__(self, key):
            raise self.error

        __iter__ = __len__ = lambda self: self[0]

    @fc_register
    def visit(place: Place) -> str:
        "Visit."
        return "seen"

    @fc_register
    def even(number: Annotated[int, Predicate(lambda number: number % 2 == 0)]) -> str:
        "Take an even number."
        return "even"

    @fc_register
    def give(kind: str) -> Any:
        "Give what cannot be encoded."
        return {
            "failing": Broken(ConnectionError("no route to db.internal")),
            "ending": Broken(SystemExit("no route to db.internal")),
            "formless": object(),
        }[kind]
"""

CALLS = """
    from concurrent.futures import ThreadPoolExecutor
    from fcregistry.execution._remote import PoolRunner

    def tried(name, arguments):
        error = remote.submit(registry.get(f"acme-errors:{name}"), arguments).result(60).exception
        return [[each.code, each.text, each.exception is error] for each in (error.error, error.error_reserved)]

    with ThreadPoolExecutor(1) as pool:
        remote = PoolRunner(pool)
        answer = {kind: tried("give", {"kind": kind}) for kind in ("failing", "ending", "formless")}
        answer["visit"] = tried("visit", {"place": "Oslo"})
        answer["even"] = tried("even", {"number": 3})
"""


@pytest.fixture(scope="module")
def tried(make_site: Callable[..., Site]) -> Any:
    """Both wordings of what workers refuse."""
    site = make_site()
    site.install(
        "acme-places", {"acme_places": "acme_places"}, {"acme_places.py": PLACES}, group="fcregistry.extensions"
    )
    site.install("acme-errors", {"tools": "acme_errors"}, {"acme_errors.py": TOOLS})
    return ask(site, CALLS)


INVALID = "the arguments of visit are not valid where it runs; it was not run:\n- $.place: cannot be decoded"


@pytest.mark.parametrize(
    ("call", "code", "told", "reserved"),
    [
        (
            "failing",
            "unencodable_result",
            "give ran, but its result cannot be shown: ConnectionError: no route to db.internal",
            "give ran, but its result cannot be shown",
        ),
        (
            "ending",
            "unencodable_result",
            "give ran, but its result cannot be shown: SystemExit: no route to db.internal",
            "give ran, but its result cannot be shown",
        ),
        (
            "visit",
            "invalid_arguments",
            f"{INVALID}: ConnectionError: no route to db.internal",
            INVALID,
        ),
    ],
)
def test_with_tool_errors_the_message_of_a_remote_exception_is_left_out(
    tried: Any, call: str, code: str, told: str, reserved: str
) -> None:
    assert tried[call] == [[code, told, True], [code, reserved, True]]


@pytest.mark.parametrize("call", ["formless", "even"])
def test_messages_of_fcregistry_about_values_are_never_left_out(tried: Any, call: str) -> None:
    told, reserved = tried[call]
    assert told == reserved
    assert told[1].endswith(("a value of type builtins.object has no JSON form", "- $.number: must satisfy <lambda>"))
