#!/usr/bin/env python3
"""include/erl_nif_api_funcs.h -> nif_exports.list: what the program exports to native libraries, and nothing else, in
the format of the linker's --dynamic-list."""

import re
import tables

# Of the drivers' interface, but used by native libraries.
OTHERS = ["erl_errno_id"]


def main(folder, paths):
    with open(paths[0], encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    names = re.findall(r"^F_\([^,]*, (enif_\w+),", text, re.M)
    if not names or len(names) != len(set(names)) or len(names) != len(re.findall(r"^F_\(", text, re.M)):
        raise tables.TableError(f"{paths[0]}: a function without a name, or one twice")
    lines = "".join(f"    {name};\n" for name in sorted(names + OTHERS))
    tables.write(folder, "nif_exports.list", "{\n" + lines + "};\n")


tables.run(main)
