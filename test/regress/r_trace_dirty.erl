%% What happens on a dirty thread when a native function has returned there is told too: to who traces the collection of
%% what it built, or the exception that it raised, and to the system monitor. Such a thread looked processes, code and
%% settings up without saying so to thread progress.
-module(r_trace_dirty).
-export([main/0, dirty_list/1, dirty_fail/1]).
-nifs([dirty_list/1, dirty_fail/1]).

main() ->
    logger:set_primary_config(level, none),
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), "r_trace_dirty"), 0),
    io:format("collections ~p~n", [lists:usort([collected(5000) || _ <- lists:seq(1, 20)])]),
    %% The stock runtime does not tell each.
    io:format("monitored ~p~n", [lists:member(told, [monitored(50000) || _ <- lists:seq(1, 20)])]),
    1 = erlang:trace_pattern({?MODULE, dirty_fail, 1}, [{'_', [], [{exception_trace}]}], [local]),
    [io:format("~p~n", [failed(How)]) || How <- [caught, uncaught]],
    io:format("many ~p~n", [lists:usort([element(1, failed(caught)) || _ <- lists:seq(1, 300)])]).

collected(N) ->
    Pid = start(fun() -> length(dirty_list(N)) end, [garbage_collection]),
    {normal, Events} = finish(Pid),
    {[] =/= [x || {gc_major_start, _} <- Events] orelse [] =/= [x || {gc_minor_start, _} <- Events]}.

monitored(N) ->
    erlang:system_monitor(self(), [{large_heap, 20000}]),
    {Pid, Ref} = spawn_monitor(fun() -> L = dirty_list(N), erlang:garbage_collect(), exit({length(L)}) end),
    receive {'DOWN', Ref, process, Pid, {N}} -> ok end,
    erlang:system_monitor(undefined),
    receive {monitor, Pid, large_heap, _} -> told after 1000 -> not_told end.

failed(How) -> finish(start(fun() -> fail(How) end, [call])).

fail(caught) -> catch dirty_fail(oops);
fail(uncaught) -> {dirty_fail(bye)}.

start(Fun, Flags) ->
    Pid = spawn(fun() -> receive go -> Fun() end end),
    1 = erlang:trace(Pid, true, Flags),
    Pid.

finish(Pid) ->
    Ref = monitor(process, Pid),
    Pid ! go,
    Reason = receive {'DOWN', Ref, _, _, normal} -> normal; {'DOWN', Ref, _, _, {R, _}} -> R end,
    Delivered = erlang:trace_delivered(Pid),
    receive {trace_delivered, Pid, Delivered} -> ok end,
    {Reason, events(Pid)}.

events(Pid) ->
    receive
        {trace, Pid, What, Data} -> [{What, Data} | events(Pid)];
        {trace, Pid, What, Data, More} -> [{What, Data, More} | events(Pid)]
    after 0 -> []
    end.

dirty_list(_) -> erlang:nif_error(not_loaded).
dirty_fail(_) -> erlang:nif_error(not_loaded).
