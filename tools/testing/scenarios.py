"""Executables that end with `N passed, N failed`."""

import glob
import os
import re

from testing.presets import SECONDS, TOP
from testing.runs import Job, run_counting, selected


def scenarios(preset, folder, names, deep):
    """Executables that end with `N passed, N failed`. VIV names the program, DEEP=1 asks for more. A line
    `# Deep: REASON` keeps one for the deep run, and for who names it."""
    paths = sorted(glob.glob(os.path.join(TOP, folder, "*")))
    return [Job(os.path.relpath(path, TOP),
                lambda path=path: run_counting([path], os.path.relpath(path, TOP), 1800 if deep else SECONDS[preset],
                                             preset))
            for path in paths if os.access(path, os.X_OK) and os.path.isfile(path)
            and selected(os.path.relpath(path, TOP), names) and (deep or names or not is_for_deep(path))]


def is_for_deep(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return re.search(r"^# Deep: \S", file.read(), re.M) is not None
