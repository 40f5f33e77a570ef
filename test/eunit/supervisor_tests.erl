%% Trees of supervisors: strategies, crashes and restarts, limits, orders of start and end.
-module(supervisor_tests).
-include_lib("eunit/include/eunit.hrl").
-behaviour(supervisor).
-export([init/1, start_worker/2, worker/3]).

init(Spec) -> Spec.

start_worker(Name, To) -> proc_lib:start_link(?MODULE, worker, [self(), Name, To]).

worker(Parent, Name, To) ->
    process_flag(trap_exit, true),
    To ! {started, Name},
    proc_lib:init_ack({ok, self()}),
    loop(Parent, Name, To).

loop(Parent, Name, To) ->
    receive
        {crash, Why} -> exit(Why);
        {'EXIT', Parent, Why} -> To ! {ended, Name}, exit(Why);
        stubborn -> loop(none, Name, To);
        _ -> loop(Parent, Name, To)
    end.

child(Name) -> child(Name, #{}).
child(Name, Extra) -> maps:merge(#{id => Name, start => {?MODULE, start_worker, [Name, self()]}}, Extra).

start(Flags, Children) ->
    flush(),
    process_flag(trap_exit, true),
    {ok, Sup} = supervisor:start_link(?MODULE, {ok, {Flags, Children}}),
    [expect({started, Id}) || #{id := Id} <- Children, is_atom(Id)],
    Sup.

%% EUnit's own processes are linked to the test's and end normally.
expect(What) -> ?assertEqual(What, message(60000)).
nothing() -> ?assertEqual(none, message(0)).

message(Time) ->
    receive
        {'EXIT', _, normal} -> message(Time);
        Message -> Message
    after Time -> none
    end.

pid(Sup, Id) -> {Id, Pid, _, _} = lists:keyfind(Id, 1, supervisor:which_children(Sup)), Pid.
crash(Sup, Id, Why) -> pid(Sup, Id) ! {crash, Why}.

stop(Sup) ->
    Ref = monitor(process, Sup),
    exit(Sup, shutdown),
    receive {'DOWN', Ref, _, _, Why} -> ?assertEqual(shutdown, Why) end,
    receive {'EXIT', Sup, shutdown} -> ok end.

one_for_one_test() ->
    Sup = start(#{}, [child(a), child(b), child(c)]),
    [A, B, C] = [pid(Sup, N) || N <- [a, b, c]],
    crash(Sup, b, oops),
    expect({started, b}),
    wait(fun() -> is_pid(pid(Sup, b)) end),
    ?assertEqual([A, C], [pid(Sup, N) || N <- [a, c]]),
    ?assertNotEqual(B, pid(Sup, b)),
    stop(Sup),
    [expect({ended, N}) || N <- [c, b, a]].

one_for_all_test() ->
    Sup = start(#{strategy => one_for_all}, [child(a), child(b), child(c)]),
    crash(Sup, b, oops),
    [expect({ended, N}) || N <- [c, a]],
    [expect({started, N}) || N <- [a, b, c]],
    stop(Sup),
    [expect({ended, N}) || N <- [c, b, a]].

rest_for_one_test() ->
    Sup = start(#{strategy => rest_for_one}, [child(a), child(b), child(c)]),
    A = pid(Sup, a),
    crash(Sup, b, oops),
    expect({ended, c}),
    [expect({started, N}) || N <- [b, c]],
    ?assertEqual(A, pid(Sup, a)),
    stop(Sup),
    [expect({ended, N}) || N <- [c, b, a]].

simple_one_for_one_test() ->
    process_flag(trap_exit, true),
    {ok, Sup} = supervisor:start_link(?MODULE, {ok, {#{strategy => simple_one_for_one},
                                                     [#{id => any, start => {?MODULE, start_worker, []},
                                                        restart => transient}]}}),
    Pids = [begin {ok, P} = supervisor:start_child(Sup, [N, self()]), expect({started, N}), P end
            || N <- lists:seq(1, 20)],
    ?assertEqual(lists:sort(Pids), lists:sort([P || {undefined, P, worker, _} <- supervisor:which_children(Sup)])),
    hd(Pids) ! {crash, normal},
    wait(fun() -> length(supervisor:which_children(Sup)) =:= 19 end),
    lists:nth(2, Pids) ! {crash, oops},
    expect({started, 2}),
    ?assertEqual(ok, supervisor:terminate_child(Sup, lists:nth(3, Pids))),
    expect({ended, 3}),
    ?assertEqual([{active, 18}, {specs, 1}, {supervisors, 0}, {workers, 18}],
                 lists:sort(supervisor:count_children(Sup))),
    ?assertEqual({error, simple_one_for_one}, supervisor:delete_child(Sup, any)),
    stop(Sup).

restart_types_test_() ->
    [?_test(begin
                Sup = start(#{}, [child(x, #{restart => Restart})]),
                crash(Sup, x, Why),
                case Again of
                    true -> expect({started, x});
                    false -> wait(fun() -> case lists:keyfind(x, 1, supervisor:which_children(Sup)) of
                                               {x, undefined, _, _} -> Restart =/= temporary;
                                               false -> Restart =:= temporary;
                                               _ -> false
                                           end end)
                end,
                unlink(Sup),
                exit(Sup, kill),
                flush()
            end)
     || {Restart, Why, Again} <- [{permanent, normal, true}, {permanent, oops, true}, {transient, normal, false},
                                  {transient, shutdown, false}, {transient, {shutdown, x}, false}, {transient, oops,
                                          true},
                                  {temporary, oops, false}, {temporary, normal, false}]].

flush() -> receive _ -> flush() after 0 -> ok end.
wait(Fun) -> case Fun() of true -> ok; false -> timer:sleep(2), wait(Fun) end.

%% More restarts than are allowed end the supervisor, and its other children first.
intensity_test() ->
    Sup = start(#{intensity => 2, period => 100}, [child(a), child(b)]),
    [begin crash(Sup, b, N), expect({started, b}), wait(fun() -> is_pid(pid(Sup, b)) end) end || N <- [1, 2]],
    crash(Sup, b, 3),
    expect({ended, a}),
    expect({'EXIT', Sup, shutdown}).

%% A failing subtree takes its parent with it, which restarts it.
tree_test() ->
    flush(),
    process_flag(trap_exit, true),
    Inner = #{id => inner, type => supervisor,
              start => {supervisor, start_link, [?MODULE, {ok, {#{intensity => 0}, [child(leaf)]}}]}},
    {ok, Top} = supervisor:start_link(?MODULE, {ok, {#{intensity => 5}, [child(first), Inner, child(last)]}}),
    [expect({started, N}) || N <- [first, leaf, last]],
    Old = pid(Top, inner),
    crash(Old, leaf, oops),
    expect({started, leaf}),
    wait(fun() -> is_pid(pid(Top, inner)) end),
    ?assertNotEqual(Old, pid(Top, inner)),
    stop(Top),
    [expect({ended, N}) || N <- [last, leaf, first]].

start_failures_test() ->
    flush(),
    process_flag(trap_exit, true),
    Bad = #{id => bad, start => {?MODULE, no_such_function, []}},
    ?assertMatch({error, {shutdown, {failed_to_start_child, bad, {'EXIT', {undef, _}}}}},
                 supervisor:start_link(?MODULE, {ok, {#{}, [child(a), Bad]}})),
    expect({started, a}),
    expect({ended, a}),
    receive {'EXIT', _, _} -> ok after 0 -> ok end, % of the supervisor that did not start
    [begin
         {error, Why} = supervisor:start_link(?MODULE, Spec),
         ?assertEqual(Kind, element(1, Why)),
         receive {'EXIT', _, _} -> ok after 0 -> ok end
     end || {Kind, Spec} <- [{bad_return, nonsense}, {supervisor_data, {ok, {#{strategy => none}, []}}},
                             {start_spec, {ok, {#{}, [#{id => x}]}}}]],
    ?assertEqual(ignore, supervisor:start_link(?MODULE, ignore)).

children_test() ->
    Sup = start(#{}, []),
    {ok, P} = supervisor:start_child(Sup, child(dynamic)),
    expect({started, dynamic}),
    ?assertEqual({error, {already_started, P}}, supervisor:start_child(Sup, child(dynamic))),
    ?assertEqual({error, running}, supervisor:delete_child(Sup, dynamic)),
    ?assertEqual({error, running}, supervisor:restart_child(Sup, dynamic)),
    ?assertEqual(ok, supervisor:terminate_child(Sup, dynamic)),
    expect({ended, dynamic}),
    ?assertEqual([{dynamic, undefined, worker, [?MODULE]}], supervisor:which_children(Sup)),
    ?assertEqual({error, already_present}, supervisor:start_child(Sup, child(dynamic))),
    ?assertMatch({ok, _}, supervisor:restart_child(Sup, dynamic)),
    expect({started, dynamic}),
    ok = supervisor:terminate_child(Sup, dynamic),
    expect({ended, dynamic}),
    ?assertEqual(ok, supervisor:delete_child(Sup, dynamic)),
    ?assertEqual({error, not_found}, supervisor:delete_child(Sup, dynamic)),
    ?assertMatch({error, {invalid_child_spec, _}}, supervisor:start_child(Sup, wrong)),
    stop(Sup),
    nothing().

%% A child that does not want to end is killed.
shutdown_test() ->
    Sup = start(#{}, [child(slow, #{shutdown => 10}), child(brutal, #{shutdown => brutal_kill})]),
    Slow = pid(Sup, slow),
    Ref = monitor(process, Slow),
    Slow ! stubborn,
    stop(Sup),
    ?assertEqual(killed, receive {'DOWN', Ref, _, _, Why} -> Why end),
    nothing().

%% A killed supervisor takes its children with it through their links.
killed_test() ->
    Sup = start(#{}, [child(a)]),
    Ref = monitor(process, pid(Sup, a)),
    exit(Sup, kill),
    expect({'EXIT', Sup, killed}),
    ?assertMatch({'DOWN', Ref, _, _, killed}, receive {'DOWN', _, _, _, _} = D -> D end),
    ?assertEqual({ended, a}, receive E -> E end).

many_restarts_test() ->
    Sup = start(#{intensity => 1000, period => 100}, [child(a)]),
    [begin
         crash(Sup, a, {round, N}),
         expect({started, a}),
         wait(fun() -> is_pid(pid(Sup, a)) end)
     end || N <- lists:seq(1, 200)],
    stop(Sup),
    expect({ended, a}).
