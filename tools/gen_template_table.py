#!/usr/bin/env python3
"""The templates (gen_templates.py), compiled to assembly -> template_code.o, and template_table.c: for each template
its length, and where its holes are. The machine code itself is linked into the program as it is: what is no hole has
its right value there, but for distances, which count from where the code stands (src/jit/templates.h).

    gen_template_table.py ASSEMBLER FOLDER ASSEMBLY... TABLE...

Of each template that names registers there is a second one, a *short* one, where offsets of registers have one byte. No
assembler writes one byte for a symbol that stands nowhere; so a number stands there, and all is assembled twice, with
another number the second time: the bytes that differ are the holes.

A template that the emitter cannot take fails the build: one with a relocation of another kind, or with a jump table."""

import os
import re
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import gen_insns  # noqa: E402
import gen_templates  # noqa: E402
import tables  # noqa: E402

R_64, R_PC32, R_PLT32, R_32, R_32S, R_TPOFF32 = 1, 2, 4, 10, 11, 23
HOLES = {  # relocation, hole: kind
    (R_32S, "word"): "HOLE_32", (R_32, "word"): "HOLE_32", (R_PC32, "word"): "HOLE_DISTANCE",
    (R_32S, "small"): "HOLE_32", (R_32, "small"): "HOLE_32",
    (R_32S, "bytes"): "HOLE_BYTES_32", (R_32, "bytes"): "HOLE_BYTES_32",
    (R_32, "32"): "HOLE_32", (R_64, "64"): "HOLE_64", (R_32, "target"): "HOLE_TARGET",
    (R_PLT32, "label"): "HOLE_LABEL", (R_PC32, "label"): "HOLE_LABEL",
    (R_PLT32, "enter"): "HOLE_ENTER", (R_PC32, "enter"): "HOLE_ENTER",
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
    match = re.fullmatch(r"hole_?(word|small|bytes|32|64|target|label|enter)_(\d+)", symbol)
    if match:
        if (kind, match[1]) not in HOLES:
            raise Refused(f"{name}: relocation {kind} of {symbol}")
        return at, HOLES[kind, match[1]], int(match[2]), addend
    if (symbol == "hole_here" and kind in (R_32, R_32S)) or (symbol == "hole_return" and kind == R_64):
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


FIRST_NUMBER, SECOND_NUMBER = 0x10, 0x20  # in place of an offset; to the second the operand's number is added
OFFSET = re.compile(r"\bhole_word_(\d+)([+-]\d+)?(?=\(%r)|(?:(?<=\tcmpq\t\$)|(?<=\taddq\t\$)|(?<=\tsubq\t\$))"
                    r"hole_bytes_(\d+)([+-]\d+)?|\bhole_bytes_(\d+)([+-]\d+)?(?=\(%r)")


def shorten(name, lines):
    """A template's lines -> those of a short one with FIRST_NUMBER, with SECOND_NUMBER; [(operand, addend, kind)]."""
    kinds = name[name.rindex("_as_") + len("_as_"):]
    offsets = []

    def take(match):
        is_word = match[1] is not None
        n, addend = int(match[1] or match[3] or match[5]), int(match[2] or match[4] or match[6] or 0)
        if not -64 <= addend <= (7 if is_word else 32) or (is_word and kinds[n] not in "xyu"):
            return match[0]  # the sum would not fit, for what src/jit/templates.h says of offsets and words
        offsets.append((n, addend, kinds[n] if is_word and kinds[n] != "u" else "d" if is_word else "b"))
        return f"@{n}@"
    text = [OFFSET.sub(take, line) for line in lines]
    first = [re.sub("@.@", str(FIRST_NUMBER), line) for line in text]
    second = [re.sub("@(.)@", lambda match: str(SECOND_NUMBER + int(match[1])), line) for line in text]
    return first, second, offsets


OPPOSITE = {"e": "ne", "l": "ge", "g": "le", "b": "ae", "a": "be", "s": "ns", "o": "no", "p": "np"}
OPPOSITE |= {there: here for here, there in OPPOSITE.items()}
JUMP = re.compile(r"\t(j\w+)\t(\.?\w+)$")


def is_end(line):
    return re.match(r"\t(jmpq?|retq?|ud2)\b", line) is not None


def straighten(lines):
    """Who jumps to a jump goes where that leads; and what is likely falls through at the end, where the jump is left
    out if the next instruction follows (src/jit/emit.c)."""
    lines = [re.sub(r"\s*#.*", "", line) for line in lines if not re.match(r"(#|\s+#)", line)]
    lines = [line for line in lines if line.strip()]
    leads = {}
    for label, line in zip(lines, lines[1:]):
        jump = JUMP.match(line)
        if label.startswith(".L") and label.endswith(":") and jump and jump[1] == "jmp":
            leads[label[:-1]] = jump[2]
    out = []
    skip = False
    for i, line in enumerate(lines):
        jump = JUMP.match(line)
        if jump and jump[2] in leads:
            line = f"\t{jump[1]}\t{leads[jump[2]]}"
        if line.endswith(":") and line[:-1] in leads and out and is_end(out[-1]):
            skip = True  # nobody comes here
            continue
        if skip:
            skip = False
            continue
        one, other = JUMP.match(out[-1]) if out else None, JUMP.match(line)
        if one and other and one[2] == "hole_next" and one[1] != "jmp" and other[1] == "jmp":
            out[-1] = f"\tj{OPPOSITE[one[1][1:]]}\t{other[2]}"
            line = "\tjmp\thole_next"
        out.append(line)
    return out


def functions_of(lines):
    """[(name, lines)] of all functions; what stands between them has None for a name."""
    found, name, its = [], None, []
    for line in lines:
        if re.match(r"\t\.(addrsig|ident|file)", line):
            continue
        start = re.match(r"\t\.section\t\.text\.tp_(\w+),", line)
        if start or re.match(r"\t\.section\t", line):
            found.append((name, its))
            name, its = start and start[1], []
        elif name is not None and re.match(r"\t\.p2align\t", line) and len(its) > 3:
            continue  # of a loop
        its.append(line)
    return found + [(name, its)]


def assemble(assembler, path, lines):
    with open(path + ".s", "w") as file:
        file.write("\n".join(lines) + "\n")
    subprocess.run([assembler, "-c", "-o", path, path + ".s"], check=True)
    return Object(path)


def renamed(lines, name):
    """Of a short template: another name, and labels of its own. Constants and texts stand elsewhere, and are shared."""
    own = {line[:-1] for line in lines if line.startswith(".L") and line.endswith(":")}
    text = re.sub(r"\.L([\w.$]+)", lambda label: (".Lshort" if label[0] in own else ".L") + label[1], "\n".join(lines))
    return re.sub(rf"\btp_{name}\b", f"tp_{name}__short", text).split("\n")


def read_templates(assembler, folder, paths):
    """{name: (length, [hole], {operand: its kind in a short one})}"""
    first, second, offsets = [], [], {}
    for number, path in enumerate(paths):
        with open(path) as file:
            lines = file.read().replace(".L", f".L{number}_").split("\n")
        for name, its in functions_of(lines):
            its = its if name is None else straighten(its)
            first += its
            second += its
            if name is not None:
                one, other, found = shorten(name, its)
                if found:
                    first += renamed(one, name)
                    second += renamed(other, name)
                    offsets[f"tp_{name}__short"] = found
    file = assemble(assembler, os.path.join(folder, "template_code.o"), first)
    other = assemble(assembler, os.path.join(folder, "template_code_2.o"), second)
    return holes_of(file, other, offsets)


def short_holes(name, one, other, offsets):
    at = [i for i in range(len(one)) if one[i] != other[i]]
    if len(one) != len(other) or len(at) != len(offsets):
        raise Refused(f"{name}: not the same with other offsets")
    for i, (operand, *_) in zip(at, offsets):
        if one[i] != FIRST_NUMBER or other[i] != SECOND_NUMBER + operand:
            raise Refused(f"{name}: offset at {i}")
    return [(i, "HOLE_BYTES_8" if what == "b" else "HOLE_8", operand, addend)
            for i, (operand, addend, what) in zip(at, offsets)]


def holes_of(file, other, offsets):
    found = {}
    relocations = file.relocations()
    for name, kind, section, value, length in file.symbols:
        if kind == 2 and name.startswith("tp_"):
            if value != 0:
                raise Refused(f"{name} is not at the start of a section")
            holes = [hole(name, *row) for row in sorted(relocations.get(section, []))]
            holes = [row for row in holes if row is not None]
            if name in offsets:
                holes += short_holes(name, file.content(section), other.content(section), offsets[name])
            found[name] = length, sorted(holes), {row[0]: row[2] for row in offsets.get(name, [])}
    return found


def forms_of(paths):
    for path in paths:
        for insn in gen_insns.parse(path):
            for form in insn.forms:
                yield os.path.basename(path)[:-4], form


# What has longer templates has none: the interpreter's function does as well, for who does so much. What computes may
# have longer ones.
FEW_BYTES, MOST_BYTES = 168, 240


def row(templates, name, kinds, is_costly, holes, declared):
    if name not in templates:
        return "    {0},"
    length, its, what = templates[name]
    kinds = "".join(what.get(n, kind) for n, kind in enumerate(kinds))
    if length > (MOST_BYTES if is_costly else FEW_BYTES):
        return f'    {{.kinds = "{kinds}"}},'
    ends = len({hole[3] for hole in its if hole[1] == "HOLE_EXIT"})
    declared.append(name)
    holes += its
    return f'    {{{name}, "{kinds}", {length}, {len(its)}, {ends}, {len(holes) - len(its)}}},'


def main(assembler, folder, paths):
    texts, tabs = [p for p in paths if not p.endswith(".tab")], [p for p in paths if p.endswith(".tab")]
    templates = read_templates(assembler, folder, texts)
    holes, rows, short_rows, firsts, declared = [], [], [], [], []
    for family, form in forms_of(tabs):
        is_costly = family in ("arith", "bits", "floats", "maps")
        firsts.append(len(rows))
        for kinds in gen_templates.alternatives(form) if gen_templates.is_template(form) else []:
            name = "tp_" + gen_templates.template_name(form, kinds)
            rows.append(row(templates, name, "".join(kinds), is_costly, holes, declared))
            short_rows.append(row(templates, name + "__short", "".join(kinds), is_costly, holes, declared))
            if name not in templates:
                raise Refused(f"{name} is missing")
    firsts.append(len(rows))
    smalls = [gen_templates.asks_for_smalls(form) for _, form in forms_of(tabs)]
    source = '/* Generated from the templates\' assembly. */\n#include "jit/templates.h"\n\n'
    source += "".join(f"InsnHandler {name};\n" for name in declared)
    names = ["hole_here", "hole_return", "hole_next", *("hole_exit_" + name for name in exits)]
    kinds = ("_word", "_small", "_bytes", "32", "64", "_target", "_label", "_enter")
    names += [f"hole{kind}_{n}" for kind in kinds for n in range(10)]
    absent = "".join(f'    ".globl {name}\\n{name} = 0\\n"\n' for name in names)
    source += f"\n__asm__(\n{absent});\n"
    source += "".join(f"InsnHandler {name};\n" for name in exits)
    source += "\nInsnHandler *const template_exits[] = {" + ", ".join(exits) + "};\n"
    source += "\nconst TemplateHole template_holes[] = {\n"
    source += "".join(f"    {{{at}, {kind}, {operand}, {addend}}},\n" for at, kind, operand, addend in holes)
    source += "};\n\nconst Template templates[] = {\n" + "\n".join(rows) + "\n};\n"
    source += "\nconst Template short_templates[] = {\n" + "\n".join(short_rows) + "\n};\n"
    source += "\nconst bool form_asks_for_smalls[] = {" + ", ".join(str(int(it)) for it in smalls) + "};\n"
    source += "\nconst uint16_t templates_of_form[] = {" + ", ".join(map(str, firsts)) + "};\n"
    tables.write(folder, "template_table.c", source)


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2], sys.argv[3:])
    except (Refused, tables.TableError, KeyError, subprocess.CalledProcessError) as error:
        sys.exit(f"gen_template_table: {error}")
