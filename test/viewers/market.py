"""A node whose processes do all that viv trace can tell of, and what was told of it: for tests of what is written."""

import json
import os
import subprocess
import tempfile

VIV = os.environ.get("VIV") or os.path.abspath("bin/viv")
LONGEST = 120  # seconds
PROGRAM = r"""
-module(market).
-export([start/0, stall/1, buyer/2, price/2, discount/1, deep/1, large/1]).
start() ->
    register(stall, spawn(fun() -> stall(0) end)),
    [spawn(fun() -> buyer(N, 0) end) || N <- [1, 2, 3]],
    [spawn(F) || F <- [fun ports/0, fun shouts/0, fun twins/0]],
    io:put_chars("open\n").
stall(Sold) ->
    receive
        {From, Ref, Item, N} ->
            From ! {Ref, catch ?MODULE:price(Item, N)},
            stall(Sold + N)
    end.
buyer(Who, N) ->
    Ref = make_ref(),
    Item = lists:nth(N rem 4 + 1, [apple, "p\351ar\x{263a}", {tin, <<"be\0ans\n\"q\"</script>">>}, bad]),
    stall ! {self(), Ref, Item, N},
    receive {Ref, _} -> ok end,
    N rem 7 =:= 0 andalso ?MODULE:deep(20),
    N rem 5 =:= 0 andalso erlang:garbage_collect(),
    receive after 3 -> ok end,
    buyer(Who, N + 1).
price(bad, N) -> error({no_price, N});
price(Item, N) -> {ok, Item, N * ?MODULE:discount(N)}.
discount(N) when N > 10 -> 2;
discount(_) -> 1.
deep(0) -> lists:seq(1, 1000);
deep(N) -> [N | ?MODULE:deep(N - 1)].
shouts() ->
    P = spawn_link(fun() -> receive stop -> ok end end),
    register(short_lived, P),
    P ! large(5000),
    ?MODULE:large(100000),
    P ! stop,
    receive after 20 -> ok end,
    shouts().
large(N) -> lists:seq(1, N).
twins() -> % many alike, from one and from two
    P = spawn(fun() -> [receive same -> ok end || _ <- lists:seq(1, 5)] end),
    [P ! same || _ <- [1, 2, 3]],
    spawn(fun() -> P ! same, P ! same end),
    receive after 30 -> ok end,
    twins().
ports() ->
    Port = open_port({spawn, "cat"}, [binary]),
    port_command(Port, <<"hello">>),
    receive {Port, {data, _}} -> ok end,
    port_close(Port),
    receive after 50 -> ok end,
    ports().
"""
ALL = ["market:_", "--return", "--caller", "--procs", "--sched", "--gc", "--ports", "--send", "--receive"]


class Market:
    """`with Market() as node:`"""

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name
        with open(self.path("market.erl"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        subprocess.run(["erlc", "market.erl"], cwd=self.folder, check=True)
        self.env = {**os.environ, "XDG_RUNTIME_DIR": self.folder}
        self.process = subprocess.Popen([VIV, "erl", "-noshell", "-pa", self.folder, "-s", "market"], env=self.env,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.process.stdout.readline()  # it is open
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        self.temporary.cleanup()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def trace(self, *words):
        """(status, output, what was said)"""
        done = subprocess.run([VIV, "trace", str(self.process.pid), *words], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, env=self.env, timeout=LONGEST)
        return done.returncode, done.stdout, done.stderr

    def rows(self, name):
        """Of a .json of the folder."""
        with open(self.path(name), encoding="utf-8") as file:
            return [json.loads(line) for line in file]


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def __call__(self, what, is_right, seen=None):
        self.passed, self.failed = self.passed + bool(is_right), self.failed + (not is_right)
        if not is_right:
            print(f"wrong: {what}" + (f": {seen!r}" if seen is not None else ""), flush=True)

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def difference(seen, expected):
    """The first place at which two lists differ, or None."""
    if seen == expected:
        return None
    for i in range(max(len(seen), len(expected))):
        if seen[i:i + 1] != expected[i:i + 1]:
            return len(seen), len(expected), i, seen[i:i + 3], expected[i:i + 3]
