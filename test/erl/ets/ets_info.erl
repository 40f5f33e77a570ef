%% Every item of ets:info for every kind of table: all combinations of the options, in both orders where they contradict
%% each other, of tables that are empty, filled, fixed, renamed, given away and gone. What no two runtimes can agree
%% about (words of memory, times) is told as whether it has the right form.
-module(ets_info).
-export([main/0]).
-include("../t.hrl").

main() ->
    t(all_options, fun all_options/0),
    t(contradictions, fun contradictions/0),
    t(states, fun states/0),
    t(set_later, fun set_later/0),
    t(no_tables, fun no_tables/0),
    t(no_items, fun no_items/0),
    t(others, fun others/0).

items() ->
    [compressed, decentralized_counters, heir, id, keypos, memory, name, named_table, node, owner, protection,
     read_concurrency, size, type, write_concurrency, fixed, safe_fixed, safe_fixed_monotonic_time, stats, binary].

all_options() ->
    Tables = [[Type, Access | O]
              || Type <- [set, ordered_set, bag, duplicate_bag], Access <- [private, protected, public],
                 O <- [W ++ R ++ D ++ C || W <- [[]] ++ [[{write_concurrency, X}] || X <- [true, false, auto]],
                                           R <- [[], [{read_concurrency, true}]],
                                           D <- [[]] ++ [[{decentralized_counters, X}] || X <- [true, false]],
                                           C <- [[], [compressed]]]],
    told(Tables, fun(O) -> told_once(ets:new(t, O)) end).

contradictions() ->
    Pairs = [{A, B} || L <- [[set, bag, duplicate_bag, ordered_set], [private, protected, public],
                             [{keypos, 1}, {keypos, 2}, {keypos, 300}],
                             [{read_concurrency, true}, {read_concurrency, false}],
                             [{write_concurrency, true}, {write_concurrency, false}, {write_concurrency, auto}],
                             [{heir, none}, {heir, self(), data}]], A <- L, B <- L],
    [t(opposed, fun() -> told_once(ets:new(t, [A, B])) end) || {A, B} <- Pairs],
    told([[W, R, D, P] || W <- [{write_concurrency, true}, {write_concurrency, auto}], R <- [{read_concurrency, true}],
                          D <- [{decentralized_counters, false}], P <- [private, public]],
         fun(O) -> {told_once(ets:new(t, O)), told_once(ets:new(t, lists:reverse(O)))} end).

states() ->
    told([[Type, named_table, public | W] || Type <- [set, ordered_set, bag, duplicate_bag],
                                             W <- [[], [{write_concurrency, true}], [compressed]]],
         fun(O) ->
             t = ets:new(t, O),
             Empty = info(t),
             ets:insert(t, [{I rem 100, I, "text"} || I <- lists:seq(1, 300)]),
             Filled = info(t),
             ets:safe_fixtable(t, true),
             ets:safe_fixtable(t, true),
             ets:delete(t, 1),
             Fixed = info(t),
             ets:safe_fixtable(t, false),
             Still = info(t),
             ets:safe_fixtable(t, false),
             ets:safe_fixtable(t, false),
             Free = info(t),
             other = ets:rename(t, other),
             Renamed = {info(t), info(other)},
             ets:delete_all_objects(other),
             All = info(other),
             ets:delete(other),
             {Empty, Filled, Fixed, Still, Free, Renamed, All, info(other)}
         end).

set_later() ->
    told([{Type, S} || Type <- [set, ordered_set],
                       S <- [{heir, self(), x}, {heir, none}, {protection, private}, {protection, public},
                             [{protection, protected}, {heir, self(), y}], [], [{heir, none}, {protection, other}],
                             {read_concurrency, true}, {keypos, 2}, public, [{protection, public} | x],
                             [{heir, none}, {heir, none}], [{protection, public}, {protection, public}],
                             [{protection, public}, {heir, self(), z}, {heir, none}], {heir, nobody, x}]],
         fun({Type, S}) ->
             T = ets:new(t, [Type, {read_concurrency, true}]),
             R = catch_error(fun() -> ets:setopts(T, S) end),
             {R, told_once(T)}
         end).

no_tables() ->
    Gone = ets:new(gone, []),
    ets:delete(Gone),
    [[catch_error(fun() -> ets:info(T, I) end) || I <- [all, size, nonsense, 1, "size", binary, stats]]
     ++ [catch_error(fun() -> ets:info(T) end)]
     || T <- [Gone, never, 1, "x", {}, make_ref(), self()]].

no_items() ->
    T = ets:new(t, []),
    [catch_error(fun() -> ets:info(T, I) end) || I <- [nonsense, 1, "size", {size}, [], safe_fix, all]].

%% Seen by others, of a table that they may not read; and after it has been given away.
others() ->
    Self = self(),
    told([private, protected, public],
         fun(Access) ->
             T = ets:new(t, [Access, {heir, Self, gift}]),
             ets:insert(T, {a, 1}),
             {P, M} = spawn_monitor(fun() -> receive {'ETS-TRANSFER', T, _, x} -> exit(info(T)); look -> exit(info(T)) end end),
             Before = info(T),
             case Access of
                 private -> P ! look;
                 _ -> ets:give_away(T, P, x)
             end,
             Theirs = receive {'DOWN', M, _, _, R} -> R end,
             receive {'ETS-TRANSFER', T, P, gift} -> ok after 0 -> ok end,
             After = info(T),
             ets:delete(T),
             {Before, Theirs, After}
         end).

told_once(T) ->
    R = info(T),
    ets:delete(T),
    R.

%% A line for each.
told(Cases, F) ->
    [t({told, N}, fun() -> F(C) end) || {N, C} <- lists:zip(lists:seq(1, length(Cases)), Cases)],
    length(Cases).

info(T) ->
    All = case ets:info(T) of
              undefined -> undefined;
              L -> [{I, form(T, I, V)} || {I, V} <- L]
          end,
    One = [{I, form(T, I, catch_error(fun() -> ets:info(T, I) end))} || I <- items()],
    {All, case All of undefined -> One; _ -> One -- All end}.

form(_, memory, N) when is_integer(N), N > 0 -> words;
form(T, id, Id) when is_reference(Id) -> Id =:= T orelse Id =:= ets:whereis(T);
form(_, safe_fixed, {{Mega, S, Micro}, By}) when is_integer(Mega), is_integer(S), is_integer(Micro) -> {since, fixers(By)};
form(_, safe_fixed_monotonic_time, {Time, By}) when is_integer(Time) -> {since, fixers(By)};
form(_, stats, S) when is_tuple(S) -> tuple_size(S);
form(_, owner, Pid) when is_pid(Pid) -> {pid, Pid =:= self()};
form(_, heir, Pid) when is_pid(Pid) -> {pid, Pid =:= self()};
form(_, _, V) -> V.

fixers(By) -> [{Pid =:= self(), N} || {Pid, N} <- By].

catch_error(F) -> try F() catch error:E -> {error, E} end.
