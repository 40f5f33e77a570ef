"""Generated tests: random calls, random programs, large modules."""

import glob
import os
import shutil
import threading

from testing.erlang import run_both
from testing.modules import COMPILER, COMPILING, STOCK, VARIANTS, compile_erl
from testing.presets import TOP
from testing.runs import Job, Result, indented, run
from testing.stock import STOCK_ERL

# Programs that make random calls when they run; the seed is in their environment.
GENERATORS = ["gen_bifs", "gen_code", "gen_trace_events", "gen_trace_mixed", "gen_trace_patterns", "gen_trace_procs",
              "gen_trace_specs", "gen_trace_system"]

# Programs that are written: what their modules are called, how many of them there are for a seed, how many in depth.
PROGRAMS = {"gen_programs": ("prog", 12, 40), "gen_traces": ("traces", 6, 24), "gen_numbers": ("numbers", 4, 16)}

WRITTEN = {}  # folder of random programs that this run has written: what was wrong, or None


def generated_tests(preset, version, seeds, deep):
    """Random calls of built-in functions, random programs and large modules, for each seed."""
    jobs = []
    for seed in seeds:
        env = {"VIV_SEED": str(seed), "VIV_CASES": "20000" if deep else "2500"}
        jobs += [Job(f"test/gen/{generator}.erl, seed {seed}",
                     lambda seed=seed, env=env, name=generator: run_generator(preset, name, version, seed, env))
                 for generator in GENERATORS]
        # The interpreter selects the same instructions, and runs them in its own way.
        engines = [preset, "interpreted"] if preset == "release" and not deep else [preset]
        jobs += [Job(f"test/gen/gen_modules.erl, seed {seed}, {engine}",
                     lambda seed=seed, engine=engine: run_modules(engine, version, seed, 120 if deep else 24))
                 for engine in engines]
        jobs += [Job(f"test/gen/{generator}.erl, program {n}, seed {seed}",
                     lambda name=generator, of=(seed, n, count): run_program(preset, name, version, *of))
                 for generator, (_, few, many) in PROGRAMS.items() for count in [many if deep else few]
                 for n in range(1, 1 + count)]
    return jobs


def run_generator(preset, generator, version, seed, env):
    name = f"{preset} gen/{generator}, seed {seed}"
    folder, module, error = compile_erl(os.path.join(TOP, f"test/gen/{generator}.erl"), [], version)
    if error:
        return Result(name, failed=1, detail=indented("does not compile:\n" + error))
    return run_both(preset, name, folder, module, env)


def run_modules(preset, version, seed, count):
    """The first `count` large modules of a seed, loaded and called."""
    name = f"{preset} gen/gen_modules, seed {seed}"
    helpers = sorted(glob.glob(os.path.join(TOP, "test/gen/helpers/*.erl")))
    generator, module, error = compile_erl(os.path.join(TOP, "test/gen/gen_modules.erl"), helpers, version)
    if error:
        return Result(name, failed=1, detail=indented("the generator does not compile:\n" + error))
    folder = os.path.join(STOCK, "modules", os.path.basename(generator), f"{seed}_{count}")
    with COMPILING.setdefault(folder, threading.Lock()):
        error = write_modules(generator, folder, seed, count)
    if error:
        return Result(name, failed=1, detail=indented("without viv:\n" + error))
    return run_both(preset, name, folder, module)


def write_modules(generator, folder, seed, count):
    if os.path.exists(os.path.join(folder, "written")):
        return None
    shutil.copytree(generator, folder, dirs_exist_ok=True)
    write = f'gen_modules:write("{folder}", {seed}, {count}), halt().'
    status, out, err = run([*STOCK_ERL, "-pa", generator, "-eval", write], 300)
    if status != 0:
        return (out + err).decode(errors="replace")
    open(os.path.join(folder, "written"), "w").close()
    return None


def write_programs(generator, compiled, seed, count):
    """A folder with the first `count` random programs of a seed, and what is wrong, or None."""
    folder = os.path.join(STOCK, "programs", os.path.basename(compiled), str(seed))
    with COMPILING.setdefault(folder, threading.Lock()):
        if folder not in WRITTEN and not os.path.exists(os.path.join(folder, f"written_{count}")):
            os.makedirs(folder, exist_ok=True)
            write = f'[{generator}:write_one("{folder}", {seed}, N, 30) || N <- lists:seq(1, {count})], halt().'
            status, out, err = run([*STOCK_ERL, "-pa", compiled, "-eval", write], 300)
            WRITTEN[folder] = None if status == 0 else "is not written:\n" + (out + err).decode(errors="replace")
            if status == 0:
                open(os.path.join(folder, f"written_{count}"), "w").close()
        return folder, WRITTEN.get(folder)


def run_program(preset, generator, version, seed, number, count):
    """The number-th random program of a seed, compiled in one of the ways."""
    options = ([[]] + VARIANTS)[number % (1 + len(VARIANTS))] if generator == "gen_programs" else []
    prefix = PROGRAMS[generator][0]
    name = " ".join([f"{preset} gen/{prefix} {number}, seed {seed}", *options])
    module = f"{prefix}_{seed}_{number}"
    compiled, _, error = compile_erl(os.path.join(TOP, f"test/gen/{generator}.erl"), [], version)
    if error:
        return Result(name, failed=1, detail=indented("the generator does not compile:\n" + error))
    sources, error = write_programs(generator, compiled, seed, count)
    if error:
        return Result(name, failed=1, detail=indented(error))
    folder = os.path.join(sources, "".join([str(number), *options]))
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(os.path.join(folder, module + ".beam")):
        error = COMPILER.compile([os.path.join(sources, module + ".erl")], folder, options, 120)
        if error:
            return Result(name, failed=1, detail=indented("does not compile:\n" + error))
    result = run_both(preset, name, folder, module, source=os.path.join(sources, module + ".erl"))
    if result.failed and not stock_loads(folder, module):
        return Result(name)  # what the compiler wrote is refused by the stock loader itself
    return result


def stock_loads(folder, module):
    if os.path.exists(os.path.join(folder, f"answer.{module}")):
        return True
    load = f"case code:ensure_loaded({module}) of {{module, _}} -> halt(0); {{error, badfile}} -> halt(3) end."
    return run([*STOCK_ERL, "-pa", folder, "-eval", load], 60)[0] != 3
