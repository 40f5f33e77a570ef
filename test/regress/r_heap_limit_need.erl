%% From which max_heap_size on a process lives that builds a large tuple at once: in its first block, after a collection,
%% and with an old heap. How large the tuple is does not matter, only whether there is a collection for it.
%% Not under torture: there are more collections.
-module(r_heap_limit_need).
-export([main/0]).

-define(T4(X), X, X, X, X).
-define(T16(X), ?T4(X), ?T4(X), ?T4(X), ?T4(X)).
-define(T64(X), ?T16(X), ?T16(X), ?T16(X), ?T16(X)).
-define(T256(X), ?T64(X), ?T64(X), ?T64(X), ?T64(X)).
-define(T1024(X), ?T256(X), ?T256(X), ?T256(X), ?T256(X)).
-define(STEP, 100).

main() ->
    [io:format("~w, ~p kept, ~p built: ~w~n",
               [Before, Kept, Built, turns(fun(Max) -> lives(Max, Before, lists:seq(1, Kept), Built) end)])
     || Before <- [none, major, minor], Kept <- [0, 100, 500, 3000], Built <- [48, 256, 1024, 4096]].

%% Whether it lives with the least limit, and the limits at which that changes.
turns(Lives) ->
    First = Lives(240),
    [First | turns(240, First, Lives)].

turns(Max, _, _) when Max > 25000 -> [];
turns(Max, Was, Lives) ->
    case Lives(Max + ?STEP) of
        Was -> turns(Max + ?STEP, Was, Lives);
        Now -> [turn(Max, Max + ?STEP, Was, Lives) | turns(Max + ?STEP, Now, Lives)]
    end.

turn(Low, High, _, _) when Low + 1 =:= High -> High;
turn(Low, High, Was, Lives) ->
    Middle = (Low + High) div 2,
    case Lives(Middle) of Was -> turn(Middle, High, Was, Lives); _ -> turn(Low, Middle, Was, Lives) end.

lives(Max, Before, Kept, Built) ->
    Limit = #{size => Max, kill => true, error_logger => false},
    {P, M} = spawn_opt(fun() -> before(Before), build(Built, Kept), exit(lives) end,
                       [monitor, {min_heap_size, 233}, {max_heap_size, Limit}]),
    receive {'DOWN', M, process, P, Reason} -> Reason =:= lives end.

before(none) -> ok;
before(major) -> garbage_collect();
before(minor) -> garbage_collect(), garbage_collect(self(), [{type, minor}]).

build(48, Kept) -> X = id(Kept), id({?T16(X), ?T16(X), ?T16(X)}), length(Kept);
build(256, Kept) -> X = id(Kept), id({?T256(X)}), length(Kept);
build(1024, Kept) -> X = id(Kept), id({?T1024(X)}), length(Kept);
build(4096, Kept) -> X = id(Kept), id({?T1024(X), ?T1024(X), ?T1024(X), ?T1024(X)}), length(Kept).

id(X) -> X.
