#!/usr/bin/env python3
"""lib/*.erl and lib/*/*.erl -> lib_beams.h and lib_beams.c: the runtime's own modules, compiled by stock, as arrays of
bytes. Those of lib/ itself are loaded at the start, the others when they are first called."""

import os
import subprocess
import tables


def compile_all(folder, sources):
    beams = os.path.join(folder, "lib_beams")
    os.makedirs(beams, exist_ok=True)
    command = ["erlc", "+deterministic", "+no_docs", "-Werror", "-o", beams, *sources]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode != 0:
        raise tables.TableError(made.stdout + made.stderr)
    return beams


def main(folder, paths):
    sources = sorted(path for path in paths if path.endswith(".erl"))
    beams = compile_all(folder, sources)
    header = "/* Generated: the modules in lib. */\n#ifndef VIV_LIB_BEAMS_H\n#define VIV_LIB_BEAMS_H\n\n"
    header += "#include <stdbool.h>\n#include <stdint.h>\n\n"
    header += "typedef struct {\n    const char *name;\n    const uint8_t *bytes;\n    uint32_t size;\n"
    header += "    bool at_start;\n} LibBeam;\n"
    header += "extern const LibBeam lib_beams[];\nextern const uint32_t lib_beam_count;\n\n#endif\n"
    text = '#include "lib_beams.h"\n\n'
    rows = ""
    for source in sources:
        name = os.path.basename(source)[:-4]
        with open(os.path.join(beams, name + ".beam"), "rb") as beam:
            data = beam.read()
        text += f"static const uint8_t beam_{name}[] = {{\n"
        for start in range(0, len(data), 24):
            text += "    " + ", ".join(str(byte) for byte in data[start:start + 24]) + ",\n"
        text += "};\n"
        at_start = "true" if os.path.basename(os.path.dirname(source)) == "lib" else "false"
        rows += f'    {{"{name}", beam_{name}, {len(data)}, {at_start}}},\n'
    text += f"\nconst LibBeam lib_beams[] = {{\n{rows}}};\nconst uint32_t lib_beam_count = {len(sources)};\n"
    tables.write(folder, "lib_beams.h", header)
    tables.write(folder, "lib_beams.c", text)


tables.run(main)
