%% A persistent term keeps what is shared inside of it: it would not fit into memory otherwise.
-module(r_persistent_sharing).
-export([main/0]).

main() ->
    Shared = lists:foldl(fun(_, T) -> [T | T] end, [], lists:seq(1, 60)),
    persistent_term:put(?MODULE, {Shared, #{deep => Shared}, fun() -> Shared end}),
    {Kept, #{deep := Deep}, _} = persistent_term:get(?MODULE),
    io:format("~p ~p~n", [erts_debug:size(Kept), erts_debug:same(Kept, Deep)]),
    io:format("~p~n", [depth(Kept, 0)]),
    persistent_term:put(?MODULE, [binary:copy(<<1>>, 100), <<2, 3>>, make_ref(), self(), 1 bsl 200, 1.5, "text"]),
    [Binary, Short | Rest] = persistent_term:get(?MODULE),
    io:format("~p ~p ~p ~p~n", [byte_size(Binary), Short, length(Rest), lists:nthtail(2, Rest)]),
    true = persistent_term:erase(?MODULE),
    erlang:garbage_collect(),
    io:format("~p ~p~n", [byte_size(Binary), depth(Kept, 0)]).

depth([T | T], N) -> depth_of(T, N + 1).
depth_of([], N) -> N;
depth_of(T, N) -> depth(T, N).
