%% A process waits with a broken term on its heap, another, which began later, with a large dictionary; then the node
%% ends.
-module(crash_dump_broken).
-export([start/1, broken/1]).

broken(_) -> erlang:nif_error(no_library).

start([Library]) ->
    ok = erlang:load_nif(atom_to_list(Library), none),
    spawn(fun() -> wait(broken(elsewhere())) end),
    spawn(fun() -> put(told_of, lists:seq(1, 1000)), wait(fine) end),
    timer:sleep(200),
    halt("broken").

wait(Term) ->
    receive go_on -> {Term} end.

elsewhere() -> binary_to_term(<<131, 88, 119, 3, "a@b", 7:32, 0:32, 1:32>>).
