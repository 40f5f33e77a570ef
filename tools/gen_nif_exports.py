#!/usr/bin/env python3
"""include/erl_nif_api_funcs.h, include/erl_driver.h -> nif_exports.list: what the program exports to native libraries
and drivers, and nothing else, in the format of the linker's --dynamic-list."""

import re
import tables


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)


def drivers_names(text):
    """Prototypes stand at the beginning of a line, as the one variable does; macros do not."""
    functions = re.findall(r"^(?!typedef)\w[\w *]*?\b(\w+)\((?:[^();]|\([^()]*\))*\)[ \w]*;", text, re.M)
    return functions + re.findall(r"^extern const \w+ (\w+);", text, re.M)


def main(folder, paths):
    text = text_of(paths[0])
    names = re.findall(r"^F_\([^,]*, (enif_\w+),", text, re.M)
    if not names or len(names) != len(set(names)) or len(names) != len(re.findall(r"^F_\(", text, re.M)):
        raise tables.TableError(f"{paths[0]}: a function without a name, or one twice")
    lines = "".join(f"    {name};\n" for name in sorted(names + drivers_names(text_of(paths[1]))))
    tables.write(folder, "nif_exports.list", "{\n" + lines + "};\n")


tables.run(main)
