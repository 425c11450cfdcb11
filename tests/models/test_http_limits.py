"""Limits of a provider's HTTP answers, against a real server that does what a hostile one would."""

from __future__ import annotations

import asyncio
import gc
import gzip
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable, Iterator
from itertools import chain, repeat
from typing import Any

import pytest

from fcregistry.agents import ReactAgent
from fcregistry.errors import ModelError
from fcregistry.models import AnthropicMessages, Model, OpenAIChat, OpenAIResponses

from . import anthropic_wire, openai_wire
from .provider_server import Piece, ProviderServer, Reply, json_reply, stream_reply

KEY = "sk-test-1234567890abcdef"
APIS: dict[str, Callable[..., Model]] = {
    "openai": openai_wire.chat,
    "openai-responses": openai_wire.responses,
    "anthropic": anthropic_wire.model_at,
}
every_api = pytest.mark.parametrize("api", APIS)
every_way = pytest.mark.parametrize("way", ["complete", "stream"])

JSON = {"content-type": "application/json"}
EVENTS = {"content-type": "text/event-stream"}
GZIP = {"content-encoding": "gzip"}
SPACES = b" " * 65536


def ask(model: Model, way: str = "complete") -> Any:
    """Ask a model, whole or piece by piece."""
    return model.complete("Hi") if way == "complete" else list(model.stream("Hi"))[-1]


def refused(server: ProviderServer, api: str, way: str = "complete", **options: Any) -> ModelError:
    """Return what is raised when a model at a server is asked."""
    with pytest.raises(ModelError) as raised:
        ask(APIS[api](server, **options), way)
    return raised.value


def bomb(size: int) -> list[bytes]:
    """Return JSON text of many bytes, compressed to a thousandth."""
    made = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    blocks = (made.compress(b" " * 2**20) for _ in range(size >> 20))
    return list(filter(None, [made.compress(b'{"a": "'), *blocks, made.compress(b'"}'), made.flush()]))


def dripping(server_ends: threading.Event, piece: Piece) -> Iterator[Piece]:
    """Yield a piece every hundredth of a second, as long as the client listens."""
    while not server_ends.wait(0.01):
        yield piece


# --- size -----------------------------------------------------------------------------------------


ENDLESS: dict[str, Callable[[], Reply]] = {
    "spaces": lambda: Reply(headers=JSON, pieces=repeat(SPACES)),
    "a bomb": lambda: Reply(headers={**JSON, **GZIP}, pieces=bomb(2**24)),
    "what follows a compressed answer": lambda: Reply(
        headers={**JSON, **GZIP}, pieces=chain([gzip.compress(b"{}")], repeat(SPACES))
    ),
    "comments in a stream": lambda: Reply(headers=EVENTS, pieces=repeat(": ping\n\n" * 1000)),
    "one line of a stream": lambda: Reply(headers=EVENTS, pieces=chain(["data: "], repeat(SPACES))),
}


@every_api
@every_way
@pytest.mark.parametrize("sent", ENDLESS)
def test_an_answer_is_read_as_far_as_the_limit_and_no_further(api: str, way: str, sent: str) -> None:
    reply = ENDLESS[sent]()
    if sent.startswith(("comments", "one line")):
        way = "stream"
    with ProviderServer(reply) as server:
        error = refused(server, api, way, max_answer_bytes=300_000)
        if sent != "a bomb":
            assert server.broken.wait(20)
    assert str(error).endswith(
        ": the answer is longer than 300,000 bytes, so fcregistry stopped reading it; if you expect such answers, pass a higher max_answer_bytes"
    )
    assert (error.status, error.retryable) == (None, False)


@every_api
def test_an_answer_that_is_too_long_is_not_asked_for_again(api: str) -> None:
    """The SDKs try again what failed on the way: some of them, whatever exception it was."""
    classes: dict[str, Any] = {
        "openai": OpenAIChat,
        "openai-responses": OpenAIResponses,
        "anthropic": AnthropicMessages,
    }
    with ProviderServer(Reply(headers=JSON, pieces=[SPACES])) as server:
        model = classes[api]("m", base_url=server.url, api_key=KEY, max_answer_bytes=1000)
        with pytest.raises(ModelError, match="longer than 1,000 bytes"):
            model.complete("Hi")
        assert len(server.requests) == 1


@every_api
@every_way
def test_an_answer_of_very_many_values_is_not_read(api: str, way: str) -> None:
    """Bytes say little of the memory that JSON takes: an empty object is two of them, and some hundred once it is read."""
    values, kind = repeat("{}," * 1000), EVENTS if way == "stream" else JSON
    with ProviderServer(Reply(headers=kind, pieces=chain(['data: {"a": ['], values))) as server:
        error = refused(server, api, way, max_answer_bytes=10**7)
    assert "the answer contains more than 312,500 values, so fcregistry stopped reading it; if you expect such" in str(
        error
    )


