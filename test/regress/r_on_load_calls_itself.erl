%% An on_load function calls its own module from outside, while that waits for the function: it is undefined. Others
%% who call it meanwhile wait.
-module(r_on_load_calls_itself).
-on_load(init/0).
-export([main/0, v/0]).

main() ->
    {Own, Pid} = persistent_term:get(?MODULE),
    Ref = monitor(process, Pid),
    Pid ! {self(), answer},
    Other = receive
                {Pid, Answer} -> Answer;
                {'DOWN', Ref, process, Pid, Reason} -> Reason
            end,
    io:format("~p ~p~n", [Own, Other]).

v() -> loaded.

init() ->
    Own = answer(fun() -> ?MODULE:v() end),
    persistent_term:put(?MODULE, {Own, spawn(fun other/0)}),
    ok.

other() ->
    Answer = answer(fun() -> ?MODULE:v() end),
    receive {From, answer} -> From ! {self(), Answer} end.

answer(Fun) ->
    try Fun()
    catch Class:Reason -> {Class, Reason}
    end.
