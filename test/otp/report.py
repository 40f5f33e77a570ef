#!/usr/bin/env python3
"""report.py FOLDER [APPLICATION.SUITE ...]: which cases of OTP's suites that pass on stock do not pass on viv.

FOLDER/stock and FOLDER/viv have a file APPLICATION.SUITE.txt for each suite, of lines `SUITE case ok|skip|fail
[reason]` behind one that says when. Why a case does not pass is said by reasons.tab. What it does not name is printed,
and the exit status is 1, as it is for a suite of which stock passes much less than suites.tab says: the suite, or what
runs it, is broken then. When no suites are named, docs/OTP_SUITES.md is written: suites that have no results in FOLDER
keep their rows, and each row says when it was found out, and on which build."""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
KINDS = {"nodes": "needs other nodes, which are not there yet",
         "inside": "asks how the stock runtime is made inside",
         "chosen": "differs on purpose, as docs/NODE.md says",
         "time": "passes, but not within its time where other programs run",
         "open": "is yet to be done"}


def rows_of(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            if line.strip() and not line.startswith("#"):
                yield number, line.strip()


def suites():
    """{(application, suite): how many cases stock passes}, in the order of suites.tab."""
    return {tuple(words[:2]): int(words[2]) for words in (line.split() for _, line in rows_of("suites.tab"))}


def reasons():
    """{(application, suite, case): (kind, text)} of reasons.tab: `kind | application:SUITE | case ... | text`."""
    known = {}
    for number, line in rows_of("reasons.tab"):
        kind, suite, cases, text = (part.strip() for part in line.split(" | ", 3))
        if kind not in KINDS:
            sys.exit(f"reasons.tab:{number}: no such kind: {kind}")
        for case in cases.split():
            key = (*suite.split(":"), case)  # case `*`: all that have no row of their own
            if key in known:
                sys.exit(f"reasons.tab:{number}: {case} stands there twice")
            known[key] = (kind, text)
    return known


def rows_before():
    """{(application, suite): (stock, viv, what does not pass, when and on which build)} of the document."""
    try:
        with open(os.path.join(TOP, "docs", "OTP_SUITES.md"), encoding="utf-8") as document:
            row = re.compile(r"\| (\w+) `([\w-]+)` \| (\d+) \| (\d+) \| (.*?) \| (.*?) \|\n")
            found = [row.fullmatch(line) for line in document]
    except OSError:
        return {}
    return {(row[1], row[2]): row.groups()[2:] for row in found if row}


class Results:
    """What one runtime answered: {(application, suite): {case: (result, reason)}}, when, and which programs."""

    def __init__(self, folder):
        self.cases, self.run = {}, {}
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            if name.endswith(".txt"):
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as lines:
                    self.add(tuple(name[:-4].split(".")), lines)

    def add(self, key, lines):
        cases = self.cases.setdefault(key, {})
        for line in lines:
            words = line.rstrip("\n").split(" ", 3)
            if words[0] == "#":
                self.run[key] = (words[1], words[3])
            elif len(words) >= 3:
                cases[words[1]] = (words[2], words[3] if len(words) > 3 else "")

    def passed(self, key):
        return [case for case, (result, _) in self.cases.get(key, {}).items() if result == "ok"]

    def of(self, key, case):
        return self.cases.get(key, {}).get(case, ("fail", "was not run"))


class Report:
    def __init__(self, folder, wanted):
        self.folder = os.path.abspath(folder)
        self.stock, self.viv = (Results(os.path.join(folder, runtime)) for runtime in ("stock", "viv"))
        self.known, self.lines, self.unknown, self.broken, self.not_run = reasons(), [], [], [], []
        self.runs, self.before = [], {} if wanted else rows_before()
        self.counts, self.passed = dict.fromkeys(KINDS, 0), [0, 0]
        for key, expected in suites().items():
            if not wanted or ".".join(key) in wanted:
                self.suite(key, expected)

    def suite(self, key, expected):
        if key not in self.stock.cases or key not in self.viv.cases:
            self.keep(key)
            return
        good = self.stock.passed(key)
        lost = [case for case in good if self.viv.of(key, case)[0] != "ok"]
        if len(good) < 0.8 * expected:
            self.broken.append(f"{key[0]}:{key[1]}: stock passes {len(good)} cases, not {expected}")
        self.passed[0] += len(good)
        self.passed[1] += len(good) - len(lost)
        said = self.told(key, lost) if good else "on stock: " + self.first_reason(key)
        self.line(key, len(good), len(good) - len(lost), said, self.viv.run[key])

    def line(self, key, stock, viv, said, run):
        self.runs.append(run)
        self.lines.append(f"| {key[0]} `{key[1]}` | {stock} | {viv} | {said} | {' '.join(run)} |")

    def keep(self, key):
        """The row that the document has."""
        row = self.before.get(key)
        if row is None:
            self.not_run.append(f"{key[0]} `{key[1]}`")
            return
        stock, viv, said, run = row
        self.passed[0] += int(stock)
        self.passed[1] += int(viv)
        for cases, kind in re.findall(r"(`[^`]+`(?:, `[^`]+`)*) \((" + "|".join(KINDS) + r")[:)]", said):
            self.counts[kind] += cases.count("`") // 2
        self.line(key, stock, viv, said, tuple(run.split()))

    def first_reason(self, key):
        reasons_of = [f"{result}, {reason}" for result, reason in self.stock.cases[key].values()]
        if not reasons_of:
            return "there are no cases"
        return reasons_of[0].replace("|", " ").replace(self.folder + "/", "").replace(TOP + "/", "")[:100]

    def told(self, key, lost):
        """The cases, by what is said of them."""
        by_reason = {}
        for case in lost:
            said = self.known.get((*key, case)) or self.known.get((*key, "*"))
            if said is None:
                self.unknown.append(f"{key[0]}:{key[1]} {case} {self.viv.of(key, case)[1][:300]}")
                said = ("open", "")
            self.counts[said[0]] += 1
            by_reason.setdefault(said, []).append(f"`{case}`")
        return "; ".join(", ".join(cases) + f" ({kind}{': ' + text if text else ''})"
                         for (kind, text), cases in by_reason.items())

    def stale(self):
        """Rows of reasons.tab whose cases passed, or did not pass on stock."""
        for (application, suite, case), _ in self.known.items():
            key = (application, suite)
            if case == "*" or key not in self.viv.cases:
                continue
            if self.viv.of(key, case)[0] == "ok" or case not in self.stock.passed(key):
                yield f"{application}:{suite} {case}"

    def page(self):
        kinds = "".join(f"| {kind} | {text} | {self.counts[kind]} |\n" for kind, text in KINDS.items())
        missing = f"\nNot run: {', '.join(self.not_run)}.\n" if self.not_run else ""
        return ("# OTP's own test suites\n\n"
                "Generated by `test/otp/report.py` from a run of the suites of OTP 25's source (`make test-otp`),\n"
                "each case on stock and on viv, one node, no common_test. Counted are the cases that pass on\n"
                f"stock. {self.told_runs()}\n\n"
                f"**{self.passed[0]} cases pass on stock, {self.passed[1]} of them on viv.** Of the others each\n\n"
                "| | | cases |\n|---|---|---|\n" + kinds + missing +
                "\n| suite | stock | viv | what does not pass | run |\n|---|---|---|---|---|\n" +
                "\n".join(self.lines) + "\n")

    def told_runs(self):
        """On how many builds, by how many suites."""
        builds = {}
        for run in self.runs:
            builds[run] = builds.get(run, 0) + 1
        most = [f"{count} on {' '.join(run)}" for run, count in sorted(builds.items(), key=lambda b: (-b[1], b[0]))]
        return ("The last column says when a suite ran on viv, and on which build (`sha256sum bin/viv`):\n" +
                ", ".join(most) + ".")


def main(folder, *wanted):
    report = Report(folder, wanted)
    if not wanted and report.lines:
        with open(os.path.join(TOP, "docs", "OTP_SUITES.md"), "w", encoding="utf-8") as out:
            out.write(report.page())
    print(f"{report.passed[0]} cases pass on stock, {report.passed[1]} of them on viv")
    for case in report.stale() if not wanted else ():
        print("reasons.tab names what is not lost:", case)
    for what in report.broken:
        print("broken:", what)
    for case in report.unknown:
        print("no reason is known:", case)
    return 1 if report.unknown or report.broken else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
