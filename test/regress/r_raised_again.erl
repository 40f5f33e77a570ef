%% A failure that is caught and raised again shows the same trace, but for a function whose clauses did not match: its
%% entry has no location then.
-module(r_raised_again).
-export([main/0, id/1, only_a/2]).

id(X) -> X.
only_a(a, _) -> 1.
call(F) -> F(), ok.

again(F) -> try call(F) catch C:E:S -> erlang:raise(C, E, S) end.
as_exit(F) -> try call(F) catch error:E:S -> erlang:raise(exit, E, S) end.
twice(F) -> try again(F) catch C:E:S -> erlang:raise(C, E, S) end.
seen(F) -> try call(F) catch C:E:S -> id(S), erlang:raise(C, E, S) end.
with_list(F) -> try call(F) catch C:E:S -> erlang:raise(C, E, id(S)) end.
behind_after(F) -> try call(F) after id(1) end.
not_caught(F) -> try call(F) catch throw:_ -> 1 end.
no_class(F) -> try call(F) catch error:E:S -> erlang:raise(id(no_class), E, S), S end.

failures() ->
    [fun() -> only_a(b, 1) end,
     fun() -> ?MODULE:only_a(id(b), 2) end,
     fun() -> apply(?MODULE, id(only_a), [b, 3]) end,
     fun() -> lists:foreach(fun(a) -> 1 end, [b]) end,
     fun() -> error(function_clause, [1]) end,
     fun() -> error(function_clause) end,
     fun() -> list_to_atom(id(1)) end,
     fun() -> {ok, _} = id(1) end,
     fun() -> (id(x))(1) end].

main() ->
    {P, M} = spawn_monitor(fun() -> [row(N, F) || {N, F} <- lists:enumerate(failures())] end),
    receive {'DOWN', M, process, P, R} -> io:format("~p~n", [R]) end,
    {Q, N} = spawn_monitor(fun() -> logger:set_primary_config(level, none), again(hd(failures())) end),
    receive {'DOWN', N, process, Q, S} -> io:format("~p~n", [S]) end.

row(N, F) ->
    [io:format("~b ~s ~0p~n", [N, Name, told(G, F)]) ||
        {Name, G} <- [{again, fun again/1}, {as_exit, fun as_exit/1}, {twice, fun twice/1}, {seen, fun seen/1},
                      {with_list, fun with_list/1}, {behind_after, fun behind_after/1},
                      {not_caught, fun not_caught/1}, {no_class, fun no_class/1}]].

told(G, F) -> try G(F) catch C:E:S -> {C, E, S} end.
