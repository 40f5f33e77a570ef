#!/usr/bin/env python3
"""src/term/atoms.tab, the names in src/bif/*/*.tab -> am.h, the constants am_<name>, and am_table.c, their texts."""

import tables


def main(folder, paths):
    atoms = tables.Atoms(paths[0], paths[1:])
    header = [
        "/* Generated from term/atoms.tab: the atoms known at build time, each a constant Term. */",
        "#ifndef VIV_AM_H",
        "#define VIV_AM_H",
        "",
        "#include <stdint.h>",
        "",
        "/* The texts of atoms 0 .. am_text_count - 1, in index order, UTF-8. */",
        "typedef struct {",
        "    const char *bytes;",
        "    uint32_t byte_count;",
        "} AmText;",
        "extern const AmText am_text[];",
        "extern const uint32_t am_text_count;",
        "",
    ]
    for c_name, text in atoms.c_names.items():
        header.append(f"#define am_{c_name} ((uint64_t){atoms.index[text] << 6 | 7:#x})")
    header += ["", "#endif", ""]
    table = ['#include "am.h"', "", "const AmText am_text[] = {"]
    table += [f"    {{{tables.c_string(name)}, {len(name.encode())}}}," for name in atoms.names]
    table += ["};", f"const uint32_t am_text_count = {len(atoms.names)};", ""]
    tables.write(folder, "am.h", "\n".join(header))
    tables.write(folder, "am_table.c", "\n".join(table))


tables.run(main)
