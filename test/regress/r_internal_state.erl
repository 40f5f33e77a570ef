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
    [show(get, [{check_time_config, Corrects, Warp}])
     || {Corrects, Warp} <- [{true, no_time_warp}, {false, multi_time_warp}, {true, x}, {x, no_time_warp}]],
    statuses(),
    binaries(),
    references(),
    [show(set, [wait, What]) || What <- [deallocations, timer_cancellations, aux_work, thread_progress, nothing]],
    [show(set, Arguments) || Arguments <- [[reds_left, 100], [reds_left, -1], [reds_left, x], [reds_left, 1 bsl 40],
                                           [sleep, 1], [sleep, x], [force_gc, x], [no_such_item, 1],
                                           [ets_force_trap, true]]],
    [Hash, Hash] = [erts_debug:get_internal_state({internal_hash, a}) || _ <- [1, 2]],
    true = erts_debug:set_internal_state(force_gc, self()),
    numbers(),
    port_numbers(),
    collections(),
    permission(),
    links_and_monitors(),
    tasks(),
    io:format("~p~n", [lists:sort(erts_debug:get_internal_state(process_info_args))]),
    io:format("~p~n", [all_processes(100)]),
    io:format("~p~n", [[K || {K, _} <- erts_debug:get_internal_state(memory)]]),
    io:format("~p~n", [tuple_size(erts_debug:get_internal_state(processes_bif_info))]),
    [show(set, [block, T]) || T <- [1, -1, x]],
    [Alpha, Beta] = [erts_debug:get_internal_state({atom, N}) || N <- [0, 1]],
    io:format("~p ~p~n", [[Alpha, Beta], erlang:system_info(heap_sizes)]),
    io:format("~p~n", [full_heaps(1000, [])]),
    show(set, [available_internal_state, false]),
    show(get, [reds_left]).

%% One may come or go between the two.
all_processes(0) -> false;
all_processes(N) ->
    lists:sort(erts_debug:get_internal_state(processes)) =:= lists:sort(processes()) orelse all_processes(N - 1).

%% What is built on a full heap is as good as any other.
full_heaps(0, Lists) -> lists:sum([length(L) || L <- Lists]);
full_heaps(N, Lists) ->
    put(kept, {N, Lists}),
    ok = erts_debug:set_internal_state(fill_heap, true),
    {N, Lists} = erase(kept),
    full_heaps(N - 1, [lists:duplicate(N rem 7, N) | Lists]).

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

%% The next process, or port, gets the next free number above the one that is set. (What ends meanwhile gives a number
%% back, which may come first: so they live on.)
numbers() ->
    [show(set, [next_pid, T]) || T <- [x, -1]],
    [begin
         Next = erts_debug:set_internal_state(next_pid, N),
         Next = erts_debug:get_internal_state(next_pid),
         Made = [number(spawn(fun() -> receive stop -> ok end end)) || _ <- [1, 2, 3]],
         io:format("~p ~p~n", [Next > N andalso Next < N + 1000, Made =:= lists:sort(Made) andalso hd(Made) >= Next])
     end || N <- [100000, 200000, 30000, 300000]].

port_numbers() ->
    [show(set, [next_port, T]) || T <- [x, -1]],
    [begin
         Next = erts_debug:set_internal_state(next_port, N),
         Next = erts_debug:get_internal_state(next_port),
         Made = [port_number(open_port({spawn, "cat"}, [])) || _ <- [1, 2, 3]],
         io:format("~p ~p~n", [Next > N andalso Next < N + 1000, Made =:= lists:sort(Made) andalso hd(Made) >= Next])
     end || N <- [100000, 200000, 30000, 300000]].

port_number(Port) ->
    [_, Number] = [list_to_integer(T) || T <- string:lexemes(port_to_list(Port), "#Port<.>")],
    Number.

number(Pid) ->
    [_, Number, Serial] = [list_to_integer(T) || T <- string:lexemes(pid_to_list(Pid), "<.>")],
    Serial bsl 15 + Number.

