"""The program of a process that runs one command on Linux, and ends everything that the command started.

The process is a subreaper: a process that loses its parent becomes its child, whatever group, session or environment that one has. So
nothing of the command is left when it has no children left. A process for each command does that, because in the program that has the
tools a subreaper would also get the orphans of everything else that the program starts.

The arguments are the descriptor of a socket, and the number of the program that has the tools. A request is eight bytes with a length,
and as many bytes of `marshal`: the words, the folder and the variables of the command. The answer is a line, which is empty if the
command runs, and otherwise says why not. The next line has the exit code, once the command has ended. A byte `t` asks all processes to
end. Any other byte kills them, and so do the end of the stream, and the end of the program: its forks could keep the stream open.
"""

from __future__ import annotations

import ctypes
import marshal
import os
import signal
import sys
from contextlib import suppress

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    """Run the command that is requested, and end when nothing of it is left."""
    line, program = map(int, sys.argv[1:])
    os.set_inheritable(line, False)
    requests = os.fdopen(line, "rb", closefd=False)
    words, folder, environment = marshal.loads(requests.read(int.from_bytes(requests.read(8), "big")))
    try:
        command = _start(words, folder, environment)
    except OSError as error:
        os.write(line, f"{error.strerror}\n".encode())
        return
    os.write(line, b"\n")
    family = _Family(command, line)

    def end_with_program(*_: object) -> None:
        """End if the program has ended; the signal is also sent when a thread of the program has."""
        if os.getppid() != program:
            family.kill()
            os._exit(0)

    signal.signal(signal.SIGCHLD, lambda *_: family.reap())
    signal.signal(signal.SIGCONT, end_with_program)
    family.reap()  # it may have ended before
    end_with_program()
    with suppress(OSError):
        while requests.read(1) == b"t":
            family.ask_to_end()
    family.kill()


def _start(words: list[bytes], folder: bytes, environment: dict[bytes, bytes]) -> int:
    """Start a command in a session of its own, with the streams of this process; return its number.

    Raises:
        OSError: It cannot be started.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(0, f"this system has no subreapers: {os.strerror(ctypes.get_errno())}")
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGCONT, 0, 0, 0)  # this process also goes on then, if it is stopped
    if not os.path.exists("/proc/self/stat"):  # noqa: PTH110  # pathlib takes longer to import than all of this
        raise OSError(0, "/proc is not mounted, so that the processes that it starts could not be ended")
    reading, writing = os.pipe()
    command = os.fork()
    if not command:
        try:
            libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            os.setsid()
            for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them
                signal.signal(number, signal.SIG_DFL)
            os.chdir(folder)
            os.execve(words[0], words, environment)
        except (OSError, ValueError) as error:
            os.write(writing, (getattr(error, "strerror", None) or str(error)).encode())
        finally:
            os._exit(255)
    for number in (
        signal.SIGINT,
        signal.SIGTERM,
        signal.SIGHUP,
        signal.SIGQUIT,
    ):  # the program that has the tools decides
        signal.signal(number, signal.SIG_IGN)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        problem = file.read().decode()  # empty as soon as the command runs
    if problem:
        os.waitpid(command, 0)
        raise OSError(0, problem)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # they end when the command and what it started have closed them
        os.dup2(nothing, stream)
    return command


class _Family:
    """The command, and all processes that it started, directly or not.

    Args:
        command: The number of the command's process.
        line: The socket to which its exit code is written.
    """

    def __init__(self, command: int, line: int) -> None:
        self._command, self._line = command, line

    def reap(self) -> bool:
        """Collect the children that have ended, report the exit code, and return whether none is left."""
        try:
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                if found[0] == self._command:
                    with suppress(OSError):  # nobody reads it
                        os.write(self._line, f"{os.waitstatus_to_exitcode(found[1])}\n".encode())
        except ChildProcessError:
            return True
        return False

    def ask_to_end(self) -> None:
        """Ask all processes to end."""
        signal_all(os.getpid(), signal.SIGTERM)

    def kill(self) -> None:
        """Kill all processes, also those that they start meanwhile, and wait until they have ended.

        The children of one that is killed become children of this process. A group is killed at once, before its processes can fork.
        """
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        while not self.reap():
            children, killed = _children(), False
            for child in children:  # not reaped yet, so its number and that of its group are not given to others
                for kill, number in ((os.killpg, os.getpgid(child)), (os.kill, child)):
                    with suppress(OSError):
                        kill(number, signal.SIGKILL)
                        killed = True
            if killed:
                os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
            elif children:
                return  # they belong to other users, as those of `sudo` do


def signal_all(ancestor: int, number: int) -> None:
    """Send the signal `number` to all processes that descend from the process `ancestor`."""
    tree, found = _children_of_all(), [ancestor]
    for process in found:
        found += tree.get(process, [])
    for process in found[1:]:
        with suppress(OSError):
            os.kill(process, number)


def _children() -> list[int]:
    """Return the numbers of the children of this process."""
    own = os.getpid()
    try:
        with open(f"/proc/self/task/{own}/children", encoding="ascii") as file:  # noqa: PTH123
            return [int(child) for child in file.read().split()]
    except FileNotFoundError:  # a kernel without CONFIG_PROC_CHILDREN
        return _children_of_all().get(own, [])


def _children_of_all() -> dict[int, list[int]]:
    """Return the numbers of the children of each process that has any."""
    tree: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdecimal():
            with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                parent = int(file.read().rpartition(b")")[2].split()[1])  # before it is the name, in parentheses
                tree.setdefault(parent, []).append(int(name))
    return tree


if __name__ == "__main__":
    main()
