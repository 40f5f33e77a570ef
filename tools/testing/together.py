"""What programs answer that the stock runtime runs one after the other: a start of it takes longer than most of them.

It counts where viv, which runs each program alone, says the same. Else, and in the deep run, the program is alone on
the stock runtime, too.
"""

import os
import queue
import re

from erl_server import Server, quoted

from testing.runs import ENVIRONMENT

SECONDS = 30  # most take a few milliseconds
# What would hurt those that come later, or is not the same where others have been.
ALONE = re.compile(r"\b(halt|display|system_flag|set_internal_state|logger|error_logger|application)\b")
SERVERS, IDLE = [], queue.LifoQueue()


def may_share(source):
    with open(source, encoding="utf-8") as file:
        return not os.environ.get("DEEP") and not ALONE.search(file.read())


def answer(folder, module, file):
    """Writes into `file` what Module:main() of `folder` prints; whether it did."""
    try:
        server = IDLE.get_nowait()
    except queue.Empty:
        server = Server("answer_server", ENVIRONMENT)
        SERVERS.append(server)
    try:
        wrong = server.ask(f"{quoted(folder)},{module},{quoted(file)}", SECONDS)
        if wrong:  # it may still be at it
            server.kill()
        return wrong is None
    finally:
        IDLE.put(server)


def processor_seconds():
    return sum(server.processor_seconds() for server in SERVERS)
