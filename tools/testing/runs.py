"""Jobs, their results, and the programs that they run."""

import os
import re
import shutil
import signal
import subprocess
import time
import typing

from testing.presets import TOP, VIV_ENVIRONMENT, viv_path

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


def run(command, seconds, env=None):
    """Runs a command as a process group, killed when time is up. Gives (status or None, stdout, stderr)."""
    if not os.path.exists(command[0]) and not shutil.which(command[0]):
        return 127, b"", f"there is no {command[0]}".encode()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True, cwd=TOP, env={**os.environ, **ENVIRONMENT, **(env or {})})
    deadline = time.monotonic() + seconds
    out, err, whole = said_until_it_ends(process, deadline)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        out, err, whole = said_until_it_ends(process, deadline)
        return None, out, err
    if not whole:
        err += b"\na program that it has left behind holds its output\n"
    return process.returncode, out, err


def said_until_it_ends(process, deadline):
    """stdout and stderr until the process has ended or the time is up, and whether they were read to their ends. Who
    inherited them may outlive it: they get LEFT_BEHIND seconds, as its last words may be on their way."""
    ended = None
    while True:
        try:
            return *process.communicate(timeout=1), True
        except subprocess.TimeoutExpired as so_far:
            now = time.monotonic()
            ended = now if ended is None and process.poll() is not None else ended
            if now > (deadline if ended is None else ended + LEFT_BEHIND):
                return so_far.output or b"", so_far.stderr or b"", False


def run_counting(command, name, seconds, preset="release", env=None):
    status, out, err = run(command, seconds,
                           {"VIV": viv_path(preset), **VIV_ENVIRONMENT.get(preset, {}), **(env or {})})
    text = out.decode(errors="replace") + err.decode(errors="replace")
    totals = re.findall(r"^(\d+) passed, (\d+) failed$", text, re.M)
    passed, failed = map(int, totals[-1]) if totals else (0, 0)
    if failed == 0 and (status != 0 or not totals):
        failed = 1
        text += f"\nended with status {status}" if status is not None else "\ntook too long"
    shown = text if len(text) <= 4000 else text[:1500] + "\n... (cut)\n" + text[-2500:]
    return Result(name, passed, failed, indented(shown, 4200) if failed else "")


def indented(text, limit=2000):
    text = text if len(text) <= limit else text[:limit] + "\n... (cut)"
    return "".join(f"    {line}\n" for line in text.splitlines())


def selected(name, names):
    return not names or any(part in name for part in names)
