#!/usr/bin/env python3
"""src/alloc/types.tab -> alloc_types.h, enum AllocType, and alloc_types.c, the table alloc_type_info."""

import re
import tables

CLASSES = ("processes", "system", "atom", "binary", "code", "ets")


def main(folder, paths):
    rows = {}
    for place, line in tables.lines(paths[0]):
        match = re.fullmatch(r'([A-Z][A-Z0-9_]*)\s+(\w+)\s+"([^"]*)"', line)
        if not match or match[2] not in CLASSES:
            raise tables.TableError(f'{place}: expected `NAME class "description"`: {line}')
        if match[1] in rows:
            raise tables.TableError(f"{place}: {match[1]} is there twice")
        rows[match[1]] = match.groups()
    header = "/* Generated from alloc/types.tab. */\n#ifndef VIV_ALLOC_TYPES_H\n#define VIV_ALLOC_TYPES_H\n\n"
    header += "typedef enum {\n"
    header += "".join(f"    ALLOC_{name},\n" for name in rows) + "    ALLOC_TYPE_COUNT\n} AllocType;\n\n#endif\n"
    source = '#include "alloc/alloc.h"\n\nconst AllocTypeInfo alloc_type_info[ALLOC_TYPE_COUNT] = {\n'
    for name, klass, text in rows.values():
        fields = f'"{name.lower()}", CLASS_{klass.upper()}, {tables.c_string(text)}'
        source += f"    [ALLOC_{name}] = {{{fields}}},\n"
    tables.write(folder, "alloc_types.h", header)
    tables.write(folder, "alloc_types.c", source + "};\n")


tables.run(main)
