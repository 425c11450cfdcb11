"""Every plugin works where an old pip has installed it: the one that Python 3.11.7 and 3.12.1 bring.

It reads the metadata of packages in another way than a new one, and may leave out what a plugin needs. Run by ``nox -s old-pip``: all
tools are called that need no network and no model.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import pytest

CHECKOUT: Final = Path(__file__).resolve().parents[2]
PLUGINS: Final = sorted(path.parent.name for path in CHECKOUT.glob("plugins/*/pyproject.toml"))

CALLS: Final[dict[str, list[tuple[str, dict[str, Any]]]]] = {
    "fcregistry-calculator": [
        ("add_up", {"numbers": [1, 2]}),
        ("subtract", {"a": 3, "b": 1}),
        ("multiply", {"a": 3, "b": 2}),
        ("divide", {"a": 3, "b": 2}),
        ("power", {"base": 3, "exponent": 2}),
        ("calculate", {"expression": "3 + 2"}),
    ],
    "fcregistry-clock": [
        ("current_time", {"zone": "Asia/Tokyo"}),
        ("convert_time", {"time": "2026-01-02T03:04:00Z", "to_zone": "Asia/Tokyo"}),
        ("next_weekday", {"weekday": "monday", "after": "2026-01-02"}),
        ("time_difference", {"start": "2026-01-02T03:04:00Z", "end": "2026-01-03T03:04:00Z"}),
    ],
    "fcregistry-files": [
        ("write_file", {"path": "a.txt", "content": "one\n"}),
        ("edit_file", {"path": "a.txt", "old": "one", "new": "two"}),
        (
            "apply_patch",
            {"patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+three\n*** End Patch"},
        ),
        ("read_file", {"path": "a.txt"}),
        ("file_info", {"path": "a.txt"}),
        ("list_directory", {}),
        ("find_files", {"pattern": "*.txt"}),
        ("search_files", {"pattern": "thr"}),
        ("move", {"source": "a.txt", "target": "b.txt"}),
        ("delete", {"path": "b.txt"}),
    ],
    "fcregistry-shell": [("run_command", {"words": ["ls"]})],
    "fcregistry-weather": [
        ("get_current_weather", {"location": "Tokyo"}),
        ("get_n_day_weather_forecast", {"location": "Tokyo", "num_days": 2}),
    ],
    "fcregistry-web": [
        ("fetch_url", {"url": "SITE/page"}),
        ("download_file", {"url": "SITE/page", "path": "page.html"}),
    ],
}
"""The tools of each plugin, with arguments that they can be called with."""

PROGRAM: Final = """
import json, sys
from fcregistry import Executor

calls = json.loads(sys.argv[2])
executor = Executor([sys.argv[1] + ":*"], approve=lambda tool, call: True)
for name, arguments in calls:
    result = executor.run({"name": name, "arguments": arguments})
    print(name, result.content)
    assert result.ok
assert {name for name, _ in calls} | {"web_search"} == {*executor.tools, "web_search"}  # that one needs the network
"""

PROGRAMS: Final = {
    "fcregistry-http": """
from fcregistry import Executor
from fcregistry_http import http_tool

tool = http_tool("GET", "SITE/page", name="page", description="A page.", parameters={"type": "object"})
assert "Green tea" in Executor([tool]).call("page").content
""",
    "fcregistry-llama": """
import xllamacpp
from fcregistry_llama import LlamaModel
""",
    "fcregistry-mcp": """
import sys
from fcregistry import Executor
from fcregistry_mcp import McpServer

code = '''
from fcregistry import Executor
from fcregistry_mcp import serve

def double(number: int) -> int:
    "Double a number."
    return 2 * number

serve(Executor([double]))
'''
with McpServer.stdio(sys.executable, "-c", code, name="server") as server:
    assert Executor(server.tools()).call("double", number=2).content == "4"
""",
    "fcregistry-numpy": """
import numpy as np
from fcregistry import Executor
from numpy.typing import NDArray

def double(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    "Double numbers."
    return 2 * numbers

assert Executor([double]).call("double", numbers=[1, 2]).content == "[2.0, 4.0]"
""",
}
"""What plugins without tools of their own are for."""


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>Tea</title><h1>Green tea</h1><p>It comes from the same plant as black tea does.")

    def log_message(self, *about: object) -> None:
        """Write nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_this_is_the_old_pip() -> None:
    assert version("pip") == "23.2.1"


@pytest.mark.parametrize("plugin", PLUGINS)
def test_the_tools_of_a_plugin_work(plugin: str, site: str, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("FCREGISTRY_")},
        "FCREGISTRY_CACHE_DIR": str(tmp_path / "cache"),
        "FCREGISTRY_FILES_ROOT": str(folder),
        "FCREGISTRY_FILES_WRITE": "1",
        "FCREGISTRY_SHELL_CWD": str(folder),
        "FCREGISTRY_SHELL_ALLOW": "ls",
        "FCREGISTRY_WEB": "1",
        "FCREGISTRY_WEB_NETWORKS": "127.0.0.1",
    }

    words = ["-c", PROGRAMS.get(plugin, PROGRAM), plugin, json.dumps(CALLS.get(plugin))]
    command = [sys.executable, *(word.replace("SITE", site) for word in words)]
    ran = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
