%% What a port tells was built, and sent, in an open section of long work: after some MB in one slice the thread was
%% offline for thread progress when it looked the receiver up, who might have been freed meanwhile; and it held the
%% driver's lock. Debug builds saw it.
-module(r_port_long_output).
-export([main/0]).

-define(BYTES, 9000000).

main() ->
    ok = erl_ddll:load_driver(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING),
    [io:format("~p ~c: ~p~n", [Options, Way, told(Options, Way)])
     || {Options, Ways} <- [{[binary], "o2bv"}, {[], "o"}, {[binary, {line, 4000000}], "o2b"}], Way <- Ways],
    [io:format("~c to who ends: ~p~n", [Way, told_to_who_ends([binary], Way)]) || Way <- "ov"].

told(Options, Way) ->
    Port = open_port({spawn, ?MODULE_STRING}, Options),
    _ = port_control(Port, Way, integer_to_list(?BYTES)),
    Told = told_by(Port),
    port_close(Port),
    Told.

told_by(Port) ->
    receive {Port, {data, Data}} -> [size_of(Data) | told_by(Port)]
    after 0 -> []
    end.

size_of({Kind, Data}) -> {Kind, iolist_size(Data)};
size_of(Data) -> iolist_size(Data).

%% Its owner may be gone when the bytes are there.
told_to_who_ends(Options, Way) ->
    {_, Monitor} = spawn_monitor(fun() -> tell_who_ends(Options, Way) end),
    receive {'DOWN', Monitor, process, _, Reason} -> Reason end.

tell_who_ends(Options, Way) ->
    Port = open_port({spawn, ?MODULE_STRING}, Options),
    Owner = spawn(fun() -> receive end_now -> ok end end),
    true = port_connect(Port, Owner),
    Owner ! end_now,
    _ = (catch port_control(Port, Way, integer_to_list(?BYTES))),
    _ = (catch port_close(Port)).
