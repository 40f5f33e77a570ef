%% From the bytes of a .beam file to code that could be published, and to code that is.
-module(b_loading).
-export([group/0, benchmarks/0]).

group() -> loading.

%% The last ones leave many modules behind.
benchmarks() ->
    Small = small(),
    [{"loading: prepare " ++ atom_to_list(Module), fun() -> prepare(Times, Module, Code) end}
     || {Module, Times} <- [{lists, 30}, {io_lib_pretty, 60}, {erl_lint, 6}, {erl_parse, 6}, {beam_ssa_opt, 10}],
        Code <- [code_of(Module)]] ++
    [{"loading: prepare, two processes", fun() -> prepare_at_once(2, 6, erl_lint, code_of(erl_lint)) end},
     {"loading: replace and purge", fun() -> replace(30, Small) end},
     {"loading: a list of 50 modules", fun() -> replace_list(50, Small) end},
     {"loading: 10 processes at once", fun() -> processes_at_once(10, 2, Small) end},
     {"loading: replace under load", fun() -> under_load(fun() -> replace(5, Small) end) end},
     {"loading: replace, 100 more modules", fun() -> have(100, Small), replace(30, Small) end},
     {"loading: replace, 20000 more modules", fun() -> have(20000, Small), replace(30, Small) end}].

code_of(Module) ->
    {ok, Code} = file:read_file(code:which(Module)),
    Code.

prepare(0, _, _) -> ok;
prepare(N, Module, Code) ->
    Prepared = erlang:prepare_loading(Module, Code),
    false = erlang:has_prepared_code_on_load(Prepared),
    prepare(N - 1, Module, Code).

prepare_at_once(Processes, Times, Module, Code) ->
    Refs = [element(2, spawn_monitor(fun() -> prepare(Times, Module, Code) end)) || _ <- lists:seq(1, Processes)],
    wait_for(Refs).

wait_for(Refs) -> [receive {'DOWN', Ref, process, _, Reason} -> normal = Reason end || Ref <- Refs].

small() ->
    {ok, _, Code} = compile:forms([{attribute, 1, module, small_00000}, {attribute, 1, export, [{v, 0}]},
                                   {function, 1, v, 0, [{clause, 1, [], [], [{integer, 1, 1}]}]}, {eof, 1}], []),
    Code.

named(I, Code) ->
    Name = iolist_to_binary(io_lib:format("small_~5..0b", [I])),
    {binary_to_atom(Name), binary:replace(Code, <<"small_00000">>, Name, [global])}.

replace(0, _) -> ok;
replace(N, Code) ->
    ok = erlang:finish_loading([erlang:prepare_loading(small_00000, Code)]),
    _ = code:purge(small_00000),
    replace(N - 1, Code).

processes_at_once(Processes, Times, Code) ->
    Refs = [element(2, spawn_monitor(fun() -> [load_and_delete(M, C) || _ <- lists:seq(1, Times)] end))
            || I <- lists:seq(1, Processes), {M, C} <- [named(50 + I, Code)]],
    wait_for(Refs).

load_and_delete(M, Code) ->
    ok = erlang:finish_loading([erlang:prepare_loading(M, Code)]),
    _ = erlang:check_old_code(M) andalso erts_code_purger:purge(M),
    true = erlang:delete_module(M),
    {true, _} = erts_code_purger:purge(M).

replace_list(Count, Code) ->
    Named = [named(I, Code) || I <- lists:seq(1, Count)],
    _ = [erlang:check_old_code(M) andalso code:purge(M) || {M, _} <- Named],
    ok = erlang:finish_loading([erlang:prepare_loading(M, C) || {M, C} <- Named]).

under_load(Fun) ->
    Busy = [spawn_link(fun() -> spin() end) || _ <- lists:seq(1, erlang:system_info(schedulers_online))],
    Fun(),
    [begin unlink(Pid), exit(Pid, kill) end || Pid <- Busy].

spin() -> spin().

%% That they are loaded counts in the first of several samples only.
have(Count, Code) ->
    case erlang:module_loaded(element(1, named(Count, Code))) of
        true -> ok;
        false -> have(1, Count, Code)
    end.

have(From, Count, Code) ->
    Named = [named(I, Code) || I <- lists:seq(From, min(From + 999, Count))],
    New = [{M, C} || {M, C} <- Named, not erlang:module_loaded(M)],
    ok = erlang:finish_loading([erlang:prepare_loading(M, C) || {M, C} <- New]),
    case From + 999 < Count of
        true -> have(From + 1000, Count, Code);
        false -> ok
    end.
