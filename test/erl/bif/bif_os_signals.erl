%% os:set_signal/2: which signals and options there are. That signals are told is in test/scenario/os_signals.
-module(bif_os_signals).
-export([main/0]).
-include("c.hrl").

main() ->
    calls(os, set_signal, [[sigusr1, handle], [sigusr1, ignore], [sigusr1, default], [sigusr2, handle],
                           [sighup, ignore], [sigalrm, default], [sigchld, default], [sigtstp, ignore],
                           [sigtstp, default], [sigstop, handle], [sigstop, ignore], [sigabrt, default], [sigterm, handle], [sigterm, default],
                           [sigquit, default], [sigint, handle], [sigkill, handle], [sigfoo, default],
                           [sigcont, default], [sigwinch, default], [sigusr1, foo], ["sigusr1", handle], [1, ignore],
                           [sigusr1, 1], [sigusr1, []], [sigfoo, foo]]).
