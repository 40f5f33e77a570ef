#!/usr/bin/env python3
"""lib/*.erl and lib/*/*.erl -> lib_beams.h and lib_beams.c: the runtime's own modules, compiled by stock, as arrays of
bytes. Those of lib/ itself are loaded at the start, the others when they are first called; a node loads all at the
start but those of lib/see, which nobody there calls until somebody looks at it from outside, of lib/dis, a command, and
error_handler, which is kernel's there: the boot script loads it.
lib/*/*.html and lib/see/completion/* are files that the program has with it as well, named by folder and file; a line
`@include PATH` in them is replaced by that file."""

import os
import re
import subprocess
import tables

HEADER = """/* Generated: the modules and the files in lib. */
#ifndef VIV_LIB_BEAMS_H
#define VIV_LIB_BEAMS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *name;
    const uint8_t *bytes;
    uint32_t size;
    bool at_start, at_node_start;
} LibBeam;
extern const LibBeam lib_beams[];
extern const uint32_t lib_beam_count;

typedef struct {
    const char *name;
    const uint8_t *bytes;
    uint32_t size;
} LibFile;
extern const LibFile lib_files[];
extern const uint32_t lib_file_count;

#endif
"""


def compile_all(folder, sources):
    beams = os.path.join(folder, "lib_beams")
    os.makedirs(beams, exist_ok=True)
    command = ["erlc", "+deterministic", "+no_docs", "-Werror", "-o", beams, *sources]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode != 0:
        raise tables.TableError(made.stdout + made.stderr)
    return beams


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def glued(path):
    """The file with those that it includes."""
    folder = os.path.dirname(path)
    return re.sub(rb"^@include (\S+)\n", lambda match: contents(os.path.join(folder, match[1].decode())),
                  contents(path), flags=re.M)


def array(name, data):
    rows = "".join("    " + ", ".join(map(str, data[start:start + 24])) + ",\n" for start in range(0, len(data), 24))
    return f"static const uint8_t {name}[] = {{\n{rows}}};\n"


def modules(beams, sources):
    """(text, rows) of the modules."""
    text, rows = "", ""
    for source in sources:
        name = os.path.basename(source)[:-4]
        data = contents(os.path.join(beams, name + ".beam"))
        folder = os.path.basename(os.path.dirname(source))
        at_node_start = folder not in ("see", "dis") and name != "error_handler"
        starts = ", ".join(str(at).lower() for at in (folder == "lib", at_node_start))
        text += array(f"beam_{name}", data)
        rows += f'    {{"{name}", beam_{name}, {len(data)}, {starts}}},\n'
    return text, rows


def files(paths):
    """(text, rows) of the files."""
    text, rows = "", ""
    for number, path in enumerate(paths):
        name = "/".join(path.split(os.sep)[-2:])
        data = glued(path)
        text += array(f"file_{number}", data)
        rows += f'    {{"{name}", file_{number}, {len(data)}}},\n'
    return text, rows


def main(folder, paths):
    sources = sorted(path for path in paths if path.endswith(".erl"))
    pages = sorted(path for path in paths if path.endswith((".html", ".bash", ".zsh")))
    beam_text, beam_rows = modules(compile_all(folder, sources), sources)
    file_text, file_rows = files(pages)
    text = f'#include "lib_beams.h"\n\n{beam_text}{file_text}\n'
    text += f"const LibBeam lib_beams[] = {{\n{beam_rows}}};\nconst uint32_t lib_beam_count = {len(sources)};\n"
    text += f"const LibFile lib_files[] = {{\n{file_rows}}};\nconst uint32_t lib_file_count = {len(pages)};\n"
    tables.write(folder, "lib_beams.h", HEADER)
    tables.write(folder, "lib_beams.c", text)


tables.run(main)
