"""A process with limits that carries out calls: each line of its input has options and a call as JSON, each line of its output a result."""

from __future__ import annotations

import json
import resource
import sys

from fcregistry import Executor

from fcregistry_shell import shell_tools

MIB = 2**20


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (1024 * MIB, 1024 * MIB))
    resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
    resource.setrlimit(resource.RLIMIT_FSIZE, (50 * MIB, 50 * MIB))
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    folder, executors = sys.argv[1], {}
    print("ready", flush=True)  # noqa: T201
    for line in sys.stdin:
        options, call = json.loads(line)
        key = json.dumps(options)
        if key not in executors:
            tools = shell_tools(folder, **{"timeout": 5, "approval": False, **options})
            executors[key] = Executor(tools)
        result = executors[key].run(call)
        print(json.dumps([result.ok, result.value if result.ok else result.content]), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
