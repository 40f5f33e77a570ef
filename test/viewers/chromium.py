"""A page in headless Chromium, driven through the DevTools protocol over two pipes: JSON, each message ended by a zero
byte; the browser reads commands from descriptor 3 and writes answers and events to descriptor 4."""

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

SECONDS = 120  # until an answer counts as missing
BUTTONS = {"none": 0, "left": 1}


class Failed(Exception):
    """What the page or the browser says is wrong."""


class Page:
    """`with Page(width, height) as page:` A page of that size. It may ask 127.0.0.1 for what begins with `home`."""

    def __init__(self, width, height, home=None):
        self.size, self.home = (width, height), home

    def __enter__(self):
        self.folder = tempfile.mkdtemp()
        read_commands, self.commands = os.pipe()
        self.answers, write_answers = os.pipe()

        def descriptors():
            first, second = os.dup(read_commands), os.dup(write_answers)
            os.dup2(first, 3)
            os.dup2(second, 4)

        width, height = self.size
        self.browser = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu",
             "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb",
             "--host-resolver-rules=MAP * ~NOTFOUND" + (", EXCLUDE 127.0.0.1" if self.home else ""),
             f"--window-size={width},{height}",
             f"--user-data-dir={self.folder}", "about:blank"],
            preexec_fn=descriptors, pass_fds=(3, 4, read_commands, write_answers), start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_commands)
        os.close(write_answers)
        self.number, self.rest, self.events, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        return self

    def __exit__(self, *_):
        os.close(self.commands)
        os.close(self.answers)
        os.killpg(self.browser.pid, signal.SIGKILL)
        self.browser.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, **params):
        """A command's result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + SECONDS
        while True:
            answer = self.message(until)
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise Failed(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def message(self, until):
        while b"\0" not in self.rest:
            if not select.select([self.answers], [], [], max(0, until - time.monotonic()))[0]:
                raise Failed("the browser does not answer")
            data = os.read(self.answers, 1 << 20)
            if not data:
                raise Failed("the browser has ended")
            self.rest += data
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def value(self, expression):
        """Of an expression in JavaScript, or of what it promises."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failed(f"{expression}: {details.get('exception', {}).get('description', details['text'])}")
        return answer["result"].get("value")

    def open(self, path):
        """Goes there, and waits until it is loaded."""
        self.call("Page.navigate", url=path if "://" in path else "file://" + os.path.abspath(path))
        until = time.monotonic() + SECONDS
        while self.value("document.readyState") != "complete":
            if time.monotonic() > until:
                raise Failed(f"{path} is not loaded")
            time.sleep(0.02)

    def drawn(self):
        """Waits until all that was asked for is on the screen."""
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def mouse(self, kind, x, y, button="none", **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=BUTTONS[button], **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, "left", clickCount=1)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", buttons=0, clickCount=1)

    def key(self, key, **more):
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        codes = {"Enter": 13, "Tab": 9, "Escape": 27}
        more = {"windowsVirtualKeyCode": codes[key], **more} if key in codes else more
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, **more)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def box(self, selector):
        """(left, top, width, height) of an element, scrolled into view."""
        return tuple(self.value(f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
                                "e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();"
                                "return [b.left, b.top, b.width, b.height]; })()"))

    def dark(self, is_dark):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    def picture(self, path, whole=False):
        """A PNG of what is seen, or of all of the page."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def spent(self):
        """Seconds of processor time of all that belongs to the browser."""
        ticks = 0
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:  # no process, or none any more
                continue
            if int(fields[3]) == self.browser.pid:  # its session
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def takes(self, seconds, do, tries=3):
        """Is it done in so many seconds, or, on a machine that is busy, in so many of processor time? And how long."""
        took = []
        for _ in range(tries):
            start, before = time.monotonic(), self.spent()
            do()
            self.drawn()
            took.append((time.monotonic() - start, self.spent() - before))
        return min(min(each) for each in zip(*took)) < seconds, [min(each) for each in zip(*took)]

    def complaints(self):
        """Errors of scripts and what the page asked the network for."""
        found = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"].get("exception", {}).get("description", "an exception"))
            if event.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error":
                found.append(params["entry"]["text"])
            if event.get("method") == "Network.requestWillBeSent":
                url = params["request"]["url"]
                own = ("file:", "data:", "about:", "blob:") + ((self.home,) if self.home else ())
                found += [f"asks for {url}"] if not url.startswith(own) else []
        return found
