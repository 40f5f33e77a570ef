%% registered/0 tells which names there are at one moment, though others register and unregister meanwhile: of names
%% each of which is given before the one before is taken back, it tells one or two; of names each of which is given when
%% the one before has been taken back, one at most. It was a walk through all atoms, which met none of the former, now
%% and then, or two of the latter.
-module(r_registered_moment).
-export([main/0]).

-define(NAMES, 30000).
-define(ROUNDS, 300).

main() ->
    Names = list_to_tuple([list_to_atom("moment_" ++ integer_to_list(N)) || N <- lists:seq(1, ?NAMES)]),
    Ours = maps:from_keys(tuple_to_list(Names), ours),
    told("each is given before the one before is taken back", Ours, fun overlapping/2, Names, [1, 2]),
    told("each is given when the one before was taken back", Ours, fun in_turns/2, Names, [0, 1]).

told(What, Ours, Change, Names, Right) ->
    Ends = atomics:new(1, []),
    {Pid, Monitor} = spawn_monitor(fun() -> Change(Names, Ends) end),
    begun(Ours),
    Wrong = [N || _ <- lists:seq(1, ?ROUNDS), N <- [ours(Ours)], not lists:member(N, Right)],
    atomics:put(Ends, 1, 1),
    receive {'DOWN', Monitor, _, Pid, Reason} -> io:format("~s: ~p ~p~n", [What, Wrong, Reason]) end.

ours(Ours) -> length([Name || Name <- registered(), is_map_key(Name, Ours)]).

begun(Ours) -> ours(Ours) > 0 orelse begin erlang:yield(), begun(Ours) end.

overlapping(Names, Ends) ->
    {One, Other} = {spawn_link(fun wait/0), spawn_link(fun wait/0)},
    true = register(element(1, Names), One),
    overlapping(1, One, Other, Names, Ends),
    [begin unlink(Pid), exit(Pid, kill) end || Pid <- [One, Other]].

overlapping(At, One, Other, Names, Ends) ->
    Next = At * 7921 rem ?NAMES + 1,
    true = register(element(Next, Names), Other),
    true = unregister(element(At, Names)),
    atomics:get(Ends, 1) =:= 1 orelse overlapping(Next, Other, One, Names, Ends).

in_turns(Names, Ends) -> in_turns(1, Names, Ends).

in_turns(At, Names, Ends) ->
    true = register(element(At, Names), self()),
    true = unregister(element(At, Names)),
    atomics:get(Ends, 1) =:= 1 orelse in_turns(At * 7921 rem ?NAMES + 1, Names, Ends).

wait() -> receive stop -> ok end.
