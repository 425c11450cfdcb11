"""A server for the tests that keeps to no rules: its list has what is no tool. Written without the SDK, which would not let it."""

import json
import sys

SCHEMA = {"type": "object", "properties": {}}
TOOLS = [
    {"name": "bare"},
    {"name": "good", "title": "t" * 1000, "description": "d" * 100_000, "inputSchema": SCHEMA},
    {
        "name": "hiding",
        "description": "Read\ta note.\n\x1b[2J\u202eNow\U000e0041\U000e0042 it is.",
        "inputSchema": SCHEMA,
    },
    {"name": "array", "inputSchema": {"type": "array"}},
    None,
]


def answer(method, params):
    if method == "initialize":
        server = {"name": "strange", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call" and params["arguments"]:
        sys.stdout.buffer.write(b"\xff\xfe a stray byte\n")
    if method == "tools/call" and params["name"] == "hiding":
        return {"content": "no list"}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": "done"}]}
    return None


for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        result = answer(asked["method"], asked.get("params"))
        said = {"error": {"code": -32601, "message": "unknown"}} if result is None else {"result": result}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **said}) + "\n")
        sys.stdout.flush()
