"""The storm: all operations at once."""

import glob
import hashlib
import os

from testing import modules
from testing.presets import TOP, viv_path
from testing.runs import Job, Result, indented, run, selected
from testing.watched import run_counting

STORM_LIBRARIES = {"storm_lib_kept": [], "storm_lib": ["-DSTORM_LIB"], "storm_tracer": ["-DSTORM_TRACER"]}
# Until an operation counts as hanging: all run at once, and slow builds hold threads up or take turns.
STORM_PATIENCE = {"release": 60}
FAULTY = ("debug", "delay")


def faults_for(schedulers):
    """base/fault.h. The threads that the start needs are fewer: one for each scheduler, as many dirty ones, 10 more; of
    the pages the first two."""
    return {"VIV_FAIL_THREAD": str(2 * schedulers + 15), "VIV_FAIL_MMAP": "3", "VIV_FAIL_POLL": "3"}


def storm_tests(preset, version, minutes, seed, names):
    """Runs of test/storm, one after the other: those that are selected share the `minutes`, or are short."""
    plan = [(f"test/storm, {schedulers} schedulers{faults}", schedulers, bool(faults))
            for faults in (["", ", with faults"] if preset in FAULTY else [""])
            for schedulers in ((1, 2, 4, 8, 16) if minutes else (4,))]
    plan = [planned for planned in plan if selected(planned[0], names)]
    seconds = round(60 * minutes / max(1, len(plan))) if minutes else 12
    return [Job(f"{name}, {seconds} s, seed {seed}",
                lambda run=run: run_storm(preset, version, seconds, seed, *run)) for name, *run in plan]


def compile_storm(version):
    sources = sorted(glob.glob(os.path.join(TOP, "test/storm/*")))
    digest = hashlib.sha256(version.encode() + b"".join(open(source, "rb").read() for source in sources))
    folder = os.path.join(modules.STOCK, digest.hexdigest()[:24])
    if os.path.exists(os.path.join(folder, "compiled")):
        return folder, None
    os.makedirs(folder, exist_ok=True)
    command = ["erlc", "+debug_info", "-o", folder, *(source for source in sources if source.endswith(".erl"))]
    compiler = ["gcc", "-shared", "-fPIC", "-O1", "-g", "-Wall", "-Wno-unused", "-Werror", "-pthread",
                f"-I{modules.STOCK_INCLUDE}", os.path.join(TOP, "test/storm/storm_native.c")]
    commands = [command] + [[*compiler, *defines, "-o", os.path.join(folder, name + ".so")]
                            for name, defines in STORM_LIBRARIES.items()]
    for command in commands:
        status, out, err = run(command, 120)
        if status != 0:
            return folder, (out + err).decode(errors="replace")
    open(os.path.join(folder, "compiled"), "w").close()
    return folder, None


def run_storm(preset, version, seconds, seed, schedulers, faults):
    name = f"{preset} storm/{schedulers} schedulers, {seconds} s, seed {seed}" + (", with faults" if faults else "")
    folder, error = compile_storm(version)
    if error:
        return Result(name, failed=1, detail=indented("does not compile:\n" + error))
    patience = STORM_PATIENCE.get(preset, 300)
    env = {**(faults_for(schedulers) if faults else {}), "NIF_LIBRARIES": folder, "STORM_PATIENCE": str(patience)}
    watched = ["+Mim", "true"] if faults else []  # the map of memory is on from the start, and lacks memory itself
    options = ["+S", str(schedulers), *watched, "-pa", folder]
    command = [viv_path(preset), "run", *options, "storm", str(seconds), str(seed)]
    return run_counting(command, name, seconds + 4 * patience, preset, env)
