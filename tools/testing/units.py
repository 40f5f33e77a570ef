"""Tests in C: the unit tests, and the models with their mutants."""

import glob
import os
import re
import subprocess

from testing.presets import SECONDS, TOP, build_folder
from testing.runs import Job, Result, indented, run, selected

MODEL_SECONDS = 1800  # the deep run has larger bounds, and other tests beside it


def unit_tests(preset, seed, names):
    return [Job(f"unit/{unit_name(preset, path)}", lambda path=path: run_unit(preset, path, seed)) for path in
            sorted(glob.glob(os.path.join(build_folder(preset), "unit/**/u_*"), recursive=True))
            if os.path.exists(os.path.join(TOP, "test/unit", unit_name(preset, path) + ".c"))
            and selected(unit_name(preset, path), names)]


def unit_name(preset, path):
    return os.path.relpath(path, os.path.join(build_folder(preset), "unit"))


def run_unit(preset, path, seed, seconds=None):
    """`seed`: for the tests that are random (VIV_SEED); None: each has its own."""
    name = f"{preset} {os.path.relpath(path, build_folder(preset))}" + (f", seed {seed}" if seed else "")
    status, out, err = run([path], seconds or SECONDS[preset], {"VIV_SEED": str(seed)} if seed else None)
    text = out.decode(errors="replace") + err.decode(errors="replace")
    passed = len(re.findall(r"^\[ +OK +\]", text, re.M))
    failed = sum(map(int, re.findall(r"^ *(\d+) FAILED TEST", text, re.M)))
    if status != 0 and failed == 0:
        failed = 1
    detail = ""
    if failed:
        end = "took too long" if status is None else f"ended with status {status}"
        detail = indented(f"{end}\n" + text[-4000:], 4200)
    return Result(name, passed, failed, detail)


def models(preset, names, mutants_too):
    """The models, and the mutants of them, <model>.<mutation>: all, or of each model the first."""
    tab = os.path.join(TOP, "test/model/mutations.tab")
    listed = subprocess.run([os.path.join(TOP, "tools/gen_mutants.py"), "--list", tab], capture_output=True, text=True)
    mutants = [line.split()[0] for line in listed.stdout.splitlines()]
    if not mutants_too:
        mutants = list({name.split(".")[0]: name for name in reversed(mutants)}.values())[::-1]
    whole = [os.path.basename(path)[2:-2] for path in sorted(glob.glob(os.path.join(TOP, "test/model/m_*.c")))]
    return [Job(f"model/{name}", lambda name=name, check=check: check(preset, name))
            for names_of, check in ((whole, run_model), (mutants, run_mutant))
            for name in names_of if selected(f"model/{name}", names)]


def run_model(preset, name):
    return run_unit(preset, os.path.join(TOP, "build", preset, "model", name), None, MODEL_SECONDS)


def run_mutant(preset, name):
    """It passes when it is found wrong."""
    status, out, err = run([os.path.join(TOP, "build", preset, "model", name)], MODEL_SECONDS)
    if status == 1 and b"1 FAILED TEST" in out:
        return Result(f"model/{name}", passed=1)
    text = out.decode(errors="replace") + err.decode(errors="replace")
    return Result(f"model/{name}", failed=1, detail=indented(f"a mutant is not found wrong: {status}\n" + text[-2000:]))
