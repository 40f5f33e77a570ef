"""Programs among several nodes."""

import glob
import os
import re
import sys
import threading

from testing.answers import compare, wrong_lines
from testing.modules import COMPILING, compile_erl
from testing.presets import SECONDS, TOP
from testing.runs import Job, Result, indented
from testing.scenarios import scenarios
from testing.stock import ASKED_AGAIN
from testing.watched import run_watched

# Programs of test/cluster that do not pass on viv yet, and why: they run among stock nodes only, unless named.
CLUSTER_NOT_YET: dict[str, str] = {}
# The runtimes of the node that runs the program, and of the others; ordinarily the last two.
CLUSTER_PAIRS = [("stock", "viv"), ("viv", "stock"), ("viv", "viv")]


def cluster_tests(preset, version, names, deep):
    """A line `%% Deep: REASON` keeps a program for the deep run, and for who names it."""
    jobs = []
    helpers = glob.glob(os.path.join(TOP, "test/cluster/helpers/*.erl"))
    for path in sorted(glob.glob(os.path.join(TOP, "test/cluster/c_*.erl"))):
        named = any(name in path for name in names)
        if not named and (names or (not deep and re.search(r"^%% Deep: \S", open(path).read(), re.M))):
            continue
        waits = not named and os.path.basename(path)[:-4] in CLUSTER_NOT_YET
        for pair in [None] if waits else CLUSTER_PAIRS if deep or named else CLUSTER_PAIRS[1:]:
            jobs.append(Job(os.path.relpath(path, TOP),
                            lambda path=path, pair=pair: run_cluster(preset, path, helpers, version, pair)))
    return jobs + scenarios(preset, "test/cluster", names, deep)


def ask_cluster(preset, folder, module, here, other):
    command = [sys.executable, os.path.join(TOP, "test/cluster/nodes.py"), here, other, folder, module]
    seconds = SECONDS[preset]
    return run_watched(preset, [*command, str(seconds)], seconds + 120)


def stock_cluster_answer(folder, module):
    """What it prints among stock nodes: that is asked for once."""
    with COMPILING.setdefault((folder, module, "answer"), threading.Lock()):
        kept = os.path.join(folder, f"answer.{module}.{os.environ['DEEP']}")
        if os.path.exists(kept):
            return open(kept, "rb").read(), None
        status, out, err = ask_cluster("release", folder, module, "stock", "stock")
        if status == 0:
            with open(kept, "wb") as new:
                new.write(out)
        return out, None if status == 0 else err.decode(errors="replace") or f"status {status}"


def run_cluster(preset, path, helpers, version, pair):
    """`pair`: the runtimes; None: all are stock, which says that the program itself is in order."""
    name = " ".join([preset, os.path.relpath(path, TOP), *(pair or ("stock", "stock"))])
    folder, module, error = compile_erl(path, helpers, version)
    if error:
        return Result(name, failed=1, detail=indented("does not compile:\n" + error))
    expected, error = stock_cluster_answer(folder, module)
    if error:
        return Result(name, failed=1, detail=indented("fails among stock nodes:\n" + error))
    if pair is None:
        return Result(name, passed=1)
    status, out, err = ask_cluster(preset, folder, module, *pair)
    answers = [expected.splitlines()]
    while status == 0 and len(answers) <= ASKED_AGAIN and wrong_lines(answers, out.splitlines()):
        again, answer, _ = ask_cluster("release", folder, module, "stock", "stock")
        answers += [answer.splitlines()] if again == 0 else []
    return compare(name, answers, out, status, err.decode(errors="replace"), SECONDS[preset])
