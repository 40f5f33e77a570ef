#!/usr/bin/env python3
"""src/emu/*.tab -> the interpreter: insns.h (enum Insn, forms), insns.c (tables), and one insn_<family>.c per table.

A table is a sequence of instructions:

    insn name kind kind ...
    "What it does, in a sentence."
    form kinds kinds ...        (any number; `xy` in a place stands for either kind: `form xyi xy` is six forms)
    {
        C body
    }
    slow {                      (optional: a second function, reached by SLOW, out of the hot path)
        C body
    }

Kinds of operands: x, y registers; S either (a source); d either (a destination); s register or constant; i constant
that fits 32 bits and is no pointer or float; c any constant; f label; j label or none; u 16-bit and U 32-bit numbers;
w a 64-bit word; l float register. In a body: IN(n) the value of an operand, OUT(n) its place, ARG(n) a number,
FAIL(n) jumps to the label, FAIL_OR(n, S) does S where there is none, HAS_LABEL(n), TARGET(n) the label's address,
KIND(n) the form's kind as a character, LIST the words that follow the fixed part. The rest (NEXT, NEXT_AFTER, SLOW,
RAISE, ...) are macros of emu/interp.h.
"""

import glob
import itertools
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import tables  # noqa: E402

SIZE = {"x": 2, "y": 2, "S": 2, "d": 2, "l": 2, "u": 2, "i": 4, "f": 4, "j": 4, "U": 4, "c": 8, "s": 8, "w": 8}


def families():
    return sorted(os.path.basename(p)[:-4] for p in glob.glob(os.path.join(HERE, "../src/emu/*.tab")))


class Form:
    def __init__(self, insn, kinds):
        self.insn = insn
        self.kinds = kinds
        self.name = insn.name + ("__" + "".join(kinds) if kinds else "")
        self.offsets, self.words = pack(kinds)


class Insn:
    def __init__(self, place, name, kinds):
        self.place, self.name, self.kinds = place, name, kinds
        self.sentence, self.body, self.slow = "", None, None
        self.forms = []
        for kind in kinds:
            if kind not in SIZE:
                raise tables.TableError(f"{place}: unknown kind {kind}")

    def add_forms(self, place, places):
        if len(places) != len(self.kinds):
            raise tables.TableError(f"{place}: {self.name} has {len(self.kinds)} operands")
        for kinds in itertools.product(*places):
            if list(kinds) not in [form.kinds for form in self.forms]:
                self.forms.append(Form(self, list(kinds)))


def pack(kinds):
    """Byte offset of each operand, in the first free place of its size after the 32-bit handler; length in words."""
    used, offsets = set(range(4)), []
    for kind in kinds:
        size, at = SIZE[kind], 0
        while used & set(range(at, at + size)):
            at += size
        used |= set(range(at, at + size))
        offsets.append(at)
    return offsets, max(used) // 8 + 1


