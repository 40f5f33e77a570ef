"""Executables that end with `N passed, N failed`."""

import glob
import os
import re

from testing.presets import SECONDS, TOP
from testing.runs import Job, run_counting, selected

SCENARIOS_AT_ONCE = 3  # they wait for most of their time


def scenarios(preset, folder, names, deep):
    """Executables that end with `N passed, N failed`. VIV names the program, DEEP=1 asks for more."""
    paths = sorted(glob.glob(os.path.join(TOP, folder, "*")))
    return [Job(os.path.relpath(path, TOP),
                lambda path=path: run_counting([path], os.path.relpath(path, TOP), 1800 if deep else SECONDS[preset],
                                             preset))
            for path in paths if os.access(path, os.X_OK) and os.path.isfile(path)
            and selected(os.path.relpath(path, TOP), names)]


def is_alone(path):
    """A line `# Alone: REASON` says that a scenario needs the machine for itself."""
    return re.search(rb"^# Alone: \S", open(os.path.join(TOP, path), "rb").read(), re.M) is not None
