%% Programs of the system as ports.
-module(b_ports).
-export([group/0, benchmarks/0]).

group() -> messages.

benchmarks() ->
    [{"port: 500 round trips through cat", fun() -> with_cat(fun(P) -> round_trips(P, 500) end) end},
     {"port: 16 MB through cat", fun() -> with_cat(fun(P) -> through(P, 256, 65536) end) end},
     {"port: 20 programs started, and their ends heard", fun() -> children(20) end}].

with_cat(Work) ->
    P = open_port({spawn_executable, "/bin/cat"}, [binary, stream, use_stdio]),
    Work(P),
    port_close(P).

round_trips(_, 0) -> ok;
round_trips(P, N) ->
    true = port_command(P, <<"hello">>),
    receive {P, {data, <<"hello">>}} -> round_trips(P, N - 1) end.

through(P, Blocks, Size) ->
    Data = binary:copy(<<"a">>, Size),
    spawn_link(fun() -> [true = port_command(P, Data) || _ <- lists:seq(1, Blocks)] end),
    taken(P, Blocks * Size).

taken(_, 0) -> ok;
taken(P, Left) -> receive {P, {data, Data}} -> taken(P, Left - byte_size(Data)) end.

children(0) -> ok;
children(N) ->
    P = open_port({spawn_executable, "/bin/true"}, [exit_status]),
    receive {P, {exit_status, 0}} -> children(N - 1) end.
