%% Figures of functions in C whose module is loaded too, exported or not: they were kept and could not be asked for.
-module(r_native_figures).
-export([main/0]).

main() ->
    [{module, M} = code:ensure_loaded(M) || M <- [lists, zlib]],
    erlang:trace(self(), true, [call, {tracer, spawn(fun() -> receive stop -> ok end end)}]),
    Functions = [{lists, member, 2}, {lists, keyfind, 3}, {erlang, phash2, 1}, {erlang, atom_to_list, 1},
                 {zlib, deflate_nif, 4}, {zlib, open_nif, 0}, {lists, reverse, 1}, {erlang, apply, 3}],
    [io:format("~p ~p ~p~n", [F, Kind, figures(F, Kind)]) || F <- Functions, Kind <- [call_count, call_time]].

figures(Function, Kind) ->
    Matched = erlang:trace_pattern(Function, true, [Kind]),
    use(),
    {Kind, Figures} = erlang:trace_info(Function, Kind),
    erlang:trace_pattern(Function, false, [Kind]),
    {Matched, case Figures of [{_, Calls, _, _}] -> Calls; _ -> Figures end, erlang:trace_info(Function, Kind)}.

use() -> % of what the compiler cannot do itself
    [true, false] = [lists:member(X, [1, 2]) || X <- [1, 3]],
    {2} = lists:keyfind(2, 1, [{1}, {2}]),
    _ = erlang:phash2(1),
    _ = atom_to_list(hidden(a)),
    Zlib = zlib:open(),
    ok = zlib:deflateInit(Zlib),
    _ = zlib:deflate(Zlib, <<"abc">>, finish),
    zlib:close(Zlib).

hidden(X) -> put(hidden, X), erase(hidden).
