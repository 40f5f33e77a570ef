%% More of what test suites ask of the inside of the runtime, and do with it.
-module(r_internal_items).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    erts_debug:set_internal_state(available_internal_state, true),
    [show(get, [Item]) || Item <- [mmap, lc_graph, {mmap, 1}, {lc_graph, x}]],
    encoded(),
    binaries(),
    [show(set, [What, T]) || What <- [block_scheduler, sleep, block], T <- [1, 0, -1, x, 1.0]],
    times(),
    [show(set, [reds_left, T]) || T <- [-1, 1 bsl 40, 1 bsl 62, 1 bsl 64]],
    [show(set, [node_tab_delayed_delete, T]) || T <- [0, -1, x]],
    [show(get, [{channel_number, T}]) || T <- [node(), 'never@seen', 1]],
    Far = binary_to_term(<<131, 88, 119, 3, "h@i", 7:32, 0:32, 1:32>>),
    [Number, "7", "0"] = string:tokens(pid_to_list(Far), "<.>"),
    io:format("~p~n", [Number =:= integer_to_list(erts_debug:get_internal_state({channel_number, node(Far)}))]),
    [show(get, [{connection_id, T}]) || T <- ['never@seen', 1]],
    [show(set, [kill_dist_connection, T]) || T <- ['never@seen', node(), 1]],
    abilities(),
    blocked(),
    timers(),
    atoms(),
    tables(),
    ties(),
    gone_references(),
    io:format("~p~n", [is_boolean(erts_debug:get_internal_state(scheduler_dump))]),
    io:format("~p~n", [erts_debug:get_internal_state(stack_check) > 10000]),
    io:format("~p~n", [[erlang:system_info(io_thread), erlang:system_info(ethread_used_tse) > 0]]).

show(What, Arguments) ->
    Function = list_to_existing_atom(atom_to_list(What) ++ "_internal_state"),
    Result = try apply(erts_debug, Function, Arguments)
             catch Class:Reason:Stack -> {Class, Reason, hd(Stack)}
             end,
    io:format("~w ~w: ~w~n", [What, Arguments, Result]).

encoded() ->
    Large = binary:copy(<<7>>, 1000),
    Long = lists:seq(1, 100000),
    [show(get, [{term_to_binary, T, Options}])
     || T <- [a, {1.5, "b", <<1:3>>}],
        Options <- [[], [{minor_version, 0}], [{minor_version, 2}, {minor_version, 1}], [x], x, [compressed | x]]],
    show(get, [{term_to_binary, a}]),
    IoVec = erts_debug:get_internal_state({term_to_binary, [a, Large], [iovec, {minor_version, 2}]}),
    io:format("~p~n", [{is_list(IoVec), iolist_to_binary(IoVec) =:= term_to_binary([a, Large], [{minor_version, 2}])}]),
    show(get, [{term_to_binary, a, [iovec | x]}]),
    Again = fun(Options) ->
                    binary_to_term(iolist_to_binary(erts_debug:get_internal_state({term_to_binary, Long, Options})))
            end,
    io:format("~p~n", [[Again(Options) =:= Long || Options <- [[], [iovec]]]]),
    show(get, [{term_to_binary, a, [{compressed, 10}]}]).

binaries() ->
    [show(set, [binary, T]) || T <- [-1, 0, 3, x, 1.0, 1 bsl 62, 1 bsl 63, 1 bsl 64]],
    [io:format("~p~n", [erts_debug:get_internal_state({binary_info, erts_debug:set_internal_state(binary, N)})])
     || N <- [0, 1, 1000]],
    io:format("~p~n", [erts_debug:set_internal_state(binary, 100000) =:= binary:copy(<<0>>, 100000)]).

times() ->
    Took = fun(What) ->
                   Start = erlang:monotonic_time(millisecond),
                   true = erts_debug:set_internal_state(What, 100),
                   erlang:monotonic_time(millisecond) - Start
           end,
    io:format("~p~n", [[Took(What) >= 100 || What <- [block_scheduler, sleep, block]]]).

%% Of those that a node may lack: what this one says of itself from then on.
abilities() ->
    [show(set, [remove_hopefull_dflags, T]) || T <- [x, -1, 1 bsl 64, 1.0]],
    io:format("~p~n", [[N || N <- lists:seq(0, 63),
                             (catch erts_debug:set_internal_state(remove_hopefull_dflags, 1 bsl N)) =:= ok]]),
    ok = erts_debug:set_internal_state(remove_hopefull_dflags, 0),
    All = erts_internal:get_dflags(),
    Removed = 1 bsl 3 bor 1 bsl 32,
    ok = erts_debug:set_internal_state(remove_hopefull_dflags, Removed),
    Less = erts_internal:get_dflags(),
    Right = [element(N, Less) =:= element(N, All) band bnot Removed || N <- lists:seq(2, 6)],
    io:format("~p ~p~n", [tuple_size(Less), Right]),
    io:format("~p~n", [element(2, Less) =/= element(2, All)]),
    ok = erts_debug:set_internal_state(remove_hopefull_dflags, 0),
    io:format("~p~n", [erts_internal:get_dflags() =:= All]).

