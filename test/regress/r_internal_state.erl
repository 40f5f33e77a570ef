%% What test suites ask of the inside of the runtime, once it has been made available.
-module(r_internal_state).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    show(get, [reds_left]),
    show(set, [reds_left, 1]),
    show(get, [available_internal_state]),
    show(set, [available_internal_state, x]),
    show(set, [available_internal_state, true]),
    show(set, [available_internal_state, true]),
    show(get, [available_internal_state]),
    show(set, [available_internal_state, x]),
    [show(get, [Item])
     || Item <- [force_heap_frags, flxctr_memory_usage, no_such_item, {no_such_item, 1}, {reds_left, 1}]],
    io:format("~p~n", [is_integer(erts_debug:get_internal_state(reds_left))]),
    statuses(),
    binaries(),
    references(),
    [show(set, [wait, What]) || What <- [deallocations, timer_cancellations, aux_work, thread_progress, nothing]],
    [show(set, Arguments) || Arguments <- [[reds_left, 100], [reds_left, -1], [reds_left, x], [reds_left, 1 bsl 40],
                                           [sleep, 1], [sleep, x], [force_gc, x], [no_such_item, 1],
                                           [ets_force_trap, true]]],
    [Hash, Hash] = [erts_debug:get_internal_state({internal_hash, a}) || _ <- [1, 2]],
    true = erts_debug:set_internal_state(force_gc, self()),
    show(set, [available_internal_state, false]),
    show(get, [reds_left]).

show(What, Arguments) ->
    Function = list_to_existing_atom(atom_to_list(What) ++ "_internal_state"),
    Result = try apply(erts_debug, Function, Arguments)
             catch Class:Reason:Stack -> {Class, Reason, hd(Stack)}
             end,
    io:format("~w ~w: ~w~n", [What, Arguments, Result]).

statuses() ->
    Waits = spawn(fun() -> receive stop -> ok end end),
    {Gone, Ref} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Ref, process, Gone, _} -> ok end,
    until_waiting(Waits),
    io:format("~p~n", [[status(P) || P <- [Waits, self(), Gone]]]),
    erlang:suspend_process(Waits),
    io:format("~p~n", [status(Waits)]),
    io:format("~p~n", [catch_badarg(fun() -> status(foo) end)]),
    erlang:suspend_process(Waits),
    io:format("~p~n", [erts_debug:set_internal_state(force_gc, Gone)]).

until_waiting(P) ->
    case process_info(P, status) of
        {status, waiting} -> ok;
        _ -> erlang:yield(), until_waiting(P)
    end.

status(P) -> erts_debug:get_internal_state({process_status, P}).

binaries() ->
    Large = binary:copy(<<0>>, 1000),
    <<_, Inner:2/binary, _/binary>> = <<1, 2, 3, 4>>,
    <<_:3, Part:100, _/bits>> = Large,
    [io:format("~p~n", [erts_debug:get_internal_state({binary_info, B})])
     || B <- [<<1, 2, 3>>, <<1:7>>, Inner, <<Part:101>>, Large, binary:part(Large, 10, 500), binary:copy(Large, 2)]],
    Made = [<< <<X>> || X <- [1, 2, 3]>>, << <<X:16>> || <<X:8>> <= Large >>, << <<X:3>> || <<X:8>> <= <<1, 2, 3, 4>> >>,
            << <<X>> || <<X>> <= <<>> >>, << <<X>> || X <- lists:seq(1, 300), X < 9 >>],
    [io:format("~p~n", [element(3, erts_debug:get_internal_state({binary_info, B}))]) || B <- Made],
    {refc_binary, 1002, {binary, Room}, _} = erts_debug:get_internal_state({binary_info, <<Large/binary, 1, 2>>}),
    io:format("~p ~p~n", [Room >= 1002, catch_badarg(fun() -> erts_debug:get_internal_state({binary_info, x}) end)]).

references() ->
    {Ref, Address} = erts_debug:set_internal_state(make, magic_ref),
    io:format("~p~n", [erts_debug:get_internal_state({magic_ref, Ref}) =:= {Address, 1, true}]),
    Self = self(),
    Other = spawn(fun() -> receive R -> Self ! {has, R}, receive stop -> ok end end end),
    Other ! Ref,
    receive {has, Ref} -> ok end,
    {Address, Count, true} = erts_debug:get_internal_state({magic_ref, Ref}),
    io:format("~p~n", [Count >= 2]),
    io:format("~p~n", [[erts_debug:get_internal_state({magic_ref, T}) || T <- [make_ref(), x]]]),
    show(set, [make, x]).

catch_badarg(F) -> try F() catch error:badarg -> badarg end.
