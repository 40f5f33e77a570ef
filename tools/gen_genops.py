#!/usr/bin/env python3
"""src/loader/genops.tab -> genops.h, enum GenOp (GENOP_<NAME>), and genops.c, names, arities and what is obsolete."""

import re
import tables


def main(folder, paths):
    rows = []
    for place, line in tables.lines(paths[0]):
        match = re.fullmatch(r"(\d+)\s+(\w+)/(\d+)(\s+obsolete)?(?:\s+since\s+(\d+))?", line)
        if not match:
            raise tables.TableError(f"{place}: expected `number name/arity [obsolete] [since N]`: {line}")
        if int(match[1]) != len(rows) + 1:
            raise tables.TableError(f"{place}: expected number {len(rows) + 1}")
        rows.append((match[2], int(match[3]), bool(match[4]), int(match[5] or 25)))
    header = "/* Generated from loader/genops.tab. */\n#ifndef VIV_GENOPS_H\n#define VIV_GENOPS_H\n\n"
    header += "#include <stdbool.h>\n#include <stdint.h>\n\ntypedef enum {\n"
    header += "".join(f"    GENOP_{name.upper()} = {number},\n" for number, (name, _, _, _) in enumerate(rows, 1))
    header += f"    GENOP_LAST = {len(rows)}\n}} GenOp;\n\n"
    header += "typedef struct {\n    const char *name;\n    uint8_t arity;\n"
    header += "    bool obsolete;\n    uint8_t since;\n} GenOpInfo;\n"
    header += "extern const GenOpInfo genop_info[GENOP_LAST + 1]; /* by number; 0 is none */\n\n#endif\n"
    source = '#include "genops.h"\n\nconst GenOpInfo genop_info[GENOP_LAST + 1] = {\n'
    for number, (name, arity, obsolete, since) in enumerate(rows, 1):
        source += f'    [{number}] = {{"{name}", {arity}, {str(obsolete).lower()}, {since}}},\n'
    tables.write(folder, "genops.h", header)
    tables.write(folder, "genops.c", source + "};\n")


tables.run(main)
