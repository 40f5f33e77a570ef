"""Programs run with the runtime of a preset. What a sanitizer says of any program that they start is heard: also where
nobody reads its output or its status, as a test kills it."""

import glob
import os
import re
import tempfile

from testing.presets import BUILDS, SECONDS, VIV_ENVIRONMENT, viv_path
from testing.runs import ENVIRONMENT, Result, indented, run

SANITIZERS = {"asan": ("ASAN_OPTIONS", "UBSAN_OPTIONS"), "tsan": ("TSAN_OPTIONS",)}
REPORTED = 99  # the status of what a sanitizer has something to say of
SHOWN = 6000  # characters of that


def run_watched(preset, command, seconds, env=None):
    """As `run`, in the environment of the preset. With a report the status is not 0, and stderr begins with it; who was
    late is so with a report, too."""
    names = SANITIZERS.get(BUILDS.get(preset, preset), ())
    with tempfile.TemporaryDirectory(prefix="reports.") as folder:
        path = os.path.join(folder, "of")
        options = {name: f"{ENVIRONMENT[name]}:log_path={path}" for name in names}
        status, out, err = run(command, seconds, {"VIV": viv_path(preset), "PATIENCE": str(patience(preset)),
                                                  **VIV_ENVIRONMENT.get(preset, {}), **options, **(env or {})})
        report = reports(path)
    return (REPORTED if status == 0 else status, out, report.encode() + err) if report else (status, out, err)


def patience(preset):
    """Seconds that a test waits for one step of it."""
    return 2 * SECONDS[preset] // 5


def reports(path):
    """The texts of path.PID, each with whose it is."""
    parts = []
    for name in sorted(glob.glob(glob.escape(path) + ".*")):
        with open(name, encoding="utf-8", errors="replace") as file:
            parts.append(f"process {name.rpartition('.')[2]}:\n{file.read()}\n")
    return "".join(parts)[:SHOWN]


def run_counting(command, name, seconds, preset="release", env=None):
    """Runs what ends with `N passed, N failed`."""
    status, out, err = run_watched(preset, command, seconds, env)
    text = out.decode(errors="replace") + err.decode(errors="replace")
    totals = re.findall(r"^(\d+) passed, (\d+) failed$", text, re.M)
    passed, failed = map(int, totals[-1]) if totals else (0, 0)
    if failed == 0 and (status != 0 or not totals):
        failed = 1
        text += f"\nended with status {status}" if status is not None else "\ntook too long"
    shown = text if len(text) <= 10000 else text[:1500] + "\n... (cut)\n" + text[-8500:]
    return Result(name, passed, failed, indented(shown, 10100) if failed else "")
