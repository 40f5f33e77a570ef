%% Reads a crash dump as the stock crashdump_viewer does, and compares with what crash_dump_node has said of it. Runs on
%% the stock runtime. Prints what is wrong, and "read" at the end.
-module(crash_dump_reader).
-export([compare/1, whole/1, cut/1, broken/1, funs/1]).
-include_lib("observer/src/crashdump_viewer.hrl").

open(File) ->
    {ok, _} = crashdump_viewer:start_link(),
    crashdump_viewer:read_file(atom_to_list(File)),
    crashdump_viewer:general_info().

%% Those with little are whole; those with much are funs, and some of them whole.
funs([File]) ->
    {ok, _, []} = open(File),
    {ok, Processes, []} = crashdump_viewer:processes(),
    [P] = [pid_to_list(P#proc.pid) || P <- Processes, P#proc.name =:= "with_funs"],
    {ok, #proc{dict = Dictionary}, []} = crashdump_viewer:proc_details(P),
    #{small := Small, large := Large, chain := Chain} = maps:from_list(Dictionary),
    check(small, [[N, small] || N <- lists:seq(1, 500)], [env(F) || F <- Small]),
    Shared = lists:seq(1, 20000),
    Whole = [N || {N, F} <- lists:zip(lists:seq(1, 500), Large), env(F) =:= [N, Shared]],
    Omitted = [F || F <- Large, env(F) =:= ['...', '...']],
    check(large, 500, length(Whole) + length(Omitted)),
    check(large, {true, true}, {Whole =/= [], Omitted =/= []}),
    chain(Chain, 20000),
    io:format("read~n").

env(F) -> {env, Env} = erlang:fun_info(F, env), Env.

chain(F, N) ->
    case env(F) of
        [N, Next] when N > 1 -> chain(Next, N - 1);
        ['...', '...'] when N < 20000, N > 1 -> ok
    end.

%% All pages can be shown, and the dump is whole.
whole([File]) ->
    {ok, #general_info{}, []} = open(File),
    {ok, Processes, []} = crashdump_viewer:processes(),
    [{ok, #proc{}, []} = crashdump_viewer:proc_details(pid_to_list(P#proc.pid))
     || P <- Processes, length(Processes) < 1000],
    pages(),
    io:format("read~n").

%% It can be opened, and says that it was cut off.
cut([File]) ->
    {ok, #general_info{}, [Warning]} = open(File),
    match = re:run(Warning, "CRASH DUMP SIZE LIMIT REACHED", [{capture, none}]),
    io:format("read~n").

%% Likewise, and all but what is broken is there.
broken([File]) ->
    {ok, #general_info{}, [Warning]} = open(File),
    match = re:run(Warning, "CRASH DUMP FAILED", [{capture, none}]),
    pages(),
    io:format("read~n").

pages() ->
    {ok, [_ | _], _} = crashdump_viewer:ports(),
    {ok, [_ | _], _} = crashdump_viewer:ets_tables(all),
    {ok, _, _} = crashdump_viewer:timers(all),
    {ok, [_ | _], _} = crashdump_viewer:funs(),
    {ok, Atoms, _} = crashdump_viewer:atoms(),
    true = length(Atoms) > 1000,
    {ok, Modules, _} = crashdump_viewer:loaded_modules(),
    [{ok, #loaded_mod{}, _} = crashdump_viewer:loaded_mod_details(name(M#loaded_mod.mod)) || M <- Modules],
    [{ok, _, _} = crashdump_viewer:F() || F <- [persistent_terms, allocated_areas, allocator_info, hash_tables,
                                               index_tables, internal_ets_tables, dist_info]],
    {ok, Memory, _} = crashdump_viewer:memory(),
    true = list_to_integer(proplists:get_value(total, Memory)) > 1000000,
    {ok, [_ | _] = Schedulers, _} = crashdump_viewer:schedulers(),
    true = lists:all(fun(S) -> is_integer(S#sched.run_q) end, Schedulers).

compare([File, Said]) ->
    {ok, Info, []} = open(File),
    {ok, Bytes} = file:read_file(Said),
    {Expected, Persistent, Timers, Pids} = binary_to_term(Bytes),
    "a slogan\nof two lines" = Info#general_info.slogan,
    {ok, Processes, []} = crashdump_viewer:processes(),
    check(processes, lists:sort(Pids), lists:sort([pid_form(P#proc.pid) || P <- Processes])),
    [process(E) || E <- Expected],
    {ok, Terms, []} = crashdump_viewer:persistent_terms(),
    [check({persistent, K}, [V], [whole_term(Got) || {Key, Got} <- Terms, whole_term(Key) =:= K])
     || {K, V} <- Persistent],
    {ok, Found, []} = crashdump_viewer:timers(all),
    check(timers, true, length(Found) >= Timers),
    tables(),
    named(),
    pages(),
    io:format("read~n").

process({['#CDVPid' | _] = Pid, Dictionary, Stack, Messages}) ->
    {ok, P, []} = crashdump_viewer:proc_details(lists:flatten(io_lib:format("<~b.~b.~b>", tl(Pid)))),
    check({dictionary, Pid}, lists:sort(Dictionary), lists:sort([whole_term(D) || Stack =/= none, D <- P#proc.dict])),
    check({messages, Pid}, Messages, [whole_term(M) || {M, _} <- P#proc.msg_q]),
    check({length, Pid}, length(Messages), P#proc.msg_q_len),
    Slots = [whole_term(T) || {_, T} <- P#proc.stack_dump],
    Stack =/= none andalso check({stack, Pid, Stack}, true, lists:member(Stack, Slots)).

tables() ->
    {ok, Tables, []} = crashdump_viewer:ets_tables(all),
    [check({table, N}, [{Size, Type}],
           [{T#ets_table.size, T#ets_table.data_type} || T <- Tables, T#ets_table.name =:= N])
     || {N, Size, Type} <- [{"a_set", 1000, "set"}, {"a_bag", 0, "bag"}, {"a_tree", 77, "ordered_set"},
                            {"another_tree", 1, "ordered_set"}]].

named() ->
    {ok, Ports, []} = crashdump_viewer:ports(),
    check(port, ["External proc: cat"], [P#port.controls || P <- Ports, P#port.name =:= "a_port"]),
    {ok, Processes, []} = crashdump_viewer:processes(),
    check(running, 1, length([P || P <- Processes, P#proc.name =:= "running"])).

name({Name, nq}) -> binary_to_list(Name);
name({Name, q}) -> [$' | binary_to_list(Name)].

pid_form(P) -> ['#CDVPid' | [list_to_integer(N) || N <- string:lexemes(pid_to_list(P), "<.>")]].

%% Large binaries are read apart.
whole_term(['#CDVBin', Offset, Size, Position]) ->
    {ok, Bytes} = crashdump_viewer:expand_binary({Offset, Size, Position}),
    Bytes;
whole_term([H | T]) -> [whole_term(H) | whole_term(T)];
whole_term(T) when is_tuple(T) -> list_to_tuple(whole_term(tuple_to_list(T)));
whole_term(M) when is_map(M) -> maps:from_list(whole_term(maps:to_list(M)));
whole_term(T) -> T.

check(_, Same, Same) -> ok;
check(What, Expected, Got) -> io:format("WRONG ~tP:~n  ~tP~n  ~tP~n", [What, 30, Expected, 50, Got, 50]).
