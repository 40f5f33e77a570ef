"""Jobs, their results, and the programs that they run."""

import collections
import os
import selectors
import shutil
import signal
import subprocess
import threading
import time
import typing

from testing.presets import TOP

ENVIRONMENT = {
    "LC_ALL": "C.UTF-8",
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:exitcode=99",
    "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=99",
    "TSAN_OPTIONS": "exitcode=99:second_deadlock_stack=1",
}
LEFT_BEHIND = 10  # seconds for the last words of who outlives a test


class Job(typing.NamedTuple):
    """A test to come: `run` gives its Result."""
    name: str
    run: typing.Callable


class Result:
    """What one test came to: numbers of cases, and what to show of the failed ones."""

    def __init__(self, name, passed=0, failed=0, detail=""):
        self.name, self.passed, self.failed, self.detail = name, passed, failed, detail


def run(command, seconds, env=None, program=None):
    """Runs a command as a process group, killed when time is up. Gives (status or None, stdout, stderr). `program`: the
    name under which its processor time counts; else that of its file."""
    if not os.path.exists(command[0]) and not shutil.which(command[0]):
        return 127, b"", f"there is no {command[0]}".encode()
    running = Program(command, env)
    whole = running.read_until_end(seconds)
    status = running.process.returncode
    if status is None:
        os.killpg(running.process.pid, signal.SIGKILL)
        running.read_until_end(LEFT_BEHIND)
    PROCESSOR.add(program or os.path.basename(command[0]), running.processor_seconds)
    out, err = running.close()
    if status is not None and not whole:
        err += b"\na program that it has left behind holds its output\n"
    return status, out, err


class Program:
    """One that runs, as a process group; and when it has ended, the processor time of it and of those it waited for."""

    def __init__(self, command, env):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, start_new_session=True, cwd=TOP,
                                        env={**os.environ, **ENVIRONMENT, **(env or {})})
        self.end = os.pidfd_open(self.process.pid)
        self.said = {self.process.stdout.fileno(): bytearray(), self.process.stderr.fileno(): bytearray()}
        self.processor_seconds = 0
        self.selector = selectors.DefaultSelector()
        for descriptor in (self.end, *self.said):
            self.selector.register(descriptor, selectors.EVENT_READ)

    def read_until_end(self, seconds):
        """Until it has ended and its output was read to the end, which is told, or the time is up. Who inherited its
        output may outlive it: they get LEFT_BEHIND seconds, as its last words may be on their way."""
        deadline = time.monotonic() + seconds
        while self.selector.get_map():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            for key, _ in self.selector.select(left):
                if key.fd == self.end:
                    self.reap()
                    deadline = time.monotonic() + LEFT_BEHIND
                if key.fd == self.end or not self.hear(key.fd):
                    self.selector.unregister(key.fd)
        return True

    def reap(self):
        _, status, used = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.processor_seconds = used.ru_utime + used.ru_stime

    def hear(self, descriptor):
        part = os.read(descriptor, 1 << 16)
        self.said[descriptor] += part
        return part

    def close(self):
        """Gives what it has said."""
        self.selector.close()
        os.close(self.end)
        self.process.stdout.close()
        self.process.stderr.close()
        return map(bytes, self.said.values())


class ProcessorTime:
    """Of what has ended, in seconds: of each program, and of this thread with what it has run."""

    def __init__(self):
        self.lock, self.programs, self.here = threading.Lock(), collections.Counter(), threading.local()

    def add(self, program, seconds):
        with self.lock:
            self.programs[program] += seconds
        self.here.children = getattr(self.here, "children", 0) + seconds

    def of_thread(self):
        return getattr(self.here, "children", 0) + time.thread_time()


PROCESSOR = ProcessorTime()


def indented(text, limit=2000):
    text = text if len(text) <= limit else text[:limit] + "\n... (cut)"
    return "".join(f"    {line}\n" for line in text.splitlines())


def selected(name, names):
    return not names or any(part in name for part in names)
