#!/usr/bin/env python3
"""src/bif/*/*.tab -> bif_table.h, the prototypes of all built-in functions, and bif_table.c, the table of BifEntry."""

import tables


def entered(bif):
    """The C function that the engine calls: one that may wait passes through what gives back what it leaves."""
    return f"waiting_{bif.function}" if "waits" in bif.flags else bif.function


def waiting(rows):
    """Those functions, once each."""
    names = dict.fromkeys(bif.function for bif in rows if "waits" in bif.flags)
    return "".join(f"static Term waiting_{name}(struct Process *p, const Term *a) "
                   f"{{ return waiting_bif_left(p, {name}(p, a)); }}\n" for name in names)


def main(folder, paths):
    atoms = tables.Atoms(paths[0], paths[1:])
    rows = {}
    for path in paths[1:]:
        for bif in tables.bifs(path):
            if bif.mfa() in rows:
                raise tables.TableError(f"{bif.place}: {bif.mfa()} is also at {rows[bif.mfa()].place}")
            rows[bif.mfa()] = bif
    functions = dict.fromkeys(bif.function for bif in rows.values())
    header = "/* Generated from the tables of src/bif. */\n#ifndef VIV_BIF_TABLE_H\n#define VIV_BIF_TABLE_H\n\n"
    header += '#include "process/bif.h"\n\n'
    header += "".join(f"BifFunction {name};\n" for name in functions) + "\n#endif\n"
    source = '#include "bif_table.h"\n#include "process/waiting_bif.h"\n\n' + waiting(rows.values())
    source += "\nconst BifEntry bif_table[] = {\n"
    for bif in rows.values():
        flags = " | ".join(f"BIF_{flag.upper()}" for flag in bif.flags) or "0"
        name = f"{atoms.term(bif.module)}, {atoms.term(bif.name)}, {bif.arity}, {bif.since}"
        source += f'    {{{name}, {flags}, {entered(bif)}, "{bif.function}"}},\n'
    source += f"}};\nconst size_t bif_count = {len(rows)};\n"
    tables.write(folder, "bif_table.h", header)
    tables.write(folder, "bif_table.c", source)


tables.run(main)
