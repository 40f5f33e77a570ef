%% Processes that hibernate stop in the engine's own instructions: the flight recorder says of each its own beginning.
-module(r_recorder_places).
-export([main/0, one/0, other/0, hibernates/0]).

main() ->
    choose(<<"sched">>),
    Own = [begin {Pid, Ref} = spawn_monitor(?MODULE, F, []), is_asleep(Pid), {Pid, Ref, F} end
           || F <- lists:append(lists:duplicate(20, [one, other]))],
    Lines = lists:append([string:split(Ring, "\n", all) || Ring <- rings(0)]),
    io:format("~p~n", [lists:usort([alike(Pid, F, Lines) || {Pid, _, F} <- Own])]),
    [begin Pid ! ends, receive {'DOWN', Ref, _, _, normal} -> ok end end || {Pid, Ref, _} <- Own],
    choose(<<>>).

one() -> erlang:hibernate(?MODULE, hibernates, []).
other() -> erlang:hibernate(?MODULE, hibernates, []).
hibernates() -> receive ends -> ok end.

is_asleep(Pid) ->
    case process_info(Pid, [current_function, status]) of
        [{current_function, {erlang, hibernate, 3}}, {status, waiting}] -> ok;
        _ -> erlang:yield(), is_asleep(Pid)
    end.

choose(Events) ->
    try viv_recorder:choose(Events, 65536)
    catch error:undef -> ok
    end.

rings(N) ->
    try viv_recorder:ring(N, 0) of
        undefined -> [];
        Ring -> [Ring | rings(N + 1)]
    catch error:undef -> []
    end.

%% Where it stopped to wait last; the stock runtime does not say.
alike(Pid, F, Lines) ->
    Name = list_to_binary(pid_to_list(Pid)),
    Right = iolist_to_binary(io_lib:format("~s:~s/0", [?MODULE, F])),
    Places = [Place || Line <- Lines, [_, _, Who, <<"ran">>, _, Place, <<"waits">>] <- [string:split(Line, "\t", all)],
                       Who =:= Name],
    case is_viv() of
        true -> {lists:last([none | Places]) =:= Right, lists:last([none | Places]) =/= none};
        false -> {true, true}
    end.

is_viv() ->
    try viv_recorder:head() =/= none
    catch error:undef -> false
    end.
