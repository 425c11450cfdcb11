"""What a server is given of secrets comes back in no description, answer, error, progress or log."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from fcregistry import Executor
from fcregistry.execution import Progress

from fcregistry_mcp import McpError, McpServer

SECRET = 'hush/h"ush 1'

ECHO = """
import json, os, sys
key = os.environ["NOTES_KEY"]
schema = {"type": "object", "properties": {"how": {"type": "string", "description": "as " + key}}}
def answer(method, params):
    if method == "initialize":
        server = {"name": "echo", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": [{"name": "echo", "description": "Echo " + key, "inputSchema": schema}]}
    if method == "tools/call" and params["arguments"]["how"] == "fail":
        return {"content": [{"type": "text", "text": "no " + key}], "isError": True}
    if method == "tools/call" and params["arguments"]["how"] == "refuse":
        return None
    if method == "tools/call":
        token = params["_meta"]["progressToken"]
        say({"method": "notifications/progress", "params": {"progressToken": token, "progress": 1, "message": key}})
        sys.stderr.write("x" * 490 + key + "\\n")
        sys.stdout.write("no message of the protocol: " + key + "\\n")
        return {"content": [{"type": "text", "text": json.dumps({"k": key})}], "structuredContent": {key: [key]}}
def say(what):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **what}) + "\\n")
    sys.stdout.flush()
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        result = answer(asked["method"], asked.get("params"))
        error = {"error": {"code": -32000, "message": "refused " + key, "data": key}}
        say({"id": asked["id"], **(error if result is None else {"result": result})})
"""


def call(how: str) -> dict[str, Any]:
    return {"name": "echo", "arguments": {"how": how}}


def logged(caplog: pytest.LogCaptureFixture) -> str:
    return "\n".join(map(logging.Formatter().format, caplog.records))


def test_a_server_repeats_no_secret_of_its_environment(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with McpServer.stdio(sys.executable, "-c", ECHO, name="echo", env={"NOTES_KEY": SECRET}) as server:
        tools = server.tools()
        told = json.dumps([tools["echo"].description, tools["echo"].parameters])
        executor = Executor(tools, timeout=30)
        parts = list(executor.stream(call("well")))
        failed, refused = executor.run(call("fail")), executor.run(call("refuse"))
    assert told.count("\\u2026") == 2
    (result,) = [part for part in parts if not isinstance(part, Progress)]
    assert result.value == {"…": ["…"]}
    assert result.content == '{"k": "…"}'
    assert [part.message for part in parts if isinstance(part, Progress)] == ["…"]
    assert (failed.content, refused.content) == ("no …", "the MCP server echo refuses the call: refused …")
    assert "hush" not in logged(caplog)
    assert "Failed to parse JSONRPC message" in logged(caplog)
    for each in (failed, refused):
        assert "hush" not in "".join(traceback.format_exception(each.error.exception))


@pytest.fixture
def refusing() -> Iterator[str]:
    """The URL of a server that refuses every request, repeats its URL and its key, and sends them elsewhere."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            said = f"{self.headers['Authorization']} {self.path}"
            self.send_response(403, f"not {said}")
            self.send_header("X-Echo", said)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/mcp?api_key=query-secret&page=visible"
    server.shutdown()
    thread.join()
    server.server_close()


def test_requests_leave_no_secret_in_logs_and_errors(refusing: str, caplog: pytest.LogCaptureFixture) -> None:
    """The client logs the URL of each request, and the headers of each answer."""
    caplog.set_level(logging.DEBUG)
    server = McpServer.http(refusing, name="far", headers={"Authorization": "Bearer hush-hush"})
    with pytest.raises(McpError) as raised:
        server.open()
    said = "".join(traceback.format_exception(raised.value)) + logged(caplog)
    assert "HTTP Request: POST" in said
    assert "page=visible" in said
    assert "hush" not in said
    assert "query-secret" not in said
    assert (raised.value.__cause__, raised.value.__context__) == (None, None)
