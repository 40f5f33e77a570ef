"""The parts of suites that are written in C: libraries and drivers, and programs that ports start.

A suite has them in SUITE_data, with a Makefile.src in which OTP's own make fills in what stands between @ signs. It is
filled in here for gcc and the installed OTP, and made in place. What does not build is told, and left out: its cases
fail on both runtimes."""

import glob
import os
import re
import subprocess

FLAGS = ("-g -O2 -fPIC -fno-common -fno-strict-aliasing -w -include unistd.h -DHAVE_STRERROR=1 -DHAVE_VSNPRINTF=1 "
         "-DHAVE_USLEEP=1 -DHAVE_ISFINITE=1 -DHAVE_POLL_H=1")
LIBRARY_RULES = """.SUFFIXES:
.SUFFIXES: .so .o .c
.c.so:
\tgcc -c {flags} $(SHLIB_EXTRA_CFLAGS) -I{include} $<
\tgcc -shared $(SHLIB_EXTRA_LDFLAGS) -o $@ $*.o $(SHLIB_EXTRA_LDLIBS)
"""
THREADS = "THR_DEFS = -D_THREAD_SAFE -D_REENTRANT -DPOSIX_THREADS\nEI_REENTRANT = yes\nEI_THREADS = true\nTHR_LIBS =\n"


def otp_root():
    code = "io:put_chars(code:root_dir()), halt()."
    return subprocess.run(["erl", "-noshell", "-eval", code], capture_output=True, text=True, check=True).stdout


def values(folder):
    """What stands for each name between @ signs; nothing for the others."""
    root = otp_root()
    include, runtime = os.path.join(root, "usr", "include"), glob.glob(os.path.join(root, "erts-*"))[0]
    interface = (glob.glob(os.path.join(root, "lib", "erl_interface-*")) + [""])[0]
    settings = os.path.join(folder, "eidefs.mk")
    with open(settings, "w", encoding="utf-8") as out:
        out.write(THREADS)
    internal = os.path.join(runtime, "include", "internal")
    return {"SHLIB_RULES": LIBRARY_RULES.format(flags=FLAGS, include=include), "CC": "gcc", "LD": "gcc",
            "CFLAGS": FLAGS, "EI_CFLAGS": FLAGS, "SHLIB_CFLAGS": FLAGS, "SHLIB_LD": "gcc", "SHLIB_LDFLAGS": "-shared",
            "LIBS": "-lm -lpthread -ldl", "ERTS_LIBS": "-lpthread", "erl_include": include, "dll": ".so", "obj": ".o",
            "IFEQ": "ifeq", "ELSE": "else", "ENDIF": "endif", "EMULATOR": "beam",
            "erl_name": "erl", "erl_interface_include": os.path.join(interface, "include"),
            "erl_interface_eilib": os.path.join(interface, "lib", "libei.a"), "erl_interface_mk_include": settings,
            "erl_interface_threadlib": "-lpthread", "erts_lib_include_internal": internal,
            "erts_lib_include_internal_generated": internal,
            "erts_lib_make_ethread": os.path.join(internal, "ethread.mk"),
            "erts_lib_make_internal": os.path.join(internal, "erts_internal.mk")}


def build(folder, suites):
    """All that the suites in the folder `suites` have."""
    names = values(folder)
    for source in sorted(glob.glob(os.path.join(suites, "*_data", "Makefile.src"))):
        place = os.path.dirname(source)
        with open(source, encoding="utf-8") as file:
            text = re.sub(r"@(\w+)@", lambda name: names.get(name[1], ""), file.read())
        with open(os.path.join(place, "Makefile"), "w", encoding="utf-8") as out:
            out.write(text)
        made = subprocess.run(["make", "-k"], cwd=place, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if made.returncode != 0:
            why = [line for line in made.stderr.splitlines() if "rror" in line or "No such" in line]
            name = os.path.join(os.path.basename(suites), os.path.basename(place))
            print(f"{name} does not build whole: {(why + [''])[0][:150]}", flush=True)
