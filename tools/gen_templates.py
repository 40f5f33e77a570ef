#!/usr/bin/env python3
"""src/emu/*.tab -> the bodies of instructions as templates of native code: template_<family>.c.

A template is an instruction's body with its operands as *holes*: addresses of symbols that stand nowhere, which clang
puts into the machine code, and the loader's last step replaces by an instruction's operands (src/jit/emit.c). One form
of the interpreter has several templates, one for each kind of operand that a place may hold:

    x, y    a register: its byte offset is an address's distance
    n       a constant that is not negative and fits 31 bits
    m       in its place, where the body asks for small integers: one of them that is not negative and fits 31 bits
    c       any constant
    s       what is left general: a source word (as in the interpreter)
    f, o    a label; no label, where there may be none
    others  as in gen_insns.py
"""

import itertools
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import gen_insns  # noqa: E402
import tables  # noqa: E402

# What an operand of the interpreter's form may be in a template, the first that fits is taken.
ALTERNATIVES = {"S": "xy", "d": "xy", "s": "xync", "i": "nc", "c": "nc", "j": "fo"}
MOST = 40  # templates of one form; what would have more keeps its sources general
ABSENT = {"call_native", "call_dirty_native", "breakpoint", "export_breakpoint", "call_bif", "call_error_handler",
          "invalid", "func_info", "init_yregs", "native_by_need"}
# What is written instead, of any length (jit/written.h).
ABSENT |= {"select_linear", "select_table", "bs_get_fields", "call_fun2", "call_fun_safe", "call_fun_last",
           "call_fun_safe_last", "put_tuple2", "put_tuple_1", "put_tuple_2", "put_tuple_3", "bs_get_integer_8",
           "bs_get_byte_of_bytes", "make_fun", "update_record"}


def asks_for_smalls(form):
    return any(re.search(r"\b(is|are)_small\(", text) for _, text in form.insn.body)


def alternatives(form):
    kinds = [ALTERNATIVES.get(kind, kind) for kind in form.kinds]
    if asks_for_smalls(form):
        kinds = [kind.replace("n", "m") for kind in kinds]
    count = 1
    for kind in kinds:
        count *= len(kind)
    if count > MOST:
        kinds = [kind if form.kinds[i] != "s" else "s" for i, kind in enumerate(kinds)]
    return list(itertools.product(*kinds))


def value(kinds, n):
    return {
        "x": f"(*(Term *)((char *)x + (uintptr_t)hole_word_{n}))",
        "y": f"(*(Term *)((char *)E + (uintptr_t)hole_word_{n}))",
        "n": f"((Term)(uintptr_t)hole_word_{n})",
        "m": f"((Term)(uintptr_t)hole_small_{n})",
        "c": f"HOLE64({n})",
        "s": f"source_value(x, E, HOLE64({n}))",
        "w": f"HOLE64({n})",
        "u": f"HOLE32({n})",
        "U": f"HOLE32({n})",
        "l": f"(*(double *)((char *)x + FLOAT_REGISTERS_OFFSET + (uintptr_t)hole_word_{n}))",
    }.get(kinds[n])


def expand(form, kinds, text):
    def one(match):
        word, n = match[1], int(match[2])
        if word in ("IN", "OUT", "ARG"):
            found = value(kinds, n)
            if found is None:
                raise tables.TableError(f"{form.insn.place}: operand {n} in a template")
            return found
        if word == "FAIL":
            return f"GO_ON_AT_LABEL({n})" if kinds[n] == "f" else "__builtin_unreachable()"
        if word == "TARGET":
            return f"HOLE_TARGET({n})"
        if word == "HAS_LABEL":
            return "true" if kinds[n] == "f" else "false"
        return f"'{form.kinds[n]}'"
    # What is only added, or compared, may be within another instruction.
    text = re.sub(r"\bE \+= ARG\((\d+)\)", r"E = (Term *)((char *)E + (uintptr_t)hole_bytes_\1)", text)
    text = re.sub(r"\bE -= ARG\((\d+)\)", r'__asm__("subq\\t$hole_bytes_\1, %0" : "+r"(E) : : "cc")', text)
    text = re.sub(r"\bNO_ROOM\(\(Word\)ARG\((\d+)\) \+ ARG\((\d+)\)\)",
                  r"NO_ROOM_BYTES((uintptr_t)hole_bytes_\1 + (uintptr_t)hole_bytes_\2)", text)
    text = re.sub(r"\bNO_ROOM\((?:\(Word\))?ARG\((\d+)\)\)", r"NO_ROOM_BYTES((uintptr_t)hole_bytes_\1)", text)
    text = re.sub(r"(\(char \*\)|\(const char \*\))boxed_ptr\(IN\((\d+)\)\) \+ ARG\((\d+)\)",
                  r"\1boxed_ptr(IN(\2)) + (uintptr_t)hole_word_\3", text)
    text = re.sub(r"\bENTER\(TARGET\((\d+)\)\)", r"ENTER_LABEL(\1)", text)
    text = re.sub(r"\bFAIL_OR\((\d+), (.*)\);", r"do { if (HAS_LABEL(\1)) FAIL(\1); \2; } while (0);", text)
    return re.sub(r"\b(IN|OUT|ARG|FAIL|TARGET|HAS_LABEL|KIND)\((\d+)\)", one, text)


def template_name(form, kinds):
    return f"{form.name}_as_{''.join(kinds)}"


def template(form, kinds):
    out = f"TEMPLATE({template_name(form, kinds)}) {{\n    enum {{ LEN = {form.words} }};\n"
    for _, text in form.insn.body:
        text = expand(form, kinds, text)
        if form.insn.slow is not None:
            text = re.sub(r"\bSLOW\b", f"GO_ON_IN(op_{form.name}__slow)", text)
        out += text + "\n"
    return out + "}\n"


def is_template(form):
    if form.insn.name in ABSENT:
        return False
    body = "\n".join(text for _, text in form.insn.body)
    return re.search(r"\bI =|\bself = I\b", body) is None


def family_source(family, insns):
    out = f"/* Generated from emu/{family}.tab. */\n#define VIV_TEMPLATE\n"
    out += '#include "emu/interp.h"\n#include "insns.h"\n\n'
    for insn in insns:
        for form in insn.forms:
            out += f"InsnHandler op_{form.name}, hole_exit_op_{form.name};\n"
            out += f"InsnHandler hole_exit_op_{form.name}__slow;\n" if insn.slow is not None else ""
            if is_template(form):
                for kinds in alternatives(form):
                    out += template(form, kinds)
    return out


def main(folder, paths):
    for path in paths:
        family = os.path.basename(path)[:-4]
        tables.write(folder, f"template_{family}.c", family_source(family, gen_insns.parse(path)))


if sys.argv[1:] == ["--outputs"]:
    print(" ".join(f"template_{family}.c" for family in gen_insns.families()))
elif __name__ == "__main__":
    tables.run(main)
