#!/usr/bin/env python3
"""Object files of the templates (gen_templates.py, compiled) -> template_table.c: for each template its length, and
where its holes are. The machine code itself is linked into the program as it is: what is no hole has its right value
there, but for distances, which count from where the code stands (src/jit/templates.h).

    gen_template_table.py FOLDER OBJECT... TABLE...

A template that the emitter cannot take fails the build: one with a relocation of another kind, or with a jump table."""

import os
import re
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import gen_insns  # noqa: E402
import gen_templates  # noqa: E402
import tables  # noqa: E402

R_64, R_PC32, R_PLT32, R_32, R_32S, R_TPOFF32 = 1, 2, 4, 10, 11, 23
HOLES = {  # relocation, hole: kind
    (R_32S, "word"): "HOLE_32", (R_32, "word"): "HOLE_32", (R_PC32, "word"): "HOLE_DISTANCE",
    (R_32, "32"): "HOLE_32", (R_64, "64"): "HOLE_64", (R_64, "target"): "HOLE_TARGET",
    (R_PLT32, "label"): "HOLE_LABEL", (R_PC32, "label"): "HOLE_LABEL",
}


class Object:
    """An ELF file: sections by number, symbols."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        at, = struct.unpack_from("<Q", self.bytes, 0x28)
        size, count, _ = struct.unpack_from("<HHH", self.bytes, 0x3A)
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.bytes, at + i * size) for i in range(count)]
        self.symbols = []
        for section in self.sections:
            if section[1] == 2:  # SHT_SYMTAB
                strings = self.content(section[6])
                for i in range(section[5] // 24):
                    name, info, _, index, value, length = struct.unpack_from("<IBBHQQ", self.bytes, section[4] + 24 * i)
                    self.symbols.append((text_at(strings, name), info & 15, index, value, length))

    def content(self, number):
        section = self.sections[number]
        return self.bytes[section[4]:section[4] + section[5]]

    def relocations(self):
        """{number of a section: [(offset, type, symbol, addend)]}"""
        found = {}
        for section in self.sections:
            if section[1] == 4:  # SHT_RELA
                rows = [struct.unpack_from("<QQq", self.bytes, section[4] + 24 * i) for i in range(section[5] // 24)]
                found[section[7]] = [(at, info & 0xFFFFFFFF, self.symbols[info >> 32][0], addend)
                                     for at, info, addend in rows]
        return found


def text_at(strings, at):
    return strings[at:strings.index(b"\0", at)].decode()


class Refused(Exception):
    pass


exits = {}  # shared ends that templates go to: their numbers


def hole(name, at, kind, symbol, addend):
    """(offset, kind, operand, addend), or None: the linker has said all."""
    match = re.fullmatch(r"hole_?(word|32|64|target|label)_(\d+)", symbol)
    if match:
        if (kind, match[1]) not in HOLES:
            raise Refused(f"{name}: relocation {kind} of {symbol}")
        return at, HOLES[kind, match[1]], int(match[2]), addend
    if symbol in ("hole_here", "hole_return") and kind == R_64:
        return at, symbol.upper(), 0, addend
    if symbol.startswith("hole_exit_") and kind in (R_PLT32, R_PC32) and addend == -4:
        return at, "HOLE_EXIT", 0, exits.setdefault(symbol[len("hole_exit_"):], len(exits))
    if symbol == "hole_next" and kind in (R_PLT32, R_PC32):
        return at, "HOLE_NEXT", 0, addend
    if symbol.startswith("hole"):
        raise Refused(f"{name}: relocation {kind} of {symbol}")
    if kind in (R_PLT32, R_PC32):
        return at, "HOLE_ELSEWHERE", 0, 0
    if kind in (R_32, R_32S, R_64, R_TPOFF32):
        return None
    raise Refused(f"{name}: relocation {kind} of {symbol}")


def read_templates(paths):
    """{name: (length, [hole])}"""
    found = {}
    for path in paths:
        file = Object(path)
        relocations = file.relocations()
        for name, kind, section, value, length in file.symbols:
            if kind == 2 and name.startswith("tp_"):
                if value != 0:
                    raise Refused(f"{name} is not at the start of a section")
                holes = [hole(name, *row) for row in sorted(relocations.get(section, []))]
                found[name] = length, [row for row in holes if row is not None]
    return found


def forms_of(paths):
    for path in paths:
        for insn in gen_insns.parse(path):
            yield from insn.forms


def main(folder, paths):
    objects, tabs = [p for p in paths if p.endswith(".o")], [p for p in paths if p.endswith(".tab")]
    templates = read_templates(objects)
    holes, rows, firsts, declared = [], [], [], []
    for form in forms_of(tabs):
        firsts.append(len(rows))
        for kinds in gen_templates.alternatives(form) if gen_templates.is_template(form) else []:
            name = "tp_" + gen_templates.template_name(form, kinds)
            length, its = templates[name]
            declared.append(name)
            ends = len({row[3] for row in its if row[1] == "HOLE_EXIT"})
            rows.append(f'    {{{name}, "{"".join(kinds)}", {length}, {len(its)}, {ends}, {len(holes)}}},')
            holes += its
    firsts.append(len(rows))
    source = '/* Generated from the templates\' object files. */\n#include "jit/templates.h"\n\n'
    source += "".join(f"InsnHandler {name};\n" for name in declared)
    names = ["hole_here", "hole_return", "hole_next", *("hole_exit_" + name for name in exits)]
    names += [f"hole{kind}_{n}" for kind in ("_word", "32", "64", "_target", "_label") for n in range(10)]
    absent = "".join(f'    ".globl {name}\\n{name} = 0\\n"\n' for name in names)
    source += f"\n__asm__(\n{absent});\n"
    source += "".join(f"InsnHandler {name};\n" for name in exits)
    source += "\nInsnHandler *const template_exits[] = {" + ", ".join(exits) + "};\n"
    source += "\nconst TemplateHole template_holes[] = {\n"
    source += "".join(f"    {{{at}, {kind}, {operand}, {addend}}},\n" for at, kind, operand, addend in holes)
    source += "};\n\nconst Template templates[] = {\n" + "\n".join(rows) + "\n};\n"
    source += "\nconst uint16_t templates_of_form[] = {" + ", ".join(map(str, firsts)) + "};\n"
    tables.write(folder, "template_table.c", source)


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2:])
    except (Refused, tables.TableError, KeyError) as error:
        sys.exit(f"gen_template_table: {error}")
