%% How much memory is taken by code. Literals go a while after their module, one area at a time: so it is waited for.
-module(code_memory).
-export([settled/0, at_most/1, at_most/2]).

%% When it has not changed for a second.
settled() -> settled(now_taken(), 0).
settled(Memory, 50) -> Memory;
settled(Memory, N) ->
    timer:sleep(20),
    case now_taken() of
        Memory -> settled(Memory, N + 1);
        Other -> settled(Other, 0)
    end.

%% When it is no more than that, or later.
at_most(Enough) -> at_most(Enough, 3000).
at_most(Enough, N) ->
    case now_taken() of
        Memory when N =:= 0; Memory =< Enough -> Memory;
        _ -> timer:sleep(20), at_most(Enough, N - 1)
    end.

now_taken() ->
    erlang:garbage_collect(),
    erlang:memory(code).
