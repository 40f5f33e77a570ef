"""What the tests of real systems share. A system that nobody here wrote runs on the stock runtime and on an OTP
root with viv for its emulator, each in a folder of its own; the same clients ask both, and the answers must be
equal. VIV names the program."""

import contextlib
import difflib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VIV = os.environ.get("VIV") or os.path.join(TOP, "bin/viv")
failed = passed = 0


class Runtime:
    """`stock` or `viv`: its folder, which holds what it is told to write, and how programs find it."""

    def __init__(self, name, folder):
        self.name, self.folder = name, os.path.join(folder, name[0])  # names of one length: answers tell theirs
        os.mkdir(self.folder)
        self.ports = free_ports(4)
        self.bin = "/usr/bin" if name == "stock" else self.install(os.path.join(folder, "root"))
        self.environment = {**os.environ, "PATH": self.bin + ":" + os.environ["PATH"], "HOME": self.folder,
                            "LC_ALL": "C.UTF-8", "ERL_CRASH_DUMP_SECONDS": "0"}

    def install(self, root):
        subprocess.run([os.path.join(TOP, "tools/install_root"), root, VIV], check=True, stdout=subprocess.DEVNULL)
        return os.path.join(root, "bin")

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def port(self, number):
        """The number'th of this runtime's ports: free, and in ascending order."""
        return self.ports[number]

    def run(self, command, **options):
        """Runs a command in the folder: (exit status, output). Errors are part of the output unless asked for."""
        folder = options.pop("folder", self.folder)
        errors = options.pop("errors", subprocess.STDOUT)
        given = options.pop("given", None)
        done = subprocess.run(command, cwd=folder, env={**self.environment, **options.pop("environment", {})},
                              stdout=subprocess.PIPE, stderr=errors, timeout=options.pop("seconds", 120),
                              **({"input": given} if given is not None else {"stdin": subprocess.DEVNULL}))
        return done.returncode, self.plain(done.stdout)

    def plain(self, output):
        """Output as text, without what the runtimes were given differently."""
        text = output.decode("utf-8", "replace") if isinstance(output, bytes) else output
        text = text.replace(self.folder, "FOLDER").replace(self.bin, "BIN").replace("/usr/bin", "BIN")
        for number, port in enumerate(self.ports):
            text = re.sub(rf"\b{port}\b", f"PORT{number}", text)
        return text

    def make_certificates(self):
        """`ca.pem`, and of it `cert.pem` with `key.pem` for localhost."""
        request = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3"]
        for more in (["-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority"],
                     ["-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=localhost", "-CA", "ca.pem", "-CAkey",
                      "ca.key", "-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=CA:FALSE"]):
            subprocess.run([*request, *more], cwd=self.folder, check=True, capture_output=True)

    @contextlib.contextmanager
    def serving(self, command, ready, **options):
        """A server in the background, until what is done with it is over. `ready` says when it can be asked."""
        with open(self.path("server.log"), "ab") as log:
            server = subprocess.Popen(command, cwd=self.folder, env={**self.environment, **options},
                                      stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True)
        try:
            wait_until(ready, lambda: server.poll() is not None, self.path("server.log"))
            yield server
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.pid, 9)
            server.wait()

    def listens(self, number):
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port(number))) == 0


def free_ports(count):
    with contextlib.ExitStack() as open_ones:
        sockets = [open_ones.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return sorted(each.getsockname()[1] for each in sockets)


def wait_until(ready, over, log, seconds=60):
    end = time.monotonic() + seconds
    while not ready():
        if over() or time.monotonic() > end:
            with open(log, encoding="utf-8", errors="replace") as file:
                raise RuntimeError("the server is not ready: " + file.read()[-2000:])
        time.sleep(0.05)


def check(what, is_right, *shown):
    global failed, passed
    passed += bool(is_right)
    failed += not is_right
    if not is_right:
        print(f"FAILED: {what}", *shown, flush=True)


def without(text, *patterns):
    """The text without what differs from run to run."""
    for pattern in patterns:
        text = re.sub(pattern, "...", text)
    return text


def compare(what, answers):
    """Answers by runtime, {'stock': text, 'viv': text}, must be equal, line by line; an empty one is none."""
    stock, viv = (str(answers[name]).splitlines() for name in ("stock", "viv"))
    difference = difflib.unified_diff(stock, viv, "stock", "viv", n=0, lineterm="")
    check(what, stock == viv and stock, "\n" + "\n".join(difference))


def compare_all(answers):
    """{'stock': {what: text}, 'viv': {what: text}}"""
    for what in answers["stock"] | answers["viv"]:
        compare(what, {name: answers[name].get(what, "(nothing)") for name in answers})


def on_both(work):
    """Does `work` with each runtime; what it returns, by the runtime's name."""
    folder = tempfile.mkdtemp(prefix="systems.")
    try:
        return {name: work(Runtime(name, folder)) for name in ("stock", "viv")}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def finish():
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)
