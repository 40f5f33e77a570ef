"""The stock runtime: what it answers, which is kept."""

import glob
import hashlib
import os
import subprocess
import threading

from erl_server import SLEEPS_AT_ONCE

from testing import answers, modules, together
from testing.runs import run

STOCK_ERL = ["erl", *SLEEPS_AT_ONCE, "-noshell"]
STOCK_PARTS = ("erts-*/bin/beam.smp", "lib/erts-*/ebin/*", "lib/kernel-*/ebin/*", "lib/stdlib-*/ebin/*",
               "lib/compiler-*/ebin/*", "lib/runtime_tools-*/ebin/*")


def otp_version():
    """By release, number and contents: a patched one, or another Debian's, may answer otherwise."""
    out = subprocess.run([*STOCK_ERL, "-eval", 'io:format("~s-~s~n~s", [erlang:system_info(otp_release), '
                          'erlang:system_info(version), code:root_dir()]).', "-s", "init", "stop"],
                         stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    version, root = out.stdout.splitlines()[-2:]
    return f"{version}-{contents_hash(root)}"


def contents_hash(root):
    """Of the names and contents of a stock runtime's main parts."""
    parts = hashlib.sha256()
    paths = sorted(path for part in STOCK_PARTS for path in glob.glob(os.path.join(root, part)))
    if not paths:
        raise FileNotFoundError(f"{root}: no stock runtime")
    for path in paths:
        with open(path, "rb") as file:
            parts.update(os.path.relpath(path, root).encode() + b"\0" + hashlib.sha256(file.read()).digest())
    return parts.hexdigest()[:8]


def use_release(folder):
    """The `erl` and the `erlc` of `folder` are the stock runtime's from now on, and its libraries viv's."""
    answers.KEYS_IN_ANY_ORDER = True  # from OTP 26 on it depends on what has been loaded, and on which runtime
    os.environ["PATH"] = os.path.join(folder, "bin") + ":" + os.environ["PATH"]
    os.environ["VIV_OTP_ROOT"] = os.path.join(folder, "root/usr/lib/erlang")
    modules.STOCK_INCLUDE = os.path.join(os.environ["VIV_OTP_ROOT"], "usr/include")
    modules.VARIANTS.remove(["+r22"])  # compilers of OTP 27 on have no such option


# OTP 25 writes Latin-1 without a shell, later ones and viv Unicode. It halts, as init:stop/0 waits for a second.
STOCK_MAIN = ("io:setopts([{{encoding, unicode}}]), try '{0}':main() catch C:R:S -> "
              "io:format(standard_error, \"~p:~p~n~p~n\", [C, R, S]), halt(1) end, halt()")
STOCK_TRIES = 12  # with some native libraries of Debian it crashes in one run of four
ASKED_AGAIN = 6  # how often, where a race of the stock runtime may have decided


def shares(source, folder, module):
    """Whether it is worth to ask a runtime that runs others, too: not where the program's own answer is there."""
    return not os.path.exists(os.path.join(folder, f"answer.{module}")) and together.may_share(source)


def shared_answer(folder, module):
    """What it says in a runtime that has run others, or None."""
    kept = os.path.join(folder, f"answer.{module}.shared")
    if not os.path.exists(kept):
        new = f"{kept}.{threading.get_ident()}"
        if not together.answer(folder, module, new):
            return None
        os.replace(new, kept)
    return open(kept, "rb").read()


def answer_file(folder, module, env=None):
    """Where the answer is kept."""
    kept = os.path.join(folder, ".".join(["answer", module] + sorted(v for v in (env or {}).values() if "/" not in v)))
    return kept + ".ours" if (env or {}).get("NIF_LIBRARIES", "").endswith("/ours") else kept


def stock_answer(folder, module, env=None):
    kept = answer_file(folder, module, env)
    if os.path.exists(kept):
        return open(kept, "rb").read(), None
    out, error = ask_stock(folder, module, env)
    if error is None:
        written = f"{kept}.{threading.get_ident()}"  # others may ask the same
        with open(written, "wb") as new:
            new.write(out)
        os.replace(written, kept)
    return out, error


def ask_stock(folder, module, env=None):
    command = [*STOCK_ERL, "-pa", folder, "-eval", STOCK_MAIN.format(module) + "."]
    for _ in range(STOCK_TRIES):
        status, out, err = run(command, 300, env)
        if status is None or status >= 0:  # else the stock runtime crashed, which says nothing of the test
            break
    return out, (err.decode(errors="replace") or f"status {status}") if status != 0 else None


def all_answers(expected, got, folder, module, env=None):
    """The stock runtime's answers, until each line of `got` stands in one of them or it has been asked often enough."""
    right = [expected.splitlines()]
    have = got.splitlines()
    while len(right) <= ASKED_AGAIN and answers.wrong_lines(right, have):
        answer, error = ask_stock(folder, module, env)
        if error:
            break
        right.append(answer.splitlines())
    return right
