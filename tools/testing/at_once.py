"""How many tests run at once: some wait, some work, and none says which."""

import concurrent.futures
import os
import time

CORES = os.cpu_count() or 1
MOST = 4 * CORES
IDLE = 0.15  # of the cores' time, from which on one more begins
LOOKS = 0.25  # seconds over which that is looked at


class IdleShare:
    """Of the cores, since it was last asked: /proc/stat, proc(5)."""

    def __init__(self):
        self.last = self.read()

    @staticmethod
    def read():
        with open("/proc/stat", encoding="ascii") as file:
            times = [int(ticks) for ticks in file.readline().split()[1:]]
        return time.monotonic(), sum(times[3:5]), sum(times[:8])  # idle and iowait; guests stand in user as well

    def is_idle(self):
        """At most once in LOOKS: what has just begun shows in the next one."""
        now = self.read()
        if now[0] - self.last[0] < LOOKS:
            return False
        idle, whole = now[1] - self.last[1], now[2] - self.last[2]
        self.last = now
        return idle > IDLE * whole


def results_of(jobs, at_once, run):
    """Runs jobs, and gives what `run` makes of each as it comes: `at_once`, and where that is more than one, further
    ones as long as cores are idle."""
    share, begun, running = IdleShare(), iter(jobs), set()
    to_come = len(jobs)
    with concurrent.futures.ThreadPoolExecutor(max(at_once, MOST)) as pool:
        while to_come or running:
            while to_come and (len(running) < at_once or 1 < at_once <= len(running) < MOST and share.is_idle()):
                running.add(pool.submit(run, next(begun)))
                to_come -= 1
            done, running = concurrent.futures.wait(running, LOOKS if to_come else None,
                                                    concurrent.futures.FIRST_COMPLETED)
            for future in done:
                yield future.result()
