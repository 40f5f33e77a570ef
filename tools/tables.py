"""What the generators share: reading *.tab files, naming atoms, and writing a file only when it changes."""

import os
import re
import sys


class TableError(Exception):
    """A mistake in a table: shown with its place, without a Python trace."""


def lines(path):
    """Yields (place, text) for each line that says something; identical lines count once (merges may repeat them)."""
    seen = set()
    with open(path, encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            text = line.strip()
            if not text or text.startswith("#") or text in seen:
                continue
            seen.add(text)
            yield f"{path}:{number}", text


def write(folder, name, text):
    """Writes folder/name unless it holds just this already."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as old:
            if old.read() == text:
                return
    with open(path, "w", encoding="utf-8") as new:
        new.write(text)


def c_string(text):
    """A C string literal for text, in UTF-8."""
    out = ""
    for byte in text.encode("utf-8"):
        plain = 32 <= byte < 127 and chr(byte) not in '"\\?'
        out += chr(byte) if plain else f"\\{byte:03o}"
    return f'"{out}"'


LAST_RELEASE = 99  # of what nothing has changed since


def releases(path):
    """Rows (name, first release, last one, what) of releases.tab; a line of quoted text alone goes on with the row
    above."""
    rows = []
    for place, line in lines(path):
        if rows and line.startswith('"') and line.endswith('"'):
            rows[-1] = (*rows[-1][:3], f"{rows[-1][3]} {line[1:-1]}")
            continue
        match = re.fullmatch(r'(-|[A-Z][A-Z0-9_]*)\s+(2[6-9])(?:-(2[6-9]))?\s+"(.*)"', line)
        if not match:
            raise TableError(f'{place}: expected `NAME release "what"`: {line}')
        if match[1] != "-" and match[1] in [row[0] for row in rows]:
            raise TableError(f"{place}: {match[1]} is there twice")
        rows.append((match[1], int(match[2]), int(match[3] or LAST_RELEASE), match[4]))
    return rows


# The atoms that the stock runtime makes first, in its order; it makes the others that it knows in that of their texts.
# From OTP 26 on maps show that order (RELEASE_ATOM_KEYS_BY_INDEX). As measured on OTP 27.
FIRST_ATOMS = ["false", "true", "_", "nonode@nohost", "$end_of_table", "", "infinity", "timeout", "normal", "call",
               "return", "throw", "error", "exit", "undefined", "nocatch", "undefined_function", "undefined_lambda",
               "nil", "no", "none", "DOWN", "UP", "EXIT"]


class Atoms:
    """Those of atoms.tab and the names in the BIF tables, in index order."""

    def __init__(self, atoms_tab, bif_tabs):
        self.names = []  # texts, in index order
        self.index = {}  # text -> index
        self.c_names = {}  # C name -> text
        for place, line in lines(atoms_tab):
            match = re.fullmatch(r"([A-Za-z_]\w*)(?:\s+'(.*)')?", line)
            if not match:
                raise TableError(f"{place}: expected `name` or `c_name 'text'`: {line}")
            c_name = match[1]
            text = c_name if match[2] is None else match[2]
            if self.c_names.setdefault(c_name, text) != text:
                raise TableError(f"{place}: am_{c_name} already is the atom '{self.c_names[c_name]}'")
            self.add(text)
        for path in bif_tabs:
            for bif in bifs(path):
                self.add(bif.module)
                self.add(bif.name)
        self.names.sort(key=lambda text: (FIRST_ATOMS.index(text) if text in FIRST_ATOMS else len(FIRST_ATOMS), text))
        self.index = {text: i for i, text in enumerate(self.names)}

    def add(self, text):
        if text not in self.index:
            self.index[text] = len(self.names)
            self.names.append(text)
        return self.index[text]

    def term(self, text):
        """The atom as the C value of a Term: see term/term.h."""
        return f"(Term){self.index[text] << 6 | 7:#x}"


BIF_FLAGS = ("guard", "dirty_cpu", "dirty_io", "internal", "library", "unexported", "waits")
FIRST_RELEASE, LAST_RELEASE = 25, 28


class Bif:
    def __init__(self, place, line):
        match = re.fullmatch(r"(\w+):(.+)/(\d+)\s+([A-Za-z_]\w*)((?:\s+\w+)*)", line)
        if not match:
            raise TableError(f"{place}: expected `module:name/arity c_function [flags]`: {line}")
        self.module, name, arity, self.function, flags = match.groups()
        quoted = len(name) > 1 and name[0] == name[-1] == "'"
        self.name = name[1:-1] if quoted else name
        self.arity = int(arity)
        self.flags = flags.split()
        self.place = place
        self.since = FIRST_RELEASE
        for release in range(FIRST_RELEASE + 1, LAST_RELEASE + 1):
            if f"otp{release}" in self.flags:
                self.flags.remove(f"otp{release}")
                self.since = release
        for flag in self.flags:
            if flag not in BIF_FLAGS:
                raise TableError(f"{place}: unknown flag {flag}; there are {', '.join(BIF_FLAGS)}")
        if "waits" in self.flags and any(flag in self.flags for flag in ("guard", "dirty_cpu", "dirty_io")):
            raise TableError(f"{place}: a guard function, or one that runs on a dirty thread, cannot wait")

    def mfa(self):
        return f"{self.module}:{self.name}/{self.arity}"


def bifs(path):
    return [Bif(place, line) for place, line in lines(path)]


def run(main):
    """Calls main(output folder, input paths) with the command line's; a TableError ends the build with its text."""
    try:
        main(sys.argv[1], sys.argv[2:])
    except TableError as error:
        sys.exit(str(error))
