"""Executables that end with `N passed, N failed`."""

import glob
import os
import re

from testing.presets import SECONDS, TOP, is_left_out
from testing.runs import Job, selected
from testing.watched import run_counting


SEEING = re.compile(r"see_|trace_|tracer_")  # those of test/scenario in which others look into a node


def seeing(preset, names, deep):
    """What sanitizers are to hear of sessions, of clients that come and go, and of what these do to a node."""
    return scenarios(preset, "test/scenario", names, deep, SEEING)


def scenarios(preset, folder, names, deep, kind=re.compile("")):
    """Executables that end with `N passed, N failed`. VIV names the program, PATIENCE is how many seconds one step may
    take, DEEP=1 asks for more. A line `# Deep: REASON` keeps one for the deep run, and for who names it."""
    paths = sorted(path for path in glob.glob(os.path.join(TOP, folder, "*"))
                   if kind.match(os.path.basename(path)) and os.access(path, os.X_OK) and os.path.isfile(path))
    return [Job(os.path.relpath(path, TOP),
                lambda path=path: run_counting([path], os.path.relpath(path, TOP), 1800 if deep else SECONDS[preset],
                                             preset))
            for path in paths if selected(os.path.relpath(path, TOP), names) and not is_left_out(preset, path)
            and (deep or names or not is_for_deep(path))]


def is_for_deep(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return re.search(r"^# Deep: \S", file.read(), re.M) is not None
