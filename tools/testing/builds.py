"""Builds what is tested."""

import os
import re
import subprocess
import threading

from testing.presets import TOP, build_folder
from testing.runs import Result, indented, run


BUILD_SECONDS = 3600
TEMPLATES = "generated/template_code.o"
BUILDING = {}  # build folder: who builds there
AHEAD = []  # the threads of build_ahead


def build(preset, *targets, command=()):
    """Builds targets of a preset, as many as can be; what does not build is one failed case."""
    folder = build_folder(preset)
    with BUILDING.setdefault(folder, threading.Lock()):
        return build_alone(preset, folder, targets, command)


def build_alone(preset, folder, targets, command):
    results = []
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        subprocess.run(["cmake", "--preset", os.path.basename(folder)], cwd=TOP, check=True, stdout=subprocess.DEVNULL)
    jobs = str(os.cpu_count() or 2)
    status, out, _ = run([*command, "cmake", "--build", folder, "-j", jobs, "--", "-k", "0", *targets], BUILD_SECONDS,
                         program=f"build {preset}")
    if status != 0:
        lines = out.decode(errors="replace").splitlines()
        said = [line for line in lines if not re.match(r"\[\d+/\d+\]|-- ", line)]
        results.append(Result(f"build {preset}", failed=1, detail=indented("\n".join(said), 6000)))
    return results


def build_ahead(builds):
    """Starts to build (preset, targets) one after the other, at the lowest priority: tests wait about as long as they
    work. What does not build is told by the build() of the stage that tests it."""
    def build_them():
        for preset, targets in builds:
            build(preset, *targets, command=("nice", "-n", "19"))

    AHEAD.append(threading.Thread(target=build_them))
    AHEAD[-1].start()


def wait_for_builds():
    """For who needs the machine for itself."""
    while AHEAD:
        AHEAD.pop().join()


def templates_build():
    """Templates of native code of a build that asserts and tortures, which the deep run alone would build."""
    failed = build("torture", TEMPLATES)
    return failed[0] if failed else Result("templates of the torture build", passed=1)