def test_a_long_stream_may_have_very_many_values_in_all() -> None:
    pieces = [openai_wire.chunk({"content": "x,"}, more=[0] * 50_000) for _ in range(5)]
    with ProviderServer(stream_reply([*pieces, openai_wire.chunk(finish="stop"), openai_wire.DONE])) as server:
        completion = ask(openai_wire.chat(server, max_answer_bytes=10**6), "stream")
    assert completion.message.text == "x," * 5


@every_api
@pytest.mark.parametrize("headers", [{}, GZIP])
@every_way
def test_only_the_beginning_of_an_error_is_read(api: str, headers: dict[str, str], way: str) -> None:
    if headers:
        reply = Reply(status=429, headers={**headers, "retry-after": "7"}, pieces=bomb(2**26))
    else:
        begun = '{"error": {"message": "Slow down'
        reply = Reply(status=429, headers={"retry-after": "7"}, pieces=chain([begun], repeat(" please" * 10_000)))
    with ProviderServer(reply) as server:
        error = refused(server, api, way)
        if not headers:
            assert server.broken.wait(20)
    assert (error.status, error.retryable, error.retry_after) == (429, True, 7)
    assert "takes no more requests for now (HTTP 429): " in str(error)
    assert len(str(error)) < 800


@every_api
def test_an_answer_may_be_compressed(api: str) -> None:
    replies = {
        "openai": openai_wire.chat_reply(),
        "openai-responses": json_reply(openai_wire.response([openai_wire.text_item("Hello!")])),
        "anthropic": anthropic_wire.answer({"type": "text", "text": "Hello!"}),
    }
    (text,) = replies[api].pieces
    assert isinstance(text, str)
    reply = Reply(headers={**JSON, **GZIP}, pieces=[gzip.compress(text.encode())])
    with ProviderServer(reply) as server:
        assert ask(APIS[api](server)).message.text == "Hello!"
    assert server.requests[0].headers["accept-encoding"] == "gzip"


def test_a_compressed_stream_is_yielded_as_it_comes() -> None:
    made, goes_on = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16), threading.Event()
    told = openai_wire.said("one", "two")
    pieces = [made.compress(each.encode()) + made.flush(zlib.Z_SYNC_FLUSH) for each in told]
    reply = Reply(headers={**EVENTS, **GZIP}, pieces=[*pieces[:2], goes_on, *pieces[2:], made.flush()])
    with ProviderServer(reply) as server:
        stream = openai_wire.chat(server).stream("Hi")
        assert next(stream).content == "one"  # type: ignore[union-attr]
        goes_on.set()
        assert list(stream)[-1].message.text == "onetwo"  # type: ignore[union-attr]


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "nope"])
def test_an_answer_in_another_encoding_is_refused(encoding: str) -> None:
    with ProviderServer(json_reply({}, headers={"content-encoding": encoding})) as server:
        error = refused(server, "openai")
    assert f"the answer has the Content-Encoding '{encoding}', but fcregistry accepts only gzip" in str(error)
    with ProviderServer(json_reply({"error": "no"}, 404, {"content-encoding": encoding})) as server:
        assert "the provider does not know it (HTTP 404); check" in str(refused(server, "openai"))


def test_an_answer_that_is_not_the_gzip_it_claims_to_be_is_refused() -> None:
    with ProviderServer(json_reply({}, headers=GZIP)) as server:
        assert "the answer has the header Content-Encoding: gzip, but its body is not gzip" in str(
            refused(server, "openai")
        )


@pytest.mark.parametrize("size", [0, -1, 1.5, True, None, "64 MiB"])
def test_a_limit_is_a_number_of_bytes(size: Any) -> None:
    for kind in (OpenAIChat, OpenAIResponses, AnthropicMessages):
        with pytest.raises(ValueError, match="max_answer_bytes must be a whole number above 0, not "):
            kind("m", max_answer_bytes=size)


def test_other_requests_of_a_client_are_not_limited() -> None:
    from openai import AsyncOpenAI

    reply = json_reply({"id": "m", "object": "model", "created": 1, "owned_by": "x" * 5000})

    async def use(server: ProviderServer) -> None:
        async with AsyncOpenAI(base_url=server.url, api_key=KEY, max_retries=0) as client:
            model = OpenAIChat("m", client=client, max_answer_bytes=1000)
            for _ in range(2):
                with pytest.raises(ModelError, match="longer than 1,000 bytes"):
                    await model.acomplete([])
            assert len((await client.models.retrieve("m")).owned_by) == 5000

    with ProviderServer(reply) as server:
        asyncio.run(use(server))


