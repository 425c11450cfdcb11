"""A process with limits that carries out calls: each line of its input is a call as JSON, each line of its output a result.

The only argument is the path of the root. The limits stop a device, a huge file or a pattern from taking the machine.
"""

from __future__ import annotations

import json
import resource
import sys

from fcregistry import Executor

from fcregistry_files import file_tools

MIB = 2**20


def main() -> None:
    root = sys.argv[1]
    executor = Executor(
        file_tools(root, write=True, max_bytes=5 * MIB, search_seconds=1), approve=lambda tool, call: True
    )
    resource.setrlimit(resource.RLIMIT_AS, (1024 * MIB, 1024 * MIB))
    resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
    resource.setrlimit(resource.RLIMIT_FSIZE, (600 * 2**10, 600 * 2**10))
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print("ready", flush=True)  # noqa: T201
    for line in sys.stdin:
        result = executor.run(json.loads(line))
        print(json.dumps([result.ok, result.content]), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
