%% A trace for babeltrace2, written by the traced processes themselves. See ctf_tracer.c for how to build its library.
-module(ctf_tracer).
-export([main/1, start/1, open/1, close/1, price/1, enabled/3, trace/5]).
-on_load(on_load/0).

%% As `viv run` calls it, and for `erl -run ctf_tracer start FOLDER`.
main([Folder]) ->
    Trace = open(Folder),
    Tracer = {tracer, ?MODULE, Trace},
    Shop = spawn(fun shop/0),
    Buyer = spawn(fun() -> receive go -> buy(Shop, 3) end end),
    1 = erlang:trace_pattern({?MODULE, price, 1}, [{'_', [], [{return_trace}]}], [local]),
    [1 = erlang:trace(Pid, true, [call, send, 'receive', procs, Tracer]) || Pid <- [Shop, Buyer]],
    Monitors = [monitor(process, Pid) || Pid <- [Shop, Buyer]],
    Buyer ! go,
    [receive {'DOWN', Monitor, _, _, _} -> ok end || Monitor <- Monitors],
    {ok, Events} = close(Trace),
    io:format("~b events in ~s~n", [Events, Folder]).

start(Arguments) -> main(Arguments), init:stop().

shop() ->
    receive
        {From, Item} -> From ! {price, ?MODULE:price(Item)}, shop();
        closed -> ok
    end.

price(Item) -> {Item, length(Item)}.

buy(Shop, 0) -> Shop ! closed;
buy(Shop, N) ->
    Shop ! {self(), lists:duplicate(N, $p)},
    receive {price, _} -> buy(Shop, N - 1) end.

on_load() -> erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES", "."), "ctf_tracer"), 0).

open(_Folder) -> erlang:nif_error(not_loaded).
close(_Trace) -> erlang:nif_error(not_loaded).
enabled(_Tag, _State, _Tracee) -> erlang:nif_error(not_loaded).
trace(_Tag, _State, _Tracee, _Term, _Options) -> erlang:nif_error(not_loaded).
