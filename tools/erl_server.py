"""The stock runtime as a server that is begun when it is first asked (orders.erl). Threads may ask it at once."""

import os
import queue
import re
import signal
import subprocess
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
SLEEPS_AT_ONCE = ["+sbwt", "none", "+sbwtdcpu", "none", "+sbwtdio", "none"]  # threads without work
TOP = os.path.dirname(HERE)  # it runs there, and knows files by their names from there, as erlc does


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Server:
    """`module` of this folder, in the `erl` that PATH names when it is first asked."""

    def __init__(self, module, env):
        self.module, self.env, self.process, self.lock = module, env, None, threading.Lock()
        self.waiting, self.count, self.ended_seconds = {}, 0, 0

    def begin(self):
        self.folder = tempfile.TemporaryDirectory(prefix=self.module + ".")
        sources = [os.path.join(HERE, f"{name}.erl") for name in (self.module, "orders")]
        subprocess.run(["erlc", "-o", self.folder.name, *sources], check=True)
        self.process = subprocess.Popen(["erl", *SLEEPS_AT_ONCE, "-noshell", "-pa", self.folder.name,
                                         "-s", self.module],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=TOP, start_new_session=True,
                                        env={**os.environ, **self.env, "ERL_CRASH_DUMP_SECONDS": "0"})
        threading.Thread(target=self.read, args=(self.process,), daemon=True).start()

    def processor_seconds(self):
        """What it has taken so far: /proc/PID/stat, proc(5)."""
        with self.lock:
            return self.ended_seconds + (self.seconds_of(self.process) if self.process else 0)

    @staticmethod
    def seconds_of(process):
        with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
            ticks = file.read().rpartition(")")[2].split()[11:15]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    def read(self, process):
        for line in process.stdout:
            answer = re.fullmatch(r"\{(\d+),(.*)\}\.", line.decode(errors="replace").rstrip("\n"))
            with self.lock:
                asked = self.waiting.pop(int(answer[1]), None) if answer else None
            if asked:
                asked.put(answer[2][1:-1].replace("\\n", "\n"))
        with self.lock:
            self.ended_seconds += self.seconds_of(process)
            asked, self.waiting, self.process = self.waiting.values(), {}, None
            process.wait()
        for one in asked:
            one.put("the server has ended")

    def ask(self, order, seconds):
        """`order`: terms with commas between them. What is wrong, or None."""
        answer = queue.SimpleQueue()
        with self.lock:
            if self.process is None:
                self.begin()
            self.count += 1
            self.waiting[self.count] = answer
            try:
                self.process.stdin.write(f"{{{self.count},{order}}}.\n".encode())
                self.process.stdin.flush()
            except BrokenPipeError:  # whoever reads its output tells those who wait
                pass
        try:
            return answer.get(timeout=seconds) or None
        except queue.Empty:
            return f"no answer within {seconds} s"

    def kill(self):
        """Those who wait are told, and who asks next begins it again."""
        with self.lock:
            process = self.process
        if process:
            os.killpg(process.pid, signal.SIGKILL)