%% Collections that others ask for wait until they are done again, or refused.
collections() ->
    show(set, [gc_state, x]),
    Self = self(),
    P = spawn_link(fun() ->
                           Self ! {was, erts_debug:set_internal_state(gc_state, false),
                                   erts_debug:set_internal_state(gc_state, false), garbage_collect()},
                           receive go_on -> Self ! {on, erts_debug:set_internal_state(gc_state, true)} end,
                           receive stop -> ok end
                   end),
    receive {was, _, _, _} = Was -> io:format("~p~n", [Was]) end,
    [async = garbage_collect(P, [{async, N}]) || N <- [1, 2]],
    until_waiting(P), % it has seen them
    receive {garbage_collect, _, _} = Early -> io:format("~p~n", [Early]) after 0 -> ok end,
    P ! go_on,
    io:format("~p~n", [[receive M when element(1, M) =/= 'EXIT' -> M end || _ <- [1, 2, 3]]]),
    P ! stop,
    {Q, Ref} = spawn_monitor(fun() -> erts_debug:set_internal_state(gc_state, false), Self ! off, receive stop -> ok end end),
    receive off -> ok end,
    async = garbage_collect(Q, [{async, 3}]),
    Q ! stop,
    io:format("~p~n", [lists:sort([receive {'DOWN', Ref, _, _, R} -> R; {garbage_collect, _, _} = G -> G end || _ <- [1, 2]])]),
    [show(set, [test_long_gc_sleep, T]) || T <- [x, -1, 0]].

%% Nobody loads code while somebody has the permission.
permission() ->
    show(set, [code_write_permission, x]),
    true = erts_debug:set_internal_state(code_write_permission, true),
    Self = self(),
    spawn_link(fun() -> code:load_binary(r_internal_m, "m", code()), Self ! loaded end),
    receive loaded -> io:format("too early~n") after 50 -> ok end,
    io:format("~p~n", [erts_debug:set_internal_state(code_write_permission, false)]),
    receive loaded -> ok end,
    io:format("~p~n", [erlang:delete_module(r_internal_m)]).

code() ->
    Forms = [{attribute, 1, module, r_internal_m}],
    {ok, _, Code} = compile:forms(Forms, []),
    Code.

links_and_monitors() ->
    Self = self(),
    P = spawn_link(fun() -> receive stop -> ok end end),
    register(r_internal_name, P),
    io:format("~p~n", [[{State, is_integer(Id)} || {erl_link, process, To, State, Id} <- state(link_list, Self), To =:= P]]),
    By = monitor(process, P),
    Named = monitor(process, r_internal_name),
    Of = fun(Who, Side, Other) ->
                 [{Type, S, Name, lists:member(R, [By, Named, []])}
                  || {erl_monitor, Type, S, R, O, Name} <- state(monitor_list, Who), S =:= Side, O =:= Other]
         end,
    true = erlang:suspend_process(P),
    io:format("~p~n~p~n", [lists:sort(Of(Self, origin, P)), lists:sort(Of(P, target, Self))]),
    true = erlang:resume_process(P),
    unlink(P),
    [demonitor(R) || R <- [By, Named]],
    io:format("~p ~p~n", [Of(Self, origin, P), catch_badarg(fun() -> state(link_list, x) end)]),
    P ! stop.

state(What, Of) -> erts_debug:get_internal_state({What, Of}).

%% Urgent tasks first, but a low one after every eight normal ones.
tasks() ->
    Self = self(),
    P = spawn_opt(fun Loop() -> receive stop -> ok; _ -> Loop() end end, [{scheduler, 1}]),
    Old = process_flag(scheduler, 1),
    Priority = process_flag(priority, max),
    [ok = erts_internal:request_system_task(P, Prio, {system_task_test, {Prio, N}})
     || {Prio, Last} <- [{low, 3}, {normal, 20}, {low, 5}, {high, 2}, {max, 1}], N <- lists:seq(1, Last)],
    io:format("~w~n", [[receive {system_task_test, Id, true} -> Id end || _ <- lists:seq(1, 31)]]),
    io:format("~p~n", [catch_badarg(fun() -> erts_internal:request_system_task(Self, low, {system_task_test}) end)]),
    process_flag(priority, Priority),
    process_flag(scheduler, Old),
    P ! stop.
