"""Executables that end with `N passed, N failed`."""

import glob
import os

from testing.presets import SECONDS, TOP
from testing.runs import Job, run_counting, selected


def scenarios(preset, folder, names, deep):
    """Executables that end with `N passed, N failed`. VIV names the program, DEEP=1 asks for more."""
    paths = sorted(glob.glob(os.path.join(TOP, folder, "*")))
    return [Job(os.path.relpath(path, TOP),
                lambda path=path: run_counting([path], os.path.relpath(path, TOP), 1800 if deep else SECONDS[preset],
                                             preset))
            for path in paths if os.access(path, os.X_OK) and os.path.isfile(path)
            and selected(os.path.relpath(path, TOP), names)]
