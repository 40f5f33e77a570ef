"""Bounded runs of the fuzzers."""

import glob
import os
import re

from testing.presets import TOP
from testing.runs import Job, Result, indented, run, selected
from testing.stock import STOCK_ERL


def fuzz_tests(names, seed, deep):
    """Bounded runs of test/fuzz/fuzz_<name>.c, from the corpus test/fuzz/<name>/ and what earlier runs found."""
    sources = [p for p in sorted(glob.glob(os.path.join(TOP, "test/fuzz/fuzz_*.c")))
               if selected(os.path.relpath(p, TOP), names)]
    return [Job(os.path.relpath(source, TOP), lambda source=source: run_fuzzer(source, seed, 600 if deep else 5))
            for source in sources]


def run_fuzzer(source, seed, seconds):
    name = os.path.basename(source)[:-2]
    program = os.path.join(TOP, "build/fuzz/fuzzers", name)
    found = os.path.join(TOP, "build/corpus", name)
    os.makedirs(found, exist_ok=True)
    given = [folder for folder in [os.path.join(TOP, "test/fuzz", name[len("fuzz_"):])] if os.path.isdir(folder)]
    if name in STOCK_CORPUS:
        given.append(STOCK_CORPUS[name]())
    command = [program, f"-seed={seed}", f"-max_total_time={seconds}", "-timeout=20", "-rss_limit_mb=2500",
               "-max_len=100000", "-print_final_stats=1", f"-artifact_prefix={found}.", found] + given
    status, out, err = run(command, 4 * seconds + 120)
    text = err.decode(errors="replace")
    runs = re.search(r"number_of_executed_units: (\d+)", text)
    label = f"fuzz/{name}, seed {seed}, {runs[1] if runs else '?'} runs"
    if status != 0:
        return Result(label, failed=1, detail=indented(f"status {status}\n" + text[-5000:], 6000))
    print(f"  {label}", flush=True)
    return Result(label, passed=1)


def stock_corpus(name, write):
    """A folder that the stock runtime fills once: `write` is Erlang in which Put(Binary) makes a file of it."""
    folder = os.path.join(TOP, "build/corpus", name)
    if not os.path.isdir(folder):
        os.makedirs(folder + ".new", exist_ok=True)
        put = f'Put = fun(B) -> file:write_file("{folder}.new/" ++ integer_to_list(erlang:phash2(B)), B) end, '
        run([*STOCK_ERL, "-eval", put + write + ", halt()."], 60)
        os.rename(folder + ".new", folder)
    return folder


def recorded_corpus():
    """What stock nodes said, as test/fuzz/fuzz_distribution.c takes it: all of a way, and the messages that need none
    before them each alone. Long runs are cut: the fuzzer is faster then."""
    folder = os.path.join(TOP, "build/corpus/recorded")
    os.makedirs(folder, exist_ok=True)
    for path in glob.glob(os.path.join(TOP, "test/distribution/recorded/*.txt")):
        with open(path, encoding="ascii") as file:
            node, _, *lines = file.read().splitlines()
        texts = [re.sub(r"\((\w+)\*(\d+)\)", lambda run: run[1] * min(int(run[2]), 1000), text) for text in lines]
        sized = [len(text) // 2 for text in texts]
        messages = [size.to_bytes(3, "big") + bytes.fromhex(text) for size, text in zip(sized, texts)]
        first = bytes(["asks@" in node])
        name = os.path.basename(path)[:-4]
        streams = {name: messages}
        if name.startswith("no_header"):
            streams.update({f"{name}_{i}": [message] for i, message in enumerate(messages)})
        for seed, parts in streams.items():
            with open(os.path.join(folder, seed), "wb") as file:
                file.write(first + b"".join(parts))
    return folder


STOCK_CORPUS = {
    # The smaller .beam files of OTP.
    "fuzz_beam": lambda: stock_corpus("stock_beams", """
        [Put(B) || F <- filelib:wildcard(code:root_dir() ++ "/lib/*/ebin/*.beam"), filelib:file_size(F) < 6000,
                   {ok, B} <- [file:read_file(F)]]"""),
    "fuzz_distribution": recorded_corpus,
}
