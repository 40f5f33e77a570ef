"""Compares what viv answers with what the stock runtime does, line by line."""

import re

from testing.runs import Result, indented

KEYS_IN_ANY_ORDER = False  # of the maps that a test prints


def compare(name, answers, got, status, errors, seconds):
    """`answers`: the lines of each answer that is right."""
    want, have = answers[0], got.splitlines()
    wrong = wrong_lines(answers, have)
    for i in wrong_lines(answers[:1], have):
        if i not in wrong:
            print(f"  {name}: stock answers line {i + 1} in more than one way", flush=True)
    detail = ""
    for i in wrong[:5]:
        detail += f"line {i + 1}\n  stock: {show(want, i)}\n  viv:   {show(have, i)}\n"
    if len(wrong) > 5:
        detail += f"... and {len(wrong) - 5} more lines\n"
    failed = len(wrong)
    if status != 0:
        failed += 1
        detail += f"took longer than {seconds} s\n" if status is None else f"ended with status {status}\n"
        detail += errors[:1500]
    if not want:
        failed, detail = failed + 1, detail + "the test prints nothing\n"
    return Result(name, len(want) - len([i for i in wrong if i < len(want)]), failed, indented(detail, 6000))


def wrong_lines(answers, have):
    """The numbers of the lines that no answer has."""
    if have in answers:
        return []
    count = max(len(lines) for lines in [have, *answers])
    if KEYS_IN_ANY_ORDER:
        answers, have = [list(map(sorted_keys, lines)) for lines in answers], list(map(sorted_keys, have))
    return [i for i in range(count) if all(want[i:i + 1] != have[i:i + 1] for want in answers)]


def sorted_keys(line):
    """The line with the pairs of each map in it, `#{...}`, sorted by their texts."""
    done, open_maps = [b""], []
    for part in re.split(rb"(#\{|[][{}(),]|<<|>>|\"(?:[^\"\\]|\\.)*\")", line):
        if part in (b"#{", b"{", b"[", b"(", b"<<"):
            open_maps.append((part, done))
            done = [b""]
        elif part in (b"}", b"]", b")", b">>") and open_maps:
            opened, outer = open_maps.pop()
            inner = sorted(done) if opened == b"#{" else done
            done = outer
            done[-1] += opened + b",".join(inner) + part
        elif part == b",":
            done.append(b"")
        else:
            done[-1] += part
    while open_maps:
        opened, outer = open_maps.pop()
        outer[-1] += opened + b",".join(done)
        done = outer
    return b",".join(done)


def show(lines, i):
    return lines[i].decode(errors="replace")[:400] if i < len(lines) else "(no line)"
