%% Many processes tie themselves to processes of the other node that end by themselves at any moment: they link, unlink
%% and link again, monitor, demonitor and monitor again, ask for linked and monitored ones. What holds in the end is
%% told once, what was undone is not; on one and four schedulers, in the deep run on two as well, in both directions at
%% once, while the connection lasts and while it is lost and made again.
-module(c_relink).
-export([main/0, life/2, spin/2, rounds/3, cutter/1]).

-import(cluster, [do/2, call/4, start/2, stop/1, connect/1, deep/2]).

-define(LONG, 90000).

main() -> [on(Schedulers, Cuts) || Schedulers <- deep([1, 4], [1, 2, 4]), Cuts <- [uncut, cut]].

on(Schedulers, Cuts) ->
    do(io_lib:format("~p schedulers, ~p", [Schedulers, Cuts]), fun() ->
        Args = ["+S", integer_to_list(Schedulers)],
        [B, C] = Nodes = [start(Name, #{args => Args}) || Name <- [b, c]],
        true = call(B, net_kernel, connect_node, [C]),
        Cutter = call(B, erlang, spawn, [?MODULE, cutter, [[C || Cuts =:= cut]]]),
        Self = self(),
        [spawn_link(fun() -> Self ! {there, call(Here, ?MODULE, rounds, [There, Cuts, N])} end)
         || {Here, There} <- [{B, C}, {C, B}], N <- lists:seq(1, 4)],
        Wrong = lists:append([receive {there, Some} -> Some end || _ <- lists:seq(1, 8)]),
        call(B, erlang, 'exit', [Cutter, kill]),
        [stop(Node) || Node <- Nodes],
        case Wrong of [] -> all_is_told; _ -> Wrong end
    end).

cutter(Nodes) ->
    receive after rand:uniform(60) -> [erlang:disconnect_node(Node) || Node <- Nodes] end,
    cutter(Nodes).

%% --- one after the other -------------------------------------------------------------------------------------------

rounds(Node, Cuts, Seed) ->
    rand:seed(exsss, Seed),
    lists:append([a_round(Node, Cuts, rand:uniform(1 bsl 50)) || _ <- lists:seq(1, deep(30, 400))]).

a_round(Node, Cuts, Seed) ->
    {_, Monitor} = spawn_monitor(fun() ->
        process_flag(trap_exit, true),
        rand:seed(exsss, Seed),
        Case = any([fun relinked/1, fun relinked/1, fun remonitored/1, fun requested/1]),
        exit({told, Case(Node)})
    end),
    receive
        {'DOWN', Monitor, _, _, {told, Reasons}} -> [{Reason, Node} || Reason <- Reasons, not is_known(Reason, Cuts)];
        {'DOWN', Monitor, _, _, Wrong} -> [{Wrong, Node}]
    end.

is_known(noconnection, Cuts) -> Cuts =:= cut;
is_known(Reason, _) -> lists:member(Reason, [bye, noproc]).

any(List) -> lists:nth(rand:uniform(length(List)), List).

pause() ->
    case rand:uniform(6) of
        1 -> receive after 0 -> ok end;
        2 -> receive after 1 -> ok end;
        3 -> until(erlang:monotonic_time(microsecond) + rand:uniform(300));
        _ -> ok
    end.

until(End) -> erlang:monotonic_time(microsecond) >= End orelse begin erlang:yield(), until(End) end.

%% By a timer, or while it runs.
life(Milliseconds, Reason) -> receive after Milliseconds -> exit(Reason) end.
spin(Microseconds, Reason) -> until(erlang:monotonic_time(microsecond) + Microseconds), exit(Reason).

a_life() -> any([{life, [rand:uniform(8) - 1, bye]}, {spin, [rand:uniform(800), bye]}]).

one_there(Node) -> {Function, Arguments} = a_life(), spawn(Node, ?MODULE, Function, Arguments).

%% Nothing comes any more.
quiet() ->
    receive Any -> exit({unexpected, Any})
    after any([0, 0, 0, 1, 5]) -> ok
    end.

relinked(Node) ->
    Pid = one_there(Node),
    [begin link(Pid), pause(), unlink_flush(Pid), pause() end || _ <- lists:seq(1, rand:uniform(10))],
    Reasons = [begin link(Pid), exit_of(Pid) end || rand:uniform(3) > 1],
    quiet(),
    Reasons.

unlink_flush(Pid) ->
    unlink(Pid),
    receive {'EXIT', Pid, _} -> ok after 0 -> ok end.

exit_of(Pid) ->
    receive {'EXIT', Pid, Reason} -> Reason
    after ?LONG -> exit({no_exit, process_info(self(), [links, messages])})
    end.

remonitored(Node) ->
    Pid = one_there(Node),
    [begin Ref = monitor(process, Pid), pause(), demonitor(Ref, [flush]), pause() end
     || _ <- lists:seq(1, rand:uniform(10))],
    Refs = [monitor(process, Pid) || _ <- lists:seq(1, rand:uniform(3) - 1)],
    Reasons = [down(Ref) || Ref <- Refs],
    quiet(),
    Reasons.

down(Ref) ->
    receive {'DOWN', Ref, process, _, Reason} -> Reason
    after ?LONG -> exit({no_down, process_info(self(), [monitors, messages])})
    end.

requested(Node) ->
    Options = any([[], [monitor], [link], [link, monitor]]),
    {Function, Arguments} = a_life(),
    Ref = spawn_request(Node, ?MODULE, Function, Arguments, Options),
    receive
        {spawn_reply, Ref, ok, Pid} ->
            Undone = any([[], Options]),
            pause(),
            [unlink_flush(Pid) || lists:member(link, Undone)],
            [demonitor(Ref, [flush]) || lists:member(monitor, Undone)],
            Reasons = [down(Ref) || lists:member(monitor, Options -- Undone)] ++
                [exit_of(Pid) || lists:member(link, Options -- Undone)],
            quiet(),
            Reasons;
        {spawn_reply, Ref, error, Reason} -> quiet(), [Reason]
    after ?LONG -> exit({no_reply, Options})
    end.