%% Whose signals are handled late.
blocked() ->
    [show(set, [proc_sig_block, T]) || T <- [x, {x, 1}, {list_to_pid("<0.0.0>"), x}, {x}]],
    P = spawn(fun Loop() -> receive {From, Message} -> From ! {self(), Message}, Loop() end end),
    Start = erlang:monotonic_time(millisecond),
    io:format("~p~n", [erts_debug:set_internal_state(proc_sig_block, {P, 100})]),
    P ! {self(), hello},
    receive {P, hello} -> ok end,
    io:format("~p~n", [erlang:monotonic_time(millisecond) - Start >= 100]),
    {_, Ref} = {exit(P, kill), monitor(process, P)},
    receive {'DOWN', Ref, process, P, _} -> ok end,
    io:format("~p~n", [[erts_debug:set_internal_state(proc_sig_block, {To, 1}) || To <- [P, self()]]]).

timers() ->
    [show(set, [multizero_timeout_in_timeout, T]) || T <- [x, 1.0]],
    [begin
         Start = erlang:monotonic_time(millisecond),
         ok = erts_debug:set_internal_state(multizero_timeout_in_timeout, T),
         receive Message -> io:format("~p ~p~n", [Message, erlang:monotonic_time(millisecond) - Start >= T]) end
     end || T <- [-1, 0, 50]],
    {_, Ref} = spawn_monitor(fun() -> erts_debug:set_internal_state(multizero_timeout_in_timeout, 10) end),
    receive {'DOWN', Ref, process, _, Reason} -> io:format("~p~n", [Reason]) end,
    receive Late -> io:format("~p~n", [Late]) after 50 -> ok end.

%% One that is not there yet is made; its text is not asked, as others make atoms meanwhile.
atoms() ->
    New = erlang:system_info(atom_count) + 10,
    Atom = erts_debug:get_internal_state({atom, New}),
    io:format("~p~n", [{is_atom(Atom), erts_debug:get_internal_state({atom, New}) =:= Atom,
                        erlang:system_info(atom_count) > New}]),
    [show(get, [{atom, T}]) || T <- [-1, x, 1.0]].

%% Numbers tell links apart.
ties() ->
    [show(get, [{What, T}]) || What <- [link_list, monitor_list], T <- [node(), 'never@seen', nobody, 1]],
    Self = self(),
    Port = open_port({spawn, "cat"}, []),
    Pids = [spawn_link(fun() -> receive stop -> ok end end) || _ <- [1, 2, 3]],
    All = fun() -> erts_debug:get_internal_state({link_list, Self}) end,
    Links = fun() -> [L || L <- All(), lists:member(element(3, L), [Port | Pids])] end,
    io:format("~p~n", [lists:sort([{Type, State} || {erl_link, Type, _, State, _} <- Links()])]),
    io:format("~p~n", [length(lists:usort([Id || {erl_link, _, _, _, Id} <- Links(), is_integer(Id)]))]),
    [unlink(Pid) || Pid <- Pids],
    [Pid ! stop || Pid <- Pids],
    port_close(Port),
    io:format("~p~n", [[L || {erl_link, _, _, linked, _} = L <- Links()]]).

%% What a magic reference led to has gone: from outside it comes back as a plain one, which says that it was magic.
gone_references() ->
    Made = [fun() -> element(1, erts_debug:set_internal_state(make, magic_ref)) end, fun deleted_table/0,
            fun() -> atomics:new(1, []) end, fun erlang:make_ref/0, fun() -> monitor(process, self()) end,
            fun() -> erlang:start_timer(100000, self(), m) end],
    Texts = [begin Ref = F(), {term_to_binary(Ref), ref_to_list(Ref)} end || F <- Made],
    Pid = spawn_link(fun() -> receive {From, Ts} -> From ! {self(), [gone(T) || T <- Ts]} end end),
    garbage_collect(),
    erts_debug:set_internal_state(wait, deallocations),
    Pid ! {self(), Texts},
    receive {Pid, Gone} -> io:format("~p~n", [Gone]) end.

deleted_table() ->
    Table = ets:new(t, []),
    ets:delete(Table),
    Table.

gone({Binary, Text}) ->
    Ref = binary_to_term(Binary),
    {erts_debug:get_internal_state({magic_ref, Ref}), Ref =:= list_to_ref(Text), erlang:read_timer(Ref) =:= false,
     demonitor(Ref), unalias(Ref)}.

%% A table takes no less than what it is said to.
tables() ->
    {Words, More} = erts_debug:get_internal_state('DbTable_words'),
    io:format("~p~n", [[is_integer(More), More >= 0, Words > 0]]),
    io:format("~p~n", [[ets:info(ets:new(x, [T]), memory) >= Words || T <- [set, ordered_set, bag]]]).
