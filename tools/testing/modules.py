"""Compiles the modules of the tests, and the native libraries beside them."""

import functools
import glob
import hashlib
import os
import re
import threading

import erl_compiler

from testing.presets import TOP
from testing.runs import ENVIRONMENT, run

STOCK = os.path.join(TOP, "build/stock")
# What the compilers of OTP 22 to 24 wrote, and what is written without optimisations: instructions that the compiler
# does not write otherwise.
VARIANTS = [["+r22"], ["+r24"], ["+no_copt", "+no_ssa_opt", "+no_type_opt", "+no_bsm_opt", "+no_recv_opt"]]
STOCK_INCLUDE, OUR_INCLUDE = "/usr/lib/erlang/usr/include", os.path.join(TOP, "include")
COMPILER = erl_compiler.Compiler(ENVIRONMENT)
COMPILING = {}  # (path, options), or the folder of modules: who compiles that


def compile_erl(path, helpers, version, options=()):
    with COMPILING.setdefault((path, *options), threading.Lock()):  # jobs of several seeds have the same module
        return compile_erl_alone(path, helpers, version, options)


def compile_erl_alone(path, helpers, version, options):
    """Compiles a test, and the modules in its folder's helpers/, into a folder named by their hash."""
    mine = [path] + [h for h in helpers if os.path.dirname(os.path.dirname(h)) == os.path.dirname(path)]
    included = [os.path.join(os.path.dirname(path), name)
                for name in re.findall(r'^-include\("(\w+\.erl)"\)', open(path).read(), re.M)]
    digest = hashlib.sha256(" ".join([version, *options]).encode())
    libraries = native_sources(path)
    for source in mine + included + libraries + headers():
        digest.update(os.path.basename(source).encode() + b"\0" + open(source, "rb").read())
    folder = os.path.join(STOCK, digest.hexdigest()[:24])
    module = os.path.basename(path)[:-4]
    if os.path.exists(os.path.join(folder, "compiled")):
        return folder, module, None
    os.makedirs(folder, exist_ok=True)
    error = COMPILER.compile(mine, folder, options, 120) or \
        compile_native([source for source in libraries if source.endswith(".c")], folder)
    if error:
        return folder, module, error
    open(os.path.join(folder, "compiled"), "w").close()
    return folder, module, None


@functools.cache
def headers():
    return sorted(glob.glob(os.path.join(TOP, "test/**/*.hrl"), recursive=True))


def native_sources(path):
    """The C sources of a test's native libraries, MODULE.c and MODULE_*.c beside it, and the headers there."""
    folder, module = os.path.split(path[:-4])
    sources = glob.glob(os.path.join(folder, f"{module}.c")) + glob.glob(os.path.join(folder, f"{module}_*.c"))
    return sorted(sources) + sorted(glob.glob(os.path.join(folder, "*.h"))) if sources else []


def compile_native(sources, folder):
    """Each library once with the stock header, into `folder`, and once with ours, into folder/ours."""
    for place, include in (folder, STOCK_INCLUDE), (os.path.join(folder, "ours"), OUR_INCLUDE):
        os.makedirs(place, exist_ok=True)
        for source in sources:
            library = os.path.join(place, os.path.basename(source)[:-2] + ".so")
            status, out, err = run(["gcc", "-shared", "-fPIC", "-O1", "-g", "-Wall", "-Werror", f"-I{include}", source,
                                    "-o", library, "-pthread"], 120)
            if status != 0:
                return (out + err).decode(errors="replace")
    return None
