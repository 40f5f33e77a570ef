%% What is called when a function is not there.
-module(error_handler_tests).
-include_lib("eunit/include/eunit.hrl").
-export([undefined_function/3, undefined_lambda/3, '$handle_undefined_function'/2]).

%% As an error handler of a process, and as a module that answers for its missing functions.
undefined_function(M, F, Args) -> {handled, M, F, Args}.
undefined_lambda(M, _, Args) -> {handled, M, Args}.
'$handle_undefined_function'(F, Args) -> {last_resort, F, Args}.

id(X) -> put(id, X), erase(id).

loads_on_demand_test() ->
    code:purge(ordsets), code:delete(ordsets), code:purge(ordsets),
    ?assertNot(erlang:module_loaded(ordsets)),
    M = id(ordsets),
    ?assertEqual([1, 2], M:from_list([2, 1])),
    ?assert(erlang:module_loaded(ordsets)).

no_module_test() ->
    M = id(no_such_module),
    try M:f(1, two) of
        _ -> ?assert(false)
    catch
        error:undef:Stack ->
            [Top, Next | _] = Stack,
            ?assertEqual({no_such_module, f, [1, two], []}, Top),
            ?assertMatch({?MODULE, no_module_test, 0, _}, Next)
    end.

no_function_test() ->
    M = id(lists),
    ?assertError(undef, M:no_such_function(1)),
    ?assertError(undef, M:reverse()),
    ?assertError(undef, apply(M, f, [])),
    try M:no_such_function(x)
    catch error:undef:Stack -> ?assertEqual({lists, no_such_function, [x], []}, hd(Stack))
    end.

tail_call_test() ->
    F = fun() -> (id(no_such_module)):f() end,
    ?assertError(undef, F()).

spawned_test() ->
    {_, Ref} = spawn_monitor(no_such_module, f, [1]),
    receive {'DOWN', Ref, _, _, Why} -> ?assertMatch({undef, [{no_such_module, f, [1], []} | _]}, Why) end.

last_resort_test() ->
    M = id(?MODULE),
    ?assertEqual({last_resort, not_here, [1, 2]}, M:not_here(1, 2)),
    ?assertEqual({last_resort, not_here, []}, apply(M, not_here, [])).

own_handler_test() ->
    ?assertEqual(error_handler, process_flag(error_handler, ?MODULE)),
    M = id(no_such_module),
    ?assertEqual({handled, no_such_module, f, [a]}, M:f(a)),
    ?assertEqual({error_handler, ?MODULE}, process_info(self(), error_handler)),
    ?assertEqual(?MODULE, process_flag(error_handler, error_handler)),
    ?assertError(undef, M:f(a)).

%% The handler itself is no loaded module: an error, not a loop.
no_handler_test() ->
    {_, Ref} = spawn_monitor(fun() ->
                                     process_flag(error_handler, no_such_handler),
                                     (id(fun no_such_module:f/1))(1)
                             end),
    receive {'DOWN', Ref, _, _, {Why, _}} -> ?assertEqual(undef, Why) end.

%% A fun whose module is not loaded (any more).
lambda_test() ->
    Forms = [{attribute, 1, module, eh_fun}, {attribute, 1, export, [{make, 1}]},
             {function, 1, make, 1, [{clause, 1, [{var, 1, 'X'}], [],
                 [{'fun', 1, {clauses, [{clause, 1, [], [], [{tuple, 1, [{atom, 1, got}, {var, 1, 'X'}]}]}]}}]}]}],
    {ok, eh_fun, Code} = compile:forms(Forms, [deterministic]),
    {module, eh_fun} = code:load_binary(eh_fun, "eh_fun.beam", Code),
    M = id(eh_fun),
    Fun = M:make(7),
    ?assertEqual({got, 7}, Fun()),
    %% The same fun of a module that is nowhere.
    Bytes = term_to_binary(Fun),
    Elsewhere = binary_to_term(binary:replace(Bytes, <<"eh_fun">>, <<"eh_fux">>, [global])),
    ?assertError(undef, Elsewhere()),
    ?assertEqual({module, eh_fux}, erlang:fun_info(Elsewhere, module)).

interface_test() ->
    ?assertError(undef, error_handler:raise_undef_exception(m, f, [1])),
    ?assertExit({undef, [{m, f, [1], []}]}, error_handler:stub_function(m, f, [1])),
    ?assertEqual([3, 2], error_handler:undefined_function(lists, reverse, [[2, 3]])),
    ?assertError(undef, error_handler:undefined_function(lists, rev, [[2, 3]])),
    try error_handler:raise_undef_exception(m, f, [1])
    catch error:undef:Stack -> ?assertEqual({m, f, [1], []}, hd(Stack))
    end.