ATTACKED = """
import resource, sys
from fcregistry.errors import ModelError
from fcregistry.models import AnthropicMessages, OpenAIChat, OpenAIResponses

resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30))  # an answer without a limit ends here, and not with the machine
kinds = {"openai": OpenAIChat, "openai-responses": OpenAIResponses, "anthropic": AnthropicMessages}
model = kinds[sys.argv[1]]("m", base_url=sys.argv[2], api_key="sk-test-1234567890abcdef")

def ask(way):
    try:
        list(model.stream("Hi")) if way == "stream" else model.complete("Hi")
    except ModelError as error:
        print(error)

ask("complete")  # imports the SDK
for way in sys.argv[3:]:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ask(way)
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@every_api
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is counted in KiB on Linux")
def test_no_answer_takes_memory_without_bound(api: str) -> None:
    large = bomb(400 * 2**20)
    replies = [
        json_reply({}, 404),
        Reply(headers={**JSON, **GZIP}, pieces=large),
        Reply(headers=JSON, pieces=repeat(SPACES)),
        Reply(headers=EVENTS, pieces=repeat(f": {'x' * 60_000}\n\n")),
        Reply(
            headers=JSON, pieces=['{"choices": [], "output": [], "content": [], "a": [', *["{}," * 2**20] * 21, "0]}"]
        ),
        Reply(status=400, headers=JSON, pieces=['{"error": {"message": "', *["x y" * 333_333] * 100, '"}}']),
        Reply(status=400, headers={**JSON, **GZIP}, pieces=large),
    ]
    ways = ["complete", "complete", "stream", "complete", "complete", "complete"]
    with ProviderServer(*replies) as server:
        ended = subprocess.run(
            [sys.executable, "-c", ATTACKED, api, server.url, *ways],
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
    texts, grown = ended.stdout.splitlines()[1::2], ended.stdout.splitlines()[2::2]
    assert ["longer than 67,108,864 bytes" in text for text in texts] == [True] * 3 + [False] * 3
    assert "contains more than 2,097,152 values" in texts[3]
    assert all("the provider refuses the request (HTTP 400)" in text for text in texts[4:])
    assert all(int(each) < 250 for each in grown), grown


# --- what an answer is made of --------------------------------------------------------------------


def chat_in_members() -> list[bytes]:
    """Return an answer of OpenAI's chat completions as gzip of several members, one of them empty."""
    (whole,) = openai_wire.chat_reply().pieces
    text = whole.encode() if isinstance(whole, str) else whole
    return [gzip.compress(each) for each in (text[:20], b"", text[20:50], text[50:])]


@pytest.mark.parametrize("cut", ["at members", "nowhere", "everywhere", "with padding"])
def test_all_members_of_gzip_are_read(cut: str) -> None:
    pieces = chat_in_members()
    whole = b"".join(pieces)
    if cut == "nowhere":
        pieces = [whole]
    elif cut == "everywhere":
        pieces = [whole[at : at + 1] for at in range(len(whole))]
    elif cut == "with padding":
        pieces = [whole, b"\0" * 100, whole]
    with ProviderServer(Reply(headers={**JSON, **GZIP}, pieces=pieces)) as server:
        assert ask(APIS["openai"](server)).message.text == "Hello!"


@every_api
def test_the_members_of_gzip_have_one_limit_together(api: str) -> None:
    member = gzip.compress(b" " * 100_000)
    for pieces in ([member * 10], repeat(member, 10), repeat(gzip.compress(b""))):
        with ProviderServer(Reply(headers={**JSON, **GZIP}, pieces=pieces)) as server:
            error = refused(server, api, max_answer_bytes=300_000)
        assert "the answer is longer than 300,000 bytes" in str(error)


