%% Many write the same persistent terms at once: what each finds belongs to its key, and in the end there is one of each.
-module(r_persistent_writers).
-export([main/0]).

main() ->
    Keys = [{k, I, lists:seq(1, I)} || I <- [1, 2, 3, 100]],
    All = [spawn_monitor(fun() -> rand:seed(exsss, {N, 2, 3}), writes(Keys, 1500) end) || N <- lists:seq(1, 6)],
    [receive {'DOWN', M, process, P, Why} -> normal = Why end || {P, M} <- All],
    [persistent_term:put(K, {K, last}) || K <- Keys],
    io:format("~p~n", [[persistent_term:get(K) =:= {K, last} || K <- Keys]]),
    io:format("~p~n", [[{K, V} || {{k, _, _} = K, V} <- lists:sort(persistent_term:get())] =:= [{K, {K, last}} || K <- Keys]]),
    io:format("~p~n", [counts()]),
    io:format("~p~n", [[persistent_term:erase(K) || K <- Keys ++ Keys]]),
    io:format("~p~n", [counts()]).

%% Ours, and are they counted as all that there are?
counts() ->
    All = persistent_term:get(),
    {length([K || {{k, _, _} = K, _} <- All]), maps:get(count, persistent_term:info()) =:= length(All)}.

writes(_, 0) -> ok;
writes(Keys, N) ->
    Key = lists:nth(rand:uniform(length(Keys)), Keys),
    case rand:uniform(4) of
        1 -> _ = persistent_term:erase(Key);
        2 -> ok = persistent_term:put(Key, {Key, lists:seq(1, N rem 50)});
        3 -> ok = persistent_term:put(Key, {Key, same});
        4 -> ok
    end,
    case persistent_term:get(Key, none) of
        none -> ok;
        {Key, _} -> ok
    end,
    writes(Keys, N - 1).
