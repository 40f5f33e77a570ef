%% Very many persistent terms. Each took a page at least; one whose key and value are immediate too, and was released
%% like any other. The table grew, was listed and erased in one go each.
-module(r_persistent_many).
-export([main/0]).

-define(MANY, 40000).
-define(FEWER, 5000).

main() ->
    io:format("begun~n"),
    Before = erlang:memory(system),
    [persistent_term:put(N, -N) || N <- lists:seq(1, ?MANY)],
    io:format("room: ~p~n", [erlang:memory(system) - Before < 500 * ?MANY]),
    Others = length(persistent_term:get()) - ?MANY,
    #{count := Count, memory := Memory} = persistent_term:info(),
    io:format("count: ~p, told: ~p~n", [Count - Others, Memory > 32 * ?MANY andalso Memory < 500 * ?MANY]),
    io:format("all: ~p~n", [mine() =:= [{N, -N} || N <- lists:seq(1, ?MANY)]]),
    [persistent_term:put(N, {N}) || N <- lists:seq(1, 1000)],
    io:format("replaced: ~p~n", [[persistent_term:get(N) || N <- [1, 1000, 1001]]]),
    [true = persistent_term:erase(N) || N <- lists:seq(2, 400, 2)],
    io:format("erased: ~p~n", [[persistent_term:get(N, none) || N <- [1, 2, 3, 4, 399, 400, 402]]]),
    Left = lists:seq(1, 399, 2) ++ lists:seq(401, ?MANY),
    io:format("left: ~p~n", [mine() =:= [{N, value(N)} || N <- Left]]),
    io:format("at once: ~p~n", [at_once()]),
    Then = erlang:memory(system),
    [persistent_term:put({many, N}, {N, [N]}) || N <- lists:seq(1, ?FEWER)],
    io:format("room of tuples: ~p~n", [erlang:memory(system) - Then < 1000 * ?FEWER]),
    io:format("there: ~p~n", [[N || N <- lists:seq(1, ?FEWER), persistent_term:get({many, N}) =/= {N, [N]}]]),
    true = erts_internal:erase_persistent_terms(),
    io:format("none: ~p~n", [mine()]),
    ok = persistent_term:put(key, value),
    io:format("new: ~p~n", [persistent_term:get(key)]),
    io:format("memory is back: ~p~n", [back(Before, 1200)]).

value(N) when N =< 1000 -> {N};
value(N) -> -N.

mine() -> lists:sort([T || {N, _} = T <- persistent_term:get(), is_integer(N)]).

%% While others read: what is there all the time is found each time, and once in every list.
at_once() ->
    Main = self(),
    Readers = [spawn_monitor(fun() -> exit(reader(Main, I, 0)) end) || I <- [1, 2]],
    [begin
         [persistent_term:put({key, N}, {value, Round, N}) || N <- lists:seq(1, 60)],
         [persistent_term:erase({key, N}) || N <- lists:seq(1, 60, 2)]
     end || Round <- lists:seq(1, 5)],
    [persistent_term:erase({key, N}) || N <- lists:seq(1, 60)],
    [P ! stop || {P, _} <- Readers],
    [receive {'DOWN', M, process, P, Reason} -> Reason after 60000 -> late end || {P, M} <- Readers].

reader(Main, I, N) ->
    receive
        stop when N > 0 -> ok
    after 0 ->
        case [K || K <- lists:seq(4001, 5001, 50), persistent_term:get(K, gone) =/= -K] of
            [] -> ok;
            Missing -> exit({missing, Missing})
        end,
        All = [K || {K, _} <- persistent_term:get()],
        length(All) =:= length(lists:usort(All)) orelse exit(twice),
        reader(Main, I, N + 1)
    end.

back(_, 0) -> false;
back(Before, N) ->
    garbage_collect(),
    erlang:memory(system) - Before < 200 * ?MANY orelse begin receive after 50 -> ok end, back(Before, N - 1) end.
