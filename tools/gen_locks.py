#!/usr/bin/env python3
"""src/sys/locks.tab -> lock_order.h, enum LockName with the rank of each lock, and lock_order.c, their names."""

import re
import tables


def main(folder, paths):
    rows = {}
    for place, line in tables.lines(paths[0]):
        match = re.fullmatch(r'(\d+)\s+([A-Z][A-Z0-9_]*)\s+"([^"]*)"', line)
        if not match:
            raise tables.TableError(f'{place}: expected `rank NAME "what it guards"`: {line}')
        if match[2] in rows:
            raise tables.TableError(f"{place}: {match[2]} is there twice")
        rows[match[2]] = int(match[1])
    rows = dict(sorted(rows.items(), key=lambda row: (row[1], row[0])))
    header = "/* Generated from sys/locks.tab: a thread takes locks in rising rank only. */\n"
    header += "#ifndef VIV_LOCK_ORDER_H\n#define VIV_LOCK_ORDER_H\n\n#include <stdint.h>\n\ntypedef enum {\n"
    header += "".join(f"    LOCK_{name},\n" for name in rows) + "    LOCK_NAME_COUNT\n} LockName;\n\n"
    header += "typedef struct {\n    const char *name;\n    uint16_t rank;\n} LockInfo;\n"
    header += "extern const LockInfo lock_info[LOCK_NAME_COUNT];\n\n#endif\n"
    source = '#include "lock_order.h"\n\nconst LockInfo lock_info[LOCK_NAME_COUNT] = {\n'
    source += "".join(f'    [LOCK_{name}] = {{"{name.lower()}", {rank}}},\n' for name, rank in rows.items()) + "};\n"
    tables.write(folder, "lock_order.h", header)
    tables.write(folder, "lock_order.c", source)


tables.run(main)
