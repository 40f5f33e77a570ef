"""The stock compiler as a server (compile_server.erl), begun when it is first asked. Threads may ask it at once."""

import os
import queue
import re
import subprocess
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
SLEEPS_AT_ONCE = ["+sbwt", "none", "+sbwtdcpu", "none", "+sbwtdio", "none"]  # threads without work
TOP = os.path.dirname(HERE)  # it runs there, and knows files by their names from there, as erlc does


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Compiler:
    """Of the `erl` and `erlc` that PATH names when it is first asked."""

    def __init__(self, env):
        self.env, self.process, self.lock = env, None, threading.Lock()
        self.waiting, self.count = {}, 0

    def begin(self):
        self.folder = tempfile.TemporaryDirectory(prefix="compile_server.")
        subprocess.run(["erlc", "-o", self.folder.name, os.path.join(HERE, "compile_server.erl")], check=True)
        self.process = subprocess.Popen(["erl", *SLEEPS_AT_ONCE, "-noshell", "-pa", self.folder.name,
                                         "-s", "compile_server"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=TOP, start_new_session=True,
                                        env={**os.environ, **self.env, "ERL_CRASH_DUMP_SECONDS": "0"})
        threading.Thread(target=self.read, args=(self.process,), daemon=True).start()

    def processor_seconds(self):
        """What it has taken so far: /proc/PID/stat, proc(5)."""
        with self.lock:
            if self.process is None:
                return 0
            with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
                ticks = file.read().rpartition(")")[2].split()[11:15]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    def read(self, process):
        for line in process.stdout:
            answer = re.fullmatch(r"\{(\d+),(.*)\}\.", line.decode().rstrip("\n"))
            with self.lock:
                asked = self.waiting.pop(int(answer[1]), None) if answer else None
            if asked:
                asked.put(answer[2][1:-1].replace("\\n", "\n"))
        with self.lock:
            asked, self.waiting, self.process = self.waiting.values(), {}, None
        for one in asked:
            one.put("the compiler has ended")

    def compile(self, files, folder, options, seconds):
        """`options` as erlc has them, "+..."; what is wrong, or None."""
        names = [quoted(os.path.relpath(file, TOP)) for file in files]
        terms = ",".join([f"{{outdir,{quoted(folder)}}}"] + [option[1:] for option in options])
        answer = queue.SimpleQueue()
        with self.lock:
            if self.process is None:
                self.begin()
            self.count += 1
            self.waiting[self.count] = answer
            self.process.stdin.write(f"{{{self.count},[{','.join(names)}],[{terms}]}}.\n".encode())
            self.process.stdin.flush()
        try:
            return answer.get(timeout=seconds) or None
        except queue.Empty:
            return f"not compiled within {seconds} s"
