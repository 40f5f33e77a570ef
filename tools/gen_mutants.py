#!/usr/bin/env python3
"""Makes the mutants of test/model/mutations.tab: sources with one step weakened, which a model must find wrong.

  gen_mutants.py FOLDER mutations.tab   writes FOLDER/<model>.<name>/<file> for each
  gen_mutants.py --list mutations.tab   prints `<model>.<name> <file>` for each

A mutation is a line `<model>.<name> <file under src/>`, then lines of the source behind `-`, which must occur once
(indentation apart), and what stands there instead behind `+`. A source that changed so that a mutation does not fit
any more makes a mutant that does not compile, and says so.
"""

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


def mutated(file, old, new):
    with open(os.path.join(TOP, "src", file), encoding="utf-8") as source:
        text = source.read()
    pattern = r"\s*\n\s*".join(re.escape(line) for line in old)
    if len(re.findall(pattern, text)) != 1:
        return f'#error "a mutation of test/model/mutations.tab does not fit {file}"\n'
    return re.sub(pattern, lambda match: "\n".join(new), text)


def main():
    if sys.argv[1] == "--list":
        for name, file, _, _ in mutations(sys.argv[2]):
            print(name, file)
        return
    folder, path = sys.argv[1:]
    for name, file, old, new in mutations(path):
        target = os.path.join(folder, name, file)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        tables.write(os.path.dirname(target), os.path.basename(target), mutated(file, old, new))


main()
