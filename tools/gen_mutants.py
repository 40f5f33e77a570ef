#!/usr/bin/env python3
"""Makes the sources that the models of test/model see, where they are not those of src/: test/model/mutations.tab.

  gen_mutants.py FOLDER mutations.tab   writes FOLDER/<name>/<file> for each
  gen_mutants.py --list mutations.tab   prints `<model>.<mutation> <file>` for each mutant
  gen_mutants.py --made mutations.tab   prints the names of what the first way writes

A row is a line `<name> <file under src/>`, then lines of the source behind `-`, which must occur once (indentation
apart), and what stands there instead behind `+`. Named <model>.<mutation> it makes a mutant, with one step weakened,
which the model must find wrong. Named <model> it is for the model and all its mutants: a bound that is smaller there. A
row that does not fit its source any more makes a source that does not compile, and says so.
"""

import glob
import os
import re
import sys

import tables

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def mutations(path):
    """(name, file, old lines, new lines) of each."""
    found = []
    with open(path, encoding="utf-8") as tab:
        for line in tab.read().split("\n"):
            if line.startswith(("-", "+")):
                found[-1][2 if line[0] == "-" else 3].append(line[1:].strip())
            elif line.strip() and not line.startswith("#"):
                name, file = line.split()
                found.append((name, file, [], []))
    return found


def changed(text, file, old, new):
    pattern = r"\s*\n\s*".join(re.escape(line) for line in old)
    if len(re.findall(pattern, text)) != 1:
        return f'#error "a row of test/model/mutations.tab does not fit {file}"\n'
    return re.sub(pattern, lambda match: "\n".join(new), text)


def sources(path):
    """{(name, file): text} of all models and mutants that see another source."""
    rows = mutations(path)
    made = {}
    for name in dict.fromkeys(row[0] for row in rows):
        for row_name, file, old, new in rows:
            if row_name not in (name, name.split(".")[0]):
                continue
            if (name, file) not in made:
                with open(os.path.join(TOP, "src", file), encoding="utf-8") as source:
                    made[name, file] = source.read()
            made[name, file] = changed(made[name, file], file, old, new)
    return made


def forget_others(folder, made):
    """What a row made that stands there no more would hide the source."""
    for path in glob.glob(os.path.join(folder, "**", "*.[ch]"), recursive=True):
        if path not in made:
            os.remove(path)


def main():
    if sys.argv[1] == "--made":
        print("\n".join(os.path.join(name, file) for name, file in sources(sys.argv[2])))
        return
    if sys.argv[1] == "--list":
        for name, file, _, _ in mutations(sys.argv[2]):
            if "." in name:
                print(name, file)
        return
    made = {os.path.join(sys.argv[1], name, file): text for (name, file), text in sources(sys.argv[2]).items()}
    for path, text in made.items():
        tables.write(*os.path.split(path), text)
    forget_others(sys.argv[1], made)


main()
