%% A key of a map that takes long to compare counts as work wherever code looks for one: who does it again and again leaves
%% after some rounds, and not after as many as calls that take no time, while signals wait.
-module(r_long_keys).
-export([main/0]).

%% On the stock runtime such a process uses up its reductions first.
main() -> [io:format("~s ~p~n", [Name, not is_viv() orelse ends_soon(Loop)]) || {Name, Loop} <- loops()].

is_viv() -> code:which(viv_recorder) =/= non_existing.

loops() ->
    [{"is_map_key in a guard", fun guard/3}, {"is_map_key", fun is_key/3}, {"map_get", fun got/3}, {"put", fun put/3},
     {"one matched", fun one/3}, {"two matched", fun two/3}, {"two there", fun there/3}, {"replaced", fun replaced/3}].

%% How many rounds there are between a kill and the end.
ends_soon(Loop) ->
    Rounds = counters:new(1, [atomics]),
    {Pid, Monitor} = spawn_monitor(fun() ->
        Key = [{N} || N <- lists:seq(1, 50000)],
        Loop(#{copy(Key) => 1, [copy(Key)] => 2}, Key, Rounds)
    end),
    started(Rounds),
    Before = counters:get(Rounds, 1),
    exit(Pid, kill),
    receive {'DOWN', Monitor, process, Pid, killed} -> counters:get(Rounds, 1) - Before < 200 end.

started(Rounds) -> counters:get(Rounds, 1) > 5 orelse started(Rounds).
copy(Term) -> binary_to_term(term_to_binary(Term)).

guard(M, K, R) when is_map_key(K, M) -> counters:add(R, 1, 1), guard(M, K, R).
is_key(M, K, R) -> true = is_map_key(K, M), counters:add(R, 1, 1), is_key(M, K, R).
got(M, K, R) -> 1 = map_get(K, M), counters:add(R, 1, 1), got(M, K, R).
put(M, K, R) -> counters:add(R, 1, 1), put(M#{K => counters:get(R, 1)}, K, R).
one(M, K, R) -> #{K := _} = M, counters:add(R, 1, 1), one(M, K, R).
two(M, K, R) -> #{K := A, [K] := B} = M, {1, 2} = {A, B}, counters:add(R, 1, 1), two(M, K, R).
there(M, K, R) -> case M of #{K := _, [K] := _} -> counters:add(R, 1, 1), there(M, K, R) end.
replaced(M, K, R) -> counters:add(R, 1, 1), replaced(M#{K := counters:get(R, 1)}, K, R).
