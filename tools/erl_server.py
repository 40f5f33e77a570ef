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
        self.folder = None  # where it is compiled
        self.waiting, self.count, self.ended_seconds = {}, 0, 0

    def begin(self):
        if self.folder is None:
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
            said = line.decode(errors="replace").rstrip("\n")
            answer = re.fullmatch(r"\{(\d+),(.*)\}\.", said)
            with self.lock:
                if answer:
                    told = {self.waiting.pop(int(answer[1]), None): answer[2][1:-1].replace("\\n", "\n")}
                else:  # nobody else writes there: who is served has said more than what he answers
                    told = dict.fromkeys(self.waiting.values(), f"it says: {said}")
                    self.waiting = {}
            for asked, text in told.items():
                if asked:
                    asked.put(text)
        self.forget(process)

    def forget(self, process):
        """It has ended, or is killed; whoever asks next begins another one. Those who wait are told."""
        with self.lock:
            if self.process is not process:
                return
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # its times can be read until it is waited for
            self.ended_seconds += self.seconds_of(process)
            process.wait()
            asked, self.waiting, self.process = self.waiting.values(), {}, None
        for one in asked:
            one.put("the server has ended")

    def ask(self, order, seconds):
        """`order`: terms with commas between them. What is wrong, or None."""
        answer = queue.SimpleQueue()
        with self.lock:
            if self.process is None:
                self.begin()
            process = self.process
            self.count += 1
            self.waiting[self.count] = answer
            try:
                process.stdin.write(f"{{{self.count},{order}}}.\n".encode())
                process.stdin.flush()
                is_asked = True
            except BrokenPipeError:
                is_asked = False
        if not is_asked:
            self.forget(process)
        try:
            return answer.get(timeout=seconds) or None
        except queue.Empty:
            return f"no answer within {seconds} s"

    def kill(self):
        with self.lock:
            process = self.process
        if process:
            self.forget(process)
