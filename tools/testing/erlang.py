"""Programs in Erlang that print the same on both runtimes; EUnit modules; what each leaves behind."""

import glob
import os

from testing.answers import compare
from testing.modules import VARIANTS, compile_erl, native_sources
from testing.presets import SCHEDULERS, SECONDS, TOP, is_left_out, viv_path
from testing.recorded import RECORD, question_of
from testing.runs import Job, Result, indented, run, selected
from testing.stock import STOCK_ERL, all_answers, answer_file, shared_answer, shares, stock_answer
from testing.watched import run_counting, run_watched


def erl_tests(preset, folder, version, names):
    paths = sorted(glob.glob(os.path.join(TOP, folder, "**/*.erl"), recursive=True))
    helpers = [p for p in paths if os.path.basename(os.path.dirname(p)) == "helpers"]
    return [Job(" ".join([os.path.relpath(path, TOP), *options]),
                lambda path=path, options=options: run_erl(preset, path, helpers, version, options)) for path in paths
            if path not in helpers and selected(os.path.relpath(path, TOP), names) and not is_left_out(preset, path)
            for options in ([[]] + (VARIANTS if "/insn/" in path else []))]


def run_erl(preset, path, helpers, version, options=()):
    name = " ".join([preset, os.path.relpath(path, TOP), *options])
    folder, module, error = compile_erl(path, helpers, version, options)
    if error:
        return Result(name, failed=1, detail=indented("does not compile:\n" + error))
    kept = path[:-4] + ".expected"
    later = open(kept, "rb").read() if os.path.exists(kept) else None
    if not native_sources(path):
        return run_both(preset, name, folder, module, None, later, path)
    results = [run_both(preset, f"{name}, {header}", folder, module, {"NIF_LIBRARIES": libraries}, later)
               for header, libraries in (("stock header", folder), ("our header", os.path.join(folder, "ours")))]
    fit_for_stock = any('"nif_test.h"' in open(source).read() for source in native_sources(path))
    if fit_for_stock and later is None:
        expected, _ = stock_answer(folder, module, {"NIF_LIBRARIES": folder})
        got, error = stock_answer(folder, module, {"NIF_LIBRARIES": os.path.join(folder, "ours")})
        answers = all_answers(expected, got, folder, module, {"NIF_LIBRARIES": folder})
        results.append(compare(f"{name}, our header, stock runtime", answers, got, 0, error or "", 120))
    detail = "".join(f"  {r.name}:\n{r.detail}" for r in results if r.failed)
    return Result(name, sum(r.passed for r in results), sum(r.failed for r in results), detail)


def run_both(preset, name, folder, module, env=None, later=None, source=None):
    """Runs Module:main() on both runtimes and compares; only the output of viv is taken afresh. `later`: the answers of
    a later release, instead of those of the stock runtime. `source`: of one that may share a stock runtime."""
    got, status, errors = run_viv(preset, folder, module, env)
    if later is not None:
        return compare(name, [later.splitlines()], got, status, errors, SECONDS[preset])
    stock_env = {**env, "NIF_LIBRARIES": folder} if env and "NIF_LIBRARIES" in env else env
    question = question_of(answer_file(folder, module, stock_env))
    is_recorded = status == 0 and RECORD.says(question, got)
    if is_recorded or (status == 0 and source and shared_stock_agrees(source, folder, module, got)):
        if not is_recorded:
            RECORD.note(question, got)
        return compare(name, [got.splitlines()], got, status, errors, SECONDS[preset])
    expected, error = stock_answer(folder, module, stock_env)
    if error:
        return Result(name, failed=1, detail=indented("fails on the stock runtime:\n" + error))
    answers = all_answers(expected, got, folder, module, stock_env) if status == 0 else [expected.splitlines()]
    if got.splitlines() in answers:
        RECORD.note(question, got)
    return compare(name, answers, got, status, errors, SECONDS[preset])


def shared_stock_agrees(source, folder, module, got):
    """Asks a stock runtime that runs others, too."""
    return shares(source, folder, module) and got == shared_answer(folder, module)


def run_viv(preset, folder, module, env=None):
    command = [viv_path(preset), "run", *SCHEDULERS.get(preset, []), "-pa", folder, module]
    status, out, err = run_watched(preset, command, SECONDS[preset], env)
    return out, status, err.decode(errors="replace")


def leak_tests(preset, version, names):
    """The programs of test/regress and test/erl, and the tests of test/eunit, each with test/leaks/memory_leaks.erl."""
    return [Job(f"leaks/{os.path.relpath(path, TOP)}",
                lambda path=path, kind=kind: run_leaks(preset, path, kind, version))
            for kind in ("regress", "erl", "eunit")
            for path in sorted(glob.glob(os.path.join(TOP, "test", kind, "**/*.erl"), recursive=True))
            if os.path.basename(os.path.dirname(path)) != "helpers"
            and selected(os.path.relpath(path, TOP), names) and not is_left_out("leaks", path)]


def run_leaks(preset, path, kind, version):
    name = f"{preset} leaks/{os.path.relpath(path, TOP)}"
    watcher, _, error = compile_erl(os.path.join(TOP, "test/leaks/memory_leaks.erl"), [], version)
    helpers = glob.glob(os.path.join(TOP, "test", kind, "**/helpers/*.erl"), recursive=True)
    folder, module, its_error = compile_erl(path, helpers, version)
    if error or its_error:
        return Result(name, failed=1, detail=indented("does not compile:\n" + (error or its_error)))
    program = ["eunit_counts", module] if kind == "eunit" else [module]
    command = [viv_path(preset), "run", *SCHEDULERS.get(preset, []), "-pa", folder, "-pa", watcher, "memory_leaks"]
    status, out, err = run_watched(preset, command + program, SECONDS[preset], {"NIF_LIBRARIES": folder})
    said = err.decode(errors="replace").splitlines()
    if status == 0 and "leaks: the program switched the map off" in said:
        return Result(name)
    if status == 0 and any(line.endswith("leaks: none") for line in said):  # others write there, too
        return Result(name, passed=1)
    end = "took too long" if status is None else f"ended with status {status}"
    return Result(name, failed=1, detail=indented("\n".join([end, *said[-60:]]), 6000))


def eunit_tests(preset, version, names):
    paths = sorted(glob.glob(os.path.join(TOP, "test/eunit/*.erl")))
    helpers = glob.glob(os.path.join(TOP, "test/eunit/helpers/*.erl"))
    return [Job(os.path.relpath(path, TOP), lambda path=path: run_eunit(preset, path, helpers, version))
            for path in paths
            if selected(os.path.relpath(path, TOP), names)]


def run_eunit(preset, path, helpers, version):
    name = f"{preset} eunit/{os.path.basename(path)}"
    folder, module, error = compile_erl(path, helpers, version)
    if error:
        return Result(name, failed=1, detail=indented("does not compile:\n" + error))
    if not module.startswith("viv_") and not os.path.exists(os.path.join(folder, "passes")):
        start = f'eunit_counts:main(["{module}"]), halt().'
        status, out, err = run([*STOCK_ERL, "-pa", folder, "-eval", start], 240)
        if status != 0:
            text = (out + err).decode(errors="replace")
            return Result(name, failed=1, detail=indented("fails on the stock runtime:\n" + text))
        open(os.path.join(folder, "passes"), "w").close()
    command = [viv_path(preset), "run", *SCHEDULERS.get(preset, []), "-pa", folder, "eunit_counts", module]
    return run_counting(command, name, SECONDS[preset])
