"""Runs one program of this folder among nodes of its own: nodes.py HERE OTHER FOLDER MODULE [SECONDS].

HERE and OTHER are `stock` or `viv` (VIV names the program). The node a@localhost of runtime HERE runs MODULE:main();
what it prints is printed. It starts the others itself (helpers/cluster.erl). All are reached at 127.0.0.1 by an epmd of
this run, and have a HOME of this run. When the program is over, or time is up, whatever has been started is killed:
this process is the parent of all that lose theirs."""

import contextlib
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LIBC = ctypes.CDLL(None)
SLEEPS_AT_ONCE = "+sbwt none +sbwtdcpu none +sbwtdio none"  # stock's threads without work leave the cores to others
# OTP 25 writes Latin-1 without a shell, later ones and viv Unicode.
MAIN = ("logger:set_primary_config(level, none), io:setopts([{{encoding, unicode}}]), "
        "try '{0}':main(), halt(0) catch C:R:S -> "
        "io:format(standard_error, \"~p:~p~n~p~n\", [C, R, S]), halt(1) end.")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def die_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def children():
    """Of any thread of this process, the adopted ones too."""
    found = []
    for task in os.listdir("/proc/self/task"):
        with contextlib.suppress(FileNotFoundError), \
                open(f"/proc/self/task/{task}/children", encoding="ascii") as file:  # the thread may have ended
            found += map(int, file.read().split())
    return found


def kill_all():
    while left := children():
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in left:
            with contextlib.suppress(ChildProcessError):  # a Popen has waited for it
                os.waitpid(pid, 0)


def commands():
    viv = os.environ.get("VIV") or os.path.join(TOP, "bin/viv")
    return {"stock": f"{shutil.which('erl')} {SLEEPS_AT_ONCE}", "viv": f"{viv} erl"}


def environment(here, other, folder, home):
    runtimes = commands()
    return {**os.environ, "HOME": home, "ERL_EPMD_PORT": str(free_port()), "LC_ALL": "C.UTF-8", "CLUSTER_CODE": folder,
            "CLUSTER_HERE": runtimes[here], "CLUSTER_OTHER": runtimes[other], "CLUSTER_STOCK": runtimes["stock"],
            "CLUSTER_VIV": runtimes["viv"], "ERL_CRASH_DUMP_SECONDS": "0", "CLUSTER_SOURCE": os.path.dirname(__file__)}


def start_epmd(env):
    epmd = subprocess.Popen(["epmd", "-address", "127.0.0.1"], env=env, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)
    end = time.monotonic() + 60
    with_port = ("127.0.0.1", int(env["ERL_EPMD_PORT"]))
    while time.monotonic() < end:
        with socket.socket() as client:
            if client.connect_ex(with_port) == 0:
                return epmd
        time.sleep(0.02)
    raise RuntimeError("epmd does not listen")


def node_command(runtime, name, folder):
    return [*commands()[runtime].split(" "), "-noshell", "-sname", f"{name}@localhost", "-setcookie", "among_ourselves",
            "-kernel", "inet_dist_use_interface", "{127,0,0,1}", "-kernel", "prevent_overlapping_partitions", "false",
            "-pa", folder]


def run_program(here, other, folder, module, seconds):
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)
    home = tempfile.mkdtemp(prefix="cluster.")
    try:
        env = environment(here, other, folder, home)
        start_epmd(env)
        node = subprocess.Popen([*node_command(here, "a", folder), "-eval", MAIN.format(module)], cwd=home, env=env,
                                stdin=subprocess.DEVNULL, preexec_fn=die_with_parent)
        try:
            return node.wait(seconds)
        except subprocess.TimeoutExpired:
            print(f"not done after {seconds} s", file=sys.stderr)
            return 124
    finally:
        kill_all()
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(run_program(*sys.argv[1:5], int((sys.argv[5:] or ["300"])[0])))