@pytest.fixture
def without_collections() -> Iterator[None]:
    """Do without the garbage collector: where no call is left, the finalizers of what earlier tests dropped could not run."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@every_api
@every_way
@pytest.mark.usefixtures("without_collections")
def test_json_that_is_nested_too_deeply_cannot_be_read(api: str, way: str) -> None:
    deep = '{"choices": ' + "[" * 60_000 + "]" * 60_000 + "}"
    reply = (
        Reply(headers=JSON, pieces=[deep])
        if way == "complete"
        else Reply(headers=EVENTS, pieces=[f"event: message_start\ndata: {deep}\n\n"])
    )
    with ProviderServer(reply) as server:
        error = refused(server, api, way)
    assert str(error).partition(" ")[2] == (
        "sent an answer that cannot be read: its JSON is nested too deeply; check that base_url is the provider's API"
    )


# --- time -----------------------------------------------------------------------------------------


DRIPS: dict[str, Callable[[threading.Event], Reply]] = {
    "an answer": lambda ends: Reply(headers=JSON, pieces=dripping(ends, b" ")),
    "a stream": lambda ends: Reply(headers=EVENTS, pieces=dripping(ends, b": ping\n\n")),
    "an error": lambda ends: Reply(status=400, pieces=dripping(ends, b" ")),
    "a compressed answer": lambda ends: Reply(
        headers={**JSON, **GZIP}, pieces=chain([gzip.compress(b"")], dripping(ends, b" "))
    ),
}


@every_api
@pytest.mark.parametrize("sent", DRIPS)
def test_a_time_budget_holds_for_a_server_that_drips(api: str, sent: str) -> None:
    async def followed(agent: ReactAgent) -> Any:
        return [event async for event in agent.astream("Hi", time_budget=0.2)][-1].result  # type: ignore[union-attr]

    ends = threading.Event()
    with ProviderServer(*(DRIPS[sent](ends) for _ in range(3))) as server:
        agent = ReactAgent(APIS[api](server))
        results = [agent.run("Hi", time_budget=0.2)]
        results.append(asyncio.run(agent.arun("Hi", time_budget=0.2)))
        results.append(asyncio.run(followed(agent)))
        ends.set()
    assert [result.stop_reason for result in results] == ["time_budget"] * 3


# --- redirects ------------------------------------------------------------------------------------


def redirect(to: str, status: int = 307) -> Reply:
    """Return a reply that leads elsewhere."""
    return Reply(status=status, headers={"location": to})


@every_api
@every_way
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_conversation_does_not_follow_a_redirect_to_another_server(api: str, way: str, status: int) -> None:
    with ProviderServer(json_reply({})) as other, ProviderServer(redirect(f"{other.url}/v1/x", status)) as server:
        error = refused(server, api, way)
        assert other.requests == []
        assert len(server.requests) == 1
    port = other.url.rpartition(":")[2]
    assert str(error).partition(": ")[2] == (
        f"the provider redirects to another server, http at 127.0.0.1 port {port} (HTTP {status}); fcregistry does not send the conversation there: "
        "if you want to use that server, set base_url to its URL"
    )
    assert (error.status, error.retryable) == (status, False)


@pytest.mark.parametrize(
    ("to", "named"),
    [
        ("//example.com/v1", "another server, http at example.com (HTTP 307)"),
        ("https://127.0.0.1:PORT/v1", "another server, https at 127.0.0.1 port PORT (HTTP 307)"),
        ("http://localhost:PORT/v1", "another server, http at localhost port PORT (HTTP 307)"),
        ("http://u:p@example.com/?q=1", "another server, http at example.com (HTTP 307)"),
        (f"https://{KEY}.example.com/", "another server, https at ….example.com (HTTP 307)"),
        ("http://[::1/", "a text that is not a URL (HTTP 307)"),
    ],
)
def test_where_a_redirect_leads_is_named_by_its_host_alone(to: str, named: str) -> None:
    with ProviderServer(json_reply({})) as server:
        port = server.url.rpartition(":")[2]
        server.replies[:] = [redirect(to.replace("PORT", port))]
        error = refused(server, "openai")
    assert f"the provider redirects to {named.replace('PORT', port)}; " in str(error)


@every_api
@pytest.mark.parametrize("absolute", [True, False])
def test_a_redirect_within_the_same_server_is_followed(api: str, absolute: bool) -> None:
    with ProviderServer(json_reply({})) as server:
        replies = {
            "openai": openai_wire.chat_reply(),
            "openai-responses": json_reply(openai_wire.response([openai_wire.text_item("Hello!")])),
            "anthropic": anthropic_wire.answer({"type": "text", "text": "Hello!"}),
        }
        server.replies[:] = [redirect(f"{server.url if absolute else ''}/v2/there"), replies[api]]
        assert ask(APIS[api](server)).message.text == "Hello!"
        assert server.requests[1].path == "/v2/there"
        assert server.requests[1].json == server.requests[0].json


@every_api
@every_way
def test_redirects_in_a_circle_are_followed_a_few_times(api: str, way: str) -> None:
    with ProviderServer(*(redirect("/v1/again") for _ in range(60))) as server:
        error = refused(server, api, way)
        assert len(server.requests) == 6
    assert str(error).partition(": ")[2] == (
        "the provider redirects in a circle, or more than 5 times (HTTP 307); check base_url"
    )
    assert (error.status, error.retryable) == (307, False)


def test_a_client_object_follows_no_redirect_either() -> None:
    from openai import AsyncOpenAI

    async def use(server: ProviderServer) -> None:
        async with AsyncOpenAI(base_url=server.url, api_key=KEY) as client:
            with pytest.raises(ModelError, match="redirects to another server"):
                await OpenAIChat("m", client=client).acomplete([])

    with ProviderServer(json_reply({})) as other, ProviderServer(redirect(other.url)) as server:
        asyncio.run(use(server))
        assert other.requests == []
