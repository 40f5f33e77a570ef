%% Owners, heirs, rights, names, and what the end of a process does to tables.
-module(ets_owners).
-export([main/0]).
-include("../t.hrl").

main() ->
    t(heir, fun heir/0),
    t(no_heir, fun no_heir/0),
    t(dead_heir, fun dead_heir/0),
    t(give_away, fun give_away/0),
    t(rights, fun rights/0),
    t(names, fun names/0),
    t(fixed_by_dead, fun fixed_by_dead/0),
    t(many, fun many/0),
    t(all, fun all/0),
    t(big_delete, fun big_delete/0).

owner(Fun) ->
    Self = self(),
    spawn_monitor(fun() -> Self ! {self(), Fun()}, receive stop -> ok end end).

stop({Pid, Ref}) ->
    Pid ! stop,
    receive {'DOWN', Ref, _, _, R} -> R end.

take({Pid, _}) -> receive {Pid, X} -> X end.

heir() ->
    Self = self(),
    P = owner(fun() -> T = ets:new(inherited, [{heir, Self, {some, "data"}}]), ets:insert(T, {a, 1}), T end),
    T = take(P),
    {Pid, _} = P,
    stop(P),
    receive {'ETS-TRANSFER', T, Pid, Data} -> {Data, ets:lookup(T, a), ets:info(T, owner) =:= Self, ets:delete(T)} end.

no_heir() ->
    P = owner(fun() -> ets:new(gone, [named_table]) end),
    gone = take(P),
    Before = ets:info(gone, size),
    stop(P),
    {Before, ets:info(gone), catch ets:new(gone, [named_table]), ets:delete(gone)}.

dead_heir() ->
    {Dead, Ref} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    P = owner(fun() -> ets:new(gone, [{heir, Dead, x}]) end),
    T = take(P),
    stop(P),
    ets:info(T).

give_away() ->
    Self = self(),
    P = owner(fun() ->
                  receive {'ETS-TRANSFER', T, Self, Gift} -> {T, Gift, ets:info(T, owner) =:= self(), ets:insert(T, {b, 2})} end
              end),
    {Pid, _} = P,
    T = ets:new(gift, [private]),
    ets:insert(T, {a, 1}),
    true = ets:give_away(T, Pid, #{what => gift}),
    {T, Gift, Owns, true} = take(P),
    R = try ets:lookup(T, a) catch error:E -> E end,
    stop(P),
    {Gift, Owns, R, ets:info(T)}.

rights() ->
    [begin
         P = owner(fun() -> T = ets:new(t, [Protection]), ets:insert(T, {a, 1}), T end),
         T = take(P),
         R = [try F(T) of X -> X catch error:E -> E end
              || F <- [fun(X) -> ets:lookup(X, a) end, fun(X) -> ets:insert(X, {b, 2}) end, fun(X) -> ets:info(X, size) end,
                       fun(X) -> ets:delete(X, a) end, fun(X) -> ets:first(X) end, fun(X) -> ets:tab2list(X) end,
                       fun(X) -> ets:setopts(X, {heir, none}) end, fun(X) -> ets:delete(X) end]],
         stop(P),
         {Protection, R}
     end || Protection <- [private, protected, public]].

names() ->
    T = ets:new(one, [named_table]),
    Tid = ets:whereis(one),
    ets:insert(Tid, {k, v}),
    R = {ets:lookup(one, k), ets:rename(one, two), ets:whereis(one), ets:whereis(two) =:= Tid, catch_error(fun() -> ets:lookup(T, k) end),
         ets:lookup(two, k), ets:info(two, name), ets:info(Tid, id) =:= Tid},
    U = ets:new(two, []),
    Taken = catch_error(fun() -> ets:new(two, [named_table]) end),
    V = ets:rename(U, three) =:= U,
    ets:delete(two),
    {R, Taken, V, ets:info(U, name), ets:whereis(two)}.

catch_error(F) -> try F() catch error:E -> E end.

fixed_by_dead() ->
    T = ets:new(t, [public]),
    ets:insert(T, [{I} || I <- lists:seq(1, 100)]),
    P = owner(fun() -> ets:safe_fixtable(T, true), ets:safe_fixtable(T, true) end),
    true = take(P),
    {_, [{_, N}]} = ets:info(T, safe_fixed),
    Fixed = ets:info(T, fixed),
    ets:match_delete(T, {'_'}),
    R = {N, Fixed, ets:info(T, size), ets:first(T)},
    stop(P),
    {R, ets:info(T, fixed), ets:info(T, safe_fixed), ets:insert(T, {1}), ets:tab2list(T)}.

many() ->
    P = owner(fun() -> [begin T = ets:new(t, []), ets:insert(T, {I, I}), T end || I <- lists:seq(1, 500)] end),
    Ts = take(P),
    Sum = lists:sum([ets:info(T, size) || T <- Ts]),
    stop(P),
    {Sum, lists:usort([ets:info(T) || T <- Ts])}.

all() ->
    T = ets:new(in_all, [named_table]),
    U = ets:new(unnamed, []),
    R = {lists:member(T, ets:all()), lists:member(U, ets:all())},
    ets:delete(T),
    ets:delete(U),
    {R, lists:member(T, ets:all()), lists:member(U, ets:all())}.

big_delete() ->
    [begin
         T = ets:new(t, [Type, named_table]),
         ets:insert(T, [{I, lists:duplicate(10, I)} || I <- lists:seq(1, 50000)]),
         {ets:info(T, size), ets:delete(T), ets:info(T), ets:new(t, [named_table]), ets:delete(t)}
     end || Type <- [set, ordered_set]].
