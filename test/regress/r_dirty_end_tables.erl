%% A process is killed in a dirty native function: its tables are gone, and those that it had fixed are so no more, when
%% others hear of its end. They stayed, and led to memory of the process.
-module(r_dirty_end_tables).
-export([main/0, hold/0, let_go/0]).
-nifs([hold/0, let_go/0]).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0),
    Fixed = [ets:new(fixed, [public]) || _ <- [1, 2]],
    Main = self(),
    {P, M} = spawn_monitor(fun() ->
        [ets:new(Name, [named_table, public]) || Name <- [one, two, three]],
        [ets:safe_fixtable(T, true) || T <- Fixed],
        Main ! ready,
        hold()
    end),
    receive ready -> ok end,
    until(fun() -> erts_internal:is_process_executing_dirty(P) end),
    io:format("~p~n", [{is_fixed(Fixed, P), owners([one, two, three], P)}]),
    exit(P, kill),
    receive {'DOWN', M, process, P, Why} -> io:format("~p~n", [Why]) end,
    io:format("~p~n", [{is_fixed(Fixed, P), owners([one, two, three], P)}]),
    let_go(),
    [ets:new(Name, [named_table]) || Name <- [one, two, three]],
    io:format("~p~n", [[ets:delete(T) || T <- [one, two, three | Fixed]]]).

is_fixed(Tables, P) ->
    [case ets:info(T, safe_fixed) of {_, [{P, 1}]} -> by_it; Other -> Other end || T <- Tables].
owners(Names, P) -> [case ets:info(Name, owner) of P -> it; Other -> Other end || Name <- Names].

until(F) -> F() orelse begin receive after 1 -> ok end, until(F) end.

hold() -> erlang:nif_error(not_loaded).
let_go() -> erlang:nif_error(not_loaded).