def parse(path):
    insns, insn, block = [], None, None
    with open(path, encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            place, text = f"{path}:{number}", line.rstrip("\n")
            if block is not None:
                if text == "}":
                    block = None
                else:
                    block.append((number, text))
            elif not text.strip() or text.startswith("#"):
                continue
            elif text.startswith("insn "):
                words = text.split()
                insn = Insn(place, words[1], words[2:])
                insns.append(insn)
            elif text.startswith('"'):
                insn.sentence += text.strip('"')
            elif text.startswith("form "):
                insn.add_forms(place, text.split()[1:])
            elif text == "{":
                block = insn.body = []
            elif text == "slow {":
                block = insn.slow = []
            else:
                raise tables.TableError(f"{place}: unexpected: {text}")
    for insn in insns:
        insn.add_forms(insn.place, insn.kinds)
        if insn.body is None or not insn.sentence:
            raise tables.TableError(f"{insn.place}: {insn.name} needs a sentence and a body")
    return insns


def at(ctype, offset):
    return f"(*(const {ctype} *)((const char *)I + {offset}))"


def value(form, n):
    kind, offset = form.kinds[n], form.offsets[n]
    return {
        "x": lambda: f"(*(Term *)((char *)x + {at('uint16_t', offset)}))",
        "y": lambda: f"(*(Term *)((char *)E + {at('uint16_t', offset)}))",
        "S": lambda: f"(*register_place(x, E, {at('uint16_t', offset)}))",
        "d": lambda: f"(*register_place(x, E, {at('uint16_t', offset)}))",
        "s": lambda: f"source_value(x, E, {at('Word', offset)})",
        "i": lambda: f"((Term)(SWord){at('int32_t', offset)})",
        "c": lambda: at("Term", offset),
        "u": lambda: at("uint16_t", offset),
        "U": lambda: at("uint32_t", offset),
        "w": lambda: at("Word", offset),
        "f": lambda: at("int32_t", offset),
        "j": lambda: at("int32_t", offset),
        "l": lambda: f"(*(double *)((char *)x + FLOAT_REGISTERS_OFFSET + {at('uint16_t', offset)}))",
    }[kind]()


def expand(form, text):
    def one(match):
        word, n = match[1], int(match[2])
        if n >= len(form.kinds):
            raise tables.TableError(f"{form.insn.place}: no operand {n}")
        if word in ("IN", "OUT", "ARG"):
            return value(form, n)
        if word == "FAIL":
            return f"JUMP_BY({value(form, n)})"
        if word == "TARGET":
            return f"((const Word *)((const char *)I + {value(form, n)}))"
        if word == "HAS_LABEL":
            return "true" if form.kinds[n] == "f" else f"({value(form, n)} != 0)"
        return f"'{form.kinds[n]}'"
    text = re.sub(r"\bFAIL_OR\((\d+), (.*)\);", r"do { if (HAS_LABEL(\1)) FAIL(\1); \2; } while (0);", text)
    return re.sub(r"\b(IN|OUT|ARG|FAIL|TARGET|HAS_LABEL|KIND)\((\d+)\)", one, text)


def function(form, name, block, attribute):
    slow = f"op_{form.name}__slow" if form.insn.slow is not None else ""
    out = f"{attribute}HANDLER(op_{name}) {{\n    enum {{ LEN = {form.words} }};\n"
    for _, text in block:
        text = expand(form, text)
        if slow:
            text = re.sub(r"\bSLOW\b", f"GO_ON_IN({slow})", text)
        out += text + "\n"
    return out + "}\n"


def family_source(family, insns):
    out = f'/* Generated from emu/{family}.tab. */\n#include "emu/interp.h"\n#include "insns.h"\n\n'
    for insn in insns:
        for form in insn.forms:
            if insn.slow is not None:
                out += f"HANDLER(op_{form.name}__slow);\n"
            out += function(form, form.name, insn.body, "")
            if insn.slow is not None:
                out += function(form, form.name + "__slow", insn.slow, "noinline ")
        out += "\n"
    return out


def main(folder, paths):
    insns, names = [], set()
    for path in paths:
        family = os.path.basename(path)[:-4]
        rows = parse(path)
        for insn in rows:
            if insn.name in names:
                raise tables.TableError(f"{insn.place}: {insn.name} is defined twice")
            names.add(insn.name)
        insns += rows
        tables.write(folder, f"insn_{family}.c", family_source(family, rows))
    forms = [form for insn in insns for form in insn.forms]
    most = max(len(insn.kinds) for insn in insns)
    header = "/* Generated from the tables of emu/. */\n#ifndef VIV_INSNS_H\n#define VIV_INSNS_H\n\n"
    header += '#include "emu/forms.h"\n\nenum Insn {\n'
    header += "".join(f"    INSN_{insn.name.upper()},\n" for insn in insns) + "    INSN_COUNT\n};\n\n"
    header += f"#define INSN_FORM_COUNT {len(forms)}\n"
    header += "extern const InsnInfo insn_info[INSN_COUNT];\n"
    header += "extern const InsnForm insn_forms[INSN_FORM_COUNT];\n\n#endif\n"
    source = '/* Generated from the tables of emu/. */\n#include "emu/interp.h"\n#include "insns.h"\n\n'
    source += f"_Static_assert(INSN_MAX_OPERANDS >= {most}, \"operands\");\n\n"
    source += "".join(f"HANDLER(op_{form.name});\n" for form in forms)
    source += "\nconst InsnForm insn_forms[INSN_FORM_COUNT] = {\n"
    for form in forms:
        offsets = ", ".join(map(str, form.offsets)) or "0"
        source += f'    {{op_{form.name}, "{"".join(form.kinds)}", {form.words}, {{{offsets}}}}},\n'
    source += "};\n\nconst InsnInfo insn_info[INSN_COUNT] = {\n"
    first = 0
    for insn in insns:
        sentence = tables.c_string(insn.sentence)
        source += f'    {{"{insn.name}", {first}, {len(insn.forms)}, {len(insn.kinds)}, {sentence}}},\n'
        first += len(insn.forms)
    tables.write(folder, "insns.h", header)
    tables.write(folder, "insns.c", source + "};\n")


def document(path):
    """The tables as a manual: docs/INSTRUCTIONS.md."""
    text = "# Engine instructions\n\nGenerated from `src/emu/*.tab` by `tools/gen_insns.py --document FILE`. "
    text += "Operand kinds are\nexplained at the top of that generator. The last form is the general one.\n"
    for family in families():
        table = os.path.join(HERE, "../src/emu", family + ".tab")
        text += f"\n## {family}\n\n| instruction | operands | forms | what it does |\n|---|---|---|---|\n"
        for insn in parse(table):
            sentence = insn.sentence.replace("|", "\\|")
            text += f"| `{insn.name}` | {' '.join(insn.kinds)} | {len(insn.forms)} | {sentence} |\n"
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


if __name__ != "__main__":
    pass
elif sys.argv[1:2] == ["--document"]:
    document(sys.argv[2])
elif sys.argv[1:] == ["--outputs"]:
    print(" ".join(["insns.h", "insns.c"] + [f"insn_{family}.c" for family in families()]))
else:
    tables.run(main)
