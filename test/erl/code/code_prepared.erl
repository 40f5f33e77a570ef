%% Prepared code used twice, by others, from elsewhere, too late, and things that are none.
-module(code_prepared).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    wrong_things(),
    A1 = prepared(aa, 1),
    t(same_by_bytes, fun() -> binary_to_term(term_to_binary(A1)) =:= A1 end),
    t(finished_by_bytes, fun() -> {finish([binary_to_term(term_to_binary(A1))]), aa:v()} end),
    t(spent, fun() -> finish([A1]) end),
    t(spent_in_list, fun() -> {finish([prepared(bb, 1), A1]), version(bb)} end),
    t(as_code, fun() -> erlang:load_module(aa, A1) end),
    [A2, A3] = [prepared(aa, V) || V <- [2, 3]],
    t(loaded_by_another, fun() -> {module, aa} = erlang:load_module(aa, code(aa, 9)), {finish([A2]), aa:v()} end),
    t(after_purge, fun() -> {code:purge(aa), finish([A2]), aa:v()} end),
    t(after_deletion, fun() -> {code:purge(aa), erlang:delete_module(aa), code:purge(aa), finish([A3]), aa:v()} end),
    t(elsewhere, fun elsewhere/0),
    t(of_the_dead, fun of_the_dead/0),
    t(from_a_table, fun from_a_table/0),
    t(all_at_once, fun all_at_once/0).

t(Name, Fun) -> io:format("~p: ~0p~n", [Name, tried(Fun)]).

tried(Fun) ->
    try Fun()
    catch C:R:S -> {C, R, [{M, F, if is_list(A) -> length(A); true -> A end} || {M, F, A, _} <- lists:sublist(S, 1)]}
    end.

finish(List) -> tried(fun() -> erlang:finish_loading(List) end).
prepared(Module, Version) -> erlang:prepare_loading(Module, code(Module, Version)).
version(Module) -> tried(fun() -> Module:v() end).

code(Name, Version) ->
    {ok, Name, Code} = compile:forms([{attribute, 1, module, Name}, {attribute, 1, export, [{v, 0}]},
                                      {function, 1, v, 0, [{clause, 1, [], [], [{integer, 1, Version}]}]}, {eof, 1}]),
    Code.

wrong_things() ->
    Good = prepared(aa, 1),
    Wrong = [{atomics, atomics:new(1, [])}, {counters, counters:new(1, [write_concurrency])}, {table, ets:new(t, [])},
             {specification, ets:match_spec_compile([{'_', [], ['$_']}])}, {reference, make_ref()}, {pid, self()},
             {number, 1}, {tuple, {Good}}, {list, [Good]}, {binary, <<>>}, {'fun', fun() -> 1 end}],
    [t({has_on_load, What}, fun() -> erlang:has_prepared_code_on_load(T) end) || {What, T} <- Wrong],
    [t({finish, What}, fun() -> erlang:finish_loading([Good, T]) end) || {What, T} <- Wrong],
    t(nothing_is_loaded, fun() -> version(aa) end).

elsewhere() ->
    code:purge(aa),
    Me = self(),
    R = prepared(aa, 4),
    spawn(fun() -> Me ! {finished, finish([R])} end),
    receive {finished, Result} -> {Result, aa:v(), finish([R])} end.

of_the_dead() ->
    code:purge(aa),
    Me = self(),
    {_, M} = spawn_monitor(fun() -> Me ! {r, prepared(aa, 5)} end),
    receive {'DOWN', M, _, _, _} -> ok end,
    receive {r, R} -> garbage_collect(), {finish([R]), aa:v()} end.

from_a_table() ->
    code:purge(aa),
    T = ets:new(x, []),
    ets:insert(T, {1, prepared(aa, 6)}),
    garbage_collect(),
    [{_, R}] = ets:lookup(T, 1),
    {finish([R]), aa:v()}.

%% One of them gets it.
all_at_once() ->
    code:purge(aa),
    Me = self(),
    R = prepared(aa, 7),
    [spawn(fun() -> Me ! {finished, try erlang:finish_loading([R]) catch error:E -> E end} end) || _ <- lists:seq(1, 20)],
    {lists:sort([receive {finished, Result} -> Result end || _ <- lists:seq(1, 20)]), aa:v()}.
