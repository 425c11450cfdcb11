"""A server for the tests that writes what real servers write, and few clients expect. Written without the SDK, which would not let it."""

import json
import sys

EMPTY = {"type": "object", "properties": {}}
LONG = "a" * 64
NULLS = {
    "type": "object",
    "properties": {
        "mode": {"type": "string", "enum": None, "description": None, "default": None},
        "enum": {"enum": [None, "a"]},
        "list": {"anyOf": [{"type": "array", "items": {"type": "integer", "minimum": None}}, {"const": None}]},
    },
    "required": None,
    "x-order": None,
    "$defs": {"none": {"type": "object", "properties": None}},
}
TOOLS = [
    {"name": "nulls", "description": None, "inputSchema": NULLS, "outputSchema": {**EMPTY, "required": None}},
    {"name": "bare", "inputSchema": {"properties": None}, "outputSchema": {"description": None}},
    {"name": "untyped", "inputSchema": {"properties": {"a": {"type": "integer"}}, "required": ["a"]}},
    {"name": "task", "inputSchema": EMPTY, "execution": {"taskSupport": "required"}},
    {"name": "either", "inputSchema": EMPTY, "execution": {"taskSupport": "optional"}},
    {"name": "ns.find", "inputSchema": EMPTY},
    {"name": "ns find", "inputSchema": EMPTY},
    {"name": "ns_find", "inputSchema": EMPTY},
    {"name": f"{LONG}1", "inputSchema": EMPTY},
    {"name": f"{LONG}2", "inputSchema": EMPTY},
    {"name": LONG, "inputSchema": EMPTY},
]


def serve() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        answer = {"error": {"code": -32601, "message": "unknown"}}
        if asked["method"] == "initialize":
            version = asked["params"]["protocolVersion"]
            server = {"name": "odd", "version": "1"}
            answer = {"result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}}
        if asked["method"] == "tools/list":
            answer = {"result": {"tools": TOOLS}}
        if asked["method"] == "tools/call":
            called = {"type": "text", "text": json.dumps(asked["params"]["name"])}
            answer = {"result": {"content": [called], "structuredContent": asked["params"].get("arguments") or {}}}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
