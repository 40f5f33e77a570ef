"""What scenarios ask, and how long: VIV names the program, PATIENCE is how many seconds one step may take."""

import math
import os
import re
import time

VIV = os.environ.get("VIV") or os.path.abspath("bin/viv")
LONGEST = int(os.environ.get("PATIENCE", "120"))  # seconds
# "asan", "tsan", or "" where none looks on: each build is in the folder of its name (tools/testing/presets.py).
SANITIZER = "".join(re.findall(r"/([at]san)/bin/viv$", os.path.abspath(VIV)))


def until(is_so, ask, times=math.inf):
    """Asks again until it is so; after a while, or so many times, any answer will do: what is wrong takes its time to
    show."""
    end = time.monotonic() + LONGEST
    while not is_so(told := ask()) and (times := times - 1) > 0 and time.monotonic() < end:
        pass
    return told
